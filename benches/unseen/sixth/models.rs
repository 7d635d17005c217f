//! Language models: numbers in blocks of few bits, sorted rows, and a sample of the likeliest.

use warpsmith::prelude::*;

use crate::ground::{Compared, Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "models",
    originals: include_str!("models.cu"),
    kernels: &[
        Unseen {
            name: "quantize_q8",
            class: "blocks of 32 in structs, shuffles, i32",
            make: quantize_q8_trial,
        },
        Unseen {
            name: "dequantize_q4k",
            class: "packed scales and nibbles in structs, i32",
            make: dequantize_q4k_trial,
        },
        Unseen {
            name: "mul_q4_q8",
            class: "row a warp, zipped structs, methods, usize",
            make: mul_q4_q8_trial,
        },
        Unseen {
            name: "argsort_rows",
            class: "bitonic network, dynamic shared, i32",
            make: argsort_rows_trial,
        },
        Unseen { name: "top_p", class: "row a block, closures, filters, usize", make: top_p_trial },
    ],
};

/// 32 numbers as bytes: a byte stands for itself times `d`. `s` is the sum of the numbers.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct BlockQ8 {
    d: f32,
    s: f32,
    qs: [i8; 32],
}

impl Compared for BlockQ8 {
    const POISON: Self = Self { d: f32::POISON, s: f32::POISON, qs: <[i8; 32]>::POISON };

    fn is_near(&self, want: &Self, tolerance: f64) -> bool {
        self.d.is_near(&want.d, 0.0) && self.s.is_near(&want.s, tolerance) && self.qs.is_near(&want.qs, 0.0)
    }
}

/// Rows as blocks of bytes, padded by zeros; a warp has a block.
#[gpu_kernel]
fn quantize_q8(x: &[f32], y: &mut [BlockQ8], kx: i32, kx_padded: i32) {
    let ix = (block_dim().x * block_idx().x + thread_idx().x) as i32;
    if ix >= kx_padded {
        return;
    }
    let iy = (block_dim().y * block_idx().y + thread_idx().y) as i32;
    let i_padded = iy * kx_padded + ix;
    let ib = i_padded / 32;
    let iqs = i_padded % 32;
    let xi = if ix < kx { x[iy * kx + ix] } else { 0.0 };
    let mut amax = xi.abs();
    let mut sum = xi;
    for mask in [16, 8, 4, 2, 1] {
        amax = amax.max(shfl_xor(amax, mask));
        sum += shfl_xor(sum, mask);
    }
    let d = amax / 127.0;
    let q = if amax == 0.0 { 0 } else { (xi / d).round() as i8 };
    y[ib].qs[iqs] = q;
    if iqs > 0 {
        return;
    }
    y[ib].d = d;
    y[ib].s = sum;
}

fn quantize_q8_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, kx, kx_padded] = ground.pick([3, 150, 192], [4096, 8190, 8192]);
    let x = ground.floats(rows * kx);
    let dx = ground.up(&x)?;
    let want = move |at: usize| {
        let (row, first) = (at * 32 / kx_padded, at * 32 % kx_padded);
        let own: [f32; 32] =
            std::array::from_fn(|k| if first + k < kx { x[row * kx + first + k] } else { 0.0 });
        let d = own.iter().fold(0.0f32, |most, v| most.max(v.abs())) / 127.0;
        let sum: f64 = own.iter().map(|v| f64::from(*v)).sum();
        BlockQ8 { d, s: sum as f32, qs: own.map(|v| if d == 0.0 { 0 } else { (v / d).round() as i8 }) }
    };
    let mut y = ground.blank(rows * kx_padded / 32, near(1e-5, want))?;
    let grid = [kx_padded.div_ceil(128) as u32, rows as u32, 1];
    let shape = Shape::blocks(grid, [128, 1, 1]);
    let [kx, kx_padded] = [kx, kx_padded].map(|n| n as i32);
    trial!(
        ground,
        shape,
        quantize_q8(&dx, &mut y.memory, kx, kx_padded),
        original(&dx, &y.memory, kx, kx_padded),
        [y]
    )
}

/// 256 numbers of 4 bits, in eight parts with a scale and a least number of 6 bits each.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct BlockQ4K {
    d: f32,
    dmin: f32,
    scales: [u8; 12],
    qs: [u8; 128],
}

/// The scale and the least number of a part.
#[gpu_fn]
fn scale_min(j: i32, q: &[u8; 12]) -> (u8, u8) {
    if j < 4 {
        (q[j] & 63, q[j + 4] & 63)
    } else {
        ((q[j + 4] & 0xf) | ((q[j - 4] >> 6) << 4), (q[j + 4] >> 4) | ((q[j] >> 6) << 4))
    }
}

/// The numbers of blocks; 32 threads have a block.
#[gpu_kernel]
fn dequantize_q4k(x: &[BlockQ4K], y: &mut [f32]) {
    let i = block_idx().x as i32;
    let tid = thread_idx().x as i32;
    let il = tid / 8;
    let ir = tid % 8;
    let part = 2 * il;
    let n = 4;
    let to = i * 256 + 64 * il + n * ir;
    let q = 32 * il + n * ir;
    let dall = x[i].d;
    let dmin = x[i].dmin;
    let (sc, m) = scale_min(part, &x[i].scales);
    let d1 = dall * sc as f32;
    let m1 = dmin * m as f32;
    let (sc, m) = scale_min(part + 1, &x[i].scales);
    let d2 = dall * sc as f32;
    let m2 = dmin * m as f32;
    for l in 0..n {
        y[to + l] = d1 * (x[i].qs[q + l] & 0xf) as f32 - m1;
        y[to + l + 32] = d2 * (x[i].qs[q + l] >> 4) as f32 - m2;
    }
}

fn dequantize_q4k_trial(ground: &Ground) -> Result<Trial, Failure> {
    let count = ground.pick(5, 1 << 17);
    let block = |_| BlockQ4K {
        d: 0.01 + (ground.word() >> 56) as f32 / 1024.0,
        dmin: (ground.word() >> 56) as f32 / 1024.0,
        scales: std::array::from_fn(|_| (ground.word() >> 56) as u8),
        qs: std::array::from_fn(|_| (ground.word() >> 56) as u8),
    };
    let blocks: Vec<BlockQ4K> = (0..count).map(block).collect();
    let db = ground.up(&blocks)?;
    let want = move |at: usize| {
        let (b, k) = (&blocks[at / 256], at % 256);
        let part = k / 32;
        let byte = b.qs[k / 64 * 32 + k % 32];
        let q = if part % 2 == 0 { byte & 15 } else { byte >> 4 };
        // The low four bits of the last four parts are in the last four bytes, their high two bits above the first.
        let six = |first: usize, shift: u8| match part {
            0..4 => b.scales[first + part] & 63,
            _ => (b.scales[part + 4] >> shift & 15) + (b.scales[first + part - 4] >> 6) * 16,
        };
        let (scale, least) = (f64::from(six(0, 0)), f64::from(six(4, 4)));
        (f64::from(b.d) * scale * f64::from(q) - f64::from(b.dmin) * least) as f32
    };
    let mut y = ground.blank(256 * count, near(1e-4, want))?;
    let shape = Shape::blocks([count as u32, 1, 1], [32, 1, 1]);
    trial!(ground, shape, dequantize_q4k(&db, &mut y.memory), original(&db, &y.memory), [y])
}

/// 32 numbers of 4 bits: the first 16 in the low halves of bytes. A number of 8 stands for zero.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct BlockQ4 {
    d: f32,
    qs: [i32; 4],
}

/// As [`BlockQ8`], with four bytes in a word.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct WordsQ8 {
    d: f32,
    s: f32,
    qs: [i32; 8],
}

#[gpu_impl]
impl BlockQ4 {
    /// The product with as many numbers of 8 bits.
    fn dot(&self, other: &WordsQ8) -> f32 {
        let mut sum = 0;
        for (k, word) in self.qs.iter().enumerate() {
            sum = dp4a_s32(word & 0x0f0f_0f0f, other.qs[k], sum);
            sum = dp4a_s32((word >> 4) & 0x0f0f_0f0f, other.qs[k + 4], sum);
        }
        self.d * (sum as f32 * other.d - 8.0 * other.s)
    }
}

/// Products of rows of blocks with a vector; a warp has a row.
#[gpu_kernel]
fn mul_q4_q8(weights: &[BlockQ4], x: &[WordsQ8], out: &mut [f32]) {
    let row = global_id() / 32;
    if row >= out.len() {
        return;
    }
    let lane = lane_id() as usize;
    let blocks = &weights[row * x.len()..][..x.len()];
    let mut sum: f32 = blocks.iter().zip(x).skip(lane).step_by(32).map(|(w, v)| w.dot(v)).sum();
    for by in [16, 8, 4, 2, 1] {
        sum += shfl_xor(sum, by);
    }
    if lane == 0 {
        out[row] = sum;
    }
}

fn mul_q4_q8_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, blocks] = ground.pick([5, 39], [16384, 256]);
    let word = || (ground.word() >> 32) as i32;
    let scale = || (ground.word() >> 56) as f32 / 4096.0;
    let weights: Vec<BlockQ4> =
        (0..rows * blocks).map(|_| BlockQ4 { d: scale(), qs: std::array::from_fn(|_| word()) }).collect();
    let vector = |_| {
        let (d, qs): (f32, [i32; 8]) = (scale(), std::array::from_fn(|_| word()));
        let sum: i32 = qs.iter().flat_map(|word| word.to_le_bytes()).map(|byte| i32::from(byte as i8)).sum();
        WordsQ8 { d, s: d * sum as f32, qs }
    };
    let x: Vec<WordsQ8> = (0..blocks).map(vector).collect();
    let (dw, dx) = (ground.up(&weights)?, ground.up(&x)?);
    let want = move |row: usize| {
        let mut sum = 0.0f64;
        for (w, v) in weights[row * blocks..][..blocks].iter().zip(&x) {
            let bytes: Vec<u8> = w.qs.iter().flat_map(|word| word.to_le_bytes()).collect();
            let numbers = bytes.iter().map(|b| b & 15).chain(bytes.iter().map(|b| b >> 4));
            let others = v.qs.iter().flat_map(|word| word.to_le_bytes()).map(|byte| i32::from(byte as i8));
            let whole: i32 = numbers.zip(others).map(|(a, b)| (i32::from(a) - 8) * b).sum();
            sum += f64::from(w.d) * f64::from(v.d) * f64::from(whole);
        }
        sum as f32
    };
    let mut out = ground.blank(rows, near(1e-2, want))?;
    trial!(
        ground,
        Shape::line(32 * rows, 128),
        mul_q4_q8(&dw, &dx, &mut out.memory),
        original(&dw, &dx, &out.memory, rows as i32, blocks as i32),
        [out]
    )
}

/// The columns of each row in the order of their values; a block has a row.
#[gpu_kernel]
fn argsort_rows(x: &[f32], dst: &mut [i32], ncols: i32, ncols_pad: i32) {
    let mut dst_row = dynamic_shared::<i32>();
    let col = thread_idx().x as i32;
    let row = block_idx().x as i32;
    if col >= ncols_pad {
        return;
    }
    let x_row = &x[row * ncols..];
    dst_row[col] = col;
    sync_threads();
    let mut k = 2;
    while k <= ncols_pad {
        let mut j = k / 2;
        while j > 0 {
            let ixj = col ^ j;
            if ixj > col {
                let a = dst_row[col];
                let b = dst_row[ixj];
                if (col & k) == 0 {
                    if a >= ncols || (b < ncols && x_row[a] > x_row[b]) {
                        dst_row[col] = b;
                        dst_row[ixj] = a;
                    }
                } else {
                    if b >= ncols || (a < ncols && x_row[a] < x_row[b]) {
                        dst_row[col] = b;
                        dst_row[ixj] = a;
                    }
                }
            }
            sync_threads();
            j /= 2;
        }
        k *= 2;
    }
    if col < ncols {
        dst[row * ncols + col] = dst_row[col];
    }
}

fn argsort_rows_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, cols, padded] = ground.pick([3, 50, 64], [4096, 1000, 1024]);
    // No two numbers of a row are equal.
    let row = |_| {
        let mut order: Vec<(u64, usize)> = (0..cols).map(|k| (ground.word(), k)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, k)| k as f32 * 0.5 - 20.0)
    };
    let x: Vec<f32> = (0..rows).flat_map(row).collect();
    let dx = ground.up(&x)?;
    let want = move |at: usize| {
        let smaller = at % cols;
        let row = &x[at / cols * cols..][..cols];
        row.iter().position(|v| *v == smaller as f32 * 0.5 - 20.0).map_or(-1, |k| k as i32)
    };
    let mut order = ground.blank(rows * cols, exactly(want))?;
    let shape = Shape::blocks([rows as u32, 1, 1], [padded as u32, 1, 1]).shared(4 * padded);
    let [cols, padded] = [cols, padded].map(|n| n as i32);
    trial!(
        ground,
        shape,
        argsort_rows(&dx, &mut order.memory, cols, padded),
        original(&dx, &order.memory, cols, padded),
        [order]
    )
}

const THREADS: usize = 256;

/// The sum of what all threads of a block have.
#[gpu_fn]
fn block_sum(v: f32, partial: &mut [f32; THREADS / 32]) -> f32 {
    let mut v = v;
    for by in [16, 8, 4, 2, 1] {
        v += shfl_xor(v, by);
    }
    if lane_id() == 0 {
        partial[warp_id()] = v;
    }
    sync_threads();
    let sum = partial.iter().sum();
    sync_threads();
    sum
}

/// A class of each row, drawn from the fewest of the likeliest that have a share of `p` together; weights are whole numbers.
#[gpu_kernel]
fn top_p(weights: &[f32], draws: &[f32], chosen: &mut [u32], classes: usize, p: f32) {
    let mut partial = shared!([f32; THREADS / 32]);
    let mut sums = shared!([f32; THREADS]);
    let b = block_idx().x as usize;
    let t = thread_idx().x as usize;
    let row = &weights[b * classes..][..classes];
    let mut above = |pivot: f32| {
        let own: f32 = row.iter().skip(t).step_by(THREADS).filter(|v| **v > pivot).sum();
        block_sum(own, &mut partial)
    };
    let enough = p * above(0.0);
    let (mut low, mut high) = (0.0, 1024.0);
    while high - low > 1.0 {
        let pivot = ((low + high) * 0.5f32).floor();
        if above(pivot) >= enough {
            low = pivot;
        } else {
            high = pivot;
        }
    }
    let share = classes.div_ceil(THREADS);
    let first = (t * share).min(classes);
    let own = &row[first..(first + share).min(classes)];
    let mass: f32 = own.iter().filter(|v| **v > low).sum();
    sums[t] = mass;
    sync_threads();
    let mut by = 1;
    while by < THREADS {
        let below = if t >= by { sums[t - by] } else { 0.0 };
        sync_threads();
        sums[t] += below;
        sync_threads();
        by *= 2;
    }
    let target = draws[b] * sums[THREADS - 1];
    let mut sum = sums[t] - mass;
    if sum > target || target >= sums[t] {
        return;
    }
    let found = own.iter().position(|v| {
        if *v > low {
            sum += v;
        }
        sum > target
    });
    if let Some(k) = found {
        chosen[b] = (first + k) as u32;
    }
}

fn top_p_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, classes] = ground.pick([3, 700], [512, 32000]);
    let weights = ground.each(rows * classes, |word| {
        let v = (word >> 40) as f32 / (1u64 << 24) as f32;
        (v * v * v * v * 1000.0).floor() + 1.0
    });
    let draws = ground.between(rows, 0.0..1.0);
    let (dw, dd) = (ground.up(&weights)?, ground.up(&draws)?);
    let share = 0.75f32;
    let want = move |r: usize| {
        let row = &weights[r * classes..][..classes];
        let enough = share * row.iter().sum::<f32>();
        let mut sorted = row.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let mut sum = 0.0;
        let least = sorted.iter().find(|v| {
            sum += **v;
            sum >= enough
        });
        let kept = |v: f32| if v >= *least.unwrap_or(&0.0) { v } else { 0.0 };
        let target = draws[r] * row.iter().map(|v| kept(*v)).sum::<f32>();
        let mut sum = 0.0;
        let place = row.iter().position(|v| {
            sum += kept(*v);
            sum > target
        });
        place.map_or(u32::MAX, |k| k as u32)
    };
    let mut chosen = ground.blank(rows, exactly(want))?;
    let shape = Shape::blocks([rows as u32, 1, 1], [THREADS as u32, 1, 1]);
    trial!(
        ground,
        shape,
        top_p(&dw, &dd, &mut chosen.memory, classes, share),
        original(&dw, &dd, &chosen.memory, classes as i32, share),
        [chosen]
    )
}
