//! How a tile learns the sum of all tiles before it: from words that every tile publishes.
//!
//! A tile publishes its own sum first, and the sum of everything up to its end when it knows that. Each word holds a half of the value
//! and what it stands for, so no fence has to order the two. The number of the launch makes words of earlier launches nothing.

use warpsmith::prelude::*;

use super::Word;
use crate::reduction::Reduction;

/// What a tile has published.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Published<T> {
    /// The value.
    pub value: T,
    /// Whether it is the sum of everything up to the tile's end.
    pub is_prefix: bool,
    /// Whether it is that, or the sum of the tile.
    pub is_sum: bool,
}

/// Publishes a tile's own sum, or the sum of everything up to its end.
#[gpu_fn]
pub fn publish<W: Word>(words: &mut [u64], tile: u32, launch: u32, is_prefix: bool, value: W) {
    let state = ((launch * 2 + is_prefix as u32) as u64) << 32;
    let first = tile as usize * W::HALVES;
    atomic(&mut words[first]).store(state | value.low() as u64, Ordering::Relaxed);
    if W::HALVES == 2 {
        atomic(&mut words[first + 1]).store(state | value.high() as u64, Ordering::Relaxed);
    }
}

/// What a tile has published in this launch. Halves of different states are nothing yet.
#[gpu_fn]
fn published<W: Word>(words: &mut [u64], tile: u32, launch: u32) -> Published<W> {
    let first = tile as usize * W::HALVES;
    let low = atomic(&mut words[first]).load(Ordering::Relaxed);
    let mut high = low;
    if W::HALVES == 2 {
        high = atomic(&mut words[first + 1]).load(Ordering::Relaxed);
    }
    let state = (low >> 32) as u32;
    let is_whole = (high >> 32) as u32 == state;
    let is_prefix = is_whole && state == launch * 2 + 1;
    let is_sum = is_prefix || is_whole && state == launch * 2;
    Published { value: W::of_halves(low as u32, high as u32), is_prefix, is_sum }
}

/// The sum of all tiles before `tile`. The 32 lanes of a warp look at as many tiles at once, and wait until all have something.
#[gpu_fn]
pub fn before_tile<R: Reduction>(words: &mut [u64], tile: u32, launch: u32, lane: u32) -> R::Partial
where
    R::Partial: Word,
{
    let mut sum = R::nothing();
    let mut end = tile;
    while end > 0 {
        let distance = lane + 1;
        let exists = distance <= end;
        let mut seen = Published { value: R::nothing(), is_prefix: true, is_sum: true };
        if exists {
            seen = published::<R::Partial>(words, end - distance, launch);
        }
        while !all(seen.is_sum) {
            if exists {
                seen = published::<R::Partial>(words, end - distance, launch);
            }
        }
        // The nearest prefix holds everything before it: lanes beyond it add nothing.
        let prefixes = ballot(seen.is_prefix);
        let nearest = prefixes.trailing_zeros();
        let mut window = if lane <= nearest { seen.value } else { R::nothing() };
        #[unroll]
        for mask in [16, 8, 4, 2, 1u32] {
            window = R::join(window, shfl_xor(window, mask));
        }
        sum = R::join(window, sum);
        if prefixes != 0 {
            return sum;
        }
        end -= 32;
    }
    sum
}
