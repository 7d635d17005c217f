//! Halves of spectra of short rows, which go through shared memory on their way from and to global memory. Each lies there behind the one
//! before.

use warpsmith::prelude::*;

use super::Complex32;
use super::radix::ELEMENTS;
use super::sequences::Sequences;

/// Loads the halves of a block, whose rows are from `first` on: neighbouring threads load neighbouring elements. Behind the last row are
/// copies of its last element.
#[gpu_fn]
pub(super) fn load_halves(x: &[Complex32], at: Sequences, first: usize, log: u32, memory: &mut [Complex32]) {
    let columns = (1u32 << log) + 1;
    let (all, most) = (columns << at.of_block, rows(at, first) * columns - 1);
    let start = at.from.start(first);
    let is_dense = at.from.outer == columns as usize;
    #[unroll]
    for k in 0..=ELEMENTS {
        let i = k as u32 * block_dim().x + thread_idx().x;
        if i < all {
            let e = i.min(most);
            let row = if is_dense { 0 } else { (e / columns) as usize * (at.from.outer - columns as usize) };
            let from = start + row + e as usize;
            assume(from < x.len() && (i as usize) < memory.len());
            memory[i] = x[from];
        }
    }
    sync_threads();
}

/// Stores the halves of a block likewise.
#[gpu_fn]
pub(super) fn store_halves(y: &mut [Complex32], at: Sequences, first: usize, log: u32, memory: &[Complex32]) {
    let columns = (1u32 << log) + 1;
    let count = rows(at, first) * columns;
    let start = at.to.start(first);
    let is_dense = at.to.outer == columns as usize;
    #[unroll]
    for k in 0..=ELEMENTS {
        let i = k as u32 * block_dim().x + thread_idx().x;
        if i < count {
            let row = if is_dense { 0 } else { (i / columns) as usize * (at.to.outer - columns as usize) };
            let to = start + row + i as usize;
            assume(to < y.len() && (i as usize) < memory.len());
            y[to] = memory[i];
        }
    }
}

/// The rows of a block.
#[gpu_fn]
fn rows(at: Sequences, first: usize) -> u32 {
    (1usize << at.of_block).min(at.count - first) as u32
}
