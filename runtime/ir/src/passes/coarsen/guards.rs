//! The guards around a whole body, `if i < n`: asked once for all elements of a thread.

use super::own_element::Threads;
use crate::ir::{BinaryOp, Block, Expr, ExprKind, Function, Stmt, StmtKind, Type, UnaryOp, visit};
use crate::ranges::same;

/// The bound that guards put on a thread's number.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// So much above the number is below a limit, which is the same in all threads.
    Below { limit: Expr, plus: u32 },
    /// The number is at least this.
    AtLeast(u32),
}

impl Bound {
    /// The number is below a limit.
    pub fn below(limit: Expr) -> Self {
        Bound::Below { limit, plus: 0 }
    }

    fn is(&self, other: &Bound) -> bool {
        match (self, other) {
            (Bound::Below { limit: a, plus: more }, Bound::Below { limit: b, plus }) => {
                more == plus && same(a, b)
            }
            (Bound::AtLeast(a), Bound::AtLeast(b)) => a == b,
            _ => false,
        }
    }
}

/// The body where the guards around it hold, and what these say.
pub(super) fn without(kernel: &Function, threads: &Threads) -> (Block, Vec<Bound>) {
    let mut body = kernel.body.clone();
    let mut bounds = Vec::new();
    Guards { kernel, threads }.collect(&body, &mut bounds);
    fold(&mut body, kernel, threads, &bounds);
    (body, bounds)
}

/// Adds a bound that is not there yet.
pub(super) fn add(bounds: &mut Vec<Bound>, bound: Bound) {
    if !bounds.iter().any(|known| known.is(&bound)) {
        bounds.push(bound);
    }
}

struct Guards<'a> {
    kernel: &'a Function,
    threads: &'a Threads,
}

impl Guards<'_> {
    /// Collects the bounds of the guards that enclose everything a block does.
    fn collect(&self, block: &Block, bounds: &mut Vec<Bound>) {
        for (at, stmt) in block.stmts.iter().enumerate() {
            let is_last = at + 1 == block.stmts.len();
            match &stmt.kind {
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
                _ => {}
            }
        }
    }

    /// Collects the bounds that hold where a condition is `outcome`; whether these are all that it says.
    fn bounds_in(&self, cond: &Expr, outcome: bool, bounds: &mut Vec<Bound>) -> bool {
        match &cond.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.bounds_in(inner, !outcome, bounds),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b)
                if outcome == (*op == BinaryOp::And) =>
            {
                let all = self.bounds_in(a, outcome, bounds);
                self.bounds_in(b, outcome, bounds) && all
            }
            _ => match self.holds(cond, outcome) {
                Some(bound) => {
                    add(bounds, bound);
                    true
                }
                None => false,
            },
        }
    }

    /// The bound that a comparison puts on the thread's number where it is `outcome`, if it says nothing else.
    fn holds(&self, cond: &Expr, outcome: bool) -> Option<Bound> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let ExprKind::Binary(op, a, b) = &cond.kind else { return None };
        let op = match (op, outcome) {
            (op, true) => *op,
            (Lt, false) => Ge,
            (Le, false) => Gt,
            (Gt, false) => Le,
            (Ge, false) => Lt,
            (Eq, false) => Ne,
            _ => return None,
        };
        self.above(op, a, b).or_else(|| match op {
            Lt => self.above(Gt, b, a),
            Le => self.above(Ge, b, a),
            Gt => self.above(Lt, b, a),
            Ge => self.above(Le, b, a),
            Ne => self.above(Ne, b, a),
            _ => None,
        })
    }

    /// The bound that `number op limit` gives.
    fn above(&self, op: BinaryOp, number: &Expr, limit: &Expr) -> Option<Bound> {
        let plus = self.threads.above_own(number)?;
        let least = |n: i128| u32::try_from(n).ok().filter(|n| *n > 0 && plus == 0).map(Bound::AtLeast);
        match (op, limit.as_int()) {
            (BinaryOp::Lt, _) => {
                Some(Bound::Below { limit: self.threads.uniform(self.kernel, limit)?, plus })
            }
            (BinaryOp::Gt, Some(n)) => least(n + 1),
            (BinaryOp::Ge, Some(n)) => least(n),
            (BinaryOp::Ne, Some(0)) => least(1),
            _ => None,
        }
    }

    /// Replaces the comparisons that hold by the bounds, and what follows from that.
    fn expr(&self, e: &mut Expr, bounds: &[Bound]) {
        e.operands_mut().into_iter().for_each(|operand| self.expr(operand, bounds));
        let is_known =
            |bound: Option<Bound>| bound.is_some_and(|bound| bounds.iter().any(|known| known.is(&bound)));
        for outcome in [true, false] {
            if is_known(self.holds(e, outcome)) {
                *e = Expr::bool(outcome);
                return;
            }
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

    fn block(&self, block: &mut Block, bounds: &[Bound]) {
        let mut kept: Vec<Stmt> = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            visit::operands_mut(&mut stmt).into_iter().for_each(|e| self.expr(e, bounds));
            visit::blocks_mut(&mut stmt).into_iter().for_each(|inner| self.block(inner, bounds));
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
pub(super) fn fold(body: &mut Block, kernel: &Function, threads: &Threads, bounds: &[Bound]) {
    Guards { kernel, threads }.block(body, bounds);
}

fn leaves(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_))
}

fn returns(block: &Block) -> bool {
    matches!(block.stmts.as_slice(), [Stmt { kind: StmtKind::Return(None), .. }])
}
