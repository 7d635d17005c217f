//! llm.c: attention — scores, softmax in three ways, permutations of heads.

use harness::{noise, written};
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{assert_close, down, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("llmc_permute", permute<f16>, heads_are_permuted),
        port!("llmc_softmax_online", softmax_online, softmax_in_one_pass),
        port!("llmc_softmax_block", softmax_block, softmax_of_a_block),
        port!("llmc_attention", attention, attention_sees_the_past_only),
    ]
}

/// `permute_kernel`: (B, N, 3, NH, HD) to three of (B, NH, N, HD).
#[gpu_kernel]
fn permute<T: Num>(q: &mut [T], k: &mut [T], v: &mut [T], inp: &[T], b: i32, n: i32, nh: i32, d: i32) {
    let idx = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if idx >= b * nh * n * d {
        return;
    }
    let b_ = idx / (nh * n * d);
    let mut rest = idx % (nh * n * d);
    let nh_ = rest / (n * d);
    rest = rest % (n * d);
    let n_ = rest / d;
    let d_ = rest % d;
    let inp_idx = (b_ * n * 3 * nh * d) + (n_ * 3 * nh * d) + (0 * nh * d) + (nh_ * d) + d_;
    q[idx] = inp[inp_idx];
    k[idx] = inp[inp_idx + nh * d];
    v[idx] = inp[inp_idx + 2 * (nh * d)];
}

fn heads_are_permuted(device: &Device) {
    let (b, n, nh, d) = (2usize, 3usize, 4usize, 5usize);
    let x: Vec<f16> = (0..b * n * 3 * nh * d).map(|i| f16::from_f32(i as f32)).collect();
    let input = up(device, &x);
    let len = b * n * nh * d;
    let mut q = up(device, &vec![f16::NAN; len]);
    let mut k = up(device, &vec![f16::NAN; len]);
    let v = written(device, (len, f16::NAN), |v| {
        permute(&mut q, &mut k, v, &input, b as i32, n as i32, nh as i32, d as i32).over(len).launch(device)
    });
    let (q, k) = (down(device, &q), down(device, &k));
    for (part, got) in [q, k, v].iter().enumerate() {
        for i in 0..len {
            let (ib, ih, it, id) = (i / (nh * n * d), i / (n * d) % nh, i / d % n, i % d);
            assert_eq!(got[i], x[((ib * n + it) * 3 + part) * nh * d + ih * d + id]);
        }
    }
}

/// The largest value and the sum of exponentials relative to it.
#[derive(Clone, Copy, GpuType)]
#[repr(C, align(8))]
struct SumMax {
    maxval: f32,
    sum: f32,
}

#[gpu_impl]
impl SumMax {
    const EMPTY: SumMax = SumMax { maxval: f32::NEG_INFINITY, sum: 0.0 };

    fn join(a: SumMax, b: SumMax) -> SumMax {
        let (bigger, smaller) = if a.maxval > b.maxval { (a, b) } else { (b, a) };
        SumMax {
            maxval: bigger.maxval,
            sum: bigger.sum + smaller.sum * f32::exp(smaller.maxval - bigger.maxval),
        }
    }
}

/// `softmax_forward_online_kernel2`, with a `(max, sum)` reduced over the warp.
#[gpu_kernel]
fn softmax_online(out: &mut [f32], inp: &[f32], n: usize, c: usize) {
    let warp = warp_tile::<32>();
    let idx = global_id() / 32;
    if idx >= n {
        return;
    }
    let x = &inp[idx * c..(idx + 1) * c];
    let mut sm_partial = SumMax::EMPTY;
    let mut i = warp.thread_rank() as usize;
    while i < c {
        sm_partial = SumMax::join(sm_partial, SumMax { maxval: x[i], sum: 1.0 });
        i += warp.size() as usize;
    }
    let sm_total = warp.reduce(sm_partial, |a, b| SumMax::join(a, b));
    for i in (warp.thread_rank() as usize..c).step_by(32) {
        out[idx * c + i] = (x[i] - sm_total.maxval).exp() / sm_total.sum;
    }
}

fn softmax(x: &[f32]) -> Vec<f32> {
    let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = x.iter().map(|v| f64::from(v - largest).exp()).sum();
    x.iter().map(|v| (f64::from(v - largest).exp() / sum) as f32).collect()
}

fn softmax_in_one_pass(device: &Device) {
    let (n, c) = (5usize, 77usize);
    let x: Vec<f32> = noise(n * c, 1).iter().map(|v| v * 20.0).collect();
    let input = up(device, &x);
    let out = written(device, (n * c, f32::NAN), |out| {
        softmax_online(out, &input, n, c).grid(3).block(64).launch(device)
    });
    let want: Vec<f32> = x.chunks(c).flat_map(softmax).collect();
    assert_close(&out, &want, 1e-6);
}

#[gpu_fn]
fn warp_reduce_max(mut val: f32) -> f32 {
    for offset in [16, 8, 4, 2, 1] {
        val = val.max(shfl_down(val, offset));
    }
    val
}

#[gpu_fn]
fn warp_reduce_sum(mut val: f32) -> f32 {
    for offset in [16, 8, 4, 2, 1] {
        val += shfl_down(val, offset);
    }
    val
}

/// `softmax_forward_kernel4`: a block a row, both reductions in dynamic shared memory.
#[gpu_kernel]
fn softmax_block(out: &mut [f32], inp: &[f32], c: usize) {
    let mut shared = dynamic_shared::<f32>();
    let idx = block_idx().x as usize;
    let tid = thread_idx().x as usize;
    let warp_id = tid / 32;
    let lane_id = tid % 32;
    let warps_per_block = block_dim().x as usize / 32;
    let (maxvals, sumvals) = shared.split_at_mut(warps_per_block);

    let x = &inp[idx * c..][..c];
    let mut maxval = f32::NEG_INFINITY;
    for i in (tid..c).step_by(block_dim().x as usize) {
        maxval = maxval.max(x[i]);
    }
    maxval = warp_reduce_max(maxval);
    if lane_id == 0 {
        maxvals[warp_id] = maxval;
    }
    sync_threads();
    if tid == 0 {
        let mut val = maxvals[tid];
        for i in 1..warps_per_block {
            val = f32::max(val, maxvals[i]);
        }
        maxvals[0] = val;
    }
    sync_threads();
    let offset = maxvals[0];

    for i in (tid..c).step_by(block_dim().x as usize) {
        out[idx * c + i] = (x[i] - offset).exp();
    }
    let x = &out[idx * c..(idx + 1) * c];
    let mut sumval = 0.0;
    for i in (tid..c).step_by(block_dim().x as usize) {
        sumval += x[i];
    }
    sumval = warp_reduce_sum(sumval);
    if lane_id == 0 {
        sumvals[warp_id] = sumval;
    }
    sync_threads();
    if tid == 0 {
        sumvals[0] = {
            let mut val = 0.0;
            for &v in sumvals[..warps_per_block].iter() {
                val += v;
            }
            val
        };
    }
    sync_threads();
    let sum = sumvals[0];
    for i in (tid..c).step_by(block_dim().x as usize) {
        out[idx * c + i] /= sum;
    }
}

fn softmax_of_a_block(device: &Device) {
    let (n, c) = (3usize, 150usize);
    let x: Vec<f32> = noise(n * c, 2).iter().map(|v| v * 9.0).collect();
    let input = up(device, &x);
    let out = written(device, (n * c, f32::NAN), |out| {
        softmax_block(out, &input, c).grid(3).block(96).dynamic_shared(2 * 3 * 4).launch(device)
    });
    let want: Vec<f32> = x.chunks(c).flat_map(softmax).collect();
    assert_close(&out, &want, 1e-6);
}

/// `attention_query_key_kernel1` and the causal softmax and value sum of one query.
#[gpu_kernel]
fn attention(out: &mut [f32], qkv: &[f32], b: usize, t: usize, c: usize, nh: usize) {
    let idx = global_id();
    let hs = c / nh;
    if idx >= b * nh * t {
        return;
    }
    let (bi, h, ti) = (idx / (nh * t), idx / t % nh, idx % t);
    let query = &qkv[(bi * t + ti) * 3 * c + h * hs..];
    let scale = 1.0 / (hs as f32).sqrt();
    let mut running = SumMax::EMPTY;
    let mut acc = [0.0f32; 8];
    for t2 in 0..=ti {
        let at = (bi * t + t2) * 3 * c + h * hs;
        let (key, value) = (&qkv[at + c..at + c + hs], &qkv[at + 2 * c..at + 2 * c + hs]);
        let mut score = 0.0;
        for (q, k) in query.iter().zip(key) {
            score += q * k;
        }
        score *= scale;
        let next = SumMax::join(running, SumMax { maxval: score, sum: 1.0 });
        let (fade, p) = ((running.maxval - next.maxval).exp(), (score - next.maxval).exp());
        for (a, v) in acc.iter_mut().zip(value) {
            *a = *a * fade + p * v;
        }
        running = next;
    }
    for i in 0..hs {
        out[(bi * t + ti) * c + h * hs + i] = acc[i] / running.sum;
    }
}

fn attention_sees_the_past_only(device: &Device) {
    let (b, t, c, nh) = (2usize, 6usize, 16usize, 2usize);
    let x = noise(b * t * 3 * c, 3);
    let input = up(device, &x);
    let out = written(device, (b * t * c, f32::NAN), |out| {
        attention(out, &input, b, t, c, nh).over(b * nh * t).block(32).launch(device)
    });
    let hs = c / nh;
    let mut want = vec![0.0; b * t * c];
    for i in 0..b * nh * t {
        let (bi, h, ti) = (i / (nh * t), i / t % nh, i % t);
        let at = |t2: usize, part: usize| &x[((bi * t + t2) * 3 + part) * c + h * hs..][..hs];
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let scores: Vec<f32> = (0..=ti).map(|t2| dot(at(ti, 0), at(t2, 1)) / (hs as f32).sqrt()).collect();
        for (t2, p) in softmax(&scores).iter().enumerate() {
            for k in 0..hs {
                want[(bi * t + ti) * c + h * hs + k] += p * at(t2, 2)[k];
            }
        }
    }
    assert_close(&out, &want, 1e-5);
}
