//! Expressions: pure trees with at most one effect, see the module's essay.

use std::sync::Arc;

use super::{Block, Builtin, Const, Effect, EnumType, Extent, Global, Location, Meaning, StructRef, Type};

/// A variable of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A device function of one module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FnId(pub u32);

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// The type that rustc gave it.
    pub ty: Type,
}

/// The kinds of expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A value known when the kernel is recorded.
    Const(Const),
    /// `()`; also what a diverging expression leaves behind, with [`Type::Never`].
    Unit,
    /// A variable; a place.
    Var(VarId),
    /// `-a`, `!a`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`, `a < b`, `a && b`, …
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a as T`, where `T` is the type of this expression.
    Cast(Box<Expr>),
    /// `a.name`; a place if `a` is one. Tuples name their fields `0`, `1`, ….
    Field(Box<Expr>, String),
    /// `a[i]`; a place. `base` is an array, slice reference, view or shared array.
    Index {
        /// What is indexed.
        base: Box<Expr>,
        /// The index, of any integer type.
        index: Box<Expr>,
        /// Where, for a failed bounds check.
        at: Location,
        /// What a pass has proven of it.
        proof: Proof,
    },
    /// `a.len()`, a `u64`.
    Len(Box<Expr>),
    /// `&place` or `&mut place`.
    Ref(Box<Expr>),
    /// `*reference`; a place.
    Deref(Box<Expr>),
    /// A call of a device function.
    Call {
        /// Which.
        function: FnId,
        /// Arguments in order.
        args: Vec<Expr>,
        /// The callee's effect.
        effect: Effect,
    },
    /// A call of a closure parameter.
    CallClosure {
        /// The parameter.
        closure: VarId,
        /// Arguments in order.
        args: Vec<Expr>,
    },
    /// A call of a builtin.
    Builtin {
        /// Which.
        op: &'static Builtin,
        /// What it means in Rust.
        meaning: Option<Meaning>,
        /// Arguments in order.
        args: Vec<Expr>,
        /// Where.
        at: Location,
    },
    /// `S { a, b }`, fields in declaration order.
    Struct(StructRef, Vec<Expr>),
    /// `F32x4::new(x, y, z, w)`
    Vector(Vec<Expr>),
    /// `Enum::Variant(a, b)` of an enum with fields, by the variant's position.
    Variant(Arc<EnumType>, usize, Vec<Expr>),
    /// An array constant with a name: printed once, in constant memory.
    Table {
        /// Its Rust name.
        name: &'static str,
        /// The array.
        value: Arc<Expr>,
    },
    /// A `#[gpu_const]` or `#[gpu_static]`; a place.
    Global(&'static Global),
    /// `&base[start..end]`: part of a slice, with its own length.
    SubSlice {
        /// A reference to a slice, a view, a shared array or a place of an array type.
        base: Box<Expr>,
        /// First element; absent from the start on.
        start: Option<Box<Expr>>,
        /// One past the last element; absent up to the end.
        end: Option<Box<Expr>>,
        /// Where, for a failed bounds check.
        at: Location,
        /// What a pass has proven of it: of a whole slice, that it is aligned for the type it is seen as.
        proof: Proof,
    },
    /// `(a, b)`
    Tuple(Vec<Expr>),
    /// `[a, b, c]`
    ArrayList(Vec<Expr>),
    /// `[a; N]`
    ArrayRepeat(Box<Expr>, Extent),
    /// `if c { a } else { b }` without statements.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A closure given to a device function.
    Closure(Box<Closure>),
}

/// Why an index or a range is in bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Nothing says so.
    Open,
    /// The kernel's text.
    Text,
    /// A launch that fulfils these of the module's conditions, a bit each.
    Launch(u64),
}

/// A closure: its parameters are variables of the enclosing function.
#[derive(Clone, Debug)]
pub struct Closure {
    /// Parameters, described in the enclosing function's `vars`.
    pub params: Vec<VarId>,
    /// Statements; the result is returned by a [`super::StmtKind::Return`].
    pub body: Block,
    /// Result type.
    pub ret: Type,
    /// Whether it was written `move`.
    pub by_value: bool,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-a`
    Neg,
    /// `!a`: bitwise on integers, logical on `bool`.
    Not,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&&`, lazy
    And,
    /// `||`, lazy
    Or,
}

impl BinaryOp {
    /// Whether the result is a `bool` whatever the operands are.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

/// The direct operands of a kind of expression, in evaluation order, borrowed one way or the other.
macro_rules! operands {
    ($kind:expr, $iter:ident, $as_option:ident, $($by:tt)+) => {
        match $kind {
            ExprKind::Const(_)
            | ExprKind::Unit
            | ExprKind::Var(_)
            | ExprKind::Table { .. }
            | ExprKind::Global(_)
            | ExprKind::Closure(_) => vec![],
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Field(a, _) => vec![a],
            ExprKind::Len(a) | ExprKind::Ref(a) | ExprKind::Deref(a) | ExprKind::ArrayRepeat(a, _) => vec![a],
            ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::Index { base, index, .. } => vec![base, index],
            ExprKind::Select(c, a, b) => vec![c, a, b],
            ExprKind::Call { args, .. }
            | ExprKind::CallClosure { args, .. }
            | ExprKind::Builtin { args, .. }
            | ExprKind::Struct(_, args)
            | ExprKind::Vector(args)
            | ExprKind::Variant(_, _, args)
            | ExprKind::Tuple(args)
            | ExprKind::ArrayList(args) => args.$iter().collect(),
            ExprKind::SubSlice { base, start, end, .. } => {
                let parts = [Some(base), start.$as_option(), end.$as_option()];
                parts.into_iter().flatten().map(|e| $($by)+ **e).collect()
            }
        }
    };
}

impl Expr {
    /// The unit value.
    pub fn unit() -> Expr {
        Expr { kind: ExprKind::Unit, ty: Type::Unit }
    }

    /// What stands where control never arrives.
    pub fn never() -> Expr {
        Expr { kind: ExprKind::Unit, ty: Type::Never }
    }

    /// Its direct operands, in evaluation order. A closure's body is not an operand.
    pub fn operands(&self) -> Vec<&Expr> {
        operands!(&self.kind, iter, as_ref, &)
    }

    /// Its direct operands, to be rewritten in place.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        operands!(&mut self.kind, iter_mut, as_mut, &mut)
    }

    /// Whether a place is in a variable of the function, and not in memory that others see too.
    pub fn is_in_variable(&self) -> bool {
        match &self.kind {
            ExprKind::Var(_) => !matches!(self.ty, Type::Shared { .. }),
            ExprKind::Field(base, _) => base.is_in_variable(),
            ExprKind::Index { base, .. } => {
                matches!(base.ty, Type::Array(..) | Type::Vector(..)) && base.is_in_variable()
            }
            _ => false,
        }
    }

    /// Whether evaluating it can be observed other than by its result.
    pub fn has_effect(&self) -> bool {
        let own = match &self.kind {
            ExprKind::Call { effect, .. } => *effect != Effect::Pure,
            ExprKind::Builtin { op, .. } => op.effect != Effect::Pure,
            ExprKind::CallClosure { .. } => true,
            _ => false,
        };
        own || self.operands().iter().any(|e| e.has_effect())
    }
}
