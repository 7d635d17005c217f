//! The variables of a function that are written through references: `let r = &mut v; *r = i`, `*at(&mut array, 0) = i`.

use std::collections::{HashMap, HashSet};

use super::frame::root_local;
use crate::ir::{Expr, ExprKind, Function, StmtKind, Type, VarId, visit};

/// The addresses that each variable of a function may hold.
pub(super) struct Lent<'f> {
    function: &'f Function,
    held: HashMap<VarId, Vec<&'f Expr>>,
}

impl<'f> Lent<'f> {
    pub(super) fn of(function: &'f Function) -> Self {
        let mut held: HashMap<VarId, Vec<&Expr>> = HashMap::new();
        visit::stmts(&function.body, &mut |stmt| {
            let (var, value) = match &stmt.kind {
                StmtKind::Let { var, init: Some(init) } => (Some(*var), init),
                StmtKind::Assign { place, value, .. } => (root_local(function, place), value),
                _ => return,
            };
            if let Some(var) = var.filter(|_| value.ty.holds_address()) {
                held.entry(var).or_default().push(value);
            }
        });
        Self { function, held }
    }

    /// The variables that a place may be in.
    pub(super) fn written(&self, place: &Expr) -> HashSet<VarId> {
        let mut found = HashSet::new();
        self.place(place, &mut HashSet::new(), &mut found);
        found
    }

    /// The variables that a function may write to which a reference is given.
    pub(super) fn given(&self, reference: &Expr) -> HashSet<VarId> {
        let mut found = HashSet::new();
        if matches!(reference.ty, Type::Ref { mutable: true, .. }) {
            self.value(reference, &mut HashSet::new(), &mut found);
        }
        found
    }

    fn place(&self, place: &Expr, seen: &mut HashSet<VarId>, found: &mut HashSet<VarId>) {
        if let Some(root) = root_local(self.function, place) {
            found.insert(root);
        }
        match &place.kind {
            ExprKind::Deref(reference) => self.value(reference, seen, found),
            ExprKind::Field(base, _) | ExprKind::Index { base, .. } if base.ty.holds_address() => {
                self.value(base, seen, found);
            }
            ExprKind::Field(base, _) | ExprKind::Index { base, .. } => self.place(base, seen, found),
            _ => {}
        }
    }

    /// What a value refers to.
    fn value(&self, value: &Expr, seen: &mut HashSet<VarId>, found: &mut HashSet<VarId>) {
        match &value.kind {
            ExprKind::Ref(place) => self.place(place, seen, found),
            ExprKind::SubSlice { base, .. } if matches!(base.ty, Type::Array(..)) => {
                self.place(base, seen, found);
            }
            ExprKind::Var(var) if seen.insert(*var) => {
                for held in self.held.get(var).into_iter().flatten() {
                    self.value(held, seen, found);
                }
            }
            _ => {
                for operand in value.operands().into_iter().filter(|operand| operand.ty.holds_address()) {
                    self.value(operand, seen, found);
                }
            }
        }
    }
}
