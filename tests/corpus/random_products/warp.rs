//! Products of a warp: every `mma` of the language, one product a warp.

use std::ops::Range;

use warpsmith::ptx::MmaShape;

use super::{Element, Instruction, POOL, Pools, Sums, pick};

/// Registers of a lane, as bytes.
trait Registers: Copy {
    fn of_bytes(bytes: &[u8]) -> Self;
    fn bytes(&self) -> Vec<u8>;
}

macro_rules! registers {
    ($($t:ty)+) => {$(
        impl<const N: usize> Registers for [$t; N] {
            fn of_bytes(bytes: &[u8]) -> Self {
                let (own, _) = bytes.as_chunks::<{ size_of::<$t>() }>();
                core::array::from_fn(|i| <$t>::from_le_bytes(own[i]))
            }

            fn bytes(&self) -> Vec<u8> {
                self.iter().flat_map(|x| x.to_le_bytes()).collect()
            }
        }
    )+};
}

registers! { u32 f64 f32 i32 }

/// The pools' entries that a sum is made of: row, column, old sum.
pub(super) fn entries(product: u32, sum: usize, m: usize) -> [usize; 3] {
    let (lane, i) = (sum / (m / 4), sum % (m / 4));
    let (row, col) = MmaShape::sum(lane, i);
    [row, 64 + col, old(lane, i)].map(|place| entry(product, place))
}

/// The place of a lane's old sum among what a product picks.
fn old(lane: usize, i: usize) -> usize {
    1024 + lane * 4 + i
}

/// The entry that a product picks for a place.
fn entry(product: u32, place: usize) -> usize {
    pick(product, place as u32) as usize % POOL
}

/// Appends the bytes of `count` elements of a pool.
fn append(to: &mut Vec<u8>, pool: &[u64], element: Element, from: usize, count: usize) {
    pool[from..from + count].iter().for_each(|bits| to.extend(&bits.to_le_bytes()[..element.bytes()]));
}

/// The registers of all lanes of the products.
fn operands<A: Registers, B: Registers, C: Registers>(
    of: &Instruction,
    pools: &Pools,
    products: Range<u32>,
) -> (Vec<A>, Vec<B>, Vec<C>) {
    let per_register = of.a.bytes().max(4) / of.a.bytes();
    let shape = MmaShape { m: of.m, k: of.k, per_register };
    let (of_a, of_b) = shape.registers();
    let (mut a, mut b, mut c) = (Vec::new(), Vec::new(), Vec::new());
    let mut bytes = Vec::new();
    for product in products {
        for lane in 0..32 {
            bytes.clear();
            for (row, k) in (0..of_a).map(|register| shape.a(lane, register)) {
                append(&mut bytes, &pools.bits[0], of.a, entry(product, row) * of.k + k, per_register);
            }
            a.push(A::of_bytes(&bytes));
            bytes.clear();
            for (k, col) in (0..of_b).map(|register| shape.b(lane, register)) {
                append(&mut bytes, &pools.bits[1], of.b, entry(product, 64 + col) * of.k + k, per_register);
            }
            b.push(B::of_bytes(&bytes));
            bytes.clear();
            (0..of.m / 4)
                .for_each(|i| append(&mut bytes, &pools.sums, of.c, entry(product, old(lane, i)), 1));
            c.push(C::of_bytes(&bytes));
        }
    }
    (a, b, c)
}

/// The sums of all lanes, by their bits.
fn sums<C: Registers>(lanes: &[C], element: Element) -> Vec<u64> {
    lanes
        .iter()
        .flat_map(|lane| lane.bytes().chunks(element.bytes()).map(super::bits).collect::<Vec<_>>())
        .collect()
}

macro_rules! products {
    ($($mma:ident [$a:ty] [$b:ty] [$c:ty] $m:literal $k:literal $of_a:ident $of_b:ident $of_c:ident $sums:expr;)+) => {
        mod kernels {
            use warpsmith::prelude::*;
            use warpsmith::ptx;

            $(
                #[gpu_kernel]
                pub fn $mma(a: &[$a], b: &[$b], c: &mut [$c]) {
                    let t = global_id();
                    c[t] = ptx::$mma(a[t], b[t], c[t]);
                }
            )+
        }

        /// Every product of a warp.
        pub fn all() -> Vec<Instruction> {
            vec![$(Instruction {
                name: stringify!($mma).to_owned(),
                m: $m,
                n: 8,
                k: $k,
                a: Element::$of_a,
                b: Element::$of_b,
                c: Element::$of_c,
                sums: $sums,
                warpgroup: false,
                run: |of, device, pools, products| {
                    let (a, b, c) = operands::<$a, $b, $c>(of, pools, products);
                    let (a, b, mut c) = (device.upload(&a)?, device.upload(&b)?, device.upload(&c)?);
                    let launch = kernels::$mma(&a, &b, &mut c);
                    launch.grid(a.len() as u32 / 32).block(32).launch(device)?;
                    Ok(sums(&device.download(&c)?, Element::$of_c))
                },
            }),+]
        }
    };
}

products! {
    mma_m16n8k16_f32_f16 [[u32; 4]] [[u32; 2]] [[f32; 4]] 16 16 F16 F16 F32 Sums::Float;
    mma_m16n8k16_f16_f16 [[u32; 4]] [[u32; 2]] [[u32; 2]] 16 16 F16 F16 F16 Sums::Float;
    mma_m16n8k16_f32_bf16 [[u32; 4]] [[u32; 2]] [[f32; 4]] 16 16 Bf16 Bf16 F32 Sums::Float;
    mma_m16n8k8_f32_f16 [[u32; 2]] [[u32; 1]] [[f32; 4]] 16 8 F16 F16 F32 Sums::Float;
    mma_m16n8k8_f16_f16 [[u32; 2]] [[u32; 1]] [[u32; 2]] 16 8 F16 F16 F16 Sums::Float;
    mma_m16n8k8_f32_bf16 [[u32; 2]] [[u32; 1]] [[f32; 4]] 16 8 Bf16 Bf16 F32 Sums::Float;
    mma_m16n8k8_f32_tf32 [[u32; 4]] [[u32; 2]] [[f32; 4]] 16 8 Tf32 Tf32 F32 Sums::Float;
    mma_m16n8k4_f32_tf32 [[u32; 2]] [[u32; 1]] [[f32; 4]] 16 4 Tf32 Tf32 F32 Sums::Float;
    mma_m8n8k4_f64 [[f64; 1]] [[f64; 1]] [[f64; 2]] 8 4 F64 F64 F64 Sums::Float;
    mma_m16n8k4_f64 [[f64; 2]] [[f64; 1]] [[f64; 4]] 16 4 F64 F64 F64 Sums::Float;
    mma_m16n8k8_f64 [[f64; 4]] [[f64; 2]] [[f64; 4]] 16 8 F64 F64 F64 Sums::Float;
    mma_m16n8k16_f64 [[f64; 8]] [[f64; 4]] [[f64; 4]] 16 16 F64 F64 F64 Sums::Float;
    mma_m16n8k16_s32_s8_s8 [[u32; 2]] [[u32; 1]] [[i32; 4]] 16 16 S8 S8 S32 Sums::Wrap;
    mma_m16n8k16_s32_s8_s8_satfinite [[u32; 2]] [[u32; 1]] [[i32; 4]] 16 16 S8 S8 S32 Sums::Clamp;
    mma_m16n8k16_s32_s8_u8 [[u32; 2]] [[u32; 1]] [[i32; 4]] 16 16 S8 U8 S32 Sums::Wrap;
    mma_m16n8k16_s32_s8_u8_satfinite [[u32; 2]] [[u32; 1]] [[i32; 4]] 16 16 S8 U8 S32 Sums::Clamp;
    mma_m16n8k16_s32_u8_s8 [[u32; 2]] [[u32; 1]] [[i32; 4]] 16 16 U8 S8 S32 Sums::Wrap;
    mma_m16n8k16_s32_u8_s8_satfinite [[u32; 2]] [[u32; 1]] [[i32; 4]] 16 16 U8 S8 S32 Sums::Clamp;
    mma_m16n8k16_s32_u8_u8 [[u32; 2]] [[u32; 1]] [[i32; 4]] 16 16 U8 U8 S32 Sums::Wrap;
    mma_m16n8k16_s32_u8_u8_satfinite [[u32; 2]] [[u32; 1]] [[i32; 4]] 16 16 U8 U8 S32 Sums::Clamp;
    mma_m16n8k32_s32_s8_s8 [[u32; 4]] [[u32; 2]] [[i32; 4]] 16 32 S8 S8 S32 Sums::Wrap;
    mma_m16n8k32_s32_s8_s8_satfinite [[u32; 4]] [[u32; 2]] [[i32; 4]] 16 32 S8 S8 S32 Sums::Clamp;
    mma_m16n8k32_s32_s8_u8 [[u32; 4]] [[u32; 2]] [[i32; 4]] 16 32 S8 U8 S32 Sums::Wrap;
    mma_m16n8k32_s32_s8_u8_satfinite [[u32; 4]] [[u32; 2]] [[i32; 4]] 16 32 S8 U8 S32 Sums::Clamp;
    mma_m16n8k32_s32_u8_s8 [[u32; 4]] [[u32; 2]] [[i32; 4]] 16 32 U8 S8 S32 Sums::Wrap;
    mma_m16n8k32_s32_u8_s8_satfinite [[u32; 4]] [[u32; 2]] [[i32; 4]] 16 32 U8 S8 S32 Sums::Clamp;
    mma_m16n8k32_s32_u8_u8 [[u32; 4]] [[u32; 2]] [[i32; 4]] 16 32 U8 U8 S32 Sums::Wrap;
    mma_m16n8k32_s32_u8_u8_satfinite [[u32; 4]] [[u32; 2]] [[i32; 4]] 16 32 U8 U8 S32 Sums::Clamp;
    mma_m16n8k32_f32_e4m3_e4m3 [[u32; 4]] [[u32; 2]] [[f32; 4]] 16 32 E4m3 E4m3 F32 Sums::Float;
    mma_m16n8k32_f32_e4m3_e5m2 [[u32; 4]] [[u32; 2]] [[f32; 4]] 16 32 E4m3 E5m2 F32 Sums::Float;
    mma_m16n8k32_f32_e5m2_e4m3 [[u32; 4]] [[u32; 2]] [[f32; 4]] 16 32 E5m2 E4m3 F32 Sums::Float;
    mma_m16n8k32_f32_e5m2_e5m2 [[u32; 4]] [[u32; 2]] [[f32; 4]] 16 32 E5m2 E5m2 F32 Sums::Float;
}
