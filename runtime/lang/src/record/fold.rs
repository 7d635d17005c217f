//! Constant folding with Rust's arithmetic.

use crate::half::Nearest as _;
use crate::ir::{BinaryOp, ConstValue, Expr, ExprKind, Scalar, Spelling, Type, UnaryOp};

/// The result of folding a binary operator.
pub(super) enum Folded {
    /// Its value.
    Value(Expr),
    /// Integer arithmetic that rustc would refuse.
    Overflow,
    /// Not constant.
    No,
}

/// How a literal is spelled, if its digits are not decimal.
pub(super) fn literal_spelling(text: &str) -> Spelling {
    match text.trim_start_matches('-').get(..2) {
        Some("0x" | "0o" | "0b") => Spelling::Radix(text.replace('_', "").into()),
        _ => Spelling::Value,
    }
}

/// The constant that an operator or a cast gives; it keeps what it was computed from where one of those is spelled, and
/// C++ computes the same.
pub(super) fn computed(from: ExprKind, value: ConstValue, ty: Type) -> Expr {
    let result = Expr::constant(value, ty);
    let from = Expr { kind: from, ty: result.ty.clone() };
    if is_legible(&from, value) {
        return result.spelled(Spelling::Computed(from.into()));
    }
    result
}

/// Returns whether a reader learns something from the operands of a constant, in arithmetic that C++ does as Rust does.
fn is_legible(from: &Expr, value: ConstValue) -> bool {
    let is_int = |e: &Expr| e.ty.scalar().is_some_and(Scalar::is_int);
    // Narrower ones are promoted in C++.
    let is_wide = |e: &Expr| e.ty.scalar().is_some_and(|s| s.is_int() && s.bits() >= 32);
    // A shift says which bit is meant.
    let shifts = matches!(from.kind, ExprKind::Binary(BinaryOp::Shl, ..));
    if !is_wide(from) || !(shifts || from.any_operand(|e| e.is_spelled())) {
        return false;
    }
    match &from.kind {
        ExprKind::Cast(a) => is_int(a),
        ExprKind::Unary(UnaryOp::Neg, a) => a.as_int().map(|a| ConstValue::Int(-a)) == Some(value),
        ExprKind::Unary(UnaryOp::Not, _) => true,
        ExprKind::Binary(BinaryOp::Shl, a, b) => {
            let exact =
                a.as_int().zip(b.as_int()).filter(|(a, _)| *a >= 0).map(|(a, b)| ConstValue::Int(a << b));
            exact == Some(value)
        }
        ExprKind::Binary(BinaryOp::Shr, a, _) => a.as_int().is_some_and(|a| a >= 0),
        ExprKind::Binary(_, a, b) => is_wide(a) && is_wide(b),
        _ => false,
    }
}

/// Parses a Rust literal without its suffix; a leading `-` is part of it.
pub(super) fn parse_literal(text: &str, ty: &Type) -> Option<ConstValue> {
    let text: String = text.chars().filter(|c| *c != '_').collect();
    match ty.scalar()? {
        Scalar::Bool => None,
        Scalar::F32 => parse_f32(&text).map(ConstValue::F32),
        Scalar::F64 => text.parse().ok().map(ConstValue::F64),
        _ => parse_int(&text).map(ConstValue::Int),
    }
}

fn parse_f32(text: &str) -> Option<f32> {
    text.parse().ok()
}

fn parse_int(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ => (10, digits),
    };
    let magnitude = i128::from_str_radix(digits, radix).ok()?;
    Some(if negative { -magnitude } else { magnitude })
}

/// Folds `-a` and `!a`; `!(a == b)` is `a != b`, of numbers that are none too, and the other way round.
pub(super) fn unary(op: UnaryOp, operand: &Expr) -> Option<Expr> {
    if let (UnaryOp::Not, ExprKind::Binary(compare @ (BinaryOp::Eq | BinaryOp::Ne), a, b)) =
        (op, &operand.kind)
    {
        let opposite = if *compare == BinaryOp::Eq { BinaryOp::Ne } else { BinaryOp::Eq };
        let kind = ExprKind::Binary(opposite, a.clone(), b.clone());
        return Some(Expr { kind, ty: operand.ty.clone() });
    }
    let value = match (op, operand.as_const()?) {
        (UnaryOp::Not, ConstValue::Bool(b)) => ConstValue::Bool(!b),
        (UnaryOp::Not, ConstValue::Int(i)) => ConstValue::Int(wrap(!i, operand.ty.scalar()?)),
        (UnaryOp::Neg, ConstValue::Int(i)) => ConstValue::Int(wrap(-i, operand.ty.scalar()?)),
        (UnaryOp::Neg, ConstValue::F32(f)) => ConstValue::F32(-f),
        (UnaryOp::Neg, ConstValue::F64(f)) => ConstValue::F64(-f),
        _ => return None,
    };
    Some(computed(ExprKind::Unary(op, operand.clone().into()), value, operand.ty.clone()))
}

/// Folds `a op b` on two constants; floats are left to the device.
pub(super) fn binary(op: BinaryOp, left: &Expr, right: &Expr) -> Folded {
    match (left.as_const(), right.as_const()) {
        (Some(ConstValue::Int(a)), Some(ConstValue::Int(b))) => integers(op, a, b, left, right),
        (Some(ConstValue::Bool(a)), Some(ConstValue::Bool(b))) => booleans(op, a, b),
        (Some(ConstValue::F32(a)), Some(ConstValue::F32(b))) => floats(op, a.into(), b.into()),
        (Some(ConstValue::F64(a)), Some(ConstValue::F64(b))) => floats(op, a, b),
        (Some(ConstValue::Int(a)), _) if op == BinaryOp::Le => at_least(a, right),
        (_, Some(ConstValue::Int(b))) if op == BinaryOp::Ge => at_least(b, left),
        _ => Folded::No,
    }
}

/// Folds `value >= bound` of a variable whose type has no value that is less, as `0 <= i` of an unsigned one.
fn at_least(bound: i128, value: &Expr) -> Folded {
    let least = value.ty.scalar().and_then(Scalar::int_range).map(|(low, _)| low);
    if least == Some(bound) && matches!(value.kind, ExprKind::Var(_)) {
        return Folded::Value(Expr::bool(true));
    }
    Folded::No
}

fn integers(op: BinaryOp, a: i128, b: i128, left: &Expr, right: &Expr) -> Folded {
    if let Some(result) = compare(op, &a, &b) {
        return Folded::Value(Expr::bool(result));
    }
    let Some(scalar) = left.ty.scalar() else { return Folded::No };
    let bits = i128::from(scalar.bits());
    let shift_ok = (0..bits).contains(&b);
    let exact = match op {
        BinaryOp::Add => Some(a + b),
        BinaryOp::Sub => Some(a - b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::Shl => shift_ok.then(|| wrap(a << b, scalar)),
        BinaryOp::Shr => shift_ok.then(|| a >> b),
        _ => return Folded::No,
    };
    match exact.filter(|value| fits(*value, scalar)) {
        Some(value) => {
            let from = ExprKind::Binary(op, left.clone().into(), right.clone().into());
            Folded::Value(computed(from, ConstValue::Int(value), left.ty.clone()))
        }
        None => Folded::Overflow,
    }
}

fn booleans(op: BinaryOp, a: bool, b: bool) -> Folded {
    let value = match op {
        BinaryOp::BitAnd | BinaryOp::And => a & b,
        BinaryOp::BitOr | BinaryOp::Or => a | b,
        BinaryOp::BitXor => a ^ b,
        other => match compare(other, &a, &b) {
            Some(result) => result,
            None => return Folded::No,
        },
    };
    Folded::Value(Expr::bool(value))
}

fn floats(op: BinaryOp, a: f64, b: f64) -> Folded {
    match compare(op, &a, &b) {
        Some(result) => Folded::Value(Expr::bool(result)),
        None => Folded::No,
    }
}

fn compare<T: PartialOrd>(op: BinaryOp, a: &T, b: &T) -> Option<bool> {
    match op {
        BinaryOp::Eq => Some(a == b),
        BinaryOp::Ne => Some(a != b),
        BinaryOp::Lt => Some(a < b),
        BinaryOp::Le => Some(a <= b),
        BinaryOp::Gt => Some(a > b),
        BinaryOp::Ge => Some(a >= b),
        _ => None,
    }
}

fn fits(value: i128, scalar: Scalar) -> bool {
    scalar.int_range().is_some_and(|(low, high)| (low..=high).contains(&value))
}

/// The value modulo the width of the type.
fn wrap(value: i128, scalar: Scalar) -> i128 {
    match scalar {
        Scalar::I8 => (value as i8).into(),
        Scalar::I16 => (value as i16).into(),
        Scalar::I32 => (value as i32).into(),
        Scalar::I64 => (value as i64).into(),
        Scalar::U8 => (value as u8).into(),
        Scalar::U16 => (value as u16).into(),
        Scalar::U32 => (value as u32).into(),
        Scalar::U64 => (value as u64).into(),
        Scalar::Bool | Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64 => value,
    }
}

/// `value as to`, as Rust casts.
pub(super) fn cast(value: ConstValue, from: Scalar, to: Scalar) -> ConstValue {
    if to.is_half() {
        return half(value, to);
    }
    match (value, to) {
        (ConstValue::Bool(b), _) => cast(ConstValue::Int(b.into()), Scalar::U8, to),
        (ConstValue::Int(i), Scalar::F32) if from.is_signed() => ConstValue::F32(i as i64 as f32),
        (ConstValue::Int(i), Scalar::F32) => ConstValue::F32(i as u64 as f32),
        (ConstValue::Int(i), Scalar::F64) if from.is_signed() => ConstValue::F64(i as i64 as f64),
        (ConstValue::Int(i), Scalar::F64) => ConstValue::F64(i as u64 as f64),
        (ConstValue::Int(i), _) => ConstValue::Int(wrap(i, to)),
        (ConstValue::F32(f), Scalar::F32) => ConstValue::F32(f),
        (ConstValue::F32(f), _) => cast(ConstValue::F64(f.into()), Scalar::F64, to),
        (ConstValue::F64(f), Scalar::F32) => ConstValue::F32(f as f32),
        (ConstValue::F64(f), Scalar::F64) => ConstValue::F64(f),
        (ConstValue::F64(f), _) => ConstValue::Int(saturate(f, to)),
    }
}

/// `value as to` for a half, which constants hold as the `f32` of the same value.
fn half(value: ConstValue, to: Scalar) -> ConstValue {
    let wide = match value {
        ConstValue::Bool(b) => f64::from(u8::from(b)),
        ConstValue::Int(i) => crate::half::double_to_round(i),
        ConstValue::F32(f) => f.into(),
        ConstValue::F64(f) => f,
    };
    ConstValue::F32(match to {
        Scalar::F16 => crate::half::f16::nearest(wide).to_f32(),
        _ => crate::half::bf16::nearest(wide).to_f32(),
    })
}

/// Float to integer: truncated, saturated, NaN to zero.
fn saturate(f: f64, to: Scalar) -> i128 {
    match to.int_range() {
        Some((low, high)) => (f as i128).clamp(low, high),
        None => 0,
    }
}

/// Two constants and their operator, for a message.
pub(super) fn describe(op: BinaryOp, left: &Expr, right: &Expr) -> String {
    let show = |e: &Expr| e.as_int().map_or_else(|| "?".to_owned(), |i| i.to_string());
    format!("{} {} {}", show(left), op.symbol(), show(right))
}

/// The element of an array constant at a constant index.
pub(super) fn table_item(base: &Expr, index: &Expr) -> Option<Expr> {
    let list = match &base.kind {
        ExprKind::Table { value, .. } => value,
        _ => base,
    };
    let ExprKind::ArrayList(items) = &list.kind else { return None };
    if !items.iter().all(is_literal) {
        return None;
    }
    items.get(usize::try_from(index.as_int()?).ok()?).cloned()
}

/// Returns whether all parts of an expression are constants.
pub(super) fn is_literal(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) => true,
        ExprKind::Struct(_, items) | ExprKind::ArrayList(items) | ExprKind::Tuple(items) => {
            items.iter().all(is_literal)
        }
        _ => false,
    }
}
