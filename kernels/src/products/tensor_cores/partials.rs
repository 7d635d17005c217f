//! Partial sums in global memory, from blocks that share a tile, and how sums reach `c` one by one.

use warpsmith::prelude::*;
use warpsmith::tensor::{Accumulator, Fragment};

use super::super::Epilogue;
use super::super::finish::Finisher;

/// Stores the element of `c` at (`row`, `col`) for its sum. It exists, as a call's arguments fit together.
#[gpu_fn]
pub fn store_element<T: Num + GpuType, E: Epilogue>(
    c: &mut [T],
    finisher: Finisher<T, E>,
    sum: f32,
    row: usize,
    col: usize,
) {
    let to = c.as_mut_ptr().wrapping_add(finisher.place(row, col));
    let old = if finisher.adds() { unsafe { *to }.cast::<f32>() } else { 0.0 };
    unsafe { *to = finisher.element(sum, old, row, col) }
}

/// The place of a thread's first four partial sums, of those of a slot's two warpgroups; the next four are 128 places further.
#[gpu_fn]
pub fn place_of_partial<const COLS: usize>(slot: u32, group: u32) -> usize {
    (slot * 2 + group) as usize * (COLS / 8 * 128) + thread_idx().x as usize % 128
}

/// Stores a thread's sums.
#[gpu_fn]
pub fn store_partial<const COLS: usize>(sums: &Accumulator<f32, COLS>, partials: &mut [F32x4], place: usize) {
    #[unroll]
    for i in 0..COLS / 8 {
        let [a, b] = [[sums.get(4 * i), sums.get(4 * i + 1)], [sums.get(4 * i + 2), sums.get(4 * i + 3)]];
        partials[place + i * 128] = F32x4::new(a[0], a[1], b[0], b[1]);
    }
}

/// Adds the sums that a thread of another block has stored.
#[gpu_fn]
pub fn add_partial<const COLS: usize>(sums: &mut Accumulator<f32, COLS>, partials: &[F32x4], place: usize) {
    #[unroll]
    for i in 0..COLS / 8 {
        let four = partials[place + i * 128];
        sums.set(4 * i, sums.get(4 * i) + four.x);
        sums.set(4 * i + 1, sums.get(4 * i + 1) + four.y);
        sums.set(4 * i + 2, sums.get(4 * i + 2) + four.z);
        sums.set(4 * i + 3, sums.get(4 * i + 3) + four.w);
    }
}

/// The sums over the blocks of a cluster, whose slots begin at `first`, of a thread's four of eight columns, the `i`-th.
#[gpu_fn]
pub fn sum_of_four<const COLS: usize>(
    partials: &[F32x4],
    first: u32,
    parts: u32,
    group: u32,
    i: usize,
) -> [f32; 4] {
    let mut four = [0.0f32; 4];
    for part in 0..parts {
        let x = partials[place_of_partial::<COLS>(first + part, group) + i * 128];
        four = [four[0] + x.x, four[1] + x.y, four[2] + x.z, four[3] + x.w];
    }
    four
}
