//! One function under analysis: the variances of its variables, and the control around a statement.

use std::collections::HashMap;

use super::lent::Lent;
use crate::ir::{Expr, ExprKind, FnId, Function, Location, LoopId, StmtKind, Type, VarId, VarKind, Variance};

/// The reason why control is here: the most varying condition around it.
#[derive(Clone, Default)]
pub(super) struct Control {
    pub(super) variance: Option<Variance>,
    pub(super) cause: String,
    pub(super) at: Option<Location>,
    /// Whether lanes of one warp certainly part.
    pub(super) parts: bool,
}

impl Control {
    pub(super) fn variance(&self) -> Variance {
        self.variance.unwrap_or(Variance::Uniform)
    }

    pub(super) fn join(&mut self, other: &Control) {
        if other.variance() > self.variance() {
            let parts = self.parts || other.parts;
            *self = other.clone();
            self.parts = parts;
        } else {
            self.parts |= other.parts;
        }
    }
}

/// One function while it is analysed.
pub(in crate::validate) struct Frame<'f> {
    pub(super) function: &'f Function,
    /// The initial values of immutable variables.
    pub(in crate::validate) definitions: HashMap<VarId, &'f Expr>,
    lent: Lent<'f>,
    vars: HashMap<VarId, Variance>,
    pub(super) loops: HashMap<LoopId, Control>,
    /// The loops around the current statement, innermost last.
    pub(super) open: Vec<Open>,
    pub(super) result: Variance,
    pub(super) returned: Option<Location>,
    pub(super) changed: bool,
}

/// A loop around a statement.
pub(super) struct Open {
    pub(super) id: LoopId,
    /// Whether it is a labelled block; `break` skips the rest of it.
    pub(super) is_block: bool,
    /// The `continue` by which threads may have skipped the rest of this iteration.
    pub(super) skipped: Control,
}

impl<'f> Frame<'f> {
    /// A function whose parameters have these variances.
    pub(super) fn new(function: &'f Function, vars: HashMap<VarId, Variance>) -> Self {
        Frame {
            function,
            definitions: definitions(function),
            lent: Lent::of(function),
            vars,
            loops: HashMap::new(),
            open: Vec::new(),
            result: Variance::Uniform,
            returned: None,
            changed: true,
        }
    }

    /// Control of a statement behind the `continue`s of the loops around it.
    pub(super) fn behind_skips(&self, control: &Control) -> Control {
        let mut control = control.clone();
        self.open.iter().for_each(|open| control.join(&open.skipped));
        control
    }

    /// The code skipped so far, in each loop around.
    pub(super) fn skipped(&self) -> Vec<Control> {
        self.open.iter().map(|open| open.skipped.clone()).collect()
    }

    pub(super) fn set_skipped(&mut self, skipped: Vec<Control>) {
        self.open.iter_mut().zip(skipped).for_each(|(open, skipped)| open.skipped = skipped);
    }

    pub(super) fn join_skipped(&mut self, skipped: &[Control]) {
        self.open.iter_mut().zip(skipped).for_each(|(open, skipped)| open.skipped.join(skipped));
    }

    /// A `break` or `continue` under some control. Threads that continue with the next iteration meet the others at its
    /// first barrier: they are missing only in the rest of this iteration. Threads that leave a loop are missing in all of
    /// it.
    pub(super) fn jump(&mut self, id: LoopId, is_break: bool, control: &Control) {
        if control.variance() == Variance::Uniform {
            return;
        }
        let Some(target) = self.open.iter().position(|open| open.id == id) else { return };
        let skips = !is_break || self.open[target].is_block;
        let left = self.open[target + usize::from(skips)..].iter().filter(|open| !open.is_block);
        let left: Vec<LoopId> = left.map(|open| open.id).collect();
        if skips {
            self.open[target].skipped.join(control);
        }
        for id in left {
            let known = self.loops.entry(id).or_default();
            if control.variance() > known.variance() {
                known.join(&Control { parts: false, ..control.clone() });
                self.changed = true;
            }
        }
    }

    fn var(&self, id: VarId) -> Variance {
        self.vars.get(&id).copied().unwrap_or(Variance::Uniform)
    }

    /// A value of a variance is written to a place, also by a reference.
    pub(super) fn write(&mut self, place: &Expr, variance: Variance) {
        for var in self.lent.written(place) {
            self.raise(var, variance);
        }
    }

    /// A function that is given values of a variance may write them by a reference.
    pub(super) fn give(&mut self, reference: &Expr, variance: Variance) {
        for var in self.lent.given(reference) {
            self.raise(var, variance);
        }
    }

    pub(super) fn raise(&mut self, id: VarId, variance: Variance) {
        if variance > self.var(id) {
            self.vars.insert(id, variance);
            self.changed = true;
        }
    }

    /// Variance of a value.
    pub(super) fn value(&self, e: &Expr) -> Variance {
        let operands = || e.operands().into_iter().map(|o| self.value(o)).max().unwrap_or(Variance::Uniform);
        match &e.kind {
            ExprKind::Var(id) => self.var(*id),
            ExprKind::Builtin { op, .. } if op.fixes_variance => op.variance,
            ExprKind::Builtin { op, .. } => operands().max(op.variance),
            ExprKind::Binary(op, a, b) if self.is_warpgroup_test(*op, a, b) => Variance::PerWarpgroup,
            ExprKind::Binary(op, a, b) if self.is_warp_test(*op, a, b) => Variance::PerWarp,
            ExprKind::CallClosure { .. } => Variance::PerThread,
            ExprKind::Closure(_) => Variance::Uniform,
            _ => operands(),
        }
    }

    /// Adds the calls whose results a value depends on, with the variances of their arguments: none within a builtin whose result
    /// varies the same whatever it is given.
    pub(super) fn varying_calls(&self, e: &Expr, calls: &mut Vec<(FnId, Vec<Variance>)>) {
        match &e.kind {
            ExprKind::Builtin { op, .. } if op.fixes_variance => return,
            ExprKind::Call { function, args, .. } => {
                calls.push((*function, args.iter().map(|a| self.value(a)).collect()));
            }
            _ => {}
        }
        e.each_operand(|operand| self.varying_calls(operand, calls));
    }

    /// The name in an expression that makes it vary by more than `limit`.
    pub(super) fn cause(&self, e: &Expr, limit: Variance) -> String {
        let mut cause = None;
        crate::ir::visit::expr(e, &mut |part| {
            if cause.is_none() && self.value(part) > limit {
                cause = match &part.kind {
                    ExprKind::Var(id) if !self.function.var(*id).name.is_empty() => {
                        Some(self.function.var(*id).name.clone())
                    }
                    ExprKind::Builtin { op, .. } => Some(format!("{}()", op.name)),
                    _ => None,
                };
            }
        });
        cause.unwrap_or_else(|| "a value of the thread".to_owned())
    }
}

/// The initial values of the immutable variables of a function.
fn definitions(function: &Function) -> HashMap<VarId, &Expr> {
    let mut found = HashMap::new();
    crate::ir::visit::stmts(&function.body, &mut |stmt| {
        if let StmtKind::Let { var, init: Some(init) } = &stmt.kind
            && !function.var(*var).mutable
        {
            found.insert(*var, init);
        }
    });
    found
}

/// The local variable that a place is in, if it is one of the thread's own.
pub(super) fn root_local(function: &Function, place: &Expr) -> Option<VarId> {
    match &place.kind {
        ExprKind::Var(id) if matches!(function.var(*id).kind, VarKind::Local | VarKind::Param) => Some(*id),
        ExprKind::Field(base, _) => root_local(function, base),
        ExprKind::Index { base, .. } if matches!(base.ty, Type::Array(..)) => root_local(function, base),
        _ => None,
    }
}
/// Variance of the indices of a place.
pub(super) fn index_variance(frame: &Frame<'_>, place: &Expr) -> Variance {
    match &place.kind {
        ExprKind::Index { base, index, .. } => frame.value(index).max(index_variance(frame, base)),
        ExprKind::Field(base, _) => index_variance(frame, base),
        _ => Variance::Uniform,
    }
}
