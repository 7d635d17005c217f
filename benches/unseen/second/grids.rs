//! Steps on grids, and samples of images and volumes.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "grids",
    originals: include_str!("grids.cu"),
    kernels: &[
        Unseen { name: "srad", class: "stencil by tables of neighbours, i32", make: srad_trial },
        Unseen { name: "hotspot3d", class: "stencil 3-D, indices that grow, u32", make: hotspot3d_trial },
        Unseen { name: "pathfinder", class: "recurrence in dynamic shared, i32", make: pathfinder_trial },
        Unseen { name: "trilinear", class: "samples of a volume, i32", make: trilinear_trial },
        Unseen { name: "mandelbrot_fixed", class: "map with a loop, i64", make: mandelbrot_fixed_trial },
        Unseen { name: "bezier_surface", class: "double loop, device function", make: bezier_surface_trial },
        Unseen {
            name: "conv_constant",
            class: "convolution, constant table, i32",
            make: conv_constant_trial,
        },
    ],
};

/// One step of anisotropic diffusion; the neighbours of a row and of a column are in tables.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn srad(
    image: &[f32],
    coeff: &[f32],
    out: &mut [f32],
    north: &[i32],
    south: &[i32],
    west: &[i32],
    east: &[i32],
    rows: i32,
    cols: i32,
    lambda: f32,
) {
    let id = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if id < rows * cols {
        let row = id % rows;
        let col = id / rows;
        let here = image[id];
        let dn = image[north[row] + rows * col] - here;
        let ds = image[south[row] + rows * col] - here;
        let dw = image[row + rows * west[col]] - here;
        let de = image[row + rows * east[col]] - here;
        let cn = coeff[id];
        let cs = coeff[south[row] + rows * col];
        let ce = coeff[row + rows * east[col]];
        out[id] = here + 0.25 * lambda * (cn * dn + cs * ds + cn * dw + ce * de);
    }
}

fn srad_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, cols] = ground.pick([13, 17], [4096, 4096]);
    let (image, coeff) = (ground.between(rows * cols, 0.0..1.0), ground.between(rows * cols, 0.0..1.0));
    let before = |n: usize| (0..n as i32).map(|i| (i - 1).max(0)).collect::<Vec<_>>();
    let after = |n: usize| (0..n as i32).map(|i| (i + 1).min(n as i32 - 1)).collect::<Vec<_>>();
    let (di, dc) = (ground.up(&image)?, ground.up(&coeff)?);
    let (dn, ds, dw, de) = (
        ground.up(&before(rows))?,
        ground.up(&after(rows))?,
        ground.up(&before(cols))?,
        ground.up(&after(cols))?,
    );
    let want = move |id: usize| {
        let (row, col) = (id % rows, id / rows);
        let at = |row: usize, col: usize| row + rows * col;
        let (south, east) = (at((row + 1).min(rows - 1), col), at(row, (col + 1).min(cols - 1)));
        let (north, west) = (at(row.saturating_sub(1), col), at(row, col.saturating_sub(1)));
        let flow = |to: usize, by: usize| f64::from(coeff[by]) * f64::from(image[to] - image[id]);
        let sum = flow(north, id) + flow(south, south) + flow(west, id) + flow(east, east);
        (f64::from(image[id]) + 0.25 * 0.5 * sum) as f32
    };
    let mut out = ground.blank(rows * cols, near(1e-5, want))?;
    let (rows, cols) = (rows as i32, cols as i32);
    trial!(
        ground,
        Shape::line((rows * cols) as usize, 256),
        srad(&di, &dc, &mut out.memory, &dn, &ds, &dw, &de, rows, cols, 0.5),
        original(&di, &dc, &out.memory, &dn, &ds, &dw, &de, rows, cols, 0.5f32),
        [out]
    )
}

/// Heat in layers; each thread goes through all layers of its column.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn hotspot3d(
    power: &[f32],
    tin: &[f32],
    tout: &mut [f32],
    nx: u32,
    ny: u32,
    nz: u32,
    ce: f32,
    ct: f32,
    cc: f32,
    step: f32,
) {
    let i = block_dim().x * block_idx().x + thread_idx().x;
    let j = block_dim().y * block_idx().y + thread_idx().y;
    if i >= nx || j >= ny {
        return;
    }
    let mut c = i + j * nx;
    let xy = nx * ny;
    let mut w = if i == 0 { c } else { c - 1 };
    let mut e = if i == nx - 1 { c } else { c + 1 };
    let mut n = if j == 0 { c } else { c - nx };
    let mut s = if j == ny - 1 { c } else { c + nx };
    let mut temp1 = tin[c];
    let mut temp2 = temp1;
    let mut temp3 = tin[c + xy];
    for k in 0..nz - 1 {
        tout[c] =
            cc * temp2 + ce * (tin[w] + tin[e] + tin[s] + tin[n]) + ct * (temp1 + temp3) + step * power[c];
        c += xy;
        w += xy;
        e += xy;
        n += xy;
        s += xy;
        temp1 = temp2;
        temp2 = temp3;
        temp3 = if k + 2 < nz { tin[c + xy] } else { temp2 };
    }
    tout[c] = cc * temp2 + ce * (tin[w] + tin[e] + tin[s] + tin[n]) + ct * (temp1 + temp3) + step * power[c];
}

fn hotspot3d_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [nx, ny, nz] = ground.pick([11, 9, 4], [1024, 1024, 16]);
    let n = nx * ny * nz;
    let (power, tin) = (ground.between(n, 0.0..1.0), ground.between(n, 20.0..80.0));
    let (dp, dt) = (ground.up(&power)?, ground.up(&tin)?);
    let want = move |at: usize| {
        let (x, y, z) = (at % nx, at / nx % ny, at / nx / ny);
        let t = |x: usize, y: usize, z: usize| f64::from(tin[(z * ny + y) * nx + x]);
        let (west, east) = (x.saturating_sub(1), (x + 1).min(nx - 1));
        let (north, south) = (y.saturating_sub(1), (y + 1).min(ny - 1));
        let around = t(west, y, z) + t(east, y, z) + t(x, north, z) + t(x, south, z);
        let column = t(x, y, z.saturating_sub(1)) + t(x, y, (z + 1).min(nz - 1));
        (0.4 * t(x, y, z) + 0.1 * around + 0.1 * column + 0.05 * f64::from(power[at])) as f32
    };
    let mut tout = ground.blank(n, near(1e-5, want))?;
    let [nx, ny, nz] = [nx, ny, nz].map(|n| n as u32);
    trial!(
        ground,
        Shape::plane([nx as usize, ny as usize], [64, 4]),
        hotspot3d(&dp, &dt, &mut tout.memory, nx, ny, nz, 0.1, 0.1, 0.4, 0.05),
        original(&dp, &dt, &tout.memory, nx, ny, nz, 0.1f32, 0.1f32, 0.4f32, 0.05f32),
        [tout]
    )
}

/// Some rows of the cheapest paths through a grid; the blocks overlap by the rows that they do.
#[gpu_kernel]
fn pathfinder(wall: &[i32], source: &[i32], result: &mut [i32], cols: i32, first: i32, steps: i32) {
    let mut rows = dynamic_shared::<i32>();
    let (previous, next) = rows.split_at_mut(block_dim().x as usize);
    let tx = thread_idx().x as i32;
    let size = block_dim().x as i32;
    let x = block_idx().x as i32 * (size - 2 * steps) - steps + tx;
    let valid = x >= 0 && x < cols;
    previous[tx] = if valid { source[x] } else { i32::MAX };
    sync_threads();
    for i in 0..steps {
        if tx > i && tx < size - 1 - i && valid {
            let least = previous[tx - 1].min(previous[tx]).min(previous[tx + 1]);
            next[tx] = least.wrapping_add(wall[(first + i) * cols + x]);
        } else {
            next[tx] = i32::MAX;
        }
        sync_threads();
        previous[tx] = next[tx];
        sync_threads();
    }
    if tx >= steps && tx < size - steps && valid {
        result[x] = previous[tx];
    }
}

fn pathfinder_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [cols, rows, steps, block] = ground.pick([100, 5, 3, 32], [1 << 20, 24, 20, 256]);
    let (wall, source) = (ground.ints(rows * cols, 0..10), ground.ints(cols, 0..100));
    let (dw, ds) = (ground.up(&wall)?, ground.up(&source)?);
    let mut now = source;
    for i in 0..steps {
        let least = |x: usize| now[x.saturating_sub(1)..(x + 2).min(cols)].iter().copied().min().unwrap_or(0);
        now = (0..cols).map(|x| least(x) + wall[(1 + i) * cols + x]).collect();
    }
    let mut result = ground.blank(cols, exactly(move |x| now[x]))?;
    let blocks = cols.div_ceil(block - 2 * steps) as u32;
    let shape = Shape::blocks([blocks, 1, 1], [block as u32, 1, 1]).shared(2 * 4 * block);
    let (cols, steps) = (cols as i32, steps as i32);
    trial!(
        ground,
        shape,
        pathfinder(&dw, &ds, &mut result.memory, cols, 1, steps),
        original(&dw, &ds, &result.memory, cols, 1, steps),
        [result]
    )
}

/// A volume between its eight nearest voxels.
#[gpu_kernel]
fn trilinear(volume: &[f32], points: &[f32], out: &mut [f32], nx: i32, ny: i32, nz: i32, count: i32) {
    let id = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if id < count {
        let (px, py, pz) = (points[3 * id], points[3 * id + 1], points[3 * id + 2]);
        let (x0, y0, z0) = (px as i32, py as i32, pz as i32);
        let (x1, y1, z1) = ((x0 + 1).min(nx - 1), (y0 + 1).min(ny - 1), (z0 + 1).min(nz - 1));
        let (fx, fy, fz) = (px - x0 as f32, py - y0 as f32, pz - z0 as f32);
        let c00 = volume[(z0 * ny + y0) * nx + x0] * (1.0 - fx) + volume[(z0 * ny + y0) * nx + x1] * fx;
        let c01 = volume[(z1 * ny + y0) * nx + x0] * (1.0 - fx) + volume[(z1 * ny + y0) * nx + x1] * fx;
        let c10 = volume[(z0 * ny + y1) * nx + x0] * (1.0 - fx) + volume[(z0 * ny + y1) * nx + x1] * fx;
        let c11 = volume[(z1 * ny + y1) * nx + x0] * (1.0 - fx) + volume[(z1 * ny + y1) * nx + x1] * fx;
        let c0 = c00 * (1.0 - fy) + c10 * fy;
        let c1 = c01 * (1.0 - fy) + c11 * fy;
        out[id] = c0 * (1.0 - fz) + c1 * fz;
    }
}

fn trilinear_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [nx, ny, nz, count] = ground.pick([9, 7, 5, 90], [128, 128, 128, 1 << 22]);
    let volume = ground.floats(nx * ny * nz);
    let points: Vec<f32> = (0..3 * count)
        .map(|k| {
            let most = [nx, ny, nz][k % 3] - 1;
            (ground.word() >> 40) as f32 / (1u64 << 24) as f32 * most as f32
        })
        .collect();
    let (dv, dp) = (ground.up(&volume)?, ground.up(&points)?);
    let want = move |id: usize| {
        let p = &points[3 * id..][..3];
        let mut sum = 0.0;
        for corner in 0..8 {
            let (mut weight, mut at) = (1.0, 0);
            for (axis, n) in [(2, nz), (1, ny), (0, nx)] {
                let (low, part) = (p[axis].trunc(), f64::from(p[axis].fract()));
                let upper = corner >> axis & 1;
                weight *= if upper == 1 { part } else { 1.0 - part };
                at = at * n + (low as usize + upper).min(n - 1);
            }
            sum += weight * f64::from(volume[at]);
        }
        sum as f32
    };
    let mut out = ground.blank(count, near(1e-5, want))?;
    let [nx, ny, nz, n] = [nx, ny, nz, count].map(|n| n as i32);
    trial!(
        ground,
        Shape::line(count, 256),
        trilinear(&dv, &dp, &mut out.memory, nx, ny, nz, n),
        original(&dv, &dp, &out.memory, nx, ny, nz, n),
        [out]
    )
}

/// The set of Mandelbrot in numbers with 28 bits behind the point.
#[gpu_kernel]
fn mandelbrot_fixed(counts: &mut [u16], width: i32, height: i32, left: i64, top: i64, step: i64, most: i32) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if x < width && y < height {
        let cr = left + x as i64 * step;
        let ci = top + y as i64 * step;
        let (mut zr, mut zi) = (0i64, 0i64);
        let mut n = 0;
        while n < most {
            let rr = (zr * zr) >> 28;
            let ii = (zi * zi) >> 28;
            if rr + ii > (4 << 28) {
                break;
            }
            zi = ((zr * zi) >> 27) + ci;
            zr = rr - ii + cr;
            n += 1;
        }
        counts[y * width + x] = n as u16;
    }
}

fn mandelbrot_fixed_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height, most] = ground.pick([33, 17, 30], [1920, 1080, 64]);
    let (left, top, step) = (-2i64 << 28, -1i64 << 28, (3i64 << 28) / width as i64);
    let want = move |at: usize| {
        let (cr, ci) = (left + (at % width) as i64 * step, top + (at / width) as i64 * step);
        let (mut zr, mut zi, mut n) = (0i64, 0i64, 0u16);
        while usize::from(n) < most && ((zr * zr) >> 28) + ((zi * zi) >> 28) <= 4 << 28 {
            (zr, zi) = (((zr * zr) >> 28) - ((zi * zi) >> 28) + cr, ((zr * zi) >> 27) + ci);
            n += 1;
        }
        n
    };
    let mut counts = ground.blank(width * height, exactly(want))?;
    let shape = Shape::plane([width, height], [32, 8]);
    let [width, height, most] = [width, height, most].map(|n| n as i32);
    trial!(
        ground,
        shape,
        mandelbrot_fixed(&mut counts.memory, width, height, left, top, step, most),
        original(&counts.memory, width, height, left, top, step, most),
        [counts]
    )
}

/// A Bernstein polynomial, by its factors in turn.
#[gpu_fn]
fn bezier_blend(k: i32, mu: f32, n: i32) -> f32 {
    let mut nn = n;
    let mut kn = k;
    let mut nkn = n - k;
    let mut blend = 1.0f32;
    while nn >= 1 {
        blend *= nn as f32;
        nn -= 1;
        if kn > 1 {
            blend /= kn as f32;
            kn -= 1;
        }
        if nkn > 1 {
            blend /= nkn as f32;
            nkn -= 1;
        }
    }
    if k > 0 {
        blend *= mu.powf(k as f32);
    }
    if n - k > 0 {
        blend *= (1.0 - mu).powf((n - k) as f32);
    }
    blend
}

/// Points of a Bézier surface.
#[gpu_kernel]
fn bezier_surface(control: &[F32x3], surface: &mut [F32x3], ni: i32, nj: i32, res_i: i32, res_j: i32) {
    let i = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let j = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if i < res_i && j < res_j {
        let mui = i as f32 / (res_i - 1) as f32;
        let muj = j as f32 / (res_j - 1) as f32;
        let mut out = F32x3::new(0.0, 0.0, 0.0);
        for ki in 0..=ni {
            let bi = bezier_blend(ki, mui, ni);
            for kj in 0..=nj {
                let bj = bezier_blend(kj, muj, nj);
                out.x += control[ki * (nj + 1) + kj].x * bi * bj;
                out.y += control[ki * (nj + 1) + kj].y * bi * bj;
                out.z += control[ki * (nj + 1) + kj].z * bi * bj;
            }
        }
        surface[i * res_j + j] = out;
    }
}

fn bezier_surface_trial(ground: &Ground) -> Result<Trial, Failure> {
    let ([ni, nj], [res_i, res_j]) = ground.pick(([4, 3], [9, 11]), ([12, 12], [400, 400]));
    let numbers = ground.floats(3 * (ni + 1) * (nj + 1));
    let control: Vec<F32x3> = numbers.chunks_exact(3).map(|p| F32x3::new(p[0], p[1], p[2])).collect();
    let dc = ground.up(&control)?;
    let want = move |at: usize| {
        let casteljau = |n: usize, mu: f64, point: &dyn Fn(usize) -> [f64; 3]| {
            let mut points: Vec<[f64; 3]> = (0..=n).map(point).collect();
            for level in (0..n).rev() {
                for k in 0..=level {
                    points[k] = std::array::from_fn(|a| points[k][a] * (1.0 - mu) + points[k + 1][a] * mu);
                }
            }
            points[0]
        };
        let [mui, muj] = [(at / res_j) as f64 / (res_i - 1) as f64, (at % res_j) as f64 / (res_j - 1) as f64];
        let p = |k: usize| [0, 1, 2].map(|axis| f64::from(numbers[3 * k + axis]));
        let row = |ki: usize| casteljau(nj, muj, &|kj| p(ki * (nj + 1) + kj));
        let [x, y, z] = casteljau(ni, mui, &row).map(|v| v as f32);
        F32x3::new(x, y, z)
    };
    let mut surface = ground.blank(res_i * res_j, near(1e-4, want))?;
    let shape = Shape::plane([res_i, res_j], [16, 16]);
    let [ni, nj, res_i, res_j] = [ni, nj, res_i, res_j].map(|n| n as i32);
    trial!(
        ground,
        shape,
        bezier_surface(&dc, &mut surface.memory, ni, nj, res_i, res_j),
        original(&dc, &surface.memory, ni, nj, res_i, res_j),
        [surface]
    )
}

const WEIGHTS: [f32; 25] = [
    0.01, 0.02, 0.03, 0.02, 0.01, 0.02, 0.05, 0.08, 0.05, 0.02, 0.03, 0.08, 0.16, 0.08, 0.03, 0.02, 0.05,
    0.08, 0.05, 0.02, 0.01, 0.02, 0.03, 0.02, 0.01,
];

/// A window of five by five, clamped at the edges.
#[gpu_kernel]
fn conv_constant(input: &[f32], out: &mut [f32], width: i32, height: i32) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if x < width && y < height {
        let mut sum = 0.0;
        for dy in -2..=2 {
            for dx in -2..=2 {
                let cx = (x + dx).clamp(0, width - 1);
                let cy = (y + dy).clamp(0, height - 1);
                sum += input[cy * width + cx] * WEIGHTS[((dy + 2) * 5 + dx + 2) as usize];
            }
        }
        out[y * width + x] = sum;
    }
}

fn conv_constant_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([23, 11], [4096, 4096]);
    let input = ground.floats(width * height);
    let di = ground.up(&input)?;
    let want = move |at: usize| {
        let (x, y) = (at % width, at / width);
        let term = |k: usize| {
            let cx = (x + k % 5).saturating_sub(2).min(width - 1);
            let cy = (y + k / 5).saturating_sub(2).min(height - 1);
            f64::from(input[cy * width + cx]) * f64::from(WEIGHTS[k])
        };
        (0..25).map(term).sum::<f64>() as f32
    };
    let mut out = ground.blank(width * height, near(1e-5, want))?;
    let shape = Shape::plane([width, height], [32, 8]);
    let (width, height) = (width as i32, height as i32);
    trial!(
        ground,
        shape,
        conv_constant(&di, &mut out.memory, width, height),
        original(&di, &out.memory, width, height),
        [out]
    )
}
