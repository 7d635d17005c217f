//! Where a simulated thread is.

use super::current::current;

/// Index of the thread in its block.
#[inline]
pub fn thread_idx() -> [u32; 3] {
    current("thread_idx").here.get().thread_idx
}

/// Index of the block in the grid.
#[inline]
pub fn block_idx() -> [u32; 3] {
    current("block_idx").here.get().block_idx
}

/// Threads in a block, in each dimension.
#[inline]
pub fn block_dim() -> [u32; 3] {
    current("block_dim").launch.block
}

/// Blocks in the grid, in each dimension.
#[inline]
pub fn grid_dim() -> [u32; 3] {
    current("grid_dim").launch.grid
}

/// Index of the thread in its warp, below 32.
#[inline]
pub fn lane_id() -> u32 {
    current("lane_id").here.get().linear % 32
}

/// Index of the thread's warp in its block.
#[inline]
pub fn warp_id() -> u32 {
    current("warp_id").here.get().linear / 32
}

/// Rank of the block in its cluster, `x` fastest.
#[inline]
pub fn cluster_rank() -> u32 {
    let machine = current("cluster_rank");
    if machine.launch.cooperative { 0 } else { machine.here.get().rank }
}

/// Blocks in a cluster; 1 in a launch without clusters.
#[inline]
pub fn cluster_size() -> u32 {
    let machine = current("cluster_size");
    if machine.launch.cooperative { 1 } else { machine.shape.cluster_blocks }
}

/// Blocks in a cluster, in each dimension.
#[inline]
pub fn cluster_dim() -> [u32; 3] {
    current("cluster_dim").launch.cluster
}

/// Index of the block in its cluster.
#[inline]
pub fn block_idx_in_cluster() -> [u32; 3] {
    let machine = current("block_idx_in_cluster");
    let (block, cluster) = (machine.here.get().block_idx, machine.launch.cluster);
    std::array::from_fn(|i| block[i] % cluster[i])
}

/// Index of the cluster in the grid of clusters.
#[inline]
pub fn cluster_idx() -> [u32; 3] {
    let machine = current("cluster_idx");
    let (block, cluster) = (machine.here.get().block_idx, machine.launch.cluster);
    std::array::from_fn(|i| block[i] / cluster[i])
}
