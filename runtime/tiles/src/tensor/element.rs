//! The types of elements that tensor cores multiply.

use warpsmith_macros::{gpu_impl, gpu_trait};

use crate::device_api::mma::{
    mma_m16n8k8_f32_tf32, mma_m16n8k16_f32_bf16, mma_m16n8k16_f32_f16, mma_m16n8k32_f32_e4m3_e4m3,
    mma_m16n8k32_f32_e5m2_e5m2, mma_m16n8k32_s32_s8_s8, mma_m16n8k32_s32_u8_u8,
};
use crate::device_api::number::Num;
use crate::eighth::{F8E4M3, F8E5M2};
use crate::half::{bf16, f16};
use crate::types::{AnyBits, GpuType};

/// Elements that tensor cores multiply: `f16`, `bf16`, `f32` (its highest 19 bits), `i8`, `u8`, and, from compute
/// capability 8.9 on, `F8E4M3` and `F8E5M2`.
#[gpu_trait]
#[diagnostic::on_unimplemented(
    message = "tensor cores do not multiply `{Self}`",
    note = "they multiply f16, bf16, f32 (as tf32), i8, u8, F8E4M3 and F8E5M2"
)]
pub trait TensorElement: AnyBits + 'static {
    /// The type of the sums: `f32`, or `i32` for integers.
    type Sum: Num + GpuType;

    /// Adds a product of 16 rows of 32 bytes by 8 columns of 32 bytes, all lanes of the warp together.
    fn multiply(a: [u32; 4], b: [u32; 2], sums: [Self::Sum; 4]) -> [Self::Sum; 4];
}

macro_rules! elements {
    ($($t:ty: $sum:ty = $multiply:ident;)+) => {$(
        #[gpu_impl]
        impl TensorElement for $t {
            type Sum = $sum;

            fn multiply(a: [u32; 4], b: [u32; 2], sums: [$sum; 4]) -> [$sum; 4] {
                $multiply(a, b, sums)
            }
        }
    )+};
}

elements! {
    f16: f32 = mma_m16n8k16_f32_f16;
    bf16: f32 = mma_m16n8k16_f32_bf16;
    f32: f32 = mma_m16n8k8_f32_tf32;
    F8E4M3: f32 = mma_m16n8k32_f32_e4m3_e4m3;
    F8E5M2: f32 = mma_m16n8k32_f32_e5m2_e5m2;
    i8: i32 = mma_m16n8k32_s32_s8_s8;
    u8: i32 = mma_m16n8k32_s32_u8_u8;
}

/// Floats of sixteen bits: `f16` and `bf16`. A register holds two of them.
#[gpu_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a float of sixteen bits",
    note = "left operands in registers and right operands of K × N are `f16` or `bf16`; keep others in shared memory, with elements along \
            K side by side, for `start_abt`"
)]
pub trait HalfElement: AnyBits + 'static {
    /// Both numbers rounded to nearest, the first in the low half.
    fn pair(low: f32, high: f32) -> u32;

    /// The numbers of a pair, that of the low half first.
    fn halves(pair: u32) -> [f32; 2];
}

#[gpu_impl]
impl HalfElement for f16 {
    fn pair(low: f32, high: f32) -> u32 {
        f16::from_f32(low).to_bits() as u32 | (f16::from_f32(high).to_bits() as u32) << 16
    }

    fn halves(pair: u32) -> [f32; 2] {
        [f16::from_bits(pair as u16).to_f32(), f16::from_bits((pair >> 16) as u16).to_f32()]
    }
}

#[gpu_impl]
impl HalfElement for bf16 {
    fn pair(low: f32, high: f32) -> u32 {
        bf16::from_f32(low).to_bits() as u32 | (bf16::from_f32(high).to_bits() as u32) << 16
    }

    fn halves(pair: u32) -> [f32; 2] {
        [bf16::from_bits(pair as u16).to_f32(), bf16::from_bits((pair >> 16) as u16).to_f32()]
    }
}
