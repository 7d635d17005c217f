//! Branches and loops.

use super::{Binding, Label, Lower, OpenLoop, Result};
use crate::interpreter::numeric;
use crate::interpreter::program::{Op, Site, Slot};
use crate::ir::{Block, Expr, LoopId, RangeLoop, Scalar, Type};

impl<'m> Lower<'m> {
    pub(super) fn if_(&mut self, cond: &'m Expr, then: &'m Block, otherwise: &'m Block) -> Result<()> {
        let (other, end) = (self.label(), self.label());
        self.jump_if(cond, other, false)?;
        self.block(then)?;
        if !otherwise.stmts.is_empty() {
            self.jump(end);
        }
        self.here(other);
        self.block(otherwise)?;
        self.here(end);
        Ok(())
    }

    pub(super) fn while_(&mut self, id: LoopId, cond: &'m Expr, body: &'m Block) -> Result<()> {
        let (next, end) = (self.label(), self.label());
        let kept = self.enter();
        self.here(next);
        self.iterate(kept);
        self.jump_if(cond, end, false)?;
        self.body(OpenLoop { id, next, end }, body)?;
        self.jump(next);
        self.here(end);
        self.exit(kept);
        Ok(())
    }

    pub(super) fn for_(&mut self, id: LoopId, range: &'m RangeLoop, body: &'m Block) -> Result<()> {
        let ty = &self.scopes[self.scope].function.var(range.var).ty;
        let scalar = ty.scalar().unwrap_or(Scalar::U64);
        let Some(walk) = numeric::walk(range, scalar) else {
            return self.unsupported("a loop over a range of no integers");
        };
        let (start, end) = (self.owned(&range.start)?, self.owned(&range.end)?);
        let step = self.step(range)?;
        let counter = self.slot(ty);
        let more = self.slot(&Type::BOOL);
        let (top, next, done) = (self.label(), self.label(), self.label());
        let kept = self.enter();
        // Nobody asks which way the loop goes: one operation decides it and jumps.
        let plain = !self.options.watch.branches;
        if plain {
            self.push(Op::Begin { f: walk.first, counter, start, end, to: done.0 });
        } else {
            self.push(Op::First { f: walk.first, counter, start, end, some: more });
            self.goes_on(more, done, false);
        }
        self.here(top);
        let site = self.iterate(kept);
        self.counter(range, counter);
        self.body(OpenLoop { id, next, end: done }, body)?;
        self.here(next);
        if self.watched() {
            self.push(Op::Resume { kept, site });
        }
        let bound = if range.reversed { start } else { end };
        if plain {
            self.push(Op::Again { f: walk.next, counter, bound, step, to: top.0 });
        } else {
            self.push(Op::Next { f: walk.next, counter, bound, step, more });
            self.goes_on(more, top, true);
        }
        self.here(done);
        self.exit(kept);
        Ok(())
    }

    /// The variable of a loop: the counter itself, unless the loop's body may change it.
    fn counter(&mut self, range: &'m RangeLoop, counter: Slot) {
        let var = self.scopes[self.scope].function.var(range.var);
        let slot = if var.mutable { self.bind(range.var, &var.ty) } else { counter };
        self.scopes[self.scope].vars.insert(range.var, Binding::Slot(slot));
        self.copy(slot, counter, var.ty.size());
        self.local(slot, &var.ty, true);
    }

    /// The step of a range, which is not zero; a range without one does not read it.
    fn step(&mut self, range: &'m RangeLoop) -> Result<Slot> {
        match &range.step {
            Some(step) => self.owned(step),
            None => Ok(self.constant(&1u64.to_ne_bytes(), 8)),
        }
    }

    /// Jumps by whether a loop goes on.
    fn goes_on(&mut self, more: Slot, to: Label, sense: bool) {
        self.branch_event(more, false);
        let to = to.0;
        self.push(if sense {
            Op::JumpIf { condition: more, to }
        } else {
            Op::JumpUnless { condition: more, to }
        });
    }

    fn body(&mut self, open: OpenLoop, body: &'m Block) -> Result<()> {
        self.loops.push(open);
        let lowered = self.block(body);
        self.loops.pop();
        lowered
    }

    /// Leaves a loop, or its iteration.
    pub(super) fn leave(&mut self, id: LoopId, to: impl Fn(&OpenLoop) -> Label) -> Result<()> {
        match self.loops.iter().rev().find(|open| open.id == id).map(to) {
            Some(label) => {
                self.jump(label);
                Ok(())
            }
            None => self.unsupported("a jump out of a loop that is not open"),
        }
    }

    /// Begins what has instances of its own.
    pub(super) fn enter(&mut self) -> Slot {
        let kept = self.reserve(16, 8);
        if self.watched() {
            self.push(Op::Enter { kept });
        }
        kept
    }

    fn iterate(&mut self, kept: Slot) -> Site {
        let (site, watched) = (self.site(), self.watched());
        self.push(Op::Iterate { kept, watched, site });
        site
    }

    pub(super) fn exit(&mut self, kept: Slot) {
        if self.watched() {
            self.push(Op::Leave { kept });
        }
    }

    /// A value in memory of its own, which no later statement changes.
    fn owned(&mut self, e: &'m Expr) -> Result<Slot> {
        let slot = self.slot(&e.ty);
        self.value_to(e, slot)?;
        Ok(slot)
    }
}
