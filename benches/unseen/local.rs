//! A small problem a thread, in local arrays: windows, states, rows, queues and networks.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "local",
    originals: include_str!("local.cu"),
    kernels: &[
        Unseen { name: "median3x3", class: "local window, u8", make: median3x3_trial },
        Unseen { name: "lorenz96", class: "local state, modulo", make: lorenz96_trial },
        Unseen { name: "edit_distance", class: "local row, bytes", make: edit_distance_trial },
        Unseen { name: "sort8", class: "sorting network in a local array", make: sort8_trial },
        Unseen { name: "dct8x8", class: "local matrix, table", make: dct8x8_trial },
        Unseen { name: "nearest4", class: "local queue, insertion", make: nearest4_trial },
    ],
};

/// The middle of nine pixels, by insertion.
#[gpu_kernel]
fn median3x3(image: &[u8], out: &mut [u8], width: i32, height: i32) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if x < width && y < height {
        let mut window = [0u8; 9];
        let mut n = 0;
        for dy in -1..=1 {
            for dx in -1..=1 {
                let row = (y + dy).clamp(0, height - 1);
                let col = (x + dx).clamp(0, width - 1);
                window[n] = image[row * width + col];
                n += 1;
            }
        }
        for i in 1..9 {
            let value = window[i];
            let mut at = i;
            while at > 0 && window[at - 1] > value {
                window[at] = window[at - 1];
                at -= 1;
            }
            window[at] = value;
        }
        out[y * width + x] = window[4];
    }
}

fn median3x3_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([37, 21], [4096, 2048]);
    let image = ground.bytes(width * height);
    let di = ground.up(&image)?;
    let want = move |at: usize| {
        let clamped = |v: usize, d: usize, n: usize| (v + d).saturating_sub(1).min(n - 1);
        let (x, y) = (at % width, at / width);
        let pixel = |k: usize| image[clamped(y, k / 3, height) * width + clamped(x, k % 3, width)];
        let mut window: [u8; 9] = std::array::from_fn(pixel);
        window.sort_unstable();
        window[4]
    };
    let mut out = ground.blank(width * height, exactly(want))?;
    let (shape, width, height) = (Shape::plane([width, height], [16, 16]), width as i32, height as i32);
    trial!(
        ground,
        shape,
        median3x3(&di, &mut out.memory, width, height),
        original(&di, &out.memory, width, height),
        [out]
    )
}

/// A ring of eight variables, each driven by its neighbours; steps by the midpoint.
#[gpu_kernel]
fn lorenz96(start: &[f32], end: &mut [f32], n: usize, steps: i32, dt: f32) {
    let id = global_id();
    if id < n {
        let mut x = [0.0f32; 8];
        for k in 0..8 {
            x[k] = start[k * n + id];
        }
        for _ in 0..steps {
            let mut half = [0.0f32; 8];
            for k in 0..8 {
                let d = (x[(k + 1) % 8] - x[(k + 6) % 8]) * x[(k + 7) % 8] - x[k] + 8.0;
                half[k] = x[k] + 0.5 * dt * d;
            }
            for k in 0..8 {
                let d = (half[(k + 1) % 8] - half[(k + 6) % 8]) * half[(k + 7) % 8] - half[k] + 8.0;
                x[k] += dt * d;
            }
        }
        for k in 0..8 {
            end[k * n + id] = x[k];
        }
    }
}

fn lorenz96_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, steps) = ground.pick((70, 3), (1 << 18, 40));
    let start = ground.floats(8 * n);
    let ds = ground.up(&start)?;
    let want = move |at: usize| {
        let mut x: [f64; 8] = std::array::from_fn(|k| f64::from(start[k * n + at % n]));
        let d = |x: &[f64; 8], k: usize| (x[(k + 1) % 8] - x[(k + 6) % 8]) * x[(k + 7) % 8] - x[k] + 8.0;
        for _ in 0..steps {
            let half: [f64; 8] = std::array::from_fn(|k| x[k] + 0.001 * d(&x, k));
            x = std::array::from_fn(|k| x[k] + 0.002 * d(&half, k));
        }
        x[at / n] as f32
    };
    let mut end = ground.blank(8 * n, near(1e-4, want))?;
    trial!(
        ground,
        Shape::line(n, 256),
        lorenz96(&ds, &mut end.memory, n, steps, 0.002),
        original(&ds, &end.memory, n as i32, steps, 0.002f32),
        [end]
    )
}

/// How many letters must change to make one word of another; words of 32 letters.
#[gpu_kernel]
fn edit_distance(left: &[u8], right: &[u8], distances: &mut [u32], pairs: u32) {
    let id = block_idx().x * block_dim().x + thread_idx().x;
    if id < pairs {
        let mut row = [0u32; 33];
        for j in 0..=32 {
            row[j] = j as u32;
        }
        for i in 1..=32u32 {
            let mut diagonal = row[0];
            row[0] = i;
            for j in 1..=32u32 {
                let above = row[j];
                let same = left[id * 32 + i - 1] == right[id * 32 + j - 1];
                let replaced = if same { diagonal } else { diagonal + 1 };
                row[j] = replaced.min(above + 1).min(row[j - 1] + 1);
                diagonal = above;
            }
        }
        distances[id] = row[32];
    }
}

fn edit_distance_trial(ground: &Ground) -> Result<Trial, Failure> {
    let pairs = ground.pick(40, 1 << 17);
    let letters = |n: usize| ground.each(n, |word| b'a' + (word >> 40) as u8 % 4);
    let (left, right) = (letters(32 * pairs), letters(32 * pairs));
    let (dl, dr) = (ground.up(&left)?, ground.up(&right)?);
    let want = move |id: usize| {
        let (left, right) = (&left[32 * id..][..32], &right[32 * id..][..32]);
        let mut table = [[0u32; 33]; 33];
        for i in 0..=32 {
            for j in 0..=32 {
                table[i][j] = if i == 0 || j == 0 {
                    (i + j) as u32
                } else {
                    let replaced = table[i - 1][j - 1] + u32::from(left[i - 1] != right[j - 1]);
                    replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
                };
            }
        }
        table[32][32]
    };
    let mut distances = ground.blank(pairs, exactly(want))?;
    trial!(
        ground,
        Shape::line(pairs, 128),
        edit_distance(&dl, &dr, &mut distances.memory, pairs as u32),
        original(&dl, &dr, &distances.memory, pairs as u32),
        [distances]
    )
}

/// The pairs of Batcher's network of eight.
const NETWORK: [[usize; 2]; 19] = [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
    [1, 2],
    [5, 6],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
    [2, 4],
    [3, 5],
    [1, 2],
    [3, 4],
    [5, 6],
];

/// Sorts runs of eight keys.
#[gpu_kernel]
fn sort8(keys: &[i32], sorted: &mut [i32]) {
    let id = global_id();
    if id < keys.len() / 8 && id < sorted.len() / 8 {
        let mut run = [0i32; 8];
        for k in 0..8 {
            run[k] = keys[id * 8 + k];
        }
        for [low, high] in NETWORK {
            if run[low] > run[high] {
                let kept = run[low];
                run[low] = run[high];
                run[high] = kept;
            }
        }
        for k in 0..8 {
            sorted[id * 8 + k] = run[k];
        }
    }
}

fn sort8_trial(ground: &Ground) -> Result<Trial, Failure> {
    let runs = ground.pick(70, 1 << 21);
    let keys = ground.ints(8 * runs, -1000..1000);
    let dk = ground.up(&keys)?;
    let want = move |at: usize| {
        let mut run = keys[at / 8 * 8..][..8].to_vec();
        run.sort_unstable();
        run[at % 8]
    };
    let mut sorted = ground.blank(8 * runs, exactly(want))?;
    trial!(
        ground,
        Shape::line(runs, 256),
        sort8(&dk, &mut sorted.memory),
        original(&dk, &sorted.memory, runs as i32),
        [sorted]
    )
}

/// Cosines of the transform: `cos((2 x + 1) u pi / 16)`, by `u` and `x`, with its scale.
const fn cosines() -> [f32; 64] {
    // cos(k pi / 16) for k from 0 to 8.
    const QUARTER: [f32; 9] = [
        1.0,
        0.980_785_25,
        0.923_879_5,
        0.831_469_6,
        0.707_106_77,
        0.555_570_24,
        0.382_683_43,
        0.195_090_32,
        0.0,
    ];
    let mut table = [0.0; 64];
    let mut at = 0;
    while at < 64 {
        let (u, x) = (at / 8, at % 8);
        let turns = (2 * x + 1) * u % 32;
        let half = if turns > 16 { 32 - turns } else { turns };
        let cosine = if half > 8 { -QUARTER[16 - half] } else { QUARTER[half] };
        table[at] = cosine * if u == 0 { 0.353_553_4 } else { 0.5 };
        at += 1;
    }
    table
}

const COSINES: [f32; 64] = cosines();

/// The cosine transform of blocks of 8 x 8 pixels, a thread a block: rows, then columns.
#[gpu_kernel]
fn dct8x8(image: &[f32], coefficients: &mut [f32], table: &[f32], width: i32, height: i32) {
    let bx = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let by = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if bx * 8 < width && by * 8 < height {
        let mut rows = [[0.0f32; 8]; 8];
        for y in 0..8 {
            for u in 0..8 {
                let mut sum = 0.0;
                for x in 0..8 {
                    sum += image[(by * 8 + y) * width + bx * 8 + x] * table[u * 8 + x];
                }
                rows[y][u] = sum;
            }
        }
        for v in 0..8 {
            for u in 0..8 {
                let mut sum = 0.0;
                for y in 0..8 {
                    sum += rows[y][u] * table[v * 8 + y];
                }
                coefficients[(by * 8 + v) * width + bx * 8 + u] = sum;
            }
        }
    }
}

fn dct8x8_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([40, 24], [4096, 2048]);
    let image = ground.floats(width * height);
    let (di, dt) = (ground.up(&image)?, ground.up(&COSINES)?);
    let want = move |at: usize| {
        let (u, v, left, top) = (at % width % 8, at / width % 8, at % width / 8 * 8, at / width / 8 * 8);
        let cosine = |k: usize, x: usize| {
            let scale = if k == 0 { 0.125f64.sqrt() } else { 0.5 };
            scale * ((2 * x + 1) as f64 * k as f64 * std::f64::consts::PI / 16.0).cos()
        };
        let pixel = |k: usize| f64::from(image[(top + k / 8) * width + left + k % 8]);
        (0..64).map(|k| pixel(k) * cosine(u, k % 8) * cosine(v, k / 8)).sum::<f64>() as f32
    };
    let mut out = ground.blank(width * height, near(1e-5, want))?;
    let (shape, width, height) = (Shape::plane([width / 8, height / 8], [8, 8]), width as i32, height as i32);
    trial!(
        ground,
        shape,
        dct8x8(&di, &mut out.memory, &dt, width, height),
        original(&di, &out.memory, &dt, width, height),
        [out]
    )
}

/// The indices of the four nearest of all points, nearest first, in a list that is kept sorted.
#[gpu_kernel]
fn nearest4(queries: &[[f32; 3]], points: &[[f32; 3]], nearest: &mut [[u32; 4]]) {
    let i = global_id();
    if i < queries.len() {
        let query = queries[i];
        let mut distances = [f32::MAX; 4];
        let mut indices = [0u32; 4];
        for p in 0..points.len() {
            let mut distance = 0.0;
            for d in 0..3 {
                let off = points[p][d] - query[d];
                distance += off * off;
            }
            if distance < distances[3] {
                let mut at = 3;
                while at > 0 && distances[at - 1] > distance {
                    distances[at] = distances[at - 1];
                    indices[at] = indices[at - 1];
                    at -= 1;
                }
                distances[at] = distance;
                indices[at] = p as u32;
            }
        }
        nearest[i] = indices;
    }
}

fn nearest4_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [queries, points] = ground.pick([40, 30], [1 << 17, 1024]);
    // Multiples of 1/64: distances are exact, fused or not, and the first of equal ones stays in front.
    let grid =
        |n: usize| ground.each(n, |word| [8, 20, 32].map(|shift| (word >> shift & 127) as f32 / 64.0 - 1.0));
    let (q, p) = (grid(queries), grid(points));
    let (dq, dp) = (ground.up(&q)?, ground.up(&p)?);
    let want = move |i: usize| {
        let distance = |p: &[f32; 3]| (0..3).map(|d| (p[d] - q[i][d]) * (p[d] - q[i][d])).sum::<f32>();
        let mut all: Vec<(f32, u32)> = p.iter().map(distance).zip(0..).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        std::array::from_fn(|k| all[k].1)
    };
    let mut nearest = ground.blank(queries, exactly(want))?;
    trial!(
        ground,
        Shape::line(queries, 128),
        nearest4(&dq, &dp, &mut nearest.memory),
        original(&dq, &dp, &nearest.memory, queries as i32, points as i32),
        [nearest]
    )
}
