//! Fields of local structs and tuples as variables of their own, while a pass looks at a module: scalar replacement of aggregates.
//!
//! What is known of a variable is then known of the length in a stack, of the index in a pair and of the cursor in a state. Before the
//! pass, each such field gets a variable, a *part*: `s.len` becomes the part, and a statement that gives `s` a value is followed by one
//! that gives it to the part. After the pass, the module is as it was, but for what the pass marked.
//!
//! A part is given an unknown value wherever something else may change the field, as a function does that is given `&mut s`. A struct
//! that is lent in any other way has no parts, nor one that is lent in the head of a loop or in a statement that names it twice. Nor has
//! `&self` or `&mut self`, unless all callers give variables of their own: other threads may change what is in memory. A struct of more
//! than 16 such fields has none either.

mod candidates;
mod lends;
mod owned;
mod part;
mod path;
mod replace;
mod values;

use crate::ir::{ExprKind, Function, Module, Stmt, Type, VarId, VarKind, Variable, visit};
use candidates::candidates;
use part::{INSERTED, Part};
use path::leaves;
use values::Constructors;

/// Whether a statement only gives a part its value.
pub(super) fn is_inserted(stmt: &Stmt) -> bool {
    stmt.at == INSERTED
}

/// The names of the fields of a struct or a tuple; none of anything else.
pub(super) fn field_names(ty: &Type) -> Vec<String> {
    path::fields(ty).unwrap_or_default().into_iter().map(|(name, _)| name).collect()
}

/// Runs a pass over a module in which fields have variables.
pub(super) fn with_parts<R>(module: &mut Module, pass: impl FnOnce(&mut Module) -> R) -> R {
    let owned = owned::parameters(module);
    let constructors = Constructors::of(&module.functions);
    let mut all = Vec::new();
    for (function, owned) in module.all_functions_mut().zip(owned) {
        all.push(split(function, &owned, &constructors));
    }
    let result = pass(module);
    for (function, parts) in module.all_functions_mut().zip(&all) {
        join(function, parts);
    }
    result
}

/// Gives fields variables.
fn split(function: &mut Function, owned: &[VarId], constructors: &Constructors) -> Vec<Part> {
    let mut parts = Vec::new();
    for (of, place) in candidates(function, owned) {
        let Variable { name, mutable, .. } = function.var(of).clone();
        for (path, place) in leaves(&place) {
            let var = VarId(function.vars.len() as u32);
            let name = format!("{name}.{path}");
            let kind = VarKind::Part { of, path: path.to_string() };
            let mutable = mutable || matches!(function.var(of).ty, Type::Ref { mutable: true, .. });
            function.vars.push(Variable { name, ty: place.ty.clone(), mutable, kind });
            parts.push(Part { of, path, place, var });
        }
    }
    if !parts.is_empty() {
        let mut body = std::mem::take(&mut function.body);
        replace::body(&mut body, &parts, owned, constructors);
        function.body = body;
    }
    parts
}

/// Makes variables fields again.
fn join(function: &mut Function, parts: &[Part]) {
    let Some(first) = parts.first() else { return };
    visit::exprs_mut(&mut function.body, &mut |e| {
        let ExprKind::Var(var) = e.kind else { return false };
        let part = parts.get((var.0.wrapping_sub(first.var.0)) as usize);
        if let Some(part) = part {
            *e = part.place.clone();
        }
        part.is_some()
    });
    replace::remove_inserted(&mut function.body);
    function.vars.truncate(first.var.0 as usize);
}
