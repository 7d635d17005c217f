//! The rewriting of a body: fields become variables, which statements of their own give values.

use std::cell::RefCell;

use super::field_var::{FieldVar, INSERTED};
use super::lends::{Lends, count};
use super::values::Constructors;
use crate::ir::{Block, Expr, ExprKind, Function, Stmt, StmtKind, VarId, VarKind, Variable, visit};
use crate::ranges::{LEN, path_of};

/// Rewrites the body of a function, which has variables for the fields already.
pub(super) fn body(
    function: &mut Function,
    fields: &[FieldVar],
    private: &[VarId],
    constructors: &Constructors,
) {
    let vars = RefCell::new(std::mem::take(&mut function.vars));
    let rewriting = Rewriting { fields, constructors, vars };
    rewriting.block(&mut function.body);
    function.vars = rewriting.vars.into_inner();
    let of_params = fields.iter().filter(|field| private.contains(&field.of));
    let begin = of_params.map(|field| declared(field, Some(field.place.clone())));
    function.body.stmts.splice(0..0, begin);
}

struct Rewriting<'a> {
    fields: &'a [FieldVar],
    constructors: &'a Constructors,
    /// The function's variables.
    vars: RefCell<Vec<Variable>>,
}

impl Rewriting<'_> {
    fn block(&self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            let lends = Lends::of(&stmt).to_calls;
            let unknown: Vec<Stmt> = self.of(&lends).map(|field| given(field, None)).collect();
            // What is known before does not hold behind the first of several calls, and nothing follows a `return`.
            let leaves = matches!(stmt.kind, StmtKind::Return(_));
            if lends.len() > 1 || leaves {
                block.stmts.extend(unknown.clone());
            }
            let values = self.values(&stmt);
            for e in visit::operands_mut(&mut stmt) {
                self.expr(e);
            }
            // After its condition, an `if` has one of two blocks.
            let branches = matches!(stmt.kind, StmtKind::If { .. });
            for inner in visit::blocks_mut(&mut stmt) {
                self.block(inner);
                inner.stmts.splice(0..0, unknown.iter().filter(|_| branches).cloned());
            }
            block.stmts.push(stmt);
            block.stmts.extend(unknown.into_iter().filter(|_| !branches && !leaves));
            block.stmts.extend(values);
        }
    }

    /// The fields of some variables.
    fn of<'a>(&'a self, vars: &'a [VarId]) -> impl Iterator<Item = &'a FieldVar> {
        self.fields.iter().filter(|field| vars.contains(&field.of))
    }

    /// What gives fields the values that a statement gives their structs.
    fn values(&self, stmt: &Stmt) -> Vec<Stmt> {
        match &stmt.kind {
            StmtKind::Let { var, init } => {
                let value = |field: &FieldVar| init.as_ref().and_then(|init| self.value(init, &field.path));
                self.of(&[*var]).map(|field| declared(field, value(field))).collect()
            }
            StmtKind::Assign { place, op: None, value } => {
                let Some((var, whole)) = path_of(place) else { return Vec::new() };
                let all = self.fields.iter().filter(|field| field.of == var && field.path != whole);
                let of_whole =
                    all.filter_map(|field| Some((field, field.path.strip_prefix(whole.as_slice())?)));
                // The struct has its new value already.
                let is_old = |value: &Expr| count(value, var) == 0;
                let values = of_whole.map(|(field, rest)| (field, self.value(value, rest).filter(is_old)));
                self.given_at_once(values.collect())
            }
            _ => Vec::new(),
        }
    }

    /// What gives fields their values, all of which are those from before.
    fn given_at_once(&self, mut values: Vec<(&FieldVar, Option<Expr>)>) -> Vec<Stmt> {
        let mut all = Vec::new();
        for at in 1..values.len() {
            let (before, rest) = values.split_at_mut(at);
            let (field, Some(value)) = &mut rest[0] else { continue };
            if before.iter().any(|(own, _)| count(value, own.var) > 0) {
                let old = self.old(field);
                let ExprKind::Var(var) = old.kind else { continue };
                let init = Some(std::mem::replace(value, old));
                all.push(Stmt { kind: StmtKind::Let { var, init }, at: INSERTED });
            }
        }
        all.extend(values.into_iter().map(|(field, value)| given(field, value)));
        all
    }

    /// A variable for what a field is given, until the fields before it have their values.
    fn old(&self, field: &FieldVar) -> Expr {
        let (ty, mut vars) = (field.place.ty.clone(), self.vars.borrow_mut());
        let var = VarId(vars.len() as u32);
        let name = vars[field.var.0 as usize].name.clone();
        vars.push(Variable { name, ty: ty.clone(), mutable: false, kind: VarKind::Local });
        Expr { kind: ExprKind::Var(var), ty }
    }

    /// The value that an expression gives to a field.
    fn value(&self, e: &Expr, path: &[String]) -> Option<Expr> {
        let mut value = self.constructors.value(e, path)?;
        self.expr(&mut value);
        Some(value)
    }

    /// Puts variables in the place of fields.
    fn expr(&self, e: &mut Expr) {
        let place = match &e.kind {
            ExprKind::Field(..) => path_of(e),
            ExprKind::Len(slice) => {
                path_of(slice).map(|(var, path)| (var, [path, vec![LEN.to_owned()]].concat()))
            }
            _ => None,
        };
        if let Some((var, path)) = place
            && let Some(field) = self.fields.iter().find(|field| field.of == var && field.path == path)
        {
            *e = field.value();
            return;
        }
        if let ExprKind::Closure(closure) = &mut e.kind {
            self.block(&mut closure.body);
        }
        e.operands_mut().into_iter().for_each(|e| self.expr(e));
    }
}

/// The variable of a field begins to have a value.
fn declared(field: &FieldVar, value: Option<Expr>) -> Stmt {
    Stmt { kind: StmtKind::Let { var: field.var, init: value }, at: INSERTED }
}

/// The variable of a field is given a value, or one that is not known.
fn given(field: &FieldVar, value: Option<Expr>) -> Stmt {
    let value = value.unwrap_or_else(|| Expr { kind: ExprKind::Unit, ty: field.place.ty.clone() });
    Stmt { kind: StmtKind::Assign { place: field.value(), op: None, value }, at: INSERTED }
}

/// Removes the statements that were inserted.
pub(super) fn remove_inserted(block: &mut Block) {
    block.stmts.retain(|stmt| stmt.at != INSERTED);
    for stmt in &mut block.stmts {
        visit::blocks_mut(stmt).into_iter().for_each(remove_inserted);
        visit::operands_mut(stmt).into_iter().for_each(remove_in_closures);
    }
}

fn remove_in_closures(e: &mut Expr) {
    if let ExprKind::Closure(closure) = &mut e.kind {
        remove_inserted(&mut closure.body);
    }
    e.operands_mut().into_iter().for_each(remove_in_closures);
}
