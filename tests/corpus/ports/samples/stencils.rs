//! cuda-samples on images and grids: convolutions, transforms, stencils, disparities.

use harness::{noise, written};
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{assert_close, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("samples_convolution_rows", convolution_rows<8, 4, 2>, rows_are_convolved),
        port!("samples_fwt_batch1", fwt_batch1, walsh_transforms_are_their_own_inverse),
        port!("samples_finite_differences", finite_differences<2>, waves_step_through_planes),
        port!("samples_disparity", disparity, shifted_pixels_are_found),
    ]
}

const KERNEL_RADIUS: usize = 3;
const KERNEL_LENGTH: usize = 2 * KERNEL_RADIUS + 1;

#[gpu_const]
static C_KERNEL: [f32; KERNEL_LENGTH] = [0.0; KERNEL_LENGTH];

/// `convolutionRowsKernel`: a halo of one block on both sides.
#[gpu_kernel]
fn convolution_rows<const X: usize, const Y: usize, const STEPS: usize>(
    d_dst: &mut [f32],
    d_src: &[f32],
    image_w: i32,
    pitch: i32,
) {
    const HALO_STEPS: usize = 1;
    let mut s_data = shared!([[f32; (STEPS + 2 * HALO_STEPS) * X]; Y]);
    let (tx, ty) = (thread_idx().x as usize, thread_idx().y as usize);
    let base_x = (block_idx().x as i32 * STEPS as i32 - HALO_STEPS as i32) * X as i32 + tx as i32;
    let base_y = (block_idx().y as usize * Y + ty) as i32;
    let at = base_y * pitch + base_x;

    for i in HALO_STEPS..HALO_STEPS + STEPS {
        s_data[ty][tx + i * X] = d_src[at + (i * X) as i32];
    }
    for i in 0..HALO_STEPS {
        s_data[ty][tx + i * X] = if base_x >= -((i * X) as i32) { d_src[at + (i * X) as i32] } else { 0.0 };
    }
    for i in HALO_STEPS + STEPS..HALO_STEPS + STEPS + HALO_STEPS {
        let inside = image_w - base_x > (i * X) as i32;
        s_data[ty][tx + i * X] = if inside { d_src[at + (i * X) as i32] } else { 0.0 };
    }
    sync_threads();
    for i in HALO_STEPS..HALO_STEPS + STEPS {
        let mut sum = 0.0;
        for j in -(KERNEL_RADIUS as isize)..=KERNEL_RADIUS as isize {
            sum += C_KERNEL[KERNEL_RADIUS as isize - j] * s_data[ty][(tx + i * X) as isize + j];
        }
        d_dst[at + (i * X) as i32] = sum;
    }
}

fn rows_are_convolved(device: &Device) {
    let (w, h) = (32usize, 8usize);
    let x = noise(w * h, 1);
    let taps: [f32; KERNEL_LENGTH] = noise(KERNEL_LENGTH, 2).try_into().expect("seven");
    C_KERNEL.set(device, taps).expect("memory");
    let input = up(device, &x);
    let out = written(device, (w * h, f32::NAN), |out| {
        convolution_rows::<8, 4, 2>(out, &input, w as i32, w as i32).grid([2, 2]).block([8, 4]).launch(device)
    });
    let at = |i: usize| {
        let (r, c) = (i / w, (i % w) as isize);
        let tap = |j: isize| {
            let col = c + j;
            let v = if (0..w as isize).contains(&col) { x[r * w + col as usize] } else { 0.0 };
            taps[(3 - j) as usize] * v
        };
        (-3..=3).map(tap).sum::<f32>()
    };
    assert_close(&out, &(0..w * h).map(at).collect::<Vec<_>>(), 1e-5);
}

/// `fwtBatch1Kernel`: radix 4 in shared memory, a last pass of radix 2.
#[gpu_kernel]
fn fwt_batch1(d_output: &mut [f32], d_input: &[f32], log2_n: i32) {
    let n = 1 << log2_n;
    let base = block_idx().x << log2_n;
    let mut s_data = dynamic_shared::<f32>();
    let d_src = &d_input[base as usize..];
    let d_dst = &mut d_output[base as usize..];
    for pos in (thread_idx().x..n).step_by(block_dim().x as usize) {
        s_data[pos] = d_src[pos];
    }
    let pos = thread_idx().x;
    let mut stride = n >> 2;
    while stride > 0 {
        let lo = pos & (stride - 1);
        let i0 = ((pos - lo) << 2) + lo;
        let [i1, i2, i3] = [i0 + stride, i0 + 2 * stride, i0 + 3 * stride];
        sync_threads();
        let (d0, d1, d2, d3) = (s_data[i0], s_data[i1], s_data[i2], s_data[i3]);
        let (t0, t1, t2, t3) = (d0 + d2, d1 + d3, d0 - d2, d1 - d3);
        s_data[i0] = t0 + t1;
        s_data[i1] = t0 - t1;
        s_data[i2] = t2 + t3;
        s_data[i3] = t2 - t3;
        stride >>= 2;
    }
    if log2_n & 1 == 1 {
        sync_threads();
        let mut pos = thread_idx().x;
        while pos < n / 2 {
            let (i0, i1) = (pos << 1, (pos << 1) + 1);
            let (d0, d1) = (s_data[i0], s_data[i1]);
            s_data[i0] = d0 + d1;
            s_data[i1] = d0 - d1;
            pos += block_dim().x;
        }
    }
    sync_threads();
    let mut pos = thread_idx().x;
    while pos < n {
        d_dst[pos] = s_data[pos];
        pos += block_dim().x;
    }
}

fn walsh_transforms_are_their_own_inverse(device: &Device) {
    for log2 in [6i32, 7] {
        let n = 1usize << log2;
        let x: Vec<f32> = noise(2 * n, 3).iter().map(|v| (v * 16.0).round()).collect();
        let input = up(device, &x);
        let out = written(device, (2 * n, f32::NAN), |out| {
            fwt_batch1(out, &input, log2).grid(2).block(n as u32 / 4).dynamic_shared(n * 4).launch(device)
        });
        for (x, got) in x.chunks(n).zip(out.chunks(n)) {
            let sign = |i: usize, k: usize| if (i & k).count_ones() % 2 == 0 { 1.0 } else { -1.0 };
            let want: Vec<f32> = (0..n).map(|k| (0..n).map(|i| sign(i, k) * x[i]).sum()).collect();
            assert_eq!(got, want, "on {}", device.name());
        }
    }
}

/// `FiniteDifferencesKernel` of FDTD3d: planes in registers, one in shared memory.
#[gpu_kernel]
fn finite_differences<const RADIUS: usize>(
    output: &mut [f32],
    input: &[f32],
    stencil: &[f32],
    dimx: i32,
    dimy: i32,
    dimz: i32,
) {
    let mut tile = shared!([[f32; 8 + 2 * RADIUS]; 8 + 2 * RADIUS]);
    let radius = RADIUS as i32;
    let (ltidx, ltidy) = (thread_idx().x as i32, thread_idx().y as i32);
    let gtidx = (block_idx().x * block_dim().x) as i32 + ltidx;
    let gtidy = (block_idx().y * block_dim().y) as i32 + ltidy;
    let stride_y = dimx + 2 * radius;
    let stride_z = stride_y * (dimy + 2 * radius);
    let mut input_index = radius * stride_y + radius + gtidy * stride_y + gtidx;
    let mut output_index = 0;
    let mut infront = [0f32; RADIUS];
    let mut behind = [0f32; RADIUS];
    let (tx, ty) = (ltidx + radius, ltidy + radius);

    for i in (0..RADIUS - 1).rev() {
        behind[i] = input[input_index];
        input_index += stride_z;
    }
    let mut current = input[input_index];
    output_index += input_index;
    input_index += stride_z;
    for i in 0..RADIUS {
        infront[i] = input[input_index];
        input_index += stride_z;
    }
    for _ in 0..dimz {
        for i in (1..RADIUS).rev() {
            behind[i] = behind[i - 1];
        }
        behind[0] = current;
        current = infront[0];
        for i in 0..RADIUS - 1 {
            infront[i] = infront[i + 1];
        }
        infront[RADIUS - 1] = input[input_index];
        input_index += stride_z;
        output_index += stride_z;
        sync_threads();
        if ltidy < radius {
            tile[ltidy][tx] = input[output_index - radius * stride_y];
            tile[ltidy + 8 + radius][tx] = input[output_index + 8 * stride_y];
        }
        if ltidx < radius {
            tile[ty][ltidx] = input[output_index - radius];
            tile[ty][ltidx + 8 + radius] = input[output_index + 8];
        }
        tile[ty][tx] = current;
        sync_threads();
        let mut value = stencil[0] * current;
        #[unroll]
        for i in 1..=radius {
            value += stencil[i]
                * (infront[(i - 1) as usize]
                    + behind[i as usize - 1]
                    + tile[ty - i][tx]
                    + tile[ty + i][tx]
                    + tile[ty][tx - i]
                    + tile[ty][tx + i]);
        }
        output[output_index] = value;
    }
}

fn waves_step_through_planes(device: &Device) {
    let (nx, ny, nz, r) = (16usize, 8usize, 5usize, 2usize);
    let (sx, sy) = (nx + 2 * r, ny + 2 * r);
    let len = sx * sy * (nz + 2 * r + 2);
    let (x, taps) = (noise(len, 5), noise(3, 6));
    let (dx, dt) = (up(device, &x), up(device, &taps));
    let out = written(device, (len, -7.0f32), |out| {
        finite_differences::<2>(out, &dx, &dt, nx as i32, ny as i32, nz as i32)
            .grid([2, 1])
            .block([8, 8])
            .launch(device)
    });
    let mut written = 0;
    for (i, got) in out.iter().enumerate() {
        let (z, y, c) = (i / (sx * sy), i / sx % sy, i % sx);
        if !(r..r + nz).contains(&z) || !(r..r + ny).contains(&y) || !(r..r + nx).contains(&c) {
            assert_eq!(*got, -7.0);
            continue;
        }
        let around = |d: usize| [1, sx, sx * sy].iter().map(|s| x[i + d * s] + x[i - d * s]).sum::<f32>();
        let want = taps[0] * x[i] + (1..=r).map(|d| taps[d] * around(d)).sum::<f32>();
        assert_close(&[*got], &[want], 1e-5);
        written += 1;
    }
    assert_eq!(written, nx * ny * nz);
}

/// Absolute differences of four bytes at once, as `stereoDisparity` adds them up.
#[gpu_kernel]
fn disparity(
    odata: &mut [u32],
    left: &[u32],
    right: &[u32],
    w: i32,
    h: i32,
    min_disparity: i32,
    max_disparity: i32,
) {
    let tidx = (block_dim().x * block_idx().x + thread_idx().x) as i32;
    let tidy = (block_dim().y * block_idx().y + thread_idx().y) as i32;
    if tidx >= w || tidy >= h {
        return;
    }
    let (mut best_cost, mut best_disparity) = (9_999_999, 0);
    for d in min_disparity..=max_disparity {
        let mut cost = 0;
        for dy in -1..=1 {
            let y = (tidy + dy).clamp(0, h - 1);
            for dx in -1i32..=1 {
                let (x0, x1) = ((tidx + dx).max(0).min(w - 1), (tidx + dx + d).clamp(0, w - 1));
                cost += vsadu4(left[y * w + x0], right[y * w + x1]);
            }
        }
        if cost < best_cost {
            best_cost = cost;
            best_disparity = d + 8;
        }
    }
    odata[tidy * w + tidx] = best_disparity as u32;
}

fn shifted_pixels_are_found(device: &Device) {
    let (w, h) = (24usize, 6usize);
    let left: Vec<u32> = (0..w * h).map(|i| (i as u32).wrapping_mul(2_654_435_761)).collect();
    let right: Vec<u32> = (0..w * h).map(|i| left[i / w * w + (i % w + 3).min(w - 1)]).collect();
    let (dl, dr) = (up(device, &left), up(device, &right));
    let out = written(device, (w * h, 99), |out| {
        disparity(out, &dl, &dr, w as i32, h as i32, -8, 0).grid([2, 2]).block([16, 4]).launch(device)
    });
    for y in 0..h {
        for x in 4..w - 3 {
            assert_eq!(out[y * w + x], 5, "pixel ({x}, {y})");
        }
    }
}
