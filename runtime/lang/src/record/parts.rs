//! Walks over parts of a slice: `chunks`, `chunks_exact` and `windows`.

use super::item::Item;
use super::iter::{Iter, number};
use super::part_shape::PartShape;
use super::{Callee, Recorder};
use crate::ir::{BinaryOp, Expr, ExprKind, Type};

/// The message of a launch that asks for parts of no elements.
pub(crate) const NO_ELEMENTS: &str = "a part of a slice has at least one element";

impl Recorder {
    /// A method whose result is walked: parts of a slice, or what a function of the user's gives.
    pub fn iter_called(&mut self, callee: Option<Callee>, args: Vec<Expr>) -> Iter<'static> {
        let (shape, mutable) = match callee {
            Some(Callee::Parts(shape, mutable)) => (shape, mutable),
            callee => {
                // The function itself says what it gives.
                let given = self.call(callee, args, Type::Never);
                return self.iter_into(given);
            }
        };
        let mut args = args.into_iter();
        let mut next = || args.next().unwrap_or_else(Expr::never);
        let (base, n) = (next(), next());
        self.iter_parts(base, n, shape, mutable)
    }

    /// `base.chunks(n)` and its like.
    fn iter_parts(&mut self, base: Expr, n: Expr, shape: PartShape, mutable: bool) -> Iter<'static> {
        let base = self.sub_slice(mutable, base, None, None, false);
        let base = self.bind(base);
        let n = self.cast(n, Type::U64);
        let n = self.bind(n);
        let some = self.binary(BinaryOp::Ne, n.clone(), number(0));
        self.assert(some, NO_ELEMENTS, true);
        let len = self.call(Some(Callee::Len), vec![base.clone()], Type::U64);
        let len = self.simple(len);
        let count = match shape {
            PartShape::Chunks => self.steps(len, &n, false),
            PartShape::ExactChunks => self.binary(BinaryOp::Div, len, n.clone()),
            PartShape::Windows => self.windows(len, &n),
        };
        let count = self.simple(count);
        self.iter_counted(count, Item::Part { base, n, shape, mutable })
    }

    /// How many windows there are.
    fn windows(&mut self, len: Expr, n: &Expr) -> Expr {
        let some = self.binary(BinaryOp::Le, n.clone(), len.clone());
        let rest = self.binary(BinaryOp::Sub, len, n.clone());
        let count = self.binary(BinaryOp::Add, rest, number(1));
        let ty = Type::U64;
        Expr { kind: ExprKind::Select(some.into(), count.into(), number(0).into()), ty }
    }

    /// Part `k`. It is within the elements, since the count is that of the parts.
    pub(super) fn nth_part(&mut self, base: Expr, n: Expr, shape: PartShape, mutable: bool, k: Expr) -> Expr {
        let start = match shape {
            PartShape::Windows => k,
            PartShape::Chunks | PartShape::ExactChunks => self.binary(BinaryOp::Mul, k, n.clone()),
        };
        let start = self.bind(start);
        let end = match shape {
            PartShape::Chunks => {
                let len = self.call(Some(Callee::Len), vec![base.clone()], Type::U64);
                let left = self.binary(BinaryOp::Sub, len.clone(), start.clone());
                let whole = self.binary(BinaryOp::Lt, n.clone(), left);
                let end = self.binary(BinaryOp::Add, start.clone(), n);
                Expr { kind: ExprKind::Select(whole.into(), end.into(), len.into()), ty: Type::U64 }
            }
            PartShape::ExactChunks | PartShape::Windows => self.binary(BinaryOp::Add, start.clone(), n),
        };
        let mut part = self.sub_slice(mutable, base, Some(start), Some(end), false);
        if let ExprKind::SubSlice { proof, .. } = &mut part.kind {
            *proof = crate::ir::Proof::Text;
        }
        self.bind_always(part)
    }
}
