//! Halves of spectra of short rows, which go through shared memory on their way to and from global memory.
//!
//! In shared memory, two rows are as far apart as complex rows with one unused element after every 16, so neighbouring threads use different
//! banks.

use warpsmith::prelude::*;

use super::Complex32;
use super::radix::spread;
use super::sequences::Sequences;

/// An element of the halves of a block.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Element {
    row: u32,
    column: u32,
    /// Where it is in shared memory.
    place: usize,
}

/// The element that the calling thread copies in step `k` of all: neighbouring threads copy neighbouring elements.
#[gpu_fn]
fn element(k: usize, log: u32) -> Element {
    let columns = (1u32 << log) + 1;
    let i = k as u32 * block_dim().x + thread_idx().x;
    let (row, column) = (i / columns, i % columns);
    Element { row, column, place: (row * spread(1 << log, 16) + column) as usize }
}

/// The rows of a block.
#[gpu_fn]
fn rows(at: Sequences, first: usize) -> u32 {
    (1usize << at.of_block).min(at.count - first) as u32
}

/// Loads the halves of a block, whose rows begin with row `first`. Rows beyond the last get copies of it, which nobody stores.
#[gpu_fn]
pub(super) fn load_halves<const N: usize>(
    x: &[Complex32],
    at: Sequences,
    first: usize,
    log: u32,
    memory: &mut [Complex32],
) {
    let (start, last) = (at.from.start(first), rows(at, first) - 1);
    #[unroll]
    for k in 0..=N {
        let Element { row, column, place } = element(k, log);
        if row < 1 << at.of_block {
            let from = start + row.min(last) as usize * at.from.outer + column as usize;
            assume(from < x.len() && place < memory.len());
            memory[place] = x[from];
        }
    }
    sync_threads();
}

/// Stores the halves of a block.
#[gpu_fn]
pub(super) fn store_halves<const N: usize>(
    y: &mut [Complex32],
    at: Sequences,
    first: usize,
    log: u32,
    memory: &[Complex32],
) {
    let (start, count) = (at.to.start(first), rows(at, first));
    #[unroll]
    for k in 0..=N {
        let Element { row, column, place } = element(k, log);
        if row < count {
            let to = start + row as usize * at.to.outer + column as usize;
            assume(to < y.len() && place < memory.len());
            y[to] = memory[place];
        }
    }
}
