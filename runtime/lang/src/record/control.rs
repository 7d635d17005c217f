//! Control flow: branches that give values, loops, and code that is known not to run.

use super::block::kept;
use super::escape::{Body, keep_temporaries};
use super::{Local, RecordError, Recorder};
use crate::ir::{
    Block, Closure, Expr, ExprKind, Location, LoopId, RangeLoop, StmtKind, Type, VarId, VarKind,
};

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

/// A loop that is being recorded.
pub(super) struct OpenLoop {
    id: LoopId,
    /// The location of the loop.
    at: Location,
    label: Option<&'static str>,
    result: Option<VarId>,
    result_ty: Type,
    cond: Expr,
    skipped: bool,
    breaks: bool,
    /// `#[unroll]` of a `while` or `loop`.
    unroll: Option<Option<u32>>,
    range: Option<RangeLoop>,
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

    fn open_loop(&mut self, label: Option<&'static str>, result_ty: Type, range: Option<RangeLoop>) {
        let frame = self.frame();
        frame.fresh = None;
        let (id, at) = (frame.new_loop(), frame.line);
        let cond = Expr { kind: ExprKind::Unit, ty: Type::BOOL };
        frame.loops.push(OpenLoop {
            id,
            at,
            label,
            result: None,
            result_ty,
            cond,
            skipped: false,
            breaks: false,
            unroll: None,
            range,
        });
    }

    /// Opens `loop`, which gives a value of type `ty`.
    pub fn loop_begin(&mut self, label: Option<&'static str>, ty: Type) {
        let ty = kept(ty);
        let is_value = !matches!(ty, Type::Unit | Type::Never);
        self.open_loop(label, ty.clone(), None);
        if is_value {
            let var = self.frame().new_var("", ty, true, VarKind::Local);
            self.push(StmtKind::Let { var, init: None });
            if let Some(open) = self.frame().loops.last_mut() {
                open.result = Some(var);
            }
        }
        self.frame().open();
    }

    /// Closes `loop`; its value.
    pub fn loop_end(&mut self) -> Expr {
        let body = self.frame().close();
        let Some(open) = self.frame().loops.pop() else { return Expr::unit() };
        self.frame().line = open.at;
        let body = Block { stmts: body.stmts };
        self.push(StmtKind::While { id: open.id, cond: Expr::bool(true), unroll: open.unroll, body });
        if !open.breaks {
            self.frame().block().dead = true;
            return Expr::never();
        }
        match open.result {
            Some(var) => {
                self.frame().fresh = Some(var);
                Expr { kind: ExprKind::Var(var), ty: open.result_ty }
            }
            None => Expr::unit(),
        }
    }

    /// The end of a labelled block, which is a loop that runs once.
    pub fn block_end(&mut self, label: Option<&str>, value: Expr) {
        if self.frame().block().dead {
            return;
        }
        let value = if matches!(value.ty, Type::Unit | Type::Never) {
            self.statement(value);
            None
        } else {
            Some(value)
        };
        self.break_(label, value);
    }

    /// `#[unroll]`, `#[unroll(N)]` of the `while` or `loop` just opened.
    pub fn unrolled(&mut self, unroll: Option<Option<u32>>) {
        if let Some(open) = self.frame().loops.last_mut() {
            open.unroll = unroll;
        }
    }

    /// Opens `while`; its condition is recorded next.
    pub fn while_begin(&mut self, label: Option<&'static str>) {
        self.open_loop(label, Type::Unit, None);
        self.frame().open();
    }

    /// The condition of the open `while`; returns whether its body is to be recorded.
    pub fn while_cond(&mut self, cond: Expr) -> bool {
        let needs_statements = !self.frame().block().stmts.is_empty();
        let skipped = cond.as_bool() == Some(false) && !needs_statements;
        let id = self.frame().loops.last().map(|open| open.id);
        let mut kept = cond;
        if needs_statements && let Some(id) = id {
            let leave = self.negate(kept);
            let at = self.location();
            let stop = Block { stmts: vec![crate::ir::Stmt { kind: StmtKind::Break(id), at }] };
            self.push(StmtKind::If { cond: leave, then: stop, otherwise: Block::default() });
            kept = Expr::bool(true);
        }
        if let Some(open) = self.frame().loops.last_mut() {
            open.cond = kept;
            open.breaks |= needs_statements;
            open.skipped = skipped;
        }
        !skipped
    }

    /// Closes `while`.
    pub fn while_end(&mut self) {
        let body = self.frame().close();
        let Some(open) = self.frame().loops.pop() else { return };
        self.frame().line = open.at;
        if !open.skipped {
            let endless = open.cond.as_bool() == Some(true) && !open.breaks;
            let body = Block { stmts: body.stmts };
            self.push(StmtKind::While { id: open.id, cond: open.cond, unroll: open.unroll, body });
            if endless {
                self.frame().block().dead = true;
            }
        }
    }

    /// Opens `for name in start..end`.
    pub fn for_begin(
        &mut self,
        label: Option<&'static str>,
        name: &str,
        mutable: bool,
        ty: Type,
        bounds: [Expr; 2],
        shape: RangeShape,
    ) -> Local {
        let [start, end] = bounds;
        let mut parts = vec![start, end];
        parts.extend(shape.step);
        self.sequence(&mut parts);
        let mut parts = parts.into_iter();
        let (start, end) = (parts.next().unwrap_or_else(Expr::unit), parts.next().unwrap_or_else(Expr::unit));
        let step = parts.next();
        if step.as_ref().and_then(Expr::as_int) == Some(0) {
            let at = self.location();
            self.fail(RecordError::ZeroStep { at });
        }
        let var = self.frame().new_var(name, ty.clone(), mutable, VarKind::Local);
        let range = RangeLoop {
            var,
            start,
            end,
            inclusive: shape.inclusive,
            step: step.filter(|s| s.as_int() != Some(1)),
            reversed: shape.reversed,
            unroll: shape.unroll,
            exact: false,
        };
        self.open_loop(label, Type::Unit, Some(range));
        self.frame().open();
        self.name(Expr { kind: ExprKind::Var(var), ty })
    }

    /// Closes `for`.
    pub fn for_end(&mut self) {
        let body = self.frame().close();
        let Some(open) = self.frame().loops.pop() else { return };
        self.frame().line = open.at;
        if let Some(range) = open.range.filter(|range| !is_empty(range)) {
            self.push(StmtKind::For { id: open.id, range, body: Block { stmts: body.stmts } });
        }
    }

    fn find_loop(&mut self, label: Option<&str>) -> Option<&mut OpenLoop> {
        self.frame().loops.iter_mut().rev().find(|open| label.is_none() || open.label == label)
    }

    /// `break`, `break 'label value`.
    pub fn break_(&mut self, label: Option<&str>, value: Option<Expr>) -> Expr {
        let dead = self.frame().block().dead;
        let Some(open) = self.find_loop(label) else { return Expr::never() };
        let (id, result, ty) = (open.id, open.result, open.result_ty.clone());
        if !dead {
            open.breaks = true;
        }
        if let Some(value) = value {
            match result {
                Some(var) => {
                    let value = self.coerce(value, &ty);
                    let place = Expr { kind: ExprKind::Var(var), ty };
                    self.push(StmtKind::Assign { place, op: None, value });
                }
                None => self.statement(value),
            }
        }
        self.push(StmtKind::Break(id));
        self.frame().block().dead = true;
        Expr::never()
    }

    /// `continue`, `continue 'label`.
    pub fn continue_(&mut self, label: Option<&str>) -> Expr {
        if let Some(id) = self.find_loop(label).map(|open| open.id) {
            self.push(StmtKind::Continue(id));
        }
        self.frame().block().dead = true;
        Expr::never()
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
        let closure = Closure { params, body, ret, by_value };
        Expr { kind: ExprKind::Closure(closure.into()), ty: Type::Closure }
    }

    /// Refuses a closure whose result CUDA cannot give, and keeps its temporaries.
    fn check_closure(&mut self, params: &[VarId], body: &mut Block, ret: &Type) {
        let at = self.location();
        if matches!(ret, Type::Ref { to, .. } if matches!(**to, Type::Slice(_) | Type::Shared { .. })) {
            self.fail(RecordError::ClosureSlice { at });
        }
        let mut vars = std::mem::take(&mut self.frame().vars);
        let kept = keep_temporaries(Body { name: "closure", params, block: body, vars: &mut vars, at });
        self.frame().vars = vars;
        if let Err(error) = kept {
            self.fail(error);
        }
    }
}

/// How a `for` loop walks its range.
#[derive(Default)]
pub struct RangeShape {
    /// `..=`
    pub inclusive: bool,
    /// `.step_by(step)`
    pub step: Option<Expr>,
    /// `.rev()`
    pub reversed: bool,
    /// `#[unroll]`, `#[unroll(N)]`
    pub unroll: Option<Option<u32>>,
}

/// Returns whether a loop is known to have no iteration.
fn is_empty(range: &RangeLoop) -> bool {
    match (range.start.as_int(), range.end.as_int()) {
        (Some(start), Some(end)) => start > end || (start == end && !range.inclusive),
        _ => false,
    }
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
