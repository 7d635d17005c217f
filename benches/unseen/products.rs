//! Products of matrices and vectors as PolyBench writes them: a thread an element, `row * n + k`.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "products",
    originals: include_str!("products.cu"),
    kernels: &[
        Unseen { name: "gemm", class: "naive product, i32", make: gemm_trial },
        Unseen { name: "syrk", class: "naive product, usize", make: syrk_trial },
        Unseen { name: "doitgen", class: "naive product, u32, f64", make: doitgen_trial },
        Unseen { name: "mvt", class: "naive product, usize", make: mvt_trial },
        Unseen { name: "bicg", class: "naive product, i32", make: bicg_trial },
        Unseen { name: "gesummv", class: "naive product, u32", make: gesummv_trial },
        Unseen { name: "trmm", class: "naive product, inclusive range", make: trmm_trial },
        Unseen { name: "covariance", class: "naive product, usize", make: covariance_trial },
    ],
};

#[gpu_kernel]
fn gemm(a: &[f32], b: &[f32], c: &mut [f32], alpha: f32, beta: f32, ni: i32, nj: i32, nk: i32) {
    let j = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let i = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if i < ni && j < nj {
        c[i * nj + j] *= beta;
        for k in 0..nk {
            c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
        }
    }
}

fn gemm_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [ni, nj, nk] = ground.pick([19, 35, 24], [768, 1024, 640]);
    let (a, b, c) = (ground.floats(ni * nk), ground.floats(nk * nj), ground.floats(ni * nj));
    let (da, db, start) = (ground.up(&a)?, ground.up(&b)?, c.clone());
    let mut out = ground.from(
        start,
        near(1e-4, move |at| {
            let (i, j) = (at / nj, at % nj);
            let sum: f64 = (0..nk).map(|k| f64::from(a[i * nk + k]) * f64::from(b[k * nj + j])).sum();
            (0.5 * f64::from(c[at]) + 1.5 * sum) as f32
        }),
    )?;
    let (ni, nj, nk, shape) = (ni as i32, nj as i32, nk as i32, Shape::plane([nj, ni], [32, 8]));
    trial!(
        ground,
        shape,
        gemm(&da, &db, &mut out.memory, 1.5, 0.5, ni, nj, nk),
        original(&da, &db, &out.memory, 1.5f32, 0.5f32, ni, nj, nk),
        [out]
    )
}

#[gpu_kernel]
fn syrk(a: &[f32], c: &mut [f32], alpha: f32, beta: f32, n: usize, m: usize) {
    let j = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    let i = (block_idx().y * block_dim().y + thread_idx().y) as usize;
    if i < n && j < n {
        let mut sum = 0.0;
        for k in 0..m {
            sum += a[i * m + k] * a[j * m + k];
        }
        c[i * n + j] = alpha * sum + beta * c[i * n + j];
    }
}

fn syrk_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, m] = ground.pick([21, 17], [512, 512]);
    let (a, c) = (ground.floats(n * m), ground.floats(n * n));
    let (da, start) = (ground.up(&a)?, c.clone());
    let mut out = ground.from(
        start,
        near(1e-4, move |at| {
            let (i, j) = (at / n, at % n);
            let sum: f64 = (0..m).map(|k| f64::from(a[i * m + k]) * f64::from(a[j * m + k])).sum();
            (2.0 * sum + 0.25 * f64::from(c[at])) as f32
        }),
    )?;
    trial!(
        ground,
        Shape::plane([n, n], [16, 16]),
        syrk(&da, &mut out.memory, 2.0, 0.25, n, m),
        original(&da, &out.memory, 2.0f32, 0.25f32, n as i32, m as i32),
        [out]
    )
}

#[gpu_kernel]
fn doitgen(nr: u32, nq: u32, np: u32, a: &[f64], c4: &[f64], sum: &mut [f64]) {
    let p = block_idx().x * block_dim().x + thread_idx().x;
    let q = block_idx().y * block_dim().y + thread_idx().y;
    let r = block_idx().z;
    if p < np && q < nq && r < nr {
        let mut total = 0.0;
        for s in 0..np {
            total += a[(r * nq + q) * np + s] * c4[s * np + p];
        }
        sum[(r * nq + q) * np + p] = total;
    }
}

fn doitgen_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [nr, nq, np] = ground.pick([3, 9, 20], [128, 128, 128]);
    let (a, c4) = (ground.doubles(nr * nq * np), ground.doubles(np * np));
    let (da, dc) = (ground.up(&a)?, ground.up(&c4)?);
    let mut sum = ground.blank(
        nr * nq * np,
        near(1e-11, move |at| {
            let (row, p) = (at / np, at % np);
            (0..np).map(|s| a[row * np + s] * c4[s * np + p]).sum()
        }),
    )?;
    let plane = Shape::plane([np, nq], [32, 8]);
    let shape = Shape::blocks([plane.grid[0], plane.grid[1], nr as u32], plane.block);
    let (nr, nq, np) = (nr as u32, nq as u32, np as u32);
    trial!(
        ground,
        shape,
        doitgen(nr, nq, np, &da, &dc, &mut sum.memory),
        original(nr as i32, nq as i32, np as i32, &da, &dc, &sum.memory),
        [sum]
    )
}

#[gpu_kernel]
fn mvt(n: usize, a: &[f32], x1: &mut [f32], y1: &[f32]) {
    let i = global_id();
    if i < n {
        for j in 0..n {
            x1[i] += a[i * n + j] * y1[j];
        }
    }
}

fn mvt_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(150, 4096);
    let (a, x, y) = (ground.floats(n * n), ground.floats(n), ground.floats(n));
    let (da, dy, start) = (ground.up(&a)?, ground.up(&y)?, x.clone());
    let mut out = ground.from(
        start,
        near(1e-3, move |i| {
            let sum: f64 = (0..n).map(|j| f64::from(a[i * n + j]) * f64::from(y[j])).sum();
            (f64::from(x[i]) + sum) as f32
        }),
    )?;
    trial!(
        ground,
        Shape::line(n, 256),
        mvt(n, &da, &mut out.memory, &dy),
        original(n as i32, &da, &out.memory, &dy),
        [out]
    )
}

#[gpu_kernel]
fn bicg(nx: i32, ny: i32, a: &[f32], r: &[f32], s: &mut [f32]) {
    let j = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if j < ny {
        s[j] = 0.0;
        for i in 0..nx {
            s[j] += r[i] * a[i * ny + j];
        }
    }
}

fn bicg_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [nx, ny] = ground.pick([40, 300], [2048, 16384]);
    let (a, r) = (ground.floats(nx * ny), ground.floats(nx));
    let (da, dr) = (ground.up(&a)?, ground.up(&r)?);
    let mut s = ground.blank(
        ny,
        near(1e-3, move |j| (0..nx).map(|i| f64::from(r[i]) * f64::from(a[i * ny + j])).sum::<f64>() as f32),
    )?;
    let (shape, nx, ny) = (Shape::line(ny, 256), nx as i32, ny as i32);
    trial!(ground, shape, bicg(nx, ny, &da, &dr, &mut s.memory), original(nx, ny, &da, &dr, &s.memory), [s])
}

#[gpu_kernel]
fn gesummv(n: u32, alpha: f32, beta: f32, a: &[f32], b: &[f32], x: &[f32], y: &mut [f32]) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i < n {
        let mut by_a = 0.0;
        let mut by_b = 0.0;
        for j in 0..n {
            by_a += a[i * n + j] * x[j];
            by_b += b[i * n + j] * x[j];
        }
        y[i] = alpha * by_a + beta * by_b;
    }
}

fn gesummv_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(100, 4096);
    let (a, b, x) = (ground.floats(n * n), ground.floats(n * n), ground.floats(n));
    let (da, db, dx) = (ground.up(&a)?, ground.up(&b)?, ground.up(&x)?);
    let mut y = ground.blank(
        n,
        near(1e-3, move |i| {
            let dot = |m: &[f32]| (0..n).map(|j| f64::from(m[i * n + j]) * f64::from(x[j])).sum::<f64>();
            (1.5 * dot(&a) + 1.2 * dot(&b)) as f32
        }),
    )?;
    trial!(
        ground,
        Shape::line(n, 128),
        gesummv(n as u32, 1.5, 1.2, &da, &db, &dx, &mut y.memory),
        original(n as i32, 1.5f32, 1.2f32, &da, &db, &dx, &y.memory),
        [y]
    )
}

#[gpu_kernel]
fn trmm(a: &[f32], b: &[f32], out: &mut [f32], n: usize, m: usize) {
    let j = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    let i = (block_idx().y * block_dim().y + thread_idx().y) as usize;
    if i < n && j < m {
        let mut sum = 0.0;
        for k in 0..=i {
            sum += a[i * n + k] * b[k * m + j];
        }
        out[i * m + j] = sum;
    }
}

fn trmm_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, m] = ground.pick([23, 40], [1024, 1024]);
    let (a, b) = (ground.floats(n * n), ground.floats(n * m));
    let (da, db) = (ground.up(&a)?, ground.up(&b)?);
    let mut out = ground.blank(
        n * m,
        near(1e-4, move |at| {
            let (i, j) = (at / m, at % m);
            (0..=i).map(|k| f64::from(a[i * n + k]) * f64::from(b[k * m + j])).sum::<f64>() as f32
        }),
    )?;
    trial!(
        ground,
        Shape::plane([m, n], [32, 8]),
        trmm(&da, &db, &mut out.memory, n, m),
        original(&da, &db, &out.memory, n as i32, m as i32),
        [out]
    )
}

#[gpu_kernel]
fn covariance(data: &[f32], mean: &[f32], cov: &mut [f32], n: usize, m: usize) {
    let j1 = global_id();
    if j1 < m {
        for j2 in j1..m {
            let mut sum = 0.0;
            for i in 0..n {
                sum += (data[i * m + j1] - mean[j1]) * (data[i * m + j2] - mean[j2]);
            }
            cov[j1 * m + j2] = sum / (n as f32 - 1.0);
            cov[j2 * m + j1] = cov[j1 * m + j2];
        }
    }
}

fn covariance_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, m] = ground.pick([30, 37], [64, 512]);
    let data = ground.floats(n * m);
    let mean: Vec<f32> =
        (0..m).map(|j| ((0..n).map(|i| f64::from(data[i * m + j])).sum::<f64>() / n as f64) as f32).collect();
    let (dd, dm) = (ground.up(&data)?, ground.up(&mean)?);
    let mut cov = ground.blank(
        m * m,
        near(1e-4, move |at| {
            let off = |i: usize, j: usize| f64::from(data[i * m + j]) - f64::from(mean[j]);
            ((0..n).map(|i| off(i, at / m) * off(i, at % m)).sum::<f64>() / (n as f64 - 1.0)) as f32
        }),
    )?;
    trial!(
        ground,
        Shape::line(m, 64),
        covariance(&dd, &dm, &mut cov.memory, n, m),
        original(&dd, &dm, &cov.memory, n as i32, m as i32),
        [cov]
    )
}
