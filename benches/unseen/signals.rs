//! Signals and images: filters, transforms, pools and interpolation.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "signals",
    originals: include_str!("signals.cu"),
    kernels: &[
        Unseen { name: "conv2d", class: "convolution, i32", make: conv2d_trial },
        Unseen { name: "fir", class: "convolution, inclusive range, rev", make: fir_trial },
        Unseen { name: "biquad", class: "recurrence along rows, f64", make: biquad_trial },
        Unseen { name: "fft_stage", class: "FFT butterfly in memory, u32", make: fft_stage_trial },
        Unseen { name: "max_pool", class: "window of a volume, i32", make: max_pool_trial },
        Unseen { name: "im2col", class: "index arithmetic by / and %, u32", make: im2col_trial },
        Unseen { name: "resize", class: "interpolation, u8", make: resize_trial },
        Unseen { name: "horner", class: "loop by rev", make: horner_trial },
    ],
};

/// A filter of a run-time radius; beyond the image is nothing.
#[gpu_kernel]
fn conv2d(image: &[f32], filter: &[f32], out: &mut [f32], width: i32, height: i32, radius: i32) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if x < width && y < height {
        let side = 2 * radius + 1;
        let mut sum = 0.0;
        for dy in -radius..=radius {
            for dx in -radius..=radius {
                let (px, py) = (x + dx, y + dy);
                if px >= 0 && px < width && py >= 0 && py < height {
                    sum += image[py * width + px] * filter[(dy + radius) * side + dx + radius];
                }
            }
        }
        out[y * width + x] = sum;
    }
}

fn conv2d_trial(ground: &Ground) -> Result<Trial, Failure> {
    let ([width, height], radius) = ground.pick(([25, 19], 2), ([4096, 2048], 3));
    let side = 2 * radius + 1;
    let (image, filter) = (ground.floats(width * height), ground.floats(side * side));
    let (di, df) = (ground.up(&image)?, ground.up(&filter)?);
    let want = move |at: usize| {
        let pixel = |k: usize| {
            let (x, y) =
                ((at % width + k % side).wrapping_sub(radius), (at / width + k / side).wrapping_sub(radius));
            if x < width && y < height { image[y * width + x] } else { 0.0 }
        };
        (0..side * side).map(|k| f64::from(pixel(k)) * f64::from(filter[k])).sum::<f64>() as f32
    };
    let mut out = ground.blank(width * height, near(1e-5, want))?;
    let shape = Shape::plane([width, height], [16, 16]);
    let (width, height, radius) = (width as i32, height as i32, radius as i32);
    trial!(
        ground,
        shape,
        conv2d(&di, &df, &mut out.memory, width, height, radius),
        original(&di, &df, &out.memory, width, height, radius),
        [out]
    )
}

/// A causal filter: the taps of the past, the last first.
#[gpu_kernel]
fn fir(signal: &[f32], taps: &[f32], out: &mut [f32]) {
    let i = global_id();
    let order = taps.len() - 1;
    if i < out.len() {
        let mut sum = 0.0;
        for k in (0..=order).rev() {
            if i >= k {
                sum += taps[k] * signal[i - k];
            }
        }
        out[i] = sum;
    }
}

fn fir_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, taps) = ground.pick((300, 9), (1 << 24, 32));
    let (signal, taps) = (ground.floats(n), ground.floats(taps));
    let (ds, dt) = (ground.up(&signal)?, ground.up(&taps)?);
    let count = taps.len() as i32;
    let want = move |i: usize| {
        let past = taps.iter().zip(signal[..=i].iter().rev());
        past.map(|(tap, v)| f64::from(*tap) * f64::from(*v)).sum::<f64>() as f32
    };
    let mut out = ground.blank(n, near(1e-5, want))?;
    trial!(
        ground,
        Shape::line(n, 256),
        fir(&ds, &dt, &mut out.memory),
        original(&ds, &dt, &out.memory, n as i32, count),
        [out]
    )
}

/// A recursive filter of second order along each channel; channels lie side by side.
#[gpu_kernel]
fn biquad(signal: &[f64], out: &mut [f64], c: [f64; 5], channels: usize, steps: usize) {
    let channel = global_id();
    if channel < channels {
        let (mut x1, mut x2, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0);
        for t in 0..steps {
            let x = signal[t * channels + channel];
            let y = c[0] * x + c[1] * x1 + c[2] * x2 - c[3] * y1 - c[4] * y2;
            x2 = x1;
            x1 = x;
            y2 = y1;
            y1 = y;
            out[t * channels + channel] = y;
        }
    }
}

fn biquad_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [channels, steps] = ground.pick([70, 9], [1 << 16, 256]);
    let signal = ground.doubles(channels * steps);
    let ds = ground.up(&signal)?;
    let c: [f64; 5] = [0.2, 0.3, 0.1, -0.4, 0.15];
    let want = move |at: usize| {
        let (channel, mut past) = (at % channels, [0.0; 4]);
        for t in 0..=at / channels {
            let x = signal[t * channels + channel];
            let y = c[0] * x + c[1] * past[0] + c[2] * past[1] - c[3] * past[2] - c[4] * past[3];
            past = [x, past[0], y, past[2]];
        }
        past[2]
    };
    let mut out = ground.blank(channels * steps, near(1e-11, want))?;
    trial!(
        ground,
        Shape::line(channels, 128),
        biquad(&ds, &mut out.memory, c, channels, steps),
        original(&ds, &out.memory, c[0], c[1], c[2], c[3], c[4], channels as i32, steps as i32),
        [out]
    )
}

/// One stage of a transform of a whole buffer, out of place.
#[gpu_kernel]
fn fft_stage(from: &[F32x2], to: &mut [F32x2], span: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    let half = from.len() as u32 / 2;
    if i < half {
        let k = i % span;
        let angle = -std::f32::consts::PI * k as f32 / span as f32;
        let (w, v) = (angle.cos(), angle.sin());
        let a = from[i];
        let b = from[i + half];
        let turned = F32x2::new(b.x * w - b.y * v, b.x * v + b.y * w);
        let at = (i - k) * 2 + k;
        to[at] = a + turned;
        to[at + span] = a - turned;
    }
}

fn fft_stage_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, span) = ground.pick((512, 8), (1 << 24, 1 << 10));
    let from: Vec<F32x2> = ground.floats(2 * n).chunks_exact(2).map(|v| F32x2::new(v[0], v[1])).collect();
    let df = ground.up(&from)?;
    let want = move |at: usize| {
        let (k, upper) = (at % span, at / span % 2 == 1);
        let i = at / (2 * span) * span + k;
        let (s, c) = (-std::f64::consts::PI * k as f64 / span as f64).sin_cos();
        let (a, b) = (from[i], from[i + n / 2]);
        let (bx, by) = (f64::from(b.x), f64::from(b.y));
        let sign = if upper { -1.0 } else { 1.0 };
        let turned = [bx * c - by * s, bx * s + by * c].map(|v| sign * v);
        F32x2::new((f64::from(a.x) + turned[0]) as f32, (f64::from(a.y) + turned[1]) as f32)
    };
    let mut to = ground.blank(n, near(1e-5, want))?;
    trial!(
        ground,
        Shape::line(n / 2, 256),
        fft_stage(&df, &mut to.memory, span as u32),
        original(&df, &to.memory, span as u32, n as u32),
        [to]
    )
}

/// What a layer of a network is given.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Volume {
    channels: i32,
    height: i32,
    width: i32,
}

/// The largest of windows of 3 x 3, two apart.
#[gpu_kernel]
fn max_pool(input: &[f32], output: &mut [f32], volume: Volume) {
    let Volume { channels, height, width } = volume;
    let (out_height, out_width) = ((height - 3) / 2 + 1, (width - 3) / 2 + 1);
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    let c = block_idx().z as i32;
    if x < out_width && y < out_height && c < channels {
        let mut largest = f32::MIN;
        for dy in 0..3 {
            for dx in 0..3 {
                largest = largest.max(input[(c * height + 2 * y + dy) * width + 2 * x + dx]);
            }
        }
        output[(c * out_height + y) * out_width + x] = largest;
    }
}

fn max_pool_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [channels, height, width] = ground.pick([3, 13, 21], [256, 224, 224]);
    let input = ground.floats(channels * height * width);
    let di = ground.up(&input)?;
    let [rows, cols] = [height, width].map(|extent| (extent - 3) / 2 + 1);
    let want = move |at: usize| {
        let (x, y, c) = (at % cols, at / cols % rows, at / (rows * cols));
        let pixel = |k: usize| input[(c * height + 2 * y + k / 3) * width + 2 * x + k % 3];
        (0..9).map(pixel).fold(f32::MIN, f32::max)
    };
    let mut output = ground.blank(channels * rows * cols, exactly(want))?;
    let plane = Shape::plane([cols, rows], [32, 4]);
    let shape = Shape::blocks([plane.grid[0], plane.grid[1], channels as u32], plane.block);
    let volume = Volume { channels: channels as i32, height: height as i32, width: width as i32 };
    trial!(
        ground,
        shape,
        max_pool(&di, &mut output.memory, volume),
        original(&di, &output.memory, channels as i32, height as i32, width as i32),
        [output]
    )
}

/// Windows of k x k as columns, from flat indices.
#[gpu_kernel]
fn im2col(image: &[f32], columns: &mut [f32], channels: u32, height: u32, width: u32, k: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    let out_width = width - k + 1;
    let out_height = height - k + 1;
    if i < channels * k * k * out_height * out_width {
        let x = i % out_width;
        let y = i / out_width % out_height;
        let tap = i / (out_width * out_height);
        let dx = tap % k;
        let dy = tap / k % k;
        let c = tap / (k * k);
        columns[i] = image[(c * height + y + dy) * width + x + dx];
    }
}

fn im2col_trial(ground: &Ground) -> Result<Trial, Failure> {
    let ([channels, height, width], k) = ground.pick(([2, 9, 12], 3), ([64, 226, 226], 3));
    let image = ground.floats(channels * height * width);
    let di = ground.up(&image)?;
    let (rows, cols) = (height - k + 1, width - k + 1);
    let want = move |at: usize| {
        let (x, y, tap) = (at % cols, at / cols % rows, at / cols / rows);
        image[(tap / k / k * height + y + tap / k % k) * width + x + tap % k]
    };
    let n = channels * k * k * rows * cols;
    let mut columns = ground.blank(n, exactly(want))?;
    let (channels, height, width, k) = (channels as u32, height as u32, width as u32, k as u32);
    trial!(
        ground,
        Shape::line(n, 256),
        im2col(&di, &mut columns.memory, channels, height, width, k),
        original(&di, &columns.memory, channels, height, width, k),
        [columns]
    )
}

/// An image of another size, by bilinear interpolation.
#[gpu_kernel]
fn resize(image: &[u8], out: &mut [u8], width: i32, height: i32, new_width: i32, new_height: i32) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if x < new_width && y < new_height {
        let sx = x as f32 * (width - 1) as f32 / (new_width - 1) as f32;
        let sy = y as f32 * (height - 1) as f32 / (new_height - 1) as f32;
        let (x0, y0) = (sx as i32, sy as i32);
        let (x1, y1) = ((x0 + 1).min(width - 1), (y0 + 1).min(height - 1));
        let (fx, fy) = (sx - x0 as f32, sy - y0 as f32);
        let upper = image[y0 * width + x0] as f32 * (1.0 - fx) + image[y0 * width + x1] as f32 * fx;
        let lower = image[y1 * width + x0] as f32 * (1.0 - fx) + image[y1 * width + x1] as f32 * fx;
        out[y * new_width + x] = (upper * (1.0 - fy) + lower * fy + 0.5) as u8;
    }
}

fn resize_trial(ground: &Ground) -> Result<Trial, Failure> {
    let ([width, height], [new_width, new_height]) =
        ground.pick(([19, 13], [33, 20]), ([3000, 2000], [8000, 4000]));
    let image = ground.bytes(width * height);
    let di = ground.up(&image)?;
    let want = move |at: usize| {
        let source = |i: usize, from: usize, to: usize| i as f64 * (from - 1) as f64 / (to - 1) as f64;
        let (sx, sy) = (source(at % new_width, width, new_width), source(at / new_width, height, new_height));
        let pixel = |dx: usize, dy: usize| {
            let (x, y) = ((sx as usize + dx).min(width - 1), (sy as usize + dy).min(height - 1));
            f64::from(image[y * width + x])
        };
        let row = |dy: usize| pixel(0, dy) * (1.0 - sx.fract()) + pixel(1, dy) * sx.fract();
        (row(0) * (1.0 - sy.fract()) + row(1) * sy.fract() + 0.5) as u8
    };
    // A number close to the middle between two may become either, and a fraction of a wide image has few bits.
    let mut out = ground.blank(new_width * new_height, near(1.0, want))?;
    let shape = Shape::plane([new_width, new_height], [32, 8]);
    let [width, height, new_width, new_height] = [width, height, new_width, new_height].map(|v| v as i32);
    trial!(
        ground,
        shape,
        resize(&di, &mut out.memory, width, height, new_width, new_height),
        original(&di, &out.memory, width, height, new_width, new_height),
        [out]
    )
}

/// A polynomial of a run-time degree at each point.
#[gpu_kernel]
fn horner(x: &[f64], coefficients: &[f64], y: &mut [f64], degree: i32) {
    let i = global_id();
    if i < x.len() {
        let mut value = 0.0;
        for k in (0..degree).rev() {
            value = value * x[i] + coefficients[k];
        }
        y[i] = value;
    }
}

fn horner_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, degree) = ground.pick((300, 7), (1 << 23, 24));
    let (x, c) = (ground.doubles(n), ground.doubles(degree));
    let (dx, dc) = (ground.up(&x)?, ground.up(&c)?);
    let want = move |i: usize| (0..degree).map(|k| c[k] * x[i].powi(k as i32)).sum();
    let mut y = ground.blank(n, near(1e-12, want))?;
    trial!(
        ground,
        Shape::line(n, 256),
        horner(&dx, &dc, &mut y.memory, degree as i32),
        original(&dx, &dc, &y.memory, n as i32, degree as i32),
        [y]
    )
}
