//! Parts of slices: `&x[a..b]`.

use super::Recorder;
use crate::ir::{BinaryOp, ConstValue, Expr, ExprKind, Proof, Scalar, Type};

/// Why there is no part through such an index.
const LAST: &str =
    "the bound behind `..=` is negative, or the largest number of its type; compare it with `.len()` before";

impl Recorder {
    /// `&base[start..end]` or `&mut base[start..end]`; `inclusive` for `start..=end`.
    pub fn sub_slice(
        &mut self,
        mutable: bool,
        base: Expr,
        start: Option<Expr>,
        end: Option<Expr>,
        inclusive: bool,
    ) -> Expr {
        let at = self.location();
        let base = self.place_base(base);
        let start = start.map(|e| self.simple(e));
        let end = end.map(|e| if inclusive { self.behind_last(e, start.as_ref()) } else { self.simple(e) });
        let elem = match &base.ty {
            Type::Ref { to, .. } => to.element(),
            other => other.element(),
        };
        let Some(elem) = elem.filter(|_| is_sliceable(&base.ty)) else {
            if base.ty != Type::Never {
                self.fail(super::RecordError::Slice { base: base.ty.to_string(), at });
            }
            return Expr::never();
        };
        let ty = Type::Ref { to: Type::Slice(elem.into()).into(), mutable };
        let base = if matches!(base.ty, Type::Array(..)) && !super::place::is_place(&base) {
            self.bind(base)
        } else {
            base
        };
        let (start, end) = (start.map(Box::new), end.map(Box::new));
        let kind = ExprKind::SubSlice { base: base.into(), start, end, at, proof: Proof::Open };
        Expr { kind, ty }
    }

    /// `&base[range]` or `&mut base[range]`, where the range is a value.
    pub fn sub_slice_by(&mut self, mutable: bool, base: Expr, range: Expr) -> Expr {
        match self.bounds(&range) {
            Some(([start, end], inclusive)) => {
                self.sub_slice(mutable, base, Some(start), Some(end), inclusive)
            }
            None => Expr::never(),
        }
    }

    /// `base.reinterpret::<U>()`: a whole slice of another element type.
    pub(super) fn reinterpret(&mut self, args: Vec<Expr>, ty: Type) -> Expr {
        let Some(base) = args.into_iter().next() else { return Expr::never() };
        let mut whole = self.sub_slice(true, base, None, None, false);
        if let Type::Ref { to, .. } = &ty
            && let Type::Slice(elem) = &**to
            && !any_bits(elem)
        {
            let at = self.location();
            let what = format!("memory as `{elem}`, of which not all bits are values");
            self.fail(super::RecordError::Argument { builtin: "reinterpret", what, at });
        }
        whole.ty = ty;
        whole
    }

    /// `base.split_at(middle)`: two slices.
    pub(super) fn split_at(&mut self, args: Vec<Expr>, ty: &Type) -> Expr {
        let mut args = args.into_iter();
        let (Some(base), Some(middle)) = (args.next(), args.next()) else { return Expr::never() };
        let mutable = matches!(ty, Type::Tuple(items) if matches!(items[0], Type::Ref { mutable: true, .. }));
        let middle = self.simple(middle);
        let first = self.sub_slice(mutable, base.clone(), None, Some(middle.clone()), false);
        let second = self.sub_slice(mutable, base, Some(middle), None, false);
        let (first, second) = (self.bind_always(first), self.bind_always(second));
        Expr { kind: ExprKind::Tuple(vec![first, second]), ty: ty.clone() }
    }

    /// `base.as_ptr()`: the address of the first element.
    pub(super) fn pointer(&mut self, args: Vec<Expr>, ty: Type) -> Expr {
        let Some(base) = args.into_iter().next() else { return Expr::never() };
        let mutable = matches!(ty, Type::Ptr { mutable: true, .. });
        let whole = self.sub_slice(mutable, base, None, None, false);
        Expr { kind: ExprKind::Cast(whole.into()), ty }
    }

    /// `last + 1`, the end of a part from `start` through `last`. It has 64 bits where the number may not fit the type of `last`.
    fn behind_last(&mut self, last: Expr, start: Option<&Expr>) -> Expr {
        let last = self.value(last);
        let Some(scalar) = last.ty.scalar() else { return last };
        if let (Some(last_number), Some((_, most))) = (last.as_int(), scalar.int_range())
            && (0..most).contains(&last_number)
        {
            return Expr::constant(ConstValue::Int(last_number + 1), last.ty);
        }
        let wide = if scalar.is_signed() { Scalar::I64 } else { Scalar::U64 };
        let last = self.cast(last, Type::Scalar(wide));
        let number = |k| Expr::constant(ConstValue::Int(k), Type::Scalar(wide));
        let end = self.binary(BinaryOp::Add, last, number(1));
        let end = self.simple(end);
        // It is 0 if `last` is -1 or the largest number. A start above 0 is then refused anyway, as it is above the end.
        if start.and_then(Expr::as_int).is_none_or(|start| start == 0) {
            let has_end = self.binary(BinaryOp::Ne, end.clone(), number(0));
            self.assert(has_end, LAST, true);
        }
        end
    }

    /// The value as something that may be printed more than once: a variable, a constant or a length.
    pub(super) fn simple(&mut self, e: Expr) -> Expr {
        let e = self.value(e);
        let plain = match &e.kind {
            ExprKind::Var(_) | ExprKind::Len(_) => self.is_stable(&e),
            ExprKind::Const(_) => true,
            _ => false,
        };
        if plain { e } else { self.bind_always(e) }
    }
}

/// Returns whether any bits are a value of a type.
fn any_bits(ty: &Type) -> bool {
    match ty {
        Type::Scalar(s) => *s != crate::ir::Scalar::Bool,
        Type::Vector(..) => true,
        Type::Array(elem, _) => any_bits(elem),
        Type::Struct(s) => s.fields.iter().all(|f| any_bits(&f.ty)),
        _ => false,
    }
}

/// Returns whether a type has elements side by side.
fn is_sliceable(ty: &Type) -> bool {
    match ty {
        Type::Ref { to, .. } => is_sliceable(to),
        Type::View { rank, .. } | Type::Shared { rank, .. } => *rank == 1,
        Type::Array(..) | Type::Slice(_) => true,
        _ => false,
    }
}
