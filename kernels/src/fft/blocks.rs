//! Short sequences, whose elements go through shared memory on their way from and to global memory.

use warpsmith::prelude::*;

use super::Complex32;
use super::radix::{reversed, spread};
use super::sequences::Sequences;

/// Loads all sequences of a block, whose groups are from `first` on, into `memory`: neighbouring threads load neighbouring elements.
#[gpu_fn]
pub(super) fn load_block<const N: usize>(
    x: &[Complex32],
    at: Sequences,
    first: usize,
    log: u32,
    exchanges: bool,
    memory: &mut [Complex32],
) {
    let t = thread_idx().x as usize;
    let first = first * (N >> log.min(N.ilog2()));
    // Places beyond the last sequence get copies of its last element, which nobody stores.
    let most = ((at.count - first) << log) - 1;
    #[unroll]
    for k in 0..N {
        let i = k * block_dim().x as usize + t;
        let from = at.from.element(first, i.min(most), log);
        let place = spread(i as u32, 16) as usize;
        assume(from < x.len() && place < memory.len());
        memory[place] = if exchanges { x[from].exchanged() } else { x[from] };
    }
    sync_threads();
}

/// Stores all spectra of a block from `memory`, likewise.
#[gpu_fn]
pub(super) fn store_block<const N: usize>(
    y: &mut [Complex32],
    at: Sequences,
    first: usize,
    log: u32,
    exchanges: bool,
    memory: &[Complex32],
) {
    let t = thread_idx().x as usize;
    let first = first * (N >> log.min(N.ilog2()));
    let count = (at.count - first) << log;
    #[unroll]
    for k in 0..N {
        let i = k * block_dim().x as usize + t;
        if i < count {
            let to = at.to.element(first, i, log);
            let place = spread(i as u32, 16) as usize;
            assume(to < y.len() && place < memory.len());
            let element = memory[place].scaled(at.factor);
            y[to] = if exchanges { element.exchanged() } else { element };
        }
    }
}

/// The elements of a thread, from what [`load_block`] has loaded. The memory is free afterwards.
#[gpu_fn]
pub(super) fn of_block_memory<const N: usize>(
    memory: &[Complex32],
    group: usize,
    j: usize,
    log: u32,
) -> [Complex32; N] {
    let mut elements = [Complex32 { re: 0.0, im: 0.0 }; N];
    #[unroll]
    for k in 0..N {
        let i = place::<N>(group, j, log, k, k / (N >> log.min(N.ilog2())));
        assume(i < memory.len());
        elements[k] = memory[i];
    }
    sync_threads();
    elements
}

/// Leaves a thread's elements, transformed, for [`store_block`].
#[gpu_fn]
pub(super) fn to_block_memory<const N: usize>(
    elements: &[Complex32; N],
    group: usize,
    j: usize,
    log: u32,
    memory: &mut [Complex32],
) {
    let bits = log.min(N.ilog2());
    sync_threads();
    #[unroll]
    for k in 0..N {
        let r = reversed(k / (N >> bits), bits);
        let i = place::<N>(group, j, log, k, r);
        assume(i < memory.len());
        memory[i] = elements[k];
    }
    sync_threads();
}

/// Where element `k` of a thread is in `memory`, by [`load_block`]; `r` is the number of its element in the share.
#[gpu_fn]
fn place<const N: usize>(group: usize, j: usize, log: u32, k: usize, r: usize) -> usize {
    let (short, threads) = (N >> log.min(N.ilog2()), ((1usize << log) / N).max(1));
    let i = ((group * short + k % short) << log) + j + r * threads;
    spread(i as u32, 16) as usize
}
