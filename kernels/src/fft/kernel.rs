//! The kernel of transforms: a block takes a few sequences.

use warpsmith::prelude::*;

use super::Complex32;
use super::blocks::{load_block, of_block_memory, store_block, to_block_memory};
use super::passes::{Exchange, share, transform_all};
use super::radix::spread;
use super::sequences::{Sequences, load, store};

/// The most threads of a block. Those with 16 elements have registers for two blocks of a multiprocessor.
pub const MOST_THREADS: usize = 512;
/// The bits of sequences whose elements threads exchange before and after. Longer ones fill sectors of memory.
pub(super) const SHORT: u32 = 5;

/// `y` gets the spectra of sequences of `2^log` elements of `x`, times a factor. A thread has `N` elements, a power of two of up to 32.
///
/// Neighbouring threads load neighbouring sequences if `from_columns`, and otherwise neighbouring elements. They store likewise by
/// `to_columns`. If `is_turned`, element `k` of the spectrum of column `c` is multiplied by `exp(-πi * k * c * at.turn)`. The parts of
/// numbers are exchanged as they are loaded, or as they are stored: spectra are the inverse ones if both are.
#[gpu_kernel(launch_bounds(MOST_THREADS, { 32 / N }), noalias)]
pub fn fft_tile<const N: usize>(
    x: &[Complex32],
    y: &mut [Complex32],
    at: Sequences,
    #[comptime] log: u32,
    #[comptime] from_columns: bool,
    #[comptime] to_columns: bool,
    #[comptime] is_turned: bool,
    #[comptime] exchanges_first: bool,
    #[comptime] exchanges_last: bool,
) {
    let mut memory = dynamic_shared::<Complex32>();
    let at = Sequences {
        from: if from_columns { at.from } else { at.from.side_by_side() },
        to: if to_columns { at.to } else { at.to.side_by_side() },
        ..at
    };
    let len = 1usize << log;
    let (of_block, threads) = (1usize << at.of_block, (len / N).max(1));
    let (mine, last) = (share(from_columns, at.of_block, threads), share(to_columns, at.of_block, threads));
    let first = block_idx().x as usize * of_block;
    // Loads and stores of short sequences go through shared memory: threads would use parts of sectors.
    let is_short = log <= SHORT;
    let mut elements = if is_short {
        load_block::<N>(x, at, first, log, exchanges_first, &mut memory);
        of_block_memory::<N>(&memory, mine.sequence, mine.j, log)
    } else {
        load::<N>(x, at, first + mine.sequence, mine.j, log, exchanges_first)
    };
    // In shared memory, one element is also left out behind those that columns get of rows.
    let is_row = !from_columns && !to_columns;
    let row = if is_row { 1 } else { of_block as u32 + (!from_columns) as u32 };
    let apart = if is_row { spread(len as u32, 16) } else { 1 };
    let exchange = Exchange { row, apart, threads: threads as u32 };
    transform_all::<N>(&mut elements, &mut memory, mine, last, exchange, log);
    if is_short {
        to_block_memory::<N>(&elements, last.sequence, last.j, log, &mut memory);
        store_block::<N>(y, at, first, log, exchanges_last, &memory);
    } else {
        store::<N>(y, at, first + last.sequence, last.j, log, is_turned, exchanges_last, &elements);
    }
}
