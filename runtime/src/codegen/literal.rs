//! Constants as C++ literals that read back to the same bits.

use super::precedence::Text;
use super::{Printer, types};
use crate::ir::{Const, ConstValue, Scalar, Type};

impl Printer<'_> {
    /// A constant: by its Rust name where that always means the same value, else as a literal.
    pub(super) fn constant(&mut self, c: &Const, ty: &Type) -> Text {
        if let (Type::Enum(e), ConstValue::Int(tag)) = (ty, c.value) {
            return self.enumerator(e, tag);
        }
        let scalar = ty.scalar().unwrap_or(Scalar::I32);
        self.scalar(scalar);
        if let Some(name) = c.name
            && let Some(Some(_)) = self.named.get(name)
            && !scalar.is_half()
            && !matches!(c.value, ConstValue::F32(v) if !v.is_finite())
            && !matches!(c.value, ConstValue::F64(v) if !v.is_finite())
        {
            let printed = self.symbols.constant(name);
            let line = format!(
                "static constexpr {} {printed} = {};\n",
                types::scalar(scalar),
                literal(c.value, scalar).text
            );
            if !self.consts.contains(&line) {
                self.consts.push(line);
            }
            return Text::primary(printed);
        }
        literal(c.value, scalar)
    }
}

/// A literal of a scalar type.
pub(super) fn literal(value: ConstValue, scalar: Scalar) -> Text {
    match (value, scalar) {
        (ConstValue::F32(f), Scalar::F16) => {
            return Text::primary(format!("ws_f16{{{:#06x}}}", half::f16::from_f32(f).to_bits()));
        }
        (ConstValue::F32(f), Scalar::BF16) => {
            return Text::primary(format!("ws_bf16{{{:#06x}}}", half::bf16::from_f32(f).to_bits()));
        }
        _ => {}
    }
    match value {
        ConstValue::Bool(b) => Text::primary(b.to_string()),
        ConstValue::Int(i) => integer(i, scalar),
        ConstValue::F32(f) if f.is_finite() => signed(format!("{f:?}f")),
        ConstValue::F32(f) => Text::primary(format!("__int_as_float({:#010x})", f.to_bits())),
        ConstValue::F64(f) if f.is_finite() => signed(format!("{f:?}")),
        ConstValue::F64(f) => Text::primary(format!("__longlong_as_double({:#018x}ll)", f.to_bits())),
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

/// A negative literal is a unary expression in C++; kept in parentheses so that `- -1` never joins.
fn signed(text: String) -> Text {
    Text::primary(if text.starts_with('-') { format!("({text})") } else { text })
}
