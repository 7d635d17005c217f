//! Scalars.

use super::{Constant, DeviceType, GpuType};
use crate::ir::{ConstValue, Expr, Scalar, Spelling, Type};

macro_rules! scalars {
    ($($t:ty, $scalar:ident, |$v:ident| $value:expr $(, $from:item)?;)+) => {$(
        impl DeviceType for $t {
            type Erased = Self;
            fn ty() -> Type {
                Type::Scalar(Scalar::$scalar)
            }
            $($from)?
        }

        // SAFETY: a scalar is its own layout; the device stores only 0 and 1 in a `bool`.
        unsafe impl GpuType for $t {}

        impl Constant for $t {
            fn to_expr(&self, name: Option<&'static str>) -> Expr {
                let $v = *self;
                Expr::constant($value, <$t>::ty()).spelled(name.map_or(Spelling::Value, Spelling::Name))
            }
        }
    )+};
}

scalars! {
    bool, Bool, |v| ConstValue::Bool(v), unsafe fn from_ir(at: *const u8) -> Self {
        // SAFETY: one byte. Bytes that are no `bool` count as `true`, as on the device.
        unsafe { at.read() != 0 }
    };
    i8, I8, |v| ConstValue::Int(v.into());
    i16, I16, |v| ConstValue::Int(v.into());
    i32, I32, |v| ConstValue::Int(v.into());
    i64, I64, |v| ConstValue::Int(v.into());
    isize, I64, |v| ConstValue::Int(v as i128);
    u8, U8, |v| ConstValue::Int(v.into());
    u16, U16, |v| ConstValue::Int(v.into());
    u32, U32, |v| ConstValue::Int(v.into());
    u64, U64, |v| ConstValue::Int(v.into());
    usize, U64, |v| ConstValue::Int(v as i128);
    crate::half::f16, F16, |v| ConstValue::F32(v.to_f32());
    crate::half::bf16, BF16, |v| ConstValue::F32(v.to_f32());
    f32, F32, |v| ConstValue::F32(v);
    f64, F64, |v| ConstValue::F64(v);
}
