//! llm.c: encoder, residual, GELU and SwiGLU, with packets of 128 bits of any float.

use core::ops::{Index, IndexMut};

use harness::{noise, written};
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{assert_close, down, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("llmc_encoder_forward@f32", encoder_forward<f32, 4>, |device| encodes::<f32, 4>(device, 0.0)),
        port!("llmc_encoder_forward@bf16", encoder_forward<bf16, 8>, |device| encodes::<bf16, 8>(device, 0.01)),
        port!("llmc_gelu_forward", gelu_forward, gelu_is_a_curve),
        port!("llmc_gelu_backward", gelu_backward, gelu_has_a_gradient),
        port!("llmc_encoder_backward", encoder_backward, encoder_gradients_are_gathered),
    ]
}

/// 128 bits of a type, loaded and stored at once.
#[derive(Clone, Copy, GpuType)]
#[gpu(AnyBits)]
#[repr(C, align(16))]
struct Packed128<T, const N: usize> {
    payload: [T; N],
}

#[gpu_impl]
impl<T: Float, const N: usize> Packed128<T, N> {
    const SIZE: usize = 16 / size_of::<T>();

    fn zeros() -> Self {
        Packed128 { payload: [T::ZERO; N] }
    }

    fn load(x: &[T]) -> Self {
        x.reinterpret::<Self>()[0]
    }

    fn store(self, x: &mut [T]) {
        x.reinterpret_mut::<Self>()[0] = self;
    }
}

#[gpu_impl]
impl<T: Float, const N: usize> Index<usize> for Packed128<T, N> {
    type Output = T;
    fn index(&self, i: usize) -> &T {
        &self.payload[i]
    }
}

#[gpu_impl]
impl<T: Float, const N: usize> IndexMut<usize> for Packed128<T, N> {
    fn index_mut(&mut self, i: usize) -> &mut T {
        &mut self.payload[i]
    }
}

/// `encoder_forward_kernel3`
#[gpu_kernel]
fn encoder_forward<T: Float, const N: usize>(
    out: &mut [T],
    inp: &[i32],
    wte: &[T],
    wpe: &[T],
    b: usize,
    t: usize,
    c: usize,
) {
    let idx = (block_idx().x * block_dim().x + thread_idx().x) as usize * N;
    if idx < b * t * c {
        let bt = idx / c;
        let batch = bt / t;
        let pos = bt % t;
        let col = idx % c;
        let ix = inp[batch * t + pos] as usize;

        let wte128 = Packed128::<T, N>::load(&wte[ix * c + col..]);
        let wpe128 = Packed128::<T, N>::load(&wpe[pos * c + col..]);
        let mut packed_out = Packed128::<T, N>::zeros();
        for k in 0..Packed128::<T, N>::SIZE {
            packed_out[k] = (wte128[k].cast::<f32>() + wpe128[k].cast::<f32>()).cast();
        }
        packed_out.store(&mut out[idx..]);
    }
}

fn encodes<T: Float, const N: usize>(device: &Device, tolerance: f32) {
    let (b, t, c, v) = (2usize, 5usize, 16usize, 7usize);
    let to = |x: Vec<f32>| x.into_iter().map(|v| v.cast::<T>()).collect::<Vec<T>>();
    let (wte, wpe) = (to(noise(v * c, 1)), to(noise(t * c, 2)));
    let inp: Vec<i32> = (0..b * t).map(|i| (i * 5 % v) as i32).collect();
    let (di, de, dp) = (up(device, &inp), up(device, &wte), up(device, &wpe));
    let out = written(device, (b * t * c, T::HIGHEST), |out| {
        encoder_forward::<T, N>(out, &di, &de, &dp, b, t, c).over(b * t * c / N).block(32).launch(device)
    });
    let got: Vec<f32> = out.iter().map(|v| v.cast()).collect();
    let at = |i: usize| {
        let (bt, col) = (i / c, i % c);
        let token = inp[bt] as usize;
        wte[token * c + col].cast::<f32>() + wpe[bt % t * c + col].cast::<f32>()
    };
    let want: Vec<f32> = (0..b * t * c).map(at).collect();
    assert_close(&got, &want, tolerance);
}

const GELU_SCALING_FACTOR: f32 = 0.797_884_6;

/// `gelu_forward_kernel2`
#[gpu_kernel]
fn gelu_forward(out: &mut [bf16], inp: &[bf16]) {
    let idx = global_id() * 8;
    if idx >= inp.len() {
        return;
    }
    let packed_inp = Packed128::<bf16, 8>::load(&inp[idx..]);
    let mut packed_out = Packed128::<bf16, 8>::zeros();
    for k in 0..8 {
        let xi = packed_inp[k].to_f32();
        let cube = 0.044715 * xi * xi * xi;
        packed_out[k] = bf16::from_f32(0.5 * xi * (1.0 + (GELU_SCALING_FACTOR * (xi + cube)).tanh()));
    }
    packed_out.store(&mut out[idx..]);
}

/// `gelu_backward`
#[gpu_kernel]
fn gelu_backward(dinp: &mut [f32], inp: &[f32], dout: &[f32]) {
    let i = global_id();
    if let Some(x) = inp.get(i) {
        let x = *x;
        let cube = 0.044715f32 * x.powi(3);
        let tanh_arg = GELU_SCALING_FACTOR * (x + cube);
        let tanh_out = tanh_arg.tanh();
        let coshf_out = tanh_arg.cosh();
        let sech_out = 1.0 / (coshf_out * coshf_out);
        let local_grad = 0.5 * (1.0 + tanh_out)
            + x * 0.5 * sech_out * GELU_SCALING_FACTOR * (1.0 + 3.0 * 0.044715 * x * x);
        dinp[i] = local_grad * dout[i];
    }
}

fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + (0.797_884_560_802_865_4 * (x + 0.044715 * x * x * x)).tanh())
}

fn gelu_is_a_curve(device: &Device) {
    let x: Vec<bf16> = noise(64, 3).iter().map(|v| bf16::from_f32(v * 4.0)).collect();
    let input = up(device, &x);
    let out = written(device, (64, bf16::NAN), |out| gelu_forward(out, &input).over(8).launch(device));
    let got: Vec<f32> = out.iter().map(|v| v.to_f32()).collect();
    let want: Vec<f32> = x.iter().map(|v| gelu(v.to_f64()) as f32).collect();
    assert_close(&got, &want, 0.01);
}

fn gelu_has_a_gradient(device: &Device) {
    let (x, d) = (noise(100, 4), noise(100, 5));
    let (dx, dd) = (up(device, &x), up(device, &d));
    let out = written(device, (100, f32::NAN), |out| gelu_backward(out, &dx, &dd).over(100).launch(device));
    let slope = |v: f64| (gelu(v + 1e-5) - gelu(v - 1e-5)) / 2e-5;
    let want: Vec<f32> = x.iter().zip(&d).map(|(x, d)| slope(f64::from(*x)) as f32 * d).collect();
    assert_close(&out, &want, 1e-4);
}

/// `encoder_backward` by atomics on f32, and `add_bias`, `residual_forward`
#[gpu_kernel]
fn encoder_backward(dwte: &mut [f32], dwpe: &mut [f32], dout: &[f32], inp: &[i32], t: i32, c: i32) {
    let idx = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let n = dout.len() as i32;
    if idx < n {
        let bt = idx / c;
        let (pos, channel) = (bt % t, bt * 0 + idx % c);
        let ix = inp[bt];
        atomic_add(&mut dwte[ix * c + channel], dout[idx]);
        atomic_add(&mut dwpe[pos * c + channel], dout[idx]);
    }
}

fn encoder_gradients_are_gathered(device: &Device) {
    let (b, t, c, v) = (3usize, 4usize, 8usize, 5usize);
    let dout: Vec<f32> = noise(b * t * c, 6).iter().map(|v| (v * 64.0).round()).collect();
    let inp: Vec<i32> = (0..b * t).map(|i| (i * 3 % v) as i32).collect();
    let (dd, di) = (up(device, &dout), up(device, &inp));
    let mut dwte = up(device, &vec![0.0f32; v * c]);
    let dwpe = written(device, (t * c, 0.0f32), |dwpe| {
        encoder_backward(&mut dwte, dwpe, &dd, &di, t as i32, c as i32).over(b * t * c).launch(device)
    });
    let (mut te, mut pe) = (vec![0.0; v * c], vec![0.0; t * c]);
    for i in 0..b * t * c {
        te[inp[i / c] as usize * c + i % c] += dout[i];
        pe[i / c % t * c + i % c] += dout[i];
    }
    assert_eq!(down(device, &dwte), te, "on {}", device.name());
    assert_eq!(dwpe, pe, "on {}", device.name());
}
