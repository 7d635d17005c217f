//! Inclusive prefix sums in a single pass: tiles look back at the sums of the tiles before them.
//!
//! A tile publishes first its own sum, then, when it knows it, the sum of everything up to its end.
//! Each word holds a value and what it stands for, so no fence has to order the two.

use warpsmith::prelude::*;

/// Threads of a block.
pub const SCAN_THREADS: u32 = 256;
/// Vectors of four elements that a thread holds.
const ROUNDS: u32 = 4;
/// Elements of a tile.
pub const SCAN_TILE: u32 = SCAN_THREADS * ROUNDS * 4;

const WARPS: u32 = SCAN_THREADS / 32;
const TILE_VECTORS: u32 = SCAN_TILE / 4;

/// The meaning of a tile's word: nothing in this launch yet, its own sum, or the sum up to its end.
#[derive(Clone, Copy, GpuType)]
#[gpu(PartialEq)]
#[repr(C)]
pub struct Published {
    is_prefix: bool,
    is_sum: bool,
    value: u32,
}

/// The word of a sum in a launch.
#[gpu_fn]
fn pack(launch: u32, is_prefix: bool, value: u32) -> u64 {
    ((launch * 2 + is_prefix as u32) as u64) << 32 | value as u64
}

/// Reads a word; those of earlier launches are no sums.
#[gpu_fn]
fn unpack(word: u64, launch: u32) -> Published {
    let state = (word >> 32) as u32;
    let is_prefix = state == launch * 2 + 1;
    Published { is_prefix, is_sum: is_prefix || state == launch * 2, value: word as u32 }
}

/// The sum of `value` over the lanes up to and with the caller's.
#[gpu_fn]
fn warp_inclusive(value: u32, lane: u32) -> u32 {
    let mut sum = value;
    #[unroll]
    for delta in [1, 2, 4, 8, 16u32] {
        let below = shfl_up(sum, delta);
        if lane >= delta {
            sum = sum.wrapping_add(below);
        }
    }
    sum
}

/// The sum of `value` over all lanes, in every lane.
#[gpu_fn]
fn warp_sum(value: u32) -> u32 {
    let mut sum = value;
    #[unroll]
    for mask in [16, 8, 4, 2, 1u32] {
        sum = sum.wrapping_add(shfl_xor(sum, mask));
    }
    sum
}

/// The sum of all tiles before `tile`; the 32 lanes read a window of tiles at once.
#[gpu_fn]
fn look_back(words: &mut [u64], tile: u32, launch: u32, lane: u32) -> u32 {
    let mut sum = 0u32;
    let mut end = tile;
    while end > 0 {
        let distance = lane + 1;
        let exists = distance <= end;
        let mut seen = Published { is_prefix: true, is_sum: true, value: 0 };
        if exists {
            seen = unpack(atomic(&mut words[end - distance]).load(Ordering::Relaxed), launch);
        }
        while !all(seen.is_sum) {
            if exists {
                seen = unpack(atomic(&mut words[end - distance]).load(Ordering::Relaxed), launch);
            }
        }
        // The nearest prefix holds everything before it: lanes beyond it add nothing.
        let prefixes = ballot(seen.is_prefix);
        let nearest = prefixes.trailing_zeros();
        sum = sum.wrapping_add(warp_sum(if lane <= nearest { seen.value } else { 0 }));
        if prefixes != 0 {
            return sum;
        }
        end -= 32;
    }
    sum
}

/// `y[i] = x[0] + … + x[i]`, wrapping; vectors of four elements, [`SCAN_TILE`] elements a block.
///
/// The length is a multiple of [`SCAN_TILE`]. `words` has a word a tile and `next_tile` is the tile
/// that the next block takes; both are zero before the first launch, and ready for the next one
/// after each. `launch` counts launches from 1 on.
#[gpu_kernel(noalias)]
pub fn scan(x: &[U32x4], y: &mut [U32x4], words: &mut [u64], next_tile: &mut [u32], launch: u32) {
    let mut warp_sums = shared!([u32; WARPS]);
    let mut shared_tile = shared!([u32; 1]);
    let mut before_tile = shared!([u32; 1]);
    // The block is no larger; said here, it leaves no index of a tile to be checked.
    let t = thread_idx().x % SCAN_THREADS;
    let (warp, lane) = (t / 32, t % 32);
    if t == 0 {
        // Blocks take tiles in the order in which they start, so no one waits for a block to come.
        let taken = atomic_add(&mut next_tile[0], 1);
        if taken == grid_dim().x - 1 {
            atomic_exchange(&mut next_tile[0], 0);
        }
        shared_tile[0] = taken;
    }
    sync_threads();
    let tile = shared_tile[0];

    // A warp's elements are consecutive, and each of its loads is too.
    let start = tile * TILE_VECTORS + warp * (32 * ROUNDS) + lane;
    let mut values = [U32x4::splat(0); ROUNDS as usize];
    #[unroll]
    for r in 0..ROUNDS {
        values[r] = x[start + r * 32];
    }
    let mut carry = 0u32;
    #[unroll]
    for r in 0..ROUNDS {
        let v = values[r];
        let xy = v.x.wrapping_add(v.y);
        let xyz = xy.wrapping_add(v.z);
        let total = xyz.wrapping_add(v.w);
        let through = warp_inclusive(total, lane);
        let before = carry.wrapping_add(through.wrapping_sub(total));
        values[r] = U32x4::new(
            before.wrapping_add(v.x),
            before.wrapping_add(xy),
            before.wrapping_add(xyz),
            before.wrapping_add(total),
        );
        carry = carry.wrapping_add(shfl(through, 31));
    }
    if lane == 0 {
        warp_sums[warp] = carry;
    }
    sync_threads();

    let mut before_warp = 0u32;
    let mut tile_sum = 0u32;
    #[unroll]
    for w in 0..WARPS {
        if w == warp {
            before_warp = tile_sum;
        }
        tile_sum = tile_sum.wrapping_add(warp_sums[w]);
    }
    if warp == 0 {
        if lane == 0 && tile > 0 {
            atomic_exchange(&mut words[tile], pack(launch, false, tile_sum));
        }
        let before = look_back(words, tile, launch, lane);
        if lane == 0 {
            atomic_exchange(&mut words[tile], pack(launch, true, before.wrapping_add(tile_sum)));
            before_tile[0] = before;
        }
    }
    sync_threads();
    let before = before_tile[0].wrapping_add(before_warp);
    #[unroll]
    for r in 0..ROUNDS {
        let v = values[r];
        y[start + r * 32] = U32x4::new(
            before.wrapping_add(v.x),
            before.wrapping_add(v.y),
            before.wrapping_add(v.z),
            before.wrapping_add(v.w),
        );
    }
}
