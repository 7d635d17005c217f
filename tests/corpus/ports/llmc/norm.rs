//! llm.c: layer normalisation, forward by a warp a row and from shared memory, and backward.

use harness::{noise, written};
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{assert_close, down, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("llmc_layernorm_forward3", layernorm_forward3, a_warp_normalises_a_row),
        port!("llmc_layernorm_forward6", layernorm_forward6, rows_are_normalised_from_shared_memory),
        port!("llmc_layernorm_backward", layernorm_backward, gradients_of_a_normalised_row),
    ]
}

#[gpu_fn]
fn warp_reduce_sum(mut val: f32) -> f32 {
    let mut offset = 16;
    while offset > 0 {
        val += shfl_xor_sync(0xffff_ffff, val, offset, 32);
        offset /= 2;
    }
    val
}

/// `layernorm_forward_kernel3`: a warp a row.
#[gpu_kernel]
fn layernorm_forward3(
    out: &mut [f32],
    mean: &mut [f32],
    rstd: &mut [f32],
    inp: &[f32],
    weight: &[f32],
    bias: &[f32],
    n: usize,
    c: usize,
) {
    let warp = warp_tile::<32>();
    let idx = (block_idx().x * (block_dim().x / 32) + warp.rank_in_warp() + thread_idx().x / 32) as usize;
    if idx >= n {
        return;
    }
    let x = &inp[idx * c..(idx + 1) * c];
    let lanes = warp.size() as usize;
    let lane = warp.thread_rank() as usize;

    let mut sum = 0.0;
    for i in (lane..c).step_by(lanes) {
        sum += x[i];
    }
    let m = warp.sum(sum) / c as f32;
    if lane == 0 && !mean.is_empty() {
        store_streaming(&mut mean[idx], m);
    }

    let mut sum = 0.0f32;
    for v in x.iter().skip(lane).step_by(lanes) {
        let diff = v - m;
        sum += diff * diff;
    }
    let s = rsqrt(warp.reduce(sum, |a, b| a + b) / c as f32 + 1e-5);
    if lane == 0 && !rstd.is_empty() {
        store_streaming(&mut rstd[idx], s);
    }

    let o = &mut out[idx * c..][..c];
    for col in (lane..c).step_by(lanes) {
        let n = s * (load_streaming(&x[col]) - m);
        store_streaming(&mut o[col], n * weight[col] + bias[col]);
    }
}

fn normalised(x: &[f32], weight: &[f32], bias: &[f32]) -> (Vec<f32>, f64, f64) {
    let c = x.len() as f64;
    let mean = x.iter().map(|v| f64::from(*v)).sum::<f64>() / c;
    let variance = x.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum::<f64>() / c;
    let rstd = 1.0 / (variance + 1e-5).sqrt();
    let row = x.iter().enumerate();
    let row = row.map(|(i, v)| ((f64::from(*v) - mean) * rstd) as f32 * weight[i] + bias[i]).collect();
    (row, mean, rstd)
}

/// Asserts that rows came out normalised, with their means and deviations.
#[track_caller]
fn assert_normalised([x, weight, bias]: [&[f32]; 3], out: &[f32], [mean, rstd]: [Vec<f32>; 2]) {
    let c = weight.len();
    for (i, row) in x.chunks(c).enumerate() {
        let (want, m, s) = normalised(row, weight, bias);
        assert_close(&out[i * c..][..c], &want, 1e-5);
        assert_close(&[mean[i], rstd[i]], &[m as f32, s as f32], 1e-5);
    }
}

fn a_warp_normalises_a_row(device: &Device) {
    let (n, c) = (6usize, 40usize);
    let (x, w, b) = (noise(n * c, 1), noise(c, 2), noise(c, 3));
    let upload = |v: &[f32]| up(device, v);
    let (dx, dw, db) = (upload(&x), upload(&w), upload(&b));
    let (mut mean, mut rstd) = (upload(&vec![f32::NAN; n]), upload(&vec![f32::NAN; n]));
    let out = written(device, (n * c, f32::NAN), |out| {
        layernorm_forward3(out, &mut mean, &mut rstd, &dx, &dw, &db, n, c).grid(2).block(128).launch(device)
    });
    assert_normalised([&x, &w, &b], &out, [down(device, &mean), down(device, &rstd)]);
}

/// `layernorm_forward_kernel6`: rows in shared memory, one warp in y.
#[gpu_kernel]
fn layernorm_forward6(
    out: &mut [F32x4],
    mean: &mut [f32],
    rstd: &mut [f32],
    inp: &[F32x4],
    weight: &[F32x4],
    bias: &[F32x4],
    n: u32,
    c: u32,
) {
    let vectors = c / 4;
    let mut params = dynamic_shared::<F32x4>();
    let (s_weight, rest) = params.split_at_mut(vectors);
    let (s_bias, rest) = rest.split_at_mut(vectors);
    let s_in = &mut rest[(thread_idx().y * vectors) as usize..][..vectors as usize];

    let sidx = thread_idx().x + 32 * thread_idx().y;
    for i in (sidx..vectors).step_by((32 * block_dim().y) as usize) {
        s_weight[i] = weight[i];
        s_bias[i] = bias[i];
    }
    sync_threads();

    let idx = block_idx().x * block_dim().y + thread_idx().y;
    if idx >= n {
        return;
    }
    let inp = &inp[(idx * vectors) as usize..];
    let out = &mut out[(idx * vectors) as usize..];

    let mut sum = 0.0;
    for i in (thread_idx().x..vectors).step_by(32) {
        let in_data = inp[i];
        for k in 0..4 {
            sum += in_data[k];
        }
        s_in[i] = in_data;
    }
    let m = warp_reduce_sum(sum) / c as f32;
    let mut v = 0.0;
    for i in (thread_idx().x..vectors).step_by(32) {
        let diff = s_in[i] - F32x4::splat(m);
        v += diff.dot(diff);
    }
    let s = (warp_reduce_sum(v) / c as f32 + 1e-5).sqrt().recip();
    for i in (thread_idx().x..vectors).step_by(32) {
        out[i] = (s_in[i] - m) * s * s_weight[i] + s_bias[i];
    }
    if thread_idx().x == 0 {
        mean[idx] = m;
        rstd[idx] = s;
    }
}

fn rows_are_normalised_from_shared_memory(device: &Device) {
    let (n, c) = (5usize, 48usize);
    let (x, w, b) = (noise(n * c, 4), noise(c, 5), noise(c, 6));
    let upload = |v: &[f32]| {
        let packed: Vec<F32x4> = v.chunks(4).map(|v| F32x4::new(v[0], v[1], v[2], v[3])).collect();
        up(device, &packed)
    };
    let (dx, dw, db) = (upload(&x), upload(&w), upload(&b));
    let mut mean = up(device, &vec![f32::NAN; n]);
    let mut rstd = up(device, &vec![f32::NAN; n]);
    let out = written(device, (n * c / 4, F32x4::splat(f32::NAN)), |out| {
        layernorm_forward6(out, &mut mean, &mut rstd, &dx, &dw, &db, n as u32, c as u32)
            .grid(3)
            .block([32, 2])
            .dynamic_shared((2 + 2) * c * 4)
            .launch(device)
    });
    let out: Vec<f32> = out.iter().flat_map(|v| [v.x, v.y, v.z, v.w]).collect();
    assert_normalised([&x, &w, &b], &out, [down(device, &mean), down(device, &rstd)]);
}

/// `layernorm_backward_kernel2`: partial sums of the parameters in shared memory.
#[gpu_kernel]
fn layernorm_backward(
    dinp: &mut [f32],
    dweight: &mut [f32],
    dbias: &mut [f32],
    dout: &[f32],
    inp: &[f32],
    weight: &[f32],
    mean: &[f32],
    rstd: &[f32],
    b: i32,
    t: i32,
    c: i32,
) {
    let mut shared = dynamic_shared::<f32>();
    let warp = warp_tile::<32>();
    let warps = block_dim().x / 32;
    let base_idx = (block_idx().x * warps + thread_idx().x / warp.size()) as i32;

    let (dbias_shared, dweight_shared) = shared.split_at_mut(c as usize);
    #[unroll(4)]
    for i in (thread_idx().x as usize..c as usize).step_by(block_dim().x as usize) {
        dbias_shared[i] = 0.0f32;
        dweight_shared[i] = 0.0f32;
    }
    sync_threads();

    let warps_in_grid = (grid_dim().x * warps) as i32;
    let mut idx = base_idx;
    while idx < b * t {
        let (bb, tt) = (idx / t, idx % t);
        let row = (bb * t * c + tt * c) as usize;
        let dout_bt = &dout[row..row + c as usize];
        let inp_bt = &inp[row..row + c as usize];
        let dinp_bt = &mut dinp[row..row + c as usize];
        let (mean_bt, rstd_bt) = (mean[bb * t + tt], rstd[bb * t + tt]);

        let (mut dnorm_mean, mut dnorm_norm_mean) = (0.0f32, 0.0f32);
        let mut i = warp.thread_rank() as i32;
        while i < c {
            let norm_bti = (inp_bt[i] - mean_bt) * rstd_bt;
            let dnorm_i = weight[i] * dout_bt[i];
            dnorm_mean += dnorm_i;
            dnorm_norm_mean += dnorm_i * norm_bti;
            i += warp.size() as i32;
        }
        dnorm_mean = warp.sum(dnorm_mean) / c as f32;
        dnorm_norm_mean = warp.sum(dnorm_norm_mean) / c as f32;

        for i in (warp.thread_rank() as i32..c).step_by(32) {
            let norm_bti = (inp_bt[i] - mean_bt) * rstd_bt;
            let dnorm_i = weight[i] * dout_bt[i];
            atomic_add(&mut dbias_shared[i], dout_bt[i]);
            atomic_add(&mut dweight_shared[i], norm_bti * dout_bt[i]);
            let mut dval = 0.0;
            dval += dnorm_i;
            dval -= dnorm_mean;
            dval -= norm_bti * dnorm_norm_mean;
            dval *= rstd_bt;
            dinp_bt[i] += dval;
        }
        idx += warps_in_grid;
    }
    sync_threads();

    for i in (thread_idx().x as i32..c).step_by(block_dim().x as usize) {
        atomic_add(&mut dbias[i], dbias_shared[i]);
        atomic_add(&mut dweight[i], dweight_shared[i]);
    }
}

fn gradients_of_a_normalised_row(device: &Device) {
    let (b, t, c) = (2usize, 3usize, 40usize);
    let (x, w, d) = (noise(b * t * c, 7), noise(c, 8), noise(b * t * c, 9));
    let rows: Vec<_> = x.chunks(c).map(|row| normalised(row, &w, &w)).collect();
    let upload = |v: &[f32]| up(device, v);
    let mean: Vec<f32> = rows.iter().map(|r| r.1 as f32).collect();
    let rstd: Vec<f32> = rows.iter().map(|r| r.2 as f32).collect();
    let (mut dweight, mut dbias) = (upload(&vec![0.0; c]), upload(&vec![0.0; c]));
    let (dd, dx, dw, dm, dr) = (upload(&d), upload(&x), upload(&w), upload(&mean), upload(&rstd));
    let dinp = written(device, (b * t * c, 1.0), |dinp| {
        layernorm_backward(
            dinp,
            &mut dweight,
            &mut dbias,
            &dd,
            &dx,
            &dw,
            &dm,
            &dr,
            b as i32,
            t as i32,
            c as i32,
        )
        .grid(2)
        .block(64)
        .dynamic_shared(2 * c * 4)
        .launch(device)
    });
    let (mut want_w, mut want_b, mut want) = (vec![0.0f32; c], vec![0.0f32; c], Vec::new());
    for r in 0..b * t {
        let norm: Vec<f32> = (0..c).map(|i| (x[r * c + i] - mean[r]) * rstd[r]).collect();
        let dnorm: Vec<f32> = (0..c).map(|i| w[i] * d[r * c + i]).collect();
        let first = dnorm.iter().sum::<f32>() / c as f32;
        let second = dnorm.iter().zip(&norm).map(|(a, b)| a * b).sum::<f32>() / c as f32;
        for i in 0..c {
            want.push(1.0 + (dnorm[i] - first - norm[i] * second) * rstd[r]);
            want_b[i] += d[r * c + i];
            want_w[i] += norm[i] * d[r * c + i];
        }
    }
    assert_close(&dinp, &want, 1e-4);
    assert_close(&down(device, &dweight), &want_w, 1e-4);
    assert_close(&down(device, &dbias), &want_b, 1e-4);
}
