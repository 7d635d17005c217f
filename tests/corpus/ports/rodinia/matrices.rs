//! Rodinia on matrices: LU decomposition and gaussian elimination.

use harness::noise;
use warpsmith::prelude::*;

use super::grids::column_and_row;
use crate::cases::Case;
use crate::ports::{assert_close, down, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("rodinia_lud_internal", lud_internal, lud_in_three_kernels),
        port!("rodinia_lud_diagonal", lud_diagonal, lud_in_three_kernels),
        port!("rodinia_lud_perimeter", lud_perimeter, lud_in_three_kernels),
        port!("rodinia_fan2", fan2, gaussian_elimination),
        port!("rodinia_fan1", fan1, gaussian_elimination),
    ]
}

const BLOCK: usize = 16;

#[gpu_kernel]
fn lud_diagonal(m: &mut [f32], dim: usize, offset: usize) {
    let mut shadow = shared!([[f32; BLOCK]; BLOCK]);
    let tx = thread_idx().x as usize;
    let mut at = offset * dim + offset;
    for i in 0..BLOCK {
        shadow[i][tx] = m[at + tx];
        at += dim;
    }
    sync_threads();
    for i in 0..BLOCK - 1 {
        if tx > i {
            for j in 0..i {
                shadow[tx][i] -= shadow[tx][j] * shadow[j][i];
            }
            shadow[tx][i] /= shadow[i][i];
        }
        sync_threads();
        if tx > i {
            for j in 0..=i {
                shadow[i + 1][tx] -= shadow[i + 1][j] * shadow[j][tx];
            }
        }
        sync_threads();
    }
    at = (offset + 1) * dim + offset;
    for i in 1..BLOCK {
        m[at + tx] = shadow[i][tx];
        at += dim;
    }
}

#[gpu_kernel]
fn lud_perimeter(m: &mut [f32], dim: usize, offset: usize) {
    let mut dia = shared!([[f32; BLOCK]; BLOCK]);
    let mut row = shared!([[f32; BLOCK]; BLOCK]);
    let mut col = shared!([[f32; BLOCK]; BLOCK]);
    let tx = thread_idx().x as usize;
    let ahead = (block_idx().x as usize + 1) * BLOCK;
    let is_row = tx < BLOCK;
    let idx = if is_row { tx } else { tx - BLOCK };
    let corner = offset * dim + offset;
    for i in 0..BLOCK {
        if is_row {
            dia[i][idx] = m[corner + i * dim + idx];
            row[i][idx] = m[corner + i * dim + ahead + idx];
        } else {
            col[i][idx] = m[corner + (ahead + i) * dim + idx];
        }
    }
    sync_threads();
    match is_row {
        true => {
            for i in 1..BLOCK {
                for j in 0..i {
                    row[i][idx] -= dia[i][j] * row[j][idx];
                }
            }
        }
        false => {
            for i in 0..BLOCK {
                for j in 0..i {
                    col[idx][i] -= col[idx][j] * dia[j][i];
                }
                col[idx][i] /= dia[i][i];
            }
        }
    }
    sync_threads();
    for i in 0..BLOCK {
        if is_row {
            m[corner + i * dim + ahead + idx] = row[i][idx];
        } else {
            m[corner + (ahead + i) * dim + idx] = col[i][idx];
        }
    }
}

#[gpu_kernel]
fn lud_internal(m: &mut [f32], dim: usize, offset: usize) {
    let mut row = shared!([[f32; BLOCK]; BLOCK]);
    let mut col = shared!([[f32; BLOCK]; BLOCK]);
    let (tx, ty) = (thread_idx().x as usize, thread_idx().y as usize);
    let global_row = offset + (block_idx().y as usize + 1) * BLOCK;
    let global_col = offset + (block_idx().x as usize + 1) * BLOCK;
    row[ty][tx] = m[(offset + ty) * dim + global_col + tx];
    col[ty][tx] = m[(global_row + ty) * dim + offset + tx];
    sync_threads();
    let mut sum = 0.0;
    for i in 0..BLOCK {
        sum += col[ty][i] * row[i][tx];
    }
    m[(global_row + ty) * dim + global_col + tx] -= sum;
}

fn lud_in_three_kernels(device: &Device) {
    let dim = 3 * BLOCK;
    let mut a = noise(dim * dim, 8);
    (0..dim).for_each(|i| a[i * dim + i] += 20.0);
    let mut m = up(device, &a);
    for offset in (0..dim).step_by(BLOCK) {
        lud_diagonal(&mut m, dim, offset).grid(1).block(16).launch(device).expect("it runs");
        let left = ((dim - offset) / BLOCK - 1) as u32;
        if left > 0 {
            lud_perimeter(&mut m, dim, offset).grid(left).block(32).launch(device).expect("it runs");
            lud_internal(&mut m, dim, offset)
                .grid([left, left])
                .block([16, 16])
                .launch(device)
                .expect("it runs");
        }
    }
    for k in 0..dim {
        for i in k + 1..dim {
            a[i * dim + k] /= a[k * dim + k];
            for j in k + 1..dim {
                a[i * dim + j] -= a[i * dim + k] * a[k * dim + j];
            }
        }
    }
    assert_close(&down(device, &m), &a, 1e-4);
}

#[gpu_kernel]
fn fan1(m: &mut [f32], a: &[f32], size: usize, t: usize) {
    let Some(i) = (global_id() < size - 1 - t).then_some(global_id()) else { return };
    m[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t];
}

#[gpu_kernel]
fn fan2(m: &[f32], a: &mut [f32], b: &mut [f32], size: usize, t: usize) {
    let (x, y) = column_and_row();
    if x >= size - 1 - t || y >= size - t {
        return;
    }
    let multiplier = m[size * (x + 1 + t) + t];
    a[size * (x + 1 + t) + (y + t)] -= multiplier * a[size * t + (y + t)];
    if y == 0 {
        b[x + 1 + t] -= multiplier * b[t];
    }
}

fn gaussian_elimination(device: &Device) {
    let n = 20usize;
    let mut a = noise(n * n, 11);
    (0..n).for_each(|i| a[i * n + i] += 10.0);
    let mut b = noise(n, 12);
    let (mut dm, mut da, mut db) = (up(device, &vec![0.0; n * n]), up(device, &a), up(device, &b));
    for t in 0..n - 1 {
        fan1(&mut dm, &da, n, t).over(n).block(32).launch(device).expect("it runs");
        fan2(&dm, &mut da, &mut db, n, t).grid([3, 3]).block([8, 8]).launch(device).expect("it runs");
        for i in t + 1..n {
            let f = a[i * n + t] / a[t * n + t];
            (t..n).for_each(|j| a[i * n + j] -= f * a[t * n + j]);
            b[i] -= f * b[t];
        }
    }
    assert_close(&down(device, &da), &a, 1e-4);
    assert_close(&down(device, &db), &b, 1e-4);
}
