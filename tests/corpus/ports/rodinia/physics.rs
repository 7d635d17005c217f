//! Rodinia in physics: euler3d and lavaMD.

use core::ops::{Add, AddAssign, Mul, Neg, Sub};

use harness::noise;
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{assert_close, down, integers, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("rodinia_compute_flux", compute_flux, euler3d_fluxes),
        port!("rodinia_lava_md", lava_md, lava_md_boxes),
    ]
}

/// A vector of three.
#[derive(Clone, Copy, Debug, Default, PartialEq, GpuType)]
#[repr(C)]
pub struct Float3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

#[gpu_impl]
impl Float3 {
    pub const fn new(x: f32, y: f32, z: f32) -> Self {
        Self { x, y, z }
    }

    pub fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    pub fn length(&self) -> f32 {
        self.dot(*self).sqrt()
    }
}

#[gpu_impl]
impl Add for Float3 {
    type Output = Self;
    fn add(self, rhs: Self) -> Self {
        Self::new(self.x + rhs.x, self.y + rhs.y, self.z + rhs.z)
    }
}

#[gpu_impl]
impl Sub for Float3 {
    type Output = Float3;
    fn sub(self, Float3 { x, y, z }: Float3) -> Float3 {
        Float3::new(self.x - x, self.y - y, self.z - z)
    }
}

#[gpu_impl]
impl Mul<f32> for Float3 {
    type Output = Self;
    fn mul(self, k: f32) -> Self {
        Self { x: self.x * k, y: self.y * k, z: self.z * k }
    }
}

#[gpu_impl]
impl Mul<Float3> for f32 {
    type Output = Float3;
    fn mul(self, v: Float3) -> Float3 {
        v * self
    }
}

#[gpu_impl]
impl Neg for Float3 {
    type Output = Self;
    fn neg(self) -> Self {
        -1.0 * self
    }
}

#[gpu_impl]
impl AddAssign for Float3 {
    fn add_assign(&mut self, rhs: Self) {
        *self = *self + rhs;
    }
}

const GAMMA: f32 = 1.4;
const NVAR: usize = 5;

/// Momentum and energy that flow through a face.
#[derive(Clone, Copy, Debug, Default, GpuType)]
#[repr(C)]
struct Flux {
    momentum: [Float3; 3],
    density_energy: Float3,
}

#[gpu_const]
static FF_VARIABLE: [f32; NVAR] = [1.4, 1.2, 0.1, 0.0, 3.0];

#[gpu_const]
static FF_FLUX: Flux = Flux {
    momentum: [Float3::new(1.0, 0.0, 0.5), Float3::new(0.0, 1.0, 0.25), Float3::new(-0.5, 0.0, 1.0)],
    density_energy: Float3::new(4.0, 0.5, 0.25),
};

/// The state of a cell.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct State {
    density: f32,
    momentum: Float3,
    energy: f32,
}

#[gpu_impl]
impl State {
    fn load(variables: &[f32], i: usize, n: usize) -> Self {
        Self {
            density: variables[i],
            momentum: Float3::new(variables[i + n], variables[i + 2 * n], variables[i + 3 * n]),
            energy: variables[i + 4 * n],
        }
    }

    fn velocity(&self) -> Float3 {
        self.momentum * (1.0 / self.density)
    }

    fn pressure(&self) -> f32 {
        let v = self.velocity();
        (GAMMA - 1.0) * (self.energy - 0.5 * self.density * v.dot(v))
    }

    fn speed_of_sound(&self) -> f32 {
        (GAMMA * self.pressure() / self.density).sqrt()
    }

    fn flux(&self) -> Flux {
        let (v, p) = (self.velocity(), self.pressure());
        let mut flux = Flux::default();
        flux.momentum = [v.x * self.momentum, v.y * self.momentum, v.z * self.momentum];
        flux.momentum[0].x += p;
        flux.momentum[1].y += p;
        flux.momentum[2].z += p;
        flux.density_energy = (self.energy + p) * v;
        flux
    }
}

#[gpu_kernel(fmad = false)]
fn compute_flux(nel: usize, neighbors: &[i32], normals: &[Float3], variables: &[f32], fluxes: &mut [f32]) {
    const SMOOTHING: f32 = 0.2;
    let i = global_id();
    if i >= nel {
        return;
    }
    let here = State::load(variables, i, nel);
    let here_flux = here.flux();
    let mut out = [0.0f32; NVAR];
    for j in 0..4 {
        let nb = neighbors[i + j * nel];
        let normal = normals[i + j * nel];
        let length = normal.length();
        match nb {
            0.. => {
                let there = State::load(variables, nb as usize, nel);
                let there_flux = there.flux();
                let factor = -length
                    * SMOOTHING
                    * 0.5
                    * (here.velocity().length()
                        + there.velocity().length()
                        + here.speed_of_sound()
                        + there.speed_of_sound());
                out[0] += factor * (here.density - there.density);
                out[4] += factor * (here.energy - there.energy);
                let diff = factor * (here.momentum - there.momentum);
                let mut f = 0.5 * normal.x * (there.momentum + here.momentum);
                f += diff;
                for (slot, v) in out[1..4].iter_mut().zip([f.x, f.y, f.z]) {
                    *slot += v;
                }
                for k in 0..3 {
                    out[k + 1] += 0.5 * normal.dot(there_flux.momentum[k] + here_flux.momentum[k]);
                }
            }
            -1 => {
                let p = here.pressure();
                out[1] += normal.x * p;
                out[2] += normal.y * p;
                out[3] += normal.z * p;
            }
            -2 => {
                let far = FF_FLUX.momentum;
                out[0] += 0.5 * normal.x * (FF_VARIABLE[1] + here.momentum.x);
                out[4] += 0.5 * normal.dot(FF_FLUX.density_energy + here_flux.density_energy);
                for (k, row) in far.iter().enumerate() {
                    out[1 + k] += 0.5 * normal.dot(*row + here_flux.momentum[k]);
                }
            }
            _ => (),
        }
    }
    for (k, v) in out.iter().enumerate() {
        fluxes[i + k * nel] = *v;
    }
}

fn flux_on_host(n: usize, neighbors: &[i32], normals: &[Float3], x: &[f32]) -> Vec<f32> {
    type V = [f64; 3];
    let dot = |a: V, b: V| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cell = |i: usize| {
        let at = |k: usize| f64::from(x[i + k * n]);
        let (d, m, e) = (at(0), [at(1), at(2), at(3)], at(4));
        let v = m.map(|c| c / d);
        let p = 0.4 * (e - 0.5 * d * dot(v, v));
        let mut f = v.map(|c| m.map(|k| c * k));
        (0..3).for_each(|k| f[k][k] += p);
        (d, m, e, v, p, (1.4 * p / d).sqrt(), f)
    };
    let mut out = vec![0.0; n * 5];
    for i in 0..n {
        let (d, m, e, v, p, c, f) = cell(i);
        let mut add = |k: usize, v: f64| out[i + k * n] += v as f32;
        for j in 0..4 {
            let nv = normals[i + j * n];
            let nv = [nv.x, nv.y, nv.z].map(f64::from);
            match neighbors[i + j * n] {
                -1 => (0..3).for_each(|k| add(k + 1, nv[k] * p)),
                -2 => {
                    let far = [[1.0, 0.0, 0.5], [0.0, 1.0, 0.25], [-0.5, 0.0, 1.0]];
                    add(0, 0.5 * nv[0] * (1.2 + m[0]));
                    let energy = [4.0, 0.5, 0.25];
                    add(4, 0.5 * (0..3).map(|k| nv[k] * (energy[k] + (e + p) * v[k])).sum::<f64>());
                    (0..3).for_each(|k| {
                        add(k + 1, 0.5 * (0..3).map(|a| nv[a] * (far[k][a] + f[k][a])).sum::<f64>())
                    });
                }
                b if b >= 0 => {
                    let (d2, m2, e2, v2, _, c2, f2) = cell(b as usize);
                    let factor = -dot(nv, nv).sqrt() * 0.1 * (dot(v, v).sqrt() + dot(v2, v2).sqrt() + c + c2);
                    add(0, factor * (d - d2));
                    add(4, factor * (e - e2));
                    for k in 0..3 {
                        add(k + 1, factor * (m[k] - m2[k]) + 0.5 * nv[0] * (m[k] + m2[k]));
                        add(k + 1, 0.5 * (0..3).map(|a| nv[a] * (f[k][a] + f2[k][a])).sum::<f64>());
                    }
                }
                _ => {}
            }
        }
    }
    out
}

fn euler3d_fluxes(device: &Device) {
    let n = 40usize;
    let neighbors: Vec<i32> = integers(n * 4, 43, 91).iter().map(|v| *v as i32 - 3).collect();
    let normals: Vec<Float3> = noise(n * 12, 92).chunks(3).map(|c| Float3::new(c[0], c[1], c[2])).collect();
    let mut x = noise(n * 5, 93);
    (0..n).for_each(|i| (x[i], x[i + 4 * n]) = (x[i].abs() + 1.0, x[i + 4 * n].abs() + 5.0));
    let (dn, dm, dx) = (up(device, &neighbors), up(device, &normals), up(device, &x));
    let mut out = up(device, &vec![f32::NAN; n * 5]);
    compute_flux(n, &dn, &dm, &dx, &mut out).over(n).block(16).launch(device).unwrap();
    assert_close(&down(device, &out), &flux_on_host(n, &neighbors, &normals, &x), 1e-4);
}

/// Position and potential of a particle.
#[derive(Clone, Copy, Debug, Default, PartialEq, GpuType)]
#[repr(C)]
struct Four {
    v: f64,
    x: f64,
    y: f64,
    z: f64,
}

/// A box, and the boxes around it.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct BoxInfo {
    offset: u32,
    nn: u32,
    nei: [u32; 3],
}

const PER_BOX: usize = 20;

#[gpu_kernel(fmad = false)]
fn lava_md(a2: f64, boxes: &[BoxInfo], rv: &[Four], qv: &[f64], fv: &mut [Four]) {
    let bx = block_idx().x as usize;
    let wtx = thread_idx().x as usize;
    let threads = block_dim().x as usize;
    let mut ra = shared!([Four; PER_BOX]);
    let mut rb = shared!([Four; PER_BOX]);
    let mut qb = shared!([f64; PER_BOX]);
    let home = boxes[bx];
    let first_i = home.offset as usize;
    for t in (wtx..PER_BOX).step_by(threads) {
        ra[t] = rv[first_i + t];
    }
    sync_threads();
    for k in 0..=home.nn as usize {
        let pointer = if k == 0 { bx } else { home.nei[k - 1] as usize };
        let first_j = boxes[pointer].offset as usize;
        for t in (wtx..PER_BOX).step_by(threads) {
            rb[t] = rv[first_j + t];
            qb[t] = qv[first_j + t];
        }
        sync_threads();
        for t in (wtx..PER_BOX).step_by(threads) {
            let a = &ra[t];
            let f = &mut fv[first_i + t];
            for j in 0..PER_BOX {
                let b = rb[j];
                let r2 = a.v + b.v - (a.x * b.x + a.y * b.y + a.z * b.z);
                let u2 = a2 * r2;
                let vij = (-u2).exp();
                let fs = 2. * vij;
                f.v += qb[j] * vij;
                f.x += qb[j] * fs * (a.x - b.x);
                f.y += qb[j] * fs * (a.y - b.y);
                f.z += qb[j] * fs * (a.z - b.z);
            }
        }
        sync_threads();
    }
}

fn lava_md_boxes(device: &Device) {
    let boxes: Vec<BoxInfo> = [(0, 1, [1, 0, 0]), (20, 3, [0, 2, 1]), (40, 0, [0; 3])]
        .map(|(offset, nn, nei)| BoxInfo { offset, nn, nei })
        .to_vec();
    let d = |seed| noise(60, seed).iter().map(|v| f64::from(*v)).collect::<Vec<f64>>();
    let rv: Vec<Four> = (0..60).map(|i| Four { v: d(1)[i], x: d(2)[i], y: d(3)[i], z: d(4)[i] }).collect();
    let qv = d(5);
    let (db, dr, dq) = (up(device, &boxes), up(device, &rv), up(device, &qv));
    let mut fv = up(device, &vec![Four::default(); 60]);
    lava_md(0.5, &db, &dr, &dq, &mut fv).grid(3).block(16).launch(device).unwrap();
    let got = down(device, &fv);
    for b in 0..3 {
        for i in b * 20..b * 20 + 20 {
            let around =
                std::iter::once(b).chain(boxes[b].nei[..boxes[b].nn as usize].iter().map(|n| *n as usize));
            let mut w = [0.0; 4];
            for j in around.flat_map(|n| n * 20..n * 20 + 20) {
                let (p, q) = (rv[i], rv[j]);
                let e = (-0.5 * (p.v + q.v - p.x * q.x - p.y * q.y - p.z * q.z)).exp();
                let each = [1.0, 2.0 * (p.x - q.x), 2.0 * (p.y - q.y), 2.0 * (p.z - q.z)];
                (0..4).for_each(|k| w[k] += qv[j] * e * each[k]);
            }
            let f = [got[i].v, got[i].x, got[i].y, got[i].z];
            (0..4).for_each(|k| assert!((f[k] - w[k]).abs() < 1e-10 * w[k].abs().max(1.0), "{i} {k}"));
        }
    }
}
