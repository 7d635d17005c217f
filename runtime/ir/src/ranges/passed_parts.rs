//! Fields of structs that a caller gives a function: those that have variables of their own there.

use super::range::Range;
use super::scope::{FUEL, FunctionScope};
use crate::ir::{Expr, ExprKind, Function, Type, VarId, VarKind, Variable};

impl FunctionScope<'_> {
    /// The range of a field of a parameter that nothing changes, by the variable that it has in the caller.
    pub(super) fn passed_part(&self, field: &Expr, fuel: &mut usize) -> Option<Range> {
        let ExprKind::Var(param) = steps(field)?.0.kind else { return None };
        let is_lent = matches!(self.vars[param.0 as usize].ty, Type::Ref { mutable: true, .. });
        if is_lent { None } else { self.begun_part(field, fuel) }
    }

    /// The range of a field of a parameter when the function begins.
    fn begun_part(&self, field: &Expr, fuel: &mut usize) -> Option<Range> {
        let (param, path) = steps(field)?;
        let (arg, scope, known) = self.argument(param)?;
        let (base, before) = steps(arg)?;
        let ExprKind::Var(of) = base.kind else { return None };
        let path = [before, path].concat().join(".");
        let part = Expr { kind: ExprKind::Var(scope.part_of(of, &path)?), ty: field.ty.clone() };
        Some(scope.within(&part, known, fuel))
    }

    /// The parts of what the function may change for its caller.
    pub(crate) fn lent_parts(&self) -> Vec<Expr> {
        lent_parts(self.params, self.vars).collect()
    }

    /// The variables that the fields of a variable have behind some of their names, with the names that are left.
    pub(crate) fn parts_behind(&self, of: VarId, before: &[&str]) -> Vec<(Expr, String)> {
        let prefix: String = before.iter().map(|name| format!("{name}.")).collect();
        let rest = |var: &Variable| match &var.kind {
            VarKind::Part { of: own, path } if *own == of => path.strip_prefix(&prefix).map(str::to_owned),
            _ => None,
        };
        let place = |at: usize, ty: &Type| Expr { kind: ExprKind::Var(VarId(at as u32)), ty: ty.clone() };
        let all = self.vars.iter().enumerate();
        all.filter_map(|(at, var)| Some((place(at, &var.ty), rest(var)?))).collect()
    }

    /// The range of a variable that is declared here as a field of a parameter, which may be changed later.
    pub(crate) fn declared_part(&self, var: VarId, init: &Expr) -> Option<Range> {
        let VarKind::Part { of, .. } = self.kind(var) else { return None };
        self.params.contains(of).then(|| self.begun_part(init, &mut FUEL.clone()))?
    }
}

/// Whether a function has parts of what it may change for its caller.
pub(crate) fn has_lent_parts(function: &Function) -> bool {
    lent_parts(&function.params, &function.vars).next().is_some()
}

/// The parts of what a function may change for its caller.
fn lent_parts<'a>(params: &'a [VarId], vars: &'a [Variable]) -> impl Iterator<Item = Expr> + 'a {
    let is_lent = |of: VarId| matches!(vars[of.0 as usize].ty, Type::Ref { mutable: true, .. });
    let is_part =
        move |kind: &VarKind| matches!(kind, VarKind::Part { of, .. } if params.contains(of) && is_lent(*of));
    let parts = vars.iter().enumerate().filter(move |(_, var)| is_part(&var.kind));
    parts.map(|(at, var)| Expr { kind: ExprKind::Var(VarId(at as u32)), ty: var.ty.clone() })
}

/// The variable that a place is a part of, also through a reference, and the names of the fields that lead to it.
pub(crate) fn steps(place: &Expr) -> Option<(&Expr, Vec<&str>)> {
    match &place.kind {
        ExprKind::Var(_) => Some((place, Vec::new())),
        ExprKind::Ref(inner) | ExprKind::Deref(inner) => steps(inner),
        ExprKind::Field(base, name) => {
            let (var, mut path) = steps(base)?;
            path.push(name);
            Some((var, path))
        }
        _ => None,
    }
}
