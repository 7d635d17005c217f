//! Loops and labelled blocks, and what leaves them.

use super::block::kept;
use super::{Local, RecordError, Recorder};
use crate::ir::{Block, Expr, ExprKind, Location, LoopId, RangeLoop, StmtKind, Type, VarId, VarKind};

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
        self.open_loop(label, Some(Type::Unit), Some(range));
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
        self.frame().loops.iter_mut().rev().find(|open| match label {
            Some(_) => open.label == label,
            None => !open.is_block,
        })
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
        if let Some(id) = self.find_loop(label).map(|open| open.id) {
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
