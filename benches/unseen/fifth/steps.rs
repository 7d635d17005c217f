//! Steps of simulations: a fluid, heat, tridiagonal systems, relaxation, particles and wavelets.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "steps",
    originals: include_str!("steps.cu"),
    kernels: &[
        Unseen { name: "lbm", class: "stencil by tables, wraps around, i32", make: lbm_trial },
        Unseen {
            name: "hotspot_pyramid",
            class: "steps in shared tiles that overlap, i32",
            make: hotspot_pyramid_trial,
        },
        Unseen { name: "thomas", class: "sweeps through interleaved systems, u32", make: thomas_trial },
        Unseen {
            name: "red_black",
            class: "stencil in place, every other cell, usize",
            make: red_black_trial,
        },
        Unseen { name: "sph_density", class: "neighbours by cells, structs, usize", make: sph_density_trial },
        Unseen { name: "dwt53", class: "lifting in dynamic shared, usize", make: dwt53_trial },
    ],
};

const CX: [i32; 9] = [0, 1, 0, -1, 0, 1, -1, -1, 1];
const CY: [i32; 9] = [0, 0, 1, 0, -1, 1, 1, -1, -1];
const WEIGHTS: [f32; 9] =
    [4.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0];

/// A fluid on a lattice with nine directions: what flows in from the neighbours, and collides.
#[gpu_kernel]
fn lbm(from: &[f32], to: &mut [f32], nx: i32, ny: i32, omega: f32) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if x >= nx || y >= ny {
        return;
    }
    let mut f = [0.0f32; 9];
    let (mut rho, mut ux, mut uy) = (0.0, 0.0, 0.0);
    for k in 0..9 {
        let sx = (x - CX[k] + nx) % nx;
        let sy = (y - CY[k] + ny) % ny;
        f[k] = from[(k as i32 * ny + sy) * nx + sx];
        rho += f[k];
        ux += f[k] * CX[k] as f32;
        uy += f[k] * CY[k] as f32;
    }
    ux /= rho;
    uy /= rho;
    let square = 1.5 * (ux * ux + uy * uy);
    for k in 0..9 {
        let along = 3.0 * (CX[k] as f32 * ux + CY[k] as f32 * uy);
        let rest = WEIGHTS[k] * rho * (1.0 + along + 0.5 * along * along - square);
        to[(k as i32 * ny + y) * nx + x] = f[k] + omega * (rest - f[k]);
    }
}

fn lbm_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [nx, ny] = ground.pick([21, 13], [2048, 2048]);
    let from = ground.between(9 * nx * ny, 0.1..0.2);
    let df = ground.up(&from)?;
    let want = move |at: usize| {
        let (x, y, own) = (at % nx, at / nx % ny, at / nx / ny);
        let flow = |k: usize| {
            let sx = (x as i32 - CX[k]).rem_euclid(nx as i32) as usize;
            let sy = (y as i32 - CY[k]).rem_euclid(ny as i32) as usize;
            f64::from(from[(k * ny + sy) * nx + sx])
        };
        let rho: f64 = (0..9).map(flow).sum();
        let ux = (0..9).map(|k| flow(k) * f64::from(CX[k])).sum::<f64>() / rho;
        let uy = (0..9).map(|k| flow(k) * f64::from(CY[k])).sum::<f64>() / rho;
        let along = 3.0 * (f64::from(CX[own]) * ux + f64::from(CY[own]) * uy);
        let shape = 1.0 + along + 0.5 * along * along - 1.5 * (ux * ux + uy * uy);
        let rest = f64::from(WEIGHTS[own]) * rho * shape;
        (flow(own) + 0.8 * (rest - flow(own))) as f32
    };
    let mut to = ground.blank(9 * nx * ny, near(1e-5, want))?;
    let shape = Shape::plane([nx, ny], [64, 4]);
    let [nx, ny] = [nx, ny].map(|n| n as i32);
    trial!(
        ground,
        shape,
        lbm(&df, &mut to.memory, nx, ny, 0.8),
        original(&df, &to.memory, nx, ny, 0.8f32),
        [to]
    )
}

const SIDE: i32 = 16;

/// Some steps of heat in a chip; the blocks overlap by the steps that they do.
#[gpu_kernel]
#[allow(clippy::too_many_arguments, clippy::manual_range_contains, clippy::int_plus_one)]
fn hotspot_pyramid(
    power: &[f32],
    temp_src: &[f32],
    temp_dst: &mut [f32],
    iterations: i32,
    cols: i32,
    rows: i32,
    cap: f32,
    rx: f32,
    ry: f32,
    rz: f32,
) {
    let mut temp = shared!([[f32; 16]; 16]);
    let mut heat = shared!([[f32; 16]; 16]);
    let mut next = shared!([[f32; 16]; 16]);
    let (bx, by) = (block_idx().x as i32, block_idx().y as i32);
    let (tx, ty) = (thread_idx().x as i32, thread_idx().y as i32);
    let small = SIDE - iterations * 2;
    let block_y = small * by - iterations;
    let block_x = small * bx - iterations;
    let block_y_max = block_y + SIDE - 1;
    let block_x_max = block_x + SIDE - 1;
    let y = block_y + ty;
    let x = block_x + tx;
    let index = cols * y + x;
    if y >= 0 && y <= rows - 1 && x >= 0 && x <= cols - 1 {
        temp[ty][tx] = temp_src[index];
        heat[ty][tx] = power[index];
    }
    sync_threads();
    let y_min = if block_y < 0 { -block_y } else { 0 };
    let y_max = if block_y_max > rows - 1 { SIDE - 1 - (block_y_max - rows + 1) } else { SIDE - 1 };
    let x_min = if block_x < 0 { -block_x } else { 0 };
    let x_max = if block_x_max > cols - 1 { SIDE - 1 - (block_x_max - cols + 1) } else { SIDE - 1 };
    let mut n = ty - 1;
    let mut s = ty + 1;
    let mut w = tx - 1;
    let mut e = tx + 1;
    n = if n < y_min { y_min } else { n };
    s = if s > y_max { y_max } else { s };
    w = if w < x_min { x_min } else { w };
    e = if e > x_max { x_max } else { e };
    let mut computed = false;
    for i in 0..iterations {
        computed = false;
        if tx >= i + 1
            && tx <= SIDE - i - 2
            && ty >= i + 1
            && ty <= SIDE - i - 2
            && tx >= x_min
            && tx <= x_max
            && ty >= y_min
            && ty <= y_max
        {
            computed = true;
            let t = temp[ty][tx];
            next[ty][tx] = t + cap
                * (heat[ty][tx]
                    + (temp[s][tx] + temp[n][tx] - 2.0 * t) * ry
                    + (temp[ty][e] + temp[ty][w] - 2.0 * t) * rx
                    + (80.0 - t) * rz);
        }
        sync_threads();
        if i == iterations - 1 {
            break;
        }
        if computed {
            temp[ty][tx] = next[ty][tx];
        }
        sync_threads();
    }
    if computed {
        temp_dst[index] = next[ty][tx];
    }
}

fn hotspot_pyramid_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [cols, rows, iterations] = ground.pick([29, 17, 2], [2048, 2048, 2]);
    let (power, start) = (ground.between(cols * rows, 0.0..1.0), ground.between(cols * rows, 70.0..90.0));
    let (dp, dt) = (ground.up(&power)?, ground.up(&start)?);
    let (cap, rx, ry, rz) = (0.5f32, 0.1f32, 0.2f32, 0.01f32);
    let mut now: Vec<f64> = start.iter().map(|v| f64::from(*v)).collect();
    for _ in 0..iterations {
        let step = |at: usize| {
            let (x, y, t) = (at % cols, at / cols, now[at]);
            let north = now[y.saturating_sub(1) * cols + x];
            let south = now[(y + 1).min(rows - 1) * cols + x];
            let west = now[y * cols + x.saturating_sub(1)];
            let east = now[y * cols + (x + 1).min(cols - 1)];
            let flow = (north + south - 2.0 * t) * f64::from(ry) + (west + east - 2.0 * t) * f64::from(rx);
            t + f64::from(cap) * (f64::from(power[at]) + flow + (80.0 - t) * f64::from(rz))
        };
        now = (0..cols * rows).map(step).collect();
    }
    let mut temp = ground.blank(cols * rows, near(1e-5, move |at| now[at] as f32))?;
    let own = 16 - 2 * iterations;
    let shape = Shape::blocks(
        [cols.div_ceil(own) as u32, rows.div_ceil(own) as u32, 1],
        [SIDE as u32, SIDE as u32, 1],
    );
    let [cols, rows, iterations] = [cols, rows, iterations].map(|n| n as i32);
    trial!(
        ground,
        shape,
        hotspot_pyramid(&dp, &dt, &mut temp.memory, iterations, cols, rows, cap, rx, ry, rz),
        original(&dp, &dt, &temp.memory, iterations, cols, rows, cap, rx, ry, rz),
        [temp]
    )
}

/// Tridiagonal systems, whose equations are interleaved: a sweep forward and one back.
#[gpu_kernel]
fn thomas(lower: &[f32], diagonal: &[f32], upper: &mut [f32], rhs: &mut [f32], m: u32, batch: u32) {
    let t = block_idx().x * block_dim().x + thread_idx().x;
    if t >= batch {
        return;
    }
    upper[t] /= diagonal[t];
    rhs[t] /= diagonal[t];
    for k in 1..m {
        let i = k * batch + t;
        let pivot = 1.0 / (diagonal[i] - lower[i] * upper[i - batch]);
        upper[i] *= pivot;
        rhs[i] = (rhs[i] - lower[i] * rhs[i - batch]) * pivot;
    }
    for k in (1..m).rev() {
        let i = (k - 1) * batch + t;
        rhs[i] -= upper[i] * rhs[i + batch];
    }
}

fn thomas_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [m, batch] = ground.pick([17, 50], [256, 32768]);
    let n = m * batch;
    let (lower, upper, rhs) = (ground.floats(n), ground.floats(n), ground.floats(n));
    let diagonal = ground.between(n, 3.0..4.0);
    let (dl, dd) = (ground.up(&lower)?, ground.up(&diagonal)?);
    let [a, b] = [&upper, &rhs].map(|all| all.iter().map(|v| f64::from(*v)).collect::<Vec<_>>());
    let (mut scaled, mut all) = (a, b);
    for i in 0..n {
        let (above, before) = if i < batch { (0.0, 0.0) } else { (scaled[i - batch], all[i - batch]) };
        let pivot = f64::from(diagonal[i]) - f64::from(lower[i]) * above;
        scaled[i] /= pivot;
        all[i] = (all[i] - f64::from(lower[i]) * before) / pivot;
    }
    for i in (0..n - batch).rev() {
        all[i] -= scaled[i] * all[i + batch];
    }
    let mut upper = ground.from(upper, near(1e-5, move |i| scaled[i] as f32))?;
    let mut rhs = ground.from(rhs, near(1e-5, move |i| all[i] as f32))?;
    let shape = Shape::line(batch, 128);
    let [m, batch] = [m, batch].map(|n| n as u32);
    trial!(
        ground,
        shape,
        thomas(&dl, &dd, &mut upper.memory, &mut rhs.memory, m, batch),
        original(&dl, &dd, &upper.memory, &rhs.memory, m, batch),
        [upper, rhs]
    )
}

/// Half a step of relaxation: the cells of a colour, from those of the other.
#[gpu_kernel]
fn red_black(u: &mut [f32], f: &[f32], width: usize, height: usize, colour: usize, omega: f32) {
    let row = (block_idx().y * block_dim().y + thread_idx().y) as usize + 1;
    let col = 2 * (block_idx().x * block_dim().x + thread_idx().x) as usize + 1 + (row + colour) % 2;
    if row < height - 1 && col < width - 1 {
        let at = row * width + col;
        let mean = 0.25 * (u[at - 1] + u[at + 1] + u[at - width] + u[at + width] - f[at]);
        u[at] += omega * (mean - u[at]);
    }
}

fn red_black_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([35, 18], [4096, 4096]);
    let (u, f) = (ground.floats(width * height), ground.floats(width * height));
    let df = ground.up(&f)?;
    let before = u.clone();
    let want = move |at: usize| {
        let (x, y) = (at % width, at / width);
        let edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
        if edge || (x + y) % 2 != 0 {
            return before[at];
        }
        let around = before[at - 1] + before[at + 1] + before[at - width] + before[at + width];
        before[at] + 1.5 * (0.25 * (around - f[at]) - before[at])
    };
    let mut u = ground.from(u, near(1e-5, want))?;
    let shape = Shape::plane([usize::div_ceil(width - 2, 2), height - 2], [32, 8]);
    let [w, h] = [width, height].map(|n| n as i32);
    trial!(
        ground,
        shape,
        red_black(&mut u.memory, &df, width, height, 1, 1.5),
        original(&u.memory, &df, w, h, 1i32, 1.5f32),
        [u]
    )
}

/// A part of a fluid.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Particle {
    x: f32,
    y: f32,
    z: f32,
    mass: f32,
}

#[gpu_impl]
impl Particle {
    /// The place of its cell on each axis; cells have extents of 1.
    fn cell(&self, side: usize) -> [usize; 3] {
        [self.x, self.y, self.z].map(|v| (v as usize).min(side - 1))
    }

    /// How much it adds to the density at another one.
    fn weight(&self, other: &Particle) -> f32 {
        let (dx, dy, dz) = (other.x - self.x, other.y - self.y, other.z - self.z);
        let q = 1.0 - (dx * dx + dy * dy + dz * dz);
        if q > 0.0 { self.mass * q * q * q } else { 0.0 }
    }
}

/// The density at each particle, from those of the 27 cells around it; particles are in the order of their cells.
#[gpu_kernel]
fn sph_density(particles: &[Particle], starts: &[u32], density: &mut [f32], side: usize) {
    let i = global_id();
    if i >= density.len() {
        return;
    }
    let own = particles[i];
    let [cx, cy, cz] = own.cell(side);
    let mut sum = 0.0;
    for z in cz.saturating_sub(1)..=(cz + 1).min(side - 1) {
        for y in cy.saturating_sub(1)..=(cy + 1).min(side - 1) {
            for x in cx.saturating_sub(1)..=(cx + 1).min(side - 1) {
                let cell = (z * side + y) * side + x;
                for other in &particles[starts[cell] as usize..starts[cell + 1] as usize] {
                    sum += other.weight(&own);
                }
            }
        }
    }
    density[i] = sum;
}

fn sph_density_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [side, count] = ground.pick([4, 150], [32, 1 << 18]);
    let place = |_| {
        let [x, y, z, mass] = std::array::from_fn(|_| (ground.word() >> 40) as f32 / (1u64 << 24) as f32);
        let [x, y, z] = [x, y, z].map(|v| v * side as f32);
        Particle { x, y, z, mass: mass + 0.5 }
    };
    let mut particles: Vec<Particle> = (0..count).map(place).collect();
    let cell = move |p: &Particle| {
        let [x, y, z] = p.cell(side);
        (z * side + y) * side + x
    };
    particles.sort_by_key(cell);
    let first = |c: usize| particles.partition_point(|p| cell(p) < c) as u32;
    let starts: Vec<u32> = (0..=side * side * side).map(first).collect();
    let (dp, ds) = (ground.up(&particles)?, ground.up(&starts)?);
    let want = move |i: usize| {
        let own = particles[i];
        let weight = |other: &Particle| f64::from(other.weight(&own));
        particles.iter().map(weight).sum::<f64>() as f32
    };
    let mut density = ground.blank(count, near(1e-4, want))?;
    let n = side as i32;
    trial!(
        ground,
        Shape::line(count, 128),
        sph_density(&dp, &ds, &mut density.memory, side),
        original(&dp, &ds, &density.memory, count as i32, n),
        [density]
    )
}

/// A level of the wavelet of lossless JPEG 2000 on rows; a block has a row.
#[gpu_kernel]
fn dwt53(input: &[i32], out: &mut [i32], width: usize) {
    let mut line = dynamic_shared::<i32>();
    let start = block_idx().x as usize * width;
    let t = thread_idx().x as usize;
    let step = block_dim().x as usize;
    for i in (t..width).step_by(step) {
        line[i] = input[start + i];
    }
    sync_threads();
    let half = width / 2;
    for k in (t..half).step_by(step) {
        let right = if 2 * k + 2 < width { line[2 * k + 2] } else { line[2 * k] };
        line[2 * k + 1] -= (line[2 * k] + right) >> 1;
    }
    sync_threads();
    for k in (t..half).step_by(step) {
        let left = if k > 0 { line[2 * k - 1] } else { line[1] };
        line[2 * k] += (left + line[2 * k + 1] + 2) >> 2;
    }
    sync_threads();
    for k in (t..half).step_by(step) {
        out[start + k] = line[2 * k];
        out[start + half + k] = line[2 * k + 1];
    }
}

fn dwt53_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, width, block] = ground.pick([4, 70, 32], [4096, 4096, 256]);
    let input = ground.ints(rows * width, 0..256);
    let di = ground.up(&input)?;
    let half = width / 2;
    let want = move |at: usize| {
        let (row, k) = (&input[at / width * width..][..width], at % width);
        let high = |k: usize| row[2 * k + 1] - ((row[2 * k] + row[(2 * k + 2).min(width - 2)]) >> 1);
        if k >= half {
            return high(k - half);
        }
        row[2 * k] + ((high(k.saturating_sub(1)) + high(k) + 2) >> 2)
    };
    let mut out = ground.blank(rows * width, exactly(want))?;
    let shape = Shape::blocks([rows as u32, 1, 1], [block as u32, 1, 1]).shared(4 * width);
    trial!(ground, shape, dwt53(&di, &mut out.memory, width), original(&di, &out.memory, width as i32), [out])
}
