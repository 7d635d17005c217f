//! llm.c: AdamW, the fused classifier, the global norm, gradients of the bias, casts, matrix products.

use harness::{noise, written};
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{assert_close, down, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("llmc_fused_classifier", fused_classifier, the_classifier_is_fused, &(true,)),
        port!("llmc_adamw", adamw<bf16, f16>, weights_are_decayed),
        port!("llmc_global_norm_squared", global_norm_squared<bf16>, norms_are_summed_by_blocks),
        port!("llmc_bias_backward", bias_backward<8, 4>, gradients_of_the_bias_are_sums_of_columns),
        port!("llmc_copy_and_cast", copy_and_cast<bf16, f32>, elements_are_cast),
        port!("llmc_matmul_forward", matmul_forward, a_product_is_tiled),
    ]
}

const WARP_SIZE: usize = 32;

#[gpu_fn]
fn warp_reduce_sum(mut val: f32) -> f32 {
    for offset in [16, 8, 4, 2, 1] {
        val += shfl_xor(val, offset);
    }
    val
}

#[gpu_fn]
fn warp_reduce_max(mut val: f32) -> f32 {
    for offset in [16, 8, 4, 2, 1] {
        val = val.max(shfl_xor(val, offset));
    }
    val
}

/// `blockReduce`: a reduction of warps, then of their results through shared memory.
#[gpu_fn]
fn block_reduce(warp_reduction: impl Fn(f32) -> f32, val: f32, final_sync: bool, out_of_bounds: f32) -> f32 {
    let mut shared_val = shared!([f32; WARP_SIZE]);
    let lane_id = thread_idx().x as usize % WARP_SIZE;
    let warp_id = thread_idx().x as usize / WARP_SIZE;
    let num_warps = block_dim().x as usize / WARP_SIZE;
    let warp_val = warp_reduction(val);
    if lane_id == 0 {
        shared_val[warp_id] = warp_val;
    }
    sync_threads();
    let warp_val = if lane_id < num_warps { shared_val[lane_id] } else { out_of_bounds };
    let block_val = warp_reduction(warp_val);
    if final_sync {
        sync_threads();
    }
    block_val
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct SoftmaxParams {
    scale: f32,
    offset: f32,
}

/// `prepare_softmax_blockwise3`
#[gpu_fn]
fn prepare_softmax_blockwise(logits: &[f32], v: usize) -> SoftmaxParams {
    let mut thread_maxval = f32::NEG_INFINITY;
    let mut thread_sumval = 0.0;
    let mut i = thread_idx().x as usize;
    while i < v {
        let x = logits[i];
        let old_maxval = thread_maxval;
        thread_maxval = thread_maxval.max(x);
        thread_sumval *= (old_maxval - thread_maxval).exp();
        thread_sumval += (x - thread_maxval).exp();
        i += block_dim().x as usize;
    }
    let block_maxval = block_reduce(|v| warp_reduce_max(v), thread_maxval, false, f32::MIN);
    thread_sumval *= (thread_maxval - block_maxval).exp();
    let block_sumval = block_reduce(|v| warp_reduce_sum(v), thread_sumval, true, 0.0);
    SoftmaxParams { scale: 1. / block_sumval, offset: block_maxval }
}

/// `fused_classifier_kernel5`: softmax, loss and the gradient of the logits in one.
#[gpu_kernel]
fn fused_classifier(
    logits: &mut [f32],
    losses: &mut [f32],
    dloss: f32,
    targets: &[i32],
    v: usize,
    p: usize,
    #[comptime] write_dlogits: bool,
) {
    let idx = (grid_dim().x - (block_idx().x + 1)) as usize;
    let ix = targets[idx];
    let sp = prepare_softmax_blockwise(&logits[idx * p..], v);

    if thread_idx().x == 0 {
        let prob = (logits[idx * p + ix as usize] - sp.offset).exp() * sp.scale;
        losses[idx] -= prob.ln();
    }
    if !write_dlogits {
        return;
    }
    sync_threads();
    for i in (thread_idx().x as usize..v).step_by(block_dim().x as usize) {
        let prob = (logits[idx * p + i] - sp.offset).exp() * sp.scale;
        let indicator = if i as i32 == ix { 1.0 } else { 0.0 };
        logits[idx * p + i] = (prob - indicator) * dloss;
    }
}

fn the_classifier_is_fused(device: &Device) {
    let (rows, v, p) = (4usize, 150usize, 160usize);
    let x: Vec<f32> = noise(rows * p, 1).iter().map(|v| v * 6.0).collect();
    let targets: Vec<i32> = (0..rows).map(|i| (i * 61 % v) as i32).collect();
    let mut logits = up(device, &x);
    let dt = up(device, &targets);
    let losses = written(device, (rows, 0.5f32), |losses| {
        fused_classifier(&mut logits, losses, 0.25, &dt, v, p, true)
            .grid(rows as u32)
            .block(96)
            .launch(device)
    });
    let got = down(device, &logits);
    for r in 0..rows {
        let row = &x[r * p..][..v];
        let largest = row.iter().copied().fold(f32::MIN, f32::max);
        let sum: f32 = row.iter().map(|x| (x - largest).exp()).sum();
        let target = targets[r] as usize;
        let probability = |i: usize| (row[i] - largest).exp() / sum;
        let want: Vec<f32> =
            (0..v).map(|i| (probability(i) - f32::from(u8::from(i == target))) * 0.25).collect();
        assert_close(&got[r * p..][..v], &want, 1e-5);
        assert_eq!(got[r * p + v..][..p - v], x[r * p + v..][..p - v]);
        assert_close(&[losses[r]], &[0.5 - probability(target).ln()], 1e-4);
    }
}

/// A hash of a position and a seed, for stochastic rounding.
#[gpu_fn]
fn squirrel_noise5(position: u32, seed: u32) -> u32 {
    const SQ5_BIT_NOISE1: u32 = 0xd2a80a3f;
    const SQ5_BIT_NOISE2: u32 = 0xa884f197;
    const SQ5_BIT_NOISE3: u32 = 0x6C736F4B;
    let mut mangled = position;
    mangled = mangled.wrapping_mul(SQ5_BIT_NOISE1);
    mangled = mangled.wrapping_add(seed);
    mangled ^= mangled >> 9;
    mangled = mangled.wrapping_add(SQ5_BIT_NOISE2);
    mangled ^= mangled >> 11;
    mangled = mangled.wrapping_mul(SQ5_BIT_NOISE3);
    mangled ^ (mangled >> 13)
}

/// Rounds up with the probability of the bits that are cut off.
#[gpu_fn]
fn stochastic_rounding(value: f32, seed: u32) -> bf16 {
    let random =
        squirrel_noise5(thread_idx().x, block_idx().x.wrapping_mul(block_dim().x).wrapping_add(seed));
    let threshold = random & 0xFFFF;
    let float_bits = value.to_bits();
    let rounded_bits = float_bits & 0x0000FFFF;
    let float_bits = if rounded_bits > threshold { float_bits | 0xFFFF } else { float_bits & !0xFFFF };
    bf16::from_f32(f32::from_bits(float_bits & 0xFFFF_0000))
}

#[gpu_fn]
fn lerp(start: f32, end: f32, weight: f32) -> f32 {
    weight.mul_add(end, (-weight).mul_add(start, start))
}

/// `adamw_kernel3`, with master weights
#[gpu_kernel]
fn adamw<Tp: Float, Tg: Float>(
    params: &mut [Tp],
    master: &mut [f32],
    grads: &[Tg],
    m_memory: &mut [f32],
    v_memory: &mut [f32],
    learning_rate: f32,
    beta1: f32,
    beta2: f32,
    beta1_correction: f32,
    beta2_correction: f32,
    eps: f32,
    weight_decay: f32,
    grad_scale: f32,
    seed: u32,
) {
    let idx = global_id();
    if idx >= params.len() {
        return;
    }
    let grad = grad_scale * grads[idx].cast::<f32>();
    let mut m = m_memory[idx];
    let mut v = v_memory[idx];
    m = lerp(grad, m, beta1);
    m_memory[idx] = m;
    v = lerp(grad * grad, v, beta2);
    v_memory[idx] = v;
    m /= beta1_correction;
    v /= beta2_correction;
    let old_param = master[idx];
    let param = old_param - learning_rate * (m / (v.sqrt() + eps) + weight_decay * old_param);
    params[idx] = stochastic_rounding(param, seed).to_f32().cast();
    master[idx] = param;
}

fn weights_are_decayed(device: &Device) {
    let n = 300;
    let (w, m, v) = (noise(n, 2), noise(n, 3), noise(n, 4));
    let v: Vec<f32> = v.iter().map(|v| v.abs()).collect();
    let g: Vec<f16> = noise(n, 5).iter().map(|v| f16::from_f32(*v)).collect();
    let upload = |v: &[f32]| up(device, v);
    let (mut dw, mut dm, mut dv) = (upload(&w), upload(&m), upload(&v));
    let dg = up(device, &g);
    let (b1, b2, lr, eps, wd, scale) = (0.9f32, 0.999f32, 0.01f32, 1e-8f32, 0.1f32, 0.5f32);
    let (c1, c2) = (1.0 - b1.powi(3), 1.0 - b2.powi(3));
    let out = written(device, (n, bf16::NAN), |out| {
        adamw(out, &mut dw, &dg, &mut dm, &mut dv, lr, b1, b2, c1, c2, eps, wd, scale, 1234)
            .over(n)
            .block(64)
            .launch(device)
    });
    let (mut want, mut want_m) = (Vec::new(), Vec::new());
    for i in 0..n {
        let grad = scale * g[i].to_f32();
        let (m, v) = (b1 * m[i] + (1.0 - b1) * grad, b2 * v[i] + (1.0 - b2) * grad * grad);
        want_m.push(m);
        want.push(w[i] - lr * (m / c1 / ((v / c2).sqrt() + eps) + wd * w[i]));
    }
    assert_close(&down(device, &dm), &want_m, 1e-5);
    let master = down(device, &dw);
    assert_close(&master, &want, 1e-5);
    let ups = (0..n).filter(|i| {
        let (low, got) = (master[*i].to_bits() & 0xffff_0000, out[*i].to_f32().to_bits());
        assert!(got == low, "{} is cut to {}", master[*i], out[*i]);
        master[*i].to_bits() & 0xffff != 0
    });
    assert!(ups.count() > n / 2);
}

/// `global_norm_squared_kernel`: in f64, a partial sum a block.
#[gpu_kernel]
fn global_norm_squared<T: Float>(out: &mut [f32], data: &[T]) {
    let mut accumulator = 0f64;
    for i in (global_id()..data.len()).step_by(global_size()) {
        let value: f64 = data[i].cast();
        accumulator += value * value;
    }
    let block_sum = block_reduce(|v| warp_reduce_sum(v), accumulator as f32, false, 0.0);
    if thread_idx().x == 0 {
        out[block_idx().x] = out[block_idx().x] + block_sum;
    }
}

fn norms_are_summed_by_blocks(device: &Device) {
    let x: Vec<bf16> = noise(1000, 6).iter().map(|v| bf16::from_f32(*v)).collect();
    let input = up(device, &x);
    let out =
        written(device, (3, 1.0), |out| global_norm_squared(out, &input).grid(3).block(64).launch(device));
    let want: f64 = x.iter().map(|v| v.to_f64().powi(2)).sum();
    assert_close(&[out.iter().sum::<f32>() - 3.0], &[want as f32], 1e-5);
}

/// `matmul_backward_bias_kernel9`: sums of columns over rows, in a block of warps.
#[gpu_kernel]
fn bias_backward<const BDX: usize, const BDY: usize>(dbias: &mut [f32], dout: &[bf16], bt: usize, oc: usize) {
    let (x, y) = (thread_idx().x as usize, thread_idx().y as usize);
    let global_oc = block_idx().x as usize * BDX * 2 + x * 2;
    let mut sub_results = shared!([[F32x2; BDX]; BDY]);

    let mut accumulators = F32x2::splat(0.0);
    if global_oc < oc {
        for idx in (y..bt).step_by(BDY) {
            let packed = dout[global_oc + idx * oc..].reinterpret::<BF16x2>()[0];
            accumulators += F32x2::new(packed.x.to_f32(), packed.y.to_f32());
        }
    }
    sub_results[y][x] = accumulators;
    sync_threads();
    let mut stride = BDY / 2;
    while stride > 0 {
        if y < stride {
            let other = sub_results[y + stride][x];
            sub_results[y][x] += other;
        }
        sync_threads();
        stride >>= 1;
    }
    if y == 0 && global_oc < oc {
        let F32x2 { x: a, y: b } = sub_results[0][x];
        dbias[global_oc] += a;
        dbias[global_oc + 1] += b;
    }
}

fn gradients_of_the_bias_are_sums_of_columns(device: &Device) {
    let (bt, oc) = (37usize, 24usize);
    let x: Vec<bf16> = noise(bt * oc, 7).iter().map(|v| bf16::from_f32(*v)).collect();
    let input = up(device, &x);
    let out = written(device, (oc, 0.5f32), |out| {
        bias_backward::<8, 4>(out, &input, bt, oc).grid(2).block([8, 4]).launch(device)
    });
    let column = |c: usize| 0.5 + (0..bt).map(|r| x[r * oc + c].to_f32()).sum::<f32>();
    assert_close(&out, &(0..oc).map(column).collect::<Vec<_>>(), 1e-4);
}

/// `copy_and_cast_kernel`
#[gpu_kernel]
fn copy_and_cast<Td: Num, Ts: Num>(
    dst: &mut [Td],
    src: &[Ts],
    n: usize,
    stride_dst: isize,
    stride_src: isize,
) {
    let idx = global_id();
    if idx < n {
        let row = block_idx().y as isize;
        dst[idx as isize + stride_dst * row] = src[idx as isize + stride_src * row].cast();
    }
}

fn elements_are_cast(device: &Device) {
    let x = noise(3 * 50, 8);
    let input = up(device, &x);
    let out = written(device, (3 * 40, bf16::NAN), |out| {
        copy_and_cast(out, &input, 40, 40, 50).grid([2, 3]).block(32).launch(device)
    });
    for (i, got) in out.iter().enumerate() {
        assert_eq!(*got, bf16::from_f32(x[i / 40 * 50 + i % 40]));
    }
}

/// `matmul_forward_kernel4`: 8 × 8 results a thread, tiles of 32 columns in shared memory.
#[gpu_kernel]
fn matmul_forward(out: &mut [f32], inp: &[f32], weight: &[f32], bias: &[f32], c: usize, oc: usize) {
    let oc_base = 8 * (block_idx().x * block_dim().x + thread_idx().x) as usize;
    let mut lhs_s = shared!([[f32; 32]; 128]);
    let mut rhs_s = shared!([[f32; 32]; 128]);
    let inp = &inp[128 * block_idx().y as usize * c..];
    let weight = &weight[128 * block_idx().x as usize * c..];
    let out = &mut out[128 * block_idx().y as usize * oc..];

    let mut vals = [[0.0f32; 8]; 8];
    for i in 0..8 {
        for j in 0..8 {
            vals[i][j] = bias[oc_base + j];
        }
    }
    let si_start = 4 * (16 * thread_idx().y + thread_idx().x) as usize;
    for so in (0..c).step_by(32) {
        sync_threads();
        let xmod8 = thread_idx().x as usize % 8;
        let xby8 = thread_idx().x as usize / 8;
        let xo = 4 * xmod8;
        for y in (2 * thread_idx().y as usize + xby8..128).step_by(32) {
            let quad = inp[y * c + so + xo..].reinterpret::<F32x4>()[0];
            lhs_s[y][xo..].reinterpret_mut::<F32x4>()[0] = quad;
            rhs_s[y][xo..].reinterpret_mut::<F32x4>()[0] =
                weight[y * c + so + xo..].reinterpret::<F32x4>()[0];
        }
        sync_threads();
        for si in (si_start..si_start + 32).step_by(4) {
            let mut rhs = [F32x4::splat(0.0); 8];
            for u in 0..8 {
                let row = u + 8 * thread_idx().x as usize;
                rhs[u] = rhs_s[row][si % 32..].reinterpret::<F32x4>()[0];
            }
            for ii in 0..8 {
                let lhs = lhs_s[ii + 8 * thread_idx().y as usize][si % 32..].reinterpret::<F32x4>()[0];
                for ji in 0..8 {
                    vals[ii][ji] += lhs.dot(rhs[ji]);
                }
            }
        }
    }
    for (i, row) in vals.iter().enumerate() {
        let at = (8 * thread_idx().y as usize + i) * oc + oc_base;
        for (j, v) in row.iter().enumerate() {
            out[at + j] = *v;
        }
    }
}

fn a_product_is_tiled(device: &Device) {
    let (bt, c, oc) = (128usize, 64usize, 128usize);
    let (x, w, b) = (noise(bt * c, 9), noise(oc * c, 10), noise(oc, 11));
    let upload = |v: &[f32]| up(device, v);
    let (dx, dw, db) = (upload(&x), upload(&w), upload(&b));
    let out = written(device, (bt * oc, f32::NAN), |out| {
        matmul_forward(out, &dx, &dw, &db, c, oc).grid([1, 1]).block([16, 16]).launch(device)
    });
    let at = |i: usize| {
        let (row, col) = (&x[i / oc * c..][..c], &w[i % oc * c..][..c]);
        b[i % oc] + row.iter().zip(col).map(|(a, b)| a * b).sum::<f32>()
    };
    assert_close(&out, &(0..bt * oc).map(at).collect::<Vec<_>>(), 1e-4);
}
