//! Blocks that run once, and are left early: by a condition, by a loop in them, and for a block or a loop around.

use super::idioms::{block, compare, when};
use super::random_kernel::{Writer, constant};
use crate::ir::{BinaryOp, Expr, LoopId, Scalar, StmtKind};

use BinaryOp::{Add, Ge, Gt, Le, Lt, Ne, Sub};

/// What the statements of a block work with.
struct Work {
    base: Expr,
    places: [Expr; 2],
    scalar: Scalar,
}

impl Writer {
    /// `'a: { at = 3; if c { at += 1; break 'a; } own[at]; … break 'a } own[at]`, now and then in a loop.
    pub(super) fn labelled(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let base = self.store(8);
        let (a, b) = (self.about(4, scalar), self.leaf(scalar));
        let ((a, first), (b, second)) = (self.new_var(scalar, true, a), self.new_var(scalar, true, b));
        let work = Work { base, places: [a, b], scalar };
        let once = self.once(&work, &[], 2);
        let body = vec![once, self.read(&work), self.read(&work)];
        let last = self.read(&work);
        let ways = match self.dice.below(3) {
            0 => {
                let most = self.about(6, scalar);
                vec![self.range((constant(0, scalar), most), false, |_, _| body)]
            }
            1 => {
                let cond = self.coin();
                vec![self.repeat(cond, body)]
            }
            _ => body,
        };
        [first, second].into_iter().chain(ways).chain([last]).collect()
    }

    fn once(&mut self, work: &Work, around: &[LoopId], depth: usize) -> StmtKind {
        let id = self.loop_id();
        let open = [around, &[id]].concat();
        let mut stmts: Vec<StmtKind> =
            (0..1 + self.dice.below(4)).map(|_| self.step_of(work, &open, depth)).collect();
        stmts.push(if self.dice.below(8) == 0 { StmtKind::Return(None) } else { StmtKind::Break(id) });
        // Now and then it runs more than once.
        if self.dice.below(6) == 0 {
            let (cond, at) = (self.coin(), self.dice.below(stmts.len()));
            stmts.insert(at, when(cond, vec![StmtKind::Continue(id)]));
        }
        let cond = match self.dice.below(10) {
            0 => self.coin(),
            _ => Expr::bool(true),
        };
        StmtKind::While { id, cond, unroll: None, body: block(stmts) }
    }

    fn one_of(&mut self, work: &Work) -> Expr {
        work.places[self.dice.below(2)].clone()
    }

    fn read(&mut self, work: &Work) -> StmtKind {
        let place = self.one_of(work);
        self.at(&work.base, place)
    }

    fn assigned(&mut self, work: &Work) -> StmtKind {
        let (place, scalar) = (self.one_of(work), work.scalar);
        let (op, value) = match self.dice.below(5) {
            0 => (Some(Add), constant(1, scalar)),
            1 => (Some(Sub), constant(1, scalar)),
            2 => (None, self.one_of(work)),
            _ => (None, self.about(4, scalar)),
        };
        self.change(&place, op, value)
    }

    fn step_of(&mut self, work: &Work, open: &[LoopId], depth: usize) -> StmtKind {
        let [a, b] = &work.places;
        match self.dice.below(if depth > 0 { 8 } else { 6 }) {
            0 => self.read(work),
            1 => self.assigned(work),
            2 | 3 => {
                let cond = self.compared(work);
                let (change, read) = (self.assigned(work), self.read(work));
                let leave = StmtKind::Break(self.dice.pick(open));
                when(cond, vec![change, read, leave])
            }
            4 => {
                let (cond, then) = (self.compared(work), self.assigned(work));
                when(cond, vec![then])
            }
            5 => {
                let guard = compare(Lt, a, &constant(8, work.scalar));
                let read = self.at(&work.base, a.clone());
                when(guard, vec![read])
            }
            6 => self.once(work, open, depth - 1),
            _ => {
                let inside = vec![self.step_of(work, open, depth - 1), self.step_of(work, open, 0)];
                let (a, b) = (a.clone(), b.clone());
                match self.dice.below(2) {
                    0 => {
                        let most = self.about(6, work.scalar);
                        self.range((constant(0, work.scalar), most), false, |_, _| inside)
                    }
                    _ => {
                        let cond = compare(self.dice.pick(&[Lt, Le, Ne]), &a, &b);
                        self.repeat(cond, inside)
                    }
                }
            }
        }
    }

    fn compared(&mut self, work: &Work) -> Expr {
        let [a, b] = &work.places;
        match self.dice.below(3) {
            0 => self.coin(),
            1 => compare(self.dice.pick(&[Lt, Le, Ge]), a, b),
            _ => {
                let n = self.about(5, work.scalar);
                compare(self.dice.pick(&[Lt, Le, Gt, Ge]), a, &n)
            }
        }
    }
}
