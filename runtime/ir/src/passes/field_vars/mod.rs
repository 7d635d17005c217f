//! Fields of local structs and tuples, and lengths of slices that change, as variables of their own, while a pass looks at a module:
//! scalar replacement of aggregates.
//!
//! What is known of a variable is then known of the length in a stack, of the index in a pair and of the cursor in a state. Before the
//! pass, each such field gets a variable: it stands wherever the field stood, and a statement that gives `s` a value is followed by one
//! that gives `s.len` one. After the pass, the module is as it was, but for what the pass marked.
//!
//! The variable is given an unknown value wherever something else may change the field, as a function does that is given `&mut s`. The
//! fields of a struct have none if it is lent in any other way, in the head of a loop, or in a statement that names it twice. Nor have those
//! of `&self` and `&mut self`, unless all callers give variables of their own: other threads may change what is in memory. Nor have
//! those of a struct with more than 16 such fields.

mod candidates;
mod field_var;
mod leaves;
mod lends;
mod private;
mod replace;
mod slices;
mod values;

use crate::ir::{ExprKind, Function, Module, Stmt, Type, VarId, VarKind, Variable, visit};
use candidates::candidates;
use field_var::{FieldVar, INSERTED};
use leaves::leaves;
use values::Constructors;

/// Whether a statement only gives the variable of a field its value.
pub(super) fn is_inserted(stmt: &Stmt) -> bool {
    stmt.at == INSERTED
}

/// Runs a pass over a module in which fields have variables.
pub(super) fn with_field_vars<R>(module: &mut Module, pass: impl FnOnce(&mut Module) -> R) -> R {
    let private = private::references(module);
    let constructors = Constructors::of(&module.functions);
    let functions = module.all_functions_mut().zip(private);
    let all: Vec<_> = functions.map(|(function, private)| split(function, &private, &constructors)).collect();
    let result = pass(module);
    for (function, fields) in module.all_functions_mut().zip(&all) {
        join(function, fields);
    }
    result
}

/// Gives fields variables.
fn split(function: &mut Function, private: &[VarId], constructors: &Constructors) -> Vec<FieldVar> {
    let mut fields = Vec::new();
    for (of, place) in candidates(function, private).into_iter().chain(slices::changing(function)) {
        let Variable { name, mutable, ty, .. } = function.var(of).clone();
        let mutable = mutable || matches!(ty, Type::Ref { mutable: true, .. });
        for (path, place) in leaves(&place) {
            let var = VarId(function.vars.len() as u32);
            let name = format!("{name}.{}", path.join("."));
            let kind = VarKind::Field { of, path: path.clone() };
            function.vars.push(Variable { name, ty: place.ty.clone(), mutable, kind });
            fields.push(FieldVar { of, path, place, var });
        }
    }
    if !fields.is_empty() {
        replace::body(function, &fields, private, constructors);
    }
    fields
}

/// Makes variables fields again.
fn join(function: &mut Function, fields: &[FieldVar]) {
    let Some(first) = fields.first() else { return };
    visit::exprs_mut(&mut function.body, &mut |e| {
        let ExprKind::Var(var) = e.kind else { return false };
        let field = fields.get((var.0.wrapping_sub(first.var.0)) as usize);
        if let Some(field) = field {
            *e = field.place.clone();
        }
        field.is_some()
    });
    replace::remove_inserted(&mut function.body);
    function.vars.truncate(first.var.0 as usize);
}
