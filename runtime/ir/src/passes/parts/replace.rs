//! The rewriting of a body: fields become variables, which statements of their own give values.

use super::lends::{Lends, count};
use super::part::{INSERTED, Part};
use super::path::path_of;
use super::values::Constructors;
use crate::ir::{Block, Expr, ExprKind, Stmt, StmtKind, VarId, visit};

/// Rewrites the body of a function.
pub(super) fn body(body: &mut Block, parts: &[Part], owned: &[VarId], constructors: &Constructors) {
    let rewriting = Rewriting { parts, constructors };
    rewriting.block(body);
    let of_params = parts.iter().filter(|part| owned.contains(&part.of));
    let begin = of_params.map(|part| declared(part, Some(part.place.clone())));
    body.stmts.splice(0..0, begin);
}

struct Rewriting<'a> {
    parts: &'a [Part],
    constructors: &'a Constructors,
}

impl Rewriting<'_> {
    fn block(&self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            let lends = Lends::of(&stmt).to_calls;
            let unknown: Vec<Stmt> = self.of(&lends).map(|part| given(part, None)).collect();
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

    /// The parts of some variables.
    fn of<'a>(&'a self, vars: &'a [VarId]) -> impl Iterator<Item = &'a Part> {
        self.parts.iter().filter(|part| vars.contains(&part.of))
    }

    /// What gives parts the values that a statement gives their structs.
    fn values(&self, stmt: &Stmt) -> Vec<Stmt> {
        match &stmt.kind {
            StmtKind::Let { var, init } => {
                let value = |part: &Part| init.as_ref().and_then(|init| self.value(init, &part.path.0));
                self.of(&[*var]).map(|part| declared(part, value(part))).collect()
            }
            StmtKind::Assign { place, op: None, value } => {
                let Some((var, whole)) = path_of(place) else { return Vec::new() };
                let all = self.parts.iter().filter(|part| part.of == var && part.path != whole);
                let of_whole = all.filter_map(|part| Some((part, part.path.behind(&whole)?)));
                // The parts before have their new values already.
                let mut before = vec![var];
                let mut given_in_order = |(part, rest): (&Part, &[String])| {
                    let value = self.value(value, rest);
                    let is_old = |value: &Expr| before.iter().all(|own| count(value, *own) == 0);
                    let value = value.filter(is_old);
                    before.push(part.var);
                    given(part, value)
                };
                of_whole.map(&mut given_in_order).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The value that an expression gives to a field.
    fn value(&self, e: &Expr, path: &[String]) -> Option<Expr> {
        let mut value = self.constructors.value(e, path)?;
        self.expr(&mut value);
        Some(value)
    }

    /// Puts the parts in the place of fields.
    fn expr(&self, e: &mut Expr) {
        if let ExprKind::Field(..) = e.kind
            && let Some((var, path)) = path_of(e)
            && let Some(part) = self.parts.iter().find(|part| part.of == var && part.path == path)
        {
            *e = part.value();
            return;
        }
        if let ExprKind::Closure(closure) = &mut e.kind {
            self.block(&mut closure.body);
        }
        e.operands_mut().into_iter().for_each(|e| self.expr(e));
    }
}

/// A part begins to have a value.
fn declared(part: &Part, value: Option<Expr>) -> Stmt {
    Stmt { kind: StmtKind::Let { var: part.var, init: value }, at: INSERTED }
}

/// A part is given a value, or one that is not known.
fn given(part: &Part, value: Option<Expr>) -> Stmt {
    let value = value.unwrap_or_else(|| Expr { kind: ExprKind::Unit, ty: part.place.ty.clone() });
    Stmt { kind: StmtKind::Assign { place: part.value(), op: None, value }, at: INSERTED }
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
