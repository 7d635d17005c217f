//! Control flow: branches that give values, closures, and what leaves a function.

use super::block::kept;
use super::escape::{Body, keep_temporaries};
use super::{Local, RecordError, Recorder};
use crate::ir::{Block, Closure, Expr, ExprKind, Location, StmtKind, Type, VarId, VarKind};

/// An `if` that is being recorded.
pub(super) struct Choice {
    pub(super) cond: Expr,
    /// The location of the `if`, which differs from that of its last statement.
    pub(super) at: Location,
    /// The decision of a constant condition.
    pub(super) known: Option<bool>,
    then: Option<Block>,
    then_dead: bool,
    pub(super) then_value: Option<Expr>,
    else_value: Option<Expr>,
    /// The locations of the branches' values.
    values_at: [Location; 2],
    in_else: bool,
}

impl Recorder {
    /// Opens `if cond`; returns whether the `then` branch is to be recorded.
    pub fn if_then(&mut self, cond: Expr) -> bool {
        let known = cond.as_bool();
        let frame = self.frame();
        frame.fresh = None;
        let at = frame.line;
        frame.choices.push(Choice {
            cond,
            at,
            known,
            then: None,
            then_dead: false,
            then_value: None,
            else_value: None,
            values_at: [at; 2],
            in_else: false,
        });
        if known.is_none() {
            frame.open();
        }
        known != Some(false)
    }

    /// The value of the branch just recorded.
    pub fn if_value(&mut self, value: Expr) {
        let value = if value.ty == Type::Unit {
            self.statement(value);
            Expr::unit()
        } else {
            value
        };
        let at = self.location();
        if let Some(choice) = self.frame().choices.last_mut() {
            choice.values_at[usize::from(choice.in_else)] = at;
            let slot = if choice.in_else { &mut choice.else_value } else { &mut choice.then_value };
            *slot = Some(value);
        }
    }

    /// Closes the `then` branch and opens the `else` branch; returns whether that is to be recorded.
    pub fn if_else(&mut self) -> bool {
        let frame = self.frame();
        let Some(known) = frame.choices.last().map(|c| c.known) else { return false };
        let closed = if known.is_none() { Some(frame.close()) } else { None };
        if known.is_none() {
            frame.open();
        }
        if let Some(choice) = frame.choices.last_mut() {
            choice.in_else = true;
            if let Some(closed) = closed {
                choice.then_dead = closed.dead;
                choice.then = Some(Block { stmts: closed.stmts });
            }
        }
        known != Some(true)
    }

    /// Opens several choices, each in the `else` of the one before.
    pub fn choices_begin(&mut self) -> usize {
        self.frame().choices.len()
    }

    /// Closes all choices that were opened since; the value of the first.
    pub fn choices_end(&mut self, outer: usize) -> Expr {
        loop {
            let value = self.if_end();
            if self.frame().choices.len() <= outer {
                return value;
            }
            self.if_value(value);
        }
    }

    /// Closes the `if`; its value.
    pub fn if_end(&mut self) -> Expr {
        let Some(choice) = self.frame().choices.pop() else { return Expr::unit() };
        self.frame().line = choice.at;
        if let Some(known) = choice.known {
            let value = if known { choice.then_value } else { choice.else_value };
            return value.unwrap_or_else(Expr::unit);
        }
        let closed = self.frame().close();
        let mut then = choice.then.unwrap_or_default();
        let mut otherwise = Block { stmts: closed.stmts };
        let [then_value, else_value] =
            [choice.then_value, choice.else_value].map(|value| self.moved(value.unwrap_or_else(Expr::unit)));
        let both_dead = choice.then_dead && closed.dead;
        let ty = then_value.ty.joined(&else_value.ty);
        let [then_value, else_value] = [then_value, else_value].map(|value| self.coerce(value, &ty));
        let is_value = !matches!(ty, Type::Unit | Type::Never) && !both_dead;
        if is_value
            && selectable(&ty)
            && then.stmts.is_empty()
            && otherwise.stmts.is_empty()
            && !choice.then_dead
            && !closed.dead
        {
            match (then_value.as_bool(), else_value.as_bool()) {
                (Some(true), Some(false)) => return choice.cond,
                (Some(false), Some(true)) => return self.unary(crate::ir::UnaryOp::Not, choice.cond),
                _ => {}
            }
            let kind = ExprKind::Select(choice.cond.into(), then_value.into(), else_value.into());
            return Expr { kind, ty };
        }
        let mut result = Expr { kind: ExprKind::Unit, ty: ty.clone() };
        if is_value {
            let var = self.frame().new_var("", ty.clone(), true, VarKind::Local);
            result.kind = ExprKind::Var(var);
            self.push(StmtKind::Let { var, init: None });
            let [then_at, else_at] = choice.values_at;
            finish_branch(&mut then, choice.then_dead, &result, then_value, then_at);
            finish_branch(&mut otherwise, closed.dead, &result, else_value, else_at);
            self.frame().fresh = Some(var);
        }
        if !(then.stmts.is_empty() && otherwise.stmts.is_empty() && !choice.cond.has_effect()) {
            self.push(StmtKind::If { cond: choice.cond, then, otherwise });
        }
        if both_dead {
            self.frame().block().dead = true;
            return Expr::never();
        }
        result
    }

    /// `!cond`, folded.
    pub(super) fn negate(&mut self, cond: Expr) -> Expr {
        self.unary(crate::ir::UnaryOp::Not, cond)
    }

    /// `return value`.
    pub fn return_(&mut self, value: Option<Expr>) -> Expr {
        match value {
            Some(value) if value.ty == Type::Unit || value.ty == Type::Never => {
                self.statement(value);
                self.push(StmtKind::Return(None));
            }
            Some(value) => {
                let value = self.result(value);
                self.push(StmtKind::Return(Some(value)));
            }
            None => self.push(StmtKind::Return(None)),
        }
        self.frame().block().dead = true;
        Expr::never()
    }

    /// The value at the end of a function's body.
    pub fn finish(&mut self, value: Expr) {
        if matches!(value.ty, Type::Unit | Type::Never) {
            self.statement(value);
        } else {
            let value = self.result(value);
            self.push(StmtKind::Return(Some(value)));
        }
    }

    /// A value as the function's result; a closure's result has no declared type.
    fn result(&mut self, value: Expr) -> Expr {
        let ty = self.frame().ret.clone();
        if self.frame().closures.is_empty() && ty != Type::Unit { self.coerce(value, &ty) } else { value }
    }

    /// Opens a closure; its parameters are declared next, by [`Recorder::closure_arg`].
    pub fn closure_begin(&mut self) {
        let frame = self.frame();
        frame.open();
        let loops = std::mem::take(&mut frame.loops);
        frame.closures.push((loops, Vec::new()));
    }

    /// Declares a parameter of the open closure.
    pub fn closure_arg(&mut self, name: &str, mutable: bool, ty: Type) -> Local {
        let ty = kept(ty);
        let frame = self.frame();
        let var = frame.new_var(name, ty.clone(), mutable, VarKind::Param);
        if let Some((_, params)) = frame.closures.last_mut() {
            params.push(var);
        }
        self.name(Expr { kind: ExprKind::Var(var), ty })
    }

    /// Closes a closure whose body gives `value`.
    pub fn closure_end(&mut self, by_value: bool, ret: Type, value: Expr) -> Expr {
        self.finish(value);
        let frame = self.frame();
        let mut body = Block { stmts: frame.close().stmts };
        let (loops, params) = frame.closures.pop().unwrap_or_default();
        frame.loops = loops;
        self.check_closure(&params, &mut body, &ret);
        let ret = kept(ret);
        let closure = Closure { params, body, ret, by_value };
        Expr { kind: ExprKind::Closure(closure.into()), ty: Type::Closure }
    }

    /// Refuses a result of which a value in CUDA does not tell the extents.
    pub(super) fn check_result(&mut self, function: String, ret: &Type) {
        if matches!(ret, Type::Ref { to, .. } if matches!(**to, Type::Shared { rank: 2.., .. })) {
            let at = self.location();
            self.fail(RecordError::SharedResult { function, at });
        }
    }

    /// What a call gives: a slice has a name, by which its address and its length are used apart.
    pub(super) fn given(&mut self, call: Expr) -> Expr {
        if is_one_slice(&call.ty) { self.bind_always(call) } else { call }
    }

    /// Refuses a closure whose result CUDA cannot give, and keeps its temporaries.
    fn check_closure(&mut self, params: &[VarId], body: &mut Block, ret: &Type) {
        let at = self.location();
        self.check_result("closure".to_owned(), ret);
        let mut vars = std::mem::take(&mut self.frame().vars);
        let gives = &self.gives;
        let kept =
            keep_temporaries(Body { name: "closure", params, block: body, vars: &mut vars, at, gives });
        self.frame().vars = vars;
        if let Err(error) = kept {
            self.fail(error);
        }
    }
}

/// Returns whether a value is a slice, or a shared array of one dimension that is lent.
pub(super) fn is_one_slice(ty: &Type) -> bool {
    matches!(ty, Type::Ref { to, .. } if matches!(**to, Type::Slice(_) | Type::Shared { rank: 1, .. }))
}

/// Returns whether `c ? a : b` may give a value of the type: NVRTC crashes on some classes.
fn selectable(ty: &Type) -> bool {
    match ty {
        Type::Scalar(s) => !s.is_half(),
        Type::Enum(e) => e.is_plain(),
        Type::Ptr { .. } => true,
        Type::Ref { to, .. } => !to.is_described(),
        _ => false,
    }
}

/// Ends a branch with the assignment of its value.
fn finish_branch(branch: &mut Block, dead: bool, result: &Expr, value: Expr, at: Location) {
    if !dead && value.ty != Type::Never {
        let kind = StmtKind::Assign { place: result.clone(), op: None, value };
        branch.stmts.push(crate::ir::Stmt { kind, at });
    }
}
