//! Fields over points and grids, random spins and walks, surfaces.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "fields",
    originals: include_str!("fields.cu"),
    kernels: &[
        Unseen { name: "mri_q", class: "loop over a table, f32", make: mri_q_trial },
        Unseen { name: "coulomb_grid", class: "loop over structs, u32", make: coulomb_grid_trial },
        Unseen {
            name: "pair_histogram",
            class: "histogram by search in shared memory",
            make: pair_histogram_trial,
        },
        Unseen { name: "ising", class: "stencil 2-D, i8, modulo", make: ising_trial },
        Unseen { name: "pi_walk", class: "integer random numbers, u32", make: pi_walk_trial },
        Unseen { name: "bezier", class: "loop over a table, local weights", make: bezier_trial },
    ],
};

/// The sum of phases over the samples of a scan, for each voxel.
#[gpu_kernel]
fn mri_q(
    x: &[f32],
    y: &[f32],
    z: &[f32],
    samples: &[F32x4],
    real: &mut [f32],
    imaginary: &mut [f32],
    n: u32,
) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i < n {
        let mut re = 0.0;
        let mut im = 0.0;
        for k in 0..samples.len() {
            let sample = samples[k];
            let phase = 2.0 * std::f32::consts::PI * (sample.x * x[i] + sample.y * y[i] + sample.z * z[i]);
            re += sample.w * phase.cos();
            im += sample.w * phase.sin();
        }
        real[i] = re;
        imaginary[i] = im;
    }
}

fn mri_q_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, count] = ground.pick([70, 9], [1 << 17, 256]);
    let (x, y, z) = (ground.floats(n), ground.floats(n), ground.floats(n));
    let samples: Vec<F32x4> =
        ground.floats(4 * count).chunks_exact(4).map(|v| F32x4::new(v[0], v[1], v[2], v[3])).collect();
    let (dx, dy, dz, ds) = (ground.up(&x)?, ground.up(&y)?, ground.up(&z)?, ground.up(&samples)?);
    let sums: Vec<[f64; 2]> = (0..n)
        .map(|i| {
            let [x, y, z] = [x[i], y[i], z[i]].map(f64::from);
            let mut sums = [0.0; 2];
            for s in &samples {
                let [a, b, c, w] = s.to_array().map(f64::from);
                let (sine, cosine) = (std::f64::consts::TAU * (a * x + b * y + c * z)).sin_cos();
                sums = [sums[0] + w * cosine, sums[1] + w * sine];
            }
            sums
        })
        .collect();
    let other = sums.clone();
    let mut real = ground.blank(n, near(1e-3, move |i| sums[i][0] as f32))?;
    let mut imaginary = ground.blank(n, near(1e-3, move |i| other[i][1] as f32))?;
    trial!(
        ground,
        Shape::line(n, 256),
        mri_q(&dx, &dy, &dz, &ds, &mut real.memory, &mut imaginary.memory, n as u32),
        original(&dx, &dy, &dz, &ds, &real.memory, &imaginary.memory, n as u32, count as u32),
        [real, imaginary]
    )
}

#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Charge {
    at: [f32; 3],
    charge: f32,
}

/// The potential on a plane of a grid.
#[gpu_kernel]
fn coulomb_grid(charges: &[Charge], grid: &mut [f32], side: u32, spacing: f32, height: f32) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = block_idx().y * block_dim().y + thread_idx().y;
    if x < side && y < side {
        let (px, py) = (x as f32 * spacing, y as f32 * spacing);
        let mut potential = 0.0;
        for c in charges.iter() {
            let dx = px - c.at[0];
            let dy = py - c.at[1];
            let dz = height - c.at[2];
            potential += c.charge / (dx * dx + dy * dy + dz * dz).sqrt();
        }
        grid[y * side + x] += potential;
    }
}

fn coulomb_grid_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [side, count] = ground.pick([19, 12], [1024, 256]);
    let spacing = 2.0 / side as f32;
    let charges: Vec<Charge> = ground
        .floats(3 * count)
        .chunks_exact(3)
        .map(|v| Charge { at: [v[0], v[1], v[2]], charge: v[0] - v[1] })
        .collect();
    let dc = ground.up(&charges)?;
    let want = move |at: usize| {
        let place = [(at % side) as f32 * spacing, (at / side) as f32 * spacing, 1.5];
        let squared = |c: &Charge| (0..3).map(|d| f64::from(place[d] - c.at[d]).powi(2)).sum::<f64>();
        let term = |c: &Charge| f64::from(c.charge) / squared(c).sqrt();
        (1.0 + charges.iter().map(term).sum::<f64>()) as f32
    };
    let mut grid = ground.from(vec![1.0f32; side * side], near(1e-3, want))?;
    trial!(
        ground,
        Shape::plane([side, side], [16, 16]),
        coulomb_grid(&dc, &mut grid.memory, side as u32, spacing, 1.5),
        original(&dc, &grid.memory, count as u32, side as u32, spacing, 1.5f32),
        [grid]
    )
}

/// How many pairs of points are how far apart: by a search among the edges of the bins.
#[gpu_kernel]
fn pair_histogram(points: &[[f32; 3]], edges: &[f32], counts: &mut [u32], n: i32) {
    let mut own = shared!([u32; 32]);
    let mut limits = shared!([f32; 32]);
    let t = thread_idx().x as i32;
    if t < 32 {
        own[t] = 0;
        limits[t] = edges[t];
    }
    sync_threads();
    let i = block_idx().x as i32 * block_dim().x as i32 + t;
    if i < n {
        for j in i + 1..n {
            let mut distance = 0.0;
            for d in 0..3 {
                let off = points[i][d] - points[j][d];
                distance += off * off;
            }
            let mut low = 0;
            let mut high = 31;
            while low < high {
                let middle = (low + high) / 2;
                if limits[middle] <= distance {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            atomic_add(&mut own[low], 1);
        }
    }
    sync_threads();
    if t < 32 {
        atomic_add(&mut counts[t], own[t]);
    }
}

fn pair_histogram_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, block) = ground.pick((75, 32), (8192, 128));
    // Multiples of 1/64: distances are exact.
    let exact = |word: u64| [8, 20, 32].map(|shift| (word >> shift & 127) as f32 / 64.0 - 1.0);
    let all = ground.each(n, exact);
    let edges: Vec<f32> = (0..32).map(|b| 12.0 * (b + 1) as f32 / 32.0 * (b + 1) as f32 / 32.0).collect();
    let (dp, de) = (ground.up(&all)?, ground.up(&edges)?);
    let mut wanted = [5u32; 32];
    for (i, a) in all.iter().enumerate() {
        for b in &all[i + 1..] {
            let distance: f32 = (0..3).map(|d| (a[d] - b[d]) * (a[d] - b[d])).sum();
            wanted[edges[..31].partition_point(|edge| *edge <= distance)] += 1;
        }
    }
    let mut counts = ground.from(vec![5; 32], exactly(move |b| wanted[b]))?;
    trial!(
        ground,
        Shape::line(n, block),
        pair_histogram(&dp, &de, &mut counts.memory, n as i32),
        original(&dp, &de, &counts.memory, n as i32),
        [counts]
    )
}

/// The red or the black spins of a torus, by what their neighbours and a random number say.
#[gpu_kernel]
fn ising(spins: &[i8], chances: &[f32], next: &mut [i8], color: i32, width: i32, height: i32, beta: f32) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if x < width && y < height {
        let at = y * width + x;
        let spin = spins[at];
        next[at] = spin;
        if (x + y) % 2 == color {
            let left = spins[y * width + (x + width - 1) % width];
            let right = spins[y * width + (x + 1) % width];
            let up = spins[(y + height - 1) % height * width + x];
            let down = spins[(y + 1) % height * width + x];
            let sum = left + right + up + down;
            let likely = (-2.0 * beta * (sum * spin) as f32).exp();
            if chances[at] < likely {
                next[at] = -spin;
            }
        }
    }
}

fn ising_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([38, 20], [8192, 4096]);
    let spins: Vec<i8> = ground.each(width * height, |word| if word >> 63 == 1 { 1 } else { -1 });
    let chances = ground.between(width * height, 0.0..1.0);
    let (ds, dc) = (ground.up(&spins)?, ground.up(&chances)?);
    let want = move |at: usize| {
        let (x, y) = (at % width, at / width);
        let around = [(x + 1, y), (x + width - 1, y), (x, y + 1), (x, y + height - 1)];
        let sum: i8 = around.iter().map(|(x, y)| spins[y % height * width + x % width]).sum();
        let likely = (-0.88 * f64::from(sum * spins[at])).exp();
        let turns = (x + y) % 2 == 1 && f64::from(chances[at]) < likely;
        if turns { -spins[at] } else { spins[at] }
    };
    let mut next = ground.blank(width * height, exactly(want))?;
    let (shape, width, height) = (Shape::plane([width, height], [32, 8]), width as i32, height as i32);
    trial!(
        ground,
        shape,
        ising(&ds, &dc, &mut next.memory, 1, width, height, 0.44),
        original(&ds, &dc, &next.memory, 1, width, height, 0.44f32),
        [next]
    )
}

/// How many of a thread's random points lie in a quarter of a circle.
#[gpu_kernel]
fn pi_walk(inside: &mut [u32], n: u32, tries: u32, seed: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i < n {
        let mut state = (i ^ seed).wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let mut hits = 0;
        for _ in 0..tries {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let x = state >> 17;
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let y = state >> 17;
            if x * x + y * y < 1 << 30 {
                hits += 1;
            }
        }
        inside[i] = hits;
    }
}

fn pi_walk_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, tries) = ground.pick((70, 9), (1 << 20, 256));
    let want = move |i: usize| {
        let mut state = (i as u32 ^ 4711).wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            u64::from(state >> 17)
        };
        let hits = (0..tries).filter(|_| next().pow(2) + next().pow(2) < 1 << 30);
        hits.count() as u32
    };
    let mut inside = ground.blank(n, exactly(want))?;
    trial!(
        ground,
        Shape::line(n, 256),
        pi_walk(&mut inside.memory, n as u32, tries, 4711),
        original(&inside.memory, n as u32, tries, 4711u32),
        [inside]
    )
}

/// A surface by its 5 x 5 control points, with the weights of both directions in local arrays.
#[gpu_kernel]
fn bezier(control: &[F32x4], surface: &mut [F32x4], width: i32, height: i32) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if x < width && y < height {
        let u = x as f32 / (width - 1) as f32;
        let v = y as f32 / (height - 1) as f32;
        let mut bu = [0.0f32; 5];
        let mut bv = [0.0f32; 5];
        let choose = [1.0f32, 4.0, 6.0, 4.0, 1.0];
        for k in 0..5 {
            let mut pu = choose[k];
            let mut pv = choose[k];
            for _ in 0..k {
                pu *= u;
                pv *= v;
            }
            for _ in k..4 {
                pu *= 1.0 - u;
                pv *= 1.0 - v;
            }
            bu[k] = pu;
            bv[k] = pv;
        }
        let mut point = F32x4::splat(0.0);
        for i in 0..5 {
            for j in 0..5 {
                point += control[5 * i + j] * (bv[i] * bu[j]);
            }
        }
        surface[y * width + x] = point;
    }
}

fn bezier_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([30, 20], [2048, 2048]);
    let control: Vec<F32x4> =
        ground.floats(100).chunks_exact(4).map(|v| F32x4::new(v[0], v[1], v[2], v[3])).collect();
    let dc = ground.up(&control)?;
    let want = move |at: usize| {
        let (u, v) = ((at % width) as f64 / (width - 1) as f64, (at / width) as f64 / (height - 1) as f64);
        let weight =
            |t: f64, k: usize| [1.0, 4.0, 6.0, 4.0, 1.0][k] * t.powi(k as i32) * (1.0 - t).powi(4 - k as i32);
        let part = |c: usize| {
            let term = |k: usize| f64::from(control[k].to_array()[c]) * weight(v, k / 5) * weight(u, k % 5);
            (0..25).map(term).sum::<f64>() as f32
        };
        F32x4::from_array([part(0), part(1), part(2), part(3)])
    };
    let mut surface = ground.blank(width * height, near(1e-5, want))?;
    let (shape, width, height) = (Shape::plane([width, height], [32, 8]), width as i32, height as i32);
    trial!(
        ground,
        shape,
        bezier(&dc, &mut surface.memory, width, height),
        original(&dc, &surface.memory, width, height),
        [surface]
    )
}
