//! Iterators that go on where a part of them ends before its last step: what is known of them while they are recorded.

use crate::ir::Expr;

/// Two iterators, one after the other, of which the first may end before its last step.
#[derive(Clone)]
pub(super) struct Early {
    /// The variable of the step from which on the items are those of the second one.
    pub from: Expr,
    /// The number of these.
    pub count: Expr,
}

/// What ends the items of a part of an iterator: the next step is the first one of the other part.
#[derive(Clone)]
pub(super) struct End {
    /// The variable of the step from which on the items are those of the other part.
    pub from: Expr,
    /// The step that is being recorded.
    pub k: Expr,
}
