//! Reduces consecutive elements by a group of threads: in packs of 16 bytes, and one by one at both ends.

use warpsmith::prelude::*;

use super::Reduction;
use crate::pack::Pack;

/// Consecutive elements.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Segment {
    /// Number of the first element.
    pub from: usize,
    /// Number of the element behind the last.
    pub to: usize,
    /// Number of the element that has the index zero in the reduction.
    pub zero: usize,
}

/// A thread of the group that shares a segment.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Share {
    /// The thread's number.
    pub thread: usize,
    /// Number of threads in the group.
    pub threads: usize,
}

/// Joins one thread's share of a segment of `x`.
///
/// `packs` are the elements of `x` from number `head` on, in whole packs.
#[gpu_fn]
pub fn of_segment<R: Reduction, const N: usize>(
    x: &[R::Element],
    packs: &[Pack<R::Element, N>],
    head: usize,
    segment: Segment,
    share: Share,
) -> R::Partial {
    let Segment { from, to, zero } = segment;
    let first = (from.max(head) - head).div_ceil(N);
    let end = ((to.max(head) - head) / N).min(packs.len());
    if first >= end {
        return one_by_one::<R>(R::nothing(), &x[from..to], from - zero, share);
    }
    let (body, tail) = (head + first * N, head + end * N);
    let total = one_by_one::<R>(R::nothing(), &x[from..body], from - zero, share);
    let total = in_packs::<R, N>(total, &packs[first..end], body - zero, share);
    one_by_one::<R>(total, &x[tail..to], tail - zero, share)
}

/// Adds a thread's share of the elements `x` to a partial result. The first element has the index `index`.
#[gpu_fn]
fn one_by_one<R: Reduction>(partial: R::Partial, x: &[R::Element], index: usize, share: Share) -> R::Partial {
    let mut total = partial;
    let mut i = share.thread;
    while i < x.len() {
        total = R::add(total, x[i], (index + i) as u64);
        i += share.threads;
    }
    total
}

/// Adds a thread's share of packs to a partial result, with four loads in flight. The first element has the index `index`.
#[gpu_fn]
fn in_packs<R: Reduction, const N: usize>(
    partial: R::Partial,
    packs: &[Pack<R::Element, N>],
    index: usize,
    share: Share,
) -> R::Partial {
    let mut total = partial;
    let step = share.threads;
    let mut p = share.thread;
    while p + 3 * step < packs.len() {
        let a = packs[p];
        let b = packs[p + step];
        let c = packs[p + 2 * step];
        let d = packs[p + 3 * step];
        total = with_pack::<R, N>(total, a, index + p * N);
        total = with_pack::<R, N>(total, b, index + (p + step) * N);
        total = with_pack::<R, N>(total, c, index + (p + 2 * step) * N);
        total = with_pack::<R, N>(total, d, index + (p + 3 * step) * N);
        p += 4 * step;
    }
    while p < packs.len() {
        total = with_pack::<R, N>(total, packs[p], index + p * N);
        p += step;
    }
    total
}

/// Adds the elements of a pack to a partial result. The first element has the index `index`.
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
