//! The kernel of scans by key: one pass over the elements, a tile a block.

use core::marker::PhantomData;

use warpsmith::prelude::*;

use super::Word;
use super::look_back::{announce, before_tile, before_warp, take_tile};
use super::tiles::{LANES, THREADS, WARPS};
use super::word::MOST_HALVES;
use crate::reduction::Reduction;

/// The offset of a segment that begins before a warp's elements.
const EARLIER: u32 = u32::MAX;

/// The last segment of some elements.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Segment<T> {
    /// The sum of its elements; the sum of all elements if no segment begins in them.
    pub sum: T,
    /// Number of its first element; the greatest `u64` if no segment begins.
    pub first: u64,
}

/// Joins the segments of consecutive elements.
pub struct Segments<R>(PhantomData<R>);

#[gpu_impl]
impl<R: Reduction> Reduction for Segments<R> {
    type Element = R::Element;
    type Partial = Segment<R::Partial>;
    type Output = R::Output;

    fn nothing() -> Segment<R::Partial> {
        Segment { sum: R::nothing(), first: u64::MAX }
    }
    fn of(element: R::Element, index: u64) -> Segment<R::Partial> {
        Segment { sum: R::of(element, index), first: u64::MAX }
    }
    fn join(a: Segment<R::Partial>, b: Segment<R::Partial>) -> Segment<R::Partial> {
        if b.first == u64::MAX { Segment { sum: R::join(a.sum, b.sum), first: a.first } } else { b }
    }
    fn output(partial: Segment<R::Partial>, count: u64) -> R::Output {
        R::output(partial.sum, count)
    }
}

#[gpu_impl]
impl<T: Word> Word for Segment<T> {
    const HALVES: usize = T::HALVES + 2;

    fn half(self, k: usize) -> u32 {
        if k < 2 { (self.first >> (32 * k)) as u32 } else { self.sum.half(k - 2) }
    }
    fn of_halves(halves: [u32; MOST_HALVES]) -> Self {
        let first = (halves[1] as u64) << 32 | halves[0] as u64;
        Segment { sum: T::of_halves([halves[2], halves[3], halves[4], halves[5], 0, 0]), first }
    }
}

/// `y[i]` is the output for the elements of `x` from the first of its segment to `x[i]`, or to the one before it if the scan is
/// `exclusive`. A segment is a run of equal keys.
///
/// `ROUNDS` elements a thread. `words` has `R::Partial::HALVES + 2` words for each tile, which are zero before the first launch, and
/// `launch` numbers the launches from 1 on. `next_tile` is zero before and after each launch.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn scan_by_key_kernel<K: GpuType + PartialEq, R: Reduction, const ROUNDS: usize>(
    keys: &[K],
    x: &[R::Element],
    y: &mut [R::Output],
    launch: u32,
    words: &mut [u64],
    next_tile: &mut [u32],
    #[comptime] exclusive: bool,
) where
    R::Partial: Word,
{
    let lane = thread_idx().x % 32;
    let tile = take_tile(next_tile);
    let tile_first = tile as usize * (LANES * ROUNDS);
    // Neighbouring lanes have neighbouring elements.
    let in_tile = thread_idx().x % THREADS / 32 * (32 * ROUNDS as u32) + lane;
    // Every tile has an element.
    assume(tile_first < x.len());
    let tile_len = (LANES * ROUNDS).min(x.len() - tile_first) as u32;

    let mut elements = [x[tile_first]; ROUNDS];
    let mut begins = 0u32;
    #[unroll]
    for r in 0..ROUNDS {
        let at = in_tile + r as u32 * 32;
        if at < tile_len {
            elements[r] = x[tile_first + at as usize];
        }
    }
    #[unroll]
    for r in 0..ROUNDS {
        let at = in_tile + r as u32 * 32;
        let i = tile_first + at as usize;
        if at < tile_len && (i == 0 || keys[i] != keys[i - 1]) {
            begins |= 1 << r;
        }
    }

    // The sums before each element in its segment, and the offset in the tile at which that begins, as far as the warp knows.
    let mut sums = [R::nothing(); ROUNDS];
    let mut firsts = [EARLIER; ROUNDS];
    let mut carry = R::nothing();
    let mut first = EARLIER;
    #[unroll]
    for r in 0..ROUNDS {
        let at = in_tile + r as u32 * 32;
        let votes = ballot(begins >> r & 1 == 1);
        let heads = votes & lanemask_le();
        let own =
            if at < tile_len { R::of(elements[r], (tile_first + at as usize) as u64) } else { R::nothing() };
        // The lanes below that are in the same segment.
        let distance = if heads == 0 { lane } else { lane - (31 - heads.leading_zeros()) };
        let through = segment_inclusive::<R>(own, distance);
        let below = shfl_up(through, 1);
        if heads == 0 {
            sums[r] = if lane > 0 { R::join(carry, below) } else { carry };
            firsts[r] = first;
        } else {
            sums[r] = if distance > 0 { below } else { R::nothing() };
            firsts[r] = at - distance;
        }
        let last = shfl(through, 31);
        if votes == 0 {
            carry = R::join(carry, last);
        } else {
            carry = last;
            first = at - lane + (31 - votes.leading_zeros());
        }
    }

    let of_warp = Segment {
        sum: carry,
        first: if first == EARLIER { u64::MAX } else { (tile_first + first as usize) as u64 },
    };
    let warps = before_warp::<Segments<R>, WARPS>(of_warp);
    announce::<Segments<R>>(warps.all, tile, launch, words);
    let before_tile = before_tile::<Segments<R>>(warps.all, tile, launch, words);
    let before = Segments::<R>::join(before_tile, warps.before);
    #[unroll]
    for r in 0..ROUNDS {
        let at = in_tile + r as u32 * 32;
        let i = tile_first + at as usize;
        if at < tile_len && i < y.len() {
            let mut sum = sums[r];
            let mut count = at.wrapping_sub(firsts[r]) as u64;
            if firsts[r] == EARLIER {
                sum = R::join(before.sum, sum);
                count = i as u64 - before.first;
            }
            y[i] = if exclusive {
                R::output(sum, count)
            } else {
                R::output(R::add(sum, elements[r], i as u64), count + 1)
            };
        }
    }
}

/// The sum over the lanes up to and with the caller's, from the one on that is `distance` lanes below.
#[gpu_fn]
fn segment_inclusive<R: Reduction>(value: R::Partial, distance: u32) -> R::Partial {
    let mut sum = value;
    #[unroll]
    for delta in [1, 2, 4, 8, 16u32] {
        let below = shfl_up(sum, delta);
        if delta <= distance {
            sum = R::join(below, sum);
        }
    }
    sum
}
