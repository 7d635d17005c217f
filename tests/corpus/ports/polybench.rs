//! PolyBench: linear algebra and stencils, as loops over arrays.

use harness::noise;
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::rodinia::grids::column_and_row;
use crate::ports::{assert_close, down, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("polybench_convolution_2d", convolution_2d, a_matrix_is_convolved),
        port!("polybench_correlation", correlation, columns_correlate),
        port!("polybench_gramschmidt", gramschmidt, gramschmidt_makes_columns_orthonormal),
        port!("polybench_fdtd_2d", fdtd_2d, fields_step_in_time),
        port!("polybench_atax", atax<6>, transposed_products),
    ]
}

/// A row-major matrix that a kernel reads.
type Matrix<'a> = View2<'a, f32>;

#[gpu_kernel(fmad = false)]
fn convolution_2d(a: Matrix<'_>, mut b: ViewMut2<'_, f32>) {
    const C: [[f32; 3]; 3] = [[0.2, 0.5, -0.8], [-0.3, 0.6, -0.9], [0.4, 0.7, 0.1]];
    let (j, i) = column_and_row();
    if (1..a.rows() - 1).contains(&i) && (1..a.cols() - 1).contains(&j) {
        let mut sum = 0.0;
        for (dx, column) in C.iter().enumerate() {
            for (dy, c) in column.iter().enumerate() {
                sum += c * a[(i + dy - 1, j + dx - 1)];
            }
        }
        b[(i, j)] = sum;
    }
}

fn a_matrix_is_convolved(device: &Device) {
    let (m, n) = (9usize, 12usize);
    let a = noise(m * n, 301);
    let da = up(device, &a);
    let mut out = up(device, &vec![0.0; m * n]);
    convolution_2d(da.view2(m, n).expect("its size"), out.view2_mut(m, n).expect("its size"))
        .grid([2, 2])
        .block([8, 8])
        .launch(device)
        .unwrap();
    // The weights of the kernel, by columns.
    let c = [0.2, 0.5, -0.8, -0.3, 0.6, -0.9, 0.4, 0.7, 0.1];
    let mut want = vec![0.0; m * n];
    for i in 1..m - 1 {
        for j in 1..n - 1 {
            want[i * n + j] = (0..9).map(|k| c[k] * a[(i + k % 3 - 1) * n + j + k / 3 - 1]).sum();
        }
    }
    assert_close(&down(device, &out), &want, 1e-5);
}

/// Mean and deviation of columns, then the correlation of each pair of them.
#[gpu_kernel]
fn correlation(data: &[f32], n: usize, mean: &mut [f32], stddev: &mut [f32], symmat: &mut [f32]) {
    const EPSILON: f32 = 0.005;
    let m = mean.len();
    let j1 = thread_idx().x as usize;
    let column = |j: usize, i: usize| data[i * m + j];
    if j1 < m {
        mean[j1] = 0.0;
        for i in 0..n {
            mean[j1] += column(j1, i);
        }
        mean[j1] /= n as f32;
        stddev[j1] = 0.0;
        for i in 0..n {
            stddev[j1] += (column(j1, i) - mean[j1]).powi(2);
        }
        stddev[j1] = match (stddev[j1] / n as f32).sqrt() {
            s if s <= EPSILON => 1.0,
            s => s,
        };
        symmat[j1 * m + j1] = 1.0;
    }
    sync_threads();
    if j1 < m {
        for j2 in j1 + 1..m {
            let mut sum = 0.0;
            for i in 0..n {
                sum += (column(j1, i) - mean[j1]) / (n as f32).sqrt() / stddev[j1]
                    * (column(j2, i) - mean[j2])
                    / (n as f32).sqrt()
                    / stddev[j2];
            }
            (symmat[j1 * m + j2], symmat[j2 * m + j1]) = (sum, sum);
        }
    }
}

fn columns_correlate(device: &Device) {
    let (n, m) = (20usize, 6usize);
    let mut data = noise(n * m, 311);
    (0..n).for_each(|i| data[i * m + 3] = 0.5);
    let dd = up(device, &data);
    let (mut mean, mut dev, mut sym) =
        (up(device, &vec![9.0; m]), up(device, &vec![9.0; m]), up(device, &vec![9.0; m * m]));
    correlation(&dd, n, &mut mean, &mut dev, &mut sym).grid(1).block(32).launch(device).unwrap();
    let column = |j: usize| (0..n).map(|i| f64::from(data[i * m + j])).collect::<Vec<f64>>();
    let about = |x: Vec<f64>| {
        let mean = x.iter().sum::<f64>() / n as f64;
        x.iter().map(|v| v - mean).collect::<Vec<f64>>()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut want = vec![];
    for j in 0..m {
        for k in 0..m {
            let (a, b) = (about(column(j)), about(column(k)));
            let scale = (dot(&a, &a) * dot(&b, &b)).sqrt();
            want.push(if j == k {
                1.0
            } else if scale < 1e-9 {
                0.0
            } else {
                (dot(&a, &b) / scale) as f32
            });
        }
    }
    assert_close(&down(device, &sym), &want, 1e-4);
}

/// One column of the modified Gram-Schmidt process, by one block.
#[gpu_kernel(fmad = false)]
fn gramschmidt(a: &mut [f64], r: &mut [f64], q: &mut [f64], rows: usize, k: usize) {
    let n = a.len() / rows;
    let mut partial = shared!([f64; 64]);
    let t = thread_idx().x as usize;
    partial[t] = 0.0;
    for i in (t..rows).step_by(64) {
        partial[t] += a[i * n + k] * a[i * n + k];
    }
    sync_threads();
    for shift in (0..6).rev() {
        let half = 1usize << shift;
        if t < half {
            partial[t] += partial[t + half];
        }
        sync_threads();
    }
    let norm = partial[0].sqrt();
    if t == 0 {
        r[k * n + k] = norm;
    }
    for i in (t..rows).step_by(64) {
        q[i * n + k] = a[i * n + k] / norm;
    }
    sync_threads();
    let j = k + 1 + t;
    if j < n {
        let mut dot = 0.0;
        for i in 0..rows {
            dot += q[i * n + k] * a[i * n + j];
        }
        r[k * n + j] = dot;
        for i in 0..rows {
            a[i * n + j] -= q[i * n + k] * dot;
        }
    }
}

fn gramschmidt_makes_columns_orthonormal(device: &Device) {
    let (rows, n) = (70usize, 5usize);
    let a: Vec<f64> = noise(rows * n, 321).iter().map(|v| f64::from(*v)).collect();
    let (mut da, mut dr, mut dq) =
        (up(device, &a), up(device, &vec![0.0; n * n]), up(device, &vec![f64::NAN; rows * n]));
    for k in 0..n {
        gramschmidt(&mut da, &mut dr, &mut dq, rows, k).grid(1).block(64).launch(device).unwrap();
    }
    let (r, q) = (down(device, &dr), down(device, &dq));
    for i in 0..rows {
        for j in 0..n {
            let product: f64 = (0..n).map(|k| q[i * n + k] * r[k * n + j]).sum();
            assert!((product - a[i * n + j]).abs() < 1e-12);
        }
    }
    for (j, k) in (0..n).flat_map(|j| (0..n).map(move |k| (j, k))) {
        let dot: f64 = (0..rows).map(|i| q[i * n + j] * q[i * n + k]).sum();
        assert!((dot - f64::from(u8::from(j == k))).abs() < 1e-12, "{j} {k}");
    }
}

/// The three fields of a step of finite differences in the time domain.
#[gpu_kernel(fmad = false)]
fn fdtd_2d(fict: f32, ex: &mut [f32], ey: &mut [f32], hz: &mut [f32], nx: usize, ny: usize, phase: u32) {
    let (j, i) = column_and_row();
    if i >= nx || j >= ny {
        return;
    }
    let at = i * ny + j;
    match phase {
        0 => {
            ey[at] = if i == 0 { fict } else { ey[at] - 0.5 * (hz[at] - hz[at - ny]) };
            if j > 0 {
                ex[at] -= 0.5 * (hz[at] - hz[at - 1]);
            }
        }
        1 if i < nx - 1 && j < ny - 1 => hz[at] -= 0.7 * (ex[at + 1] - ex[at] + ey[at + ny] - ey[at]),
        1 => {}
        _ => unreachable!(),
    }
}

fn fields_step_in_time(device: &Device) {
    let (nx, ny) = (9usize, 7usize);
    let (mut ex, mut ey, mut hz) = (noise(63, 331), noise(63, 332), noise(63, 333));
    let (mut dx, mut dy, mut dz) = (up(device, &ex), up(device, &ey), up(device, &hz));
    for t in 0..3 {
        for phase in 0..2 {
            fdtd_2d(t as f32, &mut dx, &mut dy, &mut dz, nx, ny, phase)
                .grid([2, 3])
                .block([4, 4])
                .launch(device)
                .unwrap();
        }
        for at in 0..63 {
            ey[at] = if at < ny { t as f32 } else { ey[at] - 0.5 * (hz[at] - hz[at - ny]) };
            if at % ny > 0 {
                ex[at] -= 0.5 * (hz[at] - hz[at - 1]);
            }
        }
        for at in (0..63).filter(|at| at / ny < nx - 1 && at % ny < ny - 1) {
            hz[at] -= 0.7 * (ex[at + 1] - ex[at] + ey[at + ny] - ey[at]);
        }
    }
    assert_close(&down(device, &dz), &hz, 1e-5);
    assert_close(&down(device, &dx), &ex, 1e-5);
}

/// y = Aᵀ(Ax), both products by a block: each thread a row, then each a column (atax, bicg, mvt).
#[gpu_kernel(fmad = false)]
fn atax<const N: usize>(a: &[[f32; N]], x: [f32; N], y: &mut [f32]) {
    let mut tmp = dynamic_shared::<f32>();
    let i = thread_idx().x as usize;
    if let Some(slot) = (i < a.len()).then_some(i) {
        let mut sum = 0.0;
        for (v, w) in a[slot].iter().zip(&x) {
            sum += v * w;
        }
        tmp[slot] = sum;
    }
    sync_threads();
    if i < N {
        let mut sum = 0.0;
        for (row, t) in a.iter().zip(&tmp[..a.len()]) {
            sum += row[i] * t;
        }
        y[i] = sum;
    }
}

fn transposed_products(device: &Device) {
    let a: Vec<[f32; 6]> = noise(60, 341).chunks(6).map(|r| std::array::from_fn(|k| r[k])).collect();
    let x: [f32; 6] = std::array::from_fn(|k| k as f32 * 0.5 - 1.0);
    let da = up(device, &a);
    let mut y = up(device, &[f32::NAN; 6]);
    atax::<6>(&da, x, &mut y).grid(1).block(32).dynamic_shared(40).launch(device).unwrap();
    let tmp: Vec<f32> = a.iter().map(|r| r.iter().zip(&x).map(|(a, b)| a * b).sum()).collect();
    let want: Vec<f32> = (0..6).map(|j| (0..10).map(|i| a[i][j] * tmp[i]).sum()).collect();
    assert_close(&down(device, &y), &want, 1e-5);
}
