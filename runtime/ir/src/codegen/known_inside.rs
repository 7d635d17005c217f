//! Indices that are known to be in bounds where they are printed: by a comparison before a loop, or by an earlier
//! check.

use super::Ahead;
use crate::ir::{BinaryOp, Expr, ExprKind, Scalar, VarId};
use crate::ranges::{integer, same};

/// An index that a loop's counter runs along.
#[derive(Clone)]
pub(super) struct Along {
    pub of: Indexed,
    pub index: Expr,
    /// The index without variables that the loop's body declares.
    pub value: Expr,
    pub run: Run,
}

impl Along {
    /// Returns whether others, before and after this index by a constant, show that it is in bounds.
    pub fn is_between(&self, others: &[Along]) -> bool {
        let Run::Affine(_) = self.run else { return false };
        let (from, n) = offset(&self.value);
        let of = |own: &&Along| own.of == self.of && matches!(own.run, Run::Affine(_));
        let distances = others.iter().filter(of).filter_map(|own| {
            let (other, m) = offset(&own.value);
            same(from, other).then_some(m - n)
        });
        let (mut is_before, mut is_after) = (false, false);
        for distance in distances {
            (is_before, is_after) = (is_before || distance < 0, is_after || distance > 0);
        }
        is_before && is_after
    }
}

/// What a constant is added to, and the constant.
fn offset(e: &Expr) -> (&Expr, i128) {
    match &e.kind {
        ExprKind::Exact(inner) => offset(inner),
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) if b.as_int().is_some() => {
            let n = b.as_int().unwrap_or(0);
            // Where arithmetic wraps at 32 bits, it is read as that of `int`.
            let n = if integer(b) == Some(Scalar::U32) { i128::from(n as u32 as i32) } else { n };
            (a, if *op == BinaryOp::Add { n } else { -n })
        }
        _ => (e, 0),
    }
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

/// The lambda around a loop or its body.
#[derive(Clone)]
pub(super) struct Once {
    /// The parameter that compares indices.
    pub name: String,
    /// The slice whose greatest index is kept.
    pub first: Option<VarId>,
    /// Why the version without checks needs none.
    pub ahead: Ahead,
}
