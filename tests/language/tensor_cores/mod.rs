//! Tensor cores: what the instructions of a warp on matrices move and compute, against the host, and mistakes in their use.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Swizzle32, Swizzle64, Swizzle128, TensorElement, WarpAccumulator};

use super::everywhere;

/// Numbers that look random.
fn random(seed: u32) -> impl FnMut() -> u32 {
    let mut state = seed.wrapping_mul(2_654_435_769) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    }
}

macro_rules! loads {
    ($($kernel:ident $load:ident $matrices:literal;)+) => {$(
        #[gpu_kernel]
        fn $kernel(x: &[u16], places: &[u32], out: &mut [[u32; $matrices]]) {
            let mut tile = shared!([u16; 512], align = 16);
            let t = thread_idx().x as usize;
            for i in 0..16 {
                tile[t * 16 + i] = x[t * 16 + i];
            }
            sync_warp();
            out[t] = $load(&tile[places[t] * 8]);
        }
    )+};
}

loads! {
    loads_one ldmatrix_x1 1;
    loads_two ldmatrix_x2 2;
    loads_four ldmatrix_x4 4;
    loads_one_transposed ldmatrix_x1_trans 1;
    loads_two_transposed ldmatrix_x2_trans 2;
    loads_four_transposed ldmatrix_x4_trans 4;
}

macro_rules! stores {
    ($($kernel:ident $store:ident $matrices:literal;)+) => {$(
        #[gpu_kernel]
        fn $kernel(value: &[[u32; $matrices]], places: &[u32], out: &mut [u16]) {
            let mut tile = shared!([u16; 512], align = 16);
            let t = thread_idx().x as usize;
            for i in 0..16 {
                tile[t * 16 + i] = out[t * 16 + i];
            }
            sync_warp();
            $store(&mut tile[places[t] * 8], value[t]);
            sync_warp();
            for i in 0..16 {
                out[t * 16 + i] = tile[t * 16 + i];
            }
        }
    )+};
}

stores! {
    stores_one stmatrix_x1 1;
    stores_two stmatrix_x2 2;
    stores_four stmatrix_x4 4;
    stores_one_transposed stmatrix_x1_trans 1;
    stores_two_transposed stmatrix_x2_trans 2;
    stores_four_transposed stmatrix_x4_trans 4;
}

/// Each lane's row among 64 of eight elements, no two the same.
fn places(seed: u32) -> Vec<u32> {
    let mut next = random(seed);
    let mut rows: Vec<u32> = (0..64).collect();
    (0..64).for_each(|i| rows.swap(i, next() as usize % 64));
    rows[..32].to_vec()
}

/// Row and column of half `h` of a lane's register.
fn element(lane: usize, h: usize, transposed: bool) -> (usize, usize) {
    let (row, col) = (lane / 4, lane % 4 * 2 + h);
    if transposed { (col, row) } else { (row, col) }
}

macro_rules! check_matrices {
    ($device:ident, $matrices:literal, $load:ident, $store:ident, $transposed:literal) => {{
        let (places, mut next) = (places($matrices + 7), random($matrices));
        let x: Vec<u16> = (0..512).map(|_| next() as u16).collect();
        let row = |matrix: usize, row: usize| places[matrix * 8 + row] as usize * 8;
        let (shared, rows) = ($device.upload(&x).expect("memory"), $device.upload(&places).expect("memory"));
        let mut out = $device.upload(&[[0u32; $matrices]; 32]).expect("memory");
        $load(&shared, &rows, &mut out).grid(1).block(32).launch($device).expect("a launch");
        let loaded = $device.download(&out).expect("no fault");
        for (lane, registers) in loaded.iter().enumerate() {
            for (matrix, register) in registers.iter().enumerate() {
                for h in 0..2 {
                    let (r, c) = element(lane, h, $transposed);
                    let want = x[row(matrix, r) + c];
                    assert_eq!((register >> (16 * h)) as u16, want, "lane {lane}, matrix {matrix}");
                }
            }
        }
        let mut back = $device.upload(&[7u16; 512]).expect("memory");
        $store(&out, &rows, &mut back).grid(1).block(32).launch($device).expect("a launch");
        let stored = $device.download(&back).expect("no fault");
        let used = &places[..8 * $matrices];
        for (i, value) in stored.iter().enumerate() {
            let want = if used.contains(&(i as u32 / 8)) { x[i] } else { 7 };
            assert_eq!(*value, want, "element {i}");
        }
    }};
}

#[test]
fn matrices_go_to_registers_and_back() {
    everywhere::<loads_four>(&(), |device| check_matrices!(device, 4, loads_four, stores_four, false));
    everywhere::<loads_two>(&(), |device| check_matrices!(device, 2, loads_two, stores_two, false));
    everywhere::<loads_one>(&(), |device| check_matrices!(device, 1, loads_one, stores_one, false));
    everywhere::<stores_four_transposed>(&(), |device| {
        check_matrices!(device, 4, loads_four_transposed, stores_four_transposed, true);
    });
    everywhere::<stores_two_transposed>(&(), |device| {
        check_matrices!(device, 2, loads_two_transposed, stores_two_transposed, true);
    });
    everywhere::<stores_one_transposed>(&(), |device| {
        check_matrices!(device, 1, loads_one_transposed, stores_one_transposed, true);
    });
}

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
    /// What is stored of an exact sum, and by how much a GPU may be off, as a part of the sum of magnitudes.
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

/// `c = a * bᵀ` of 32 × 32 sums by two warps, over 64 bytes of each row.
#[gpu_kernel]
fn by_tiles<T: TensorElement + Num, L: Layout, const K: usize>(
    a: View2<T>,
    b: View2<T>,
    c: ViewMut2<T::Sum>,
) {
    let rows = shared!(Tile<T, 32, K, L>);
    let cols = shared!(Tile<T, 32, K, L>);
    rows.load(a, 0, 0, T::ZERO);
    cols.load(b, 0, 0, T::ZERO);
    sync_threads();
    let row = warp_id() as usize * 16;
    let mut sums = WarpAccumulator::<T::Sum, 1, 4>::zero();
    for k in 0..2usize {
        sums.mma(&rows.operand_a::<1>(row, k * (K / 2)), &cols.operand_bt::<4>(0, k * (K / 2)));
    }
    sums.store(c, row, 0, |sum| sum);
}

fn multiplies<T: TensorElement<Sum: Num> + Num, L: Layout, const K: usize>()
where
    by_tiles<T, L, K>: Kernel<Comptime = ()>,
{
    everywhere::<by_tiles<T, L, K>>(&(), |device| {
        let mut next = random(K as u32);
        let mut matrix = || -> Vec<T> { (0..32 * K).map(|_| (next() % 15).cast::<T>()).collect() };
        let (a, b) = (matrix(), matrix());
        let (da, db) = (device.upload(&a).expect("memory"), device.upload(&b).expect("memory"));
        let mut dc = device.upload(&[T::Sum::ZERO; 30 * 31]).expect("memory");
        let (va, vb) = (da.view2(32, K).unwrap(), db.view2(32, K).unwrap());
        // What is outside `c` is not stored.
        by_tiles::<T, L, K>(va, vb, dc.view2_mut(30, 31).unwrap())
            .grid(1)
            .block(64)
            .launch(device)
            .expect("a launch");
        for (i, got) in device.download(&dc).expect("no fault").into_iter().enumerate() {
            let (row, col) = (i / 31, i % 31);
            let product = |k: usize| a[row * K + k].cast::<u32>() * b[col * K + k].cast::<u32>();
            assert_eq!(
                got.cast::<u32>(),
                (0..K).map(product).sum::<u32>(),
                "({row}, {col}) on {}",
                device.name()
            );
        }
    });
}

#[test]
fn tiles_of_every_element_and_layout_are_multiplied() {
    multiplies::<f16, Swizzle64, 32>();
    multiplies::<bf16, RowMajor, 32>();
    multiplies::<f16, Padded<8>, 32>();
    multiplies::<bf16, Swizzle128, 32>();
    multiplies::<f16, Swizzled<8>, 32>();
    multiplies::<f32, Swizzle64<4>, 16>();
    multiplies::<i8, Swizzle64<16>, 64>();
    multiplies::<u8, Swizzle32<16>, 64>();
}

/// `c = a * b` of 16 × 16 sums, each twice and one more in rows of odd numbers; the largest sum of each lane.
#[gpu_kernel]
fn untransposed<T: TensorElement<Sum = f32>>(
    a: View2<T>,
    b: View2<T>,
    fill: T,
    c: ViewMut2<f32>,
    largest: &mut [f32],
) {
    let rows = shared!(Tile<T, 16, 32, Swizzle64>);
    let down = shared!(Tile<T, 32, 16, Swizzle32>);
    rows.load(a, 0, 0, fill);
    down.load(b, 0, 0, fill);
    sync_threads();
    let mut sums = WarpAccumulator::<f32, 1, 2>::zero();
    for k in 0..2usize {
        sums.mma(&rows.operand_a::<1>(0, k * 16), &down.operand_b::<2>(k * 16, 0));
    }
    sums.map(|row, _, sum| sum * 2.0 + (row % 2) as f32);
    let most = &mut largest[thread_idx().x];
    sums.for_each(|_, _, sum| {
        if sum > *most {
            *most = sum;
        }
    });
    sums.store(c, 0, 0, |sum| sum);
}

fn multiplies_untransposed<T: TensorElement<Sum = f32> + Num>()
where
    untransposed<T>: Kernel<Comptime = ()>,
{
    everywhere::<untransposed<T>>(&(), |device| {
        let mut next = random(9);
        let mut matrix = || -> Vec<T> { (0..16 * 32).map(|_| (next() % 15).cast::<T>()).collect() };
        let (a, b) = (matrix(), matrix());
        let (da, db) = (device.upload(&a).expect("memory"), device.upload(&b).expect("memory"));
        let mut dc = device.upload(&[0.0f32; 256]).expect("memory");
        let mut most = device.upload(&[-1.0f32; 32]).expect("memory");
        let (va, vb) = (da.view2(16, 32).unwrap(), db.view2(32, 16).unwrap());
        let launch = untransposed::<T>(va, vb, T::ZERO, dc.view2_mut(16, 16).unwrap(), &mut most);
        launch.grid(1).block(32).launch(device).expect("a launch");
        let got = device.download(&dc).expect("no fault");
        for (i, got) in got.iter().enumerate() {
            let product = |k: usize| a[i / 16 * 32 + k].cast::<f32>() * b[k * 16 + i % 16].cast::<f32>();
            let want = (0..32).map(product).sum::<f32>() * 2.0 + (i / 16 % 2) as f32;
            assert_eq!(*got, want, "{i} on {}", device.name());
        }
        let largest = device.download(&most).expect("no fault").into_iter().fold(0.0, f32::max);
        assert_eq!(largest, got.into_iter().fold(0.0, f32::max));
    });
}

#[test]
fn columns_are_transposed_while_they_are_loaded() {
    multiplies_untransposed::<f16>();
    multiplies_untransposed::<bf16>();
}

/// As [`by_tiles`], of elements that are no numbers elsewhere, made of whole ones.
#[gpu_kernel]
fn by_tiles_of_eighths(a: View2<f32>, b: View2<f32>, c: ViewMut2<f32>) {
    let mut rows = shared!(Tile<F8E4M3, 16, 32, Swizzle32<16>>);
    let mut cols = shared!(Tile<F8E4M3, 16, 32, Swizzle32<16>>);
    for i in 0..16usize {
        rows[(i, lane_id())] = F8E4M3::from_f32(a[(i, lane_id())]);
        cols[(i, lane_id())] = F8E4M3::from_f32(b[(i, lane_id())]);
    }
    sync_threads();
    let mut sums = WarpAccumulator::<f32, 1, 2>::zero();
    sums.mma(&rows.operand_a::<1>(0, 0), &cols.operand_bt::<2>(0, 0));
    sums.store(c, 0, 0, |sum| sum);
}

#[test]
fn floats_of_eight_bits_are_multiplied() {
    everywhere::<by_tiles_of_eighths>(&(), |device| {
        let mut next = random(3);
        let mut matrix = || -> Vec<f32> { (0..512).map(|_| (next() % 9) as f32 - 4.0).collect() };
        let (a, b) = (matrix(), matrix());
        let (da, db) = (device.upload(&a).expect("memory"), device.upload(&b).expect("memory"));
        let mut dc = device.upload(&[f32::NAN; 256]).expect("memory");
        let (va, vb) = (da.view2(16, 32).unwrap(), db.view2(16, 32).unwrap());
        by_tiles_of_eighths(va, vb, dc.view2_mut(16, 16).unwrap())
            .grid(1)
            .block(32)
            .launch(device)
            .expect("a launch");
        for (i, got) in device.download(&dc).expect("no fault").into_iter().enumerate() {
            let product = |k: usize| a[i / 16 * 32 + k] * b[i % 16 * 32 + k];
            assert_eq!(got, (0..32).map(product).sum::<f32>(), "{i} on {}", device.name());
        }
    });
}

/// Older GPUs are refused by what the source says it needs, before NVRTC is asked.
#[test]
fn what_an_instruction_needs_is_known() {
    fn needs<K: Kernel<Comptime = ()>>() -> (u32, u32) {
        K::print(&(), &Default::default()).expect("a kernel").needs.min_compute
    }
    assert_eq!(needs::<loads_four>(), (7, 5));
    assert_eq!(needs::<stores_one_transposed>(), (9, 0));
    assert_eq!(needs::<kernels::mma_m16n8k8_f16_f16>(), (7, 5));
    assert_eq!(needs::<kernels::mma_m16n8k16_f32_bf16>(), (8, 0));
    assert_eq!(needs::<kernels::mma_m16n8k32_f32_e5m2_e4m3>(), (8, 9));
    assert_eq!(needs::<kernels::mma_m16n8k16_f64>(), (9, 0));
}
