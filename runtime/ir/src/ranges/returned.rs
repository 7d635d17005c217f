//! The ranges of what functions and closures return, if they do nothing else.

use super::known::Known;
use super::range::Range;
use super::scope::{Caller, FunctionScope, UNKNOWNS};
use crate::ir::{Expr, ExprKind, FnId, Function, StmtKind, Type, VarId};

/// Number of the first unknown of a function that is only asked for what it returns.
const RETURNED: usize = usize::MAX / 2;

impl<'a> FunctionScope<'a> {
    /// A function that is analysed only for what one call of it gives. Its unknowns differ from those of all calls around it.
    pub fn asked(function: &'a Function, caller: Caller<'a>) -> Self {
        let around = caller.scope.unknowns;
        let unknowns = if around < RETURNED { RETURNED } else { around.saturating_add(UNKNOWNS) };
        let mut scope = Self::called(function, caller, 0);
        scope.unknowns = unknowns;
        scope
    }

    /// The range of what a function returns, if it does nothing else.
    pub(super) fn returned(
        &self,
        function: FnId,
        args: &[Expr],
        known: &Known,
        fuel: &mut usize,
    ) -> Option<Range> {
        let function = self.functions.get(function.0 as usize)?;
        let [only] = function.body.stmts.as_slice() else { return None };
        let StmtKind::Return(Some(value)) = &only.kind else { return None };
        let scope = FunctionScope::asked(function, Caller { scope: self, known, args });
        let range = scope.within(value, &Known::default(), fuel);
        // An unknown number of one call differs from that of the next.
        if !range.high.has_unknown(&|id| id >= RETURNED) && !range.low.has_unknown(&|id| id >= RETURNED) {
            return Some(range);
        }
        Some(range.lasting())
    }

    /// Remembers what a closure returns, if that depends only on its arguments and on what never changes.
    pub(super) fn define_result(&mut self, var: VarId, init: &Expr) {
        let ExprKind::Closure(closure) = &init.kind else { return };
        let [only] = closure.body.stmts.as_slice() else { return };
        if let StmtKind::Return(Some(value)) = &only.kind
            && self.is_stable(value)
        {
            self.results.insert(var, (closure.params.clone(), value.clone()));
        }
    }

    /// The range of what a call of a closure returns.
    pub(super) fn result(
        &self,
        closure: VarId,
        args: &[Expr],
        known: &Known,
        fuel: &mut usize,
    ) -> Option<Range> {
        let (params, value) = self.results.get(&closure)?;
        let mut value = value.clone();
        replace(&mut value, params, args);
        Some(self.within(&value, known, fuel))
    }

    /// The condition that a call computes, if the function or closure does nothing else.
    pub(super) fn called_condition(&self, call: &Expr) -> Option<Expr> {
        let (params, value, args) = match &call.kind {
            ExprKind::Call { function, args, .. } => {
                let function = self.functions.get(function.0 as usize)?;
                let [only] = function.body.stmts.as_slice() else { return None };
                let StmtKind::Return(Some(value)) = &only.kind else { return None };
                (&function.params, value, args)
            }
            ExprKind::CallClosure { closure, args } => {
                let (params, value) = self.results.get(closure)?;
                (params, value, args)
            }
            _ => return None,
        };
        let mut condition = value.clone();
        replace(&mut condition, params, args);
        (call.ty == Type::BOOL).then_some(condition)
    }
}

/// Puts arguments in the place of the parameters of a closure or a function.
pub(crate) fn replace(e: &mut Expr, params: &[VarId], args: &[Expr]) {
    let arg = |var: VarId| args.get(params.iter().position(|param| *param == var)?);
    match &mut e.kind {
        ExprKind::Var(var) => {
            if let Some(arg) = arg(*var) {
                *e = arg.clone();
            }
        }
        ExprKind::Deref(of) => {
            replace(of, params, args);
            if let ExprKind::Ref(place) = &of.kind {
                *e = (**place).clone();
            }
        }
        _ => e.operands_mut().into_iter().for_each(|e| replace(e, params, args)),
    }
}
