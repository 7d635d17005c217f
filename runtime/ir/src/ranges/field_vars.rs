//! Fields that have variables of their own while a pass looks at the module: what the analysis of one function knows of those of its
//! caller.

use super::known::Known;
use super::paths::{fields, path_of, path_of_argument};
use super::range::Range;
use super::scope::{FUEL, FunctionScope};
use crate::ir::{Expr, ExprKind, Function, Quantity, Type, VarId, VarKind, Variable};

/// The path of a slice's length.
pub(crate) const LEN: &str = "len";

impl FunctionScope<'_> {
    /// The variable that a field of another one is.
    pub(crate) fn field_var(&self, var: VarId, path: &[String]) -> Option<VarId> {
        let is_it = |own: &Variable| matches!(&own.kind, VarKind::Field { of, path: own } if *of == var && own == path);
        self.vars.iter().position(is_it).map(|at| VarId(at as u32))
    }

    /// The variable that the length of a slice is.
    pub(crate) fn len_var(&self, slice: &Expr) -> Option<Expr> {
        let (slice, path) = path_of(slice)?;
        self.field_var(slice, &[path, vec![LEN.to_owned()]].concat()).map(|len| self.read_var(len))
    }

    /// The range of the length of a slice that changes here or in the caller.
    pub(super) fn changing_len(&self, slice: &Expr, known: &Known, fuel: &mut usize) -> Option<Range> {
        if let Some(len) = self.len_var(slice) {
            return Some(self.within(&len, known, fuel));
        }
        let (arg, scope, known) = self.argument(slice)?;
        scope.changing_len(arg, known, fuel)
    }

    /// The variables for lengths of slices that change, if they are of some kind.
    pub(crate) fn len_vars(&self, is_such: impl Fn(&VarId) -> bool) -> Vec<Expr> {
        let lens = self.vars.iter().enumerate().filter(|(_, var)| is_len(var, self.vars));
        let such = lens.map(|(at, _)| VarId(at as u32)).filter(is_such);
        such.map(|var| self.read_var(var)).collect()
    }

    /// A symbol that stands for one unknown value, and nowhere else yet.
    pub(crate) fn fresh_symbol(&self, ends: [i128; 2]) -> Quantity {
        let mut lengths = self.lengths.borrow_mut();
        lengths.push(Expr::unit());
        Quantity::Unknown(self.unknowns + self.vars.len() + lengths.len() - 1, ends)
    }

    /// The number of symbols so far.
    pub(crate) fn symbols(&self) -> usize {
        self.lengths.borrow().len()
    }

    /// Returns whether an unknown number may stand for another value by now. Only the symbols of lengths that were among the first
    /// `before` keep theirs.
    pub(crate) fn is_stale(&self, id: usize, before: usize) -> bool {
        let lengths = self.lengths.borrow();
        let is_length =
            |at: usize| at < before && matches!(lengths.get(at).map(|e| &e.kind), Some(ExprKind::Unit));
        let at = id.checked_sub(self.unknowns + self.vars.len());
        // The caller's stay the same during the call.
        id >= self.unknowns && !at.is_some_and(is_length)
    }

    /// The variables that the fields of a variable have behind a path, with what is left of their paths.
    pub(crate) fn field_vars_behind(&self, var: VarId, before: &[String]) -> Vec<(VarId, Vec<String>)> {
        let rest = |own: &Variable| match &own.kind {
            VarKind::Field { of, path } if *of == var => path.strip_prefix(before).map(<[String]>::to_vec),
            _ => None,
        };
        let all = self.vars.iter().enumerate();
        all.filter_map(|(at, own)| Some((VarId(at as u32), rest(own)?))).collect()
    }

    /// A variable, to be read.
    pub(crate) fn read_var(&self, var: VarId) -> Expr {
        Expr { kind: ExprKind::Var(var), ty: self.vars[var.0 as usize].ty.clone() }
    }

    /// The range of a field of a parameter that nothing changes, by the variable that it has in the caller.
    pub(super) fn passed_field(&self, field: &Expr, fuel: &mut usize) -> Option<Range> {
        let (param, _) = path_of(field)?;
        let is_lent = matches!(self.vars[param.0 as usize].ty, Type::Ref { mutable: true, .. });
        if is_lent { None } else { self.begun_field(field, fuel) }
    }

    /// The range of a field of a parameter when the function begins.
    fn begun_field(&self, field: &Expr, fuel: &mut usize) -> Option<Range> {
        let (param, path) = path_of(field)?;
        let (arg, scope, known) = self.argument(&self.read_var(param))?;
        let (of, before) = path_of_argument(arg)?;
        let own = scope.field_var(of, &[before, path].concat())?;
        Some(scope.within(&scope.read_var(own), known, fuel))
    }

    /// The range of a variable that is declared here as a field of a parameter, which may be changed later.
    pub(crate) fn declared_field(&self, var: VarId, init: &Expr) -> Option<Range> {
        let VarKind::Field { of, .. } = self.kind(var) else { return None };
        self.params.contains(of).then(|| self.begun_field(init, &mut FUEL.clone()))?
    }

    /// The variables of fields that the function may change for its caller.
    pub(crate) fn lent_fields(&self) -> Vec<VarId> {
        lent_fields(self.params, self.vars).collect()
    }
}

/// Whether a variable is the length of a slice: what has no fields has only that.
pub(crate) fn is_len(var: &Variable, vars: &[Variable]) -> bool {
    matches!(&var.kind, VarKind::Field { of, .. } if fields(vars[of.0 as usize].ty.peeled()).is_none())
}

/// Whether a function has variables for fields that it may change for its caller.
pub(crate) fn has_lent_fields(function: &Function) -> bool {
    lent_fields(&function.params, &function.vars).next().is_some()
}

/// The variables of fields that a function may change for its caller.
fn lent_fields<'a>(params: &'a [VarId], vars: &'a [Variable]) -> impl Iterator<Item = VarId> + 'a {
    let is_lent = |of: VarId| matches!(vars[of.0 as usize].ty, Type::Ref { mutable: true, .. });
    let is_field = move |kind: &VarKind| matches!(kind, VarKind::Field { of, .. } if params.contains(of) && is_lent(*of));
    let all = vars.iter().enumerate().filter(move |(_, var)| is_field(&var.kind));
    all.map(|(at, _)| VarId(at as u32))
}
