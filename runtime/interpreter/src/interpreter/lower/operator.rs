//! Operators and conversions, component by component on vectors.

use super::{Lower, Result};
use crate::interpreter::numeric::{self, Binary, Unary};
use crate::interpreter::program::{Op, Refusal, Slot};
use crate::ir::{BinaryOp, Expr, Scalar, Type, UnaryOp};

/// A value in the frame.
#[derive(Clone, Copy)]
pub(super) struct Operand<'t> {
    pub slot: Slot,
    pub ty: &'t Type,
}

impl<'m> Lower<'m> {
    /// `a op b` of values, into `to`.
    pub(super) fn operate(&mut self, op: BinaryOp, a: Operand<'_>, b: Operand<'_>, to: Slot) -> Result<()> {
        match (a.ty, b.ty) {
            (Type::Vector(s, n), _) | (_, Type::Vector(s, n)) if op.is_comparison() => {
                self.equal_vectors(op, a, b, *s, *n, to)
            }
            (Type::Vector(s, n), _) | (_, Type::Vector(s, n)) => {
                let bytes = s.bits() as Slot / 8;
                for i in 0..*n as Slot {
                    let [left, right] = [a, b].map(|operand| operand.component(i));
                    self.scalars(op, *s, left, Operand { slot: right, ty: b.ty }, to + i * bytes)?;
                }
                Ok(())
            }
            _ => {
                let Some(scalar) = scalar_of(a.ty) else {
                    return self.unsupported(format!("`{op:?}` of a `{}`", a.ty));
                };
                self.scalars(op, scalar, a.slot, b, to)
            }
        }
    }

    /// Whether all components of two vectors are equal, or not.
    fn equal_vectors(
        &mut self,
        op: BinaryOp,
        a: Operand<'_>,
        b: Operand<'_>,
        scalar: Scalar,
        n: usize,
        to: Slot,
    ) -> Result<()> {
        let join = if op == BinaryOp::Eq { BinaryOp::BitAnd } else { BinaryOp::BitOr };
        let one = self.slot(&Type::BOOL);
        for i in 0..n as Slot {
            let [left, right] = [a, b].map(|operand| operand.component(i));
            let target = if i == 0 { to } else { one };
            self.scalars(op, scalar, left, Operand { slot: right, ty: b.ty }, target)?;
            if i > 0 {
                self.scalars(join, Scalar::Bool, to, Operand { slot: one, ty: &Type::BOOL }, to)?;
            }
        }
        Ok(())
    }

    /// `a op b` of scalars; the type of `b` matters to shifts alone.
    fn scalars(&mut self, op: BinaryOp, scalar: Scalar, a: Slot, b: Operand<'_>, to: Slot) -> Result<()> {
        let b = match op {
            BinaryOp::Shl | BinaryOp::Shr => self.count(b.slot, b.ty)?,
            _ => b.slot,
        };
        self.work_of(op, scalar);
        match numeric::binary(op, scalar, self.checks().overflow) {
            Some(Binary::Plain(f)) => self.push(Op::Binary { f, to, a, b }),
            Some(Binary::Checked(f, otherwise)) => {
                let (site, bytes) = (self.site(), scalar.bits() as u8 / 8);
                let otherwise = match op {
                    BinaryOp::Div => Refusal::Division { bytes },
                    BinaryOp::Rem => Refusal::Remainder { bytes },
                    _ => Refusal::Message(otherwise),
                };
                self.push(Op::Checked { f, to, a, b, otherwise, site });
            }
            None => return self.unsupported(format!("`{op:?}` of a `{}`", Type::Scalar(scalar))),
        }
        if scalar.is_float() && !op.is_comparison() && self.checks().nan {
            let site = self.site();
            self.push(Op::NotNan { scalar, value: to, a, b, site });
        }
        Ok(())
    }

    /// The count of a shift as a `u64`; a negative one is more than any width.
    fn count(&mut self, count: Slot, ty: &Type) -> Result<Slot> {
        let from = match ty {
            Type::Vector(s, _) => *s,
            ty => ty.scalar().unwrap_or(Scalar::U64),
        };
        if from == Scalar::U64 {
            return Ok(count);
        }
        let Some(f) = numeric::cast(from, Scalar::U64) else { return self.unsupported("a count of a shift") };
        let to = self.reserve(8, 8);
        self.push(Op::Unary { f, to, a: count });
        Ok(to)
    }

    /// `-a`, `!a`
    pub(super) fn unary(&mut self, op: UnaryOp, operand: &'m Expr, to: Slot) -> Result<()> {
        let a = self.value(operand)?;
        let (scalar, n) = match &operand.ty {
            Type::Vector(s, n) => (*s, *n),
            ty => (ty.scalar().unwrap_or(Scalar::I32), 1),
        };
        for i in 0..n as Slot {
            let offset = i * scalar.bits() as Slot / 8;
            let (to, a) = (to + offset, a + offset);
            self.work_of(if scalar.is_float() { BinaryOp::Sub } else { BinaryOp::BitXor }, scalar);
            match numeric::unary(op, scalar, self.checks().overflow) {
                Some(Unary::Plain(f)) => self.push(Op::Unary { f, to, a }),
                Some(Unary::Checked(f, otherwise)) => {
                    let (site, otherwise) = (self.site(), Refusal::Message(otherwise));
                    self.push(Op::Checked { f, to, a, b: a, otherwise, site });
                }
                None => return self.unsupported(format!("`{op:?}` of a `{}`", operand.ty)),
            }
        }
        Ok(())
    }

    /// `a as T`
    pub(super) fn convert(&mut self, value: Operand<'_>, target: &Type, to: Slot) -> Result<()> {
        let Operand { slot: from, ty } = value;
        let (Some(source), Some(wanted)) = (scalar_of(ty), scalar_of(target)) else {
            return self.unsupported(format!("a `{ty}` as a `{target}`"));
        };
        self.exact(from, source, wanted);
        self.converts();
        match numeric::cast(source, wanted) {
            Some(f) => self.push(Op::Unary { f, to, a: from }),
            None => return self.unsupported(format!("a `{ty}` as a `{target}`")),
        }
        Ok(())
    }

    /// Checks that a conversion loses no more than what is behind a point, where that is asked for.
    fn exact(&mut self, from: Slot, source: Scalar, wanted: Scalar) {
        let checks = self.checks();
        let asked = if source.is_float() { checks.float_to_int } else { checks.index_casts && self.in_index };
        let (Some((low, high)), true) = (wanted.int_range(), asked) else { return };
        let widens = source.int_range().is_some_and(|(least, most)| low <= least && most <= high);
        let Some(f) = numeric::within(source).filter(|_| !widens) else { return };
        let range: Vec<u8> = [low, high].iter().flat_map(|bound| bound.to_ne_bytes()).collect();
        let (range, site) = (self.constant(&range, 16), self.site());
        self.push(Op::Within { f, value: from, range, scalar: source, wanted, site });
    }
}

impl Operand<'_> {
    /// A component of a vector; a scalar stands for all of them.
    fn component(self, i: Slot) -> Slot {
        match self.ty {
            Type::Vector(s, _) => self.slot + i * s.bits() as Slot / 8,
            _ => self.slot,
        }
    }
}

/// The scalar that a value is, or is compared and converted as.
pub(super) fn scalar_of(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Enum(def) if def.is_plain() => Some(def.tag),
        Type::Ptr { .. } | Type::Ref { .. } => Some(Scalar::U64),
        other => other.scalar(),
    }
}
