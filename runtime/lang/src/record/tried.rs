//! Ends of iterators whose closures may end them: `try_fold` and `try_for_each`, of an `Option` or a `Result`.

use super::flat::variant_with_value;
use super::{Iter, Recorder};
use crate::ir::{Expr, Type, UnaryOp};

impl Recorder {
    /// `.try_fold(start, f)`
    pub fn iter_try_fold(
        &mut self,
        iter: Iter<'_>,
        start: Expr,
        ty: Type,
        f: impl FnOnce(&mut Recorder, Expr, Expr) -> Expr,
    ) -> Expr {
        let Some(variant) = variant_with_value(&ty) else { return self.refuse_outcome("try_fold", &ty) };
        let first = self.construct(ty, variant, vec![("0", start)]);
        let outcome = self.accumulator(first);
        self.walk(iter, |r, item| {
            let so_far = r.part(outcome.clone(), Some(variant), "0");
            let next = f(r, so_far, item);
            r.tried(&outcome, next, variant)
        });
        self.accumulated(outcome)
    }

    /// `.try_for_each(f)`
    pub fn iter_try_for_each(
        &mut self,
        iter: Iter<'_>,
        ty: Type,
        f: impl FnOnce(&mut Recorder, Expr) -> Expr,
    ) -> Expr {
        let Some(variant) = variant_with_value(&ty) else {
            return self.refuse_outcome("try_for_each", &ty);
        };
        let first = self.construct(ty, variant, vec![("0", Expr::unit())]);
        let outcome = self.accumulator(first);
        self.walk(iter, |r, item| {
            let next = f(r, item);
            r.tried(&outcome, next, variant)
        });
        self.accumulated(outcome)
    }

    /// `value?` in a closure whose value has the type `ty`: what `Some` or `Ok` holds. Anything else leaves the closure, or the
    /// block in its place.
    pub fn question(&mut self, value: Expr, label: Option<&'static str>, ty: Type) -> Expr {
        let value = self.value(value);
        let Some(variant) = variant_with_value(&value.ty) else { return self.refuse_question(&value.ty) };
        if variant_with_value(&ty) != Some(variant) {
            return self.refuse_question(&ty);
        }
        let value = self.bind_parts(value);
        let goes_on = self.is_variant(value.clone(), variant);
        let stops = self.negate(goes_on);
        self.when(stops, |r| {
            let rest = match variant {
                "Some" => r.construct(ty, "None", Vec::new()),
                _ => {
                    let error = r.part(value.clone(), Some("Err"), "0");
                    if !holds_error(&ty, &error.ty) {
                        let what =
                            "errors of another type than the closure's; convert them, `value.map_err(…)?`";
                        return r.refuse_argument("?", what.to_owned());
                    }
                    r.construct(ty, "Err", vec![("0", error)])
                }
            };
            match label {
                Some(_) => r.break_(label, Some(rest)),
                None => r.return_(Some(rest)),
            }
        });
        self.part(value, Some(variant), "0")
    }

    fn refuse_question(&mut self, ty: &Type) -> Expr {
        if *ty != Type::Never {
            let what =
                format!("a `{ty}` here; an `Option` or a `Result` can leave a closure that gives the same");
            return self.refuse_argument("?", what);
        }
        Expr::never()
    }

    /// Keeps what a closure gives, and leaves the loop unless it is of the variant that goes on.
    fn tried(&mut self, outcome: &Expr, next: Expr, variant: &str) -> Expr {
        let kept = self.assign(outcome.clone(), next);
        self.statement(kept);
        let goes_on = self.is_variant(outcome.clone(), variant);
        let stops = self.unary(UnaryOp::Not, goes_on);
        self.when(stops, |r| r.break_(None, None));
        Expr::unit()
    }

    fn refuse_outcome(&mut self, builtin: &'static str, ty: &Type) -> Expr {
        if *ty != Type::Never {
            let what = format!("a closure that gives a `{ty}`; an `Option` or a `Result` can end the loop");
            return self.refuse_argument(builtin, what);
        }
        Expr::never()
    }
}

/// Returns whether a `Result` has errors of a type.
fn holds_error(result: &Type, error: &Type) -> bool {
    let Type::Enum(e) = result else { return false };
    e.variant("Err").is_some_and(|err| err.fields.iter().all(|(_, ty)| ty == error))
}
