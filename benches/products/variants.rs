//! Variants of `gemm_sm90` that are timed beside it.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

/// Rows and columns of `c` that a cluster of two blocks computes.
const TILE: usize = 256;
/// Columns of `a` that a stage holds: rows of 128 bytes.
const DEPTH: usize = 64;
/// Stages of the ring.
const STAGES: u32 = 4;
/// Rows of `a` of a block, and columns of `c` of which it loads `b`, for both.
const BOX: usize = 128;
/// Bytes of a stage.
const STAGE: u32 = ((BOX + TILE) * DEPTH * size_of::<bf16>()) as u32;
/// Rows of tiles that blocks work on at a time, which the L2 cache keeps.
const BAND: u32 = 8;

/// Down each column of a band.
pub const DOWN: u32 = 0;
/// The same, odd bands from the right.
pub const SERPENTINE: u32 = 1;
/// Clusters that are eight apart, which are near each other on the chip, have patches of 4 × 2 tiles.
pub const PATCHES: u32 = 2;
/// Along eight columns of each row of a band.
pub const ALONG: u32 = 3;

/// Row and column of the first element of tile `i` of `down` × `across`.
#[gpu_fn]
fn tile_at<const ORDER: u32>(i: u32, down: u32, across: u32) -> [u32; 2] {
    let band = i / (BAND * across);
    let rows = (down - band * BAND).min(BAND);
    let within = i % (BAND * across);
    let (mut row, mut col) = (within % rows, within / rows);
    if ORDER == SERPENTINE && band % 2 == 1 {
        col = across - 1 - col;
    }
    if ORDER >= PATCHES && rows == 8 && across & 7 == 0 {
        let (near, far) = (within % 8, within / 8 % 8);
        if ORDER == PATCHES {
            row = near / 4 * 4 + far % 4;
            col = within / 64 * 8 + near % 4 * 2 + far / 4;
        } else {
            row = far;
            col = within / 64 * 8 + near;
        }
    }
    [(band * BAND + row) * TILE as u32, col * TILE as u32]
}

/// Two elements of 16 bits in a register, the first in its low half.
#[gpu_fn]
fn pair(low: f32, high: f32) -> u32 {
    bf16::from_f32(low).to_bits() as u32 | (bf16::from_f32(high).to_bits() as u32) << 16
}

/// Stores columns `first` to `first + 64` of packed sums to a tile.
#[gpu_fn]
fn fill(packed: &[[u32; 2]; 32], first: usize, to: Tile<bf16, 64, 64, Swizzle128>, place: u32) {
    let (row, col) = ((place / 32 * 16 + place % 16) as usize, (place % 32 / 16 * 8) as usize);
    let mut to = to;
    #[unroll]
    for h in 0..4usize {
        let at = first / 8 + 2 * h;
        let halves = [packed[at][0], packed[at][1], packed[at + 1][0], packed[at + 1][1]];
        stmatrix_x4(&mut to[(row, col + 16 * h)], halves);
    }
}

/// `gemm_sm90`, whose sums are packed to elements, and stored while the next tile is multiplied (`LATE`); `b` is `[k, n]` if
/// `TURNED`. `HALF` are rows of a box of `b`: 128, or 64 if `TURNED`. `EARLY` lets the next launch begin before this one ends.
#[gpu_kernel(launch_bounds(384, 1), cluster(2), require(async_wgmma, no_spills))]
pub fn variant<
    const ORDER: u32,
    const LATE: bool,
    const EARLY: bool,
    const TURNED: bool,
    const HALF: usize,
>(
    a: &TensorMap<bf16, BOX, DEPTH, Swizzle128>,
    b: &TensorMap<bf16, HALF, DEPTH, Swizzle128>,
    c: &mut TensorMapMut<bf16, 64, 64, Swizzle128>,
    steps: u32,
    down: u32,
    across: u32,
) {
    let rows = shared!(Stages<bf16, BOX, DEPTH, 4, Swizzle128>);
    let cols = shared!(Stages<bf16, TILE, DEPTH, 4, Swizzle128>);
    let out = shared!(Stages<bf16, 64, 64, 4, Swizzle128>);
    let full = shared!([Barrier; 4]);
    let empty = shared!([Barrier; 4]);
    let t = thread_idx().x;
    if t == 0 {
        for stage in 0..STAGES {
            full[stage].init(1);
            empty[stage].init(4);
        }
        fence_mbarrier_init();
    }
    cluster_sync();
    if EARLY {
        launch_dependents();
    }

    let rank = cluster_block_rank();
    let (first_tile, apart) = (block_idx().x / 2, grid_dim().x as usize / 2);
    let group = warpgroup_id();
    let mut stage = 0u32;
    if group == 2 {
        setmaxnreg_dec::<40>();
        if t == 256 {
            if EARLY {
                grid_dependency_wait();
            }
            let mut free = Phase::passed();
            let mut back = false;
            for tile in (first_tile..down * across).step_by(apart) {
                let [row, col] = tile_at::<ORDER>(tile, down, across);
                let (row, col) = (row + rank * BOX as u32, col + rank * BOX as u32);
                for s in 0..steps {
                    let k = if back { steps - 1 - s } else { s } * DEPTH as u32;
                    empty[stage].wait_for(free);
                    full[stage].expect(STAGE);
                    tma_load(rows.tile(stage as usize), a, [row, k], &full[stage]);
                    #[unroll]
                    for part in 0..128 / HALF {
                        let half = cols.tile(stage as usize).rows::<HALF>(rank as usize * BOX + part * HALF);
                        let at = if TURNED {
                            [k, col + 64 * part as u32]
                        } else {
                            [col + (HALF * part) as u32, k]
                        };
                        tma_load_multicast(half, b, at, &full[stage], 0b11);
                    }
                    stage += 1;
                    if stage == STAGES {
                        stage = 0;
                        free = free.next();
                    }
                }
                back = !back;
            }
        }
    } else {
        setmaxnreg_inc::<232>();
        let place = t % 128;
        let second = 2.min(steps - 1);
        let mut filled = Phase::first();
        let mut sums = [[0.0f32; 4]; 32];
        let mut packed = [[0u32; 2]; 32];
        let mut at = [0u32; 2];
        let mut waits = false;
        let mut store = |packed: &[[u32; 2]; 32], at: [u32; 2], half: usize| {
            if place == 0 {
                bulk_wait_read::<0>();
            }
            named_barrier_sync(1 + group, 128);
            #[unroll]
            for part in 0..2usize {
                fill(packed, half * 128 + part * 64, out.tile(group as usize * 2 + part), place);
            }
            fence_proxy_async();
            named_barrier_sync(1 + group, 128);
            if place == 0 {
                #[unroll]
                for part in 0..2usize {
                    let col = at[1] + (half * 128 + part * 64) as u32;
                    tma_store(c, [at[0], col], out.tile(group as usize * 2 + part));
                }
                bulk_commit();
            }
        };
        for tile in (first_tile..down * across).step_by(apart) {
            for s in 0..steps {
                full[stage].wait_for(filled);
                let left =
                    matrix_descriptor(&rows.tile(stage as usize)[(group as usize * 64, 0)], 16, 1024, 1);
                let apart = if TURNED { 8192 } else { 16 };
                let right = matrix_descriptor(&cols.tile(stage as usize)[(0, 0)], apart, 1024, 1);
                wgmma_fence();
                #[unroll]
                for k in 0..4u64 {
                    let along = if TURNED { 128 * k } else { 2 * k };
                    wgmma::<bf16, 32, false, TURNED>(&mut sums, left + 2 * k, right + along, s > 0 || k > 0);
                }
                wgmma_commit();
                if LATE && waits && s == 0 {
                    store(&packed, at, 0);
                }
                if LATE && waits && s == second {
                    store(&packed, at, 1);
                }
                // The products of the stage before are done: both blocks may fill it again.
                wgmma_wait::<1>();
                if place < 2 && s > 0 {
                    empty[(stage + STAGES - 1) % STAGES].arrive_at(place);
                }
                stage += 1;
                if stage == STAGES {
                    stage = 0;
                    filled = filled.next();
                }
            }
            wgmma_wait::<0>();
            if place < 2 {
                empty[(stage + STAGES - 1) % STAGES].arrive_at(place);
            }
            #[unroll]
            for j in 0..32usize {
                packed[j] = [pair(sums[j][0], sums[j][1]), pair(sums[j][2], sums[j][3])];
            }
            let [row, col] = tile_at::<ORDER>(tile, down, across);
            at = [row + rank * BOX as u32 + group * 64, col];
            waits = true;
            if !LATE {
                store(&packed, at, 0);
                store(&packed, at, 1);
            }
        }
        if LATE && waits {
            store(&packed, at, 0);
            store(&packed, at, 1);
        }
        if place == 0 {
            bulk_wait_read::<0>();
        }
    }
    // No block ends while the other may arrive at its barriers.
    cluster_sync();
}
