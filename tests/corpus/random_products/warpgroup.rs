//! Products of a warpgroup: `wgmma` and `wgmma_rs`, of which one sum of each thread is compared.

use std::ops::Range;

use warpsmith::prelude::*;
use warpsmith::ptx::{
    WgmmaElement, fence_proxy_async, matrix_descriptor, wgmma, wgmma_commit, wgmma_fence, wgmma_rs,
    wgmma_wait,
};

use super::pools::{POOL, Pools, keeps, pick};
use super::{Element, Instruction, Sums};

/// The place of the register that is compared among what a product picks.
const CHOICE: u32 = 900;

/// The word that holds word `word` of row `row` of a matrix with rows of 128 bytes, swizzled within those.
#[gpu_fn]
fn swizzled(row: usize, word: usize) -> usize {
    (row * 32 + word) ^ (row % 8 * 4)
}

/// `count` products from the number `first` on, each of 64 rows by `8 * C` columns of the pools, of which rows and columns have
/// 8 words. `out`: a sum of each of the 128 threads for each product.
#[gpu_kernel]
fn products<T: WgmmaElement, const C: usize, const RS: bool>(
    rows: &[[u32; 8]],
    cols: &[[u32; 8]],
    olds: &[T::Sum],
    first: u32,
    out: &mut [T::Sum],
) {
    let mut left = shared!([u32; 2048], align = 1024);
    let mut right = shared!([u32; 8192], align = 1024);
    let t = thread_idx().x;
    let pool = rows.len() as u32;
    let product = first + block_idx().x;
    let mut i = t;
    while i < 64 * 8 {
        left[swizzled((i / 8) as usize, (i % 8) as usize)] = rows[pick(product, i / 8) % pool][i % 8];
        i += 128;
    }
    i = t;
    while i < 64 * C as u32 {
        right[swizzled((i / 8) as usize, (i % 8) as usize)] = cols[pick(product, 64 + i / 8) % pool][i % 8];
        i += 128;
    }
    fence_proxy_async();
    sync_threads();
    let mut sums = [[olds[0]; 4]; C];
    #[unroll]
    for j in 0..C {
        #[unroll]
        for i in 0..4usize {
            sums[j][i] = olds[pick(product, 1024 + t * (4 * C as u32) + (4 * j + i) as u32) % pool];
        }
    }
    let (a, b) = (matrix_descriptor(&left[0], 16, 1024, 1), matrix_descriptor(&right[0], 16, 1024, 1));
    if RS {
        let row = (t / 32 * 16 + t % 32 / 4) as usize;
        let word = (t % 4) as usize;
        let a = [
            left[swizzled(row, word)],
            left[swizzled(row + 8, word)],
            left[swizzled(row, word + 4)],
            left[swizzled(row + 8, word + 4)],
        ];
        wgmma_fence();
        wgmma_rs::<T, _, false>(&mut sums, a, b, keeps(product));
    } else {
        wgmma_fence();
        wgmma::<T, _, false, false>(&mut sums, a, b, keeps(product));
    }
    wgmma_commit();
    wgmma_wait::<0>();
    let chosen = pick(product, CHOICE) % (4 * C as u32);
    let mut kept = sums[0][0];
    #[unroll]
    for j in 0..C {
        #[unroll]
        for i in 0..4usize {
            if chosen == (4 * j + i) as u32 {
                kept = sums[j][i];
            }
        }
    }
    out[block_idx().x * 128 + t] = kept;
}

/// The pools' entries that the compared sum of a thread is made of: row, column, old sum.
pub(super) fn entries(product: u32, thread: usize, columns: usize) -> [usize; 3] {
    let registers = columns / 2;
    let register = pick(product, CHOICE) as usize % registers;
    let row = thread / 32 * 16 + thread % 32 / 4 + register / 2 % 2 * 8;
    let col = register / 4 * 8 + thread % 4 * 2 + register % 2;
    [row, 64 + col, 1024 + thread * registers + register]
        .map(|place| pick(product, place as u32) as usize % POOL)
}

/// The entries of a pool as words.
fn words(pool: &[u64], element: Element) -> Vec<[u32; 8]> {
    let size = element.bytes();
    let bytes: Vec<u8> = pool.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(size)).collect();
    let (entries, _) = bytes.as_chunks::<32>();
    let word = |entry: &[u8; 32], i: usize| u32::from_le_bytes([0, 1, 2, 3].map(|b| entry[4 * i + b]));
    entries.iter().map(|entry| std::array::from_fn(|i| word(entry, i))).collect()
}

/// Sums by their bits.
pub trait SumBits: Copy {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
}

impl SumBits for f32 {
    fn of(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl SumBits for i32 {
    fn of(bits: u64) -> Self {
        bits as i32
    }
    fn bits(self) -> u64 {
        u64::from(self as u32)
    }
}

/// Elements of a warpgroup's products.
pub trait Multiplied: WgmmaElement<Sum: SumBits> {
    const ELEMENT: Element;
    const SUM: Element;
}

macro_rules! multiplied {
    ($($t:ty: $element:ident, $sum:ident;)+) => {$(
        impl Multiplied for $t {
            const ELEMENT: Element = Element::$element;
            const SUM: Element = Element::$sum;
        }
    )+};
}

multiplied! {
    f16: F16, F32;
    bf16: Bf16, F32;
    f32: Tf32, F32;
    F8E4M3: E4m3, F32;
    F8E5M2: E5m2, F32;
    i8: S8, S32;
    u8: U8, S32;
}

/// Runs the products of one type and width.
fn run<T: Multiplied, const C: usize, const RS: bool>(
    of: &Instruction,
    device: &Device,
    pools: &Pools,
    numbers: Range<u32>,
) -> warpsmith::Result<Vec<u64>> {
    let [rows, cols] = [0, 1].map(|side| device.upload(&words(&pools.bits[side], of.a)));
    let (rows, cols) = (rows?, cols?);
    let olds: Vec<T::Sum> = pools.sums.iter().map(|bits| T::Sum::of(*bits)).collect();
    let (olds, blocks) = (device.upload(&olds)?, numbers.len());
    let mut out = device.upload(&vec![T::Sum::of(0); blocks * 128])?;
    let launch = products::<T, C, RS>(&rows, &cols, &olds, numbers.start, &mut out);
    launch.grid(blocks as u32).block(128).launch(device)?;
    Ok(device.download(&out)?.into_iter().map(SumBits::bits).collect())
}

/// The product with `8 * C` columns; with `RS`, its left operand is in registers.
pub fn product<T: Multiplied, const C: usize, const RS: bool>() -> Instruction {
    let (name, k) = (if RS { "wgmma_rs" } else { "wgmma" }, 32 / size_of::<T>());
    Instruction {
        name: format!("{name}_m64n{}k{k}_{:?}", 8 * C, T::ELEMENT).to_lowercase(),
        m: 64,
        n: 8 * C,
        k,
        a: T::ELEMENT,
        b: T::ELEMENT,
        c: T::SUM,
        sums: if T::SUM == Element::F32 { Sums::Float } else { Sums::Wrap },
        warpgroup: true,
        run: run::<T, C, RS>,
    }
}

/// The narrowest and the widest product of every type, and one with the left operand in registers.
pub fn some() -> Vec<Instruction> {
    macro_rules! types {
        ($($t:ty),+) => {
            vec![$(product::<$t, 1, false>(), product::<$t, 32, false>(), product::<$t, 4, true>()),+]
        };
    }
    types!(f16, bf16, f32, F8E4M3, F8E5M2, i8, u8)
}
