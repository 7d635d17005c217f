//! What a statement lends to be changed: structs and tuples, whole or in part.

use crate::ir::{Expr, ExprKind, Stmt, Type, VarId, visit};
use crate::ranges::{fields, lent_path, path_of};

/// The variables that a statement itself lends, without the blocks and closures in it.
#[derive(Default)]
pub(super) struct Lends {
    /// To functions, which are done with them when they return.
    pub to_calls: Vec<VarId>,
    /// In any other way.
    pub kept: Vec<VarId>,
}

impl Lends {
    pub fn of(stmt: &Stmt) -> Self {
        let mut lends = Self::default();
        visit::operands(stmt).into_iter().for_each(|e| lends.find(e));
        lends
    }

    fn find(&mut self, e: &Expr) {
        if let Some(var) = lent(e) {
            self.kept.push(var);
            return;
        }
        match &e.kind {
            ExprKind::Call { args, .. } | ExprKind::CallClosure { args, .. } => {
                let lasts = has_reference(&e.ty);
                for arg in args {
                    match lent(arg) {
                        Some(var) if lasts => self.kept.push(var),
                        Some(var) => self.to_calls.push(var),
                        None => self.find(arg),
                    }
                }
            }
            ExprKind::Builtin { op, args, .. } if op.by_reference => {
                let place = args.first().filter(|place| fields(place.ty.peeled()).is_some());
                self.kept.extend(place.and_then(path_of).map(|(var, _)| var));
                args.iter().for_each(|arg| self.find(arg));
            }
            _ if path_of(e).is_some() => {}
            _ => e.each_operand(|e| self.find(e)),
        }
    }
}

/// The variable to which, or to a struct in which, an expression is a `&mut`.
fn lent(e: &Expr) -> Option<VarId> {
    fields(e.ty.peeled())?;
    lent_path(e).map(|(var, _)| var)
}

/// Whether a value may be, or hold, a reference.
fn has_reference(ty: &Type) -> bool {
    match ty {
        Type::Ref { .. } | Type::Ptr { .. } | Type::View { .. } | Type::Closure => true,
        Type::Enum(def) => def.variants.iter().flat_map(|v| &v.fields).any(|(_, ty)| has_reference(ty)),
        Type::Array(element, _) => has_reference(element),
        _ => fields(ty).is_some_and(|fields| fields.iter().any(|(_, ty)| has_reference(ty))),
    }
}

/// How often a statement itself names a variable.
pub(super) fn names(stmt: &Stmt, var: VarId) -> usize {
    visit::operands(stmt).into_iter().map(|e| count(e, var)).sum()
}

/// How often an expression names a variable.
pub(super) fn count(e: &Expr, var: VarId) -> usize {
    let mut count = 0;
    visit::expr(e, &mut |e| count += usize::from(matches!(e.kind, ExprKind::Var(own) if own == var)));
    count
}
