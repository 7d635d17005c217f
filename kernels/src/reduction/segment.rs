//! A stretch of elements, reduced by some threads: in packs of 16 bytes, and one by one where it begins and ends.

use warpsmith::prelude::*;

use super::Reduction;
use crate::pack::Pack;

/// A stretch of elements.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Segment {
    /// The first element.
    pub from: usize,
    /// The end.
    pub to: usize,
    /// The element whose index is zero.
    pub zero: usize,
}

/// Joins the share of one of `THREADS` threads of a segment of `x`.
///
/// `packs` has the elements of `x` from number `head` on, as many as fill packs.
#[gpu_fn]
pub fn of_segment<R: Reduction, const N: usize, const THREADS: usize>(
    x: &[R::Element],
    packs: &[Pack<R::Element, N>],
    head: usize,
    segment: Segment,
    thread: usize,
) -> R::Partial {
    let Segment { from, to, zero } = segment;
    let first = (from.max(head) - head).div_ceil(N);
    let end = ((to.max(head) - head) / N).min(packs.len());
    if first >= end {
        return one_by_one::<R, THREADS>(R::nothing(), &x[from..to], from - zero, thread);
    }
    let (body, tail) = (head + first * N, head + end * N);
    let total = one_by_one::<R, THREADS>(R::nothing(), &x[from..body], from - zero, thread);
    let total = in_packs::<R, N, THREADS>(total, &packs[first..end], body - zero, thread);
    one_by_one::<R, THREADS>(total, &x[tail..to], tail - zero, thread)
}

/// Adds a thread's share of some elements to a partial result. The first has index `index`.
#[gpu_fn]
fn one_by_one<R: Reduction, const THREADS: usize>(
    partial: R::Partial,
    x: &[R::Element],
    index: usize,
    thread: usize,
) -> R::Partial {
    let mut total = partial;
    let mut i = thread;
    while i < x.len() {
        total = R::add(total, x[i], (index + i) as u64);
        i += THREADS;
    }
    total
}

/// Adds a thread's share of packs to a partial result, four loads in flight. The first element has index `index`.
#[gpu_fn]
fn in_packs<R: Reduction, const N: usize, const THREADS: usize>(
    partial: R::Partial,
    packs: &[Pack<R::Element, N>],
    index: usize,
    thread: usize,
) -> R::Partial {
    let mut total = partial;
    let mut p = thread;
    while p + 3 * THREADS < packs.len() {
        let a = packs[p];
        let b = packs[p + THREADS];
        let c = packs[p + 2 * THREADS];
        let d = packs[p + 3 * THREADS];
        total = with_pack::<R, N>(total, a, index + p * N);
        total = with_pack::<R, N>(total, b, index + (p + THREADS) * N);
        total = with_pack::<R, N>(total, c, index + (p + 2 * THREADS) * N);
        total = with_pack::<R, N>(total, d, index + (p + 3 * THREADS) * N);
        p += 4 * THREADS;
    }
    while p < packs.len() {
        total = with_pack::<R, N>(total, packs[p], index + p * N);
        p += THREADS;
    }
    total
}

/// Adds the elements of a pack, whose first has index `index`.
#[gpu_fn]
fn with_pack<R: Reduction, const N: usize>(
    partial: R::Partial,
    pack: Pack<R::Element, N>,
    index: usize,
) -> R::Partial {
    let mut total = partial;
    #[unroll]
    for k in 0..N {
        total = R::add(total, pack.0[k], (index + k) as u64);
    }
    total
}
