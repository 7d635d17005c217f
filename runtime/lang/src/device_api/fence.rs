//! Memory fences.

use super::text::{fixed, with};
use crate::ir::{Effect, Facts, Prelude};
use crate::simulator::{MemoryScope, context};

static FENCE_CLUSTER: Prelude = Prelude {
    name: "ws_fence_cluster",
    code: "__device__ __forceinline__ void ws_fence_cluster() { asm volatile(\"fence.sc.cluster;\" ::: \"memory\"); }\n",
    needs: &[],
};

builtin! {
    /// Orders the caller's memory accesses for the threads of its block.
    pub fn fence_block() { cuda: fixed("__threadfence_block()"), effect: Effect::Writes, facts: Facts::FENCE } {
        context::fence(MemoryScope::Block);
    }

    /// Orders the caller's memory accesses for the threads of its cluster.
    ///
    /// Source: PTX ISA, `fence.sc.cluster`; compute capability 9.0.
    pub fn fence_cluster() {
        cuda: with("ws_fence_cluster()", &FENCE_CLUSTER), effect: Effect::Writes, min_compute: (9, 0), facts: Facts::FENCE
    } {
        context::fence(MemoryScope::Cluster);
    }

    /// Orders the caller's memory accesses for all threads of the device.
    pub fn fence_device() { cuda: fixed("__threadfence()"), effect: Effect::Writes, facts: Facts::FENCE } {
        context::fence(MemoryScope::Device);
    }

    /// Orders the caller's memory accesses for the device, other devices and the host.
    pub fn fence_system() { cuda: fixed("__threadfence_system()"), effect: Effect::Writes, facts: Facts::FENCE } {
        context::fence(MemoryScope::System);
    }
}
