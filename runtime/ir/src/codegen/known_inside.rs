//! Indices that are known to be in bounds where they are printed: by a comparison before a loop, by an earlier check, or because a
//! trial keeps the greatest of them.

use crate::ir::{Expr, VarId};

/// An index that a loop's counter runs along.
#[derive(Clone)]
pub(super) struct Along {
    pub of: Indexed,
    pub index: Expr,
    pub run: Run,
}

/// How an index moves with a counter.
#[derive(Clone)]
pub(super) enum Run {
    /// As the counter does.
    Sum {
        /// What is added to the counter.
        offset: Option<Expr>,
        /// Whether the index has 64 bits without a sign, and the counter fewer.
        is_widened: bool,
    },
    /// By a fixed distance each time.
    Affine(VarId),
}

/// The length that an index is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Indexed {
    /// That of a slice.
    Slice(VarId),
    /// That of every array of a type, and of shared arrays of as many elements.
    Array(usize),
}

/// An index that was checked, or the index of a place in an array of arrays.
#[derive(Clone)]
pub(super) struct Early {
    /// The index in the IR. A copy elsewhere is another one.
    pub node: *const Expr,
    /// The indexed place and the index, if neither changes while the scope is open.
    pub lasting: Option<(Expr, Expr)>,
    /// The index as it is printed.
    pub text: String,
}

/// A loop that is tried.
#[derive(Clone)]
pub(super) struct Trial {
    /// The variable that notes an index out of bounds.
    pub failed: String,
    /// Slices that are read at indices of 32 bits, and the names of those that read another element for an index out of bounds.
    pub short: Vec<(VarId, String)>,
}
