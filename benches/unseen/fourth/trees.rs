//! Trees, butterflies, small matrices, neighbours, stencils with a radius and bags of rows.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "trees",
    originals: include_str!("trees.cu"),
    kernels: &[
        Unseen { name: "tree_scan", class: "scan by a tree, dynamic shared, i32", make: tree_scan_trial },
        Unseen { name: "walsh", class: "butterflies, dynamic shared, i32", make: walsh_trial },
        Unseen { name: "batched_lu", class: "matrices of a run-time order, usize", make: batched_lu_trial },
        Unseen { name: "knn", class: "insertion into parts of slices, usize", make: knn_trial },
        Unseen { name: "star3d", class: "stencil with a run-time radius, u32", make: star3d_trial },
        Unseen { name: "embedding_bag", class: "sums of gathered rows, u32", make: embedding_bag_trial },
    ],
};

/// Exclusive sums of each block's elements: up a tree, and down again.
#[gpu_kernel]
fn tree_scan(x: &[i32], y: &mut [i32], n: i32) {
    let mut temp = dynamic_shared::<i32>();
    let t = thread_idx().x as i32;
    let base = block_idx().x as i32 * n;
    temp[2 * t] = x[base + 2 * t];
    temp[2 * t + 1] = x[base + 2 * t + 1];
    let mut offset = 1;
    let mut d = n >> 1;
    while d > 0 {
        sync_threads();
        if t < d {
            let ai = offset * (2 * t + 1) - 1;
            let bi = offset * (2 * t + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
        d >>= 1;
    }
    if t == 0 {
        temp[n - 1] = 0;
    }
    let mut d = 1;
    while d < n {
        offset >>= 1;
        sync_threads();
        if t < d {
            let ai = offset * (2 * t + 1) - 1;
            let bi = offset * (2 * t + 2) - 1;
            let v = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += v;
        }
        d *= 2;
    }
    sync_threads();
    y[base + 2 * t] = temp[2 * t];
    y[base + 2 * t + 1] = temp[2 * t + 1];
}

fn tree_scan_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, blocks] = ground.pick([64, 5], [1024, 16384]);
    let x = ground.ints(n * blocks, -9..10);
    let dx = ground.up(&x)?;
    let mut all = Vec::new();
    for block in x.chunks(n) {
        let mut sum = 0;
        for v in block {
            all.push(sum);
            sum += v;
        }
    }
    let mut y = ground.blank(n * blocks, exactly(move |i| all[i]))?;
    let shape = Shape::blocks([blocks as u32, 1, 1], [n as u32 / 2, 1, 1]).shared(4 * n);
    let n = n as i32;
    trial!(ground, shape, tree_scan(&dx, &mut y.memory, n), original(&dx, &y.memory, n), [y])
}

/// A fast Walsh transform of each block's elements.
#[gpu_kernel]
fn walsh(x: &[f32], y: &mut [f32], log_n: i32) {
    let mut s = dynamic_shared::<f32>();
    let n = 1 << log_n;
    let base = (block_idx().x << log_n) as i32;
    let t = thread_idx().x as i32;
    let threads = block_dim().x as i32;
    let mut pos = t;
    while pos < n {
        s[pos] = x[base + pos];
        pos += threads;
    }
    let mut stride = n / 2;
    while stride >= 1 {
        sync_threads();
        let mut pos = t;
        while pos < n / 2 {
            let lo = pos & (stride - 1);
            let i0 = ((pos - lo) << 1) + lo;
            let i1 = i0 + stride;
            let (a, b) = (s[i0], s[i1]);
            s[i0] = a + b;
            s[i1] = a - b;
            pos += threads;
        }
        stride >>= 1;
    }
    sync_threads();
    let mut pos = t;
    while pos < n {
        y[base + pos] = s[pos];
        pos += threads;
    }
}

fn walsh_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [log_n, blocks, threads] = ground.pick([6usize, 3, 16], [11, 4096, 256]);
    let n = 1usize << log_n;
    // Small numbers, so that all sums are exact.
    let x = ground.each(n * blocks, |word| (word >> 60) as f32);
    let dx = ground.up(&x)?;
    let mut all = x;
    for block in all.chunks_mut(n) {
        let mut stride = n / 2;
        while stride >= 1 {
            for i in (0..n).filter(|i| i & stride == 0) {
                let (a, b) = (block[i], block[i + stride]);
                (block[i], block[i + stride]) = (a + b, a - b);
            }
            stride /= 2;
        }
    }
    let mut y = ground.blank(n * blocks, exactly(move |i| all[i]))?;
    let shape = Shape::blocks([blocks as u32, 1, 1], [threads as u32, 1, 1]).shared(4 * n);
    let log_n = log_n as i32;
    trial!(ground, shape, walsh(&dx, &mut y.memory, log_n), original(&dx, &y.memory, log_n), [y])
}

/// LU of many matrices without pivots, a thread each, in place.
#[gpu_kernel]
fn batched_lu(a: &mut [f32], n: usize, count: usize) {
    let m = global_id() as usize;
    if m >= count {
        return;
    }
    let a = &mut a[m * n * n..(m + 1) * n * n];
    for k in 0..n {
        for i in k + 1..n {
            let f = a[i * n + k] / a[k * n + k];
            a[i * n + k] = f;
            for j in k + 1..n {
                a[i * n + j] -= f * a[k * n + j];
            }
        }
    }
}

fn batched_lu_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, count] = ground.pick([7, 40], [12, 65536]);
    let mut a = ground.floats(n * n * count);
    // Diagonally dominant.
    for (i, v) in a.iter_mut().enumerate() {
        *v += if i % (n * n) % (n + 1) == 0 { 2.0 * n as f32 } else { 0.0 };
    }
    let start = a.clone();
    let mut all: Vec<f64> = a.into_iter().map(f64::from).collect();
    for own in all.chunks_mut(n * n) {
        for k in 0..n {
            for i in k + 1..n {
                let f = own[i * n + k] / own[k * n + k];
                own[i * n + k] = f;
                (k + 1..n).for_each(|j| own[i * n + j] -= f * own[k * n + j]);
            }
        }
    }
    let mut a = ground.from(start, near(1e-4, move |at| all[at] as f32))?;
    trial!(
        ground,
        Shape::line(count, 128),
        batched_lu(&mut a.memory, n, count),
        original(&a.memory, n as i32, count as i32),
        [a]
    )
}

/// The nearest points of each query, by insertion.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn knn(
    points: &[f32],
    queries: &[f32],
    best: &mut [f32],
    index: &mut [u32],
    n: usize,
    dim: usize,
    q: usize,
    k: usize,
) {
    let i = global_id() as usize;
    if i >= q {
        return;
    }
    let best = &mut best[i * k..i * k + k];
    let index = &mut index[i * k..i * k + k];
    for p in 0..n {
        let mut d = 0.0;
        for c in 0..dim {
            let v = points[p * dim + c] - queries[i * dim + c];
            d += v * v;
        }
        if d < best[k - 1] {
            let mut at = k - 1;
            while at > 0 && best[at - 1] > d {
                best[at] = best[at - 1];
                index[at] = index[at - 1];
                at -= 1;
            }
            best[at] = d;
            index[at] = p as u32;
        }
    }
}

fn knn_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, dim, q, k] = ground.pick([50, 3, 40, 5], [2048, 4, 16384, 8]);
    // Small numbers, so that all distances are exact.
    let [points, queries] = [n, q].map(|of| ground.each(of * dim, |word| (word >> 57) as f32));
    let (dp, dq) = (ground.up(&points)?, ground.up(&queries)?);
    let (mut least, mut nearest) = (Vec::new(), Vec::new());
    for query in queries.chunks(dim) {
        let distance = |point: &[f32]| point.iter().zip(query).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
        let mut all: Vec<(f32, u32)> = points.chunks(dim).map(distance).zip(0..).collect();
        // Of equal distances, the first stays.
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (own, at): (Vec<f32>, Vec<u32>) = all.into_iter().take(k).unzip();
        least.extend(own);
        nearest.extend(at);
    }
    let mut best = ground.from(vec![f32::MAX; q * k], exactly(move |i| least[i]))?;
    let mut index = ground.blank(q * k, exactly(move |i| nearest[i]))?;
    let [ni, dimi, qi, ki] = [n, dim, q, k].map(|n| n as i32);
    trial!(
        ground,
        Shape::line(q, 128),
        knn(&dp, &dq, &mut best.memory, &mut index.memory, n, dim, q, k),
        original(&dp, &dq, &best.memory, &index.memory, ni, dimi, qi, ki),
        [best, index]
    )
}

/// A star of run-time radius, layer by layer.
#[gpu_kernel]
fn star3d(u: &[f32], c: &[f32], out: &mut [f32], nx: u32, ny: u32, nz: u32, radius: u32) {
    let x = block_idx().x * block_dim().x + thread_idx().x + radius;
    let y = block_idx().y * block_dim().y + thread_idx().y + radius;
    if x >= nx - radius || y >= ny - radius {
        return;
    }
    for z in radius..nz - radius {
        let at = (z * ny + y) * nx + x;
        let mut sum = c[0] * u[at];
        for r in 1..=radius {
            let line = u[at - r] + u[at + r] + u[at - r * nx] + u[at + r * nx];
            sum += c[r] * (line + u[at - r * nx * ny] + u[at + r * nx * ny]);
        }
        out[at] = sum;
    }
}

fn star3d_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [nx, ny, nz, radius] = ground.pick([21, 19, 12, 2], [512, 512, 128, 4]);
    let (u, c) = (ground.floats(nx * ny * nz), ground.floats(radius + 1));
    let (du, dc) = (ground.up(&u)?, ground.up(&c)?);
    let want = move |at: usize| {
        let (x, y, z) = (at % nx, at / nx % ny, at / nx / ny);
        let is_inner = |v: usize, n: usize| v >= radius && v < n - radius;
        if !(is_inner(x, nx) && is_inner(y, ny) && is_inner(z, nz)) {
            return 7.0;
        }
        let pair = |r: usize, by: usize| f64::from(u[at - r * by]) + f64::from(u[at + r * by]);
        let star = |r: usize| f64::from(c[r]) * (pair(r, 1) + pair(r, nx) + pair(r, nx * ny));
        (f64::from(c[0]) * f64::from(u[at]) + (1..=radius).map(star).sum::<f64>()) as f32
    };
    let mut out = ground.from(vec![7.0f32; nx * ny * nz], near(1e-5, want))?;
    let shape = Shape::plane([nx - 2 * radius, ny - 2 * radius], [32, 8]);
    let [nx, ny, nz, radius] = [nx, ny, nz, radius].map(|n| n as u32);
    trial!(
        ground,
        shape,
        star3d(&du, &dc, &mut out.memory, nx, ny, nz, radius),
        original(&du, &dc, &out.memory, nx, ny, nz, radius),
        [out]
    )
}

/// Sums of rows of a table, a bag a block.
#[gpu_kernel]
fn embedding_bag(table: &[f32], indices: &[u32], offsets: &[u32], out: &mut [f32], dim: u32) {
    let bag = block_idx().x;
    for c in (thread_idx().x..dim).step_by(block_dim().x as usize) {
        let mut sum = 0.0;
        for i in offsets[bag]..offsets[bag + 1] {
            sum += table[indices[i] * dim + c];
        }
        out[bag * dim + c] = sum;
    }
}

fn embedding_bag_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [words, dim, bags] = ground.pick([40, 24, 11], [100_000, 128, 16384]);
    let table = ground.floats(words * dim);
    let mut offsets = vec![0u32];
    for length in ground.below(bags, 48) {
        offsets.push(offsets[offsets.len() - 1] + length);
    }
    let indices = ground.below(offsets[bags] as usize + 1, words as u32);
    let (dt, di, df) = (ground.up(&table)?, ground.up(&indices)?, ground.up(&offsets)?);
    let want = move |at: usize| {
        let (bag, c) = (at / dim, at % dim);
        let own = &indices[offsets[bag] as usize..offsets[bag + 1] as usize];
        own.iter().map(|word| f64::from(table[*word as usize * dim + c])).sum::<f64>() as f32
    };
    let mut out = ground.blank(bags * dim, near(1e-4, want))?;
    let shape = Shape::blocks([bags as u32, 1, 1], [128.min(dim as u32), 1, 1]);
    let dim = dim as u32;
    trial!(
        ground,
        shape,
        embedding_bag(&dt, &di, &df, &mut out.memory, dim),
        original(&dt, &di, &df, &out.memory, dim),
        [out]
    )
}
