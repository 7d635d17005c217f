//! What observers are told of: accesses, branches, operations.

use super::Lower;
use super::place::Place;
use crate::interpreter::program::{Op, Slot};
use crate::interpreter::units::units;
use crate::ir::{BinaryOp, Scalar, Type};
use crate::simulator::{AccessKind, Work};

impl Lower<'_> {
    /// Tells of an access of memory, unit by unit, before it happens.
    pub(super) fn access(&mut self, place: &Place, ty: &Type, kind: AccessKind) {
        let Place::Memory { pointer, offset, constant } = *place else { return };
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
        if !self.options.watch.locals || slot < 0 {
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

    fn work(&mut self, work: Work) {
        if self.options.watch.work {
            let site = self.site();
            self.push(Op::Work { work, site });
        }
    }

    /// Tells of an operator.
    pub(super) fn work_of(&mut self, op: BinaryOp, scalar: Scalar) {
        let bits = scalar.bits() as u8;
        self.work(match op {
            _ if !scalar.is_float() => Work::Integer,
            BinaryOp::Mul => Work::FloatMul(bits),
            BinaryOp::Div | BinaryOp::Rem => Work::FloatSpecial(bits),
            _ => Work::FloatAdd(bits),
        });
    }

    /// Tells of a conversion.
    pub(super) fn converts(&mut self) {
        self.work(Work::Convert);
    }

    /// Tells of a builtin that computes a float, or converts one.
    pub(super) fn work_of_builtin(&mut self, name: &str, ty: &Type) {
        if name.contains("_to_") {
            return self.converts();
        }
        if let (Some(scalar), false) = (ty.scalar().filter(|s| s.is_float()), is_move(name)) {
            self.work(work_of_name(name, scalar.bits() as u8));
        }
    }
}

/// What a builtin that gives a float of so many bits computes.
fn work_of_name(name: &str, bits: u8) -> Work {
    let begins = |with: &[&str]| with.iter().any(|part| name.starts_with(part));
    if name.contains("mul_add") || begins(&["fma"]) {
        Work::FloatFma(bits)
    } else if begins(&["add", "sub"]) || ["min", "max", "abs", "copysign", "clamp"].contains(&name) {
        Work::FloatAdd(bits)
    } else if begins(&["mul"]) {
        Work::FloatMul(bits)
    } else {
        Work::FloatSpecial(bits)
    }
}

/// Whether a builtin moves values, between lanes or from memory or a texture, and computes none.
fn is_move(name: &str) -> bool {
    let parts = ["shfl", "load", "atomic", "fetch", "sample", "swap", "from_bits", "read", "uniform"];
    parts.iter().any(|part| name.contains(part))
}
