//! Partial sums in global memory, from blocks that share a tile. A sum of integers lies there by its bits.

use warpsmith::prelude::*;
use warpsmith::tensor::{Accumulator, Fragment};

use super::element::Total;

/// The place of a thread's first four partial sums, of those of a slot's two warpgroups; the next four are 128 places further.
#[gpu_fn]
pub fn place_of_partial<const COLS: usize>(slot: u32, group: u32) -> usize {
    (slot * 2 + group) as usize * (COLS / 8 * 128) + thread_idx().x as usize % 128
}

/// Stores a thread's sums.
#[gpu_fn]
pub fn store_partial<D: Total, const COLS: usize>(
    sums: &Accumulator<D, COLS>,
    partials: &mut [F32x4],
    place: usize,
) {
    #[unroll]
    for i in 0..COLS / 8 {
        let [a, b] = [[sums.get(4 * i), sums.get(4 * i + 1)], [sums.get(4 * i + 2), sums.get(4 * i + 3)]];
        partials[place + i * 128] = F32x4::new(a[0].kept(), a[1].kept(), b[0].kept(), b[1].kept());
    }
}

/// Adds the sums that a thread of another block has stored.
#[gpu_fn]
pub fn add_partial<D: Total, const COLS: usize>(
    sums: &mut Accumulator<D, COLS>,
    partials: &[F32x4],
    place: usize,
) {
    #[unroll]
    for i in 0..COLS / 8 {
        let four = partials[place + i * 128];
        sums.set(4 * i, sums.get(4 * i) + D::keep(four.x));
        sums.set(4 * i + 1, sums.get(4 * i + 1) + D::keep(four.y));
        sums.set(4 * i + 2, sums.get(4 * i + 2) + D::keep(four.z));
        sums.set(4 * i + 3, sums.get(4 * i + 3) + D::keep(four.w));
    }
}

/// The sums over the blocks of a cluster, whose slots begin at `first`, of a thread's four of eight columns, the `i`-th.
#[gpu_fn]
pub fn sum_of_four<D: Total, const COLS: usize>(
    partials: &[F32x4],
    first: u32,
    parts: u32,
    group: u32,
    i: usize,
) -> [D; 4] {
    let mut four = [D::ZERO; 4];
    for part in 0..parts {
        let x = partials[place_of_partial::<COLS>(first + part, group) + i * 128];
        four =
            [four[0] + D::keep(x.x), four[1] + D::keep(x.y), four[2] + D::keep(x.z), four[3] + D::keep(x.w)];
    }
    four
}
