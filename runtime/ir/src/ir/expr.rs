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
    /// The operation.
    pub kind: ExprKind,
    /// The type that rustc gave it.
    pub ty: Type,
}

/// The kinds of expression.
///
/// Other modules ask here about any kind: [`Expr::operands`], [`Expr::lazy`], [`Expr::is_operator`],
/// [`Expr::is_same_operation`], [`Expr::has_effect`].
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
    /// `a + b`, `a - b` or `a * b` of `i32`; a pass has proven that it does not overflow.
    Exact(Box<Expr>),
    /// `a as T`, where `T` is the type of this expression.
    Cast(Box<Expr>),
    /// `a.name`; a place if `a` is one. Tuples name their fields `0`, `1`, ….
    Field(Box<Expr>, String),
    /// `a[i]`; a place. `base` is an array, slice reference, view or shared array.
    Index {
        /// The base of the index.
        base: Box<Expr>,
        /// The index, of any integer type.
        index: Box<Expr>,
        /// Where, for a failed bounds check.
        at: Location,
        /// The proof of a pass.
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
        /// Its meaning in Rust.
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
        /// The proof of a pass: for a whole slice, that it is aligned for the type that it is seen as.
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
    /// There is no proof.
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
    /// Returns whether the result is a `bool` whatever the operands are.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

/// The operands of an operation that does not evaluate all of them.
#[derive(Debug)]
pub struct Lazy<E> {
    /// The operand that is always evaluated, before the others.
    pub condition: E,
    /// The operands that are evaluated if the condition has the value beside them.
    pub parts: Vec<(E, bool)>,
}

/// The operands of a lazy kind of expression, borrowed one way or the other.
macro_rules! lazy {
    ($kind:expr) => {
        match $kind {
            ExprKind::Select(c, a, b) => Some(Lazy { condition: c, parts: vec![(a, true), (b, false)] }),
            ExprKind::Binary(BinaryOp::And, a, b) => Some(Lazy { condition: a, parts: vec![(b, true)] }),
            ExprKind::Binary(BinaryOp::Or, a, b) => Some(Lazy { condition: a, parts: vec![(b, false)] }),
            ExprKind::Const(_)
            | ExprKind::Unit
            | ExprKind::Var(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Exact(_)
            | ExprKind::Cast(_)
            | ExprKind::Field(..)
            | ExprKind::Index { .. }
            | ExprKind::Len(_)
            | ExprKind::Ref(_)
            | ExprKind::Deref(_)
            | ExprKind::Call { .. }
            | ExprKind::CallClosure { .. }
            | ExprKind::Builtin { .. }
            | ExprKind::Struct(..)
            | ExprKind::Vector(_)
            | ExprKind::Variant(..)
            | ExprKind::Table { .. }
            | ExprKind::Global(_)
            | ExprKind::SubSlice { .. }
            | ExprKind::Tuple(_)
            | ExprKind::ArrayList(_)
            | ExprKind::ArrayRepeat(..)
            | ExprKind::Closure(_) => None,
        }
    };
}

/// Calls a function for the direct operands of a kind of expression, in evaluation order, borrowed one way or the other.
macro_rules! operands {
    ($kind:expr, $see:expr, $iter:ident, $as_option:ident, $($by:tt)+) => {
        match $kind {
            ExprKind::Const(_)
            | ExprKind::Unit
            | ExprKind::Var(_)
            | ExprKind::Table { .. }
            | ExprKind::Global(_)
            | ExprKind::Closure(_) => {}
            ExprKind::Unary(_, a) | ExprKind::Exact(a) | ExprKind::Cast(a) | ExprKind::Field(a, _) => $see(a),
            ExprKind::Len(a) | ExprKind::Ref(a) | ExprKind::Deref(a) | ExprKind::ArrayRepeat(a, _) => $see(a),
            ExprKind::Binary(_, a, b) | ExprKind::Index { base: a, index: b, .. } => {
                $see(a);
                $see(b);
            }
            ExprKind::Select(c, a, b) => {
                $see(c);
                $see(a);
                $see(b);
            }
            ExprKind::Call { args, .. }
            | ExprKind::CallClosure { args, .. }
            | ExprKind::Builtin { args, .. }
            | ExprKind::Struct(_, args)
            | ExprKind::Vector(args)
            | ExprKind::Variant(_, _, args)
            | ExprKind::Tuple(args)
            | ExprKind::ArrayList(args) => args.$iter().for_each($see),
            ExprKind::SubSlice { base, start, end, .. } => {
                let parts = [Some(base), start.$as_option(), end.$as_option()];
                parts.into_iter().flatten().for_each(|e| $see($($by)+ **e));
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

    /// `a op b`, of the type of `a`.
    pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
        let ty = a.ty.clone();
        Expr { kind: ExprKind::Binary(op, a.into(), b.into()), ty }
    }

    /// Whether it is a variable.
    pub fn is_var(&self, var: VarId) -> bool {
        matches!(self.kind, ExprKind::Var(own) if own == var)
    }

    /// Calls `see` for each direct operand, in evaluation order. A closure's body is not an operand.
    pub fn each_operand<'e>(&'e self, mut see: impl FnMut(&'e Expr)) {
        operands!(&self.kind, see, iter, as_ref, &)
    }

    /// Whether all of its direct operands pass a test.
    pub fn all_operands<'e>(&'e self, mut test: impl FnMut(&'e Expr) -> bool) -> bool {
        let mut all = true;
        self.each_operand(|e| all = all && test(e));
        all
    }

    /// Whether one of its direct operands passes a test.
    pub fn any_operand<'e>(&'e self, mut test: impl FnMut(&'e Expr) -> bool) -> bool {
        !self.all_operands(|e| !test(e))
    }

    /// Its direct operands, in evaluation order.
    pub fn operands(&self) -> Vec<&Expr> {
        let mut all = Vec::new();
        self.each_operand(|e| all.push(e));
        all
    }

    /// Its direct operands, to be rewritten in place.
    pub fn operands_mut<'e>(&'e mut self) -> Vec<&'e mut Expr> {
        let mut all = Vec::new();
        let mut see = |e: &'e mut Expr| all.push(e);
        operands!(&mut self.kind, see, iter_mut, as_mut, &mut);
        all
    }

    /// Its operands, if some of them are not always evaluated.
    pub fn lazy(&self) -> Option<Lazy<&Expr>> {
        lazy!(&self.kind)
    }

    /// Its operands to be rewritten in place, if some of them are not always evaluated.
    pub fn lazy_mut(&mut self) -> Option<Lazy<&mut Expr>> {
        lazy!(&mut self.kind)
    }

    /// Returns whether it computes a number or a `bool` of its operands alone, in an instruction or few: where nothing changes
    /// the operands, it gives the same wherever it is evaluated, and may be evaluated again instead of being kept.
    pub fn is_operator(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Exact(_) | ExprKind::Cast(_)
        )
    }

    /// Returns whether another expression does the same with its own operands, as far as kinds tell.
    pub fn is_same_operation(&self, other: &Expr) -> bool {
        let alike = match (&self.kind, &other.kind) {
            (ExprKind::Const(a), ExprKind::Const(b)) => a.value == b.value,
            (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
            (ExprKind::Unary(a, _), ExprKind::Unary(b, _)) => a == b,
            (ExprKind::Binary(a, ..), ExprKind::Binary(b, ..)) => a == b,
            (ExprKind::Field(_, a), ExprKind::Field(_, b)) => a == b,
            (ExprKind::Cast(_), ExprKind::Cast(_))
            | (ExprKind::Len(_), ExprKind::Len(_))
            | (ExprKind::Exact(_), ExprKind::Exact(_)) => true,
            (ExprKind::Builtin { op: a, .. }, ExprKind::Builtin { op: b, .. }) => a.is(b),
            _ => false,
        };
        alike && self.ty == other.ty
    }

    /// Returns whether a place is in a variable of the function, and not in memory that others see too.
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

    /// Returns whether it calls a device function or a closure.
    pub fn is_call(&self) -> bool {
        matches!(self.kind, ExprKind::Call { .. } | ExprKind::CallClosure { .. })
    }

    /// Returns whether evaluating it can be observed other than by its result.
    pub fn has_effect(&self) -> bool {
        let own = match &self.kind {
            ExprKind::Call { effect, .. } => *effect != Effect::Pure,
            ExprKind::Builtin { op, .. } => op.effect != Effect::Pure,
            ExprKind::CallClosure { .. } => true,
            _ => false,
        };
        own || self.any_operand(|e| e.has_effect())
    }
}
