//! Eliminations, small systems, models of cells and particles.

use warpsmith::prelude::*;

use crate::ground::{Compared, Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "solvers",
    originals: include_str!("solvers.cu"),
    kernels: &[
        Unseen { name: "lud_internal", class: "shared tiles, row * n + k, i32", make: lud_internal_trial },
        Unseen { name: "gauss_eliminate", class: "elimination step, i32", make: gauss_eliminate_trial },
        Unseen { name: "lu_batched", class: "local matrix in a struct, f64", make: lu_batched_trial },
        Unseen { name: "cell_model", class: "local states, steps in time", make: cell_model_trial },
        Unseen { name: "lavamd", class: "structs with arrays, shared lists", make: lavamd_trial },
        Unseen { name: "resample", class: "linear search, usize", make: resample_trial },
        Unseen { name: "needle", class: "wavefront in shared tiles, i32", make: needle_trial },
    ],
};

const TILE: usize = 16;

/// What is left of a matrix after some of its rows and columns are factored.
#[gpu_kernel]
fn lud_internal(m: &mut [f32], dim: u32, offset: u32) {
    let mut rows = shared!([[f32; TILE]; TILE]);
    let mut cols = shared!([[f32; TILE]; TILE]);
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let global_row = offset + (block_idx().y + 1) * TILE as u32;
    let global_col = offset + (block_idx().x + 1) * TILE as u32;
    rows[ty][tx] = m[(offset + ty) * dim + global_col + tx];
    cols[ty][tx] = m[(global_row + ty) * dim + offset + tx];
    sync_threads();
    let mut sum = 0.0;
    for i in 0..TILE {
        sum += cols[ty][i] * rows[i][tx];
    }
    m[(global_row + ty) * dim + global_col + tx] -= sum;
}

fn lud_internal_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (tiles, offset) = ground.pick((4, 16), (256, 512));
    let dim = tiles * TILE;
    let start = ground.floats(dim * dim);
    let before = start.clone();
    let want = move |at: usize| {
        let (row, col) = (at / dim, at % dim);
        if row < offset + TILE || col < offset + TILE {
            return before[at];
        }
        let term = |i: usize| {
            f64::from(before[row * dim + offset + i]) * f64::from(before[(offset + i) * dim + col])
        };
        (f64::from(before[at]) - (0..TILE).map(term).sum::<f64>()) as f32
    };
    let mut m = ground.from(start, near(1e-5, want))?;
    let left = (tiles - offset / TILE - 1) as u32;
    let (dim, offset) = (dim as u32, offset as u32);
    trial!(
        ground,
        Shape::blocks([left, left, 1], [TILE as u32, TILE as u32, 1]),
        lud_internal(&mut m.memory, dim, offset),
        original(&m.memory, dim, offset),
        [m]
    )
}

/// One column of Gauss's elimination, by factors that are known.
#[gpu_kernel]
fn gauss_eliminate(m: &[f32], a: &mut [f32], b: &mut [f32], size: i32, t: i32) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if x >= size - 1 - t {
        return;
    }
    if y >= size - t {
        return;
    }
    a[size * (x + 1 + t) + (y + t)] -= m[size * (x + 1 + t) + t] * a[size * t + (y + t)];
    if y == 0 {
        b[x + 1 + t] -= m[size * (x + 1 + t) + (y + t)] * b[t];
    }
}

fn gauss_eliminate_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [size, t] = ground.pick([40, 3], [2048, 5]);
    let (factors, a, b) = (ground.floats(size * size), ground.floats(size * size), ground.floats(size));
    let dm = ground.up(&factors)?;
    let (before_a, before_b, own) = (a.clone(), b.clone(), factors.clone());
    let want_a = move |at: usize| {
        let (row, col) = (at / size, at % size);
        let by = if row > t && col >= t { f64::from(own[row * size + t]) } else { 0.0 };
        (f64::from(before_a[at]) - by * f64::from(before_a[t * size + col])) as f32
    };
    let want_b = move |row: usize| {
        let by = if row > t { f64::from(factors[row * size + t]) } else { 0.0 };
        (f64::from(before_b[row]) - by * f64::from(before_b[t])) as f32
    };
    let (mut a, mut b) = (ground.from(a, near(1e-5, want_a))?, ground.from(b, near(1e-5, want_b))?);
    let shape = Shape::plane([size - 1 - t, size - t], [16, 16]);
    let (size, t) = (size as i32, t as i32);
    trial!(
        ground,
        shape,
        gauss_eliminate(&dm, &mut a.memory, &mut b.memory, size, t),
        original(&dm, &a.memory, &b.memory, size, t),
        [a, b]
    )
}

/// Six equations: the matrix by rows, and the right side.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct System {
    a: [f64; 36],
    b: [f64; 6],
}

impl Compared for System {
    const POISON: Self = System { a: [f64::NAN; 36], b: [f64::NAN; 6] };

    fn is_near(&self, want: &Self, tolerance: f64) -> bool {
        self.a.is_near(&want.a, tolerance) && self.b.is_near(&want.b, tolerance)
    }
}

/// Factors and solves a system a thread, in place.
#[gpu_kernel]
fn lu_batched(systems: &mut [System], count: usize) {
    let id = global_id();
    if id < count {
        let mut s = systems[id];
        for k in 0..6 {
            for i in k + 1..6 {
                let factor = s.a[i * 6 + k] / s.a[k * 6 + k];
                s.a[i * 6 + k] = factor;
                for j in k + 1..6 {
                    s.a[i * 6 + j] -= factor * s.a[k * 6 + j];
                }
                s.b[i] -= factor * s.b[k];
            }
        }
        for i in (0..6).rev() {
            for j in i + 1..6 {
                s.b[i] -= s.a[i * 6 + j] * s.b[j];
            }
            s.b[i] /= s.a[i * 6 + i];
        }
        systems[id] = s;
    }
}

fn lu_batched_trial(ground: &Ground) -> Result<Trial, Failure> {
    let count = ground.pick(70, 1 << 18);
    let (entries, right) = (ground.doubles(36 * count), ground.doubles(6 * count));
    let systems: Vec<System> = (0..count)
        .map(|id| System {
            a: std::array::from_fn(|at| entries[36 * id + at] + if at % 7 == 0 { 8.0 } else { 0.0 }),
            b: std::array::from_fn(|i| right[6 * id + i]),
        })
        .collect();
    let before = systems.clone();
    let want = move |id: usize| {
        let System { a, mut b } = before[id];
        // By Crout's order: each entry from sums of products of what is done.
        let mut f = a;
        for at in 0..36 {
            let (i, j) = (at / 6, at % 6);
            let rest = a[at] - (0..i.min(j)).map(|k| f[i * 6 + k] * f[k * 6 + j]).sum::<f64>();
            f[at] = if i > j { rest / f[j * 7] } else { rest };
        }
        for i in 0..6 {
            b[i] -= (0..i).map(|k| f[i * 6 + k] * b[k]).sum::<f64>();
        }
        for i in (0..6).rev() {
            b[i] = (b[i] - (i + 1..6).map(|k| f[i * 6 + k] * b[k]).sum::<f64>()) / f[i * 7];
        }
        System { a: f, b }
    };
    let mut systems = ground.from(systems, near(1e-12, want))?;
    trial!(
        ground,
        Shape::line(count, 128),
        lu_batched(&mut systems.memory, count),
        original(&systems.memory, count as i32),
        [systems]
    )
}

/// Eight quantities of a cell over time, each fed by the one before it.
#[gpu_kernel]
fn cell_model(initial: &[f32], params: &[f32], finals: &mut [f32], cells: i32, steps: i32, dt: f32) {
    let id = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if id < cells {
        let mut y = [0.0f32; 8];
        let mut k1 = [0.0f32; 8];
        let mut k2 = [0.0f32; 8];
        let mut mid = [0.0f32; 8];
        for i in 0..8 {
            y[i as usize] = initial[i * cells + id];
        }
        for _step in 0..steps {
            for i in 0..8 {
                let left = (i + 7) % 8;
                k1[i] = params[i] * (1.0 - y[i]) - y[left] * y[i] / (1.0 + y[left]);
            }
            for i in 0..8 {
                mid[i] = y[i] + 0.5 * dt * k1[i];
            }
            for i in 0..8 {
                let left = (i + 7) % 8;
                k2[i] = params[i] * (1.0 - mid[i]) - mid[left] * mid[i] / (1.0 + mid[left]);
            }
            for i in 0..8 {
                y[i] += dt * k2[i];
            }
        }
        for i in 0..8 {
            finals[i * cells + id] = y[i as usize];
        }
    }
}

fn cell_model_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (cells, steps) = ground.pick((70, 5), (1 << 17, 50));
    let (initial, params) = (ground.between(8 * cells, 0.1..0.9), ground.between(8, 0.2..0.8));
    let (di, dp) = (ground.up(&initial)?, ground.up(&params)?);
    let want = move |at: usize| {
        let rates = |y: [f64; 8]| -> [f64; 8] {
            std::array::from_fn(|i| {
                let left = y[(i + 7) % 8];
                f64::from(params[i]) * (1.0 - y[i]) - left * y[i] / (1.0 + left)
            })
        };
        let mut y: [f64; 8] = std::array::from_fn(|i| f64::from(initial[i * cells + at % cells]));
        for _ in 0..steps {
            let k = rates(y);
            let k = rates(std::array::from_fn(|i| y[i] + 0.5 * 0.01 * k[i]));
            y = std::array::from_fn(|i| y[i] + 0.01 * k[i]);
        }
        y[at / cells] as f32
    };
    let mut finals = ground.blank(8 * cells, near(1e-4, want))?;
    let shape = Shape::line(cells, 128);
    let cells = cells as i32;
    trial!(
        ground,
        shape,
        cell_model(&di, &dp, &mut finals.memory, cells, steps, 0.01),
        original(&di, &dp, &finals.memory, cells, steps, 0.01f32),
        [finals]
    )
}

const PER_BOX: usize = 64;

/// Where the particles of a box start, and the boxes around it.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Cell {
    offset: i32,
    count: i32,
    neighbours: [i32; 27],
}

/// Forces between the particles of neighbouring boxes; `w` of a place is half of its square.
#[gpu_kernel]
fn lavamd(boxes: &[Cell], places: &[F32x4], charges: &[f32], forces: &mut [F32x4], alpha: f32) {
    let mut own = shared!([F32x4; PER_BOX]);
    let mut others = shared!([F32x4; PER_BOX]);
    let mut other_charges = shared!([f32; PER_BOX]);
    let t = thread_idx().x as i32;
    let cell = boxes[block_idx().x];
    own[t] = places[cell.offset + t];
    sync_threads();
    let mut force = F32x4::splat(0.0);
    for k in 0..cell.count {
        let from = boxes[cell.neighbours[k as usize]].offset;
        others[t] = places[from + t];
        other_charges[t] = charges[from + t];
        sync_threads();
        for j in 0..PER_BOX {
            let r2 = own[t].w + others[j].w
                - (own[t].x * others[j].x + own[t].y * others[j].y + own[t].z * others[j].z);
            let u2 = 2.0 * alpha * alpha * r2;
            let vij = (-u2).exp();
            let fs = 2.0 * vij;
            let dx = own[t].x - others[j].x;
            let dy = own[t].y - others[j].y;
            let dz = own[t].z - others[j].z;
            force.w += other_charges[j] * vij;
            force.x += other_charges[j] * fs * dx;
            force.y += other_charges[j] * fs * dy;
            force.z += other_charges[j] * fs * dz;
        }
        sync_threads();
    }
    forces[cell.offset + t] = force;
}

fn lavamd_trial(ground: &Ground) -> Result<Trial, Failure> {
    let side: i32 = ground.pick(2, 10);
    let count = (side * side * side) as usize;
    let boxes: Vec<Cell> = (0..side * side * side)
        .map(|b| {
            let (x, y, z) = (b % side, b / side % side, b / side / side);
            let mut cell = Cell { offset: b * PER_BOX as i32, count: 0, neighbours: [0; 27] };
            for k in 0..27 {
                let at = [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1];
                if at.iter().all(|v| (0..side).contains(v)) {
                    cell.neighbours[cell.count as usize] = (at[2] * side + at[1]) * side + at[0];
                    cell.count += 1;
                }
            }
            cell
        })
        .collect();
    let numbers = ground.floats(4 * count * PER_BOX);
    let places: Vec<F32x4> = numbers
        .chunks_exact(4)
        .map(|p| F32x4::new(p[0], p[1], p[2], 0.5 * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2])))
        .collect();
    let charges: Vec<f32> = numbers.chunks_exact(4).map(|p| p[3]).collect();
    let (db, dp, dc) = (ground.up(&boxes)?, ground.up(&places)?, ground.up(&charges)?);
    let want = move |at: usize| {
        let (cell, me) = (&boxes[at / PER_BOX], places[at].to_array().map(f64::from));
        let mut force = [0.0f64; 4];
        for other in &cell.neighbours[..cell.count as usize] {
            for j in *other as usize * PER_BOX..(*other as usize + 1) * PER_BOX {
                let p = places[j].to_array().map(f64::from);
                let r2 = me[3] + p[3] - (me[0] * p[0] + me[1] * p[1] + me[2] * p[2]);
                let v = (-2.0 * 0.25 * r2).exp() * f64::from(charges[j]);
                (0..3).for_each(|axis| force[axis] += 2.0 * v * (me[axis] - p[axis]));
                force[3] += v;
            }
        }
        let [x, y, z, w] = force.map(|v| v as f32);
        F32x4::new(x, y, z, w)
    };
    let mut forces = ground.blank(count * PER_BOX, near(1e-3, want))?;
    trial!(
        ground,
        Shape::blocks([count as u32, 1, 1], [PER_BOX as u32, 1, 1]),
        lavamd(&db, &dp, &dc, &mut forces.memory, 0.5),
        original(&db, &dp, &dc, &forces.memory, 0.5f32),
        [forces]
    )
}

/// The particles that are kept: the first whose sum of weights reaches a number.
#[gpu_kernel]
fn resample(xs: &[f32], ys: &[f32], cdf: &[f32], u: &[f32], out_x: &mut [f32], out_y: &mut [f32]) {
    let i = global_id();
    if i < u.len() {
        let mut index = None;
        for x in 0..cdf.len() {
            if cdf[x] >= u[i] {
                index = Some(x);
                break;
            }
        }
        let index = index.unwrap_or(cdf.len() - 1);
        out_x[i] = xs[index];
        out_y[i] = ys[index];
    }
}

fn resample_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(90, 1 << 14);
    let (xs, ys, weights) = (ground.floats(n), ground.floats(n), ground.between(n, 0.0..1.0));
    let total: f32 = weights.iter().sum();
    let mut sum = 0.0;
    let cdf: Vec<f32> = weights
        .iter()
        .map(|weight| {
            sum += weight / total;
            sum
        })
        .collect();
    let u: Vec<f32> = (0..n).map(|i| (i as f32 + 0.5) / n as f32).collect();
    let (dx, dy, dc, du) = (ground.up(&xs)?, ground.up(&ys)?, ground.up(&cdf)?, ground.up(&u)?);
    let kept: Vec<usize> = u.iter().map(|u| cdf.partition_point(|sum| sum < u).min(n - 1)).collect();
    let kept_y = kept.clone();
    let mut out_x = ground.blank(n, exactly(move |i| xs[kept[i]]))?;
    let mut out_y = ground.blank(n, exactly(move |i| ys[kept_y[i]]))?;
    trial!(
        ground,
        Shape::line(n, 128),
        resample(&dx, &dy, &dc, &du, &mut out_x.memory, &mut out_y.memory),
        original(&dx, &dy, &dc, &du, &out_x.memory, &out_y.memory, n as i32),
        [out_x, out_y]
    )
}

/// Tiles of an alignment along one of its diagonals.
#[gpu_kernel]
fn needle(reference: &[i32], matrix: &mut [i32], cols: i32, penalty: i32, diagonal: i32, last: i32) {
    let mut temp = shared!([[i32; TILE + 1]; TILE + 1]);
    let mut refs = shared!([[i32; TILE]; TILE]);
    let t = thread_idx().x as i32;
    let bx = block_idx().x as i32 + if diagonal > last { diagonal - last } else { 0 };
    let by = diagonal - bx;
    let side = TILE as i32;
    let corner = cols * side * by + side * bx;
    for i in 0..side {
        refs[i][t] = reference[corner + cols * (i + 1) + t + 1];
    }
    if t == 0 {
        temp[0][0] = matrix[corner];
    }
    temp[t + 1][0] = matrix[corner + cols * (t + 1)];
    temp[0][t + 1] = matrix[corner + t + 1];
    sync_threads();
    for m in 0..side {
        if t <= m {
            let x = t + 1;
            let y = m - t + 1;
            temp[y][x] = (temp[y - 1][x - 1] + refs[y - 1][x - 1])
                .max(temp[y][x - 1] - penalty)
                .max(temp[y - 1][x] - penalty);
        }
        sync_threads();
    }
    for m in (0..side - 1).rev() {
        if t <= m {
            let x = t + side - m;
            let y = side - t;
            temp[y][x] = (temp[y - 1][x - 1] + refs[y - 1][x - 1])
                .max(temp[y][x - 1] - penalty)
                .max(temp[y - 1][x] - penalty);
        }
        sync_threads();
    }
    for i in 0..side {
        matrix[corner + cols * (i + 1) + t + 1] = temp[i + 1][t + 1];
    }
}

fn needle_trial(ground: &Ground) -> Result<Trial, Failure> {
    let tiles = ground.pick(3, 512);
    let (cols, last) = (tiles * TILE + 1, tiles - 1);
    let reference = ground.ints(cols * cols, -5..10);
    // All of a diagonal's tiles: what is before them is given, as numbers that no alignment has.
    let start = ground.ints(cols * cols, -100..100);
    let (dr, before, scores) = (ground.up(&reference)?, start.clone(), reference);
    let want = move |at: usize| {
        let (row, col) = (at / cols, at % cols);
        let outside = row == 0 || col == 0 || (row - 1) / TILE + (col - 1) / TILE != last;
        if outside {
            return before[at];
        }
        let (top, left) = ((row - 1) / TILE * TILE, (col - 1) / TILE * TILE);
        let mut temp = [[0; TILE + 1]; TILE + 1];
        for y in 0..=row - top {
            for x in 0..=col - left {
                let here = (top + y) * cols + left + x;
                temp[y][x] = if x == 0 || y == 0 {
                    before[here]
                } else {
                    let best = (temp[y][x - 1] - 10).max(temp[y - 1][x] - 10);
                    best.max(temp[y - 1][x - 1] + scores[here])
                };
            }
        }
        temp[row - top][col - left]
    };
    let mut matrix = ground.from(start, exactly(want))?;
    let (cols, last) = (cols as i32, last as i32);
    trial!(
        ground,
        Shape::blocks([tiles as u32, 1, 1], [TILE as u32, 1, 1]),
        needle(&dr, &mut matrix.memory, cols, 10, last, last),
        original(&dr, &matrix.memory, cols, 10, last, last),
        [matrix]
    )
}
