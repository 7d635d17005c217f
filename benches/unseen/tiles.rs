//! Loops over tiles in dynamic shared memory, whose extent is known when the kernel is launched.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "tiles",
    originals: include_str!("tiles.cu"),
    kernels: &[
        Unseen { name: "matmul_dynamic", class: "dynamic shared tiles, usize", make: matmul_dynamic_trial },
        Unseen { name: "nbody_dynamic", class: "dynamic shared tiles, i32", make: nbody_dynamic_trial },
        Unseen {
            name: "transpose_dynamic",
            class: "transpose, dynamic shared",
            make: transpose_dynamic_trial,
        },
        Unseen { name: "kmeans_dynamic", class: "table in dynamic shared, i32", make: kmeans_dynamic_trial },
        Unseen { name: "conv1d_dynamic", class: "halo in dynamic shared, i32", make: conv1d_dynamic_trial },
        Unseen { name: "lcs_dynamic", class: "wavefront in dynamic shared", make: lcs_dynamic_trial },
    ],
};

/// Square tiles of the block's own extent.
#[gpu_kernel]
fn matmul_dynamic(a: &[f32], b: &[f32], c: &mut [f32], m: usize, n: usize, k: usize) {
    let mut tiles = dynamic_shared::<f32>();
    let side = block_dim().x as usize;
    let (ta, tb) = tiles.split_at_mut(side * side);
    let (tx, ty) = (thread_idx().x as usize, thread_idx().y as usize);
    let row = block_idx().y as usize * side + ty;
    let col = block_idx().x as usize * side + tx;
    let mut sum = 0.0;
    for t in 0..(k + side - 1) / side {
        ta[ty * side + tx] = if row < m && t * side + tx < k { a[row * k + t * side + tx] } else { 0.0 };
        tb[ty * side + tx] = if t * side + ty < k && col < n { b[(t * side + ty) * n + col] } else { 0.0 };
        sync_threads();
        for i in 0..side {
            sum += ta[ty * side + i] * tb[i * side + tx];
        }
        sync_threads();
    }
    if row < m && col < n {
        c[row * n + col] = sum;
    }
}

fn matmul_dynamic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [m, n, k] = ground.pick([19, 21, 10], [1024, 1024, 1000]);
    let side = ground.pick(8, 16);
    let (a, b) = (ground.floats(m * k), ground.floats(k * n));
    let (da, db) = (ground.up(&a)?, ground.up(&b)?);
    let want = move |at: usize| {
        let (i, j) = (at / n, at % n);
        (0..k).map(|s| f64::from(a[i * k + s]) * f64::from(b[s * n + j])).sum::<f64>() as f32
    };
    let mut c = ground.blank(m * n, near(1e-4, want))?;
    let shape = Shape::plane([n, m], [side, side]).shared(2 * 4 * (side * side) as usize);
    trial!(
        ground,
        shape,
        matmul_dynamic(&da, &db, &mut c.memory, m, n, k),
        original(&da, &db, &c.memory, m as i32, n as i32, k as i32),
        [c]
    )
}

/// Accelerations of all bodies by all; a block loads as many at a time as it has threads.
#[gpu_kernel]
fn nbody_dynamic(bodies: &[F32x4], accelerations: &mut [F32x4], n: i32, softening: f32) {
    let mut tile = dynamic_shared::<F32x4>();
    let i = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let t = thread_idx().x as i32;
    let size = block_dim().x as i32;
    let me = if i < n { bodies[i] } else { F32x4::splat(0.0) };
    let (mut ax, mut ay, mut az) = (0.0, 0.0, 0.0);
    let mut start = 0;
    while start < n {
        tile[t] = if start + t < n { bodies[start + t] } else { F32x4::splat(0.0) };
        sync_threads();
        for j in 0..size {
            let dx = tile[j].x - me.x;
            let dy = tile[j].y - me.y;
            let dz = tile[j].z - me.z;
            let inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
            let s = tile[j].w * inverse * inverse * inverse;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        sync_threads();
        start += size;
    }
    if i < n {
        accelerations[i] = F32x4::new(ax, ay, az, 0.0);
    }
}

fn nbody_dynamic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, block) = ground.pick((75, 32), (16_384, 256));
    let bodies = ground.each(n, |word| {
        let part = |shift: u32| (word >> shift & 0xffff) as f32 / 32_768.0 - 1.0;
        F32x4::new(part(0), part(16), part(32), 1.0 + part(48).abs())
    });
    let db = ground.up(&bodies)?;
    let want = move |i: usize| {
        let mut sum = [0.0f64; 3];
        for other in &bodies {
            let d: [f64; 3] =
                std::array::from_fn(|k| f64::from(other.to_array()[k] - bodies[i].to_array()[k]));
            let s = f64::from(other.w) / (d.iter().map(|v| v * v).sum::<f64>() + 0.01).powf(1.5);
            (0..3).for_each(|k| sum[k] += d[k] * s);
        }
        F32x4::new(sum[0] as f32, sum[1] as f32, sum[2] as f32, 0.0)
    };
    // Sums of numbers of either sign, over thousands of bodies.
    let mut out = ground.blank(n, near(ground.pick(1e-4, 0.05), want))?;
    trial!(
        ground,
        Shape::line(n, block).shared(16 * block as usize),
        nbody_dynamic(&db, &mut out.memory, n as i32, 0.01),
        original(&db, &out.memory, n as i32, 0.01f32),
        [out]
    )
}

/// Rows of the tile are one longer than the block is wide.
#[gpu_kernel]
fn transpose_dynamic(input: &[u32], output: &mut [u32], width: u32, height: u32) {
    let mut tile = dynamic_shared::<u32>();
    let side = block_dim().x;
    let pitch = side + 1;
    let x = block_idx().x * side + thread_idx().x;
    let y = block_idx().y * side + thread_idx().y;
    if x < width && y < height {
        tile[thread_idx().y * pitch + thread_idx().x] = input[y * width + x];
    }
    sync_threads();
    let x = block_idx().y * side + thread_idx().x;
    let y = block_idx().x * side + thread_idx().y;
    if x < height && y < width {
        output[y * height + x] = tile[thread_idx().x * pitch + thread_idx().y];
    }
}

fn transpose_dynamic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let ([width, height], side) = ground.pick(([37, 21], 8), ([8192, 4096], 32));
    let input = ground.below(width * height, u32::MAX);
    let di = ground.up(&input)?;
    let want = move |at: usize| input[at % height * width + at / height];
    let mut output = ground.blank(width * height, exactly(want))?;
    let shape = Shape::plane([width, height], [side, side]).shared(4 * (side * (side + 1)) as usize);
    let (width, height) = (width as u32, height as u32);
    trial!(
        ground,
        shape,
        transpose_dynamic(&di, &mut output.memory, width, height),
        original(&di, &output.memory, width as i32, height as i32),
        [output]
    )
}

/// The nearest center of each point; the block copies the centers first.
#[gpu_kernel]
fn kmeans_dynamic(points: &[f32], centers: &[f32], labels: &mut [i32], n: i32, k: i32, dims: i32) {
    let mut table = dynamic_shared::<f32>();
    let mut at = thread_idx().x as i32;
    while at < k * dims {
        table[at] = centers[at];
        at += block_dim().x as i32;
    }
    sync_threads();
    let i = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if i < n {
        let mut best = 0;
        let mut best_distance = f32::MAX;
        for c in 0..k {
            let mut distance = 0.0;
            for d in 0..dims {
                let off = points[d * n + i] - table[c * dims + d];
                distance += off * off;
            }
            if distance < best_distance {
                best_distance = distance;
                best = c;
            }
        }
        labels[i] = best;
    }
}

fn kmeans_dynamic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, k, dims] = ground.pick([75, 5, 3], [1 << 19, 32, 16]);
    // Multiples of 1/16: distances are exact.
    let exact = |n: usize| ground.each(n, |word| (word >> 59) as f32 / 16.0 - 1.0);
    let (points, centers) = (exact(n * dims), exact(k * dims));
    let (dp, dc) = (ground.up(&points)?, ground.up(&centers)?);
    let want = move |i: usize| {
        let distance = |c: usize| -> f32 {
            (0..dims).map(|d| points[d * n + i] - centers[c * dims + d]).map(|off| off * off).sum()
        };
        let first = |best: usize, c: usize| if distance(c) < distance(best) { c } else { best };
        (0..k).fold(0, first) as i32
    };
    let mut labels = ground.blank(n, exactly(want))?;
    let shape = Shape::line(n, ground.pick(32, 256)).shared(4 * k * dims);
    let (n, k, dims) = (n as i32, k as i32, dims as i32);
    trial!(
        ground,
        shape,
        kmeans_dynamic(&dp, &dc, &mut labels.memory, n, k, dims),
        original(&dp, &dc, &labels.memory, n, k, dims),
        [labels]
    )
}

/// A convolution of a run-time radius: the block's elements and a radius on either side are shared.
#[gpu_kernel]
fn conv1d_dynamic(input: &[f32], kernel: &[f32], output: &mut [f32], n: i32, radius: i32) {
    let mut line = dynamic_shared::<f32>();
    let size = block_dim().x as i32;
    let t = thread_idx().x as i32;
    let i = block_idx().x as i32 * size + t;
    line[t + radius] = if i < n { input[i] } else { 0.0 };
    if t < radius {
        line[t] = if i >= radius && i - radius < n { input[i - radius] } else { 0.0 };
        line[t + radius + size] = if i + size < n { input[i + size] } else { 0.0 };
    }
    sync_threads();
    if i < n {
        let mut sum = 0.0;
        for k in -radius..=radius {
            sum += kernel[k + radius] * line[t + radius + k];
        }
        output[i] = sum;
    }
}

fn conv1d_dynamic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, radius, block) = ground.pick((150, 3, 64), (1 << 24, 16, 256));
    let (input, kernel) = (ground.floats(n), ground.floats(2 * radius + 1));
    let (di, dk) = (ground.up(&input)?, ground.up(&kernel)?);
    let want = move |i: usize| {
        let value =
            |k: usize| (i + k).checked_sub(radius).and_then(|at| input.get(at)).copied().unwrap_or(0.0);
        (0..=2 * radius).map(|k| f64::from(kernel[k]) * f64::from(value(k))).sum::<f64>() as f32
    };
    let mut output = ground.blank(n, near(1e-5, want))?;
    let shape = Shape::line(n, block).shared(4 * (block as usize + 2 * radius));
    let (n, radius) = (n as i32, radius as i32);
    trial!(
        ground,
        shape,
        conv1d_dynamic(&di, &dk, &mut output.memory, n, radius),
        original(&di, &dk, &output.memory, n, radius),
        [output]
    )
}

/// The longest common subsequence of pairs of words, a block a pair, along diagonals of which three are kept.
#[gpu_kernel]
fn lcs_dynamic(left: &[u8], right: &[u8], lengths: &mut [u32], n: u32) {
    let mut diagonals = dynamic_shared::<u32>();
    let pair = block_idx().x;
    let pitch = n + 1;
    for at in (thread_idx().x..3 * pitch).step_by(block_dim().x as usize) {
        diagonals[at] = 0;
    }
    sync_threads();
    for d in 2..=2 * n {
        let now = d % 3 * pitch;
        let before = (d + 2) % 3 * pitch;
        let oldest = (d + 1) % 3 * pitch;
        let low = if d > n { d - n } else { 1 };
        let high = if d - 1 < n { d - 1 } else { n };
        let mut i = low + thread_idx().x;
        while i <= high {
            let j = d - i;
            diagonals[now + i] = if left[pair * n + i - 1] == right[pair * n + j - 1] {
                (if i == 1 || j == 1 { 0 } else { diagonals[oldest + i - 1] }) + 1
            } else {
                let above = if i == 1 { 0 } else { diagonals[before + i - 1] };
                let beside = if j == 1 { 0 } else { diagonals[before + i] };
                if above > beside { above } else { beside }
            };
            i += block_dim().x;
        }
        sync_threads();
    }
    if thread_idx().x == 0 {
        lengths[pair] = diagonals[2 * n % 3 * pitch + n];
    }
}

fn lcs_dynamic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (pairs, n, block) = ground.pick((2, 20, 32), (1024, 256, 128));
    let letters = |n: usize| ground.each(n, |word| b'a' + (word >> 40) as u8 % 4);
    let (left, right) = (letters(pairs * n), letters(pairs * n));
    let (dl, dr) = (ground.up(&left)?, ground.up(&right)?);
    let want = move |pair: usize| {
        let mut row = vec![0u32; n + 1];
        for a in &left[pair * n..][..n] {
            let mut diagonal = 0;
            for (j, b) in right[pair * n..][..n].iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = if a == b { diagonal + 1 } else { above.max(row[j]) };
                diagonal = above;
            }
        }
        row[n]
    };
    let mut lengths = ground.blank(pairs, exactly(want))?;
    let shape = Shape::blocks([pairs as u32, 1, 1], [block, 1, 1]).shared(3 * 4 * (n + 1));
    trial!(
        ground,
        shape,
        lcs_dynamic(&dl, &dr, &mut lengths.memory, n as u32),
        original(&dl, &dr, &lengths.memory, n as u32),
        [lengths]
    )
}
