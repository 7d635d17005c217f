//! Products of matrices in registers, `mma.sync`, against the host.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use super::{needs, random};
use crate::everywhere;

/// How the elements of an operand are stored.
struct Format {
    bytes: usize,
    /// The bits of some finite number.
    random: fn(u32) -> u64,
    value: fn(u64) -> f64,
}

/// A number from -8 to 8, in steps of 2⁻¹².
fn small(word: u32) -> f32 {
    (word % 0x10000) as f32 / 4096.0 - 8.0
}

const F16: Format = Format {
    bytes: 2,
    random: |word| f16::from_f32(small(word)).to_bits().into(),
    value: |bits| f16::from_bits(bits as u16).to_f32().into(),
};
const BF16: Format = Format {
    bytes: 2,
    random: |word| bf16::from_f32(small(word)).to_bits().into(),
    value: |bits| bf16::from_bits(bits as u16).to_f32().into(),
};
const TF32: Format = Format {
    bytes: 4,
    random: |word| u64::from(small(word).to_bits() & !0x1fff),
    value: |bits| f32::from_bits(bits as u32).into(),
};
const F64: Format =
    Format { bytes: 8, random: |word| (f64::from(small(word)) / 3.0).to_bits(), value: f64::from_bits };
const S8: Format =
    Format { bytes: 1, random: |word| u64::from(word & 0xff), value: |bits| f64::from(bits as u8 as i8) };
const U8: Format =
    Format { bytes: 1, random: |word| u64::from(word & 0xff), value: |bits| f64::from(bits as u8) };
const E4M3: Format = Format {
    bytes: 1,
    random: |word| if word & 0x7f == 0x7f { 0 } else { u64::from(word & 0xff) },
    value: |bits| F8E4M3::from_bits(bits as u8).to_f32().into(),
};
const E5M2: Format = Format {
    bytes: 1,
    random: |word| if word & 0x7f >= 0x7c { 0 } else { u64::from(word & 0xff) },
    value: |bits| F8E5M2::from_bits(bits as u8).to_f32().into(),
};

/// Registers of a lane, as bytes.
trait Registers: Copy {
    fn of_bytes(bytes: &[u8]) -> Self;
}

macro_rules! registers {
    ($($t:ty)+) => {$(
        impl<const N: usize> Registers for [$t; N] {
            fn of_bytes(bytes: &[u8]) -> Self {
                let (own, _) = bytes.as_chunks::<{ size_of::<$t>() }>();
                core::array::from_fn(|i| <$t>::from_le_bytes(own[i]))
            }
        }
    )+};
}

registers! { u32 f64 f32 i32 }

/// Registers that sums are in.
trait Sums: Registers {
    /// Sums to begin with.
    fn random(next: &mut dyn FnMut() -> u32) -> Self;
    /// The sum of element `i`.
    fn sum(&self, i: usize) -> f64;
    /// The stored form of an exact sum, and the error that a GPU may make, as a part of the sum of magnitudes.
    fn stored(exact: f64, clamped: bool) -> (f64, f64);
}

impl Sums for [f32; 4] {
    fn random(next: &mut dyn FnMut() -> u32) -> Self {
        core::array::from_fn(|_| small(next()))
    }

    fn sum(&self, i: usize) -> f64 {
        self[i].into()
    }

    fn stored(exact: f64, _: bool) -> (f64, f64) {
        ((exact as f32).into(), 2f64.powi(-12))
    }
}

impl Sums for [u32; 2] {
    fn random(next: &mut dyn FnMut() -> u32) -> Self {
        core::array::from_fn(|_| ((F16.random)(next()) | (F16.random)(next()) << 16) as u32)
    }

    fn sum(&self, i: usize) -> f64 {
        (F16.value)(u64::from(self[i / 2] >> (i % 2 * 16) & 0xffff))
    }

    fn stored(exact: f64, _: bool) -> (f64, f64) {
        (f16::from_f64(exact).to_f64(), 2f64.powi(-9))
    }
}

impl<const N: usize> Sums for [f64; N] {
    fn random(next: &mut dyn FnMut() -> u32) -> Self {
        core::array::from_fn(|_| (F64.value)((F64.random)(next())))
    }

    fn sum(&self, i: usize) -> f64 {
        self[i]
    }

    fn stored(exact: f64, _: bool) -> (f64, f64) {
        (exact, 2f64.powi(-48))
    }
}

impl Sums for [i32; 4] {
    fn random(next: &mut dyn FnMut() -> u32) -> Self {
        let near_an_end = |word: u32| match word % 3 {
            0 => word as i32,
            1 => i32::MAX - (word >> 12) as i32,
            _ => i32::MIN + (word >> 12) as i32,
        };
        core::array::from_fn(|_| near_an_end(next()))
    }

    fn sum(&self, i: usize) -> f64 {
        self[i].into()
    }

    fn stored(exact: f64, clamped: bool) -> (f64, f64) {
        let exact = exact as i64;
        let bounded = exact.clamp(i32::MIN.into(), i32::MAX.into());
        (if clamped { bounded as f64 } else { f64::from(exact as i32) }, 0.0)
    }
}

/// An instruction: its rows, its columns of `a`, the formats of its operands, and whether its sums are clamped.
struct Product {
    m: usize,
    k: usize,
    a: Format,
    b: Format,
    clamped: bool,
}

impl Product {
    /// Runs it on random matrices of every seed, and compares with the host.
    fn run<A: Registers, B: Registers, C: Sums>(
        &self,
        device: &Device,
        multiply: impl Fn(&[A], &[B], &[C]) -> Vec<C>,
    ) {
        (0..4).for_each(|seed| self.run_once(seed, device, &multiply));
    }

    fn run_once<A: Registers, B: Registers, C: Sums>(
        &self,
        seed: u32,
        device: &Device,
        multiply: &impl Fn(&[A], &[B], &[C]) -> Vec<C>,
    ) {
        let Self { m, k, .. } = *self;
        let mut next = random(seed * 77 + 5);
        let a: Vec<u64> = (0..m * k).map(|_| (self.a.random)(next())).collect();
        let b: Vec<u64> = (0..k * 8).map(|_| (self.b.random)(next())).collect();
        let c: Vec<C> = (0..32).map(|_| C::random(&mut next)).collect();
        let got = multiply(&self.registers_of_a(&a), &self.registers_of_b(&b), &c);
        for lane in 0..32 {
            for i in 0..m / 4 {
                let (row, col) = MmaShape::sum(lane, i);
                let (mut sum, mut size) = (c[lane].sum(i), c[lane].sum(i).abs());
                for k in 0..k {
                    let (x, y) = ((self.a.value)(a[row * self.k + k]), (self.b.value)(b[k * 8 + col]));
                    sum = x.mul_add(y, sum);
                    size += (x * y).abs();
                }
                let (want, off) = C::stored(sum, self.clamped);
                let off = if device.is_simulator() { 0.0 } else { off * size };
                let got = got[lane].sum(i);
                assert!(
                    (got - want).abs() <= off,
                    "{got} is not {want} at ({row}, {col}) on {}",
                    device.name()
                );
            }
        }
    }

    fn shape(&self) -> MmaShape {
        MmaShape { m: self.m, k: self.k, per_register: self.a.bytes.max(4) / self.a.bytes }
    }

    fn registers_of_a<A: Registers>(&self, a: &[u64]) -> Vec<A> {
        let shape = self.shape();
        lanes(shape.registers().0, &self.a, |lane, register, e| {
            let (row, k) = shape.a(lane, register);
            a[row * self.k + k + e]
        })
    }

    fn registers_of_b<B: Registers>(&self, b: &[u64]) -> Vec<B> {
        let shape = self.shape();
        lanes(shape.registers().1, &self.b, |lane, register, e| {
            let (k, col) = shape.b(lane, register);
            b[(k + e) * 8 + col]
        })
    }
}

/// The registers of all lanes, by the bits of each element.
fn lanes<R: Registers>(
    registers: usize,
    format: &Format,
    bits: impl Fn(usize, usize, usize) -> u64,
) -> Vec<R> {
    let elements = format.bytes.max(4) / format.bytes;
    let of_lane = |lane| {
        let mut bytes = Vec::new();
        for register in 0..registers {
            for e in 0..elements {
                bytes.extend(&bits(lane, register, e).to_le_bytes()[..format.bytes]);
            }
        }
        R::of_bytes(&bytes)
    };
    (0..32).map(of_lane).collect()
}

macro_rules! products {
    ($($mma:ident [$a:ty] [$b:ty] [$c:ty] $check:expr;)+) => {
        mod kernels {
            use warpsmith::prelude::*;
            use warpsmith::ptx;

            $(
                #[gpu_kernel]
                pub fn $mma(a: &[$a], b: &[$b], c: &mut [$c]) {
                    let t = thread_idx().x;
                    c[t] = ptx::$mma(a[t], b[t], c[t]);
                }
            )+
        }

        $(
            #[test]
            fn $mma() {
                everywhere::<kernels::$mma>(&(), |device| {
                    $check.run(device, |a: &[$a], b: &[$b], c: &[$c]| {
                        let (a, b) = (device.upload(a).expect("memory"), device.upload(b).expect("memory"));
                        let mut c = device.upload(c).expect("memory");
                        kernels::$mma(&a, &b, &mut c).grid(1).block(32).launch(device).expect("a launch");
                        device.download(&c).expect("no fault")
                    });
                });
            }
        )+
    };
}

products! {
    mma_m16n8k16_f32_f16 [[u32; 4]] [[u32; 2]] [[f32; 4]] Product { m: 16, k: 16, a: F16, b: F16, clamped: false };
    mma_m16n8k16_f16_f16 [[u32; 4]] [[u32; 2]] [[u32; 2]] Product { m: 16, k: 16, a: F16, b: F16, clamped: false };
    mma_m16n8k16_f32_bf16 [[u32; 4]] [[u32; 2]] [[f32; 4]] Product { m: 16, k: 16, a: BF16, b: BF16, clamped: false };
    mma_m16n8k8_f32_f16 [[u32; 2]] [[u32; 1]] [[f32; 4]] Product { m: 16, k: 8, a: F16, b: F16, clamped: false };
    mma_m16n8k8_f16_f16 [[u32; 2]] [[u32; 1]] [[u32; 2]] Product { m: 16, k: 8, a: F16, b: F16, clamped: false };
    mma_m16n8k8_f32_bf16 [[u32; 2]] [[u32; 1]] [[f32; 4]] Product { m: 16, k: 8, a: BF16, b: BF16, clamped: false };
    mma_m16n8k8_f32_tf32 [[u32; 4]] [[u32; 2]] [[f32; 4]] Product { m: 16, k: 8, a: TF32, b: TF32, clamped: false };
    mma_m16n8k4_f32_tf32 [[u32; 2]] [[u32; 1]] [[f32; 4]] Product { m: 16, k: 4, a: TF32, b: TF32, clamped: false };
    mma_m8n8k4_f64 [[f64; 1]] [[f64; 1]] [[f64; 2]] Product { m: 8, k: 4, a: F64, b: F64, clamped: false };
    mma_m16n8k4_f64 [[f64; 2]] [[f64; 1]] [[f64; 4]] Product { m: 16, k: 4, a: F64, b: F64, clamped: false };
    mma_m16n8k8_f64 [[f64; 4]] [[f64; 2]] [[f64; 4]] Product { m: 16, k: 8, a: F64, b: F64, clamped: false };
    mma_m16n8k16_f64 [[f64; 8]] [[f64; 4]] [[f64; 4]] Product { m: 16, k: 16, a: F64, b: F64, clamped: false };
    mma_m16n8k16_s32_s8_s8 [[u32; 2]] [[u32; 1]] [[i32; 4]] Product { m: 16, k: 16, a: S8, b: S8, clamped: false };
    mma_m16n8k16_s32_s8_s8_satfinite [[u32; 2]] [[u32; 1]] [[i32; 4]] Product { m: 16, k: 16, a: S8, b: S8, clamped: true };
    mma_m16n8k16_s32_s8_u8 [[u32; 2]] [[u32; 1]] [[i32; 4]] Product { m: 16, k: 16, a: S8, b: U8, clamped: false };
    mma_m16n8k16_s32_s8_u8_satfinite [[u32; 2]] [[u32; 1]] [[i32; 4]] Product { m: 16, k: 16, a: S8, b: U8, clamped: true };
    mma_m16n8k16_s32_u8_s8 [[u32; 2]] [[u32; 1]] [[i32; 4]] Product { m: 16, k: 16, a: U8, b: S8, clamped: false };
    mma_m16n8k16_s32_u8_s8_satfinite [[u32; 2]] [[u32; 1]] [[i32; 4]] Product { m: 16, k: 16, a: U8, b: S8, clamped: true };
    mma_m16n8k16_s32_u8_u8 [[u32; 2]] [[u32; 1]] [[i32; 4]] Product { m: 16, k: 16, a: U8, b: U8, clamped: false };
    mma_m16n8k16_s32_u8_u8_satfinite [[u32; 2]] [[u32; 1]] [[i32; 4]] Product { m: 16, k: 16, a: U8, b: U8, clamped: true };
    mma_m16n8k32_s32_s8_s8 [[u32; 4]] [[u32; 2]] [[i32; 4]] Product { m: 16, k: 32, a: S8, b: S8, clamped: false };
    mma_m16n8k32_s32_s8_s8_satfinite [[u32; 4]] [[u32; 2]] [[i32; 4]] Product { m: 16, k: 32, a: S8, b: S8, clamped: true };
    mma_m16n8k32_s32_s8_u8 [[u32; 4]] [[u32; 2]] [[i32; 4]] Product { m: 16, k: 32, a: S8, b: U8, clamped: false };
    mma_m16n8k32_s32_s8_u8_satfinite [[u32; 4]] [[u32; 2]] [[i32; 4]] Product { m: 16, k: 32, a: S8, b: U8, clamped: true };
    mma_m16n8k32_s32_u8_s8 [[u32; 4]] [[u32; 2]] [[i32; 4]] Product { m: 16, k: 32, a: U8, b: S8, clamped: false };
    mma_m16n8k32_s32_u8_s8_satfinite [[u32; 4]] [[u32; 2]] [[i32; 4]] Product { m: 16, k: 32, a: U8, b: S8, clamped: true };
    mma_m16n8k32_s32_u8_u8 [[u32; 4]] [[u32; 2]] [[i32; 4]] Product { m: 16, k: 32, a: U8, b: U8, clamped: false };
    mma_m16n8k32_s32_u8_u8_satfinite [[u32; 4]] [[u32; 2]] [[i32; 4]] Product { m: 16, k: 32, a: U8, b: U8, clamped: true };
    mma_m16n8k32_f32_e4m3_e4m3 [[u32; 4]] [[u32; 2]] [[f32; 4]] Product { m: 16, k: 32, a: E4M3, b: E4M3, clamped: false };
    mma_m16n8k32_f32_e4m3_e5m2 [[u32; 4]] [[u32; 2]] [[f32; 4]] Product { m: 16, k: 32, a: E4M3, b: E5M2, clamped: false };
    mma_m16n8k32_f32_e5m2_e4m3 [[u32; 4]] [[u32; 2]] [[f32; 4]] Product { m: 16, k: 32, a: E5M2, b: E4M3, clamped: false };
    mma_m16n8k32_f32_e5m2_e5m2 [[u32; 4]] [[u32; 2]] [[f32; 4]] Product { m: 16, k: 32, a: E5M2, b: E5M2, clamped: false };
}

/// Older GPUs are refused by what the source says it needs, before NVRTC is asked.
#[test]
fn what_a_product_needs_is_known() {
    assert_eq!(needs::<kernels::mma_m16n8k8_f16_f16>(), (7, 5));
    assert_eq!(needs::<kernels::mma_m16n8k16_f32_bf16>(), (8, 0));
    assert_eq!(needs::<kernels::mma_m16n8k32_f32_e5m2_e4m3>(), (8, 9));
    assert_eq!(needs::<kernels::mma_m16n8k16_f64>(), (9, 0));
}
