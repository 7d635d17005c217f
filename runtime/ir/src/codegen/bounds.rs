//! Upper bounds of unsigned values, from what they are made of.

use crate::ir::{BinaryOp, Expr, ExprKind, Position};

/// Elements that an array can have: more would not fit the address space.
const LENGTH: i128 = 1 << 48;

/// A value that the expression never exceeds; nothing for a signed value that is no constant.
pub(super) fn upper(e: &Expr) -> Option<i128> {
    if let Some(n) = e.as_int() {
        return Some(n);
    }
    let scalar = e.ty.scalar()?;
    let (low, high) = scalar.int_range()?;
    let narrower = match &e.kind {
        ExprKind::Len(_) => Some(LENGTH),
        ExprKind::Cast(inner) if is_unsigned(inner) => upper(inner),
        ExprKind::Builtin { op, .. } => builtin(op.position()?),
        ExprKind::Field(base, axis) => match &base.kind {
            ExprKind::Builtin { op, .. } => extent(op.position()?, axis),
            _ => None,
        },
        ExprKind::Binary(op, a, b) if low == 0 => binary(*op, a, b),
        _ => None,
    };
    match narrower {
        Some(n) if n <= high => Some(n),
        _ => (low == 0).then_some(high),
    }
}

fn is_unsigned(e: &Expr) -> bool {
    e.ty.scalar().is_some_and(crate::ir::Scalar::is_unsigned)
}

fn binary(op: BinaryOp, a: &Expr, b: &Expr) -> Option<i128> {
    match op {
        BinaryOp::Add => upper(a)?.checked_add(upper(b)?),
        BinaryOp::Mul => upper(a)?.checked_mul(upper(b)?),
        BinaryOp::Div => Some(upper(a)? / b.as_int().filter(|n| *n > 0).unwrap_or(1)),
        BinaryOp::Rem => upper(b),
        BinaryOp::BitAnd => Some(upper(a)?.min(upper(b)?)),
        BinaryOp::Shr => Some(upper(a)? >> b.as_int().filter(|n| (0..64).contains(n)).unwrap_or(0)),
        _ => None,
    }
}

fn builtin(position: Position) -> Option<i128> {
    match position {
        Position::BlockSize => Some(1024),
        Position::ThreadRank => Some(1023),
        Position::LaneId => Some(31),
        Position::WarpId => Some(31),
        Position::GlobalId | Position::GlobalSize => Some(1024 * ((1 << 31) - 1)),
        _ => None,
    }
}

/// Likewise, of one axis.
fn extent(position: Position, axis: &str) -> Option<i128> {
    match (position, axis) {
        (Position::BlockExtent, _) => Some(1024),
        (Position::ThreadIndex, _) => Some(1023),
        (Position::GridExtent, "x") => Some((1 << 31) - 1),
        (Position::BlockIndex, "x") => Some((1 << 31) - 2),
        (Position::GridExtent, _) => Some(65_535),
        (Position::BlockIndex, _) => Some(65_534),
        _ => None,
    }
}
