//! The transpose of a matrix whose tiles the copy engine loads and stores.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

/// Side of a tile.
pub const SIDE: usize = 32;
/// Threads of a block.
pub const THREADS: [u32; 2] = [32, 8];

/// A tile is loaded by the copy engine, transposed through shared memory, and stored by the copy engine. Edges are its
/// business: outside of a matrix it loads zeros and stores nothing.
#[gpu_kernel]
pub fn transpose_tma(
    x: &TensorMap<f32, SIDE, SIDE, Swizzle128<4>>,
    out: &mut TensorMapMut<f32, SIDE, SIDE, Swizzle128<4>>,
) {
    let tile = shared!(Tile<f32, SIDE, SIDE, Swizzle128<4>>);
    let mut turned = shared!(Tile<f32, SIDE, SIDE, Swizzle128<4>>);
    let full = shared!(Barrier);
    let (row, col) = (block_idx().y as usize * SIDE, block_idx().x as usize * SIDE);
    let is_first = thread_rank() == 0;
    if is_first {
        tensormap_prefetch(x);
        full.init(1);
        fence_mbarrier_init();
    }
    sync_threads();
    if is_first {
        full.load_tile(tile, x, [row, col]);
        full.arrive();
    }
    full.wait(&mut Phase::first());
    let c = thread_idx().x as usize;
    for r in (thread_idx().y as usize..SIDE).step_by(THREADS[1] as usize) {
        turned[(r, c)] = tile[(c, r)];
    }
    fence_proxy_async();
    sync_threads();
    if is_first {
        tma_store(out, [col, row], turned);
        bulk_commit();
        bulk_wait_read::<0>();
    }
}
