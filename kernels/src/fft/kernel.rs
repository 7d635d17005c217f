//! The kernel of transforms: a block takes a few sequences, 16 elements a thread.
//!
//! The passes are those of Stockham's algorithm: their outputs are in order, and no pass has to permute.

use warpsmith::prelude::*;

use super::Complex32;
use super::blocks::{load_block, of_block_memory, store_block, to_block_memory};
use super::radix::{BITS, ELEMENTS, angle, first_of_pass, next_of_pass, spread, transform, turn};
use super::sequences::{Sequences, load, store};

/// The most threads of a block.
pub const MOST_THREADS: usize = 512;
/// The bits of sequences whose elements threads exchange before and after. Longer ones fill sectors of memory.
const SHORT: u32 = 5;

/// A thread's share: elements `j + k * threads` of one sequence, or, if sequences are short, of some.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Share {
    /// The sequence's number in the block.
    sequence: usize,
    /// The number of the thread in the sequence.
    j: usize,
}

/// `y` gets the spectra of sequences of `2^log` elements of `x`, times a factor.
///
/// Neighbouring threads load neighbouring sequences if `from_columns`, and otherwise neighbouring elements. They store likewise by
/// `to_columns`. If `is_turned`, element `k` of the spectrum of column `c` is multiplied by `exp(-πi * k * c * at.turn)`. The parts of
/// numbers are exchanged as they are loaded, or as they are stored: spectra are the inverse ones if both are.
#[gpu_kernel(launch_bounds(MOST_THREADS, 2), noalias)]
pub fn fft_tile(
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
    let len = 1usize << log;
    let (of_block, threads) = (1usize << at.of_block, (len / ELEMENTS).max(1));
    let mut mine = share(from_columns, at.of_block, threads);
    let first = block_idx().x as usize * of_block;
    // Loads and stores of short sequences go through shared memory: threads would use parts of sectors.
    let is_short = log <= SHORT;
    let mut elements = if is_short {
        load_block(x, at, first, log, exchanges_first, &mut memory);
        of_block_memory(&memory, mine.sequence, mine.j, log)
    } else {
        load(x, at, first + mine.sequence, mine.j, log, exchanges_first)
    };
    // A first pass takes the bits that are not a multiple of four.
    let bits = if log > 0 && log.is_multiple_of(BITS) { BITS } else { log % BITS };
    transform(&mut elements, bits);
    // In shared memory, one element is left out behind every 16, and one behind those that columns get of rows.
    let is_row = !from_columns && !to_columns;
    let row = if is_row { 1 } else { of_block as u32 + (!from_columns) as u32 };
    let apart = if is_row { spread(len as u32, 16) } else { 1 };
    let threads = threads as u32;
    #[unroll]
    for pass in 0..(log - bits) / BITS {
        let before = bits + pass * BITS;
        let log_radix = if pass == 0 { bits } else { BITS };
        let size = 1u32 << (before - log_radix);
        if pass > 0 {
            sync_threads();
        }
        let first =
            spread(first_of_pass(mine.j as u32, size, log_radix), 16) * row + mine.sequence as u32 * apart;
        #[unroll]
        for k in 0..ELEMENTS {
            let i = first + spread(next_of_pass(k, threads, size, log_radix), 16) * row;
            assume((i as usize) < memory.len());
            memory[i] = elements[k];
        }
        sync_threads();
        if pass + 1 == (log - bits) / BITS {
            mine = share(to_columns, at.of_block, threads as usize);
        }
        let first = spread(mine.j as u32, 16) * row + mine.sequence as u32 * apart;
        #[unroll]
        for k in 0..ELEMENTS {
            let i = first + spread(k as u32 * threads, 16) * row;
            assume((i as usize) < memory.len());
            elements[k] = memory[i];
        }
        turn(&mut elements, Complex32::near_one(angle(mine.j as u32, before)));
        transform(&mut elements, BITS);
    }
    if is_short {
        to_block_memory(&elements, mine.sequence, mine.j, log, &mut memory);
        store_block(y, at, first, log, exchanges_last, &memory);
    } else {
        store(y, at, first + mine.sequence, mine.j, log, is_turned, exchanges_last, &elements);
    }
}

/// The thread's sequence and its number there: neighbouring threads have neighbouring sequences if `by_columns`.
#[gpu_fn]
fn share(by_columns: bool, of_block: u32, threads: usize) -> Share {
    let t = thread_idx().x;
    if by_columns {
        Share { sequence: (t & ((1u32 << of_block) - 1)) as usize, j: (t >> of_block) as usize }
    } else {
        Share { sequence: t as usize / threads, j: t as usize % threads }
    }
}
