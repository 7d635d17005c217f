//! The values and branches that depend on the thread, the warp or the block.
//!
//! A forward analysis over structured control flow, repeated until the variance of no variable grows. A device function is
//! analysed once for all calls with the same variances of arguments, and checked once for all those under control of the
//! same variance: nested calls cost no more than the text. Undecidable cases pass: memory read at a uniform index counts as
//! uniform, so a loop that a shared flag steers is accepted.

use std::collections::{HashMap, HashSet};

use super::{ValidateError, Warning};
use crate::ir::{
    Block, Builtin, Effect, Expr, ExprKind, FnId, Function, KernelAttributes, Lanes, Lazy, Location, LoopId,
    Module, Stmt, StmtKind, SyncScope, Type, Variance, visit::runs_once,
};
use frame::{Control, Open, index_variance, root_local};

pub(super) use frame::Frame;

mod frame;
mod lent;

pub(super) fn check(module: &Module) -> Result<Vec<Warning>, ValidateError> {
    let mut warnings = Vec::new();
    let mut results = HashMap::new();
    for (kernel, attributes) in module.kernels() {
        let mut analysis = Analysis { module, attributes, warnings, results, checked: HashSet::new() };
        analysis.function(kernel, &[], &Control::default(), true)?;
        results = analysis.results;
        warnings = analysis.warnings;
    }
    Ok(warnings)
}

struct Analysis<'m> {
    module: &'m Module,
    /// The settings of the analysed kernel.
    attributes: &'m KernelAttributes,
    warnings: Vec<Warning>,
    /// The results of functions for arguments of these variances.
    results: HashMap<(FnId, Vec<Variance>), Variance>,
    /// Calls whose barriers were checked: the function, its arguments, and the control around it.
    checked: HashSet<(FnId, Vec<Variance>, Variance, bool)>,
}

impl<'m> Analysis<'m> {
    /// Analyses a function called with arguments of these variances, and reports what is wrong in it if asked to;
    /// the variance of its result.
    fn function(
        &mut self,
        function: &'m Function,
        args: &[Variance],
        control: &Control,
        report: bool,
    ) -> Result<Variance, ValidateError> {
        let vars = function.params.iter().copied().zip(args.iter().copied()).collect();
        let mut frame = Frame::new(function, vars);
        while frame.changed {
            frame.changed = false;
            frame.returned = None;
            self.block(&mut frame, &function.body, control, false)?;
        }
        if report {
            frame.returned = None;
            self.block(&mut frame, &function.body, control, true)?;
        }
        Ok(frame.result)
    }

    fn block(
        &mut self,
        frame: &mut Frame<'m>,
        block: &'m Block,
        control: &Control,
        report: bool,
    ) -> Result<(), ValidateError> {
        for stmt in &block.stmts {
            self.stmt(frame, stmt, control, report)?;
        }
        Ok(())
    }

    fn stmt(
        &mut self,
        frame: &mut Frame<'m>,
        stmt: &'m Stmt,
        control: &Control,
        report: bool,
    ) -> Result<(), ValidateError> {
        let control = &frame.behind_skips(control);
        let here = Control { at: control.at.or(Some(stmt.at)), ..control.clone() };
        for e in crate::ir::visit::operands(stmt) {
            self.effects(frame, e, &here, report)?;
        }
        match &stmt.kind {
            StmtKind::Let { var, init: Some(init) } => {
                let variance = self.value(frame, init)?;
                frame.raise(*var, variance);
            }
            StmtKind::Assign { place, value, .. } => {
                let variance =
                    self.value(frame, value)?.max(control.variance()).max(index_variance(frame, place));
                frame.write(place, variance);
            }
            StmtKind::If { cond, then, otherwise } => {
                let inner = self.under(frame, control, cond, stmt.at)?;
                let before = frame.skipped();
                self.block(frame, then, &inner, report)?;
                let after = frame.skipped();
                frame.set_skipped(before);
                self.block(frame, otherwise, &inner, report)?;
                frame.join_skipped(&after);
            }
            StmtKind::While { id, cond, body, .. } => {
                let mut inner = self.under(frame, control, cond, stmt.at)?;
                // Lanes that leave a loop early wait for the others, so leaving parts no lanes for ever.
                inner.parts = control.parts;
                self.loop_(frame, *id, inner, body, report)?;
            }
            StmtKind::For { id, range, body } => {
                let variance = [Some(&range.start), Some(&range.end), range.step.as_ref()];
                let variance =
                    variance.into_iter().flatten().map(|e| frame.value(e)).max().unwrap_or(Variance::Uniform);
                frame.raise(range.var, variance);
                let mut inner = self.under(frame, control, &range.end, stmt.at)?;
                inner.join(&self.under(frame, control, &range.start, stmt.at)?);
                inner.parts = control.parts;
                self.loop_(frame, *id, inner, body, report)?;
            }
            StmtKind::Block(body) => self.block(frame, body, control, report)?,
            StmtKind::Break(id) => frame.jump(*id, true, control),
            StmtKind::Continue(id) => frame.jump(*id, false, control),
            StmtKind::Return(value) => {
                let variance =
                    value.as_ref().map_or(Variance::Uniform, |e| frame.value(e)).max(control.variance());
                frame.result = frame.result.max(variance);
                if control.variance() > Variance::PerBlock {
                    frame.returned = Some(stmt.at);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn loop_(
        &mut self,
        frame: &mut Frame<'m>,
        id: LoopId,
        mut inner: Control,
        body: &'m Block,
        report: bool,
    ) -> Result<(), ValidateError> {
        if let Some(leaves) = frame.loops.get(&id) {
            inner.join(leaves);
        }
        frame.open.push(Open { id, is_block: runs_once(body, id), skipped: Control::default() });
        let result = self.block(frame, body, &inner, report);
        frame.open.pop();
        result
    }

    /// Control inside a branch on `cond`.
    fn under(
        &mut self,
        frame: &mut Frame<'m>,
        control: &Control,
        cond: &'m Expr,
        at: Location,
    ) -> Result<Control, ValidateError> {
        let variance = self.value(frame, cond)?;
        let mut inner = control.clone();
        inner.join(&Control {
            variance: Some(variance),
            // The message names the operand that varies most: within a warpgroup, if there is one.
            cause: frame.cause(
                cond,
                if variance > Variance::PerWarpgroup { Variance::PerWarpgroup } else { Variance::PerBlock },
            ),
            at: Some(at),
            parts: frame.parts(cond),
        });
        Ok(inner)
    }

    /// Variance of a value; calls are analysed with their arguments.
    fn value(&mut self, frame: &mut Frame<'m>, e: &'m Expr) -> Result<Variance, ValidateError> {
        let mut variance = frame.value(e);
        let mut calls = Vec::new();
        frame.varying_calls(e, &mut calls);
        for (function, args) in calls {
            variance = variance.max(self.result(function, args)?);
        }
        Ok(variance)
    }

    /// Variance of what a function gives for arguments of these variances.
    fn result(&mut self, id: FnId, args: Vec<Variance>) -> Result<Variance, ValidateError> {
        let call = (id, args);
        if let Some(known) = self.results.get(&call) {
            return Ok(*known);
        }
        // Only the result matters here; barriers are checked where the call is a statement's.
        let function = &self.module.functions[id.0 as usize];
        let result = self.function(function, &call.1, &Control::default(), false)?;
        self.results.insert(call, result);
        Ok(result)
    }

    /// Checks the barriers of a called function, once for all calls that are alike.
    fn called(&mut self, id: FnId, args: Vec<Variance>, control: &Control) -> Result<(), ValidateError> {
        if self.checked.insert((id, args.clone(), control.variance(), control.parts)) {
            self.function(&self.module.functions[id.0 as usize], &args, control, true)?;
        }
        Ok(())
    }

    /// Checks every builtin and call of an expression against the control it stands under.
    fn effects(
        &mut self,
        frame: &mut Frame<'m>,
        e: &'m Expr,
        control: &Control,
        report: bool,
    ) -> Result<(), ValidateError> {
        if let Some(Lazy { condition, parts }) = e.lazy() {
            self.effects(frame, condition, control, report)?;
            let inner = self.under(frame, control, condition, control.at.unwrap_or(frame.function.at))?;
            return parts.into_iter().try_for_each(|(part, _)| self.effects(frame, part, &inner, report));
        }
        for operand in e.operands() {
            self.effects(frame, operand, control, report)?;
        }
        match &e.kind {
            ExprKind::Builtin { op, args, at, .. } => {
                if let (true, Some((place, values))) = (op.by_reference, args.split_first())
                    && op.effect != Effect::Pure
                {
                    let values = values.iter().map(|e| frame.value(e)).max().unwrap_or(Variance::Uniform);
                    frame.write(place, values.max(control.variance()));
                }
                if let (true, Effect::Sync(scope)) = (report, op.effect) {
                    self.sync(frame, op, scope, args, *at, control)?;
                }
            }
            ExprKind::Call { function, args, .. } => {
                let given = args.iter().map(|arg| frame.value(arg)).max().unwrap_or(Variance::Uniform);
                for arg in args {
                    frame.give(arg, given.max(control.variance()));
                    if let ExprKind::Ref(place) = &arg.kind
                        && matches!(arg.ty, Type::Ref { mutable: true, .. })
                        && let Some(root) = root_local(frame.function, place)
                    {
                        frame.raise(root, Variance::PerThread);
                    }
                }
                if report {
                    let args: Vec<Variance> = args.iter().map(|a| frame.value(a)).collect();
                    self.called(*function, args, control)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn sync(
        &mut self,
        frame: &Frame<'m>,
        op: &Builtin,
        scope: SyncScope,
        args: &[Expr],
        at: Location,
        control: &Control,
    ) -> Result<(), ValidateError> {
        let cond = control.at.unwrap_or(at);
        if self.attributes.allow_divergent_barriers {
            return Ok(());
        }
        if scope == SyncScope::Warp {
            let full = match op.facts.lanes {
                Lanes::All => true,
                Lanes::Masked(mask) => args.get(mask).and_then(Expr::as_int) == Some(0xffff_ffff),
                Lanes::Any => false,
            };
            if full && control.parts && control.variance() == Variance::PerThread {
                return Err(ValidateError::DivergentWarp {
                    operation: op.name.shown(),
                    cause: control.cause.clone(),
                    at,
                    cond,
                });
            }
            return Ok(());
        }
        if scope == SyncScope::Warpgroup {
            return match control.variance() > Variance::PerWarpgroup {
                true => Err(ValidateError::DivergentWarpgroup {
                    operation: op.name.shown(),
                    cause: control.cause.clone(),
                    at,
                    cond,
                }),
                false => Ok(()),
            };
        }
        if control.variance() > Variance::PerBlock {
            return Err(ValidateError::DivergentBarrier {
                barrier: op.name.shown(),
                whole: scope.threads(),
                cause: control.cause.clone(),
                at,
                cond,
            });
        }
        if let Some(returned) = frame.returned {
            let warning = Warning::EarlyReturn { at: returned, barrier: at };
            let known = |w: &Warning| matches!(w, Warning::EarlyReturn { at, .. } if *at == returned);
            if !self.warnings.iter().any(known) {
                self.warnings.push(warning);
            }
        }
        Ok(())
    }
}
