//! The expressions that are the thread's own number in a launch of one dimension.

use std::cell::Cell;
use std::collections::HashMap;

use super::slices::{is_given, slice_of};
use crate::ir::{
    BinaryOp, Block, Builtin, Expr, ExprKind, Function, Position, Scalar, StmtKind, VarId, VarKind, visit,
};

/// The facts of a kernel about its threads' numbers.
pub(super) struct Threads {
    /// The first values of variables that never change.
    definitions: HashMap<VarId, Expr>,
    /// The greatest number of threads whose numbers fit the analysed types.
    most: Cell<u64>,
    /// The threads of a block, where a number in the kernel stands for them.
    block: Cell<Option<u32>>,
}

/// A part of the sum that is a thread's number.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Thread,
    Block,
    Extent,
    /// The number of the block's first thread.
    Start,
    Number,
}

/// A part, and where it is one.
#[derive(Clone, Copy)]
struct Found {
    part: Part,
    /// The greatest number of threads of such a launch.
    most: u64,
    /// The number of threads in a block of such a launch.
    block: Option<u32>,
}

impl Found {
    fn of(part: Part) -> Option<Self> {
        Some(Self { part, most: u64::MAX, block: None })
    }

    /// The same as the value of an expression of another type.
    fn in_type(self, e: &Expr) -> Option<Self> {
        Some(Self { most: self.most.min(room(e)?), ..self })
    }

    fn joined(self, op: BinaryOp, other: Self) -> Option<Self> {
        let part = match (op, self.part, other.part) {
            (BinaryOp::Mul, Part::Block, Part::Extent) | (BinaryOp::Mul, Part::Extent, Part::Block) => {
                Part::Start
            }
            (BinaryOp::Add, Part::Start, Part::Thread) | (BinaryOp::Add, Part::Thread, Part::Start) => {
                Part::Number
            }
            _ => return None,
        };
        Some(Self { part, most: self.most.min(other.most), block: self.block.or(other.block) })
    }
}

impl Threads {
    pub fn new(kernel: &Function) -> Self {
        Self::new_of(kernel, &kernel.body)
    }

    /// Those of another body of the kernel.
    pub fn new_of(kernel: &Function, body: &Block) -> Self {
        let mut definitions = HashMap::new();
        visit::stmts(body, &mut |stmt| {
            if let StmtKind::Let { var, init: Some(init) } = &stmt.kind
                && !kernel.var(*var).mutable
                && kernel.var(*var).kind == VarKind::Local
            {
                definitions.insert(*var, init.clone());
            }
        });
        Self { definitions, most: Cell::new(u64::MAX), block: Cell::new(None) }
    }

    /// The same limits for a body that is a part of this one.
    pub fn within(&self, kernel: &Function, body: &Block) -> Self {
        Self { block: self.block.clone(), most: self.most.clone(), ..Self::new_of(kernel, body) }
    }

    /// Takes over the limits of another body.
    pub fn join(&self, other: &Threads) {
        self.most.set(self.most.get().min(other.most.get()));
        self.block.set(self.block.get().or(other.block.get()));
    }

    /// The value that a variable always has.
    pub fn definition(&self, var: VarId) -> Option<&Expr> {
        self.definitions.get(&var)
    }

    /// The most threads of a launch in which everything that was taken for a thread's number is it.
    pub fn most(&self) -> u64 {
        self.most.get()
    }

    /// The threads that a block must have.
    pub fn block(&self) -> Option<u32> {
        self.block.get()
    }

    /// Returns whether an expression is the thread's number, in a type that has room for it.
    pub fn is_own(&self, e: &Expr) -> bool {
        let Some(Found { part: Part::Number, most, block }) = self.part(e) else { return false };
        // Two numbers cannot both be the threads of a block.
        if self.block.get().is_some() && block.is_some() && self.block.get() != block {
            return false;
        }
        self.most.set(self.most.get().min(most));
        self.block.set(self.block.get().or(block));
        true
    }

    /// The constant that an expression is above the thread's number; 0 if it is the number itself.
    pub fn above_own(&self, e: &Expr) -> Option<u32> {
        match &e.kind {
            _ if self.is_own(e) => Some(0),
            ExprKind::Var(var) => self.above_own(self.definition(*var)?),
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                let (number, more) = if a.as_int().is_some() { (b, a) } else { (a, b) };
                let more = u32::try_from(more.as_int()?).ok().filter(|more| *more < 1 << 16)?;
                let most = room(e)?.checked_sub(u64::from(more))?;
                if !self.is_own(number) {
                    return None;
                }
                self.most.set(self.most.get().min(most));
                Some(more)
            }
            _ => None,
        }
    }

    fn part(&self, e: &Expr) -> Option<Found> {
        match &e.kind {
            ExprKind::Var(var) => self.part(self.definition(*var)?),
            ExprKind::Cast(inner) => self.part(inner)?.in_type(e),
            ExprKind::Field(base, axis) if axis == "x" => {
                Found::of(match self.builtin(base)?.position()? {
                    Position::ThreadIndex => Part::Thread,
                    Position::BlockIndex => Part::Block,
                    Position::BlockExtent => Part::Extent,
                    _ => return None,
                })
            }
            ExprKind::Builtin { op, .. } => Found::of(match op.position()? {
                Position::GlobalId | Position::GridThreadRank => Part::Number,
                Position::ThreadRank => Part::Thread,
                Position::GridBlockRank => Part::Block,
                Position::BlockSize => Part::Extent,
                _ => return None,
            }),
            ExprKind::Const(_) => {
                let block = u32::try_from(e.as_int()?).ok().filter(|threads| *threads > 0)?;
                Some(Found { part: Part::Extent, most: u64::MAX, block: Some(block) })
            }
            ExprKind::Binary(op, a, b) => self.part(a)?.joined(*op, self.part(b)?)?.in_type(e),
            _ => None,
        }
    }

    /// The call that an expression or a variable is.
    fn builtin<'e>(&'e self, e: &'e Expr) -> Option<&'static Builtin> {
        match &e.kind {
            ExprKind::Var(var) => self.builtin(self.definition(*var)?),
            ExprKind::Builtin { op, .. } => Some(op),
            _ => None,
        }
    }

    /// An expression that is the same in all threads, in terms of the parameters alone.
    pub fn uniform(&self, kernel: &Function, e: &Expr) -> Option<Expr> {
        let all =
            |args: &[Expr]| args.iter().map(|arg| self.uniform(kernel, arg)).collect::<Option<Vec<_>>>();
        let kind = match &e.kind {
            ExprKind::Const(_) => e.kind.clone(),
            ExprKind::Var(var) if is_given(kernel, *var) => e.kind.clone(),
            ExprKind::Var(var) => return self.uniform(kernel, self.definition(*var)?),
            ExprKind::Len(of) => match &of.kind {
                ExprKind::Var(var) if is_given(kernel, *var) => e.kind.clone(),
                _ => slice_of(kernel, of).map(|_| e.kind.clone())?,
            },
            ExprKind::Field(base, name) => ExprKind::Field(self.uniform(kernel, base)?.into(), name.clone()),
            ExprKind::Cast(of) => {
                e.ty.scalar().filter(|scalar| scalar.is_int())?;
                of.ty.scalar().filter(|scalar| scalar.is_int())?;
                ExprKind::Cast(self.uniform(kernel, of)?.into())
            }
            ExprKind::Binary(op, a, b) => {
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
                if op.is_comparison() || divides && b.as_int().is_none_or(|n| n <= 0) {
                    return None;
                }
                ExprKind::Binary(*op, self.uniform(kernel, a)?.into(), self.uniform(kernel, b)?.into())
            }
            ExprKind::Builtin { op, meaning, args, at } if is_function(op) => {
                ExprKind::Builtin { op, meaning: *meaning, args: all(args)?, at: *at }
            }
            _ => return None,
        };
        Some(Expr { kind, ty: e.ty.clone() })
    }
}

/// Returns whether a builtin is a function of its arguments' values alone.
fn is_function(op: &Builtin) -> bool {
    use crate::ir::{Effect, Form, Orders, Variance};
    op.effect == Effect::Pure
        && op.variance == Variance::Uniform
        && op.position().is_none()
        && !op.facts.waits
        && op.facts.accesses.is_empty()
        && op.facts.orders == Orders::Nothing
        && op.facts.form == Form::Call
}

/// The number of values from zero on of an integer type that is wide enough for a thread's number.
fn room(e: &Expr) -> Option<u64> {
    match e.ty.scalar()? {
        Scalar::I32 => Some(1 << 31),
        Scalar::U32 => Some(1 << 32),
        Scalar::I64 | Scalar::U64 => Some(u64::MAX),
        _ => None,
    }
}
