//! Constants as C++ literals that read back to the same bits.

use super::precedence::{PRIMARY, Text, UNARY};
use super::types::scalar_of;
use super::{Printer, types};
use crate::ir::{BinaryOp, Const, ConstValue, Expr, ExprKind, Extent, Scalar, Spelling, Type, UnaryOp};

impl Printer<'_> {
    /// A constant: as the source spells it where that always means the same value, else as a literal.
    pub(super) fn constant(&mut self, c: &Const, ty: &Type) -> Text {
        if let (Type::Enum(e), ConstValue::Int(tag)) = (ty, c.value) {
            return self.enumerator(e, tag);
        }
        let scalar = scalar_of(ty);
        self.scalar(scalar);
        self.spelled(c, scalar, false)
    }

    /// A constant as the source spells it. A bare one has no casts and no suffixes: its arithmetic is the same in every type.
    fn spelled(&mut self, c: &Const, scalar: Scalar, bare: bool) -> Text {
        let digits_of = if bare { Scalar::I32 } else { scalar };
        match &c.spelling {
            Spelling::Name(name) if self.is_constexpr(name, c.value, scalar) => {
                self.named_constant(name, c.value, scalar)
            }
            Spelling::Computed(from) if self.computed_of_names(from) => self.computed(from, bare),
            Spelling::Radix(digits) if scalar.is_int() => in_radix(digits, digits_of),
            _ if self.initializes => constant_expression(c.value, digits_of),
            _ => literal(c.value, digits_of),
        }
    }

    /// The extent of an array, between its brackets.
    pub(super) fn extent(&mut self, extent: &Extent) -> String {
        match extent.spelled.as_deref().map(Expr::before_casts) {
            Some(e) if self.names_something(e) => self.constant_operand(e, is_small(e)).text,
            _ => extent.len.to_string(),
        }
    }

    /// A constant that another is computed from.
    fn constant_operand(&mut self, e: &Expr, bare: bool) -> Text {
        let named = if bare { e.before_casts() } else { e };
        match &named.kind {
            ExprKind::Const(c) => self.spelled(c, scalar_of(&named.ty), bare),
            _ => self.expr(e),
        }
    }

    /// Returns whether a name has one value in the module, which C++ can write as a constant expression.
    fn is_constexpr(&self, name: &str, value: ConstValue, scalar: Scalar) -> bool {
        let finite = match value {
            ConstValue::F32(v) => v.is_finite(),
            ConstValue::F64(v) => v.is_finite(),
            ConstValue::Bool(_) | ConstValue::Int(_) => true,
        };
        finite && !scalar.is_half() && matches!(self.named.get(name), Some(Some(_)))
    }

    /// Returns whether a constant prints as more than its value: by a name, in its radix, or computed from one that does.
    fn names_something(&self, e: &Expr) -> bool {
        let ExprKind::Const(c) = &e.kind else { return false };
        match &c.spelling {
            Spelling::Name(name) => self.is_constexpr(name, c.value, scalar_of(&e.ty)),
            Spelling::Computed(from) => self.computed_of_names(from),
            Spelling::Radix(_) => true,
            Spelling::Value => false,
        }
    }

    fn computed_of_names(&self, from: &Expr) -> bool {
        matches!(from.kind, ExprKind::Binary(BinaryOp::Shl, ..))
            || from.any_operand(|operand| self.names_something(operand))
    }

    fn named_constant(&mut self, name: &'static str, value: ConstValue, scalar: Scalar) -> Text {
        let printed = self.symbols.constant(name);
        let value = literal(value, scalar).text;
        let line = format!("static constexpr {} {printed} = {value};\n", types::scalar(scalar));
        if !self.consts.contains(&line) {
            self.consts.push(line);
        }
        Text::primary(printed)
    }

    /// An operator or a cast on constants, none of which overflows.
    fn computed(&mut self, from: &Expr, bare: bool) -> Text {
        match &from.kind {
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.constant_operand(a, bare), self.constant_operand(b, bare));
                Text::binary(*op, a, b)
            }
            ExprKind::Unary(UnaryOp::Not, a) => {
                Text::unary(format!("~{}", self.constant_operand(a, bare).at(UNARY)))
            }
            ExprKind::Unary(UnaryOp::Neg, a) => {
                Text::unary(format!("-{}", self.constant_operand(a, bare).at(PRIMARY)))
            }
            ExprKind::Cast(a) => {
                let (a, scalar) = (self.constant_operand(a, bare), scalar_of(&from.ty));
                Text::cast(types::scalar(scalar), a)
            }
            _ => unreachable!("the recorder computes constants by operators and casts"),
        }
    }
}

/// Returns whether a constant, and all that it is computed from by operators, is an `int` that is not negative.
fn is_small(e: &Expr) -> bool {
    let e = e.before_casts();
    let ExprKind::Const(c) = &e.kind else { return false };
    let fits = matches!(c.value, ConstValue::Int(n) if (0..=i128::from(i32::MAX)).contains(&n));
    fits && match &c.spelling {
        Spelling::Computed(from) => match &from.kind {
            ExprKind::Binary(_, a, b) => is_small(a) && is_small(b),
            _ => false,
        },
        Spelling::Value | Spelling::Name(_) | Spelling::Radix(_) => true,
    }
}

/// A literal with the digits of the source; Rust's `0o17` is C++'s `017`.
fn in_radix(digits: &str, scalar: Scalar) -> Text {
    let digits = digits.replacen("0o", "0", 1);
    match scalar {
        Scalar::U32 => signed(format!("{digits}u")),
        Scalar::I64 => signed(format!("{digits}ll")),
        Scalar::U64 => signed(format!("{digits}ull")),
        Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 => {
            Text::cast(types::scalar(scalar), signed(digits))
        }
        _ => signed(digits),
    }
}

/// A literal of a scalar type.
pub(super) fn literal(value: ConstValue, scalar: Scalar) -> Text {
    match (value, scalar) {
        (ConstValue::F32(f), Scalar::F16) => {
            return Text::primary(format!("ws_f16{{{:#06x}}}", crate::half::f16::from_f32(f).to_bits()));
        }
        (ConstValue::F32(f), Scalar::BF16) => {
            return Text::primary(format!("ws_bf16{{{:#06x}}}", crate::half::bf16::from_f32(f).to_bits()));
        }
        _ => {}
    }
    match value {
        ConstValue::Bool(b) => Text::primary(b.to_string()),
        ConstValue::Int(i) => integer(i, scalar),
        ConstValue::F32(f) if f.is_finite() => signed(format!("{f:?}f")),
        ConstValue::F32(f) => float_by_bits(f),
        ConstValue::F64(f) if f.is_finite() => signed(format!("{f:?}")),
        ConstValue::F64(f) => double_by_bits(f),
    }
}

/// A `float` by its bits.
pub(super) fn float_by_bits(f: f32) -> Text {
    Text::primary(format!("__int_as_float({:#010x})", f.to_bits()))
}

/// A `double` by its bits.
pub(super) fn double_by_bits(f: f64) -> Text {
    Text::primary(format!("__longlong_as_double({:#018x}ll)", f.to_bits()))
}

/// A literal that C++ takes in a constant expression: CUDA's functions that give infinities and NaNs are none.
fn constant_expression(value: ConstValue, scalar: Scalar) -> Text {
    match (value, scalar) {
        (ConstValue::F32(f), Scalar::F32) if !f.is_finite() => {
            Text::primary(format!("__builtin_bit_cast(float, {:#010x}u)", f.to_bits()))
        }
        (ConstValue::F64(f), Scalar::F64) if !f.is_finite() => {
            Text::primary(format!("__builtin_bit_cast(double, {:#018x}ull)", f.to_bits()))
        }
        _ => literal(value, scalar),
    }
}

fn integer(i: i128, scalar: Scalar) -> Text {
    match scalar {
        Scalar::I32 if i == i128::from(i32::MIN) => Text::primary("(-2147483647 - 1)"),
        Scalar::I64 if i == i128::from(i64::MIN) => Text::primary("(-9223372036854775807ll - 1)"),
        Scalar::U32 if i == i128::from(u32::MAX) => Text::primary("0xffffffffu"),
        Scalar::U64 if i == i128::from(u64::MAX) => Text::primary("0xffffffffffffffffull"),
        Scalar::I32 => signed(i.to_string()),
        Scalar::U32 => signed(format!("{i}u")),
        Scalar::I64 => signed(format!("{i}ll")),
        Scalar::U64 => signed(format!("{i}ull")),
        Scalar::Bool | Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64 => signed(i.to_string()),
        Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 => {
            Text::cast(types::scalar(scalar), signed(i.to_string()))
        }
    }
}

/// A negative literal is a unary expression in C++; its parentheses keep `- -1` from joining.
fn signed(text: String) -> Text {
    Text::primary(if text.starts_with('-') { format!("({text})") } else { text })
}
