//! Puts what was found of a kernel in the place of what it was found of.

use super::{Narrowing, place_of};
use crate::ir::{Block, Expr, ExprKind, Stmt, StmtKind};

impl Narrowing {
    pub(super) fn rewrite(&self, block: &mut Block) {
        block.stmts.iter_mut().for_each(|stmt| self.statement(stmt));
    }

    /// Rewrites the number of a loop's element, which stands in no statement.
    pub(super) fn rewrite_number(&self, number: &mut Expr) {
        self.expr(number);
    }

    fn statement(&self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Let { init: Some(value), .. } => self.value(value),
            StmtKind::Assign { place, op, value } => {
                if self.given.contains_key(&place_of(value)) {
                    *op = None;
                }
                self.value(value);
                // A narrowed variable is assigned as it is.
                match place.kind {
                    ExprKind::Var(var) if self.narrowed.contains(&var) => place.ty = value.ty.clone(),
                    _ => self.expr(place),
                }
            }
            StmtKind::If { cond, then, otherwise } => {
                self.expr(cond);
                self.rewrite(then);
                self.rewrite(otherwise);
            }
            StmtKind::While { cond, body, .. } => {
                self.expr(cond);
                self.rewrite(body);
            }
            StmtKind::For { range, body, .. } => {
                match self.loops.get(&range.var) {
                    Some(counted) => {
                        (range.start, range.end) = (counted.start.clone(), counted.end.clone());
                        range.exact = counted.exact;
                    }
                    None => [&mut range.start, &mut range.end].into_iter().for_each(|e| self.expr(e)),
                }
                range.step.iter_mut().for_each(|e| self.expr(e));
                self.rewrite(body);
            }
            StmtKind::Block(body) => self.rewrite(body),
            StmtKind::Expr(e) | StmtKind::Return(Some(e)) | StmtKind::Assert { cond: e, .. } => self.expr(e),
            StmtKind::Print { args, .. } => args.iter_mut().for_each(|e| self.expr(e)),
            StmtKind::Launch(launch) => launch.operands_mut().into_iter().for_each(|e| self.expr(e)),
            StmtKind::Let { init: None, .. }
            | StmtKind::Shared(_)
            | StmtKind::DynamicShared(_)
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Return(None) => {}
        }
    }

    fn value(&self, value: &mut Expr) {
        match self.given.get(&place_of(value)) {
            Some(new) => *value = new.clone(),
            None => self.expr(value),
        }
    }

    fn expr(&self, e: &mut Expr) {
        if let Some(new) = self.exprs.get(&place_of(e)) {
            *e = new.clone();
            return;
        }
        match e.kind {
            ExprKind::Var(var) if self.narrowed.contains(&var) => *e = self.rewritten(e),
            _ => e.operands_mut().into_iter().for_each(|operand| self.expr(operand)),
        }
    }
}
