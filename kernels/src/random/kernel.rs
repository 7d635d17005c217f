//! The kernel of fills: four numbers a thread.

use warpsmith::prelude::*;

use super::{Numbers, words};
use crate::pack::Pack;

/// Threads of a block.
pub const THREADS: u32 = 256;

/// Number `i` of `y` becomes number `first + i` of the seed: of the words `(first + i) / 4`, number `(first + i) % 4`.
///
/// `packs` are the elements of `y` in whole packs if these begin with the numbers of some words, or nothing.
#[gpu_kernel(launch_bounds(THREADS))]
pub fn fill_kernel<N: Numbers>(y: &mut [N::Number], packs: &mut [Pack<N::Number, 4>], seed: u64, first: u64) {
    // Words of numbers before the first are skipped.
    let k = global_id();
    let numbers = N::of(words(seed, first / 4 + k as u64));
    if k < packs.len() {
        packs[k] = Pack(numbers);
    } else {
        #[unroll]
        for j in 0..4 {
            let i = (k * 4 + j).wrapping_sub((first % 4) as usize);
            if i < y.len() {
                y[i] = numbers[j];
            }
        }
    }
}
