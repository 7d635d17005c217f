//! Idioms of indices in options: set in branches and in loops, copied, and taken; and functions that choose what they return.

use std::sync::Arc;

use super::idioms::{block, compare, plus, when};
use super::random_kernel::{AT, NUMBER, Writer, binary, constant, expr};
use crate::ir::{
    BinaryOp, Block, EnumType, Expr, ExprKind, Scalar, Stmt, StmtKind, Type, VarId, VarKind, Variable,
    VariantType,
};

use BinaryOp::{Add, Eq, Lt, Rem, Sub};

fn option(scalar: Scalar) -> Arc<EnumType> {
    let none = VariantType { name: "None", tag: 0, fields: Vec::new() };
    let some = VariantType { name: "Some", tag: 1, fields: vec![("0", Type::Scalar(scalar))] };
    Arc::new(EnumType::new("Option".into(), Scalar::I32, vec![none, some], false))
}

fn made(scalar: Scalar, of: Option<Expr>) -> Expr {
    let variant = usize::from(of.is_some());
    let kind = ExprKind::Variant(option(scalar), variant, of.into_iter().collect());
    Expr { kind, ty: Type::Enum(option(scalar)) }
}

/// The integer in an option.
fn taken(of: &Expr, scalar: Scalar) -> Expr {
    expr(ExprKind::Field(of.clone().into(), "Some.0".into()), scalar)
}

/// Whether an option holds an integer.
fn is_some(of: &Expr) -> Expr {
    let tag = expr(ExprKind::Field(of.clone().into(), "tag".into()), Scalar::I32);
    compare(Eq, &tag, &constant(1, Scalar::I32))
}

impl Writer {
    /// `let mut o = None; for k in … { if … { o = Some(k) } } if let Some(i) = o { a[i] }`, and the like.
    pub(super) fn options(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let base = self.store(12);
        let (one, first) = self.new_option(scalar, true);
        let mut stmts = vec![first];
        for _ in 0..1 + self.dice.below(3) {
            stmts.extend(self.sets(&one, scalar));
            if self.dice.below(3) == 0 {
                stmts.push(self.takes(&base, &one, scalar));
            }
        }
        let other = match self.dice.below(2) {
            0 => one.clone(),
            _ => {
                let mutable = self.dice.below(3) == 0;
                let (other, copied) = self.option_var(scalar, mutable, one.clone());
                stmts.push(copied);
                stmts.extend(if mutable { self.sets(&other, scalar) } else { Vec::new() });
                other
            }
        };
        stmts.push(self.takes(&base, &other, scalar));
        stmts.extend(self.chosen_by(&base, scalar));
        if self.is_kernel {
            let (short, (number, called)) = (self.store(8), self.chosen_number());
            stmts.extend([called, self.at(&short, number)]);
        }
        stmts
    }

    /// `let o = if n < c { Some(…) } else { None }; if o.is_some() { a[n] }`, where one of both may change before the test or the index.
    fn chosen_by(&mut self, base: &Expr, scalar: Scalar) -> Vec<StmtKind> {
        let (init, mutable) = (self.leaf(scalar), self.dice.below(2) == 0);
        let (n, first) = self.new_var(scalar, mutable, init);
        let op = self.dice.pick(&[Lt, Lt, BinaryOp::Le, BinaryOp::Ge]);
        let cond = compare(op, &n, &self.about(11, scalar));
        let (some, none) = (made(scalar, Some(self.leaf(scalar))), made(scalar, None));
        let (one, other) = if self.dice.below(3) > 0 { (some, none) } else { (none, some) };
        let choice = ExprKind::Select(cond.into(), one.into(), other.into());
        let is_mutable = self.dice.below(3) == 0;
        let choice = Expr { kind: choice, ty: Type::Enum(option(scalar)) };
        let (o, chosen) = self.option_var(scalar, is_mutable, choice);
        let mut stmts = vec![first, chosen];
        let change = |writer: &mut Self, of: &Expr| match writer.dice.below(3) {
            0 if writer.is_changeable(of) => {
                let by = writer.about(20, scalar);
                Some(writer.change(of, Some(Add), by))
            }
            _ => None,
        };
        stmts.extend(change(self, &n));
        if is_mutable && self.dice.below(3) == 0 {
            let new = self.some_or_none(scalar);
            stmts.push(self.change(&o, None, new));
        }
        let (moved, read) = (change(self, &n), self.at(base, n.clone()));
        let then = moved.into_iter().chain([read]).collect();
        let test = is_some(&o);
        let test = match self.dice.below(3) {
            0 => Expr { kind: ExprKind::Unary(crate::ir::UnaryOp::Not, test.into()), ty: Type::BOOL },
            _ => test,
        };
        stmts.push(when(test, then));
        stmts
    }

    fn is_changeable(&self, of: &Expr) -> bool {
        matches!(of.kind, ExprKind::Var(var) if self.vars[var.0 as usize].mutable)
    }

    /// What a function of the module chooses.
    fn chosen_number(&mut self) -> (Expr, StmtKind) {
        let call = self.call(NUMBER, Type::U64);
        let mutable = self.dice.below(3) == 0;
        self.new_var(Scalar::U64, mutable, call)
    }

    fn new_option(&mut self, scalar: Scalar, mutable: bool) -> (Expr, StmtKind) {
        let init = self.some_or_none(scalar);
        self.option_var(scalar, mutable, init)
    }

    fn option_var(&mut self, scalar: Scalar, mutable: bool, init: Expr) -> (Expr, StmtKind) {
        let ty = Type::Enum(option(scalar));
        self.vars.push(Variable { name: "o".into(), ty: ty.clone(), mutable, kind: VarKind::Local });
        let var = VarId(self.vars.len() as u32 - 1);
        (Expr { kind: ExprKind::Var(var), ty }, StmtKind::Let { var, init: Some(init) })
    }

    fn some_or_none(&mut self, scalar: Scalar) -> Expr {
        let of = match self.dice.below(4) {
            0 | 1 => None,
            2 => Some(self.about(5, scalar)),
            _ => Some(self.leaf(scalar)),
        };
        made(scalar, of)
    }

    /// Statements that set an option, in branches, loops, and by what it holds already.
    fn sets(&mut self, one: &Expr, scalar: Scalar) -> Vec<StmtKind> {
        let (i, end) = (self.leaf(scalar), self.about(11, scalar));
        let by = self.about(1, scalar);
        match self.dice.below(5) {
            0 => {
                let (then, otherwise) = (made(scalar, Some(i.clone())), self.some_or_none(scalar));
                let [then, otherwise] = [then, otherwise].map(|new| block(vec![self.change(one, None, new)]));
                let guard = compare(self.dice.pick(&[Lt, Lt, BinaryOp::Le, BinaryOp::Gt]), &i, &end);
                vec![StmtKind::If { cond: guard, then, otherwise }]
            }
            1 => {
                let (start, found) = (self.about(0, scalar), self.coin());
                vec![self.range((start, end), false, |writer, k| {
                    let of = if writer.dice.below(2) == 0 { k } else { plus(&k, &by) };
                    let mut set = vec![writer.change(one, None, made(scalar, Some(of)))];
                    if writer.dice.below(4) == 0 {
                        set.push(writer.change(one, None, made(scalar, None)));
                    }
                    vec![when(found, set)]
                })]
            }
            2 => {
                // What it holds grows, or shrinks.
                let op = self.dice.pick(&[Add, Sub]);
                let new = made(scalar, Some(binary(op, &taken(one, scalar), &by)));
                vec![when(is_some(one), vec![self.change(one, None, new)])]
            }
            3 => {
                let of = binary(Rem, &i, &constant(13, scalar));
                vec![self.change(one, None, made(scalar, Some(of)))]
            }
            _ => {
                let (coin, new) = (self.coin(), self.some_or_none(scalar));
                vec![when(coin, vec![self.change(one, None, new)])]
            }
        }
    }

    /// `if let Some(i) = o { a[i] }`, or about that.
    fn takes(&mut self, base: &Expr, one: &Expr, scalar: Scalar) -> StmtKind {
        let index = match self.dice.below(4) {
            0 => plus(&taken(one, scalar), &self.about(1, scalar)),
            _ => taken(one, scalar),
        };
        let read = self.at(base, index);
        when(is_some(one), vec![read])
    }

    /// The body of a function that chooses what it returns.
    pub(super) fn choosing(&mut self) -> Block {
        let scalar = Scalar::U64;
        let init = if self.dice.below(3) == 0 { self.leaf(scalar) } else { self.about(5, scalar) };
        let (v, first) = self.new_var(scalar, true, init);
        let returns = |value: Expr| StmtKind::Return(Some(value));
        let mut stmts = vec![first];
        for _ in 0..1 + self.dice.below(3) {
            let n = self.dice.pick(&[2, 6, 9]);
            let (new, cond) = (self.about(n, scalar), self.condition(1));
            stmts.push(match self.dice.below(4) {
                0 => when(cond, vec![returns(new)]),
                1 => {
                    let start = self.about(0, scalar);
                    self.range((start, new), false, |writer, k| {
                        vec![when(cond, vec![writer.change(&v, None, k)])]
                    })
                }
                2 => when(cond, vec![self.change(&v, Some(Add), new)]),
                _ => when(cond, vec![self.change(&v, None, new)]),
            });
        }
        stmts.push(returns(v));
        let stmts = stmts.into_iter().map(|kind| Stmt { kind, at: AT });
        Block { stmts: stmts.collect() }
    }
}
