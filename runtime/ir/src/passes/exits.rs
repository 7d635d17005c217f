//! What holds where ways through a function end: at the ends of branches, and wherever a block is left.

use crate::ir::{Expr, LoopId};
use crate::ranges::{Known, Range};

/// A block that the walk is in, and what holds where it is left.
pub(super) struct Exits {
    pub id: LoopId,
    /// The integers that the block assigns.
    pub places: Vec<Expr>,
    pub ends: Vec<End>,
}

/// What holds at the end of a way.
pub(super) struct End {
    /// The ranges of what the ways assign.
    pub ranges: Vec<Option<Range>>,
    pub known: Known,
}
