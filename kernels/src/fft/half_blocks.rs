//! Halves of spectra of short rows, which go through shared memory on their way from and to global memory. There, they are as far apart as
//! complex rows in which one element is left out behind every 16: threads of a row and of the next ones are in different banks.

use warpsmith::prelude::*;

use super::Complex32;
use super::radix::{ELEMENTS, spread};
use super::sequences::Sequences;

/// Loads the halves of a block, whose rows are from `first` on: neighbouring threads load neighbouring elements. Behind the last row are
/// its copies.
#[gpu_fn]
pub(super) fn load_halves(x: &[Complex32], at: Sequences, first: usize, log: u32, memory: &mut [Complex32]) {
    let (columns, apart) = ((1u32 << log) + 1, spread(1 << log, 16));
    let (all, last) = (1u32 << at.of_block, rows(at, first) - 1);
    let start = at.from.start(first);
    #[unroll]
    for k in 0..=ELEMENTS {
        let i = k as u32 * block_dim().x + thread_idx().x;
        let row = i / columns;
        if row < all {
            let from = start + row.min(last) as usize * at.from.outer + (i - row * columns) as usize;
            let to = (row * apart + (i - row * columns)) as usize;
            assume(from < x.len() && to < memory.len());
            memory[to] = x[from];
        }
    }
    sync_threads();
}

/// Stores the halves of a block likewise.
#[gpu_fn]
pub(super) fn store_halves(y: &mut [Complex32], at: Sequences, first: usize, log: u32, memory: &[Complex32]) {
    let (columns, apart) = ((1u32 << log) + 1, spread(1 << log, 16));
    let count = rows(at, first);
    let start = at.to.start(first);
    #[unroll]
    for k in 0..=ELEMENTS {
        let i = k as u32 * block_dim().x + thread_idx().x;
        let row = i / columns;
        if row < count {
            let to = start + row as usize * at.to.outer + (i - row * columns) as usize;
            let from = (row * apart + (i - row * columns)) as usize;
            assume(to < y.len() && from < memory.len());
            y[to] = memory[from];
        }
    }
}

/// The rows of a block.
#[gpu_fn]
fn rows(at: Sequences, first: usize) -> u32 {
    (1usize << at.of_block).min(at.count - first) as u32
}
