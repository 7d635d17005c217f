//! Indices that are known to be in bounds where they are printed: by a comparison before a loop, by an earlier check, or because a
//! trial keeps the greatest of them.

use std::collections::HashSet;

use super::Printer;
use super::function::OpenFunction;
use super::stmt::is_fixed;
use crate::ir::{Expr, ExprKind, Type, VarId, VarKind};
use crate::ranges::same;

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

impl Indexed {
    /// The length of a slice with a name, or of an array.
    pub fn of(base: &Expr, function: &OpenFunction<'_>) -> Option<Self> {
        match (&base.ty, &base.kind) {
            (Type::Array(_, n), _) => Some(Indexed::Array(*n)),
            (Type::Shared { rank: 1, .. }, ExprKind::Var(array)) => match &function.var(*array).kind {
                VarKind::Shared { extents, .. } => extents.first().map(|extent| Indexed::Array(extent.len)),
                _ => None,
            },
            (Type::Ref { to, .. }, ExprKind::Var(slice)) if matches!(**to, Type::Slice(_)) => {
                Some(Indexed::Slice(*slice))
            }
            _ => None,
        }
    }
}

impl Printer<'_> {
    /// Whether an index is one of these.
    pub(super) fn is_one_of(&self, along: &[Along], base: &Expr, index: &Expr) -> bool {
        let of = Indexed::of(base, &self.function);
        of.is_some_and(|of| along.iter().any(|own| own.of == of && same(&own.index, index)))
    }

    /// Whether an expression gives the same in all iterations of a loop, which changes or lends these variables.
    pub(super) fn is_kept(&self, e: &Expr, changed: &HashSet<VarId>) -> bool {
        is_fixed(e, &|var| self.stays(var, changed))
    }

    /// Whether a variable of the code around a loop keeps its value in it. What was lent may be written by a pointer.
    pub(super) fn stays(&self, var: VarId, changed: &HashSet<VarId>) -> bool {
        let is_lent = self.function.var(var).mutable && self.function.lent.contains(&var);
        self.function.is_declared(var) && !changed.contains(&var) && !is_lent
    }
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
    pub greatest: Vec<Greatest>,
}

/// Variables that hold the greatest of a slice's indices so far, and the last that it has.
///
/// Compilers unroll a loop further that keeps a number than one that keeps whether something was out of bounds.
#[derive(Clone)]
pub(super) struct Greatest {
    pub slice: VarId,
    pub most: String,
    pub last: String,
}
