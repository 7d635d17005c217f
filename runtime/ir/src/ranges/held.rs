//! The integer that an enum holds, as the index in an `Option` does.
//!
//! Such an integer is read only where the enum is known to hold it. So its range is that of all integers that the enum was made with,
//! wherever that was: a `None` adds nothing to it.

use std::mem::discriminant;

use super::contents::Held;
use super::known::{Known, same};
use super::range::{Range, integer, joined};
use super::scope::{FUEL, FunctionScope};
use crate::ir::{Expr, ExprKind, Quantity, ResultRange, Type, VarId};

/// The integer of a value that is tracked: itself, or of a tuple the first index, or else its first integer.
fn integer_of(e: Expr) -> Option<Expr> {
    let Type::Tuple(types) = e.ty.clone() else { return integer(&e).is_some().then_some(e) };
    let part = |at: usize| match &e.kind {
        ExprKind::Tuple(parts) => parts.get(at).cloned(),
        _ => {
            Some(Expr { kind: ExprKind::Field(e.clone().into(), at.to_string()), ty: types.get(at)?.clone() })
        }
    };
    let all: Vec<Expr> = (0..types.len()).filter_map(|at| integer_of(part(at)?)).collect();
    let first = all.iter().position(|e| e.ty == Type::U64).unwrap_or(0);
    all.into_iter().nth(first)
}

/// The enum that a place is a part of, if it is one.
pub(crate) fn enum_of(place: &Expr) -> Option<&Expr> {
    match &place.kind {
        ExprKind::Field(of, _) if matches!(of.ty, Type::Enum(_)) => Some(of),
        ExprKind::Field(of, _) => enum_of(of),
        _ => None,
    }
}

/// The integer in an enum that has one value with bytes in its variants, as a place. Of a tuple it is one of its integers.
pub(crate) fn held_place(e: &Expr) -> Option<Expr> {
    let Type::Enum(def) = &e.ty else { return None };
    let fields = def.variants.iter().flat_map(|v| v.fields.iter().map(move |field| (v.name, field)));
    let mut fields = fields.filter(|(_, (_, ty))| *ty != Type::Unit);
    let ((variant, (name, ty)), None) = (fields.next()?, fields.next()) else { return None };
    let kind = ExprKind::Field(e.clone().into(), format!("{variant}.{name}"));
    integer_of(Expr { kind, ty: ty.clone() })
}

/// The integer that is tracked for a place: an integer variable, or the integer that an enum holds.
pub(crate) fn tracked(place: &Expr) -> Option<Expr> {
    match &place.kind {
        ExprKind::Var(_) if integer(place).is_some() => Some(place.clone()),
        ExprKind::Var(_) => held_place(place),
        ExprKind::Field(..) => {
            let of = enum_of(place).filter(|of| matches!(of.kind, ExprKind::Var(_)))?;
            held_place(of).filter(|held| same(held, place))
        }
        _ => None,
    }
}

/// Whether two expressions of one statement look alike. If they differ in a detail that is not compared here, they share one note, which
/// holds for both.
fn is_one(a: &Expr, b: &Expr) -> bool {
    let (of_a, of_b) = (a.operands(), b.operands());
    let alike = match (&a.kind, &b.kind) {
        (ExprKind::Call { function: a, .. }, ExprKind::Call { function: b, .. }) => a == b,
        (ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Field(..) | ExprKind::Binary(..), _) => {
            a.is_same_operation(b)
        }
        (a, b) => discriminant(a) == discriminant(b),
    };
    alike && of_a.len() == of_b.len() && of_a.iter().zip(of_b).all(|(a, b)| is_one(a, b))
}

impl Known {
    /// Adds that a variable holds no integer.
    pub fn empty(&mut self, var: VarId) {
        self.empty.push(var);
    }
}

impl FunctionScope<'_> {
    /// The range of an integer, or what an enum holds. Nothing is known of an enum with several integers.
    pub(crate) fn value_of(&self, e: &Expr, known: &Known) -> Option<Held> {
        match integer(e) {
            Some(_) => Some(Held::Within(self.range(e, known))),
            None => self.held(e, known, &mut FUEL.clone()),
        }
    }

    /// What an enum holds.
    fn held(&self, e: &Expr, known: &Known, fuel: &mut usize) -> Option<Held> {
        let place = held_place(e)?;
        match &e.kind {
            ExprKind::Var(var) if known.empty.contains(var) => Some(Held::Nothing),
            ExprKind::Var(_) => match self.made_with(e, known, fuel) {
                Some(Held::Nothing) => Some(Held::Nothing),
                _ => Some(Held::Within(self.within(&place, known, fuel))),
            },
            _ => self.made_with(e, known, fuel),
        }
    }

    /// The range of a place that is the integer of an enum, by what the enum is made of.
    pub(super) fn part_of_enum(&self, place: &Expr, known: &Known, fuel: &mut usize) -> Option<Range> {
        let of = enum_of(place)?;
        held_place(of).filter(|held| same(held, place))?;
        self.made_with(of, known, fuel)?.range()
    }

    /// What an enum holds by what it is made of.
    pub(super) fn made_with(&self, e: &Expr, known: &Known, fuel: &mut usize) -> Option<Held> {
        match &e.kind {
            ExprKind::Var(var) => {
                if let Some(definition) = self.definitions.get(var) {
                    return self.held(definition, known, fuel);
                }
                let (arg, scope, known) = self.argument(e)?;
                scope.held(arg, known, fuel)
            }
            ExprKind::Variant(_, _, items) => match items.iter().find(|item| item.ty != Type::Unit) {
                Some(item) => Some(Held::Within(self.within(&integer_of(item.clone())?, known, fuel))),
                None => Some(Held::Nothing),
            },
            ExprKind::Index { .. } => match self.list_of(e)? {
                Expr { kind: ExprKind::ArrayList(items), .. } => items
                    .iter()
                    .map(|item| self.held(item, known, fuel))
                    .reduce(|a, b| Some(a?.hull(b?)))
                    .flatten(),
                _ => None,
            },
            ExprKind::Select(..) => {
                let [a, b] = self.branches(e, known)?.map(|(branch, facts)| self.held(branch, &facts, fuel));
                Some(a?.hull(b?))
            }
            ExprKind::Call { .. } => self.outcome(e),
            ExprKind::Builtin { op, args, .. } if op.facts.result == ResultRange::CheckedDifference => {
                self.difference(args, known, fuel).map(Held::Within)
            }
            _ => None,
        }
    }

    /// The range of the difference of two numbers, the second of which is no more.
    fn difference(&self, args: &[Expr], known: &Known, fuel: &mut usize) -> Option<Range> {
        let [a, b] = args else { return None };
        integer(a)?.is_unsigned().then_some(())?;
        let [a, b] = [a, b].map(|e| self.within(e, known, fuel));
        let needs = joined(&a.needs, &b.low_needs);
        Some(Range::new(Quantity::Const(0), a.high.sum(b.low.negated())).needing(&needs))
    }

    /// What a call gives, if the walk went through it where it stands.
    pub(super) fn outcome(&self, call: &Expr) -> Option<Held> {
        self.outcomes.iter().find(|(own, _)| is_one(own, call)).and_then(|(_, held)| held.clone())
    }

    /// Notes what a call gives where it stands now. If a statement has it twice, the note holds for both.
    pub(crate) fn note_outcome(&mut self, call: &Expr, held: Option<Held>) {
        match self.outcomes.iter_mut().find(|(own, _)| is_one(own, call)) {
            Some((_, own)) => *own = own.take().zip(held).map(|(own, held)| own.hull(held)),
            None => self.outcomes.push((call.clone(), held)),
        }
    }

    /// Forgets what calls give, before something else is walked.
    pub(crate) fn forget_outcomes(&mut self) {
        self.outcomes.clear();
    }
}
