//! Layers of networks: groups and rows that are normalized, recurrences along sequences, and sums at indices.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "networks",
    originals: include_str!("networks.cu"),
    kernels: &[
        Unseen {
            name: "group_norm",
            class: "group a block, folds of pairs, zipped parts, usize",
            make: group_norm_trial,
        },
        Unseen {
            name: "alibi_softmax",
            class: "row a block, dynamic shared, i32",
            make: alibi_softmax_trial,
        },
        Unseen {
            name: "selective_scan",
            class: "recurrence, const generic state, zips, usize",
            make: selective_scan_trial,
        },
        Unseen { name: "wkv", class: "recurrence along columns, u32", make: wkv_trial },
        Unseen {
            name: "scatter_add",
            class: "sums at indices, generic helper, usize",
            make: scatter_add_trial,
        },
    ],
};

/// The sums of what all threads of a block have.
#[gpu_fn]
fn block_sums((mut a, mut b): (f32, f32), partial: &mut [(f32, f32)]) -> (f32, f32) {
    for by in [16, 8, 4, 2, 1] {
        a += shfl_xor(a, by);
        b += shfl_xor(b, by);
    }
    if lane_id() == 0 {
        partial[warp_id()] = (a, b);
    }
    sync_threads();
    let warps = block_dim().x as usize / 32;
    partial[..warps].iter().fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d))
}

/// Groups of channels with mean 0 and variance 1, scaled and moved by channel; a block has a group of an image.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn group_norm(
    x: &[f32],
    weight: &[f32],
    bias: &[f32],
    out: &mut [f32],
    channels: usize,
    groups: usize,
    plane: usize,
) {
    let mut partial = shared!([(f32, f32); 32]);
    let per_group = channels / groups;
    let size = per_group * plane;
    let g = block_idx().x as usize;
    let t = thread_idx().x as usize;
    let threads = block_dim().x as usize;
    let group = &x[g * size..][..size];
    let own = group.iter().skip(t).step_by(threads).fold((0.0, 0.0), |(s, q), v| (s + v, q + v * v));
    let (sum, squares) = block_sums(own, &mut partial);
    let mean = sum / size as f32;
    let variance = squares / size as f32 - mean * mean;
    let scale = rsqrt(variance + 1e-5);
    let to = &mut out[g * size..][..size];
    for (i, (to, v)) in to.iter_mut().zip(group).enumerate().skip(t).step_by(threads) {
        let c = g % groups * per_group + i / plane;
        *to = (v - mean) * scale * weight[c] + bias[c];
    }
}

fn group_norm_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [images, channels, groups, plane, block] = ground.pick([2, 6, 3, 35, 64], [64, 320, 32, 1024, 256]);
    let count = images * channels * plane;
    let size = channels / groups * plane;
    let x = ground.floats(count);
    let (weight, bias) = (ground.floats(channels), ground.floats(channels));
    let (dx, dw, db) = (ground.up(&x)?, ground.up(&weight)?, ground.up(&bias)?);
    let want = move |at: usize| {
        let group = &x[at / size * size..][..size];
        let mean = group.iter().map(|v| f64::from(*v)).sum::<f64>() / size as f64;
        let variance = group.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum::<f64>() / size as f64;
        let c = at / plane % channels;
        let v = (f64::from(x[at]) - mean) / (variance + 1e-5).sqrt();
        (v * f64::from(weight[c]) + f64::from(bias[c])) as f32
    };
    let mut out = ground.blank(count, near(1e-3, want))?;
    let shape = Shape::blocks([(images * groups) as u32, 1, 1], [block as u32, 1, 1]);
    let [c, g, p] = [channels, groups, plane].map(|n| n as i32);
    trial!(
        ground,
        shape,
        group_norm(&dx, &dw, &db, &mut out.memory, channels, groups, plane),
        original(&dx, &dw, &db, &out.memory, c, g, p),
        [out]
    )
}

/// The largest of what the lanes of a warp have.
#[gpu_fn]
fn warp_max(v: f32) -> f32 {
    let mut v = v;
    for by in [16, 8, 4, 2, 1] {
        v = v.max(shfl_xor(v, by));
    }
    v
}

/// The sum of what the lanes of a warp have.
#[gpu_fn]
fn warp_sum(v: f32) -> f32 {
    let mut v = v;
    for by in [16, 8, 4, 2, 1] {
        v += shfl_xor(v, by);
    }
    v
}

/// Softmax of the scores of a head up to each row's own column, with a slope of the head; a block has a row.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn alibi_softmax(
    x: &[f32],
    dst: &mut [f32],
    ncols: i32,
    nrows: i32,
    scale: f32,
    m0: f32,
    m1: f32,
    n_head_log2: i32,
) {
    let mut data = dynamic_shared::<f32>();
    let (buf_iw, vals) = data.split_at_mut(32);
    let tid = thread_idx().x as i32;
    let block_size = block_dim().x as i32;
    let row = block_idx().x as i32;
    let head = row / nrows;
    let pos = row % nrows;
    let lane = tid % 32;
    let warp = tid / 32;
    let base = if head < n_head_log2 { m0 } else { m1 };
    let exponent = if head < n_head_log2 { head + 1 } else { 2 * (head - n_head_log2) + 1 };
    let slope = base.powf(exponent as f32);
    let mut max_val = f32::NEG_INFINITY;
    let mut col = tid;
    while col < ncols {
        let ix = row * ncols + col;
        let val = if col <= pos { x[ix] * scale + slope * (col - pos) as f32 } else { f32::NEG_INFINITY };
        vals[col] = val;
        max_val = max_val.max(val);
        col += block_size;
    }
    max_val = warp_max(max_val);
    if block_size > 32 {
        if warp == 0 {
            buf_iw[lane] = f32::NEG_INFINITY;
        }
        sync_threads();
        if lane == 0 {
            buf_iw[warp] = max_val;
        }
        sync_threads();
        max_val = buf_iw[lane];
        max_val = warp_max(max_val);
    }
    let mut tmp = 0.0;
    let mut col = tid;
    while col < ncols {
        let val = (vals[col] - max_val).exp();
        tmp += val;
        vals[col] = val;
        col += block_size;
    }
    tmp = warp_sum(tmp);
    if block_size > 32 {
        sync_threads();
        if warp == 0 {
            buf_iw[lane] = 0.0;
        }
        sync_threads();
        if lane == 0 {
            buf_iw[warp] = tmp;
        }
        sync_threads();
        tmp = buf_iw[lane];
        tmp = warp_sum(tmp);
    }
    let inv_sum = 1.0 / tmp;
    let mut col = tid;
    while col < ncols {
        dst[row * ncols + col] = vals[col] * inv_sum;
        col += block_size;
    }
}

fn alibi_softmax_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [heads, nrows, block] = ground.pick([3, 40, 64], [32, 1024, 256]);
    let ncols = nrows;
    let x = ground.between(heads * nrows * ncols, -8.0..8.0);
    let dx = ground.up(&x)?;
    let (scale, m0, m1, n_head_log2) = (0.5f32, 0.7f32, 0.8f32, heads / 2 + 1);
    let want = move |at: usize| {
        let (row, col) = (at / ncols, at % ncols);
        let (head, pos) = (row / nrows, row % nrows);
        let slope = if head < n_head_log2 {
            f64::from(m0).powi(head as i32 + 1)
        } else {
            f64::from(m1).powi(2 * (head - n_head_log2) as i32 + 1)
        };
        let score = |c: usize| (f64::from(x[row * ncols + c] * scale) - slope * (pos - c) as f64).exp();
        if col > pos { 0.0 } else { (score(col) / (0..=pos).map(score).sum::<f64>()) as f32 }
    };
    let mut dst = ground.blank(heads * nrows * ncols, near(1e-4, want))?;
    let shape = Shape::blocks([(heads * nrows) as u32, 1, 1], [block as u32, 1, 1]).shared(4 * (32 + ncols));
    let [ncols, nrows, heads] = [ncols, nrows, n_head_log2].map(|n| n as i32);
    trial!(
        ground,
        shape,
        alibi_softmax(&dx, &mut dst.memory, ncols, nrows, scale, m0, m1, heads),
        original(&dx, &dst.memory, ncols, nrows, scale, m0, m1, heads),
        [dst]
    )
}

/// What a channel of a state space remembers.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Memory<const N: usize> {
    h: [f32; N],
}

#[gpu_impl]
impl<const N: usize> Memory<N> {
    fn new() -> Self {
        Memory { h: [0.0; N] }
    }

    /// Goes on by a step, and gives what the memory shows.
    fn step(&mut self, dt: f32, u: f32, a: &[f32], b: &[f32], c: &[f32]) -> f32 {
        let input = dt * u;
        let mut sum = 0.0;
        for (((h, a), b), c) in self.h.iter_mut().zip(a).zip(b).zip(c) {
            *h = *h * (dt * a).exp() + input * b;
            sum += *h * c;
        }
        sum
    }
}

#[gpu_fn]
fn softplus(x: f32) -> f32 {
    if x > 20.0 { x } else { x.exp().ln_1p() }
}

const STATES: usize = 16;

/// Selective state spaces along sequences; a thread has a channel.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn selective_scan(
    u: &[f32],
    delta: &[f32],
    a: &[f32],
    b: &[f32],
    c: &[f32],
    d: &[f32],
    y: &mut [f32],
    length: usize,
) {
    let channels = d.len();
    let i = global_id();
    if i >= y.len() / length {
        return;
    }
    let (batch, channel) = (i / channels, i % channels);
    let mut memory = Memory::<STATES>::new();
    let a = &a[channel * STATES..][..STATES];
    for step in batch * length..(batch + 1) * length {
        let at = step * channels + channel;
        let dt = softplus(delta[at]);
        let states = step * STATES..(step + 1) * STATES;
        let shown = memory.step(dt, u[at], a, &b[states.clone()], &c[states]);
        y[at] = shown + d[channel] * u[at];
    }
}

fn selective_scan_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [batches, channels, length] = ground.pick([2, 35, 9], [8, 4096, 128]);
    let count = batches * channels * length;
    let (u, delta) = (ground.floats(count), ground.between(count, -3.0..1.0));
    let a = ground.between(channels * STATES, -2.0..0.0);
    let (b, c) = (ground.floats(batches * length * STATES), ground.floats(batches * length * STATES));
    let d = ground.floats(channels);
    let (du, ddelta, da) = (ground.up(&u)?, ground.up(&delta)?, ground.up(&a)?);
    let (db, dc, dd) = (ground.up(&b)?, ground.up(&c)?, ground.up(&d)?);
    let want = move |at: usize| {
        let (channel, last) = (at % channels, at / channels);
        let mut y = f64::from(d[channel]) * f64::from(u[at]);
        for n in 0..STATES {
            let mut h = 0.0;
            for step in last / length * length..=last {
                let at = step * channels + channel;
                let dt = (1.0 + f64::from(delta[at]).exp()).ln();
                let input = dt * f64::from(u[at]) * f64::from(b[step * STATES + n]);
                h = h * (dt * f64::from(a[channel * STATES + n])).exp() + input;
            }
            y += h * f64::from(c[last * STATES + n]);
        }
        y as f32
    };
    let mut y = ground.blank(count, near(1e-3, want))?;
    let [n, k, l] = [batches, channels, length].map(|n| n as i32);
    trial!(
        ground,
        Shape::line(batches * channels, 128),
        selective_scan(&du, &ddelta, &da, &db, &dc, &dd, &mut y.memory, length),
        original(&du, &ddelta, &da, &db, &dc, &dd, &y.memory, n, k, l),
        [y]
    )
}

/// Weighted means of all earlier values of a channel, whose weights fade; a thread has a channel of a sequence.
#[gpu_kernel]
fn wkv(w: &[f32], u: &[f32], k: &[f32], v: &[f32], y: &mut [f32], length: u32, channels: u32) {
    let idx = block_idx().x * block_dim().x + thread_idx().x;
    let b = idx / channels;
    let c = idx % channels;
    let offset = b * length * channels + c;
    let u = u[c];
    let w = w[c];
    let mut p = 0.0;
    let mut q = 0.0;
    let mut o = -1e38f32;
    for i in 0..length {
        let ii = offset + i * channels;
        let kk = k[ii];
        let vv = v[ii];
        let no = o.max(u + kk);
        let a = (o - no).exp();
        let b = (u + kk - no).exp();
        y[ii] = (a * p + b * vv) / (a * q + b);
        let no = (w + o).max(kk);
        let a = (w + o - no).exp();
        let b = (kk - no).exp();
        p = a * p + b * vv;
        q = a * q + b;
        o = no;
    }
}

fn wkv_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [batches, length, channels] = ground.pick([2, 12, 32], [16, 256, 2048]);
    let (w, u) = (ground.between(channels, -1.5..-0.05), ground.floats(channels));
    let count = batches * length * channels;
    let (k, v) = (ground.between(count, -3.0..3.0), ground.floats(count));
    let (dw, du, dk, dv) = (ground.up(&w)?, ground.up(&u)?, ground.up(&k)?, ground.up(&v)?);
    let want = move |at: usize| {
        let (c, last) = (at % channels, at / channels);
        let (mut above, mut below) = (0.0, 0.0);
        for step in last / length * length..=last {
            let i = step * channels + c;
            let fade =
                if step == last { f64::from(u[c]) } else { f64::from(w[c]) * (last - 1 - step) as f64 };
            let weight = (fade + f64::from(k[i])).exp();
            above += weight * f64::from(v[i]);
            below += weight;
        }
        (above / below) as f32
    };
    let mut y = ground.blank(count, near(1e-4, want))?;
    let block = ground.pick(32, 256);
    let shape = Shape::line(batches * channels, block);
    let [length, channels] = [length, channels].map(|n| n as u32);
    trial!(
        ground,
        shape,
        wkv(&dw, &du, &dk, &dv, &mut y.memory, length, channels),
        original(&dw, &du, &dk, &dv, &y.memory, length, channels),
        [y]
    )
}

/// Adds each number to the one that its index names along the middle.
#[gpu_fn]
#[allow(clippy::too_many_arguments)]
fn add_at<T: Num>(
    ids: &[u32],
    x: &[T],
    out: &mut [T],
    middle: usize,
    places: usize,
    right: usize,
    pre: usize,
    post: usize,
) {
    for j in 0..middle {
        let from = (pre * middle + j) * right + post;
        let to = (pre * places + ids[from] as usize) * right + post;
        out[to] += x[from];
    }
}

/// Sums at indices along the middle of three extents; a thread has a line along the middle.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn scatter_add(
    ids: &[u32],
    x: &[f32],
    out: &mut [f32],
    left: usize,
    middle: usize,
    places: usize,
    right: usize,
) {
    for i in (global_id()..left * right).step_by(global_size()) {
        add_at(ids, x, out, middle, places, right, i / right, i % right);
    }
}

fn scatter_add_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [left, from, to, right] = ground.pick([3, 12, 7, 21], [8, 256, 1000, 4096]);
    let count = left * from * right;
    let ids = ground.below(count, to as u32);
    // Small whole numbers, so that all sums are exact.
    let x = ground.each(count, |word| (word >> 58) as f32);
    let (di, dx) = (ground.up(&ids)?, ground.up(&x)?);
    let want = move |at: usize| {
        let (post, place, pre) = (at % right, at / right % to, at / right / to);
        let lines = (0..from).map(|j| (pre * from + j) * right + post);
        1.0 + lines.filter(|i| ids[*i] as usize == place).map(|i| x[i]).sum::<f32>()
    };
    let mut out = ground.from(vec![1.0f32; left * to * right], exactly(want))?;
    let [l, f, t, r] = [left, from, to, right].map(|n| n as i32);
    trial!(
        ground,
        Shape::line(left * right, 128),
        scatter_add(&di, &dx, &mut out.memory, left, from, to, right),
        original(&di, &dx, &out.memory, l, f, t, r),
        [out]
    )
}
