//! Closures: their bodies stand where they are called.

use std::collections::HashSet;

use super::{Binding, Exit, Lower, Result, room};
use crate::interpreter::program::Slot;
use crate::ir::{Closure, ClosureType, Expr, ExprKind, VarId, visit};

/// A closure and the scope that its names mean.
#[derive(Clone, Copy)]
pub(in crate::interpreter) struct Bound<'m> {
    closure: &'m Closure,
    scope: usize,
}

impl<'m> Lower<'m> {
    /// A closure where it is written; one that is `move` takes copies of what it names.
    pub(super) fn bound_closure(&mut self, closure: &'m Closure) -> Bound<'m> {
        self.copied(Bound { closure, scope: self.scope })
    }

    /// The type of a closure, by which the instances of functions that take it are told apart.
    pub(super) fn closure_type(&self, Bound { closure, scope }: Bound<'m>) -> ClosureType {
        ClosureType::new(closure, self.scopes[scope].instance)
    }

    /// A closure of the same code: one that is `move` takes copies of what the other has captured.
    fn copied(&mut self, Bound { closure, scope: from }: Bound<'m>) -> Bound<'m> {
        if !closure.by_value {
            return Bound { closure, scope: from };
        }
        let mut scope = self.scopes[from].clone();
        for id in captured(closure) {
            if let Some(Binding::Slot(from)) = scope.vars.get(&id).cloned() {
                let ty = &scope.function.var(id).ty;
                let to = self.slot(ty);
                self.copy(to, from, room(ty).0);
                scope.vars.insert(id, Binding::Slot(to));
            }
        }
        self.scopes.push(scope);
        Bound { closure, scope: self.scopes.len() - 1 }
    }

    /// The closure that an argument is.
    pub(super) fn closure_of(&mut self, e: &'m Expr) -> Result<Bound<'m>> {
        match &e.kind {
            ExprKind::Closure(closure) => Ok(self.bound_closure(closure)),
            ExprKind::Var(id) => self.known_closure(*id),
            ExprKind::Ref(inner) | ExprKind::Deref(inner) => self.closure_of(inner),
            _ => self.unsupported("a closure that is computed"),
        }
    }

    /// `let g = f;`
    pub(super) fn copied_closure(&mut self, e: &'m Expr) -> Result<Bound<'m>> {
        let bound = self.closure_of(e)?;
        Ok(if let ExprKind::Closure(_) = e.kind { bound } else { self.copied(bound) })
    }

    fn known_closure(&self, id: VarId) -> Result<Bound<'m>> {
        match self.scopes[self.scope].vars.get(&id) {
            Some(Binding::Closure(bound)) => Ok(*bound),
            _ => self.unsupported("a closure that is not in scope"),
        }
    }

    /// `f(args…)`
    pub(super) fn call_closure(&mut self, id: VarId, args: &'m [Expr], to: Slot) -> Result<()> {
        let Bound { closure, scope } = self.known_closure(id)?;
        let mut values = Vec::new();
        for arg in args {
            values.push(self.value(arg)?);
        }
        let (outer, at) = (std::mem::replace(&mut self.scope, scope), self.at);
        for (param, value) in closure.params.iter().zip(values) {
            let ty = &self.scopes[scope].function.var(*param).ty;
            let slot = self.bind(*param, ty);
            self.copy(slot, value, room(ty).0);
        }
        let (end, kept) = (self.label(), self.enter());
        self.exits.push(Exit::Inlined { result: to, end });
        self.block(&closure.body)?;
        self.exits.pop();
        self.here(end);
        self.exit(kept);
        (self.scope, self.at) = (outer, at);
        Ok(())
    }
}

/// Variables that a closure's body names, those of its own among them.
fn captured(closure: &Closure) -> HashSet<VarId> {
    let mut named = HashSet::new();
    visit::exprs(&closure.body, &mut |e| {
        if let ExprKind::Var(id) = e.kind {
            named.insert(id);
        }
    });
    named
}
