//! Attention for compute capability 9.0: the scores of the next keys are computed while the previous scores weight their
//! values.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Panels, across_rows};

/// Queries of a block, 64 of each of two warpgroups, and keys of a step: the number of tokens is a multiple of it.
pub const ROWS: usize = 128;
/// Threads of a block: two warpgroups multiply, and one starts copies of tiles.
pub const THREADS: u32 = 384;

/// Numbers of the block's barriers at which the two warpgroups meet in turns.
const TURN: u32 = 1;
/// Numbers of the barriers at which each warpgroup meets alone.
const GROUP: u32 = 3;

/// The keys of a step, or their values.
#[derive(Stage)]
struct Tokens<'a, const D: usize> {
    rows: Tile<'a, bf16, ROWS, D, Panels<ROWS>>,
}

/// The heads of all sequences, one after another.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Heads {
    /// Heads of queries.
    pub count: u32,
    /// Heads of queries that share a head of keys.
    pub sharing: u32,
    /// Heads that blocks work on at the same time; the L2 cache keeps their keys and values.
    pub near: u32,
    /// Tokens of a head, a multiple of [`ROWS`].
    pub tokens: u32,
}

#[gpu_impl]
impl Heads {
    /// Tiles of queries of a head.
    fn tiles(self) -> u32 {
        self.tokens / ROWS as u32
    }

    /// The head, and the tile within it, of tile `i` of all. The last queries, which have the most keys, come first.
    fn tile_at(self, i: u32) -> [u32; 2] {
        let first = i / (self.near * self.tiles()) * self.near;
        let heads = (self.count - first).min(self.near);
        let within = i - first * self.tiles();
        [first + within % heads, self.tiles() - 1 - within / heads]
    }
}

/// A thread's intermediate results for its two rows.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Rows {
    /// The largest score.
    top: [f32; 2],
    /// The thread's part of the sum of weights.
    sum: [f32; 2],
}

#[gpu_impl]
impl Rows {
    /// Replaces scores by their weights, `2^(scale * (score - top))`. Returns the factors for earlier weights.
    fn weigh(&mut self, scores: &mut Accumulator<f32, ROWS>, scale: f32) -> [f32; 2] {
        let most = scores.row_max();
        let mut shrink = [0.0f32; 2];
        let mut shift = [0.0f32; 2];
        #[unroll]
        for i in 0..2usize {
            let top = self.top[i].max(most[i]);
            shrink[i] = fast_exp2((self.top[i] - top) * scale);
            shift[i] = top * scale;
            self.top[i] = top;
            self.sum[i] *= shrink[i];
        }
        scores.map_rows(shift, |score, shift| fast_exp2(score.mul_add(scale, -shift)));
        self.sum = scores.fold_rows(self.sum, |sum, weight| sum + weight);
        shrink
    }
}

/// `out = softmax(scale * q * kᵀ) * v` for each head; if `CAUSAL`, without the keys after each query. `q`, `o`: `[heads *
/// tokens, D]`; `k`, `v`: the same for heads of keys; `lse`: the logarithm of the sum of `e^(scale * q * kᵀ)` for each
/// query. `D` is 64 or 128, and `scale` is positive.
///
/// The grid has one block for each multiprocessor. Each block takes the next tile of queries from `next`, which is 0 before
/// and after a launch. While one warpgroup of a block computes weights, the other one multiplies. Within a warpgroup, the
/// next scores are computed at the same time.
#[gpu_kernel(warpgroups(240, 240, 24), require(async_wgmma, no_spills))]
pub fn attention<const D: usize, const CAUSAL: bool>(
    q: &TensorMap<bf16, ROWS, 64, Swizzle128>,
    k: &TensorMap<bf16, ROWS, 64, Swizzle128>,
    v: &TensorMap<bf16, ROWS, 64, Swizzle128>,
    o: &mut TensorMapMut<bf16, 64, 64, Swizzle128>,
    lse: &mut [f32],
    next: &mut [u32],
    heads: Heads,
    scale: f32,
) {
    let keys = shared!(Pipeline<Tokens<D>, 2, 2>);
    let values = shared!(Pipeline<Tokens<D>, 2, 2>);
    let queries = shared!(Tile<bf16, ROWS, D, Panels<ROWS>>);
    let weighted = shared!(Tile<bf16, ROWS, D, Panels<ROWS>>);
    let mut tile_of = shared!([u32; 1]);
    let full = shared!(Barrier);
    let empty = shared!(Barrier);
    if thread_idx().x == 0 {
        full.init(1);
        empty.init(256);
        fence_mbarrier_init();
    }
    sync_threads();

    let tiles = heads.count * heads.tiles();
    let group = warpgroup_id();
    if group == 2 {
        registers::<24>();
        if thread_idx().x == 256 {
            let (mut load_keys, mut load_values) = (keys.producer(), values.producer());
            let mut free = Phase::passed();
            loop {
                let tile = atomic_add(&mut next[0], 1);
                empty.wait_for(free);
                free = free.next();
                tile_of[0] = tile;
                if tile >= tiles {
                    // The last block that finds no tile resets `next` for the next launch.
                    if tile == tiles + grid_dim().x - 1 {
                        atomic_exchange(&mut next[0], 0);
                    }
                    full.arrive();
                    break;
                }
                let [head, row] = heads.tile_at(tile);
                full.expect((ROWS * D * size_of::<bf16>()) as u32);
                let steps = if CAUSAL { row + 1 } else { heads.tiles() };
                #[unroll]
                for i in 0..D / 64 {
                    let from = (head * heads.tiles() + row) * ROWS as u32;
                    tma_load(queries.panel::<64>(i), q, [from, i as u32 * 64], full);
                }
                for step in (0..steps).rev() {
                    let from = (head / heads.sharing * heads.tiles() + step) * ROWS as u32;
                    let slot = load_keys.acquire();
                    #[unroll]
                    for i in 0..D / 64 {
                        slot.load(slot.tiles().rows.panel::<64>(i), k, [from, i as u32 * 64]);
                    }
                    load_keys.commit(slot);
                    let slot = load_values.acquire();
                    #[unroll]
                    for i in 0..D / 64 {
                        slot.load(slot.tiles().rows.panel::<64>(i), v, [from, i as u32 * 64]);
                    }
                    load_values.commit(slot);
                }
            }
        }
    } else {
        registers::<240>();
        let place = thread_idx().x % 128;
        let mine = queries.rows::<64>(group as usize * 64);
        let staged = weighted.rows::<64>(group as usize * 64);
        let scale = scale * core::f32::consts::LOG2_E;
        let (mut with_keys, mut with_values) = (keys.consumer(), values.consumer());
        let mut filled = Phase::first();
        // The first warpgroup begins.
        if group == 1 {
            named_barrier_arrive(TURN, 256);
        }
        loop {
            full.wait_for(filled);
            filled = filled.next();
            let tile = tile_of[0];
            if tile >= tiles {
                break;
            }
            let [head, row] = heads.tile_at(tile);
            let steps = if CAUSAL { row + 1 } else { heads.tiles() };
            let first = group as usize * 64;
            let mut rows = Rows { top: [f32::NEG_INFINITY; 2], sum: [0.0; 2] };
            let mut out = Accumulator::<f32, D>::zero();
            let mut scores = Accumulator::<f32, ROWS>::zero();
            let stage = with_keys.wait();
            scores.mma_abt(mine, stage.tiles().rows, false);
            with_keys.release(stage);
            if CAUSAL {
                scores.map(|row, col, score| if col > first + row { f32::NEG_INFINITY } else { score });
            }
            let mut shrink = rows.weigh(&mut scores, scale);
            let mut weights = scores.to_operand::<bf16>();
            for _ in 1..steps {
                let stage = with_keys.wait();
                named_barrier_sync(TURN + group, 256);
                let mut scoring = scores.chain();
                scoring.start_abt(mine, stage.tiles().rows, false);
                out.scale_rows(shrink);
                let before = with_values.wait();
                let mut adding = out.chain();
                adding.start_rs_ab(&weights, before.tiles().rows, true);
                // The other warpgroup multiplies while this one computes weights.
                named_barrier_arrive(TURN + 1 - group, 256);
                scoring.finish_before::<1>();
                with_keys.release(stage);
                shrink = rows.weigh(&mut scores, scale);
                adding.finish();
                with_values.release(before);
                weights = scores.to_operand::<bf16>();
            }
            empty.arrive();
            out.scale_rows(shrink);
            let before = with_values.wait();
            let mut adding = out.chain();
            adding.start_rs_ab(&weights, before.tiles().rows, true);
            adding.finish();
            with_values.release(before);

            let sum = across_rows(rows.sum, |a, b| a + b);
            out.scale_rows([1.0 / sum[0], 1.0 / sum[1]]);
            let at = (head * heads.tiles() + row) * ROWS as u32 + group * 64;
            if place % 4 == 0 {
                #[unroll]
                for i in 0..2usize {
                    let of_row = at + place / 32 * 16 + place % 32 / 4 + i as u32 * 8;
                    let log2 = rows.top[i] * scale + fast_log2(sum[i]);
                    lse[of_row] = log2 * core::f32::consts::LN_2;
                }
            }
            // The store before no longer reads the tile.
            if place == 0 {
                bulk_wait_read::<0>();
            }
            named_barrier_sync(GROUP + group, 128);
            #[unroll]
            for i in 0..D / 64 {
                out.store_tile(staged.panel::<64>(i), i * 64, |x| x.cast::<bf16>());
            }
            fence_proxy_async();
            named_barrier_sync(GROUP + group, 128);
            if place == 0 {
                #[unroll]
                for i in 0..D / 64 {
                    tma_store(o, [at, i as u32 * 64], staged.panel::<64>(i));
                }
                bulk_commit();
            }
        }
        if group == 0 {
            named_barrier_sync(TURN, 256);
        }
        if place == 0 {
            bulk_wait_read::<0>();
        }
    }
}
