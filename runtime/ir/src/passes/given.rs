//! What variables are given: the ranges of integers, also of those in enums.

use std::collections::HashSet;

use super::elide::Walk;
use crate::ir::{BinaryOp, Expr, ExprKind, Scalar, VarId};
use crate::ranges::{Held, Range, enum_of, integer, root, tracked};

impl Walk<'_> {
    /// Learns the value of a variable that is declared here.
    pub(super) fn begin(&mut self, var: VarId, init: &Expr) {
        let Some(place) = tracked(&Expr { kind: ExprKind::Var(var), ty: init.ty.clone() }) else { return };
        if self.untracked.contains(&var) {
            return;
        }
        if let Some(range) = self.scope.declared_field(var, init) {
            self.known.learn(&place, range);
        }
        // The scope knows what an integer is that stays the same.
        if integer(init).is_some() && !self.scope.is_mutable(var) {
            return;
        }
        if let Some(held) = self.scope.value_of(init, &self.known) {
            let held = self.compared_with_lengths(held, &self.known);
            self.learn_held(&place, held);
        }
    }

    /// Gives each length of a slice among some variables a symbol for its value here. What is learned about the symbol holds until the
    /// slice changes.
    pub(super) fn give_symbols(&mut self, among: &HashSet<VarId>) {
        for len in self.scope.len_vars(|var| among.contains(var)) {
            let Range { low, high, needs, low_needs } = self.scope.range(&len, &self.known);
            // A symbol stands for the same value in all launches, so its ends must not rest on one.
            let least = if low_needs.is_empty() { low.minimum().max(0) } else { 0 };
            let most = if needs.is_empty() { high.most() } else { u64::MAX.into() };
            self.learn(&len, Range::exactly(self.scope.fresh_symbol([least, most])));
        }
    }

    /// Notes the value that a variable is given, also for the loops around.
    pub(super) fn given(&mut self, place: &Expr, op: Option<BinaryOp>, value: &Expr) -> Option<(Expr, Held)> {
        let at = tracked(place)?;
        let var = root(&at).filter(|var| !self.untracked.contains(var))?;
        let all = Range::of_type(integer(&at).unwrap_or(Scalar::U64));
        let left = || self.known.given.left(var).filter(|_| matches!(value.kind, ExprKind::Unit));
        let held = match op {
            Some(op) => {
                Held::Within(self.scope.range(&Expr::binary(op, place.clone(), value.clone()), &self.known))
            }
            None => left().or_else(|| self.scope.value_of(value, &self.known)).unwrap_or(Held::Within(all)),
        };
        let held = self.compared_with_lengths(held, &self.known);
        let held = held.without(&|id| self.scope.is_stale(id, self.symbols_before));
        if let (Some(assigned), Held::Within(range)) = (&mut self.assigned, &held) {
            let hull = assigned.remove(&var).map_or_else(|| range.clone(), |own| own.hull(range));
            assigned.insert(var, hull);
        }
        Some((at, held))
    }

    /// Learns the range of an integer, or that its enum holds none.
    pub(super) fn learn_held(&mut self, place: &Expr, held: Held) {
        match (held, root(place)) {
            (Held::Within(range), _) => self.known.learn(place, range),
            (Held::Nothing, Some(var)) => self.known.empty(var),
            (Held::Nothing, None) => {}
        }
    }

    /// The range of an integer here, or `None` if it would be in an enum that holds nothing.
    pub(super) fn range_at(&self, place: &Expr) -> Option<Range> {
        if let Some(of) = enum_of(place)
            && let Some(Held::Nothing) = self.scope.value_of(of, &self.known)
        {
            return None;
        }
        Some(self.scope.range(place, &self.known))
    }
}
