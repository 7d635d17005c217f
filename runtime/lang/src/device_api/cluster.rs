//! Thread block clusters: ranks, their barrier, and each other's shared memory. Compute capability 9.0.

use super::index::{Index3, block_size, thread_rank};
use super::text::{fixed, with};
use crate::ir::{CudaText, Effect, Facts, Form, Position, Prelude, SyncScope, Type, Variance};
use crate::simulator::context;
use crate::types::{GpuType, Slice, ViewMut};

builtin! {
    /// Rank of the calling thread's block in its cluster.
    pub fn cluster_block_rank() -> u32 {
        cuda: fixed("__clusterRelativeBlockRank()"), variance: Variance::PerBlock, min_compute: (9, 0), facts: Facts::at(Position::ClusterBlockRank)
    } {
        context::cluster_rank()
    }

    /// Number of blocks in a cluster.
    pub fn cluster_size() -> u32 { cuda: fixed("__clusterSizeInBlocks()"), min_compute: (9, 0), facts: Facts::at(Position::ClusterSize) } {
        context::cluster_size()
    }

    /// Blocks of a cluster, in each dimension.
    pub fn cluster_dim() -> Index3 { cuda: fixed("__clusterDim()"), min_compute: (9, 0), facts: Facts::at(Position::ClusterExtent) } {
        context::cluster_dim().into()
    }

    /// Index of the calling thread's block in its cluster.
    pub fn cluster_block_idx() -> Index3 {
        cuda: fixed("__clusterRelativeBlockIdx()"), variance: Variance::PerBlock, min_compute: (9, 0), facts: Facts::at(Position::ClusterBlockIndex)
    } {
        context::block_idx_in_cluster().into()
    }

    /// Index of the calling thread's cluster in the grid of clusters.
    pub fn cluster_idx() -> Index3 {
        cuda: fixed("__clusterIdx()"), variance: Variance::PerBlock, min_compute: (9, 0), facts: Facts::at(Position::ClusterIndex)
    } {
        context::cluster_idx().into()
    }

    /// Number of the calling thread among all threads of its cluster: block after block, `x` fastest.
    ///
    /// Cooperative groups call it `cluster.thread_rank()`.
    pub fn cluster_thread_rank() -> u32 {
        cuda: with("ws_cluster_thread_rank()", &CLUSTER_THREAD_RANK), variance: Variance::PerThread, min_compute: (9, 0), facts: Facts::at(Position::ClusterThreadRank)
    } {
        cluster_block_rank() * block_size() + thread_rank()
    }

    /// Threads of a cluster.
    pub fn cluster_threads() -> u32 {
        cuda: with("ws_cluster_threads()", &CLUSTER_THREADS), min_compute: (9, 0), facts: Facts::at(Position::ClusterThreads)
    } {
        cluster_size() * block_size()
    }

    /// The first half of [`cluster_sync`]: arrives without waiting.
    pub fn cluster_arrive() {
        cuda: with("ws_cluster_arrive()", &CLUSTER_HALVES), effect: Effect::Sync(SyncScope::Cluster), min_compute: (9, 0), facts: Facts::PART_OF_BARRIER
    } {
        context::cluster_arrive();
    }

    /// The second half of [`cluster_sync`]: waits for every thread of the cluster to have arrived.
    pub fn cluster_wait() {
        cuda: with("ws_cluster_wait()", &CLUSTER_HALVES), effect: Effect::Sync(SyncScope::Cluster), min_compute: (9, 0), facts: Facts::PART_OF_BARRIER
    } {
        context::cluster_wait();
    }

    /// Waits for every thread of the cluster; orders their accesses to each other's shared memory.
    ///
    /// Also guarantees that every block of the cluster has started, and, before a block exits, that
    /// the others are done with its shared memory.
    pub fn cluster_sync() {
        cuda: |_: &[Type], _: &Type| CudaText::with("ws_cluster_sync()", &CLUSTER_SYNC),
        effect: Effect::Sync(SyncScope::Cluster), min_compute: (9, 0), facts: Facts::BARRIER
    } {
        context::cluster_sync();
    }

    /// The same shared array in block `rank` of the cluster.
    ///
    /// A `rank` at or above [`cluster_size`] is a fault on the simulator and undefined on a GPU.
    pub fn map_shared_rank<T: 'static + GpuType>(shared: &mut Slice<T>, rank: u32) -> ViewMut<'static, T> {
        cuda: |args: &[Type], _: &Type| map_shared_text(args), by_reference: true, facts: Facts::WRITES.is(Form::OtherBlock), min_compute: (9, 0)
    } {
        let ptr = context::map_shared_rank(shared.as_mut_ptr().cast::<u8>(), rank);
        // SAFETY: another block's copy of the same array, which lives as long as the cluster.
        unsafe { ViewMut::from_raw_parts(ptr.cast::<T>(), shared.len()) }
    }
}

/// A view of the mapped pointer; `{0}` of a shared array prints as pointer and length.
fn map_shared_text(_args: &[Type]) -> CudaText {
    CudaText::with("ws_map_shared_rank({0}, {1})", &MAP_SHARED)
}

static CLUSTER_THREAD_RANK: Prelude = Prelude {
    name: "ws_cluster_thread_rank",
    code: "\
__device__ __forceinline__ unsigned int ws_cluster_thread_rank() {
    unsigned int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return __clusterRelativeBlockRank() * (blockDim.x * blockDim.y * blockDim.z) + thread;
}
",
    needs: &[],
};

static CLUSTER_THREADS: Prelude = Prelude {
    name: "ws_cluster_threads",
    code: "\
__device__ __forceinline__ unsigned int ws_cluster_threads() {
    return __clusterSizeInBlocks() * (blockDim.x * blockDim.y * blockDim.z);
}
",
    needs: &[],
};

static CLUSTER_SYNC: Prelude = Prelude {
    name: "ws_cluster_sync",
    code: "__device__ __forceinline__ void ws_cluster_sync() {\n    asm volatile(\"barrier.cluster.arrive.aligned;\\n\\tbarrier.cluster.wait.aligned;\" ::: \"memory\");\n}\n",
    needs: &[],
};

static MAP_SHARED: Prelude = Prelude {
    name: "ws_map_shared_rank",
    code: "template <class T>\n__device__ __forceinline__ ws_View<T> ws_map_shared_rank(T* shared, unsigned long long len, unsigned int rank) {\n    return ws_View<T>{(T*)__cluster_map_shared_rank(shared, rank), len};\n}\n",
    needs: &[],
};

static CLUSTER_HALVES: Prelude = Prelude {
    name: "ws_cluster_arrive",
    code: "__device__ __forceinline__ void ws_cluster_arrive() { asm volatile(\"barrier.cluster.arrive.aligned;\" ::: \"memory\"); }
__device__ __forceinline__ void ws_cluster_wait() { asm volatile(\"barrier.cluster.wait.aligned;\" ::: \"memory\"); }
",
    needs: &[],
};
