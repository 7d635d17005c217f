//! The cluster histogram: bins spread over the shared memory of the blocks of a cluster.

use warpsmith::prelude::*;

/// Counts values into `nbins` bins, `bins_per_block` of them in the shared memory of each block.
///
/// Values below zero count as zero, values from `nbins` on as `nbins - 1`. The launch's cluster has
/// `nbins / bins_per_block` blocks, and `4 * bins_per_block` bytes of dynamic shared memory each.
#[gpu_kernel]
pub fn cluster_hist(bins: ViewMut<'_, i32>, nbins: i32, bins_per_block: u32, input: &[i32]) {
    let mut smem = dynamic_shared::<i32>();
    let tid = global_id();
    let rank = cluster_block_rank();
    for i in (thread_idx().x as usize..bins_per_block as usize).step_by(block_dim().x as usize) {
        smem[i] = 0;
    }
    cluster_sync();
    for i in (tid..input.len()).step_by(global_size()) {
        let mut bin = input[i];
        if bin < 0 {
            bin = 0;
        } else if bin >= nbins {
            bin = nbins - 1;
        }
        let dst_block_rank = bin as u32 / bins_per_block;
        let dst_offset = bin as u32 % bins_per_block;
        let mut dst_smem = map_shared_rank(&mut smem, dst_block_rank);
        atomic_add(&mut dst_smem[dst_offset], 1);
    }
    cluster_sync();
    let mut lbins = bins.offset(rank * bins_per_block);
    for i in (thread_idx().x as usize..bins_per_block as usize).step_by(block_dim().x as usize) {
        atomic_add(&mut lbins[i], smem[i]);
    }
}
