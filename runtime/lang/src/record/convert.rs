//! Conversions of integers that fail where the other type lacks the number.

use super::Recorder;
use crate::ir::{ConstValue, Expr, ExprKind, Scalar, Type};

impl Recorder {
    /// The number as one of the type in the `Result` that `ty` is: `Ok` where that type has it.
    pub fn try_convert(&mut self, number: Expr, ty: Type) -> Expr {
        let number = self.value(number);
        let plain = matches!(number.kind, ExprKind::Var(_) | ExprKind::Const(_));
        let number = if plain { number } else { self.bind_always(number) };
        let (Some(from), Some(into)) = (number.ty.scalar(), ok_scalar(&ty)) else { return Expr::never() };
        let bound = |limit: i128| Some(Expr::constant(ConstValue::Int(limit), Type::Scalar(from)));
        let ([least, most], [low, high]) = (limits(from), limits(into));
        let (start, end) = (bound(low).filter(|_| low > least), bound(high).filter(|_| high < most));
        let fits = self.range_contains(start, end, true, number.clone());
        if self.if_then(fits) {
            let converted = self.cast(number, Type::Scalar(into));
            let value = self.construct(ty.clone(), "Ok", vec![("0", converted)]);
            self.if_value(value);
        }
        if self.if_else() {
            let error = self.construct(ty, "Err", vec![("0", Expr::unit())]);
            self.if_value(error);
        }
        self.if_end()
    }
}

/// The integer in the `Ok` of a `Result`.
fn ok_scalar(result: &Type) -> Option<Scalar> {
    let Type::Enum(result) = result else { return None };
    result.variants.first()?.fields.first()?.1.scalar()
}

/// The least and the greatest number of a type.
fn limits(scalar: Scalar) -> [i128; 2] {
    let bits = scalar.bits();
    match scalar.is_signed() {
        true => [-(1 << (bits - 1)), (1 << (bits - 1)) - 1],
        false => [0, (1 << bits) - 1],
    }
}
