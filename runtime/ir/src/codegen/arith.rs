//! Integer and float arithmetic with Rust's meaning.

use super::Printer;
use super::literal::{double_by_bits, float_by_bits};
use super::precedence::Text;
use super::types::scalar as c_name;
use crate::ir::{BinaryOp, Const, ConstValue, Expr, ExprKind, Scalar, Type, UnaryOp};

/// The unsigned type in which arithmetic wraps: at least 32 bits, because C++ promotes shorter types to `int`.
fn wide(s: Scalar) -> &'static str {
    if s.bits() == 64 { "unsigned long long" } else { "unsigned int" }
}

/// Returns whether `+ - *` may be printed as they stand: floats, and unsigned types that do not promote.
pub(super) fn is_plain(s: Scalar) -> bool {
    s.is_float() || matches!(s, Scalar::U32 | Scalar::U64)
}

fn is_ring(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
}

impl Printer<'_> {
    /// `a op b`
    pub(super) fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Text {
        if matches!(left.ty, Type::Vector(..)) || matches!(right.ty, Type::Vector(..)) {
            return self.vector_binary(op, left, right);
        }
        let Some(scalar) = left.ty.scalar() else {
            return Text::binary(op, self.expr(left), self.expr(right));
        };
        if scalar == Scalar::Bool || op.is_comparison() || (is_plain(scalar) && is_ring(op)) {
            return Text::binary(op, self.expr(left), self.expr(right));
        }
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul
                if self.cannot_overflow(op, left, right, scalar) =>
            {
                Text::binary(op, self.expr(left), self.expr(right))
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                let ring = self.ring(op, left, right, scalar);
                self.wrapped(scalar, op != BinaryOp::Add, ring)
            }
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, left, right, scalar),
            BinaryOp::Rem if scalar.is_float() => {
                let name = match scalar {
                    Scalar::F32 => "fmodf",
                    Scalar::F64 => "fmod",
                    _ => "ws_fmod", // of halves, for both of which the prelude has one
                };
                let (left, right) = (self.argument(left), self.argument(right));
                Text::primary(format!("{name}({left}, {right})"))
            }
            BinaryOp::Div if scalar == Scalar::I8 => {
                let (left, right) = (self.wide_byte(left), self.expr(right));
                Text::cast(c_name(scalar), Text::binary(op, left, right))
            }
            BinaryOp::Div if is_zero(right) => Text::binary(op, self.expr(left), bits_of_zero(right)),
            _ => {
                let text = Text::binary(op, self.expr(left), self.expr(right));
                if scalar.bits() < 32 { Text::cast(c_name(scalar), text) } else { text }
            }
        }
    }

    /// `a op b` that does not overflow.
    pub(super) fn exact(&mut self, e: &Expr) -> Text {
        match &e.kind {
            ExprKind::Binary(op, a, b) => Text::binary(*op, self.expr(a), self.expr(b)),
            _ => self.expr(e),
        }
    }

    /// Returns whether the operands leave no room for overflow, in a type that does not promote.
    fn cannot_overflow(&self, op: BinaryOp, left: &Expr, right: &Expr, scalar: Scalar) -> bool {
        scalar.bits() >= 32 && self.function.cannot_overflow(op, left, right, scalar)
    }

    /// `a op b` in the unsigned type, where overflow is defined; needs one unsigned operand a node.
    fn ring(&mut self, op: BinaryOp, left: &Expr, right: &Expr, scalar: Scalar) -> Text {
        let left = match self.inner_ring(left, scalar) {
            Some(text) => text,
            None => {
                let plain = self.expr(left);
                Text::cast(wide(scalar), plain)
            }
        };
        let right = match self.inner_ring(right, scalar) {
            Some(text) => text,
            // That a negative constant changes its sign is meant, which NVRTC would warn of.
            None if right.as_int().is_some_and(|n| n < 0) => {
                let constant = self.expr(right);
                Text::cast(wide(scalar), constant)
            }
            None => self.expr(right),
        };
        Text::binary(op, left, right)
    }

    fn inner_ring(&mut self, e: &Expr, scalar: Scalar) -> Option<Text> {
        match &e.kind {
            ExprKind::Binary(op, a, b) if is_ring(*op) => Some(self.ring(*op, a, b, scalar)),
            _ => None,
        }
    }

    /// Rust shifts by the count modulo the width.
    fn shift(&mut self, op: BinaryOp, left: &Expr, right: &Expr, scalar: Scalar) -> Text {
        let bits = i128::from(scalar.bits());
        let extends = scalar == Scalar::I8 && op == BinaryOp::Shr;
        let value = if extends { self.wide_byte(left) } else { self.expr(left) };
        let count = match right.as_int() {
            Some(0..) if right.is_spelled() && right.as_int() < Some(bits) => self.expr(right.before_casts()),
            Some(n) => Text::primary((n.rem_euclid(bits)).to_string()),
            None => {
                let count = self.expr(right);
                Text::binary(BinaryOp::BitAnd, count, Text::primary(format!("{}", bits - 1)))
            }
        };
        if matches!(scalar, Scalar::U32 | Scalar::U64) || (op == BinaryOp::Shr && scalar.bits() >= 32) {
            return Text::binary(op, value, count);
        }
        let value = if op == BinaryOp::Shl { Text::cast(wide(scalar), value) } else { value };
        Text::cast(c_name(scalar), Text::binary(op, value, count))
    }

    /// A signed byte as an `int` from which it is not made a byte again.
    fn wide_byte(&mut self, byte: &Expr) -> Text {
        self.need(&super::prelude::WIDE);
        Text::primary(format!("ws_wide({})", self.argument(byte)))
    }

    /// `a >> n` and `a / n` of a signed byte in a wider type, made a byte.
    fn halved_byte(&mut self, e: &Expr) -> Option<Text> {
        let ExprKind::Binary(op @ (BinaryOp::Shr | BinaryOp::Div), left, right) = &e.kind else {
            return None;
        };
        let ExprKind::Cast(byte) = &left.kind else { return None };
        let is_signed =
            byte.ty.scalar() == Some(Scalar::I8) && left.ty.scalar().is_some_and(Scalar::is_signed);
        right.as_int().filter(|n| is_signed && (*op == BinaryOp::Div || (0..32).contains(n)))?;
        let (left, right) = (self.wide_byte(byte), self.expr(right));
        Some(Text::binary(*op, left, right))
    }

    /// `-a`, `!a`
    pub(super) fn unary(&mut self, op: UnaryOp, operand: &Expr) -> Text {
        if let Type::Vector(s, n) = operand.ty {
            return self.vector_unary(op, operand, s, n);
        }
        let scalar = super::types::scalar_of(&operand.ty);
        let text = self.expr(operand);
        match op {
            UnaryOp::Not if scalar == Scalar::Bool => {
                Text::unary(format!("!{}", text.at(super::precedence::UNARY)))
            }
            UnaryOp::Not => {
                let flipped = Text::unary(format!("~{}", text.at(super::precedence::UNARY)));
                if scalar.bits() < 32 { Text::cast(c_name(scalar), flipped) } else { flipped }
            }
            UnaryOp::Neg if scalar.is_float() => {
                Text::unary(format!("-{}", text.at(super::precedence::PRIMARY)))
            }
            UnaryOp::Neg if scalar.bits() >= 32 && self.is_negatable(operand, scalar) => {
                Text::unary(format!("-{}", text.at(super::precedence::PRIMARY)))
            }
            UnaryOp::Neg => {
                let zero = Text::primary(if scalar.bits() == 64 { "0ull" } else { "0u" });
                let negative = Text::binary(BinaryOp::Sub, zero, Text::cast(wide(scalar), text));
                self.wrapped(scalar, true, negative)
            }
        }
    }

    /// A number of a wider type as one of its own; a difference or a product may be the negative of a number.
    fn wrapped(&mut self, scalar: Scalar, may_negate: bool, wide: Text) -> Text {
        if scalar != Scalar::I16 || !may_negate {
            return Text::cast(c_name(scalar), wide);
        }
        self.need(&super::prelude::SHORT);
        Text::primary(format!("ws_short({})", wide.at(super::precedence::ASSIGNMENT)))
    }

    /// Returns whether the operand is certainly not the least of its type.
    fn is_negatable(&self, operand: &Expr, scalar: Scalar) -> bool {
        let least = scalar.int_range().map_or(0, |(low, _)| low);
        self.function.interval(operand).is_some_and(|(low, _)| low > least)
    }

    /// `a as T`
    pub(super) fn cast(&mut self, operand: &Expr, to: Scalar) -> Text {
        let from = operand.ty.scalar().unwrap_or(to);
        if from.is_half() || to.is_half() {
            return self.half_cast(operand, from, to);
        }
        if from.is_float() && to.is_int() {
            self.need(&super::prelude::SATURATE);
            let argument = self.argument(operand);
            return Text::primary(format!("ws_to_{}({argument})", crate::ir::Type::Scalar(to).suffix()));
        }
        let halved = if to.bits() == 8 { self.halved_byte(operand) } else { None };
        let text = halved.unwrap_or_else(|| self.expr(operand));
        Text::cast(c_name(to), text)
    }

    /// A conversion from or to a half: through `f32`, or from an integer through `double`.
    fn half_cast(&mut self, operand: &Expr, from: Scalar, to: Scalar) -> Text {
        let value = self.argument(operand);
        if !to.is_half() {
            let float = Text::cast("float", Text::primary(format!("({value})")));
            return match to {
                Scalar::F32 => float,
                Scalar::F64 => Text::cast("double", float),
                _ => {
                    self.need(&super::prelude::SATURATE);
                    let suffix = Type::Scalar(to).suffix();
                    Text::primary(format!("ws_to_{suffix}({})", float.text))
                }
            };
        }
        self.scalar(to);
        let name = if to == Scalar::F16 { "ws_to_f16" } else { "ws_to_bf16" };
        let wide = match from {
            Scalar::F32 | Scalar::F64 => value,
            _ if from.is_half() => format!("(float)({value})"),
            // Integers beyond `f16`'s range are infinite, however a double rounds them.
            Scalar::I64 | Scalar::U64 if to == Scalar::BF16 => {
                self.need(&super::half_precision::DOUBLE_TO_ROUND);
                format!("ws_double_to_round({value})")
            }
            _ => format!("(double)({value})"),
        };
        Text::primary(format!("{name}({wide})"))
    }
}

/// Returns whether an expression is a zero of type `float` or `double`, by which CUDA's compilers warn to divide.
pub(super) fn is_zero(e: &Expr) -> bool {
    let is_native = matches!(e.ty, Type::Scalar(Scalar::F32 | Scalar::F64));
    match &e.kind {
        ExprKind::Const(c) => is_native && matches!(c.value, ConstValue::F32(0.0) | ConstValue::F64(0.0)),
        _ => false,
    }
}

/// Such a zero by its bits, of which they do not warn.
fn bits_of_zero(e: &Expr) -> Text {
    match &e.kind {
        ExprKind::Const(Const { value: ConstValue::F32(f), .. }) => float_by_bits(*f),
        ExprKind::Const(Const { value: ConstValue::F64(f), .. }) => double_by_bits(*f),
        _ => Text::primary("0"),
    }
}
