//! Types of elements and sums: their bits and their values.

use warpsmith::prelude::*;
use warpsmith::simulator::context::FloatFormat;

/// The type of elements or sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    E4m3,
    E5m2,
    S8,
    U8,
    S32,
}

impl Element {
    pub fn bytes(self) -> usize {
        match self {
            Self::E4m3 | Self::E5m2 | Self::S8 | Self::U8 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::Tf32 | Self::F32 | Self::S32 => 4,
            Self::F64 => 8,
        }
    }

    /// Bits of the exponent and of the mantissa; none of an integer.
    pub(super) fn format(self) -> Option<[u32; 2]> {
        match self {
            Self::F16 => Some([5, 10]),
            Self::Bf16 => Some([8, 7]),
            Self::Tf32 | Self::F32 => Some([8, 23]),
            Self::F64 => Some([11, 52]),
            Self::E4m3 => Some([4, 3]),
            Self::E5m2 => Some([5, 2]),
            Self::S8 | Self::U8 | Self::S32 => None,
        }
    }

    /// The format in which tensor cores multiply floats of up to 32 bits.
    pub fn float(self) -> Option<FloatFormat> {
        match self {
            Self::F16 => Some(FloatFormat::F16),
            Self::Bf16 => Some(FloatFormat::Bf16),
            Self::Tf32 => Some(FloatFormat::Tf32),
            Self::E4m3 => Some(FloatFormat::E4m3),
            Self::E5m2 => Some(FloatFormat::E5m2),
            Self::F32 | Self::F64 | Self::S8 | Self::U8 | Self::S32 => None,
        }
    }

    /// The value, by the bits.
    pub fn value(self, bits: u64) -> f64 {
        match self {
            Self::F16 => f16::from_bits(bits as u16).to_f64(),
            Self::Bf16 => bf16::from_bits(bits as u16).to_f64(),
            Self::Tf32 => f32::from_bits(bits as u32 & !0x1fff).into(),
            Self::F32 => f32::from_bits(bits as u32).into(),
            Self::F64 => f64::from_bits(bits),
            Self::E4m3 => F8E4M3::from_bits(bits as u8).to_f32().into(),
            Self::E5m2 => F8E5M2::from_bits(bits as u8).to_f32().into(),
            Self::S8 => f64::from(bits as i8),
            Self::U8 => f64::from(bits as u8),
            Self::S32 => f64::from(bits as i32),
        }
    }
}
