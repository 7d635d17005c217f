//! An element of output a thread, from scalar source.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "maps",
    originals: include_str!("maps.cu"),
    kernels: &[
        Unseen { name: "saxpy", class: "map, f32", make: saxpy_trial },
        Unseen { name: "copy", class: "map, f32", make: copy_trial },
        Unseen { name: "add_i32", class: "map, i32", make: add_i32_trial },
        Unseen { name: "triad", class: "grid-stride step_by, f64", make: triad_trial },
        Unseen { name: "scale_bf16", class: "map, bf16", make: scale_bf16_trial },
        Unseen { name: "brighten", class: "map, u8", make: brighten_trial },
        Unseen { name: "gray", class: "map, u8, stride 3", make: gray_trial },
        Unseen { name: "widen", class: "map between widths", make: widen_trial },
        Unseen { name: "gelu", class: "map, grid-stride while", make: gelu_trial },
        Unseen { name: "option_price", class: "pricing map, structs", make: option_price_trial },
        Unseen { name: "julia", class: "map with a loop, i32", make: julia_trial },
        Unseen { name: "drift", class: "struct of arrays", make: drift_trial },
        Unseen { name: "gather", class: "gather, u32", make: gather_trial },
    ],
};

#[gpu_kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

fn saxpy_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(1000, 1 << 26);
    let (x, y) = (ground.floats(n), ground.floats(n));
    let (dx, start) = (ground.up(&x)?, y.clone());
    let mut out = ground.from(start, near(1e-6, move |i| 2.5 * x[i] + y[i]))?;
    trial!(
        ground,
        Shape::line(n, 256),
        saxpy(2.5, &dx, &mut out.memory),
        original(2.5f32, &dx, &out.memory, n as i32),
        [out]
    )
}

#[gpu_kernel]
fn copy(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < x.len() {
        y[i] = x[i];
    }
}

fn copy_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(1001, (1 << 26) + 3);
    let x = ground.floats(n);
    let dx = ground.up(&x)?;
    let mut y = ground.blank(n, exactly(move |i| x[i]))?;
    trial!(ground, Shape::line(n, 256), copy(&dx, &mut y.memory), original(&dx, &y.memory, n as i32), [y])
}

#[gpu_kernel]
fn add_i32(a: &[i32], b: &[i32], c: &mut [i32], n: i32) {
    let i = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if i < n {
        c[i] = a[i] + b[i];
    }
}

fn add_i32_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(1000, 1 << 26);
    let (a, b) = (ground.ints(n, -100_000..100_000), ground.ints(n, -100_000..100_000));
    let (da, db) = (ground.up(&a)?, ground.up(&b)?);
    let mut c = ground.blank(n, exactly(move |i| a[i] + b[i]))?;
    trial!(
        ground,
        Shape::line(n, 512),
        add_i32(&da, &db, &mut c.memory, n as i32),
        original(&da, &db, &c.memory, n as i32),
        [c]
    )
}

#[gpu_kernel]
fn triad(a: &mut [f64], b: &[f64], c: &[f64], scalar: f64) {
    for i in (global_id()..a.len()).step_by(global_size()) {
        a[i] = b[i] + scalar * c[i];
    }
}

fn triad_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, blocks) = ground.pick((1000, 2), (1 << 25, 1056));
    let (b, c) = (ground.doubles(n), ground.doubles(n));
    let (db, dc) = (ground.up(&b)?, ground.up(&c)?);
    let mut a = ground.blank(n, near(1e-14, move |i| b[i] + 0.4 * c[i]))?;
    trial!(
        ground,
        Shape::blocks([blocks, 1, 1], [256, 1, 1]),
        triad(&mut a.memory, &db, &dc, 0.4),
        original(&a.memory, &db, &dc, 0.4f64, n as i32),
        [a]
    )
}

#[gpu_kernel]
fn scale_bf16(x: &[bf16], y: &mut [bf16], factor: f32) {
    let i = global_id();
    if i < x.len() {
        y[i] = bf16::from_f32(x[i].to_f32() * factor);
    }
}

fn scale_bf16_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(1000, 1 << 27);
    let x: Vec<bf16> = ground.each(n, |word| bf16::from_f32((word >> 40) as f32 / (1u64 << 23) as f32 - 1.0));
    let dx = ground.up(&x)?;
    let mut y = ground.blank(n, exactly(move |i| bf16::from_f32(x[i].to_f32() * 0.3)))?;
    trial!(
        ground,
        Shape::line(n, 256),
        scale_bf16(&dx, &mut y.memory, 0.3),
        original(&dx, &y.memory, 0.3f32, n as u32),
        [y]
    )
}

#[gpu_kernel]
fn brighten(input: &[u8], output: &mut [u8], by: i32, n: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i < n {
        let v = input[i] as i32 + by;
        output[i] = if v > 255 {
            255
        } else if v < 0 {
            0
        } else {
            v as u8
        };
    }
}

fn brighten_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(1000, 1 << 27);
    let input = ground.bytes(n);
    let di = ground.up(&input)?;
    let mut output = ground.blank(n, exactly(move |i| (i32::from(input[i]) - 40).clamp(0, 255) as u8))?;
    trial!(
        ground,
        Shape::line(n, 256),
        brighten(&di, &mut output.memory, -40, n as u32),
        original(&di, &output.memory, -40, n as u32),
        [output]
    )
}

#[gpu_kernel]
fn gray(rgb: &[u8], out: &mut [u8], width: i32, height: i32) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if x < width && y < height {
        let at = y * width + x;
        let r = rgb[3 * at] as f32;
        let g = rgb[3 * at + 1] as f32;
        let b = rgb[3 * at + 2] as f32;
        out[at] = (0.25 * r + 0.625 * g + 0.125 * b) as u8;
    }
}

fn gray_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([37, 21], [8192, 4096]);
    let rgb = ground.bytes(3 * width * height);
    let dr = ground.up(&rgb)?;
    let want = move |at: usize| {
        let [r, g, b] = [0, 1, 2].map(|k| u32::from(rgb[3 * at + k]));
        ((2 * r + 5 * g + b) / 8) as u8
    };
    let mut out = ground.blank(width * height, exactly(want))?;
    let (shape, width, height) = (Shape::plane([width, height], [32, 8]), width as i32, height as i32);
    trial!(
        ground,
        shape,
        gray(&dr, &mut out.memory, width, height),
        original(&dr, &out.memory, width, height),
        [out]
    )
}

#[gpu_kernel]
fn widen(input: &[u8], output: &mut [f32]) {
    let i = global_id();
    if i < input.len() {
        output[i] = input[i] as f32 / 255.0;
    }
}

fn widen_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(1000, 1 << 26);
    let input = ground.bytes(n);
    let di = ground.up(&input)?;
    let mut output = ground.blank(n, near(1e-6, move |i| f32::from(input[i]) / 255.0))?;
    trial!(
        ground,
        Shape::line(n, 256),
        widen(&di, &mut output.memory),
        original(&di, &output.memory, n as u32),
        [output]
    )
}

#[gpu_kernel]
fn gelu(x: &[f32], y: &mut [f32], n: usize) {
    let mut i = global_id();
    while i < n {
        let v = x[i];
        let cube = 0.044715 * v * v * v;
        y[i] = 0.5 * v * (1.0 + (0.797_884_6 * (v + cube)).tanh());
        i += global_size();
    }
}

fn gelu_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, blocks) = ground.pick((1000, 2), (1 << 25, 2112));
    let x = ground.between(n, -4.0..4.0);
    let dx = ground.up(&x)?;
    let want = move |i: usize| {
        let v = f64::from(x[i]);
        (0.5 * v * (1.0 + (0.797_884_560_8 * (v + 0.044715 * v * v * v)).tanh())) as f32
    };
    let mut y = ground.blank(n, near(1e-5, want))?;
    trial!(
        ground,
        Shape::blocks([blocks, 1, 1], [256, 1, 1]),
        gelu(&dx, &mut y.memory, n),
        original(&dx, &y.memory, n as i32),
        [y]
    )
}

/// An option on a future, and what it is worth.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Contract {
    forward: f32,
    strike: f32,
    years: f32,
    volatility: f32,
}

/// Black's formula of 1976, of calls and puts.
#[gpu_kernel]
fn option_price(contracts: &[Contract], rate: f32, prices: &mut [F32x2]) {
    let i = global_id();
    if i < contracts.len() {
        let Contract { forward, strike, years, volatility } = contracts[i];
        let spread = volatility * years.sqrt();
        let d1 = ((forward / strike).ln() + 0.5 * volatility * volatility * years) / spread;
        let d2 = d1 - spread;
        let discount = (-rate * years).exp();
        let call = discount * (forward * normcdf(d1) - strike * normcdf(d2));
        let put = discount * (strike * normcdf(-d2) - forward * normcdf(-d1));
        prices[i] = F32x2::new(call, put);
    }
}

fn option_price_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(500, 1 << 23);
    let between = |range| ground.between(n, range);
    let parts = [between(50.0..150.0), between(50.0..150.0), between(0.25..5.0), between(0.1..0.6)];
    let contracts: Vec<Contract> = (0..n)
        .map(|i| Contract {
            forward: parts[0][i],
            strike: parts[1][i],
            years: parts[2][i],
            volatility: parts[3][i],
        })
        .collect();
    let dc = ground.up(&contracts)?;
    let want = move |i: usize| {
        let [f, k, t, v] = [0, 1, 2, 3].map(|p| f64::from(parts[p][i]));
        let d1 = ((f / k).ln() + 0.5 * v * v * t) / (v * t.sqrt());
        let cdf = |x: f64| 0.5 * libm::erfc(-x * 0.5f64.sqrt());
        let d2 = d1 - v * t.sqrt();
        let (call, put) = (f * cdf(d1) - k * cdf(d2), k * cdf(-d2) - f * cdf(-d1));
        let discount = (-0.03 * t).exp();
        F32x2::new((discount * call) as f32, (discount * put) as f32)
    };
    let mut prices = ground.blank(n, near(1e-4, want))?;
    trial!(
        ground,
        Shape::line(n, 128),
        option_price(&dc, 0.03, &mut prices.memory),
        original(&dc, 0.03f32, &prices.memory, n as i32),
        [prices]
    )
}

/// How many steps a point of the plane stays near.
#[gpu_kernel]
fn julia(out: &mut [i32], width: i32, height: i32, limit: i32) {
    let px = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let py = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if px >= width || py >= height {
        return;
    }
    let mut x = 3.0 * px as f64 / width as f64 - 1.5;
    let mut y = 2.0 * py as f64 / height as f64 - 1.0;
    let mut steps = 0;
    while steps < limit && x * x + y * y < 4.0 {
        let next = x * x - y * y - 0.8;
        y = 2.0 * x * y + 0.156;
        x = next;
        steps += 1;
    }
    out[py * width + px] = steps;
}

fn julia_trial(ground: &Ground) -> Result<Trial, Failure> {
    let ([width, height], limit) = ground.pick(([32, 16], 6), ([4096, 4096], 24));
    // So few steps that no rounding of fused products shows.
    let want = move |at: usize| {
        let mut x = 3.0 * (at % width) as f64 / width as f64 - 1.5;
        let mut y = 2.0 * (at / width) as f64 / height as f64 - 1.0;
        let mut steps = 0;
        while steps < limit && x * x + y * y < 4.0 {
            (x, y) = (x * x - y * y - 0.8, 2.0 * x * y + 0.156);
            steps += 1;
        }
        steps
    };
    let mut out = ground.blank(width * height, exactly(want))?;
    let (shape, width, height) = (Shape::plane([width, height], [16, 16]), width as i32, height as i32);
    trial!(
        ground,
        shape,
        julia(&mut out.memory, width, height, limit),
        original(&out.memory, width, height, limit),
        [out]
    )
}

/// Particles between walls, their coordinates in arrays of their own.
#[gpu_kernel]
fn drift(x: &[f32], y: &[f32], vx: &[f32], vy: &[f32], nx: &mut [f32], ny: &mut [f32], dt: f32) {
    let i = global_id();
    if i < x.len() {
        let px = x[i] + vx[i] * dt;
        let py = y[i] + vy[i] * dt;
        nx[i] = if px > 1.0 { 2.0 - px } else { px };
        ny[i] = if py < -1.0 { -2.0 - py } else { py };
    }
}

fn drift_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(1000, 1 << 25);
    let parts = [(); 4].map(|()| ground.floats(n));
    let [x, y, vx, vy] = &parts;
    let (dx, dy, dvx, dvy) = (ground.up(x)?, ground.up(y)?, ground.up(vx)?, ground.up(vy)?);
    let [x, y, vx, vy] = parts;
    let right = move |p: f32| if p > 1.0 { 2.0 - p } else { p };
    let left = move |p: f32| if p < -1.0 { -2.0 - p } else { p };
    let mut nx = ground.blank(n, near(1e-5, move |i| right(x[i] + vx[i] * 0.1)))?;
    let mut ny = ground.blank(n, near(1e-5, move |i| left(y[i] + vy[i] * 0.1)))?;
    trial!(
        ground,
        Shape::line(n, 256),
        drift(&dx, &dy, &dvx, &dvy, &mut nx.memory, &mut ny.memory, 0.1),
        original(&dx, &dy, &dvx, &dvy, &nx.memory, &ny.memory, 0.1f32, n as i32),
        [nx, ny]
    )
}

#[gpu_kernel]
fn gather(x: &[f32], indices: &[u32], y: &mut [f32], n: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i < n {
        y[i] = x[indices[i]];
    }
}

fn gather_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, m) = ground.pick((1000, 300), (1 << 25, 1 << 20));
    let (x, indices) = (ground.floats(m), ground.below(n, m as u32));
    let (dx, di) = (ground.up(&x)?, ground.up(&indices)?);
    let mut y = ground.blank(n, exactly(move |i| x[indices[i] as usize]))?;
    trial!(
        ground,
        Shape::line(n, 256),
        gather(&dx, &di, &mut y.memory, n as u32),
        original(&dx, &di, &y.memory, n as u32),
        [y]
    )
}
