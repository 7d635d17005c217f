//! Barriers of a block and a warp, and the author's promise that a value is uniform.

use super::text::{fixed, with};
use crate::device_api::number::Num;
use crate::ir::{CudaText, Effect, Facts, Lanes, Prelude, ResultRange, SyncScope, Variance};
use crate::limits::BLOCK_THREADS;
use crate::simulator::context;

/// A count of threads of a block.
const COUNTED: Facts =
    Facts { result: ResultRange::Within(0, BLOCK_THREADS as i64), ..Facts::PART_OF_BARRIER };

builtin! {
    /// Waits for every thread of the block; their earlier writes to shared and global memory are
    /// visible to all of them after it.
    ///
    /// Every thread of the block must reach it.
    pub fn sync_threads() { cuda: fixed("__syncthreads()"), effect: Effect::Sync(SyncScope::Block), facts: Facts::BARRIER } {
        context::sync_threads();
    }

    /// A barrier of the block that counts the threads whose predicate holds.
    pub fn sync_threads_count(predicate: bool) -> u32 {
        cuda: fixed("(unsigned int)__syncthreads_count({0})"), effect: Effect::Sync(SyncScope::Block),
        variance: Variance::PerBlock, fixes_variance: true, facts: COUNTED
    } {
        context::sync_vote(predicate)
    }

    /// A barrier of the block; whether the predicate holds in every thread.
    pub fn sync_threads_and(predicate: bool) -> bool {
        cuda: fixed("(__syncthreads_and({0}) != 0)"), effect: Effect::Sync(SyncScope::Block),
        variance: Variance::PerBlock, fixes_variance: true, facts: Facts::PART_OF_BARRIER
    } {
        context::sync_vote(!predicate) == 0
    }

    /// A barrier of the block; whether the predicate holds in any thread.
    pub fn sync_threads_or(predicate: bool) -> bool {
        cuda: fixed("(__syncthreads_or({0}) != 0)"), effect: Effect::Sync(SyncScope::Block),
        variance: Variance::PerBlock, fixes_variance: true, facts: Facts::PART_OF_BARRIER
    } {
        context::sync_vote(predicate) != 0
    }

    /// Waits at barrier `number` of the block, from 1 to 15, until `threads` threads have arrived there.
    ///
    /// `threads` is a multiple of 32. Barrier 0 is [`sync_threads`]'s. A kernel whose numbers are constants reserves the barriers up
    /// to the highest of them; with any other number it reserves all 16. Source: PTX ISA, `barrier.sync`.
    pub fn named_barrier_sync(number: u32, threads: u32) {
        cuda: |_, _| named("sync", &[]), by_constant: Some(|_, constants| named("sync", constants)), effect: Effect::Sync(SyncScope::Warp), facts: Facts { lanes: Lanes::Any, ..Facts::PART_OF_BARRIER }
    } {
        context::named_barrier(number, threads, true);
    }

    /// Arrives at barrier `number` of the block without waiting; others wait with [`named_barrier_sync`].
    ///
    /// Source: PTX ISA, `barrier.arrive`.
    pub fn named_barrier_arrive(number: u32, threads: u32) {
        cuda: |_, _| named("arrive", &[]), by_constant: Some(|_, constants| named("arrive", constants)), effect: Effect::Sync(SyncScope::Warp), facts: Facts { lanes: Lanes::Any, ..Facts::PART_OF_BARRIER }
    } {
        context::named_barrier(number, threads, false);
    }

    /// Waits for every thread of the grid; their writes before it are visible after it.
    ///
    /// The launch is `.cooperative()`. Source: CUDA C++ Programming Guide, grid synchronization.
    pub fn grid_sync() {
        cuda: with("ws_grid_sync()", &GRID_SYNC), effect: Effect::Sync(SyncScope::Grid), facts: Facts::BARRIER
    } {
        context::grid_sync();
    }

    /// Waits for every lane of the warp; orders their memory accesses.
    ///
    /// Every lane of the warp must reach it; use [`sync_warp_mask`] for fewer.
    pub fn sync_warp() { cuda: fixed("__syncwarp()"), effect: Effect::Sync(SyncScope::Warp), facts: Facts::BARRIER } {
        context::sync_warp(u32::MAX);
    }

    /// Waits for the lanes of `mask`, bit `i` for lane `i`; the caller's own must be among them.
    pub fn sync_warp_mask(mask: u32) { cuda: fixed("__syncwarp({0})"), effect: Effect::Sync(SyncScope::Warp), facts: Facts { lanes: Lanes::Masked(0), ..Facts::BARRIER } } {
        context::sync_warp(mask);
    }

    /// Returns the value, with the author's promise that it is equal in all threads that compare it.
    ///
    /// Overrules the uniformity analysis: a barrier under `if uniform(x) > 0` is accepted. The
    /// simulator still reports a barrier that not all threads reach.
    pub fn uniform<T: Num>(value: T) -> T {
        cuda: fixed("({0})"), variance: Variance::Uniform, fixes_variance: true, facts: Facts::MOVES
    } {
        value
    }
}

/// A named barrier by its number, if that is a constant, and otherwise by a register.
fn named(operation: &str, constants: &[Option<i128>]) -> CudaText {
    let Some(number @ 1..16) = constants.first().copied().flatten() else {
        return CudaText::with(format!("ws_barrier_{operation}({{0}}, {{1}})"), &NAMED);
    };
    let name = format!("ws_barrier_{operation}_{number}");
    let definition = format!(
        "__device__ __forceinline__ void {name}(unsigned int threads) {{
    asm volatile(\"barrier.{operation} {number}, %0;\" :: \"r\"(threads) : \"memory\");
}}
"
    );
    CudaText { definitions: vec![definition], ..CudaText::new(format!("{name}({{1}})")) }
}

static NAMED: Prelude = Prelude {
    name: "ws_named_barrier",
    code: "__device__ __forceinline__ void ws_barrier_sync(unsigned int number, unsigned int threads) {
    asm volatile(\"barrier.sync %0, %1;\" :: \"r\"(number), \"r\"(threads) : \"memory\");
}
__device__ __forceinline__ void ws_barrier_arrive(unsigned int number, unsigned int threads) {
    asm volatile(\"barrier.arrive %0, %1;\" :: \"r\"(number), \"r\"(threads) : \"memory\");
}
",
    needs: &[],
};

/// The driver gives a cooperative launch a workspace, whose address two registers hold. Each block
/// adds one to its second word and the first block what makes the top bit flip at the last.
static GRID_SYNC: Prelude = Prelude {
    name: "ws_grid_sync",
    code: "__device__ __forceinline__ void ws_grid_sync() {
    unsigned int low, high;
    asm(\"mov.u32 %0, %%envreg2;\" : \"=r\"(low));
    asm(\"mov.u32 %0, %%envreg1;\" : \"=r\"(high));
    volatile unsigned int* arrived = (volatile unsigned int*)((unsigned long long)high << 32 | low) + 1;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
        bool first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
        __threadfence();
        unsigned int before = atomicAdd((unsigned int*)arrived, first ? 0x80000000u - (blocks - 1u) : 1u);
        while (((before ^ *arrived) & 0x80000000u) == 0u) {}
        __threadfence();
    }
    __syncthreads();
}
",
    needs: &[],
};
