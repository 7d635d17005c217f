//! The types of elements that a warpgroup multiplies.

use crate::device_api::number::Num;
use crate::half::{bf16, f16};
use crate::ir::TensorFormat;
use crate::simulator::context::{FloatFormat, TensorSum, TensorUnit};
use crate::types::{AnyBits, GpuType};

/// Elements that a warpgroup multiplies, with their names in PTX.
pub trait WgmmaElement: AnyBits + 'static {
    /// The type of the sums: `f32`, or `i32` for integers.
    type Sum: Num + GpuType;

    /// The type of the sums, and the type of the elements, in PTX.
    const PTX: [&'static str; 2];

    /// The elements in the counts of reports.
    #[doc(hidden)]
    const FORMAT: TensorFormat;

    /// How tensor cores add products of floats; none of integers.
    #[doc(hidden)]
    const FLOATS: Option<TensorSum>;

    /// The value of an element, by its bits.
    #[doc(hidden)]
    fn value(bits: u32) -> f64;
}

macro_rules! elements {
    ($($t:ty: $sum:ty = $ptx:expr, $format:ident, $floats:expr, |$bits:ident| $value:expr;)+) => {$(
        impl WgmmaElement for $t {
            type Sum = $sum;
            const PTX: [&'static str; 2] = $ptx;
            const FORMAT: TensorFormat = TensorFormat::$format;
            const FLOATS: Option<TensorSum> = $floats;

            fn value($bits: u32) -> f64 {
                $value
            }
        }
    )+};
}

/// How a warpgroup adds products of this format.
const fn added(format: FloatFormat) -> Option<TensorSum> {
    Some(TensorSum { operands: [format; 2], unit: TensorUnit::Single })
}

elements! {
    f16: f32 = ["f32", "f16"], F16, added(FloatFormat::F16), |bits| f16::from_bits(bits as u16).to_f64();
    bf16: f32 = ["f32", "bf16"], Bf16, added(FloatFormat::Bf16), |bits| bf16::from_bits(bits as u16).to_f64();
    f32: f32 = ["f32", "tf32"], Tf32, added(FloatFormat::Tf32), |bits| f32::from_bits(bits & !0x1fff).into();
    i8: i32 = ["s32", "s8"], I8, None, |bits| f64::from(bits as i8);
    u8: i32 = ["s32", "u8"], I8, None, |bits| f64::from(bits as u8);
}
