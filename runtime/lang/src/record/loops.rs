//! Loops and labelled blocks, and what leaves them.

use super::block::kept;
use super::{Local, RecordError, Recorder};
use crate::ir::{
    AssertFailure, BinaryOp, Block, ConstValue, Expr, ExprKind, Location, LoopId, Proof, RangeLoop, StmtKind,
    Type, VarId, VarKind, visit,
};

/// The words of Rust's `step_by` for a step of zero.
pub const ZERO_STEP: &str = "assertion failed: step != 0";

/// A loop that is being recorded.
pub(super) struct OpenLoop {
    id: LoopId,
    /// The location of the loop.
    at: Location,
    label: Option<&'static str>,
    /// A block that `break` leaves by its label alone.
    is_block: bool,
    result: Option<VarId>,
    /// `None` until a value that leaves a block gives it.
    result_ty: Option<Type>,
    /// The variable of the value is declared once the block is closed.
    declares: bool,
    cond: Expr,
    skipped: bool,
    breaks: bool,
    /// Whether it walks items of an item of the loop around it, of which it is a part: `break` leaves both.
    is_inner: bool,
    /// `#[unroll]` of a `while` or `loop`.
    unroll: Option<Option<u32>>,
    range: Option<RangeLoop>,
}

impl Recorder {
    fn open_loop(&mut self, label: Option<&'static str>, result_ty: Option<Type>, range: Option<RangeLoop>) {
        let frame = self.frame();
        frame.fresh = None;
        let (id, at) = (frame.new_loop(), frame.line);
        let cond = Expr { kind: ExprKind::Unit, ty: Type::BOOL };
        frame.loops.push(OpenLoop {
            id,
            at,
            label,
            is_block: false,
            result: None,
            result_ty,
            declares: false,
            cond,
            skipped: false,
            breaks: false,
            is_inner: false,
            unroll: None,
            range,
        });
    }

    /// Opens `loop`, which gives a value of type `ty`.
    pub fn loop_begin(&mut self, label: Option<&'static str>, ty: Type) {
        let ty = kept(ty);
        let is_value = !matches!(ty, Type::Unit | Type::Never);
        self.open_loop(label, Some(ty.clone()), None);
        if is_value {
            let var = self.frame().new_var("", ty, true, VarKind::Local);
            self.push(StmtKind::Let { var, init: None });
            if let Some(open) = self.frame().loops.last_mut() {
                open.result = Some(var);
            }
        }
        self.frame().open();
    }

    /// Opens a labelled block, which is a loop that runs once. Without a type, the first value that leaves it gives that.
    pub fn block_begin(&mut self, label: &'static str, ty: Option<Type>) {
        match ty {
            Some(ty) => self.loop_begin(Some(label), ty),
            None => {
                self.open_loop(Some(label), None, None);
                self.frame().open();
            }
        }
        if let Some(open) = self.frame().loops.last_mut() {
            open.is_block = true;
        }
    }

    /// Closes `loop`, or a labelled block; its value.
    pub fn loop_end(&mut self) -> Expr {
        let body = self.frame().close();
        let Some(open) = self.frame().loops.pop() else { return Expr::unit() };
        self.frame().line = open.at;
        if let (Some(var), true) = (open.result, open.declares) {
            self.push(StmtKind::Let { var, init: None });
        }
        let body = Block { stmts: body.stmts };
        self.push(StmtKind::While { id: open.id, cond: Expr::bool(true), unroll: open.unroll, body });
        if !open.breaks {
            self.frame().block().dead = true;
            return Expr::never();
        }
        match open.result {
            Some(var) => {
                self.frame().fresh = Some(var);
                Expr { kind: ExprKind::Var(var), ty: open.result_ty.unwrap_or(Type::Unit) }
            }
            None => Expr::unit(),
        }
    }

    /// The end of a labelled block.
    pub fn block_end(&mut self, label: &'static str, value: Expr) {
        if self.frame().block().dead {
            return;
        }
        let value = if matches!(value.ty, Type::Unit | Type::Never) {
            self.statement(value);
            None
        } else {
            Some(value)
        };
        self.break_(Some(label), value);
    }

    /// `#[unroll]`, `#[unroll(N)]` of the `while` or `loop` just opened.
    pub fn unrolled(&mut self, unroll: Option<Option<u32>>) {
        if let Some(open) = self.frame().loops.last_mut() {
            open.unroll = unroll;
        }
    }

    /// Opens `while`; its condition is recorded next.
    pub fn while_begin(&mut self, label: Option<&'static str>) {
        self.open_loop(label, Some(Type::Unit), None);
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
        let Some(step) = shape.step else {
            let mut bounds = bounds;
            self.sequence(&mut bounds);
            return self.range_begin(label, name, mutable, ty, bounds, shape);
        };
        let [start, end] = bounds;
        let mut parts = [start, end, step];
        self.sequence(&mut parts);
        let [mut start, mut end, step] = parts;
        if step.as_int().is_none() {
            // Rust evaluates them before it looks at the step.
            (start, end) = (self.settled(start, "start"), self.settled(end, "end"));
        }
        let step = Some(self.nonzero_step(step));
        self.range_begin(label, name, mutable, ty, [start, end], RangeShape { step, ..shape })
    }

    /// Opens a loop over a range whose parts are evaluated in any order.
    pub(super) fn range_begin(
        &mut self,
        label: Option<&'static str>,
        name: &str,
        mutable: bool,
        ty: Type,
        [start, end]: [Expr; 2],
        shape: RangeShape,
    ) -> Local {
        let var = self.frame().new_var(name, ty.clone(), mutable, VarKind::Local);
        let range = RangeLoop {
            var,
            start,
            end,
            inclusive: shape.inclusive,
            step: shape.step.filter(|s| s.as_int() != Some(1)),
            reversed: shape.reversed,
            unroll: shape.unroll,
            exact: false,
        };
        self.open_loop(label, Some(Type::Unit), Some(range));
        self.frame().open();
        self.name(Expr { kind: ExprKind::Var(var), ty })
    }

    /// A step, which Rust asserts not to be zero.
    pub(super) fn nonzero_step(&mut self, step: Expr) -> Expr {
        if let Some(known) = step.as_int() {
            if known == 0 {
                let at = self.location();
                self.fail(RecordError::ZeroStep { at });
            }
            return step;
        }
        let step = self.settled(step, "step");
        let zero = Expr::constant(ConstValue::Int(0), step.ty.clone());
        let cond = self.binary(BinaryOp::Ne, step.clone(), zero);
        let failure = AssertFailure::Message(ZERO_STEP.to_owned());
        self.push(StmtKind::Assert { cond, failure, debug: true, proof: Proof::Open });
        step
    }

    /// A number that neither changes nor fails from here on.
    fn settled(&mut self, number: Expr, name: &str) -> Expr {
        let mut is_indexed = false;
        visit::expr(&number, &mut |e| is_indexed |= matches!(e.kind, ExprKind::Index { .. }));
        if number.ty == Type::Never || !is_indexed && self.is_stable(&number) {
            return number;
        }
        let ty = number.ty.clone();
        let var = self.frame().new_var(name, ty.clone(), false, VarKind::Local);
        self.push(StmtKind::Let { var, init: Some(number) });
        Expr { kind: ExprKind::Var(var), ty }
    }

    /// The loop of the iterator whose item is being recorded.
    pub(super) fn items_loop(&mut self) -> Option<LoopId> {
        self.find_loop(None).map(|open| open.id)
    }

    /// Makes a loop a part of the loop around it.
    pub(super) fn make_inner(&mut self, id: Option<LoopId>) {
        if let Some(open) = self.frame().loops.iter_mut().find(|open| Some(open.id) == id) {
            open.is_inner = true;
        }
    }

    /// Leaves a loop.
    pub(super) fn leave(&mut self, id: Option<LoopId>) -> Expr {
        let dead = self.frame().block().dead;
        let Some(open) = self.frame().loops.iter_mut().find(|open| Some(open.id) == id) else {
            return Expr::never();
        };
        open.breaks |= !dead;
        let id = open.id;
        self.push(StmtKind::Break(id));
        self.frame().block().dead = true;
        Expr::never()
    }

    /// Closes `for`, and the loops that are parts of it.
    pub fn for_end(&mut self) {
        while self.frame().loops.last().is_some_and(|open| open.is_inner) {
            self.innermost_end();
        }
        self.innermost_end();
    }

    fn innermost_end(&mut self) {
        if self.frame().loops.last().is_some_and(|open| open.range.is_none()) {
            return self.while_end();
        }
        let body = self.frame().close();
        let Some(open) = self.frame().loops.pop() else { return };
        self.frame().line = open.at;
        if let Some(range) = open.range.filter(|range| !is_empty(range)) {
            self.push(StmtKind::For { id: open.id, range, body: Block { stmts: body.stmts } });
        }
    }

    /// The loop that `break` leaves.
    fn find_loop(&mut self, label: Option<&str>) -> Option<&mut OpenLoop> {
        self.frame().loops.iter_mut().rev().find(|open| match label {
            Some(_) => open.label == label,
            None => !open.is_block && !open.is_inner,
        })
    }

    /// The loop of which `continue` begins the next step: the innermost part of the one that `break` leaves.
    fn find_next(&mut self, label: Option<&str>) -> Option<LoopId> {
        let left = self.find_loop(label)?.id;
        let mut from = self.frame().loops.iter().skip_while(|open| open.id != left);
        let own = from.next()?.id;
        Some(from.take_while(|open| open.is_inner).last().map_or(own, |inner| inner.id))
    }

    /// `break`, `break 'label value`.
    pub fn break_(&mut self, label: Option<&str>, value: Option<Expr>) -> Expr {
        let dead = self.frame().block().dead;
        let Some(open) = self.find_loop(label) else { return Expr::never() };
        let id = open.id;
        if !dead {
            open.breaks = true;
        }
        if let Some(value) = value {
            match self.result_of(label, &value.ty) {
                Some(place) => {
                    let value = self.coerce(value, &place.ty);
                    self.push(StmtKind::Assign { place, op: None, value });
                }
                None => self.statement(value),
            }
        }
        self.push(StmtKind::Break(id));
        self.frame().block().dead = true;
        Expr::never()
    }

    /// The variable of the value of a loop or block, which has a variable of `ty` if nothing said its type before.
    fn result_of(&mut self, label: Option<&str>, ty: &Type) -> Option<Expr> {
        let open = self.find_loop(label)?;
        if let Some(ty) = open.result_ty.clone() {
            return open.result.map(|var| Expr { kind: ExprKind::Var(var), ty });
        }
        let ty = kept(ty.clone());
        let var = self.frame().new_var("", ty.clone(), true, VarKind::Local);
        let open = self.find_loop(label)?;
        (open.result, open.result_ty, open.declares) = (Some(var), Some(ty.clone()), true);
        Some(Expr { kind: ExprKind::Var(var), ty })
    }

    /// `continue`, `continue 'label`.
    pub fn continue_(&mut self, label: Option<&str>) -> Expr {
        if let Some(id) = self.find_next(label) {
            self.push(StmtKind::Continue(id));
        }
        self.frame().block().dead = true;
        Expr::never()
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
