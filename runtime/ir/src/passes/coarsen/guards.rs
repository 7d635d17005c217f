//! The guards around a whole body, `if i < n`: asked once for all elements of a thread.

use super::own_element::Threads;
use super::rewrite::{blocks_mut, operands_mut};
use crate::ir::{BinaryOp, Block, Expr, ExprKind, Function, Stmt, StmtKind, Type, UnaryOp};
use crate::ranges::same;

/// The body where the guards around it hold, and what a thread's number is below there.
pub(super) fn without(kernel: &Function, threads: &Threads) -> (Block, Vec<Expr>) {
    let mut body = kernel.body.clone();
    let mut bounds = Vec::new();
    Guards { kernel, threads }.collect(&body, &mut bounds);
    fold(&mut body, kernel, threads, &bounds);
    (body, bounds)
}

/// Adds a bound that is not there yet.
pub(super) fn add(bounds: &mut Vec<Expr>, bound: Expr) {
    if !bounds.iter().any(|known| same(known, &bound)) {
        bounds.push(bound);
    }
}

struct Guards<'a> {
    kernel: &'a Function,
    threads: &'a Threads,
}

impl Guards<'_> {
    /// Collects the bounds of the guards that enclose everything a block does.
    fn collect(&self, block: &Block, bounds: &mut Vec<Expr>) {
        for (at, stmt) in block.stmts.iter().enumerate() {
            let is_last = at + 1 == block.stmts.len();
            match &stmt.kind {
                StmtKind::Let { init, .. } if init.as_ref().is_none_or(|init| !init.has_effect()) => {}
                StmtKind::If { cond, then, otherwise } if otherwise.stmts.is_empty() && returns(then) => {
                    self.bounds_in(cond, false, bounds);
                }
                StmtKind::If { cond, then, otherwise } if is_last && otherwise.stmts.is_empty() => {
                    if self.bounds_in(cond, true, bounds) {
                        self.collect(then, bounds);
                    }
                    return;
                }
                StmtKind::If { cond, then, otherwise } if is_last && then.stmts.is_empty() => {
                    if self.bounds_in(cond, false, bounds) {
                        self.collect(otherwise, bounds);
                    }
                    return;
                }
                StmtKind::Block(inner) if is_last => return self.collect(inner, bounds),
                _ => return,
            }
        }
    }

    /// Collects the bounds that hold where a condition is `outcome`; whether these are all that it says.
    fn bounds_in(&self, cond: &Expr, outcome: bool, bounds: &mut Vec<Expr>) -> bool {
        match &cond.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.bounds_in(inner, !outcome, bounds),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b)
                if outcome == (*op == BinaryOp::And) =>
            {
                let all = self.bounds_in(a, outcome, bounds);
                self.bounds_in(b, outcome, bounds) && all
            }
            _ => match self.bound(cond) {
                Some((bound, is_below)) if is_below == outcome => {
                    add(bounds, bound);
                    true
                }
                _ => false,
            },
        }
    }

    /// What a comparison compares the thread's number with, and whether it is true of lesser numbers.
    fn bound(&self, cond: &Expr) -> Option<(Expr, bool)> {
        let ExprKind::Binary(op, a, b) = &cond.kind else { return None };
        let (number, bound, is_below) = match op {
            BinaryOp::Lt => (a, b, true),
            BinaryOp::Gt => (b, a, true),
            BinaryOp::Ge => (a, b, false),
            BinaryOp::Le => (b, a, false),
            _ => return None,
        };
        if !self.threads.is_own(number) {
            return None;
        }
        Some((self.threads.uniform(self.kernel, bound)?, is_below))
    }

    /// Replaces the comparisons that hold by the bounds, and what follows from that.
    fn expr(&self, e: &mut Expr, bounds: &[Expr]) {
        e.operands_mut().into_iter().for_each(|operand| self.expr(operand, bounds));
        if let Some((bound, is_below)) = self.bound(e)
            && bounds.iter().any(|known| same(known, &bound))
        {
            *e = Expr::bool(is_below);
            return;
        }
        let known = |e: &Expr| e.as_bool();
        let simpler = match &e.kind {
            ExprKind::Unary(UnaryOp::Not, a) if e.ty == Type::BOOL => known(a).map(|a| Expr::bool(!a)),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let decides = *op == BinaryOp::Or;
                match (known(a), known(b)) {
                    (Some(a), _) if a == decides => Some(Expr::bool(decides)),
                    (Some(_), _) => Some((**b).clone()),
                    (_, Some(b)) if b != decides => Some((**a).clone()),
                    _ => None,
                }
            }
            ExprKind::Select(cond, a, b) => {
                known(cond).map(|c| if c { (**a).clone() } else { (**b).clone() })
            }
            _ => None,
        };
        if let Some(simpler) = simpler {
            *e = simpler;
        }
    }

    fn block(&self, block: &mut Block, bounds: &[Expr]) {
        let mut kept: Vec<Stmt> = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            operands_mut(&mut stmt).into_iter().for_each(|e| self.expr(e, bounds));
            blocks_mut(&mut stmt).into_iter().for_each(|inner| self.block(inner, bounds));
            match stmt.kind {
                StmtKind::If { cond, then, otherwise } if cond.as_bool().is_some() => {
                    kept.extend(if cond.as_bool() == Some(true) { then } else { otherwise }.stmts);
                }
                kind => kept.push(Stmt { kind, at: stmt.at }),
            }
            // Statements after a jump do not exist.
            if kept.last().is_some_and(leaves) {
                break;
            }
        }
        block.stmts = kept;
    }
}

/// Replaces the comparisons that hold by the bounds, and drops the branches that are never taken.
pub(super) fn fold(body: &mut Block, kernel: &Function, threads: &Threads, bounds: &[Expr]) {
    Guards { kernel, threads }.block(body, bounds);
}

fn leaves(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_))
}

fn returns(block: &Block) -> bool {
    matches!(block.stmts.as_slice(), [Stmt { kind: StmtKind::Return(None), .. }])
}
