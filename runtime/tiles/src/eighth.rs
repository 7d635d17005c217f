//! 8-bit floats: storage for values that are computed in `f32`.

use warpsmith_macros::{GpuType, gpu_impl};

use crate::device_api::fp8::{f32_from_e4m3, f32_from_e5m2, f32_to_e4m3, f32_to_e5m2};
use crate::device_api::wgmma::WgmmaElement;
use crate::ir::TensorFormat;
use crate::simulator::context::{FloatFormat, TensorSum, TensorUnit};

macro_rules! eighths {
    ($($(#[$doc:meta])* $name:ident $to:ident $from:ident $ptx:literal $format:ident;)+) => {$(
        $(#[$doc])*
        ///
        /// Equality is of the bits. Source: PTX ISA, `cvt`; OCP 8-bit floating point specification.
        #[derive(Clone, Copy, Debug, Default, Eq, GpuType)]
        #[repr(C)]
        #[gpu(AnyBits, PartialEq)]
        pub struct $name {
            bits: u8,
        }

        #[gpu_impl]
        impl $name {
            /// The nearest value, ties to even; a value beyond the largest finite value becomes that.
            pub fn from_f32(value: f32) -> Self {
                $name { bits: $to(value) }
            }

            /// The same value.
            pub fn to_f32(self) -> f32 {
                $from(self.bits)
            }

            /// The value with these bits.
            pub fn from_bits(bits: u8) -> Self {
                $name { bits }
            }

            /// Sign, exponent and mantissa, from the highest bit.
            pub fn to_bits(self) -> u8 {
                self.bits
            }
        }

        impl WgmmaElement for $name {
            type Sum = f32;
            const PTX: [&'static str; 2] = ["f32", $ptx];
            const FORMAT: TensorFormat = TensorFormat::F8;
            const FLOATS: Option<TensorSum> =
                Some(TensorSum { operands: [FloatFormat::$format; 2], unit: TensorUnit::Short });

            fn value(bits: u32) -> f64 {
                $from(bits as u8).into()
            }
        }
    )+};
}

eighths! {
    /// Four bits of exponent and three of mantissa: up to 448, no infinities, one NaN of each sign.
    F8E4M3 f32_to_e4m3 f32_from_e4m3 "e4m3" E4m3;
    /// Five bits of exponent and two of mantissa: up to 57344, with infinities and NaNs.
    F8E5M2 f32_to_e5m2 f32_from_e5m2 "e5m2" E5m2;
}
