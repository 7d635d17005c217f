//! Conversions of `f32` to and from 8-bit floats, by their bits.
//!
//! Source: PTX ISA, `cvt.rn.satfinite.e4m3x2.f32`, `cvt.rn.f16x2.e4m3x2`; compute capability 8.9.

use super::text::with;
use crate::ir::{Facts, Prelude};

/// A format of eight bits.
struct Format {
    mantissa: u32,
    /// Exponent of the smallest normal value.
    lowest: i32,
    /// Bits of the largest finite value.
    largest: u32,
    infinities: bool,
}

const E4M3: Format = Format { mantissa: 3, lowest: -6, largest: 0x7e, infinities: false };
const E5M2: Format = Format { mantissa: 2, lowest: -14, largest: 0x7b, infinities: true };

/// The bits that every NaN becomes.
const NAN: u8 = 0x7f;

impl Format {
    fn encode(&self, value: f32) -> u8 {
        if value.is_nan() {
            return NAN;
        }
        let sign = if value.is_sign_negative() { 0x80 } else { 0 };
        let magnitude = f64::from(value.abs());
        // Below the smallest normal value steps stay as they are there. Infinity has the largest exponent.
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(self.lowest).min(128);
        let step = f64::powi(2.0, exponent - self.mantissa as i32);
        let steps = (magnitude / step).round_ties_even().min(65536.0) as u32;
        // A carry out of the mantissa is one of the exponent.
        let bits = (((exponent - self.lowest) as u32) << self.mantissa) + steps;
        sign | bits.min(self.largest) as u8
    }

    fn decode(&self, bits: u8) -> f32 {
        let sign = if bits & 0x80 != 0 { -1.0 } else { 1.0 };
        let magnitude = u32::from(bits & 0x7f);
        if magnitude > self.largest {
            return if self.infinities && magnitude == self.largest + 1 {
                sign * f32::INFINITY
            } else {
                f32::NAN
            };
        }
        let (exponent, mantissa) = (magnitude >> self.mantissa, magnitude & ((1 << self.mantissa) - 1));
        let implicit = if exponent > 0 { 1 << self.mantissa } else { 0 };
        let scale = self.lowest + exponent.max(1) as i32 - 1 - self.mantissa as i32;
        sign * (implicit + mantissa) as f32 * f32::powi(2.0, scale)
    }
}

builtin! {
    /// The bits of the nearest `e4m3` value, ties to even, at most 448 in magnitude; a NaN is 0x7f.
    pub fn f32_to_e4m3(value: f32) -> u8 {
        cuda: with("ws_to_e4m3({0})", &FP8), min_compute: (8, 9), facts: Facts::CONVERTS
    } {
        E4M3.encode(value)
    }

    /// The bits of the nearest `e5m2` value, ties to even, at most 57344 in magnitude; a NaN is 0x7f.
    pub fn f32_to_e5m2(value: f32) -> u8 {
        cuda: with("ws_to_e5m2({0})", &FP8), min_compute: (8, 9), facts: Facts::CONVERTS
    } {
        E5M2.encode(value)
    }

    /// The value of `e4m3` bits.
    pub fn f32_from_e4m3(bits: u8) -> f32 {
        cuda: with("ws_from_e4m3({0})", &FP8), min_compute: (8, 9), facts: Facts::CONVERTS
    } {
        E4M3.decode(bits)
    }

    /// The value of `e5m2` bits.
    pub fn f32_from_e5m2(bits: u8) -> f32 {
        cuda: with("ws_from_e5m2({0})", &FP8), min_compute: (8, 9), facts: Facts::CONVERTS
    } {
        E5M2.decode(bits)
    }
}

static FP8: Prelude = Prelude {
    name: "ws_fp8",
    code: "__device__ __forceinline__ unsigned char ws_to_e4m3(float x) {
    unsigned short pair;
    asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(pair) : \"f\"(0.0f), \"f\"(x));
    return (unsigned char)pair;
}
__device__ __forceinline__ unsigned char ws_to_e5m2(float x) {
    unsigned short pair;
    asm(\"cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;\" : \"=h\"(pair) : \"f\"(0.0f), \"f\"(x));
    return (unsigned char)pair;
}
__device__ __forceinline__ float ws_low_half(unsigned int halves) {
    float x;
    asm(\"{ .reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low; }\" : \"=f\"(x) : \"r\"(halves));
    return x;
}
__device__ __forceinline__ float ws_from_e4m3(unsigned char bits) {
    unsigned int halves;
    asm(\"cvt.rn.f16x2.e4m3x2 %0, %1;\" : \"=r\"(halves) : \"h\"((unsigned short)bits));
    return ws_low_half(halves);
}
__device__ __forceinline__ float ws_from_e5m2(unsigned char bits) {
    unsigned int halves;
    asm(\"cvt.rn.f16x2.e5m2x2 %0, %1;\" : \"=r\"(halves) : \"h\"((unsigned short)bits));
    return ws_low_half(halves);
}
",
    needs: &[],
};
