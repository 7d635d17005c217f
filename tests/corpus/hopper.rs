//! A product of matrices as compute capability 9.0 does it: the copy engine fills a ring of tiles, warpgroups multiply them.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::Accumulator;

/// Rows of `c` that a cluster of two blocks computes, 64 by each of two warpgroups of each.
pub const ROWS: usize = 256;
/// Columns of `c` that both compute.
pub const COLS: usize = 256;
/// Columns of `a` and `b` that a stage holds: rows of 128 bytes.
pub const DEPTH: usize = 64;
/// Threads of a block: two warpgroups multiply, one lets tiles be copied.
pub const THREADS: u32 = 384;

/// Blocks of a launch on an H100 or H200, fewer than its 132 multiprocessors: powers of two divide large products evenly.
pub const BLOCKS: u32 = 128;

/// Stages of the ring.
const STAGES: usize = 4;
/// Rows and columns that are loaded at a time: those of `a` for a block alone, half of those of `b` for both.
const BOX: usize = 128;
/// Rows of tiles that blocks work on at a time, which the L2 cache keeps.
const BAND: u32 = 8;
/// Bytes of a stage.
const STAGE: u32 = ((BOX + COLS) * DEPTH * size_of::<bf16>()) as u32;

/// Row and column of the first element of tile `i` of `down` × `across`: down each column of a band of [`BAND`] rows of tiles.
#[gpu_fn]
fn tile_at(i: u32, down: u32, across: u32) -> [u32; 2] {
    let band = i / (BAND * across);
    let rows = (down - band * BAND).min(BAND);
    let within = i % (BAND * across);
    [(band * BAND + within % rows) * ROWS as u32, within / rows * COLS as u32]
}

/// `c = a * bᵀ`, summed in `f32`; `a`: row-major `[m, k]`, `b`: `[n, k]`, `c`: `[m, n]`; `steps` is `k / DEPTH`, and `down` and
/// `across` are `m / ROWS` and `n / COLS`, each rounded up.
///
/// The grid has at most as many blocks as multiprocessors, an even number, as [`BLOCKS`]: a cluster computes every
/// `grid / 2`-th tile. In each block one thread keeps the ring filled, with its rows of `a` and half of those of `b`, which it
/// loads for both; `full` tells that a stage has come, `empty` that all four warpgroups have multiplied theirs. While the copy
/// engine stores a tile, the stages of the next one come, every second tile from the last column back, which are still in
/// the L2 cache.
#[gpu_kernel(launch_bounds(384, 1), cluster(2), require(async_wgmma, no_spills))]
pub fn gemm_sm90(
    a: &TensorMap<bf16, BOX, DEPTH, Swizzle128>,
    b: &TensorMap<bf16, BOX, DEPTH, Swizzle128>,
    c: &mut TensorMapMut<bf16, 64, 64, Swizzle128>,
    steps: u32,
    down: u32,
    across: u32,
) {
    let rows = shared!(Stages<bf16, BOX, DEPTH, STAGES, Swizzle128>);
    let cols = shared!(Stages<bf16, COLS, DEPTH, STAGES, Swizzle128>);
    let out = shared!(Stages<bf16, 64, 64, 4, Swizzle128>);
    let full = shared!([Barrier; STAGES]);
    let empty = shared!([Barrier; STAGES]);
    let t = thread_idx().x;
    if t == 0 {
        for stage in 0..STAGES {
            full[stage].init(1);
            empty[stage].init(4);
        }
        fence_mbarrier_init();
    }
    cluster_sync();

    let rank = cluster_block_rank();
    let (first_tile, apart) = (block_idx().x / 2, grid_dim().x as usize / 2);
    let group = warpgroup_id() as usize;
    let mut step = 0usize;
    if group == 2 {
        setmaxnreg_dec::<40>();
        if t == 256 {
            // A stage is free before it is filled for the first time.
            let mut free = Phase::passed();
            let mut back = false;
            for tile in (first_tile..down * across).step_by(apart) {
                let [row, col] = tile_at(tile, down, across);
                for s in 0..steps {
                    let stage = step % STAGES;
                    let k = if back { steps - 1 - s } else { s } * DEPTH as u32;
                    empty[stage].wait_for(free);
                    full[stage].expect(STAGE);
                    tma_load(rows.tile(stage), a, [row + rank * BOX as u32, k], &full[stage]);
                    let half = cols.tile(stage).rows::<BOX>(rank as usize * BOX);
                    tma_load_multicast(half, b, [col + rank * BOX as u32, k], &full[stage], 0b11);
                    if stage == STAGES - 1 {
                        free = free.next();
                    }
                    step += 1;
                }
                back = !back;
            }
        }
    } else {
        setmaxnreg_inc::<232>();
        let place = t % 128;
        let mut filled = Phase::first();
        for tile in (first_tile..down * across).step_by(apart) {
            let mut sums = Accumulator::<f32, { COLS / 8 }>::zero();
            for s in 0..steps {
                let stage = step % STAGES;
                full[stage].wait_for(filled);
                sums.start_abt(rows.tile(stage), group * 64, cols.tile(stage), true);
                // The products of the stage before are done: both blocks may fill it again.
                wgmma_wait::<1>();
                if place < 2 && s > 0 {
                    empty[(step + STAGES - 1) % STAGES].arrive_at(place);
                }
                if stage == STAGES - 1 {
                    filled = filled.next();
                }
                step += 1;
            }
            sums.finish();
            if place < 2 {
                empty[(step + STAGES - 1) % STAGES].arrive_at(place);
            }
            let [row, col] = tile_at(tile, down, across);
            #[unroll]
            for part in 0..4usize {
                let staged = out.tile(group * 2 + part % 2);
                // The store before the last no longer reads its tile.
                if place == 0 {
                    bulk_wait_read::<1>();
                }
                named_barrier_sync(1 + group as u32, 128);
                sums.store_tile(staged, part * 64, |sum| sum.cast::<bf16>());
                fence_proxy_async();
                named_barrier_sync(1 + group as u32, 128);
                if place == 0 {
                    let of_group = rank * BOX as u32 + group as u32 * 64;
                    tma_store(c, [row + of_group, col + part as u32 * 64], staged);
                    bulk_commit();
                }
            }
        }
        if place == 0 {
            bulk_wait_read::<0>();
        }
    }
    // No block ends while the other may arrive at its barriers.
    cluster_sync();
}
