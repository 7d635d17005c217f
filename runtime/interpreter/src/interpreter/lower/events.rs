//! The events that observers receive: accesses, branches, operations.

use super::Lower;
use super::place::Place;
use crate::interpreter::program::{Op, Slot};
use crate::interpreter::units::units;
use crate::ir::{BinaryOp, Cost, ExprKind, Module, Scalar, Type, visit};
use crate::simulator::{AccessKind, Operation};

/// Whether a module has a builtin that keeps registers of the thread in use after its call.
pub(super) fn has_products_in_flight(module: &Module) -> bool {
    let mut found = false;
    for function in module.all_functions() {
        visit::exprs(&function.body, &mut |e| {
            found |= matches!(&e.kind, ExprKind::Builtin { op, .. } if op.facts.in_flight);
        });
    }
    found
}

impl Lower<'_> {
    /// Tells of an access of memory, unit by unit, before it happens.
    pub(super) fn access(&mut self, place: &Place, ty: &Type, kind: AccessKind) {
        let Place::Memory { pointer, offset, constant } = *place else { return };
        if self.in_flight && !constant {
            let (bytes, site) = (ty.size() as u32, self.site());
            self.push(Op::Touch { pointer, offset, bytes, writes: kind.writes(), site });
        }
        if !self.options.watch.accesses {
            return;
        }
        for unit in units(ty) {
            let site = self.site();
            let (offset, bytes, align) = (offset + unit.offset, unit.bytes, unit.align);
            self.push(Op::Access { pointer, offset, bytes, align, kind, constant, site });
        }
    }

    /// Tells of an access of a variable of the thread.
    pub(super) fn local(&mut self, slot: Slot, ty: &Type, writes: bool) {
        // Constants are no variables.
        if slot < 0 {
            return;
        }
        if self.in_flight {
            let (bytes, site) = (ty.size() as u32, self.site());
            self.push(Op::TouchLocal { slot, bytes, writes, site });
        }
        if !self.options.watch.locals {
            return;
        }
        let kind = if writes { AccessKind::Write } else { AccessKind::Read };
        for unit in units(ty) {
            let site = self.site();
            let (slot, bytes, align) = (slot + unit.offset as Slot, unit.bytes, unit.align);
            self.push(Op::Local { slot, bytes, align, kind, site });
        }
    }

    /// Tells which way a branch goes.
    pub(super) fn branch_event(&mut self, condition: Slot, negated: bool) {
        if self.options.watch.branches {
            let site = self.site();
            self.push(Op::Branch { condition, negated, site });
        }
    }

    fn work(&mut self, work: Operation) {
        if self.options.watch.work {
            let site = self.site();
            self.push(Op::Work { work, site });
        }
    }

    /// Tells of an operator.
    pub(super) fn work_of(&mut self, op: BinaryOp, scalar: Scalar) {
        let bits = scalar.bits() as u8;
        self.work(match op {
            _ if !scalar.is_float() => Operation::Integer,
            BinaryOp::Mul => Operation::FloatMul(bits),
            BinaryOp::Div | BinaryOp::Rem => Operation::FloatSpecial(bits),
            _ => Operation::FloatAdd(bits),
        });
    }

    /// Tells of a conversion.
    pub(super) fn converts(&mut self) {
        self.work(Operation::Convert);
    }

    /// Tells of a builtin that computes a float, or converts one.
    pub(super) fn work_of_builtin(&mut self, cost: Cost, ty: &Type) {
        let bits = ty.scalar().filter(|s| s.is_float()).map(|s| s.bits() as u8);
        let work = match (cost, bits) {
            (Cost::Converts, _) => Operation::Convert,
            (Cost::Products { each, of }, _) => Operation::Tensor { each, of },
            (Cost::Moves, _) | (_, None) => return,
            (Cost::Adds, Some(bits)) => Operation::FloatAdd(bits),
            (Cost::Multiplies, Some(bits)) => Operation::FloatMul(bits),
            (Cost::Fuses, Some(bits)) => Operation::FloatFma(bits),
            (Cost::Special, Some(bits)) => Operation::FloatSpecial(bits),
        };
        self.work(work);
    }
}
