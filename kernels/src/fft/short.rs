//! Short rows: a warp takes some, and loads and stores two numbers at a time, in the order of the memory.

use warpsmith::prelude::*;

use super::Complex32;
use super::radix::{BITS, ELEMENTS, powers, reversed, transform};
use crate::pack::Pack;

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Bits of the longest rows.
pub(super) const MOST_BITS: u32 = 6;
/// Elements of a warp.
pub(super) const OF_WARP: usize = 32 * ELEMENTS;
/// Packs of a thread.
const PACKS: usize = ELEMENTS / 2;
/// Shared memory of a block, in bytes.
pub(super) const SHARED: usize = PACKS * THREADS as usize * size_of::<Pack<Complex32, 2>>();

/// The rows of a launch; distances are in packs of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct ShortRows {
    /// Their number.
    pub count: usize,
    /// From one row to the next.
    pub from: usize,
    /// From one spectrum to the next.
    pub to: usize,
    /// What each element of a spectrum is multiplied by.
    pub factor: f32,
}

/// `y` gets the spectra of rows of `2^log` elements of `x`, from 2 to 64 of them, times a factor; the inverse ones if `is_inverse`.
///
/// A thread transforms rows of up to 16 elements by itself. Lanes share a longer row, and each takes every `2^log / 16`-th element.
/// Once packs are in the order of the memory again, lanes transform across these parts.
#[gpu_kernel(launch_bounds(THREADS, 4), noalias)]
pub fn fft_short_rows(
    x: &[Pack<Complex32, 2>],
    y: &mut [Pack<Complex32, 2>],
    rows: ShortRows,
    #[comptime] log: u32,
    #[comptime] is_inverse: bool,
) {
    let mut memory = shared!([Pack<Complex32, 2>; PACKS * THREADS as usize]);
    let lane = (thread_idx().x % 32) as usize;
    let warp = (thread_idx().x / 32 % (THREADS / 32)) as usize;
    let base = warp * (PACKS * 32);
    // The warp's packs, in the order of the memory: 32 at a time, which are whole rows.
    let of_row = (1usize << log) / 2;
    let at_once = 32 / of_row;
    let first = (block_idx().x as usize * (THREADS as usize / 32) + warp) * (OF_WARP >> log);
    let (row, column) = (first + lane / of_row, lane % of_row);
    let mut packs = [Pack([Complex32::ZERO; 2]); PACKS];
    #[unroll]
    for k in 0..PACKS {
        if row + k * at_once < rows.count {
            let i = (row + k * at_once) * rows.from + column;
            assume(i < x.len());
            packs[k] = x[i];
        }
    }
    let parts = log.max(BITS) - BITS;
    #[unroll]
    for k in 0..PACKS {
        memory[base + spread(k * 32 + lane, 3 + parts.min(1))] = packs[k];
    }
    sync_warp();
    let mut elements = [Complex32::ZERO; ELEMENTS];
    if parts == 0 {
        // Rows of the thread: element `r` of row `m` is number `m + r * short`.
        let short = ELEMENTS >> log;
        #[unroll]
        for c in 0..PACKS {
            let pack = memory[base + spread(lane * PACKS + c, 3)];
            #[unroll]
            for h in 0..2 {
                let e = 2 * c + h;
                elements[(e >> log) + e % (1usize << log) * short] = conjugate(pack.0[h], is_inverse);
            }
        }
        transform(&mut elements, log);
        #[unroll]
        for c in 0..PACKS {
            let mut pack = Pack([Complex32::ZERO; 2]);
            #[unroll]
            for h in 0..2 {
                let e = 2 * c + h;
                pack.0[h] = elements[(e >> log) + reversed(e % (1usize << log), log) * short];
            }
            memory[base + spread(lane * PACKS + c, 3)] = pack;
        }
        sync_warp();
        #[unroll]
        for k in 0..PACKS {
            let pack = memory[base + spread(k * 32 + lane, 3)];
            if row + k * at_once < rows.count {
                let i = (row + k * at_once) * rows.to + column;
                assume(i < y.len());
                y[i] = finished(pack, rows.factor, is_inverse);
            }
        }
    } else {
        let lanes = 1usize << parts;
        let (mine, j) = (lane / lanes * of_row, lane % lanes);
        #[unroll]
        for k in 0..ELEMENTS {
            let e = k * lanes + j;
            elements[k] = conjugate(memory[base + spread(mine + e / 2, 4)].0[j % 2], is_inverse);
        }
        transform(&mut elements, BITS);
        let powers = powers::<ELEMENTS>(Complex32::unit(j as f32 * (2.0 / (1usize << log) as f32)));
        sync_warp();
        #[unroll]
        for c in 0..PACKS {
            let mut pack = Pack([Complex32::ZERO; 2]);
            #[unroll]
            for h in 0..2 {
                pack.0[h] = elements[reversed(2 * c + h, BITS)].times(powers[2 * c + h]);
            }
            memory[base + spread(mine + j * PACKS + c, 3)] = pack;
        }
        sync_warp();
        // Four rows at once, eight lanes each. A lane has packs that are 16 elements apart.
        let (row, q) = (lane / 8, lane % 8);
        let groups = PACKS >> parts;
        #[unroll]
        for g in 0..groups {
            #[unroll]
            for i in 0..lanes {
                let pack = memory[base + spread((g * 4 + row) * of_row + i * PACKS + q, 3)];
                #[unroll]
                for h in 0..2 {
                    elements[2 * g + h + i * 2 * groups] = pack.0[h];
                }
            }
        }
        transform(&mut elements, parts);
        #[unroll]
        for g in 0..groups {
            if first + g * 4 + row < rows.count {
                #[unroll]
                for k in 0..lanes {
                    let i = (first + g * 4 + row) * rows.to + k * PACKS + q;
                    let e = 2 * g + reversed(k, parts) * 2 * groups;
                    assume(i < y.len());
                    y[i] = finished(Pack([elements[e], elements[e + 1]]), rows.factor, is_inverse);
                }
            }
        }
    }
}

/// Where pack number `c` of a warp is: lanes that read packs `2^shift` apart use different banks.
#[gpu_fn]
fn spread(c: usize, shift: u32) -> usize {
    c ^ (c >> shift & 7)
}

/// The number with its parts exchanged, for inverse transforms.
#[gpu_fn]
fn conjugate(number: Complex32, is_inverse: bool) -> Complex32 {
    if is_inverse { number.exchanged() } else { number }
}

/// The elements of a spectrum as they are stored.
#[gpu_fn]
fn finished(pack: Pack<Complex32, 2>, factor: f32, is_inverse: bool) -> Pack<Complex32, 2> {
    Pack([conjugate(pack.0[0].scaled(factor), is_inverse), conjugate(pack.0[1].scaled(factor), is_inverse)])
}
