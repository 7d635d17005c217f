//! A product of matrices as compute capability 9.0 does it: the copy engine fills a ring of tiles, warpgroups multiply them.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::Accumulator;

/// Rows of `c` that a block computes, 64 by each of two warpgroups.
pub const ROWS: usize = 128;
/// Columns of `c` that a block computes.
pub const COLS: usize = 256;
/// Columns of `a` and `b` that a stage holds: rows of 128 bytes.
pub const DEPTH: usize = 64;
/// Threads of a block: two warpgroups multiply, one lets tiles be copied.
pub const THREADS: u32 = 384;

/// Blocks of a launch on an H100 or H200, fewer than its 132 multiprocessors: powers of two divide large products evenly.
pub const BLOCKS: u32 = 128;

/// Stages of the ring.
const STAGES: usize = 4;
/// Rows of tiles that blocks work on at a time, which the L2 cache keeps.
const BAND: u32 = 8;
/// Bytes of a stage.
const STAGE: u32 = ((ROWS + COLS) * DEPTH * size_of::<bf16>()) as u32;

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
/// The grid has at most as many blocks as multiprocessors, as [`BLOCKS`]: a block computes every `grid`-th tile. One thread keeps the ring filled;
/// `full` tells that a stage has come, `empty` that both warpgroups have multiplied it. While the sums of a tile are stored by
/// the copy engine, the stages of the next one come.
#[gpu_kernel(launch_bounds(384, 1), require(async_wgmma, no_spills))]
pub fn gemm_sm90(
    a: &TensorMap<bf16, ROWS, DEPTH, Swizzle128>,
    b: &TensorMap<bf16, COLS, DEPTH, Swizzle128>,
    c: &mut TensorMapMut<bf16, 64, 64, Swizzle128>,
    steps: u32,
    down: u32,
    across: u32,
) {
    let rows = shared!(Stages<bf16, ROWS, DEPTH, STAGES, Swizzle128>);
    let cols = shared!(Stages<bf16, COLS, DEPTH, STAGES, Swizzle128>);
    let out = shared!(Stages<bf16, 64, 64, 4, Swizzle128>);
    let full = shared!([Barrier; STAGES]);
    let empty = shared!([Barrier; STAGES]);
    let t = thread_idx().x;
    if t == 0 {
        for stage in 0..STAGES {
            full[stage].init(1);
            empty[stage].init(2);
        }
        fence_mbarrier_init();
    }
    sync_threads();

    let group = warpgroup_id() as usize;
    let mut step = 0usize;
    if group == 2 {
        if t == 256 {
            // A stage is free before it was ever filled.
            let mut free = Phase::passed();
            for tile in (block_idx().x..down * across).step_by(grid_dim().x as usize) {
                let [row, col] = tile_at(tile, down, across);
                for s in 0..steps {
                    let stage = step % STAGES;
                    empty[stage].wait_for(free);
                    full[stage].expect(STAGE);
                    tma_load(rows.tile(stage), a, [row, s * DEPTH as u32], &full[stage]);
                    tma_load(cols.tile(stage), b, [col, s * DEPTH as u32], &full[stage]);
                    if stage == STAGES - 1 {
                        free = free.next();
                    }
                    step += 1;
                }
            }
        }
    } else {
        let first = t % 128 == 0;
        let mut filled = Phase::first();
        for tile in (block_idx().x..down * across).step_by(grid_dim().x as usize) {
            let mut sums = Accumulator::<f32, { COLS / 8 }>::zero();
            for s in 0..steps {
                let stage = step % STAGES;
                full[stage].wait_for(filled);
                sums.start_abt(rows.tile(stage), group * 64, cols.tile(stage), true);
                // The products of the stage before are done.
                wgmma_wait::<1>();
                if first && s > 0 {
                    empty[(step + STAGES - 1) % STAGES].arrive();
                }
                if stage == STAGES - 1 {
                    filled = filled.next();
                }
                step += 1;
            }
            sums.finish();
            if first {
                empty[(step + STAGES - 1) % STAGES].arrive();
            }
            let [row, col] = tile_at(tile, down, across);
            #[unroll]
            for part in 0..4usize {
                let staged = out.tile(group * 2 + part % 2);
                // The store before the last no longer reads its tile.
                if first {
                    bulk_wait_read::<1>();
                }
                named_barrier_sync(1 + group as u32, 128);
                sums.store_tile(staged, part * 64, |sum| bf16::from_f32(sum));
                fence_proxy_async();
                named_barrier_sync(1 + group as u32, 128);
                if first {
                    tma_store(c, [row + group as u32 * 64, col + part as u32 * 64], staged);
                    bulk_commit();
                }
            }
        }
        if first {
            bulk_wait_read::<0>();
        }
    }
}
