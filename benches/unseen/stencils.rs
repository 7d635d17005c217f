//! Stencils: on grids in memory, with halos in shared memory, and marching along z with a queue in registers.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "stencils",
    originals: include_str!("stencils.cu"),
    kernels: &[
        Unseen { name: "jacobi2d", class: "stencil 2-D, usize", make: jacobi2d_trial },
        Unseen { name: "conv3d", class: "stencil 3-D, i32", make: conv3d_trial },
        Unseen { name: "heat7", class: "stencil 3-D, u32", make: heat7_trial },
        Unseen { name: "wave_queue", class: "register queue along z", make: wave_queue_trial },
        Unseen { name: "laplace_march", class: "register queue and shared halo", make: laplace_march_trial },
        Unseen { name: "blur_halo", class: "shared halo, i32", make: blur_halo_trial },
        Unseen { name: "sobel_halo", class: "shared halo, u8", make: sobel_halo_trial },
        Unseen { name: "smooth1d", class: "shared halo, usize", make: smooth1d_trial },
        Unseen { name: "life", class: "stencil 2-D, modulo, u8", make: life_trial },
    ],
};

#[gpu_kernel]
fn jacobi2d(a: &[f64], b: &mut [f64], n: usize) {
    let i = (block_idx().y * block_dim().y + thread_idx().y) as usize;
    let j = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    if i >= 1 && i < n - 1 && j >= 1 && j < n - 1 {
        b[i * n + j] = 0.2
            * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i + 1) * n + j] + a[(i - 1) * n + j]);
    }
}

fn jacobi2d_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(45, 6144);
    let a = ground.doubles(n * n);
    let da = ground.up(&a)?;
    let want = move |at: usize| {
        let (i, j) = (at / n, at % n);
        let inner = i >= 1 && j >= 1 && i + 1 < n && j + 1 < n;
        if inner { 0.2 * (a[at] + a[at - 1] + a[at + 1] + a[at + n] + a[at - n]) } else { 0.0 }
    };
    let mut b = ground.from(vec![0.0; n * n], near(1e-13, want))?;
    trial!(
        ground,
        Shape::plane([n, n], [32, 8]),
        jacobi2d(&da, &mut b.memory, n),
        original(&da, &b.memory, n as i32),
        [b]
    )
}

#[gpu_kernel]
fn conv3d(a: &[f32], b: &mut [f32], ni: i32, nj: i32, nk: i32) {
    let k = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let j = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if j > 0 && j < nj - 1 && k > 0 && k < nk - 1 {
        for i in 1..ni - 1 {
            b[i * (nk * nj) + j * nk + k] = 0.2 * a[(i - 1) * (nk * nj) + (j - 1) * nk + (k - 1)]
                + 0.5 * a[(i - 1) * (nk * nj) + (j + 1) * nk + (k + 1)]
                - 0.8 * a[i * (nk * nj) + (j - 1) * nk + k]
                - 0.3 * a[i * (nk * nj) + j * nk + k]
                + 0.6 * a[i * (nk * nj) + (j + 1) * nk + k]
                - 0.9 * a[(i + 1) * (nk * nj) + (j - 1) * nk + (k + 1)]
                + 0.4 * a[(i + 1) * (nk * nj) + j * nk + (k - 1)]
                + 0.7 * a[(i + 1) * (nk * nj) + (j + 1) * nk + (k + 1)];
        }
    }
}

fn conv3d_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [ni, nj, nk] = ground.pick([6, 13, 40], [256, 256, 384]);
    let a = ground.floats(ni * nj * nk);
    let da = ground.up(&a)?;
    let want = move |at: usize| {
        let (i, j, k) = (at / (nj * nk), at / nk % nj, at % nk);
        if i == 0 || j == 0 || k == 0 || i + 1 == ni || j + 1 == nj || k + 1 == nk {
            return 0.0;
        }
        let v = |di: usize, dj: usize, dk: usize| {
            f64::from(a[(i + di - 1) * nj * nk + (j + dj - 1) * nk + k + dk - 1])
        };
        let below = 0.2 * v(0, 0, 0) + 0.5 * v(0, 2, 2);
        let level = -0.8 * v(1, 0, 1) - 0.3 * v(1, 1, 1) + 0.6 * v(1, 2, 1);
        (below + level - 0.9 * v(2, 0, 2) + 0.4 * v(2, 1, 0) + 0.7 * v(2, 2, 2)) as f32
    };
    let mut b = ground.from(vec![0.0f32; ni * nj * nk], near(1e-5, want))?;
    let (shape, ni, nj, nk) = (Shape::plane([nk, nj], [32, 8]), ni as i32, nj as i32, nk as i32);
    trial!(ground, shape, conv3d(&da, &mut b.memory, ni, nj, nk), original(&da, &b.memory, ni, nj, nk), [b])
}

/// Where a cell of the grid lies.
#[gpu_fn]
fn cell(x: u32, y: u32, z: u32, nx: u32, ny: u32) -> u32 {
    x + nx * (y + ny * z)
}

#[gpu_kernel]
fn heat7(c0: f32, c1: f32, from: &[f32], to: &mut [f32], nx: u32, ny: u32, nz: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    let j = block_idx().y * block_dim().y + thread_idx().y;
    let k = block_idx().z + 1;
    if i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k < nz - 1 {
        to[cell(i, j, k, nx, ny)] = (from[cell(i, j, k + 1, nx, ny)]
            + from[cell(i, j, k - 1, nx, ny)]
            + from[cell(i, j + 1, k, nx, ny)]
            + from[cell(i, j - 1, k, nx, ny)]
            + from[cell(i + 1, j, k, nx, ny)]
            + from[cell(i - 1, j, k, nx, ny)])
            * c1
            - from[cell(i, j, k, nx, ny)] * c0;
    }
}

fn heat7_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [nx, ny, nz] = ground.pick([35, 11, 5], [512, 512, 128]);
    let from = ground.floats(nx * ny * nz);
    let df = ground.up(&from)?;
    let want = move |at: usize| {
        let (x, y, z) = (at % nx, at / nx % ny, at / (nx * ny));
        if x == 0 || y == 0 || z == 0 || x + 1 == nx || y + 1 == ny || z + 1 == nz {
            return 0.0;
        }
        let steps = [1, nx, nx * ny];
        let sum: f64 = steps.map(|d| f64::from(from[at - d]) + f64::from(from[at + d])).iter().sum();
        (sum * 0.125 - f64::from(from[at]) * 0.75) as f32
    };
    let mut to = ground.from(vec![0.0f32; nx * ny * nz], near(1e-5, want))?;
    let plane = Shape::plane([nx, ny], [32, 4]);
    let shape = Shape::blocks([plane.grid[0], plane.grid[1], nz as u32 - 2], plane.block);
    let (nx, ny, nz) = (nx as u32, ny as u32, nz as u32);
    trial!(
        ground,
        shape,
        heat7(0.75, 0.125, &df, &mut to.memory, nx, ny, nz),
        original(0.75f32, 0.125f32, &df, &to.memory, nx as i32, ny as i32, nz as i32),
        [to]
    )
}

const RADIUS: usize = 4;

/// The second derivative along z of a wave field, eighth order: each thread walks up with a queue of nine values.
#[gpu_kernel]
fn wave_queue(field: &[f32], out: &mut [f32], weights: &[f32], nx: usize, ny: usize, nz: usize) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as usize;
    if x < nx && y < ny {
        let stride = nx * ny;
        let mut at = y * nx + x;
        let mut queue = [0.0f32; 2 * RADIUS + 1];
        for k in 1..2 * RADIUS + 1 {
            queue[k] = field[at + (k - 1) * stride];
        }
        at += RADIUS * stride;
        for _z in RADIUS..nz - RADIUS {
            for k in 0..2 * RADIUS {
                queue[k] = queue[k + 1];
            }
            queue[2 * RADIUS] = field[at + RADIUS * stride];
            let mut sum = weights[0] * queue[RADIUS];
            for k in 1..=RADIUS {
                sum += weights[k] * (queue[RADIUS - k] + queue[RADIUS + k]);
            }
            out[at] = sum;
            at += stride;
        }
    }
}

fn wave_queue_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [nx, ny, nz] = ground.pick([35, 7, 14], [512, 512, 160]);
    let (field, weights) = (ground.floats(nx * ny * nz), ground.floats(RADIUS + 1));
    let (df, dw) = (ground.up(&field)?, ground.up(&weights)?);
    let want = move |at: usize| {
        let (z, stride) = (at / (nx * ny), nx * ny);
        if z < RADIUS || z >= nz - RADIUS {
            return 0.0;
        }
        let pair = |k: usize| f64::from(field[at - k * stride]) + f64::from(field[at + k * stride]);
        let sum: f64 = (1..=RADIUS).map(|k| f64::from(weights[k]) * pair(k)).sum();
        (f64::from(weights[0]) * f64::from(field[at]) + sum) as f32
    };
    let mut out = ground.from(vec![0.0f32; nx * ny * nz], near(1e-5, want))?;
    trial!(
        ground,
        Shape::plane([nx, ny], [32, 8]),
        wave_queue(&df, &mut out.memory, &dw, nx, ny, nz),
        original(&df, &out.memory, &dw, nx as i32, ny as i32, nz as i32),
        [out]
    )
}

/// Three planes at a time: the one below and the one above in registers, the one between in shared memory.
#[gpu_kernel]
fn laplace_march(input: &[f32], output: &mut [f32], nx: i32, ny: i32, nz: i32) {
    let mut tile = shared!([[f32; 34]; 10]);
    let tx = thread_idx().x as i32 + 1;
    let ty = thread_idx().y as i32 + 1;
    let x = (block_idx().x * 32) as i32 + tx;
    let y = (block_idx().y * 8) as i32 + ty;
    let stride = nx * ny;
    let inside = x < nx - 1 && y < ny - 1;
    let mut at = y * nx + x;
    let mut current = 0.0;
    let mut front = 0.0;
    if inside {
        current = input[at];
        front = input[at + stride];
    }
    for _z in 1..nz - 1 {
        let behind = current;
        current = front;
        at += stride;
        if inside {
            front = input[at + stride];
            tile[ty][tx] = current;
            if tx == 1 {
                tile[ty][tx - 1] = input[at - 1];
            }
            if tx == 32 || x == nx - 2 {
                tile[ty][tx + 1] = input[at + 1];
            }
            if ty == 1 {
                tile[ty - 1][tx] = input[at - nx];
            }
            if ty == 8 || y == ny - 2 {
                tile[ty + 1][tx] = input[at + nx];
            }
        }
        sync_threads();
        if inside {
            let around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
            output[at] = behind + front + around - 6.0 * current;
        }
        sync_threads();
    }
}

fn laplace_march_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [nx, ny, nz] = ground.pick([40, 13, 5], [514, 514, 128]);
    let input = ground.floats(nx * ny * nz);
    let di = ground.up(&input)?;
    let want = move |at: usize| {
        let (x, y, z) = (at % nx, at / nx % ny, at / (nx * ny));
        if x == 0 || y == 0 || z == 0 || x + 1 == nx || y + 1 == ny || z + 1 == nz {
            return 0.0;
        }
        let steps = [1, nx, nx * ny];
        let sum: f64 = steps.map(|d| f64::from(input[at - d]) + f64::from(input[at + d])).iter().sum();
        (sum - 6.0 * f64::from(input[at])) as f32
    };
    let mut output = ground.from(vec![0.0f32; nx * ny * nz], near(1e-5, want))?;
    let (shape, nx, ny, nz) = (Shape::plane([nx - 2, ny - 2], [32, 8]), nx as i32, ny as i32, nz as i32);
    trial!(
        ground,
        shape,
        laplace_march(&di, &mut output.memory, nx, ny, nz),
        original(&di, &output.memory, nx, ny, nz),
        [output]
    )
}

/// The mean of nine pixels; the tile has a rim of one, which the outer threads load.
#[gpu_kernel]
fn blur_halo(input: &[f32], output: &mut [f32], width: i32, height: i32) {
    let mut tile = shared!([[f32; 18]; 18]);
    let (tx, ty) = (thread_idx().x as i32, thread_idx().y as i32);
    let x = block_idx().x as i32 * 16 + tx;
    let y = block_idx().y as i32 * 16 + ty;
    let left = (x - 1).max(0).min(width - 1);
    let right = (x + 1).min(width - 1);
    let top = (y - 1).max(0).min(height - 1);
    let bottom = (y + 1).min(height - 1);
    let (xc, yc) = (x.min(width - 1), y.min(height - 1));
    tile[ty + 1][tx + 1] = input[yc * width + xc];
    if tx == 0 {
        tile[ty + 1][0] = input[yc * width + left];
    }
    if tx == 15 {
        tile[ty + 1][17] = input[yc * width + right];
    }
    if ty == 0 {
        tile[0][tx + 1] = input[top * width + xc];
    }
    if ty == 15 {
        tile[17][tx + 1] = input[bottom * width + xc];
    }
    if tx == 0 && ty == 0 {
        tile[0][0] = input[top * width + left];
    }
    if tx == 15 && ty == 0 {
        tile[0][17] = input[top * width + right];
    }
    if tx == 0 && ty == 15 {
        tile[17][0] = input[bottom * width + left];
    }
    if tx == 15 && ty == 15 {
        tile[17][17] = input[bottom * width + right];
    }
    sync_threads();
    if x < width && y < height {
        let mut sum = 0.0;
        for dy in 0..3 {
            for dx in 0..3 {
                sum += tile[ty + dy][tx + dx];
            }
        }
        output[y * width + x] = sum / 9.0;
    }
}

fn blur_halo_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([37, 19], [8192, 4096]);
    let input = ground.floats(width * height);
    let di = ground.up(&input)?;
    let want = move |at: usize| {
        let (x, y) = (at % width, at / width);
        let clamped = |v: usize, d: usize, n: usize| (v + d).saturating_sub(1).min(n - 1);
        let pixel = |k: usize| input[clamped(y, k / 3, height) * width + clamped(x, k % 3, width)];
        ((0..9).map(|k| f64::from(pixel(k))).sum::<f64>() / 9.0) as f32
    };
    let mut output = ground.blank(width * height, near(1e-5, want))?;
    let (shape, width, height) = (Shape::plane([width, height], [16, 16]), width as i32, height as i32);
    trial!(
        ground,
        shape,
        blur_halo(&di, &mut output.memory, width, height),
        original(&di, &output.memory, width, height),
        [output]
    )
}

/// How steep an image of bytes is; each thread loads one pixel of the tile, and the inner ones compute.
#[gpu_kernel]
fn sobel_halo(image: &[u8], edges: &mut [u8], width: i32, height: i32) {
    let mut tile = shared!([[u8; 32]; 10]);
    let (tx, ty) = (thread_idx().x as i32, thread_idx().y as i32);
    let x = block_idx().x as i32 * 30 + tx - 1;
    let y = block_idx().y as i32 * 8 + ty - 1;
    tile[ty][tx] = if x >= 0 && x < width && y >= 0 && y < height { image[y * width + x] } else { 0 };
    sync_threads();
    if tx > 0 && tx < 31 && ty > 0 && ty < 9 && x < width && y < height {
        let p00 = tile[ty - 1][tx - 1] as i32;
        let p01 = tile[ty - 1][tx] as i32;
        let p02 = tile[ty - 1][tx + 1] as i32;
        let p10 = tile[ty][tx - 1] as i32;
        let p12 = tile[ty][tx + 1] as i32;
        let p20 = tile[ty + 1][tx - 1] as i32;
        let p21 = tile[ty + 1][tx] as i32;
        let p22 = tile[ty + 1][tx + 1] as i32;
        let gx = p02 + 2 * p12 + p22 - p00 - 2 * p10 - p20;
        let gy = p20 + 2 * p21 + p22 - p00 - 2 * p01 - p02;
        edges[y * width + x] = ((gx.abs() + gy.abs()) / 8).min(255) as u8;
    }
}

fn sobel_halo_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([70, 19], [8192, 8192]);
    let image = ground.bytes(width * height);
    let di = ground.up(&image)?;
    let want = move |at: usize| {
        let pixel = |dx: usize, dy: usize| {
            let (x, y) = ((at % width + dx).wrapping_sub(1), (at / width + dy).wrapping_sub(1));
            if x < width && y < height { i32::from(image[y * width + x]) } else { 0 }
        };
        let gx: i32 = [1, 2, 1].iter().zip(0..3).map(|(w, k)| w * (pixel(2, k) - pixel(0, k))).sum();
        let gy: i32 = [1, 2, 1].iter().zip(0..3).map(|(w, k)| w * (pixel(k, 2) - pixel(k, 0))).sum();
        ((gx.abs() + gy.abs()) / 8).min(255) as u8
    };
    let mut edges = ground.blank(width * height, exactly(want))?;
    let grid = [width.div_ceil(30) as u32, height.div_ceil(8) as u32, 1];
    let (shape, width, height) = (Shape::blocks(grid, [32, 10, 1]), width as i32, height as i32);
    trial!(
        ground,
        shape,
        sobel_halo(&di, &mut edges.memory, width, height),
        original(&di, &edges.memory, width, height),
        [edges]
    )
}

/// A weighted mean over nine elements; the block's part of the line and four more on either side are shared.
#[gpu_kernel]
fn smooth1d(input: &[f32], output: &mut [f32]) {
    let mut line = shared!([f32; 256 + 8]);
    let n = input.len();
    let t = thread_idx().x as usize;
    let i = global_id();
    line[t + 4] = if i < n { input[i] } else { 0.0 };
    if t < 4 {
        line[t] = if i >= 4 && i - 4 < n { input[i - 4] } else { 0.0 };
        line[t + 260] = if i + 256 < n { input[i + 256] } else { 0.0 };
    }
    sync_threads();
    if i < n {
        let mut sum = 0.0;
        for k in 0..=8 {
            sum += line[t + k];
        }
        output[i] = sum / 9.0;
    }
}

fn smooth1d_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(700, 1 << 25);
    let input = ground.floats(n);
    let di = ground.up(&input)?;
    let want = move |i: usize| {
        let near = i.saturating_sub(4)..(i + 5).min(n);
        (near.map(|k| f64::from(input[k])).sum::<f64>() / 9.0) as f32
    };
    let mut output = ground.blank(n, near(1e-5, want))?;
    trial!(
        ground,
        Shape::line(n, 256),
        smooth1d(&di, &mut output.memory),
        original(&di, &output.memory, n as i32),
        [output]
    )
}

/// A generation of Conway's game on a torus.
#[gpu_kernel]
fn life(now: &[u8], next: &mut [u8], width: u32, height: u32) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = block_idx().y * block_dim().y + thread_idx().y;
    if x < width && y < height {
        let left = (x + width - 1) % width;
        let right = (x + 1) % width;
        let up = (y + height - 1) % height * width;
        let down = (y + 1) % height * width;
        let row = y * width;
        let alive = now[up + left]
            + now[up + x]
            + now[up + right]
            + now[row + left]
            + now[row + right]
            + now[down + left]
            + now[down + x]
            + now[down + right];
        next[row + x] = if alive == 3 || (alive == 2 && now[row + x] == 1) { 1 } else { 0 };
    }
}

fn life_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([37, 19], [8192, 4096]);
    let now: Vec<u8> = ground.each(width * height, |word| (word >> 60) as u8 & 1);
    let dn = ground.up(&now)?;
    let want = move |at: usize| {
        let (x, y) = (at % width, at / width);
        let cell =
            |k: usize| now[(y + k / 3 + height - 1) % height * width + (x + k % 3 + width - 1) % width];
        let alive: u8 = (0..9).filter(|k| *k != 4).map(cell).sum();
        u8::from(alive == 3 || (alive == 2 && now[at] == 1))
    };
    let mut next = ground.blank(width * height, exactly(want))?;
    let (shape, width, height) = (Shape::plane([width, height], [32, 8]), width as u32, height as u32);
    trial!(
        ground,
        shape,
        life(&dn, &mut next.memory, width, height),
        original(&dn, &next.memory, width, height),
        [next]
    )
}
