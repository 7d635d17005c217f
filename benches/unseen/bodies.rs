//! Particles and rays: all by all, by lists of neighbours, in structs with arrays.

use warpsmith::prelude::*;

use crate::ground::{Compared, Failure, Ground, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "bodies",
    originals: include_str!("bodies.cu"),
    kernels: &[
        Unseen { name: "gravity", class: "n-body, usize", make: gravity_trial },
        Unseen { name: "lennard_jones", class: "lists of neighbours, i32", make: lennard_jones_trial },
        Unseen { name: "move_particles", class: "structs with arrays", make: move_particles_trial },
        Unseen { name: "ray_spheres", class: "rays, structs with arrays", make: ray_spheres_trial },
    ],
};

/// Points of a cube, as arrays.
fn points(ground: &Ground, n: usize) -> Vec<[f32; 3]> {
    ground.floats(3 * n).chunks_exact(3).map(|v| [v[0], v[1], v[2]]).collect()
}

fn squared(a: &[f32; 3], b: &[f32; 3]) -> f64 {
    (0..3).map(|d| (f64::from(a[d]) - f64::from(b[d])).powi(2)).sum()
}

/// What each point feels of all others.
#[gpu_kernel]
fn gravity(positions: &[[f32; 3]], masses: &[f32], potentials: &mut [f32]) {
    let i = global_id();
    let n = positions.len();
    if i < n {
        let mut sum = 0.0;
        for j in 0..n {
            let mut r2 = 0.01f32;
            for d in 0..3 {
                let off = positions[j][d] - positions[i][d];
                r2 += off * off;
            }
            sum += masses[j] / r2.sqrt();
        }
        potentials[i] = sum;
    }
}

fn gravity_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(75, 16_384);
    let (positions, masses) = (points(ground, n), ground.between(n, 0.0..1.0));
    let (dp, dm) = (ground.up(&positions)?, ground.up(&masses)?);
    let want = move |i: usize| {
        let term = |j: usize| f64::from(masses[j]) / (squared(&positions[i], &positions[j]) + 0.01).sqrt();
        (0..n).map(term).sum::<f64>() as f32
    };
    let mut out = ground.blank(n, near(1e-3, want))?;
    trial!(
        ground,
        Shape::line(n, 128),
        gravity(&dp, &dm, &mut out.memory),
        original(&dp, &dm, &out.memory, n as i32),
        [out]
    )
}

/// Forces by a list of as many neighbours for each atom; those of one place in the lists lie side by side.
#[gpu_kernel]
fn lennard_jones(atoms: &[F32x4], neighbours: &[i32], forces: &mut [F32x4], n: i32, most: i32, cutoff: f32) {
    let i = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if i < n {
        let me = atoms[i];
        let mut force = F32x4::splat(0.0);
        for k in 0..most {
            let other = atoms[neighbours[k * n + i]];
            let dx = me.x - other.x;
            let dy = me.y - other.y;
            let dz = me.z - other.z;
            let r2 = dx * dx + dy * dy + dz * dz;
            if r2 < cutoff {
                let inverse = 1.0 / r2;
                let r6 = inverse * inverse * inverse;
                let f = inverse * r6 * (1.5 * r6 - 2.0);
                force.x += dx * f;
                force.y += dy * f;
                force.z += dz * f;
            }
        }
        forces[i] = force;
    }
}

fn lennard_jones_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, most] = ground.pick([70, 6], [1 << 18, 64]);
    // Atoms on a line of cells, so that none are too close to each other.
    let at = |i: usize| (i % 1024) as f32 * 1.5;
    let jitter = ground.between(2 * n, 0.0..0.3);
    let atoms: Vec<F32x4> = (0..n)
        .map(|i| F32x4::new(at(i), jitter[2 * i], (i / 1024) as f32 + jitter[2 * i + 1], 0.0))
        .collect();
    let neighbours: Vec<i32> = (0..n * most).map(|at| ((at % n + 1 + at / n) % n) as i32).collect();
    let (da, dn) = (ground.up(&atoms)?, ground.up(&neighbours)?);
    let want = move |i: usize| {
        let mut force = [0.0f64; 3];
        for k in 0..most {
            let other = atoms[neighbours[k * n + i] as usize].to_array();
            let d: [f64; 3] = std::array::from_fn(|c| f64::from(atoms[i].to_array()[c] - other[c]));
            let r2 = d.iter().map(|v| v * v).sum::<f64>();
            if r2 < 60.0 {
                let f = r2.powi(-4) * (1.5 * r2.powi(-3) - 2.0);
                (0..3).for_each(|c| force[c] += d[c] * f);
            }
        }
        F32x4::new(force[0] as f32, force[1] as f32, force[2] as f32, 0.0)
    };
    let mut forces = ground.blank(n, near(1e-3, want))?;
    trial!(
        ground,
        Shape::line(n, 256),
        lennard_jones(&da, &dn, &mut forces.memory, n as i32, most as i32, 60.0),
        original(&da, &dn, &forces.memory, n as i32, most as i32, 60.0f32),
        [forces]
    )
}

#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Particle {
    position: [f32; 3],
    velocity: [f32; 3],
    bounces: u32,
}

impl Compared for Particle {
    const POISON: Self = Particle { position: [f32::NAN; 3], velocity: [f32::NAN; 3], bounces: 7 };

    fn is_near(&self, want: &Self, tolerance: f64) -> bool {
        let same = self.position.is_near(&want.position, tolerance);
        same && self.velocity.is_near(&want.velocity, tolerance) && self.bounces == want.bounces
    }
}

/// A step in a box whose walls throw particles back.
#[gpu_kernel]
fn move_particles(particles: &[Particle], moved: &mut [Particle], dt: f32) {
    let i = global_id();
    if i < particles.len() {
        let mut p = particles[i];
        for d in 0..3 {
            p.position[d] += p.velocity[d] * dt;
            if p.position[d] > 1.0 || p.position[d] < -1.0 {
                p.velocity[d] = -p.velocity[d];
                p.bounces += 1;
            }
        }
        moved[i] = p;
    }
}

fn move_particles_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(300, 1 << 23);
    // Multiples of 1/1024: whether a wall is hit does not depend on rounding.
    let part = |word: u64, shift: u32| (word >> shift & 2047) as f32 / 1024.0 - 1.0;
    let particle = |word: u64| Particle {
        position: [part(word, 0), part(word, 8), part(word, 16)],
        velocity: [part(word, 24), part(word, 32), part(word, 40)],
        bounces: (word >> 60) as u32,
    };
    let particles = ground.each(n, particle);
    let dp = ground.up(&particles)?;
    let want = move |i: usize| {
        let mut p = particles[i];
        p.position = std::array::from_fn(|d| p.position[d] + 0.25 * p.velocity[d]);
        let hits = p.position.map(|v| v.abs() > 1.0);
        p.velocity = std::array::from_fn(|d| if hits[d] { -p.velocity[d] } else { p.velocity[d] });
        p.bounces += hits.iter().filter(|hit| **hit).count() as u32;
        p
    };
    let mut moved = ground.blank(n, near(1e-6, want))?;
    trial!(
        ground,
        Shape::line(n, 128),
        move_particles(&dp, &mut moved.memory, 0.25),
        original(&dp, &moved.memory, 0.25f32, n as i32),
        [moved]
    )
}

#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Sphere {
    center: [f32; 3],
    radius: f32,
}

/// How much glass the ray of each pixel goes through.
#[gpu_kernel]
fn ray_spheres(spheres: &[Sphere], glass: &mut [f32], width: u32, height: u32) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = block_idx().y * block_dim().y + thread_idx().y;
    if x < width && y < height {
        let origin = [0.0f32, 0.0, -3.0];
        let mut direction =
            [(2 * x) as f32 / width as f32 - 1.0, (2 * y) as f32 / height as f32 - 1.0, 2.0f32];
        let mut length = 0.0;
        for d in 0..3 {
            length += direction[d] * direction[d];
        }
        length = length.sqrt();
        for d in 0..3 {
            direction[d] /= length;
        }
        let mut total = 0.0;
        for sphere in spheres {
            let mut b = 0.0;
            let mut c = -sphere.radius * sphere.radius;
            for d in 0..3 {
                let off = origin[d] - sphere.center[d];
                b += off * direction[d];
                c += off * off;
            }
            let under = b * b - c;
            if under > 0.0 {
                total += 2.0 * under.sqrt();
            }
        }
        glass[y * width + x] = total;
    }
}

fn ray_spheres_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [count, width, height] = ground.pick([5, 30, 20], [48, 2048, 1024]);
    let spheres: Vec<Sphere> = points(ground, count)
        .into_iter()
        .map(|center| Sphere { center, radius: 0.1 + 0.1 * center[0].abs() })
        .collect();
    let ds = ground.up(&spheres)?;
    let want = move |at: usize| {
        let (x, y) = ((at % width) as f64 / width as f64, (at / width) as f64 / height as f64);
        let ray = [2.0 * x - 1.0, 2.0 * y - 1.0, 2.0];
        let length = ray.iter().map(|v| v * v).sum::<f64>().sqrt();
        let way = |sphere: &Sphere| {
            let off: [f64; 3] = std::array::from_fn(|d| [0.0, 0.0, -3.0][d] - f64::from(sphere.center[d]));
            let b = (0..3).map(|d| off[d] * ray[d] / length).sum::<f64>();
            let c = off.iter().map(|v| v * v).sum::<f64>() - f64::from(sphere.radius).powi(2);
            2.0 * (b * b - c).max(0.0).sqrt()
        };
        spheres.iter().map(way).sum::<f64>() as f32
    };
    // At the edge of a sphere, a root makes much of a rounding.
    let mut glass = ground.blank(width * height, near(1e-2, want))?;
    let shape = Shape::plane([width, height], [16, 8]);
    let (width, height) = (width as u32, height as u32);
    trial!(
        ground,
        shape,
        ray_spheres(&ds, &mut glass.memory, width, height),
        original(&ds, &glass.memory, width, height, count as u32),
        [glass]
    )
}
