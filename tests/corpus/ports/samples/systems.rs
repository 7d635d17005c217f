//! cuda-samples on systems: bodies, conjugate gradients, products whose tiles are copied ahead.

use core::ops::{AddAssign, Mul};

use harness::{noise, written};
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{assert_close, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("samples_nbody@f64", nbody<f64>, |device| attract::<f64>(device, 1e-9)),
        port!("samples_nbody@f32", nbody<f32>, |device| attract::<f32>(device, 1e-3)),
        port!("samples_conjugate_gradient", conjugate_gradient, a_system_is_solved_in_one_launch),
        port!("samples_matmul_async", matmul_async<8>, tiles_are_copied_ahead),
    ]
}

/// Vectors of three of any float.
trait Real: Float + Mul<Output = Self> + AddAssign {
    const SOFTENING: Self;
}

impl Real for f32 {
    const SOFTENING: f32 = 0.01;
}

impl Real for f64 {
    const SOFTENING: f64 = 0.01;
}

/// `bodyBodyInteraction`
#[gpu_fn]
fn body_body_interaction<T: Real>(ai: &mut [T; 3], bi: [T; 4], bj: [T; 4]) {
    let mut r = [T::ZERO; 3];
    for k in 0..3 {
        r[k] = bj[k] - bi[k];
    }
    let mut dist_sqr = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    dist_sqr += T::SOFTENING;
    let inv_dist = T::ONE / dist_sqr.sqrt();
    let s = bj[3] * (inv_dist * inv_dist * inv_dist);
    for k in 0..3 {
        ai[k] += r[k] * s;
    }
}

/// `integrateBodies`, tile after tile of bodies in shared memory.
#[gpu_kernel]
fn nbody<T: Real>(accel: &mut [[T; 3]], positions: &[[T; 4]], num_tiles: u32) {
    let mut shared_pos = shared!([[T; 4]; 32]);
    let index = global_id();
    let position = positions[index];
    let mut acc = [T::ZERO; 3];
    for tile in 0..num_tiles {
        for k in 0..4 {
            shared_pos[thread_idx().x][k] = positions[tile * block_dim().x + thread_idx().x][k];
        }
        sync_threads();
        #[unroll(8)]
        for counter in 0..block_dim().x {
            let mut other = [T::ZERO; 4];
            for k in 0..4 {
                other[k] = shared_pos[counter][k];
            }
            body_body_interaction(&mut acc, position, other);
        }
        sync_threads();
    }
    accel[index] = acc;
}

fn attract<T: Real>(device: &Device, tolerance: f64) {
    let n = 96usize;
    let bodies: Vec<[T; 4]> =
        noise(n * 4, 4).chunks(4).map(|v| [v[0], v[1], v[2], v[3].abs()].map(|v| v.cast())).collect();
    let input = up(device, &bodies);
    let out =
        written(device, (n, [T::HIGHEST; 3]), |out| nbody(out, &input, 3).grid(3).block(32).launch(device));
    let exact = |body: &[T; 4]| body.map(|v| v.cast::<f64>());
    for (b, got) in bodies.iter().zip(&out) {
        let (b, got, mut want) = (exact(b), got.map(|v| v.cast::<f64>()), [0.0; 3]);
        for o in bodies.iter().map(exact) {
            let d = [o[0] - b[0], o[1] - b[1], o[2] - b[2]];
            let inv = 1.0 / (d.iter().map(|v| v * v).sum::<f64>() + 0.01).sqrt();
            (0..3).for_each(|k| want[k] += d[k] * o[3] * inv.powi(3));
        }
        (0..3).for_each(|k| assert!((got[k] - want[k]).abs() < tolerance, "{got:?}, not {want:?}"));
    }
}

/// `gpuConjugateGradient`: everything in one cooperative launch, dot products by atomics.
#[gpu_fn]
fn spmv(i: &[i32], j: &[i32], val: &[f32], x: &[f32], y: &mut [f32]) {
    for row in (global_id()..y.len()).step_by(global_size()) {
        let mut output = 0.0;
        for k in i[row]..i[row + 1] {
            output += val[k] * volatile_load(&x[j[k]]);
        }
        y[row] = output;
    }
}

#[gpu_fn]
fn dot_product(a: &[f32], b: &[f32], result: &mut f64) {
    let mut temp = 0.0f64;
    for k in (global_id()..a.len()).step_by(global_size()) {
        temp += (volatile_load(&a[k]) * volatile_load(&b[k])) as f64;
    }
    let tile = warp_tile::<32>();
    temp = tile.sum(temp);
    if tile.thread_rank() == 0 {
        atomic_add(result, temp);
    }
}

#[gpu_kernel]
fn conjugate_gradient(
    i: &[i32],
    j: &[i32],
    val: &[f32],
    x: &mut [f32],
    ax: &mut [f32],
    p: &mut [f32],
    r: &mut [f32],
    dots: &mut [f64],
    tol: f32,
    max_iter: u32,
) {
    spmv(i, j, val, x, ax);
    grid_sync();
    for k in (global_id()..r.len()).step_by(global_size()) {
        r[k] -= ax[k];
        p[k] = r[k];
    }
    grid_sync();
    dot_product(r, r, &mut dots[0]);
    grid_sync();
    let mut r1 = uniform(volatile_load(&dots[0]) as f32);
    let mut k = 1;
    while r1 > tol * tol && k <= max_iter {
        spmv(i, j, val, p, ax);
        grid_sync();
        dot_product(p, ax, &mut dots[2 * k - 1]);
        grid_sync();
        let a = r1 / volatile_load(&dots[2 * k - 1]) as f32;
        for n in (global_id()..x.len()).step_by(global_size()) {
            x[n] += a * p[n];
            r[n] -= a * ax[n];
        }
        grid_sync();
        dot_product(r, r, &mut dots[2 * k]);
        grid_sync();
        let r0 = r1;
        r1 = uniform(volatile_load(&dots[2 * k]) as f32);
        let b = r1 / r0;
        for n in (global_id()..p.len()).step_by(global_size()) {
            p[n] = r[n] + b * p[n];
        }
        grid_sync();
        k += 1;
    }
}

fn a_system_is_solved_in_one_launch(device: &Device) {
    let n = 64usize;
    let (mut rows, mut cols, mut vals) = (vec![0i32], Vec::new(), Vec::new());
    for i in 0..n {
        for j in i.saturating_sub(1)..=(i + 1).min(n - 1) {
            cols.push(j as i32);
            vals.push(if i == j { 4.0f32 } else { 1.0 });
        }
        rows.push(cols.len() as i32);
    }
    let b = noise(n, 7);
    let (di, dj) = (up(device, &rows), up(device, &cols));
    let upload = |v: &[f32]| up(device, v);
    let (dv, mut r) = (upload(&vals), upload(&b));
    let (mut ax, mut p) = (upload(&vec![0.0; n]), upload(&vec![0.0; n]));
    let mut dots = up(device, &[0f64; 101]);
    let x = written(device, (n, 0.0f32), |x| {
        conjugate_gradient(&di, &dj, &dv, x, &mut ax, &mut p, &mut r, &mut dots, 1e-5, 50)
            .grid(1)
            .block(64)
            .cooperative()
            .launch(device)
    });
    let row = |i: usize| 4.0 * x[i] + if i > 0 { x[i - 1] } else { 0.0 } + x.get(i + 1).unwrap_or(&0.0);
    assert_close(&(0..n).map(row).collect::<Vec<_>>(), &b, 1e-4);
}

/// `MatrixMulAsyncCopyMultiStageSharedState`-like: two stages of tiles by `cp.async`.
#[gpu_kernel]
fn matmul_async<const B: usize>(c: &mut [f32], a: &[f32], b: &[f32], wa: usize, wb: usize) {
    let mut a_s = shared!([[[f32; B]; B]; 2]);
    let mut b_s = shared!([[[f32; B]; B]; 2]);
    let (tx, ty) = (thread_idx().x as usize, thread_idx().y as usize);
    let (a_begin, b_begin) = (wa * B * block_idx().y as usize, B * block_idx().x as usize);
    let tiles = wa / B;
    copy_async(&mut a_s[0][ty][tx], &a[a_begin + wa * ty + tx]);
    copy_async(&mut b_s[0][ty][tx], &b[b_begin + wb * ty + tx]);
    copy_async_commit();
    let mut c_sub = 0.0;
    for tile in 0..tiles {
        let stage = tile % 2;
        if tile + 1 < tiles {
            let next = tile + 1;
            copy_async(&mut a_s[1 - stage][ty][tx], &a[a_begin + next * B + wa * ty + tx]);
            copy_async(&mut b_s[1 - stage][ty][tx], &b[b_begin + next * B * wb + wb * ty + tx]);
        }
        copy_async_commit();
        copy_async_wait::<1>();
        sync_threads();
        for k in 0..B {
            c_sub += a_s[stage][ty][k] * b_s[stage][k][tx];
        }
        sync_threads();
    }
    c[(B * block_idx().y as usize + ty) * wb + b_begin + tx] = c_sub;
}

fn tiles_are_copied_ahead(device: &Device) {
    let (m, k, n) = (16usize, 32usize, 8usize);
    let (a, b) = (noise(m * k, 8), noise(k * n, 9));
    let (da, db) = (up(device, &a), up(device, &b));
    let out = written(device, (m * n, f32::NAN), |out| {
        matmul_async::<8>(out, &da, &db, k, n).grid([1, 2]).block([8, 8]).launch(device)
    });
    let at = |i: usize| (0..k).map(|t| a[i / n * k + t] * b[t * n + i % n]).sum::<f32>();
    assert_close(&out, &(0..m * n).map(at).collect::<Vec<_>>(), 1e-5);
}
