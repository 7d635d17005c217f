//! Slices in variables that change: cursors, and slices that take turns.

use super::idioms::{compare, plus, when};
use super::random_kernel::{AT, LEAST, Writer, binary, constant, expr, slice};
use super::windows::call;
use crate::ir::{BinaryOp, Expr, ExprKind, Proof, Scalar, StmtKind, VarId, VarKind, Variable};

use BinaryOp::{Div, Ge, Gt, Le, Lt, Ne, Sub};

const SCALAR: Scalar = Scalar::U64;

fn len(of: &Expr) -> Expr {
    expr(ExprKind::Len(of.clone().into()), SCALAR)
}

impl Writer {
    /// `let mut p = x; let mut q = &y[a..b]; while p.len() >= n { p[i]; p = &p[n..]; swap(&mut p, &mut q) }`, in any order.
    pub(super) fn cursor(&mut self) -> Vec<StmtKind> {
        let (first, p) = self.cursor_var();
        let (second, q) = self.cursor_var();
        let count = 1 + self.dice.below(4);
        let mut body: Vec<StmtKind> = (0..count).flat_map(|_| self.use_of([&p, &q])).collect();
        let turns = match self.dice.below(3) {
            0 => {
                let most = self.about(4, SCALAR);
                self.range((constant(0, SCALAR), most), false, |_, _| body)
            }
            1 => {
                let more = self.use_of([&p, &q]);
                body.extend(more);
                let cond = self.coin();
                when(cond, body)
            }
            _ => {
                let n = self.about(2, SCALAR);
                let cond = compare(self.dice.pick(&[Ge, Gt, Ne]), &len(&p), &n);
                self.repeat(cond, body)
            }
        };
        let mut all = vec![first, second, turns];
        all.extend(self.use_of([&p, &q]));
        all
    }

    fn slice_var(&mut self, init: Expr) -> (StmtKind, Expr) {
        self.vars.push(Variable { name: "c".into(), ty: slice(), mutable: true, kind: VarKind::Local });
        let var = VarId(self.vars.len() as u32 - 1);
        (StmtKind::Let { var, init: Some(init) }, Expr { kind: ExprKind::Var(var), ty: slice() })
    }

    fn cursor_var(&mut self) -> (StmtKind, Expr) {
        let init = match self.dice.below(2) {
            0 => {
                let of = self.slices[0];
                Expr { kind: ExprKind::Var(of), ty: slice() }
            }
            _ => self.part_of(),
        };
        self.slice_var(init)
    }

    /// `let n = if p.len() >= 4 { 4 } else { 1 }; p[n - 1]; p = &p[n..]`, with a choice or a branch, and now and then a change between.
    fn cut(&mut self, p: &Expr, both: [&Expr; 2]) -> Vec<StmtKind> {
        let most = self.about(3, SCALAR);
        let other = match self.dice.below(3) {
            0 => len(self.dice.pick(&both)),
            _ => self.about(1, SCALAR),
        };
        let least = if self.dice.below(3) == 0 { self.about(3, SCALAR) } else { most.clone() };
        let cond = compare(self.dice.pick(&[Ge, Gt]), &len(self.dice.pick(&both)), &least);
        let (n, mut all) = if self.dice.below(2) == 0 {
            let kind = ExprKind::Select(cond.into(), most.into(), other.into());
            let mutable = self.dice.below(2) == 0;
            let (n, named) = self.new_var(SCALAR, mutable, expr(kind, SCALAR));
            (n, vec![named])
        } else {
            let (n, named) = self.new_var(SCALAR, true, other);
            let mut then = vec![set(&n, most)];
            if self.dice.below(4) == 0 {
                then.extend(self.use_of(both));
            }
            (n, vec![named, when(cond, then)])
        };
        if self.dice.below(4) == 0 {
            all.extend(self.use_of(both));
        }
        let last = binary(Sub, &n, &constant(1, SCALAR));
        let rest = ExprKind::SubSlice {
            base: p.clone().into(),
            start: Some(n.into()),
            end: None,
            at: AT,
            proof: Proof::Open,
        };
        all.push(self.at(p, last));
        all.push(set(p, Expr { kind: rest, ty: slice() }));
        all
    }

    /// A use or a change of one of two slices.
    fn use_of(&mut self, both: [&Expr; 2]) -> Vec<StmtKind> {
        let (p, q) = if self.dice.below(3) == 0 { (both[1], both[0]) } else { (both[0], both[1]) };
        match self.dice.below(12) {
            0 => {
                let i = self.about(1, SCALAR);
                vec![self.at(p, i)]
            }
            1 => {
                let by = self.about(1, SCALAR);
                vec![self.at(p, binary(Sub, &len(p), &by))]
            }
            2 => {
                let (i, op) = (self.leaf(SCALAR), self.dice.pick(&[Lt, Lt, Le]));
                let index =
                    if self.dice.below(3) == 0 { plus(&i, &self.about(0, SCALAR)) } else { i.clone() };
                let mut then = vec![self.at(p, index)];
                if self.dice.below(3) == 0 {
                    then.extend(self.use_of(both));
                    then.push(self.at(p, i.clone()));
                }
                vec![when(compare(op, &i, &len(p)), then)]
            }
            3 => {
                let half = binary(Div, &len(p), &constant(2, SCALAR));
                let (half, named) = self.new_var(SCALAR, false, half);
                vec![named, self.at(p, half)]
            }
            4 => vec![set(p, q.clone())],
            5 => {
                let (first, t) = self.slice_var(p.clone());
                vec![first, set(p, q.clone()), set(q, t)]
            }
            6 => {
                let value = self.part_of();
                vec![set(p, value)]
            }
            7 => {
                let (start, end) = (self.about(1, SCALAR), binary(Sub, &len(p), &self.about(1, SCALAR)));
                let start = Some(start.into());
                let end = (self.dice.below(2) == 0).then(|| end.into());
                let kind =
                    ExprKind::SubSlice { base: p.clone().into(), start, end, at: AT, proof: Proof::Open };
                vec![set(p, Expr { kind, ty: slice() })]
            }
            8 => {
                // The sum may wrap, which launches tell.
                let sum = plus(&self.leaf(Scalar::U32), &self.about(4, Scalar::U32));
                let end = call(&LEAST, [&sum, &self.about(4, Scalar::U32)], Scalar::U32);
                let end = Some(expr(ExprKind::Cast(end.into()), SCALAR).into());
                let base = p.clone().into();
                let kind = ExprKind::SubSlice { base, start: None, end, at: AT, proof: Proof::Open };
                let i = self.about(3, SCALAR);
                vec![set(p, Expr { kind, ty: slice() }), self.at(p, i)]
            }
            9 | 10 => self.cut(p, both),
            _ => {
                let n = self.about(2, SCALAR);
                let then = self.use_of(both);
                vec![when(compare(self.dice.pick(&[Ge, Gt]), &len(p), &n), then)]
            }
        }
    }
}

fn set(place: &Expr, value: Expr) -> StmtKind {
    StmtKind::Assign { place: place.clone(), op: None, value }
}
