//! Idioms of integers in structs: set apart and together, copied, and changed by functions that have the struct as `&mut`.

use std::sync::Arc;

use super::idioms::{block, compare, plus, when};
use super::random_kernel::{AT, Writer, binary, constant, expr};
use crate::ir::{
    BinaryOp, Block, Expr, ExprKind, FieldType, FnId, Scalar, Stmt, StmtKind, StructType, Type, VarId,
    VarKind, Variable,
};

use BinaryOp::{Add, Lt, Rem, Sub};

/// The function that changes a struct.
const CHANGES: FnId = FnId(2);
/// The function that lets that one change its struct.
const DELEGATES: FnId = FnId(3);
/// Their parameter that is the struct, after those that all functions have.
pub(super) const STATE: VarId = VarId(5);

const SCALAR: Scalar = Scalar::U64;
const FIELDS: [&str; 2] = ["first", "second"];

/// What writes the body of a function.
type WriteBody = fn(&mut Writer) -> Block;

/// The type of the struct.
pub(super) fn state() -> Type {
    let field = |(at, name): (usize, &&'static str)| FieldType { name, ty: Type::U64, offset: 8 * at };
    let fields = FIELDS.iter().enumerate().map(field).collect();
    Type::Struct(Arc::new(StructType::new("State".into(), fields, 16, 8)))
}

fn reference() -> Type {
    Type::Ref { to: state().into(), mutable: true }
}

/// The variable whose state a place is a part of.
pub(super) fn state_of(place: &Expr) -> Option<VarId> {
    match &place.kind {
        ExprKind::Var(var) if *place.ty.peeled() == state() => Some(*var),
        ExprKind::Deref(of) | ExprKind::Ref(of) => state_of(of),
        _ => None,
    }
}

fn field(of: &Expr, at: usize) -> Expr {
    expr(ExprKind::Field(of.clone().into(), FIELDS[at].into()), SCALAR)
}

fn made(parts: [Expr; 2]) -> Expr {
    let Type::Struct(def) = state() else { unreachable!() };
    Expr { kind: ExprKind::Struct(def, parts.into()), ty: state() }
}

impl Writer {
    /// What writes the functions that change a struct, each with a salt for its seed.
    pub(super) const OF_STATES: [(u64, WriteBody); 2] =
        [(0x3333, Self::changing), (0xcccc, Self::delegating)];

    /// `let mut s = State { … }; loop { if change(&mut s) … { a[s.first] } }`, and the like.
    pub(super) fn states(&mut self) -> Vec<StmtKind> {
        let base = self.store(12);
        let (one, first) = self.new_state();
        let (other, second) = match self.dice.below(3) {
            0 => self.state_var(one.clone()),
            _ => self.new_state(),
        };
        let mut stmts = vec![first, second];
        for _ in 0..2 + self.dice.below(4) {
            let of = if self.dice.below(3) == 0 { &other } else { &one };
            let step = self.step(&base, of, &other);
            stmts.push(match self.dice.below(3) {
                0 => {
                    let (start, end) = (constant(0, SCALAR), self.about(9, SCALAR));
                    self.range((start, end), false, |_, _| step)
                }
                1 => {
                    let at = self.dice.below(2);
                    let cond = compare(Lt, &field(of, at), &self.about(9, SCALAR));
                    self.repeat(cond, step)
                }
                _ => StmtKind::Block(block(step)),
            });
        }
        stmts
    }

    fn new_state(&mut self) -> (Expr, StmtKind) {
        let parts = [0, 1].map(|_| self.number());
        self.state_var(made(parts))
    }

    fn state_var(&mut self, init: Expr) -> (Expr, StmtKind) {
        self.vars.push(Variable { name: "s".into(), ty: state(), mutable: true, kind: VarKind::Local });
        let var = VarId(self.vars.len() as u32 - 1);
        (Expr { kind: ExprKind::Var(var), ty: state() }, StmtKind::Let { var, init: Some(init) })
    }

    fn number(&mut self) -> Expr {
        match self.dice.below(3) {
            0 => self.leaf(SCALAR),
            1 => self.about(0, SCALAR),
            _ => self.about(8, SCALAR),
        }
    }

    /// A few changes of a struct, and an index by one of its fields.
    fn step(&mut self, base: &Expr, of: &Expr, other: &Expr) -> Vec<StmtKind> {
        let mut stmts = Vec::new();
        for _ in 0..1 + self.dice.below(3) {
            stmts.extend(self.changes(of, Some(other)));
        }
        let at = self.dice.below(2);
        let index = self.guarded_read(base, of, at);
        stmts.insert(self.dice.below(stmts.len() + 1), index);
        stmts
    }

    /// `if s.first < 12 { a[s.first] }`, or without the guard, or by what the guard does not speak of.
    fn guarded_read(&mut self, base: &Expr, of: &Expr, at: usize) -> StmtKind {
        let index = match self.dice.below(4) {
            0 => binary(Sub, &field(of, at), &constant(1, SCALAR)),
            1 => plus(&field(of, at), &self.about(1, SCALAR)),
            _ => field(of, at),
        };
        let read = self.at(base, index);
        let limit = self.about(12, SCALAR);
        match self.dice.below(6) {
            0 => read,
            1 => when(compare(BinaryOp::Gt, &field(of, at), &constant(0, SCALAR)), vec![read]),
            2 if self.is_kernel => {
                // What is compared is so after the call, or before it.
                let (call, less) = (self.changed_by_call(of), compare(Lt, &field(of, at), &limit));
                let called = compare(Lt, &call, &self.about(6, SCALAR));
                let StmtKind::Expr(element) = self.at(base, field(of, at)) else { return read };
                let element = compare(Lt, &element, &constant(5, Scalar::U32));
                let mut all = vec![called];
                all.extend((self.dice.below(2) == 0).then_some(element));
                all.insert(self.dice.below(2), less);
                let op = self.dice.pick(&[BinaryOp::And, BinaryOp::Or]);
                let both = |a: Expr, b: Expr| expr(ExprKind::Binary(op, a.into(), b.into()), Scalar::Bool);
                when(all.into_iter().reduce(both).expect("two or three"), vec![read])
            }
            3 if self.is_kernel => {
                // Of two calls in a condition, the second finds what the first has left.
                let [a, b] = [0, 1].map(|_| {
                    let called = self.changed_by_call(of);
                    compare(Lt, &called, &self.about(6, SCALAR))
                });
                let both = ExprKind::Binary(BinaryOp::And, a.clone().into(), b.into());
                let is_one = self.dice.below(2) == 0;
                when(if is_one { a } else { expr(both, Scalar::Bool) }, vec![read])
            }
            _ => when(compare(Lt, &field(of, at), &limit), vec![read]),
        }
    }

    /// A change of a struct.
    fn changes(&mut self, of: &Expr, other: Option<&Expr>) -> Vec<StmtKind> {
        let at = self.dice.below(2);
        let place = field(of, at);
        let least = self.about(12, SCALAR);
        match self.dice.below(if self.is_kernel { 9 } else { 6 }) {
            0 => vec![self.change(&place, Some(Add), constant(1, SCALAR))],
            1 => {
                let less = self.change(&place, Some(Sub), constant(1, SCALAR));
                vec![when(compare(BinaryOp::Gt, &place, &constant(0, SCALAR)), vec![less])]
            }
            2 => {
                let more = self.change(&place, Some(Add), constant(1, SCALAR));
                vec![when(compare(Lt, &place, &least), vec![more])]
            }
            3 => {
                let next = binary(Rem, &plus(&place, &constant(1, SCALAR)), &least);
                vec![self.change(&place, None, next)]
            }
            4 => {
                let from = other.unwrap_or(of);
                let parts = [self.dice.below(2), self.dice.below(2)].map(|at| field(from, at));
                let whole = match &of.ty {
                    Type::Ref { .. } => Expr { kind: ExprKind::Deref(of.clone().into()), ty: state() },
                    _ => of.clone(),
                };
                vec![self.change(&whole, None, made(parts))]
            }
            5 => {
                let new = match self.dice.below(3) {
                    0 => field(of, 1 - at),
                    _ => self.number(),
                };
                vec![self.change(&place, None, new)]
            }
            6 => {
                let new = self.changed_by_call(of);
                let place = other
                    .filter(|other| state_of(other) != state_of(of))
                    .map_or(place, |other| field(other, at));
                vec![self.change(&place, None, new)]
            }
            _ => vec![StmtKind::Expr(self.changed_by_call(of))],
        }
    }

    /// A call of a function that changes a struct; the number that it returns.
    fn changed_by_call(&mut self, of: &Expr) -> Expr {
        let function = self.dice.pick(&[CHANGES, DELEGATES]);
        let mut call = self.call_with(function, of);
        if self.dice.below(4) == 0
            && let ExprKind::Call { args, .. } = &mut call.kind
        {
            // An argument changes the struct before the call does.
            args[2] = self.call_with(CHANGES, of);
        }
        call
    }

    fn call_with(&mut self, function: FnId, of: &Expr) -> Expr {
        let mut call = self.call(function, Type::U64);
        let lent = match &of.ty {
            Type::Ref { .. } => of.clone(),
            _ => Expr { kind: ExprKind::Ref(of.clone().into()), ty: reference() },
        };
        if let ExprKind::Call { args, .. } = &mut call.kind {
            args.push(lent);
        }
        call
    }

    fn given_state(&mut self) -> Expr {
        self.vars.push(Variable { name: "s".into(), ty: reference(), mutable: false, kind: VarKind::Param });
        Expr { kind: ExprKind::Var(STATE), ty: reference() }
    }

    /// The body of the function that lets the other one change its struct.
    fn delegating(&mut self) -> Block {
        let of = self.given_state();
        let mut stmts = if self.dice.below(2) == 0 { self.changes(&of, None) } else { Vec::new() };
        let call = self.call_with(CHANGES, &of);
        stmts.push(match self.dice.below(3) {
            0 => StmtKind::Expr(call),
            _ => StmtKind::Return(Some(call)),
        });
        stmts.push(StmtKind::Return(Some(field(&of, 1))));
        Block { stmts: stmts.into_iter().map(|kind| Stmt { kind, at: AT }).collect() }
    }

    /// The body of the function that changes a struct.
    fn changing(&mut self) -> Block {
        let of = self.given_state();
        let base = self.store(12);
        let mut stmts = Vec::new();
        for _ in 0..1 + self.dice.below(3) {
            let at = self.dice.below(2);
            stmts.push(self.guarded_read(&base, &of, at));
            let changes = self.changes(&of, None);
            let returned =
                StmtKind::Return(Some(if self.dice.below(2) == 0 { field(&of, at) } else { self.number() }));
            let cond = compare(Lt, &field(&of, 1 - at), &self.about(5, SCALAR));
            match self.dice.below(4) {
                0 => stmts.push(when(cond, [changes, vec![returned]].concat())),
                1 => stmts.push(when(cond, vec![returned])),
                _ => stmts.extend(changes),
            }
        }
        stmts.push(StmtKind::Return(Some(field(&of, 0))));
        Block { stmts: stmts.into_iter().map(|kind| Stmt { kind, at: AT }).collect() }
    }
}
