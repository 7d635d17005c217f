//! The passes of a block, between which threads exchange their elements through shared memory.

use warpsmith::prelude::*;

use super::Complex32;
use super::radix::{angle, first_of_pass, next_of_pass, spread, transform, turn};

/// A thread's share: elements `j + k * threads` of one sequence, or, if sequences are short, of some.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub(super) struct Share {
    /// The sequence's number in the block.
    pub sequence: usize,
    /// The number of the thread in the sequence.
    pub j: usize,
}

/// Where the elements of sequences are in shared memory, in which one is left out behind every 16: element `e` of sequence `s` is number
/// `spread(e, 16) * row + s * apart`.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub(super) struct Exchange {
    /// From one element to the next.
    pub row: u32,
    /// From one sequence to the next.
    pub apart: u32,
    /// Threads of a sequence.
    pub threads: u32,
}

/// The thread's sequence and its number there: neighbouring threads have neighbouring sequences if `by_columns`.
#[gpu_fn]
pub(super) fn share(by_columns: bool, of_block: u32, threads: usize) -> Share {
    let t = thread_idx().x;
    if by_columns {
        Share { sequence: (t & ((1u32 << of_block) - 1)) as usize, j: (t >> of_block) as usize }
    } else {
        Share { sequence: t as usize / threads, j: t as usize % threads }
    }
}

/// Transforms sequences of `2^log` elements, by radix `N`. A thread begins with one share, and ends with another.
///
/// The passes are those of Stockham's algorithm: their outputs are in order, and no pass has to permute. Nothing else uses `memory` before.
#[gpu_fn]
pub(super) fn transform_all<const N: usize>(
    elements: &mut [Complex32; N],
    memory: &mut [Complex32],
    from: Share,
    to: Share,
    at: Exchange,
    log: u32,
) {
    let radix = N.ilog2();
    // A first pass takes the bits that are not a multiple of the radix'.
    let bits = if log > 0 && log.is_multiple_of(radix) { radix } else { log % radix };
    transform::<N>(elements, bits);
    let mut mine = from;
    #[unroll]
    for pass in 0..(log - bits) / radix {
        let before = bits + pass * radix;
        let log_radix = if pass == 0 { bits } else { radix };
        let size = 1u32 << (before - log_radix);
        if pass > 0 {
            sync_threads();
        }
        let first = spread(first_of_pass(mine.j as u32, size, log_radix), 16) * at.row
            + mine.sequence as u32 * at.apart;
        #[unroll]
        for k in 0..N {
            let i = first + spread(next_of_pass::<N>(k, at.threads, size, log_radix), 16) * at.row;
            assume((i as usize) < memory.len());
            memory[i] = elements[k];
        }
        sync_threads();
        if pass + 1 == (log - bits) / radix {
            mine = to;
        }
        let first = spread(mine.j as u32, 16) * at.row + mine.sequence as u32 * at.apart;
        #[unroll]
        for k in 0..N {
            let i = first + spread(k as u32 * at.threads, 16) * at.row;
            assume((i as usize) < memory.len());
            elements[k] = memory[i];
        }
        turn::<N>(elements, Complex32::near_one(angle::<N>(mine.j as u32, before)));
        transform::<N>(elements, radix);
    }
}
