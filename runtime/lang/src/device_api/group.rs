//! Groups of lanes of a warp: tiles of a fixed size, and the lanes that currently run together.
//!
//! Written in the kernel language itself, on shuffles and votes.

use super::index::lane_id;
use super::memory::trap;
use super::shuffle::{Shuffle, shfl_down_sync, shfl_sync, shfl_up_sync, shfl_xor_sync};
use super::sync::sync_warp_mask;
use super::vote::{active_mask, all_sync, any_sync, ballot_sync};
use crate::device_api::number::Num;
use warpsmith_macros::{GpuType, gpu_fn, gpu_impl};

/// `N` consecutive lanes of a warp, where `N` is 1, 2, 4, 8, 16 or 32.
///
/// All lanes of the tile must make each call together.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct WarpTile<const N: u32> {
    mask: u32,
}

/// The tile of `N` lanes that the calling thread is in.
///
/// ```
/// # use warpsmith::prelude::*;
/// #[gpu_kernel]
/// fn sums_of_8(x: &[i32], out: &mut [i32]) {
///     let tile = warp_tile::<8>();
///     let sum = tile.sum(x[global_id()]);
///     if tile.thread_rank() == 0 {
///         out[global_id() / 8] = sum;
///     }
/// }
/// # fn main() -> warpsmith::Result<()> {
/// # let gpu = Device::simulator();
/// # let x = gpu.upload(&(0..32).collect::<Vec<i32>>())?;
/// # let mut out = gpu.upload(&[0; 4])?;
/// # sums_of_8(&x, &mut out).over(32).block(32).launch(&gpu)?;
/// # assert_eq!(gpu.download(&out)?, [28, 92, 156, 220]);
/// # Ok(()) }
/// ```
#[gpu_fn]
pub fn warp_tile<const N: u32>() -> WarpTile<N> {
    if N != 1 && N != 2 && N != 4 && N != 8 && N != 16 && N != 32 {
        trap();
    }
    let first = lane_id() & !(N - 1);
    WarpTile { mask: (u32::MAX >> (32 - N)) << first }
}

#[gpu_impl]
impl<const N: u32> WarpTile<N> {
    /// Number of lanes.
    pub fn size(self) -> u32 {
        N
    }

    /// The caller's index in the tile.
    pub fn thread_rank(self) -> u32 {
        lane_id() & (N - 1)
    }

    /// The tile's index in its warp.
    pub fn rank_in_warp(self) -> u32 {
        lane_id() / N
    }

    /// The tile's lanes, bit `i` for lane `i` of the warp.
    pub fn mask(self) -> u32 {
        self.mask
    }

    /// Waits for the lanes of the tile.
    pub fn sync(self) {
        sync_warp_mask(self.mask);
    }

    /// The value of the lane with a rank.
    pub fn shfl<T: Shuffle>(self, value: T, rank: u32) -> T {
        shfl_sync(self.mask, value, rank, N)
    }

    /// The value of the lane `delta` ranks below; the lowest keep their own.
    pub fn shfl_up<T: Shuffle>(self, value: T, delta: u32) -> T {
        shfl_up_sync(self.mask, value, delta, N)
    }

    /// The value of the lane `delta` ranks above; the highest keep their own.
    pub fn shfl_down<T: Shuffle>(self, value: T, delta: u32) -> T {
        shfl_down_sync(self.mask, value, delta, N)
    }

    /// The value of the lane whose rank is the caller's xor `lane_mask`.
    pub fn shfl_xor<T: Shuffle>(self, value: T, lane_mask: u32) -> T {
        shfl_xor_sync(self.mask, value, lane_mask, N)
    }

    /// Returns whether the predicate holds in any lane of the tile.
    pub fn any(self, predicate: bool) -> bool {
        any_sync(self.mask, predicate)
    }

    /// Returns whether the predicate holds in every lane of the tile.
    pub fn all(self, predicate: bool) -> bool {
        all_sync(self.mask, predicate)
    }

    /// The ranks whose predicate holds, bit `i` for rank `i`.
    pub fn ballot(self, predicate: bool) -> u32 {
        ballot_sync(self.mask, predicate) >> (lane_id() & !(N - 1))
    }

    /// The sum over the tile, in every lane; pairs are added from the farthest to the nearest.
    pub fn sum<T: Num>(self, value: T) -> T {
        let mut total = value;
        let mut distance = N / 2;
        while distance > 0 {
            total += shfl_xor_sync(self.mask, total, distance, N);
            distance /= 2;
        }
        total
    }

    /// The reduction over the tile with `join`, in every lane.
    pub fn reduce<T: Shuffle, F: Fn(T, T) -> T>(self, value: T, join: F) -> T {
        let mut total = value;
        let mut distance = N / 2;
        while distance > 0 {
            total = join(total, shfl_xor_sync(self.mask, total, distance, N));
            distance /= 2;
        }
        total
    }

    /// The sum of the values of all ranks up to and including the caller's.
    pub fn inclusive_sum<T: Num>(self, value: T) -> T {
        let mut total = value;
        let mut distance = 1;
        while distance < N {
            let below = shfl_up_sync(self.mask, total, distance, N);
            if self.thread_rank() >= distance {
                total += below;
            }
            distance *= 2;
        }
        total
    }
}

/// Lanes of a warp that run together.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct CoalescedGroup {
    mask: u32,
}

/// The lanes that reach this call together: on a GPU the lanes that it runs at once, on the
/// simulator all lanes that reach it.
#[gpu_fn]
pub fn coalesced_threads() -> CoalescedGroup {
    CoalescedGroup { mask: active_mask() }
}

#[gpu_impl]
impl CoalescedGroup {
    /// Number of lanes.
    pub fn size(self) -> u32 {
        self.mask.count_ones()
    }

    /// The caller's index in the group.
    pub fn thread_rank(self) -> u32 {
        (self.mask & ((1 << lane_id()) - 1)).count_ones()
    }

    /// The group's lanes, bit `i` for lane `i` of the warp.
    pub fn mask(self) -> u32 {
        self.mask
    }

    /// Waits for the lanes of the group.
    pub fn sync(self) {
        sync_warp_mask(self.mask);
    }

    /// The value of the lane with a rank, which is below the group's size.
    pub fn shfl<T: Shuffle>(self, value: T, rank: u32) -> T {
        let mut lane = 0;
        let mut left = rank + 1;
        for i in 0..32u32 {
            if (self.mask >> i) & 1 == 1 {
                left -= 1;
                if left == 0 {
                    lane = i;
                    break;
                }
            }
        }
        shfl_sync(self.mask, value, lane, 32)
    }

    /// Returns whether the predicate holds in any lane of the group.
    pub fn any(self, predicate: bool) -> bool {
        any_sync(self.mask, predicate)
    }

    /// Returns whether the predicate holds in every lane of the group.
    pub fn all(self, predicate: bool) -> bool {
        all_sync(self.mask, predicate)
    }

    /// The lanes of the warp whose predicate holds, bit `i` for lane `i`.
    pub fn ballot(self, predicate: bool) -> u32 {
        ballot_sync(self.mask, predicate)
    }
}
