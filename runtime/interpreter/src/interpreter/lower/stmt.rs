//! Statements; each arm of the dispatcher only forwards.

use super::operator::Operand;
use super::place::Place;
use super::{Binding, Exit, Lower, Result, room};
use crate::interpreter::program::{Op, SharedArray};
use crate::ir::{
    AssertFailure, BinaryOp, Block, Expr, ExprKind, Extent, Stmt, StmtKind, Type, VarId, VarKind,
};
use crate::simulator::Line;

impl<'m> Lower<'m> {
    /// The statements of a block, whose variables end with it.
    pub(super) fn block(&mut self, block: &'m Block) -> Result<()> {
        // The code that a loop runs after its body has the loop's own location.
        let (mark, around) = (self.top, self.at);
        for stmt in &block.stmts {
            self.statement(stmt)?;
        }
        self.release(mark);
        self.at = around;
        Ok(())
    }

    fn statement(&mut self, stmt: &'m Stmt) -> Result<()> {
        self.at = stmt.at;
        if let StmtKind::Let { var, init } = &stmt.kind {
            return self.let_(*var, init.as_ref());
        }
        let keeps = matches!(stmt.kind, StmtKind::Shared(_) | StmtKind::DynamicShared(_));
        let mark = self.top;
        self.effect(&stmt.kind)?;
        if !keeps {
            self.release(mark);
        }
        Ok(())
    }

    fn effect(&mut self, kind: &'m StmtKind) -> Result<()> {
        match kind {
            StmtKind::Let { .. } => Ok(()),
            StmtKind::Shared(var) => self.shared(*var),
            StmtKind::DynamicShared(var) => self.dynamic_shared(*var),
            StmtKind::Assign { place, op, value } => self.assign(place, *op, value),
            StmtKind::Expr(e) => self.value(e).map(|_| ()),
            StmtKind::If { cond, then, otherwise } => self.if_(cond, then, otherwise),
            StmtKind::While { id, cond, body, .. } => self.while_(*id, cond, body),
            StmtKind::For { id, range, body } => self.for_(*id, range, body),
            StmtKind::Block(block) => self.block(block),
            StmtKind::Break(id) => self.leave(*id, |open| open.end),
            StmtKind::Continue(id) => self.leave(*id, |open| open.next),
            StmtKind::Return(value) => self.return_(value.as_ref()),
            StmtKind::Assert { cond, failure, debug, .. } => self.assert(cond, failure, *debug),
            StmtKind::Print { pieces, args } => self.print(pieces, args),
            StmtKind::Launch(launch) => self.nested_launch(launch),
        }
    }

    fn let_(&mut self, var: VarId, init: Option<&'m Expr>) -> Result<()> {
        if let Some(e) = init
            && e.ty == Type::Closure
        {
            let bound = self.copied_closure(e)?;
            self.scopes[self.scope].vars.insert(var, Binding::Closure(bound));
            return Ok(());
        }
        let ty = &self.scopes[self.scope].function.var(var).ty;
        let slot = self.slot(ty);
        let mark = self.top;
        if let Some(init) = init {
            self.value_to(init, slot)?;
            self.local(slot, ty, true);
        }
        self.release(mark);
        self.scopes[self.scope].vars.insert(var, Binding::Slot(slot));
        Ok(())
    }

    fn shared(&mut self, var: VarId) -> Result<()> {
        let variable = self.scopes[self.scope].function.var(var);
        let (VarKind::Shared { extents, align }, Type::Shared { elem, .. }) = (&variable.kind, &variable.ty)
        else {
            return self.unsupported("a shared array without extents");
        };
        // This code is lowered once for each call, and all calls of an instance share its arrays.
        let next = self.program.shared.len() as u32;
        let number = *self.shared.entry((self.scopes[self.scope].instance, var)).or_insert(next);
        if number == next {
            self.program.shared.push(SharedArray {
                at: Line { file: self.at.file, line: self.at.line, column: 0 },
                number,
                bytes: Extent::elements(extents) * elem.size(),
                align: align.map_or(1, |bytes| bytes as usize).max(elem.align()),
                extents: Extent::lens(extents),
            });
        }
        let to = self.bind(var, &variable.ty);
        self.push(Op::Shared { to, array: number });
        Ok(())
    }

    fn dynamic_shared(&mut self, var: VarId) -> Result<()> {
        let variable = self.scopes[self.scope].function.var(var);
        let Type::Shared { elem, .. } = &variable.ty else {
            return self.unsupported("dynamic shared memory of no element type");
        };
        let bytes = elem.size().max(1) as u32;
        let to = self.bind(var, &variable.ty);
        self.push(Op::DynamicShared { to, bytes });
        Ok(())
    }

    fn assign(&mut self, place: &'m Expr, op: Option<BinaryOp>, value: &'m Expr) -> Result<()> {
        if is_variable(place) && place.ty.scalar().is_some() && !self.checks().nan {
            return self.assign_scalar(place, op, value);
        }
        let (bytes, _) = room(&place.ty);
        let value_slot = self.value(value)?;
        let to = self.place(place)?;
        let value_slot = match op {
            None => value_slot,
            Some(op) => {
                let old = self.load(&to, &place.ty);
                let result = self.slot(&place.ty);
                let value = Operand { slot: value_slot, ty: &value.ty };
                self.operate(op, Operand { slot: old, ty: &place.ty }, value, result)?;
                result
            }
        };
        self.store(&to, value_slot, &place.ty, bytes);
        Ok(())
    }

    /// A scalar in the frame is computed where it stays: an operation has read all its operands before it writes.
    fn assign_scalar(&mut self, place: &'m Expr, op: Option<BinaryOp>, value: &'m Expr) -> Result<()> {
        let to = self.place(place)?;
        let Place::Frame(slot) = to else {
            return self.unsupported("a variable that is not in the frame");
        };
        match op {
            None => self.value_to(value, slot)?,
            Some(op) => {
                let right = self.value(value)?;
                self.local(slot, &place.ty, false);
                let value = Operand { slot: right, ty: &value.ty };
                self.operate(op, Operand { slot, ty: &place.ty }, value, slot)?;
            }
        }
        self.local(slot, &place.ty, true);
        Ok(())
    }

    fn return_(&mut self, value: Option<&'m Expr>) -> Result<()> {
        let Some(exit) = self.exits.last().copied() else { return Ok(()) };
        if let (Some(value), Exit::Function { result, .. } | Exit::Inlined { result, .. }) = (value, exit) {
            let slot = self.value(value)?;
            self.copy(result, slot, room(&value.ty).0);
        }
        match exit {
            Exit::Kernel => self.push(Op::End),
            Exit::Function { link, .. } => self.push(Op::Return { link }),
            Exit::Inlined { end, .. } => self.jump(end),
        }
        Ok(())
    }

    fn assert(&mut self, cond: &'m Expr, failure: &AssertFailure, is_check: bool) -> Result<()> {
        let fine = self.label();
        let watch = self.options.watch;
        if is_check {
            // Metrics count it as little as comparisons of indices.
            (self.options.watch.branches, self.options.watch.work) = (false, false);
        }
        self.jump_if(cond, fine, true)?;
        self.options.watch = watch;
        let site = self.site();
        match (failure, &cond.kind) {
            (AssertFailure::Message(message), _) => {
                self.program.messages.push(message.clone());
                let message = self.program.messages.len() as u32 - 1;
                self.push(Op::Fail { message, site });
            }
            (AssertFailure::Index | AssertFailure::Range, ExprKind::Binary(_, value, limit)) => {
                let [value, limit] = [self.subscript(value)?, self.subscript(limit)?];
                self.push(Op::Beyond { value, limit, range: *failure == AssertFailure::Range, site });
            }
            _ => return self.unsupported("a check of an index that is no comparison".to_owned()),
        }
        self.here(fine);
        Ok(())
    }
}

/// Returns whether this is a variable or a field of one, rather than memory behind an address.
fn is_variable(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(_) => true,
        ExprKind::Field(base, _) => is_variable(base),
        _ => false,
    }
}
