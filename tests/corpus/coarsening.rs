//! Elementwise kernels, one element a thread as one would write them, that are coarsened.

use warpsmith::prelude::*;

/// y = a · x + y
#[gpu_kernel(coarsen)]
pub fn saxpy_wide(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// c = a + b, for the first `n`; the number of the thread in 32 bits, as from CUDA.
#[gpu_kernel(coarsen)]
pub fn add_wide(n: u32, a: &[f32], b: &[f32], c: &mut [f32]) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i < n {
        c[i] = a[i] + b[i];
    }
}

/// y = x
#[gpu_kernel(coarsen)]
pub fn copy_wide(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i >= x.len() {
        return;
    }
    y[i] = x[i];
}

/// Bytes as floats.
#[gpu_kernel(coarsen)]
pub fn widen_wide(x: &[u8], y: &mut [f32]) {
    let i = global_id();
    if i < x.len() && i < y.len() {
        y[i] = x[i] as f32;
    }
}

/// Floats in sixteen bits.
#[gpu_kernel(coarsen)]
pub fn narrow_wide(x: &[f32], y: &mut [bf16]) {
    let i = global_id();
    if i < x.len() {
        y[i] = bf16::from_f32(x[i]);
    }
}

/// A table's worth of arithmetic on bytes.
#[gpu_kernel(coarsen)]
pub fn bytes_wide(x: &[u8], y: &mut [u8]) {
    let i = global_id() as u32;
    if i < x.len() as u32 {
        let v = x[i];
        y[i] = (v ^ 0x5a).wrapping_mul(3).wrapping_add(v >> 4);
    }
}

/// a · x on sixteen bits.
#[gpu_kernel(coarsen)]
pub fn scale_bf16_wide(a: bf16, x: &mut [bf16]) {
    let i = global_id();
    if i < x.len() {
        x[i] = a * x[i];
    }
}

/// Particles as a structure of arrays: places and speeds.
#[gpu_kernel(coarsen)]
pub fn particles_wide(
    dt: f32,
    x: &mut [f32],
    y: &mut [f32],
    z: &mut [f32],
    vx: &[f32],
    vy: &[f32],
    vz: &[f32],
) {
    let t = thread_idx();
    let i = block_idx().x as usize * block_dim().x as usize + t.x as usize;
    if i >= x.len() {
        return;
    }
    x[i] += dt * vx[i];
    y[i] += dt * vy[i];
    z[i] += dt * vz[i];
}

/// Only some elements are written.
#[gpu_kernel(coarsen)]
pub fn positive_wide(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < x.len() {
        let v = x[i];
        if v > 0.0 {
            y[i] = v.sqrt();
        }
    }
}

/// A way out in the midst of the body, and a loop.
#[gpu_kernel(coarsen = 4)]
pub fn steps_wide(x: &[u32], steps: &mut [u32], most: &mut [u32]) {
    let i = global_id();
    if i >= x.len() {
        return;
    }
    let (mut n, mut count, mut peak) = (x[i], 0u32, 0u32);
    steps[i] = 0;
    most[i] = n;
    if n == 0 {
        return;
    }
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { n.wrapping_mul(3) + 1 };
        peak = peak.max(n);
        count += 1;
        if count == 40 {
            most[i] = u32::MAX;
            return;
        }
    }
    steps[i] = count;
    most[i] = peak;
}

/// The mean of neighbours: of what is only read, a kernel may read any element.
#[gpu_kernel(coarsen)]
pub fn smooth_wide(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i >= y.len() {
        return;
    }
    let left = if i > 0 { x[i - 1] } else { x[i] };
    let right = if i + 1 < x.len() { x[i + 1] } else { x[i] };
    y[i] = (left + x[i] + right) / 3.0;
}

/// A sum of neighbours inside, by the block's size as a constant, as CUDA programs have it.
#[gpu_kernel(coarsen)]
pub fn inner_wide(x: &[f32], y: &mut [f32]) {
    const THREADS: u32 = 128;
    let i = (block_idx().x * THREADS + thread_idx().x) as usize;
    if i > 0 && i + 1 < x.len() {
        y[i] = x[i - 1] + x[i] + x[i + 1];
    }
}

/// Squares in place, by views and a reference.
#[gpu_kernel(coarsen)]
pub fn squares_wide(x: View<i32>, mut y: ViewMut<i32>, out: &mut [i32]) {
    let i = global_id();
    if i >= y.len() {
        return;
    }
    let sum = &mut out[i];
    *sum += y[i];
    y[i] = x[i].wrapping_mul(x[i]);
}

/// A value and how far it may be off.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Estimate {
    pub value: f32,
    pub error: f32,
}

/// Sums of estimates, field by field; the factor is checked by every thread.
#[gpu_kernel(coarsen)]
pub fn estimates_wide(n: i32, factor: f32, x: &[Estimate], y: &mut [Estimate]) {
    let i = (thread_idx().x + block_dim().x * block_idx().x) as i32;
    assert!(factor > 0.0, "the factor is not positive");
    if i < n {
        let i = i as usize;
        y[i].value += factor * x[i].value;
        y[i].error = if x[i].error > y[i].error { x[i].error } else { y[i].error };
    }
}

/// Particles as a struct of arrays.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Cloud<'a> {
    pub dt: f32,
    pub count: u32,
    pub x: ViewMut<'a, f32>,
    pub speed: View<'a, f32>,
    pub age: ViewMut<'a, u8>,
}

/// Moves the particles of a cloud, whose ages stop at the greatest.
#[gpu_kernel(coarsen)]
pub fn cloud_wide(mut cloud: Cloud<'_>) {
    let i = global_id();
    if i < cloud.count as usize {
        cloud.x[i] += cloud.dt * cloud.speed[i];
        cloud.age[i] = cloud.age[i].saturating_add(1);
    }
}
