//! Rodinia in medicine: particle filters, heart cells, leukocytes.

use harness::noise;
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{assert_close, down, integers, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("rodinia_likelihood", likelihood, particles_have_likelihoods),
        port!("rodinia_myocyte", myocyte, heart_cells_have_gates),
        port!("rodinia_gicov", gicov, leukocytes_are_circles),
    ]
}

const M: i64 = i32::MAX as i64;
const A: i64 = 1_103_515_245;
const C: i64 = 12345;

/// A number between 0 and 1 from a linear congruential generator, as Rodinia draws it.
#[gpu_fn]
fn randu(seed: &mut [i32], index: usize) -> f64 {
    let num = A * seed[index] as i64 + C;
    seed[index] = (num % M) as i32;
    (seed[index] as f64 / M as f64).abs()
}

#[gpu_fn]
fn randn(seed: &mut [i32], index: usize) -> f64 {
    use std::f64::consts::PI;
    let u = randu(seed, index);
    let v = randu(seed, index);
    let cosine = (2.0 * PI * v).cos();
    let rt = -2.0 * u.ln();
    rt.sqrt() * cosine
}

/// Particles move, and look at pixels around them.
#[gpu_kernel(fmad = false)]
fn likelihood(
    x: &mut [f64],
    y: &mut [f64],
    seed: &mut [i32],
    image: &[u8],
    size: [i32; 2],
    offsets: &[[i32; 2]],
    likelihoods: &mut [f64],
    partial: &mut [f64],
) {
    let mut buffer = shared!([f64; 32]);
    let i = global_id();
    buffer[thread_idx().x] = 0.0;
    if i < x.len() {
        x[i] += 1.0 + 5.0 * randn(seed, i);
        y[i] += -2.0 + 2.0 * randn(seed, i);
        let mut sum = 0.0;
        for &[dx, dy] in offsets {
            let (px, py) = (x[i].round() as i32 + dx, y[i].round() as i32 + dy);
            let index = (px * size[1] + py).unsigned_abs() as usize;
            let pixel = if index >= image.len() { image[0] } else { image[index] };
            sum += ((pixel as f64 - 100.0).powi(2) - f64::from(pixel as i32 - 228).powi(2)) / 50.0;
        }
        likelihoods[i] = sum / offsets.len() as f64;
        buffer[thread_idx().x] = likelihoods[i];
    }
    sync_threads();
    let mut s = block_dim().x / 2;
    while s > 0 {
        if thread_idx().x < s {
            buffer[thread_idx().x] += buffer[thread_idx().x + s];
        }
        sync_threads();
        s >>= 1;
    }
    if thread_idx().x == 0 {
        partial[block_idx().x] = buffer[0];
    }
}

fn particles_have_likelihoods(device: &Device) {
    let n = 50usize;
    let image: Vec<u8> = integers(400, 256, 101).iter().map(|v| *v as u8).collect();
    let offsets = [[0, 0], [1, -1], [-1, 0], [0, 2]];
    let seeds: Vec<i32> = (0..n as i32).map(|i| 1000 * i + 7).collect();
    let (mut x, mut y) = (up(device, &vec![10.0; n]), up(device, &vec![10.0; n]));
    let (mut seed, di, dof) = (up(device, &seeds), up(device, &image), up(device, &offsets));
    let (mut l, mut partial) = (up(device, &vec![f64::NAN; n]), up(device, &[f64::NAN; 2]));
    likelihood(&mut x, &mut y, &mut seed, &di, [20, 20], &dof, &mut l, &mut partial)
        .grid(2)
        .block(32)
        .launch(device)
        .unwrap();
    let got = down(device, &l);
    for i in 0..n {
        let mut s = i64::from(seeds[i]);
        let mut next = || {
            s = (1_103_515_245 * s + 12345) % 2_147_483_647;
            (s as f64 / 2_147_483_647.0).abs()
        };
        let mut normal = || (-2.0 * next().ln()).sqrt() * (std::f64::consts::TAU * next()).cos();
        let (px, py) = (10.0 + 1.0 + 5.0 * normal(), 10.0 - 2.0 + 2.0 * normal());
        let term = |[dx, dy]: &[i32; 2]| {
            let at = ((px.round() as i32 + dx) * 20 + py.round() as i32 + dy).unsigned_abs() as usize;
            let p = f64::from(*image.get(at).unwrap_or(&image[0]));
            ((p - 100.0).powi(2) - (p - 228.0).powi(2)) / 50.0
        };
        let want = offsets.iter().map(term).sum::<f64>() / 4.0;
        assert!((got[i] - want).abs() < 1e-9 * want.abs().max(1.0), "{i}: {} is not {want}", got[i]);
    }
    let sums = down(device, &partial);
    let want: [f64; 2] = [got[..32].iter().sum(), got[32..].iter().sum()];
    assert!((0..2).all(|b| (sums[b] - want[b]).abs() < 1e-6), "{sums:?} {want:?}");
}

/// The channels of a heart cell: one equation a match arm, as myocyte's master switches over them.
#[gpu_fn]
fn gate(kind: u32, v: f32, state: f32) -> f32 {
    let rates = match kind {
        0 => (0.32 * (v + 47.13) / (1.0 - (-0.1 * (v + 47.13)).exp()), 0.08 * (-v / 11.0).exp()),
        1 | 2 if v >= -40.0 => {
            let scale = if kind == 1 { 1.0 } else { 0.5 };
            (0.0, scale / (0.13 * (1.0 + ((v + 10.66) / -11.1).exp())))
        }
        1 | 2 => (0.135 * ((80.0 + v) / -6.8).exp(), 3.56 * (0.079 * v).exp()),
        k @ 3..=5 => {
            let tau = 1.0 / (k as f32 * 0.25 + v.abs().max(1e-3).ln_1p());
            (tau * v.tanh(), tau)
        }
        _ => (f32::EPSILON, 0.0),
    };
    let (a, b) = rates;
    a * (1.0 - state) - b * state
}

#[gpu_kernel]
fn myocyte(v: &[f32], states: &[f32], out: &mut [f32]) {
    let (cell, kind) = (thread_idx().y as usize, thread_idx().x);
    out[cell * 8 + kind as usize] = gate(kind, v[cell], states[cell * 8 + kind as usize]);
}

fn heart_cells_have_gates(device: &Device) {
    let (v, states) = ([-80.0, -40.0, 5.0], noise(24, 111));
    let (dv, ds) = (up(device, &v), up(device, &states));
    let mut out = up(device, &[f32::NAN; 24]);
    myocyte(&dv, &ds, &mut out).grid(1).block([8, 3]).launch(device).unwrap();
    let mut want = vec![];
    for (i, s) in states.iter().enumerate() {
        let (kind, v, s) = (i % 8, f64::from(v[i / 8]), f64::from(*s));
        let open = (v + 47.13, 1.0 / (0.13 * (1.0 + ((v + 10.66) / -11.1).exp())));
        let tau = 1.0 / (kind as f64 * 0.25 + v.abs().ln_1p());
        let (a, b) = match kind {
            0 => (0.32 * open.0 / (1.0 - (-0.1 * open.0).exp()), 0.08 * (-v / 11.0).exp()),
            1 | 2 if v >= -40.0 => (0.0, open.1 / kind as f64),
            1 | 2 => (0.135 * ((80.0 + v) / -6.8).exp(), 3.56 * (0.079 * v).exp()),
            3..6 => (tau * v.tanh(), tau),
            _ => (f64::from(f32::EPSILON), 0.0),
        };
        want.push((a * (1.0 - s) - b * s) as f32);
    }
    assert_close(&down(device, &out), &want, 1e-4);
}

/// Gradient inverse coefficient of variation on circles (leukocyte).
#[gpu_kernel(fmad = false)]
fn gicov(grad_x: &[f32], grad_y: &[f32], out: &mut [f32], width: i32) {
    const NPOINTS: usize = 8;
    const RADII: [i32; 3] = [2, 3, 4];
    const SIN: [f32; NPOINTS] = [0.0, 0.7, 1.0, 0.7, 0.0, -0.7, -1.0, -0.7];
    let i = global_id() as i32;
    let height = grad_x.len() as i32 / width;
    let (row, col) = (i / width, i % width);
    let margin = RADII[RADII.len() - 1];
    if !(margin..height - margin).contains(&row) || !(margin..width - margin).contains(&col) {
        return;
    }
    let mut max_gicov = 0f32;
    for radius in RADII {
        let mut grads = [0f32; NPOINTS];
        let mut sum = 0.0;
        for n in 0..NPOINTS {
            let (sin, cos) = (SIN[n], SIN[(n + 2) % NPOINTS]);
            let y = row + (sin * radius as f32) as i32;
            let x = col + (cos * radius as f32) as i32;
            let at = (y * width + x) as usize;
            grads[n] = grad_x[at] * cos + grad_y[at] * sin;
            sum += grads[n];
        }
        let mean = sum / NPOINTS as f32;
        let mut variance = 0.0;
        for g in grads.iter() {
            variance += (g - mean).powi(2);
        }
        variance /= (NPOINTS - 1) as f32;
        max_gicov = max_gicov.max(mean * mean / variance);
    }
    out[i as usize] = max_gicov;
}

fn leukocytes_are_circles(device: &Device) {
    let (w, h) = (14usize, 12usize);
    let (gx, gy) = (noise(w * h, 121), noise(w * h, 122));
    let (dx, dy) = (up(device, &gx), up(device, &gy));
    let mut out = up(device, &vec![-1.0; w * h]);
    gicov(&dx, &dy, &mut out, w as i32).over(w * h).block(64).launch(device).unwrap();
    let mut want = vec![-1.0; w * h];
    let sin = [0.0f32, 0.7, 1.0, 0.7, 0.0, -0.7, -1.0, -0.7];
    for row in 4..h - 4 {
        for col in 4..w - 4 {
            let of = |r: f32| {
                let g: Vec<f32> = (0..8usize)
                    .map(|n| {
                        let (s, c) = (sin[n], sin[(n + 2) % 8]);
                        let at = (row as i32 + (s * r) as i32) as usize * w
                            + (col as i32 + (c * r) as i32) as usize;
                        gx[at] * c + gy[at] * s
                    })
                    .collect();
                let mean = g.iter().sum::<f32>() / 8.0;
                mean * mean / (g.iter().map(|g| (g - mean).powi(2)).sum::<f32>() / 7.0)
            };
            want[row * w + col] = [2.0, 3.0, 4.0].map(of).into_iter().fold(0.0, f32::max);
        }
    }
    assert_close(&down(device, &out), &want, 1e-3);
}
