//! Checks that functions and closures are called with numbers of the types that their parameters have; printers would
//! convert others in silence, and the interpreter would copy too few bytes.
//!
//! A closure is followed from where it is written, through its names and the parameters that it is given to, to its calls.

use std::collections::HashMap;

use super::ValidateError;
use crate::ir::{Closure, Expr, ExprKind, FnId, Function, Module, StmtKind, Type, VarId, visit};

/// The types of the arguments that each closure variable of a function is called with.
type Asked<'m> = HashMap<VarId, Vec<Vec<&'m Type>>>;

/// Checks every call of a module.
pub fn check(module: &Module) -> Result<(), ValidateError> {
    let mut calls = Calls { module, asked: Vec::new() };
    // Functions come after those that they call.
    for function in &module.functions {
        let asked = calls.of_function(function)?;
        calls.asked.push(asked);
    }
    module.kernels().try_for_each(|(kernel, _)| calls.of_function(kernel).map(|_| ()))
}

struct Calls<'m> {
    module: &'m Module,
    /// What the closures of each function before this one are called with.
    asked: Vec<Asked<'m>>,
}

impl<'m> Calls<'m> {
    fn of_function(&self, function: &'m Function) -> Result<Asked<'m>, ValidateError> {
        let (mut asked, mut given, mut mismatch) = (Asked::new(), Vec::new(), None);
        let mut compare = |param: &'m Type, arg: &'m Type| {
            if is_other_number(param, arg) {
                mismatch.get_or_insert((param, arg));
            }
        };
        visit::exprs(&function.body, &mut |e| match &e.kind {
            ExprKind::CallClosure { closure, args } => {
                asked.entry(*closure).or_default().push(args.iter().map(|arg| &arg.ty).collect());
            }
            ExprKind::Call { function: id, args, .. } => {
                let callee = self.callee(*id);
                for (param, arg) in callee.params.iter().zip(args) {
                    compare(&callee.var(*param).ty, &arg.ty);
                    given.push((arg, self.asked_of(*id, *param)));
                }
            }
            _ => {}
        });
        for (arg, types) in given {
            if let Some(Written::Name(var)) = written(arg) {
                asked.entry(var).or_default().extend(types.iter().cloned());
            }
            self.compare_closure(function, arg, types, &mut compare);
        }
        self.of_names(function, &mut asked, &mut compare);
        match mismatch {
            None => Ok(asked),
            Some((param, arg)) => {
                let (function, at) = (function.name.clone(), function.at);
                let (param, arg) = (param.to_string(), arg.to_string());
                Err(ValidateError::Argument { function, param, arg, at })
            }
        }
    }

    /// Names of closures, the last first: what one name is called with, the closure that it names is.
    fn of_names(
        &self,
        function: &'m Function,
        asked: &mut Asked<'m>,
        compare: &mut dyn FnMut(&'m Type, &'m Type),
    ) {
        let mut names = Vec::new();
        visit::stmts(&function.body, &mut |stmt| {
            if let StmtKind::Let { var, init: Some(init) } = &stmt.kind
                && init.ty == Type::Closure
            {
                names.push((*var, init));
            }
        });
        for (var, init) in names.into_iter().rev() {
            let types = asked.get(&var).cloned().unwrap_or_default();
            if let Some(Written::Name(of)) = written(init) {
                asked.entry(of).or_default().extend(types.iter().cloned());
            }
            self.compare_closure(function, init, &types, compare);
        }
    }

    fn compare_closure(
        &self,
        function: &'m Function,
        e: &'m Expr,
        calls: &[Vec<&'m Type>],
        compare: &mut dyn FnMut(&'m Type, &'m Type),
    ) {
        let Some(Written::Here(closure)) = written(e) else { return };
        for args in calls {
            for (param, arg) in closure.params.iter().zip(args) {
                compare(&function.var(*param).ty, arg);
            }
        }
    }

    fn callee(&self, id: FnId) -> &'m Function {
        &self.module.functions[id.0 as usize]
    }

    fn asked_of(&self, id: FnId, param: VarId) -> &[Vec<&'m Type>] {
        self.asked.get(id.0 as usize).and_then(|asked| asked.get(&param)).map_or(&[], Vec::as_slice)
    }
}

/// A closure as an argument or an initialiser.
enum Written<'m> {
    Here(&'m Closure),
    Name(VarId),
}

fn written(e: &Expr) -> Option<Written<'_>> {
    match &e.kind {
        ExprKind::Closure(closure) => Some(Written::Here(closure)),
        ExprKind::Var(var) if e.ty == Type::Closure => Some(Written::Name(*var)),
        ExprKind::Ref(of) | ExprKind::Deref(of) => written(of),
        _ => None,
    }
}

/// Returns whether both are numbers, and of different types.
fn is_other_number(param: &Type, arg: &Type) -> bool {
    param.scalar().is_some() && arg.scalar().is_some() && param != arg
}
