//! Constants: their values, and how the source spells them.

use std::sync::Arc;

use super::{Expr, ExprKind, Type};

/// A constant with its spelling.
#[derive(Clone, Debug)]
pub struct Const {
    /// The value.
    pub value: ConstValue,
    /// How the source spells it; says nothing about the value.
    pub spelling: Spelling,
}

impl Const {
    /// A constant without a spelling in the source.
    pub fn of(value: ConstValue) -> Self {
        Const { value, spelling: Spelling::Value }
    }
}

/// The value of a scalar constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstValue {
    /// A `bool`.
    Bool(bool),
    /// An integer, in the range of the expression's type.
    Int(i128),
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
}

/// How the source spells a constant.
#[derive(Clone, Debug)]
pub enum Spelling {
    /// By its value alone.
    Value,
    /// A const, a const generic or a comptime argument: `TILE_WIDTH`.
    Name(&'static str),
    /// An integer literal that is not decimal, without `_` and suffix: `0xff`, `0b101`, `0o17`.
    Radix(Arc<str>),
    /// An operator or a cast on constants, at least one of them spelled: `2 * RADIUS`; any shift to the left: `1 << 31`.
    Computed(Arc<Expr>),
}

impl Spelling {
    /// Returns whether there is more to it than the value.
    pub fn says_more(&self) -> bool {
        !matches!(self, Spelling::Value)
    }
}

/// Number of elements along one dimension of an array, with its spelling.
#[derive(Clone, Debug)]
pub struct Extent {
    /// The number.
    pub len: usize,
    /// The constant that the source has there, of any integer type.
    pub spelled: Option<Box<Expr>>,
}

/// Extents are the same if they are the same number.
impl PartialEq for Extent {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len
    }
}

impl Eq for Extent {}

impl From<usize> for Extent {
    fn from(len: usize) -> Self {
        Extent { len, spelled: None }
    }
}

impl Extent {
    /// Number of elements of an array with these extents; the largest number where they are more.
    pub fn elements(extents: &[Extent]) -> usize {
        extents.iter().fold(1, |all, extent| all.saturating_mul(extent.len))
    }

    /// The numbers alone.
    pub fn lens(extents: &[Extent]) -> Vec<usize> {
        extents.iter().map(|extent| extent.len).collect()
    }
}

impl Expr {
    /// A constant without a spelling in the source.
    pub fn constant(value: ConstValue, ty: Type) -> Expr {
        Expr { kind: ExprKind::Const(Const::of(value)), ty }
    }

    /// `true` or `false`.
    pub fn bool(value: bool) -> Expr {
        Expr::constant(ConstValue::Bool(value), Type::BOOL)
    }

    /// The constant, if it is one.
    pub fn as_const(&self) -> Option<ConstValue> {
        match &self.kind {
            ExprKind::Const(c) => Some(c.value),
            _ => None,
        }
    }

    /// The constant `bool`, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.as_const() {
            Some(ConstValue::Bool(b)) => Some(b),
            _ => None,
        }
    }

    /// The constant integer, if it is one.
    pub fn as_int(&self) -> Option<i128> {
        match self.as_const() {
            Some(ConstValue::Int(i)) => Some(i),
            _ => None,
        }
    }

    /// The same constant, spelled; any other expression as it is.
    pub fn spelled(mut self, spelling: Spelling) -> Expr {
        if let ExprKind::Const(c) = &mut self.kind {
            c.spelling = spelling;
        }
        self
    }

    /// The constant before it was cast, where that left its value as it was.
    pub fn before_casts(&self) -> &Expr {
        if let ExprKind::Const(Const { spelling: Spelling::Computed(from), .. }) = &self.kind
            && let ExprKind::Cast(operand) = &from.kind
            && operand.as_int() == self.as_int()
        {
            return operand.before_casts();
        }
        self
    }

    /// Returns whether it is a constant that the source spells by more than its value.
    pub fn is_spelled(&self) -> bool {
        matches!(&self.kind, ExprKind::Const(c) if c.spelling.says_more())
    }

    /// Calls `see` with each constant that this one is spelled by, itself among them.
    pub fn spelling_parts(&self, see: &mut dyn FnMut(&Const, &Type)) {
        if let ExprKind::Const(c) = &self.kind {
            see(c, &self.ty);
            if let Spelling::Computed(from) = &c.spelling {
                from.each_operand(|operand| operand.spelling_parts(see));
            }
        }
    }
}
