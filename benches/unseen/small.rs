//! A small problem of linear algebra a thread, in matrices that are local arrays.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "small",
    originals: include_str!("small.cu"),
    kernels: &[
        Unseen { name: "invert4", class: "local matrix, usize", make: invert4_trial },
        Unseen { name: "cholesky6", class: "local matrix, flat, f64", make: cholesky6_trial },
        Unseen { name: "solve5", class: "local matrix, pivots", make: solve5_trial },
        Unseen { name: "eigen3", class: "local matrix, i32", make: eigen3_trial },
        Unseen { name: "kalman4", class: "local matrix, structs with arrays", make: kalman4_trial },
    ],
};

/// A matrix for each thread by Gauss and Jordan; large on its diagonal, so that no pivots are searched.
#[gpu_kernel]
fn invert4(a: &[f32], inverse: &mut [f32], count: usize) {
    let id = global_id();
    if id >= count {
        return;
    }
    let mut m = [[0.0f32; 8]; 4];
    for i in 0..4 {
        for j in 0..4 {
            m[i][j] = a[id * 16 + i * 4 + j];
        }
        m[i][4 + i] = 1.0;
    }
    for col in 0..4 {
        let pivot = 1.0 / m[col][col];
        for j in 0..8 {
            m[col][j] *= pivot;
        }
        for row in 0..4 {
            if row != col {
                let factor = m[row][col];
                for j in 0..8 {
                    m[row][j] -= factor * m[col][j];
                }
            }
        }
    }
    for i in 0..4 {
        for j in 0..4 {
            inverse[id * 16 + i * 4 + j] = m[i][4 + j];
        }
    }
}

/// Square matrices, side by side, that are large on their diagonals; symmetric on demand.
fn dominant(ground: &Ground, count: usize, n: usize, symmetric: bool) -> Vec<f64> {
    let mut all = ground.doubles(count * n * n);
    for m in all.chunks_exact_mut(n * n) {
        for i in 0..n {
            for j in 0..i {
                if symmetric {
                    m[i * n + j] = m[j * n + i];
                }
            }
            m[i * n + i] = m[i * n + i] * 0.5 + 2.0 * n as f64;
        }
    }
    all
}

/// The inverse of a matrix, by elimination in doubles.
fn inverse_of(a: &[f64], n: usize) -> Vec<f64> {
    let mut m = a.to_vec();
    let mut inverse: Vec<f64> = (0..n * n).map(|at| f64::from(u8::from(at / n == at % n))).collect();
    for c in 0..n {
        let pivot = m[c * n + c];
        for j in 0..n {
            m[c * n + j] /= pivot;
            inverse[c * n + j] /= pivot;
        }
        for r in (0..n).filter(|r| *r != c) {
            let factor = m[r * n + c];
            for j in 0..n {
                m[r * n + j] -= factor * m[c * n + j];
                inverse[r * n + j] -= factor * inverse[c * n + j];
            }
        }
    }
    inverse
}

fn invert4_trial(ground: &Ground) -> Result<Trial, Failure> {
    let count = ground.pick(70, 1 << 19);
    let a = dominant(ground, count, 4, false);
    let da = ground.up(&a.iter().map(|v| *v as f32).collect::<Vec<_>>())?;
    let want = move |at: usize| inverse_of(&a[at / 16 * 16..][..16], 4)[at % 16] as f32;
    let mut out = ground.blank(16 * count, near(1e-5, want))?;
    trial!(
        ground,
        Shape::line(count, 128),
        invert4(&da, &mut out.memory, count),
        original(&da, &out.memory, count as i32),
        [out]
    )
}

#[gpu_kernel]
fn cholesky6(a: &[f64], l: &mut [f64]) {
    let id = global_id();
    if id * 36 + 35 < a.len() && id * 36 + 35 < l.len() {
        let mut m = [0.0f64; 36];
        for k in 0..36 {
            m[k] = a[id * 36 + k];
        }
        for j in 0..6 {
            for k in 0..j {
                for i in j..6 {
                    m[i * 6 + j] -= m[i * 6 + k] * m[j * 6 + k];
                }
            }
            let root = m[j * 6 + j].sqrt();
            for i in j..6 {
                m[i * 6 + j] /= root;
            }
        }
        for i in 0..6 {
            for j in 0..6 {
                l[id * 36 + i * 6 + j] = if j <= i { m[i * 6 + j] } else { 0.0 };
            }
        }
    }
}

fn cholesky6_trial(ground: &Ground) -> Result<Trial, Failure> {
    let count = ground.pick(70, 1 << 18);
    let a = dominant(ground, count, 6, true);
    let da = ground.up(&a)?;
    let want = move |at: usize| {
        let (a, mut l) = (&a[at / 36 * 36..][..36], [0.0f64; 36]);
        for i in 0..6 {
            for j in 0..=i {
                let rest = a[i * 6 + j] - (0..j).map(|k| l[i * 6 + k] * l[j * 6 + k]).sum::<f64>();
                l[i * 6 + j] = if i == j { rest.sqrt() } else { rest / l[j * 6 + j] };
            }
        }
        l[at % 36]
    };
    let mut out = ground.blank(36 * count, near(1e-12, want))?;
    trial!(
        ground,
        Shape::line(count, 128),
        cholesky6(&da, &mut out.memory),
        original(&da, &out.memory, count as i32),
        [out]
    )
}

/// Gauss with partial pivots, and back substitution.
#[gpu_kernel]
fn solve5(a: &[f32], b: &[f32], x: &mut [f32], n: u32) {
    let id = block_idx().x * block_dim().x + thread_idx().x;
    if id >= n {
        return;
    }
    let mut m = [[0.0f32; 6]; 5];
    for i in 0..5 {
        for j in 0..5 {
            m[i][j] = a[id * 25 + i as u32 * 5 + j as u32];
        }
        m[i][5] = b[id * 5 + i as u32];
    }
    for col in 0..5 {
        let mut best = col;
        for row in col + 1..5 {
            if m[row][col].abs() > m[best][col].abs() {
                best = row;
            }
        }
        for j in 0..6 {
            let kept = m[col][j];
            m[col][j] = m[best][j];
            m[best][j] = kept;
        }
        for row in col + 1..5 {
            let factor = m[row][col] / m[col][col];
            for j in col..6 {
                m[row][j] -= factor * m[col][j];
            }
        }
    }
    let mut solution = [0.0f32; 5];
    for i in (0..5).rev() {
        let mut sum = m[i][5];
        for j in i + 1..5 {
            sum -= m[i][j] * solution[j];
        }
        solution[i] = sum / m[i][i];
    }
    for i in 0..5 {
        x[id * 5 + i as u32] = solution[i];
    }
}

fn solve5_trial(ground: &Ground) -> Result<Trial, Failure> {
    let count = ground.pick(70, 1 << 19);
    let mut a = dominant(ground, count, 5, false);
    // The rows turned around: every pivot is below the diagonal.
    a.chunks_exact_mut(25).for_each(|m| m.rotate_left(10));
    let b = ground.floats(5 * count);
    let da = ground.up(&a.iter().map(|v| *v as f32).collect::<Vec<_>>())?;
    let db = ground.up(&b)?;
    let want = move |at: usize| {
        let mut m = a[at / 5 * 25..][..25].to_vec();
        m.rotate_right(10);
        let inverse = inverse_of(&m, 5);
        // The right side is turned with the rows.
        (0..5).map(|k| inverse[at % 5 * 5 + k] * f64::from(b[at / 5 * 5 + (k + 3) % 5])).sum::<f64>() as f32
    };
    let mut x = ground.blank(5 * count, near(1e-5, want))?;
    trial!(
        ground,
        Shape::line(count, 128),
        solve5(&da, &db, &mut x.memory, count as u32),
        original(&da, &db, &x.memory, count as i32),
        [x]
    )
}

/// The eigenvalues of symmetric matrices by Jacobi's rotations, in ascending order.
#[gpu_kernel]
fn eigen3(a: &[f32], values: &mut [f32], n: i32) {
    let id = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if id < n {
        let mut m = [[0.0f32; 3]; 3];
        for i in 0..3i32 {
            for j in 0..3i32 {
                m[i as usize][j as usize] = a[id * 9 + i * 3 + j];
            }
        }
        for _sweep in 0..6 {
            for p in 0..2 {
                for q in p + 1..3 {
                    if m[p][q].abs() > 1e-9 {
                        let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
                        let sign = if theta >= 0.0 { 1.0 } else { -1.0 };
                        let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
                        let c = 1.0 / (t * t + 1.0).sqrt();
                        let s = t * c;
                        for k in 0..3 {
                            let (left, right) = (m[k][p], m[k][q]);
                            m[k][p] = c * left - s * right;
                            m[k][q] = s * left + c * right;
                        }
                        for k in 0..3 {
                            let (upper, lower) = (m[p][k], m[q][k]);
                            m[p][k] = c * upper - s * lower;
                            m[q][k] = s * upper + c * lower;
                        }
                    }
                }
            }
        }
        let mut sorted = [m[0][0], m[1][1], m[2][2]];
        for i in 0..2 {
            for j in 0..2 - i {
                if sorted[j] > sorted[j + 1] {
                    let kept = sorted[j];
                    sorted[j] = sorted[j + 1];
                    sorted[j + 1] = kept;
                }
            }
        }
        for i in 0..3i32 {
            values[id * 3 + i] = sorted[i as usize];
        }
    }
}

fn eigen3_trial(ground: &Ground) -> Result<Trial, Failure> {
    let count = ground.pick(70, 1 << 19);
    let a = dominant(ground, count, 3, true);
    let da = ground.up(&a.iter().map(|v| *v as f32).collect::<Vec<_>>())?;
    // The roots of the characteristic polynomial, by cosines.
    let want = move |at: usize| {
        let m = &a[at / 3 * 9..][..9];
        let mean = (m[0] + m[4] + m[8]) / 3.0;
        let off = m[1] * m[1] + m[2] * m[2] + m[5] * m[5];
        let spread = [0, 4, 8].map(|k| (m[k] - mean) * (m[k] - mean)).iter().sum::<f64>() + 2.0 * off;
        let p = (spread / 6.0).sqrt();
        let b: Vec<f64> = (0..9).map(|k| (m[k] - if k % 4 == 0 { mean } else { 0.0 }) / p).collect();
        let minor = |i: usize, j: usize, k: usize, l: usize| b[i] * b[l] - b[j] * b[k];
        let determinant = b[0] * minor(4, 5, 7, 8) - b[1] * minor(3, 5, 6, 8) + b[2] * minor(3, 4, 6, 7);
        let phi = (determinant / 2.0).clamp(-1.0, 1.0).acos() / 3.0;
        let turn = 2.0 * std::f64::consts::PI / 3.0;
        (mean + 2.0 * p * (phi + turn * [1.0, 2.0, 0.0][at % 3]).cos()) as f32
    };
    let mut values = ground.blank(3 * count, near(1e-5, want))?;
    trial!(
        ground,
        Shape::line(count, 128),
        eigen3(&da, &mut values.memory, count as i32),
        original(&da, &values.memory, count as i32),
        [values]
    )
}

/// A tracked object: where it is and how fast, and how uncertain that is.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Track {
    state: [f32; 4],
    covariance: [[f32; 4]; 4],
}

/// One prediction and one update by a measured position.
#[gpu_kernel]
fn kalman4(tracks: &[Track], measured: &[[f32; 2]], states: &mut [[f32; 4]], dt: f32, noise: f32) {
    let id = global_id();
    if id < tracks.len() {
        let track = tracks[id];
        let mut f = [[0.0f32; 4]; 4];
        for i in 0..4 {
            f[i][i] = 1.0;
        }
        f[0][2] = dt;
        f[1][3] = dt;
        let mut x = [0.0f32; 4];
        let mut fp = [[0.0f32; 4]; 4];
        for i in 0..4 {
            for k in 0..4 {
                x[i] += f[i][k] * track.state[k];
                for j in 0..4 {
                    fp[i][j] += f[i][k] * track.covariance[k][j];
                }
            }
        }
        let mut p = [[0.0f32; 4]; 4];
        for i in 0..4 {
            for j in 0..4 {
                for k in 0..4 {
                    p[i][j] += fp[i][k] * f[j][k];
                }
            }
            p[i][i] += noise;
        }
        let (s00, s01, s11) = (p[0][0] + 1.0, p[0][1], p[1][1] + 1.0);
        let det = 1.0 / (s00 * s11 - s01 * s01);
        let y = [measured[id][0] - x[0], measured[id][1] - x[1]];
        for i in 0..4 {
            let g0 = (p[i][0] * s11 - p[i][1] * s01) * det;
            let g1 = (p[i][1] * s00 - p[i][0] * s01) * det;
            states[id][i] = x[i] + g0 * y[0] + g1 * y[1];
        }
    }
}

fn kalman4_trial(ground: &Ground) -> Result<Trial, Failure> {
    let count = ground.pick(70, 1 << 20);
    let p = dominant(ground, count, 4, true);
    let state = ground.floats(4 * count);
    let measured = ground.floats(2 * count);
    let tracks: Vec<Track> = (0..count)
        .map(|id| Track {
            state: std::array::from_fn(|i| state[4 * id + i]),
            covariance: std::array::from_fn(|i| std::array::from_fn(|j| p[16 * id + 4 * i + j] as f32)),
        })
        .collect();
    let pairs: Vec<[f32; 2]> = measured.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    let (dt, dm) = (ground.up(&tracks)?, ground.up(&pairs)?);
    let want = move |id: usize| {
        let (step, p) = (0.1, &p[16 * id..][..16]);
        let f = |i: usize, k: usize| f64::from(u8::from(i == k)) + if k == i + 2 { step } else { 0.0 };
        let x: [f64; 4] =
            std::array::from_fn(|i| (0..4).map(|k| f(i, k) * f64::from(state[4 * id + k])).sum());
        let predicted = |i: usize, j: usize| {
            let sum: f64 = (0..16).map(|at| f(i, at / 4) * p[at] * f(j, at % 4)).sum();
            sum + if i == j { 0.01 } else { 0.0 }
        };
        let (a, b, d) = (predicted(0, 0) + 1.0, predicted(0, 1), predicted(1, 1) + 1.0);
        let y = [f64::from(measured[2 * id]) - x[0], f64::from(measured[2 * id + 1]) - x[1]];
        let solved = [(d * y[0] - b * y[1]) / (a * d - b * b), (a * y[1] - b * y[0]) / (a * d - b * b)];
        std::array::from_fn(|i| (x[i] + predicted(i, 0) * solved[0] + predicted(i, 1) * solved[1]) as f32)
    };
    let mut states = ground.blank(count, near(1e-4, want))?;
    trial!(
        ground,
        Shape::line(count, 128),
        kalman4(&dt, &dm, &mut states.memory, 0.1, 0.01),
        original(&dt, &dm, &states.memory, count as i32, 0.1f32, 0.01f32),
        [states]
    )
}
