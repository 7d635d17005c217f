//! Attention of one query of each sequence to keys and values in pages: the memory's bandwidth limits it.
//!
//! Each warp of a block takes a few tokens at a time, and has its own ring of copies. The tensor cores multiply them with the queries of up
//! to 16 heads that share them.

use warpsmith::prelude::*;
use warpsmith::tensor::{Fragment, Panels, WarpAccumulator};
use warpsmith::tile::Stages;
use warpsmith::types::DeviceType;

use super::softmax::Rows;
use crate::products::TensorCoreElement;

/// Threads of a block.
pub const THREADS: u32 = 128;
/// Warps of a block.
const WARPS: usize = THREADS as usize / 32;
/// Heads of queries that a block takes.
pub const ROWS: usize = 16;
/// Steps of a warp's ring.
const STAGES: usize = 3;
/// Tiles of the rings of all warps.
const TILES: usize = WARPS * STAGES;
/// The most blocks that share a sequence.
pub const MOST_SPLITS: usize = 128;

/// Tokens of a step of a warp, for vectors of this size: short vectors need more of them for as many bytes.
pub const fn tokens(size: usize) -> usize {
    if size <= 64 { 32 } else { 16 }
}

/// Tokens of a step of a block.
pub const fn step(size: usize) -> usize {
    WARPS * tokens(size)
}

/// Elements of shared memory of a block, for vectors of this size.
pub const fn shared(size: usize) -> usize {
    (2 * TILES * tokens(size) + ROWS) * size
}

/// Bytes of the sums of warps and of blocks in shared memory, with one word for the last block.
pub const SHARED_SUMS: usize = (WARPS + 1) * ROWS * 8 + MOST_SPLITS * ROWS * 4 + 4;

/// Sequences of tokens in pages, and the heads of their last tokens.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Paged {
    /// Heads of queries.
    pub heads: u32,
    /// Heads of queries that share a head of keys and values.
    pub sharing: u32,
    /// Elements of a vector.
    pub size: u32,
    /// Tokens of a page.
    pub tokens: u32,
    /// Pages of all sequences.
    pub pages: u32,
    /// Pages of a sequence that the table has.
    pub columns: u32,
    /// Elements of the table from one sequence to the next.
    pub row_stride: usize,
    /// Elements from one sequence and head of queries to the next.
    pub q: [usize; 2],
    /// The same of results.
    pub o: [usize; 2],
    /// Elements from one page, head and token of keys to the next.
    pub k: [usize; 3],
    /// The same of values.
    pub v: [usize; 3],
    /// Blocks that share a sequence.
    pub splits: u32,
}

/// A block's share: consecutive tokens of a sequence, for heads of queries that share a head of keys.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Share {
    /// The sequence.
    sequence: u32,
    /// The head of keys.
    head: u32,
    /// The first head of queries, and their number.
    first: u32,
    rows: u32,
    /// The first token, and the one behind the last.
    from: u32,
    to: u32,
    /// Number of the share among those of the same sequence and heads, and number of these.
    split: u32,
    group: u32,
}

#[gpu_impl]
impl Paged {
    /// The share of block `i`. The blocks of a sequence divide it into whole steps, which have `step` tokens each.
    fn share_of(self, i: u32, lengths: &[u32], step: u32) -> Share {
        let groups = self.sharing.div_ceil(ROWS as u32);
        let (group, split) = (i / self.splits, i % self.splits);
        let (of_sequence, part) = (group / groups, group % groups);
        let heads = self.heads / self.sharing;
        let (sequence, head) = (of_sequence / heads, of_sequence % heads);
        let length = lengths[sequence];
        assert!(length <= self.columns * self.tokens, "a sequence has more tokens than its pages");
        let each = length.div_ceil(self.splits * step) * step;
        let from = (split * each).min(length);
        let rows = (self.sharing - part * ROWS as u32).min(ROWS as u32);
        let first = head * self.sharing + part * ROWS as u32;
        Share { sequence, head, first, rows, from, to: (from + each).min(length), split, group }
    }

    /// Stores element `col` of the result of a row of a share: the sum `x` of weighted values over that of weights.
    fn store<T: TensorCoreElement + DeviceType<Erased = T>>(
        self,
        o: &mut [T],
        share: Share,
        row: usize,
        col: usize,
        x: f32,
        weights: f32,
    ) {
        if col < self.size as usize {
            let to = share.sequence as usize * self.o[0] + (share.first as usize + row) * self.o[1] + col;
            o[to] = if weights == 0.0 { T::ZERO } else { (x / weights).cast::<T>() };
        }
    }

    /// The page of a token, and the token's place in it.
    fn page_of(self, table: &[u32], sequence: u32, token: u32) -> [u32; 2] {
        let page = table[sequence as usize * self.row_stride + (token / self.tokens) as usize];
        assert!(page < self.pages, "the table of pages names one that is not there");
        [page, token % self.tokens]
    }
}

/// A row's largest score, and the sum of its weights.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Sum {
    top: f32,
    weights: f32,
}

#[gpu_impl]
impl Sum {
    /// The sum of no weights.
    fn nothing() -> Sum {
        Sum { top: f32::NEG_INFINITY, weights: 0.0 }
    }

    /// Both sums together.
    fn and(self, other: Sum, scale: f32) -> Sum {
        let top = self.top.max(other.top);
        let weights = other.weights * factor(other.top, top, scale);
        Sum { top, weights: self.weights.mul_add(factor(self.top, top, scale), weights) }
    }
}

/// The sum of the sums of eight neighbouring lanes.
#[gpu_fn]
fn joined(sum: Sum, scale: f32) -> Sum {
    let mut all = sum;
    #[unroll]
    for i in 0..3u32 {
        let other = Sum { top: shfl_xor(all.top, 1 << i), weights: shfl_xor(all.weights, 1 << i) };
        all = all.and(other, scale);
    }
    all
}

/// A copy of 16 bytes.
#[gpu_fn]
fn copy<T: TensorCoreElement + DeviceType<Erased = T>>(to: *mut T, from: *const T) {
    let (to, from) = (to as *mut U32x4, from as *const U32x4);
    unsafe { copy_async(&mut *to, &*from) }
}

/// Starts the copies of a warp's tokens, of which lane `l` knows the place of token `l % TOKENS`.
#[gpu_fn]
fn load<T: TensorCoreElement + DeviceType<Erased = T>, const D: usize, const TOKENS: usize>(
    k: &[T],
    v: &[T],
    mut keys: Tile<T, TOKENS, D, Panels<TOKENS>>,
    mut values: Tile<T, TOKENS, D, Panels<TOKENS>>,
    [page, within]: [u32; 2],
    head: u32,
    at: Paged,
) {
    let lane = lane_id() as usize;
    #[unroll]
    for i in 0..TOKENS * D / 256 {
        let unit = i * 32 + lane;
        let (row, col) = (unit / (D / 8), unit % (D / 8) * 8);
        let (page, within) = (shfl(page, row as u32) as usize, shfl(within, row as u32) as usize);
        if col < at.size as usize {
            let of_k = page * at.k[0] + head as usize * at.k[1] + within * at.k[2] + col;
            let of_v = page * at.v[0] + head as usize * at.v[1] + within * at.v[2] + col;
            copy::<T>(&mut keys[(row, col)] as *mut T, k.as_ptr().wrapping_add(of_k));
            copy::<T>(&mut values[(row, col)] as *mut T, v.as_ptr().wrapping_add(of_v));
        }
    }
}

/// `2^((top - most) * scale)`; zero for a `top` of negative infinity.
#[gpu_fn]
fn factor(top: f32, most: f32, scale: f32) -> f32 {
    if top == f32::NEG_INFINITY { 0.0 } else { fast_exp2((top - most) * scale) }
}

/// `o = softmax(scale * q * kᵀ) * v` of each sequence and head; `COLS` is `D / 8`. A warp takes `TOKENS` tokens at a time, and `SCORES` is
/// `TOKENS / 8`.
///
/// The grid has `splits` blocks for each head of keys, or for each 16 heads of queries that share it. Each stores its part in `partials`
/// and `tops`, and the last to arrive joins them. `arrived` has a counter for these heads, which is zero before and after.
#[gpu_kernel(launch_bounds(THREADS, 2))]
pub fn attention_to_pages<
    T: TensorCoreElement + DeviceType<Erased = T>,
    const D: usize,
    const COLS: usize,
    const TOKENS: usize,
    const SCORES: usize,
>(
    q: &[T],
    k: &[T],
    v: &[T],
    table: &[u32],
    lengths: &[u32],
    o: &mut [T],
    lse: &mut [f32],
    partials: &mut [f32],
    tops: &mut [Sum],
    arrived: &mut [u32],
    at: Paged,
    scale: f32,
) {
    let keys = shared!(Stages<T, TOKENS, D, TILES, Panels<TOKENS>>);
    let values = shared!(Stages<T, TOKENS, D, TILES, Panels<TOKENS>>);
    let mut queries = shared!(Tile<T, ROWS, D, Panels<ROWS>>);
    let mut of_warps = shared!([[Sum; ROWS]; WARPS]);
    let mut factors = shared!([[f32; ROWS]; MOST_SPLITS]);
    let mut totals = shared!([Sum; ROWS]);
    let mut is_last = shared!([u32; 1]);
    let thread = thread_idx().x as usize;
    let (warp, lane) = (thread / 32, thread % 32);
    let scale = scale * core::f32::consts::LOG2_E;
    let step = WARPS * TOKENS;
    let share = at.share_of(block_idx().x, lengths, step as u32);
    let size = at.size as usize;

    for i in (thread..ROWS * D).step_by(THREADS as usize) {
        let (row, col) = (i / D, i % D);
        let mut x = T::ZERO;
        if row < share.rows as usize && col < size {
            x = q[share.sequence as usize * at.q[0] + (share.first as usize + row) * at.q[1] + col];
        }
        queries[(row, col)] = x;
    }
    if size < D {
        // The copies leave out the columns behind a vector.
        for i in (thread..TILES * TOKENS * D).step_by(THREADS as usize) {
            let (tile, row, col) = (i / (TOKENS * D), i / D % TOKENS, i % D);
            if col >= size {
                let (mut of_keys, mut of_values) = (keys.tile(tile), values.tile(tile));
                of_keys[(row, col)] = T::ZERO;
                of_values[(row, col)] = T::ZERO;
            }
        }
    }
    sync_threads();

    let ring = warp * STAGES;
    let steps = (share.to - share.from).div_ceil(step as u32) as usize;
    let first = share.from as usize + warp * TOKENS;
    // Tokens behind the last are its copies, which have no weight.
    let place = |s: usize| {
        at.page_of(table, share.sequence, ((first + s * step + lane % TOKENS) as u32).min(share.to - 1))
    };
    let mut next = [0u32; 2];
    if steps > 0 {
        next = place(0);
    }
    for s in 0..STAGES - 1 {
        if s < steps {
            load::<T, D, TOKENS>(k, v, keys.tile(ring + s), values.tile(ring + s), next, share.head, at);
            next = place(s + 1);
        }
        copy_async_commit();
    }
    let mut rows = Rows::new();
    let mut out = WarpAccumulator::<f32, 1, COLS>::zero();
    for s in 0..steps {
        copy_async_wait::<1>();
        // All lanes have what this step reads, and have read what the next copies overwrite.
        sync_warp();
        let ahead = s + STAGES - 1;
        if ahead < steps {
            let to = ring + ahead % STAGES;
            load::<T, D, TOKENS>(k, v, keys.tile(to), values.tile(to), next, share.head, at);
            next = place(ahead + 1);
        }
        copy_async_commit();
        let (of_keys, of_values) = (keys.tile(ring + s % STAGES), values.tile(ring + s % STAGES));
        let mut scores = WarpAccumulator::<f32, 1, SCORES>::zero();
        #[unroll]
        for i in 0..D / 16 {
            scores.mma(&queries.operand_a::<1>(0, i * 16), &of_keys.operand_bt::<SCORES>(0, i * 16));
        }
        let here = first + s * step;
        if here + TOKENS > share.to as usize {
            scores.map(|_, c, score| if here + c < share.to as usize { score } else { f32::NEG_INFINITY });
        }
        let shrink = rows.weigh(&mut scores, scale);
        if any_sync(u32::MAX, shrink[0] < 1.0 || shrink[1] < 1.0) {
            out.map_rows([shrink], |x, shrink| x * shrink);
        }
        #[unroll]
        for i in 0..TOKENS / 16 {
            out.mma(&scores.to_operand::<T>(i * 16), &of_values.operand_b::<COLS>(i * 16, 0));
        }
    }

    // Sums take the place of the keys that the warp has read.
    sync_warp();
    let [top, sum] = rows.parts();
    if lane % 4 == 0 {
        of_warps[warp][lane / 4] = Sum { top: top[0], weights: sum[0] };
        of_warps[warp][lane / 4 + 8] = Sum { top: top[1], weights: sum[1] };
    }
    let mut own = keys.tile(ring);
    let mine = &mut own[(0usize, 0usize)] as *mut T as *mut f32;
    out.store(unsafe { ViewMut2::from_raw_parts(mine, ROWS, D, D) }, 0, 0, |x| x);
    sync_threads();
    // Eight lanes join the sums of a row.
    let (row, part) = (thread / 8, thread % 8);
    let of_warp = if part < WARPS { of_warps[part % WARPS][row] } else { Sum::nothing() };
    let of_row = joined(of_warp, scale);
    if part < WARPS {
        factors[part][row] = factor(of_warp.top, of_row.top, scale);
    }
    if part == 0 {
        totals[row] = of_row;
    }
    sync_threads();
    let elements = share.rows as usize * D;
    let of_block = block_idx().x as usize * ROWS * D;
    for i in (thread..elements).step_by(THREADS as usize) {
        let mut x = 0.0f32;
        #[unroll]
        for w in 0..WARPS {
            let mut of_warp = keys.tile(w * STAGES);
            let of_warp = &mut of_warp[(0usize, 0usize)] as *mut T as *const f32;
            x = unsafe { *of_warp.wrapping_add(i) }.mul_add(factors[w][i / D], x);
        }
        if at.splits == 1 {
            at.store::<T>(o, share, i / D, i % D, x, totals[i / D].weights);
        } else {
            partials[of_block + i] = x;
        }
    }
    if at.splits > 1 {
        if part == 0 {
            tops[block_idx().x as usize * ROWS + row] = of_row;
        }
        sync_threads();
        if thread == 0 {
            let before = atomic(&mut arrived[share.group]).fetch_inc(at.splits - 1, Ordering::AcqRel);
            is_last[0] = (before == at.splits - 1) as u32;
        }
        sync_threads();
        if uniform(is_last[0]) == 0 {
            return;
        }
        let group = share.group as usize * at.splits as usize;
        let mut all = Sum::nothing();
        for s in (part..at.splits as usize).step_by(8) {
            all = all.and(tops[(group + s) * ROWS + row], scale);
        }
        all = joined(all, scale);
        for s in (part..at.splits as usize).step_by(8) {
            factors[s][row] = factor(tops[(group + s) * ROWS + row].top, all.top, scale);
        }
        if part == 0 {
            totals[row] = all;
        }
        sync_threads();
        for i in (thread..elements).step_by(THREADS as usize) {
            let from = group * ROWS * D + i;
            // Four loads at a time.
            let mut parts = [0.0f32; 4];
            for s in (0..at.splits as usize).step_by(4) {
                #[unroll]
                for j in 0..4usize {
                    if s + j < at.splits as usize {
                        parts[j] =
                            partials[from + (s + j) * ROWS * D].mul_add(factors[s + j][i / D], parts[j]);
                    }
                }
            }
            let x = parts[0] + parts[1] + (parts[2] + parts[3]);
            at.store::<T>(o, share, i / D, i % D, x, totals[i / D].weights);
        }
    }
    if part == 0 && row < share.rows as usize && !lse.is_empty() {
        let Sum { top, weights } = totals[row];
        let log2 = top.mul_add(scale, fast_log2(weights));
        lse[share.sequence as usize * at.heads as usize + share.first as usize + row] =
            log2 * core::f32::consts::LN_2;
    }
}
