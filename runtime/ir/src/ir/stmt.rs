//! Statements: where effects happen and control flows.

use super::{BinaryOp, Expr, Location, NestedLaunch, Proof, VarId};

/// A loop of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoopId(pub u32);

/// A scope.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its statements.
    pub stmts: Vec<Stmt>,
}

/// A statement and where it was written.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The kind of statement.
    pub kind: StmtKind,
    /// Where.
    pub at: Location,
}

/// The kinds of statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Brings a local into scope, with its first value if it has one here.
    Let {
        /// The variable.
        var: VarId,
        /// Its first value.
        init: Option<Expr>,
    },
    /// Brings a static shared array into scope; its contents are undefined.
    Shared(VarId),
    /// Brings the block's dynamic shared memory into scope.
    DynamicShared(VarId),
    /// `place = value`, or `place op= value`; the value is evaluated first.
    Assign {
        /// The place.
        place: Expr,
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// The right side.
        value: Expr,
    },
    /// An expression for its effect.
    Expr(Expr),
    /// `if cond { then } else { otherwise }`
    If {
        /// Condition.
        cond: Expr,
        /// Taken when true.
        then: Block,
        /// Taken when false; empty when there is no `else`.
        otherwise: Block,
    },
    /// `while cond { body }`; `loop` has the constant `true`.
    While {
        /// Identity.
        id: LoopId,
        /// Condition.
        cond: Expr,
        /// `#[unroll]` (`Some(None)`) or `#[unroll(N)]`.
        unroll: Option<Option<u32>>,
        /// Body.
        body: Block,
    },
    /// `for var in range { body }`
    For {
        /// Identity.
        id: LoopId,
        /// The range.
        range: RangeLoop,
        /// Body.
        body: Block,
    },
    /// A scope of its own.
    Block(Block),
    /// Leaves a loop.
    Break(LoopId),
    /// Goes on with the next iteration of a loop.
    Continue(LoopId),
    /// Leaves the function or the closure it stands in.
    Return(Option<Expr>),
    /// `assert!(cond, message)`: a false condition is a fault of the launch.
    Assert {
        /// The condition that must hold.
        cond: Expr,
        /// What is told otherwise.
        failure: AssertFailure,
        /// `debug_assert!`, or what Rust asserts by itself: printed with the bounds checks, and left out where they are.
        debug: bool,
        /// Why it holds, if it is one of these.
        proof: Proof,
    },
    /// `println!` in a kernel.
    Print {
        /// Text and placeholders.
        pieces: Vec<FormatPiece>,
        /// The values of the placeholders, in order.
        args: Vec<Expr>,
    },
    /// A kernel launches a kernel.
    Launch(Box<NestedLaunch>),
}

/// What a false assertion tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssertFailure {
    /// Its message.
    Message(String),
    /// An index at or beyond a length; the condition is `index < length`.
    Index,
    /// A bound beyond a limit; the condition is `bound <= limit`.
    Range,
}

/// The range of a `for` loop; all parts have the type of `var`, but `step`, which is a `u64`.
#[derive(Clone, Debug)]
pub struct RangeLoop {
    /// The loop variable, fresh in each iteration.
    pub var: VarId,
    /// First value.
    pub start: Expr,
    /// Bound.
    pub end: Expr,
    /// Whether the bound is included (`..=`).
    pub inclusive: bool,
    /// `step_by`.
    pub step: Option<Expr>,
    /// `.rev()`: from the last value to the first. Never together with `step`.
    pub reversed: bool,
    /// `#[unroll]` (`Some(None)`) or `#[unroll(N)]`.
    pub unroll: Option<Option<u32>>,
    /// Whether a pass has proven that the counter leaves its type neither in the range nor one step past it.
    pub exact: bool,
}

/// A part of a format string.
#[derive(Clone, Debug, PartialEq)]
pub enum FormatPiece {
    /// Text, printed as it is.
    Text(String),
    /// The next argument.
    Arg(FormatSpec),
}

/// The text after the colon of a placeholder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatSpec {
    /// `<` or `>`; numbers stand to the right and others to the left without it.
    pub left: Option<bool>,
    /// `+`: positive numbers have a sign too.
    pub plus: bool,
    /// `#`: the base before the digits.
    pub alternate: bool,
    /// `0`: zeros instead of spaces, after the sign.
    pub zeros: bool,
    /// Least width.
    pub width: Option<u32>,
    /// Digits after the point.
    pub precision: Option<u32>,
    /// The letter at the end: `x`, `X`, `o`, `e`, `E`, or a space for none.
    pub letter: char,
}
