//! Barriers of a block and a warp, and the author's word that a value is uniform.

use super::text::fixed;
use crate::ir::{Effect, Scope, Variance};
use crate::simulator::context;
use crate::types::Num;

builtin! {
    /// Waits for every thread of the block; their earlier writes to shared and global memory are
    /// visible to all of them after it.
    ///
    /// Every thread of the block must reach it.
    pub fn sync_threads() { cuda: fixed("__syncthreads()"), effect: Effect::Sync(Scope::Block) } {
        context::sync_threads();
    }

    /// Waits for every lane of the warp; orders their memory accesses.
    ///
    /// Every lane of the warp must reach it; [`sync_warp_mask`] takes fewer.
    pub fn sync_warp() { cuda: fixed("__syncwarp()"), effect: Effect::Sync(Scope::Warp) } {
        context::sync_warp(u32::MAX);
    }

    /// Waits for the lanes of `mask`, bit `i` for lane `i`; the caller's own must be among them.
    pub fn sync_warp_mask(mask: u32) { cuda: fixed("__syncwarp({0})"), effect: Effect::Sync(Scope::Warp) } {
        context::sync_warp(mask);
    }

    /// The same value, with the author's word that it is equal in all threads that compare it.
    ///
    /// Overrules the uniformity analysis: a barrier under `if uniform(x) > 0` is accepted. The
    /// simulator still reports a barrier that not all threads reach.
    pub fn uniform<T: Num>(value: T) -> T {
        cuda: fixed("({0})"), variance: Variance::Uniform, fixes_variance: true
    } {
        value
    }
}
