//! Rodinia on grids: hotspot, srad, pathfinder, needleman-wunsch, wavelets.

use harness::noise;
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{assert_close, down, integers, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("rodinia_hotspot", hotspot, hotspot_is_a_pyramid_of_steps),
        port!("rodinia_hotspot3d", hotspot3d, hotspot3d_walks_up_the_layers),
        port!("rodinia_needle", needle, needleman_wunsch_fills_tiles_along_diagonals),
        port!("rodinia_pathfinder", pathfinder, pathfinder_keeps_a_halo),
        port!("rodinia_srad", srad, srad_diffuses_speckle),
        port!("rodinia_dwt53", dwt53, dwt2d_lifts_a_row),
    ]
}

const BLOCK: usize = 16;
const AMBIENT: f32 = 80.0;

/// Column and row of the calling thread in a grid of two dimensions.
#[gpu_fn]
pub fn column_and_row() -> (usize, usize) {
    let (block, dim, thread) = (block_idx(), block_dim(), thread_idx());
    ((block.x * dim.x + thread.x) as usize, (block.y * dim.y + thread.y) as usize)
}

/// The physics of a chip.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Chip {
    rows: i32,
    cols: i32,
    step_div_cap: f32,
    r: [f32; 3],
}

#[gpu_kernel(fmad = false)]
fn hotspot(iterations: i32, chip: Chip, power: &[f32], temp: &[f32], out: &mut [f32]) {
    let mut temp_tile = shared!([[f32; BLOCK]; BLOCK]);
    let mut power_tile = shared!([[f32; BLOCK]; BLOCK]);
    let mut next_tile = shared!([[f32; BLOCK]; BLOCK]);
    let Chip { rows, cols, step_div_cap, r: [rx1, ry1, rz1] } = chip;
    let (bx, by) = (block_idx().x as i32, block_idx().y as i32);
    let (tx, ty) = (thread_idx().x as i32, thread_idx().y as i32);
    let block = BLOCK as i32;
    let small = block - iterations * 2;
    let (top, left) = (small * by - iterations, small * bx - iterations);
    let (y, x) = (top + ty, left + tx);
    let inside = (0..rows).contains(&y) && (0..cols).contains(&x);
    let index = (cols * y + x) as usize;
    if inside {
        temp_tile[ty][tx] = temp[index];
        power_tile[ty][tx] = power[index];
    }
    sync_threads();
    let (first_y, last_y) = ((-top).max(0), (block - 1).min(rows - 1 - top));
    let (first_x, last_x) = ((-left).max(0), (block - 1).min(cols - 1 - left));
    let (n, s) = ((ty - 1).max(first_y), (ty + 1).min(last_y));
    let (w, e) = ((tx - 1).max(first_x), (tx + 1).min(last_x));
    let mut computed = false;
    for i in 0..iterations {
        computed = false;
        if (i + 1..=block - i - 2).contains(&tx) && (i + 1..=block - i - 2).contains(&ty) && inside {
            computed = true;
            let center = temp_tile[ty][tx];
            next_tile[ty][tx] = center
                + step_div_cap
                    * (power_tile[ty][tx]
                        + (temp_tile[s][tx] + temp_tile[n][tx] - 2.0 * center) * ry1
                        + (temp_tile[ty][e] + temp_tile[ty][w] - 2.0 * center) * rx1
                        + (AMBIENT - center) * rz1);
        }
        sync_threads();
        if i == iterations - 1 {
            break;
        }
        if computed {
            temp_tile[ty][tx] = next_tile[ty][tx];
        }
        sync_threads();
    }
    if computed {
        out[index] = next_tile[ty][tx];
    }
}

fn hotspot_is_a_pyramid_of_steps(device: &Device) {
    let (rows, cols) = (25usize, 30usize);
    let chip = Chip { rows: 25, cols: 30, step_div_cap: 0.25, r: [0.5, 0.25, 0.125] };
    let mut temp: Vec<f32> = noise(rows * cols, 1).iter().map(|v| 80.0 + v * 10.0).collect();
    let power = noise(rows * cols, 2);
    let (dt, dp) = (up(device, &temp), up(device, &power));
    let mut out = up(device, &vec![f32::NAN; rows * cols]);
    hotspot(2, chip, &dp, &dt, &mut out).grid([3, 3]).block([16, 16]).launch(device).expect("it runs");
    for _ in 0..2 {
        let old = temp.clone();
        let at = |y: usize, x: usize| old[y.min(rows - 1) * cols + x.min(cols - 1)];
        for y in 0..rows {
            for x in 0..cols {
                let c = at(y, x);
                let vertical = (at(y + 1, x) + at(y.saturating_sub(1), x) - 2.0 * c) * 0.25;
                let across = (at(y, x + 1) + at(y, x.saturating_sub(1)) - 2.0 * c) * 0.5;
                temp[y * cols + x] =
                    c + 0.25 * (power[y * cols + x] + vertical + across + (80.0 - c) * 0.125);
            }
        }
    }
    assert_close(&down(device, &out), &temp, 1e-6);
}

/// One step of hotspot3D over all layers of a column.
#[gpu_kernel]
fn hotspot3d(
    p: &[f32],
    t_in: &[f32],
    t_out: &mut [f32],
    nx: usize,
    ny: usize,
    nz: usize,
    coefficients: [f32; 5],
) {
    let (i, j) = column_and_row();
    if i >= nx || j >= ny {
        return;
    }
    let [cc, cw, cn, ct, step] = coefficients;
    let mut c = i + j * nx;
    let xy = nx * ny;
    let w = if i == 0 { c } else { c - 1 };
    let e = if i == nx - 1 { c } else { c + 1 };
    let n = if j == 0 { c } else { c - nx };
    let s = if j == ny - 1 { c } else { c + nx };
    let offsets = [w, e, n, s];
    let mut below = t_in[c];
    let mut here = t_in[c];
    let mut above = t_in[c + xy];
    for k in 0..nz {
        let plane = k * xy;
        let mut sum = cc * here + step * p[c] + ct * (below + above);
        for (d, &at) in offsets.iter().enumerate() {
            sum += (if d < 2 { cw } else { cn }) * t_in[at + plane];
        }
        t_out[c] = sum;
        c += xy;
        below = here;
        here = above;
        above = if k + 2 < nz { t_in[c + xy] } else { above };
    }
}

fn hotspot3d_walks_up_the_layers(device: &Device) {
    let (nx, ny, nz) = (9usize, 7usize, 5usize);
    let n = nx * ny * nz;
    let (p, t) = (noise(n, 3), noise(n, 4));
    let (dp, dt) = (up(device, &p), up(device, &t));
    let mut out = up(device, &vec![f32::NAN; n]);
    let k = [0.5, 0.0625, 0.125, 0.03125, 0.25];
    hotspot3d(&dp, &dt, &mut out, nx, ny, nz, k).grid([3, 2]).block([4, 4]).launch(device).expect("it runs");
    let at = |x: usize, y: usize, z: usize| t[(z.min(nz - 1) * ny + y.min(ny - 1)) * nx + x.min(nx - 1)];
    let mut want = vec![];
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let less = |v: usize| v.saturating_sub(1);
                want.push(
                    0.5 * at(x, y, z)
                        + 0.25 * p[(z * ny + y) * nx + x]
                        + 0.03125 * (at(x, y, less(z)) + at(x, y, z + 1))
                        + 0.0625 * (at(less(x), y, z) + at(x + 1, y, z))
                        + 0.125 * (at(x, less(y), z) + at(x, y + 1, z)),
                );
            }
        }
    }
    assert_close(&down(device, &out), &want, 1e-5);
}

const NW: usize = 16;

/// A tile of the score matrix, filled along its antidiagonals.
#[gpu_kernel]
fn needle(reference: &[i32], scores: &mut [i32], cols: usize, penalty: i32, diagonal: usize) {
    let mut temp = shared!([[i32; NW + 1]; NW + 1]);
    let mut blosum = shared!([[i32; NW]; NW]);
    let tx = thread_idx().x as usize;
    let bx = block_idx().x as usize;
    let by = diagonal - bx;
    let origin = (by * NW) * cols + bx * NW;
    if tx == 0 {
        temp[0][0] = scores[origin];
    }
    for ty in 0..NW {
        blosum[ty][tx] = reference[origin + (ty + 1) * cols + tx + 1];
    }
    temp[tx + 1][0] = scores[origin + (tx + 1) * cols];
    temp[0][tx + 1] = scores[origin + tx + 1];
    sync_threads();
    for m in 0..2 * NW - 1 {
        let first = m.saturating_sub(NW - 1);
        if tx >= first && tx <= m && m - tx < NW {
            let (x, y) = (tx + 1, m - tx + 1);
            let choices = [
                temp[y - 1][x - 1] + blosum[y - 1][x - 1],
                temp[y][x - 1] - penalty,
                temp[y - 1][x] - penalty,
            ];
            temp[y][x] = choices[0].max(choices[1]).max(choices[2]);
        }
        sync_threads();
    }
    for ty in 0..NW {
        scores[origin + (ty + 1) * cols + tx + 1] = temp[ty + 1][tx + 1];
    }
}

fn needleman_wunsch_fills_tiles_along_diagonals(device: &Device) {
    let tiles = 3usize;
    let cols = tiles * NW + 1;
    let reference: Vec<i32> = integers(cols * cols, 15, 5).iter().map(|v| *v as i32 - 5).collect();
    let mut scores = vec![0; cols * cols];
    for i in 1..cols {
        scores[i] = -10 * i as i32;
        scores[i * cols] = -10 * i as i32;
    }
    let dr = up(device, &reference);
    let mut ds = up(device, &scores);
    for d in 0..tiles {
        needle(&dr, &mut ds, cols, 10, d).grid(d as u32 + 1).block(16).launch(device).expect("it runs");
    }
    for y in 1..cols {
        for x in 1..cols {
            let c = y * cols + x;
            scores[c] =
                (scores[c - cols - 1] + reference[c]).max(scores[c - 1] - 10).max(scores[c - cols] - 10);
        }
    }
    let got = down(device, &ds);
    for y in 1..cols {
        for x in 1..cols {
            if (y - 1) / NW + (x - 1) / NW < tiles {
                assert_eq!(got[y * cols + x], scores[y * cols + x], "at {y}, {x}");
            }
        }
    }
}

/// The cheapest paths down a wall, several rows a launch.
#[gpu_kernel]
fn pathfinder(iterations: i32, wall: &[i32], source: &[i32], results: &mut [i32], cols: i32, start: i32) {
    const THREADS: i32 = 64;
    let mut previous = shared!([i32; 64]);
    let mut result = shared!([i32; 64]);
    let tx = thread_idx().x as i32;
    let small = THREADS - iterations * 2;
    let block_x = small * block_idx().x as i32 - iterations;
    let x = block_x + tx;
    let (first, last) = (0.max(-block_x), (THREADS - 1).min(cols - 1 - block_x));
    let is_valid = first <= tx && tx <= last;
    if is_valid {
        previous[tx] = source[x as usize];
    }
    sync_threads();
    let mut computed = false;
    for i in 0..iterations {
        computed = false;
        if (i + 1..THREADS - i - 1).contains(&tx) && is_valid {
            computed = true;
            let left = previous[i32::max(tx - 1, first)];
            let right = previous[i32::min(tx + 1, last)];
            let shortest = std::cmp::min(left, previous[tx]).min(right);
            result[tx] = shortest + wall[(cols * (start + i) + x) as usize];
        }
        sync_threads();
        if computed && i != iterations - 1 {
            previous[tx] = result[tx];
        }
        sync_threads();
    }
    if computed {
        results[x as usize] = result[tx];
    }
}

fn pathfinder_keeps_a_halo(device: &Device) {
    let (rows, cols) = (7usize, 130usize);
    let wall: Vec<i32> = integers(rows * cols, 10, 7).iter().map(|v| *v as i32).collect();
    let source: Vec<i32> = (0..cols as i32).map(|v| v % 9).collect();
    let (dw, ds) = (up(device, &wall), up(device, &source));
    let mut out = up(device, &vec![-1; cols]);
    pathfinder(3, &dw, &ds, &mut out, cols as i32, 2).grid(3).block(64).launch(device).expect("it runs");
    let mut best = source;
    for r in 2..5 {
        let old = best.clone();
        best = (0..cols)
            .map(|x| old[x.saturating_sub(1)..(x + 2).min(cols)].iter().min().unwrap() + wall[r * cols + x])
            .collect();
    }
    assert_eq!(down(device, &out), best);
}

/// The neighbours of a pixel.
#[derive(Clone, Copy, Debug, Default, GpuType)]
#[repr(C)]
struct Gradient {
    n: f32,
    s: f32,
    w: f32,
    e: f32,
}

#[gpu_impl]
impl Gradient {
    fn squared(&self) -> f32 {
        self.n.powi(2) + self.s.powi(2) + self.w.powi(2) + self.e.powi(2)
    }

    fn sum(&self) -> f32 {
        let Self { n, s, w, e } = *self;
        n + s + w + e
    }
}

#[gpu_kernel]
fn srad(image: &[f32], gradients: &mut [Gradient], c: &mut [f32], rows: usize, cols: usize, q0sqr: f32) {
    let id = global_id();
    if !(id < rows * cols) {
        return;
    }
    let (row, col) = (id % rows, id / rows);
    let up = row.checked_sub(1).unwrap_or(0);
    let right = usize::min(col + 1, cols - 1);
    let jc = image[id];
    let g = Gradient {
        n: image[up + rows * col] - jc,
        s: image[(row + 1).min(rows - 1) + rows * col] - jc,
        w: image[row + rows * col.saturating_sub(1)] - jc,
        e: image[row + rows * right] - jc,
    };
    let g2 = g.squared() / (jc * jc);
    let l = g.sum() / jc;
    let num = (0.5 * g2) - ((1.0 / 16.0) * (l * l));
    let den = 1. + (0.25 * l);
    let qsqr = num / (den * den);
    let den = (qsqr - q0sqr) / (q0sqr * (1.0 + q0sqr));
    c[id] = (1.0 / (1.0 + den)).clamp(0.0, 1.0);
    gradients[id] = Gradient { ..g };
}

fn srad_diffuses_speckle(device: &Device) {
    let (rows, cols) = (11usize, 13usize);
    let image: Vec<f32> = noise(rows * cols, 9).iter().map(|v| v.exp()).collect();
    let mut c = up(device, &vec![f32::NAN; rows * cols]);
    let mut g = up(device, &vec![Gradient::default(); rows * cols]);
    let di = up(device, &image);
    srad(&di, &mut g, &mut c, rows, cols, 0.05).over(rows * cols).block(64).launch(device).expect("it runs");
    let (mut want, mut sums) = (vec![], vec![]);
    for id in 0..rows * cols {
        let (r, k) = ((id % rows) as i64, (id / rows) as i64);
        let at = |r: i64, k: i64| image[r.clamp(0, 10) as usize + rows * k.clamp(0, 12) as usize] - image[id];
        let around = [at(r - 1, k), at(r + 1, k), at(r, k - 1), at(r, k + 1)];
        let j = image[id];
        let g2 = around.iter().map(|v| v * v).sum::<f32>() / (j * j);
        let l = around.iter().sum::<f32>() / j;
        let q = (0.5 * g2 - l * l / 16.0) / (1.0 + 0.25 * l).powi(2);
        want.push((1.0 / (1.0 + (q - 0.05) / (0.05 * 1.05))).clamp(0.0, 1.0));
        sums.push(around.iter().sum::<f32>());
    }
    assert_close(&down(device, &c), &want, 1e-3);
    let got: Vec<f32> = down(device, &g).iter().map(Gradient::sum).collect();
    assert_close(&got, &sums, 1e-5);
}

/// Forward 5/3 wavelet of one row, in place in shared memory.
#[gpu_kernel]
fn dwt53(image: &[i32], low: &mut [i32], high: &mut [i32]) {
    const N: usize = 64;
    let mut line = shared!([i32; N]);
    let t = thread_idx().x as usize;
    let row = &image[block_idx().x as usize * N..][..N];
    line[2 * t] = row[2 * t];
    line[2 * t + 1] = row[2 * t + 1];
    sync_threads();
    // Mirror at the end.
    let next = if 2 * t + 2 < N { line[2 * t + 2] } else { line[2 * t] };
    let d = line[2 * t + 1] - ((line[2 * t] + next) >> 1);
    sync_threads();
    line[2 * t + 1] = d;
    sync_threads();
    let before = line[if t > 0 { 2 * t - 1 } else { 1 }];
    let out = block_idx().x as usize * N / 2 + t;
    low[out] = line[2 * t] + ((before + d + 2) >> 2);
    high[out] = d;
}

fn dwt2d_lifts_a_row(device: &Device) {
    let image: Vec<i32> = integers(128, 256, 10).iter().map(|v| *v as i32).collect();
    let di = up(device, &image);
    let (mut low, mut high) = (up(device, &[-9; 64]), up(device, &[-9; 64]));
    dwt53(&di, &mut low, &mut high).grid(2).block(32).launch(device).expect("it runs");
    let (mut l, mut h) = (vec![], vec![]);
    for x in image.chunks(64) {
        let d: Vec<i32> =
            (0..32).map(|t| x[2 * t + 1] - ((x[2 * t] + *x.get(2 * t + 2).unwrap_or(&x[62])) >> 1)).collect();
        l.extend((0..32).map(|t: usize| x[2 * t] + ((d[t.saturating_sub(1)] + d[t] + 2) >> 2)));
        h.extend(d);
    }
    assert_eq!((down(device, &low), down(device, &high)), (l, h));
}
