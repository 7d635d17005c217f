//! Sparse rows, reductions, scans and warps.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "rows",
    originals: include_str!("rows.cu"),
    kernels: &[
        Unseen { name: "spmv_ell", class: "sparse rows, i32", make: spmv_ell_trial },
        Unseen { name: "spmm_csr", class: "sparse rows, u32", make: spmm_csr_trial },
        Unseen { name: "sddmm", class: "sparse samples, usize", make: sddmm_trial },
        Unseen { name: "row_norm", class: "lane-stride step_by, warp shuffles", make: row_norm_trial },
        Unseen { name: "argmax_rows", class: "reduction of pairs, i32", make: argmax_rows_trial },
        Unseen { name: "dot", class: "grid-stride step_by, reduction", make: dot_trial },
        Unseen { name: "warp_scan", class: "warp scan, u32", make: warp_scan_trial },
        Unseen { name: "segment_sum", class: "slices of slices", make: segment_sum_trial },
        Unseen { name: "histogram_u8", class: "histogram by a byte, atomics", make: histogram_u8_trial },
        Unseen { name: "extremes", class: "grid-stride while, warp shuffles, i32", make: extremes_trial },
    ],
};

/// A matrix of as many entries a row; those of one column of entries lie side by side.
#[gpu_kernel]
fn spmv_ell(values: &[f32], columns: &[i32], x: &[f32], y: &mut [f32], rows: i32, width: i32) {
    let row = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if row < rows {
        let mut sum = 0.0;
        for k in 0..width {
            let col = columns[k * rows + row];
            if col >= 0 {
                sum += values[k * rows + row] * x[col];
            }
        }
        y[row] = sum;
    }
}

fn spmv_ell_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, width] = ground.pick([90, 5], [1 << 20, 16]);
    let values = ground.floats(rows * width);
    let columns: Vec<i32> = ground
        .each(rows * width, |word| if word & 7 == 0 { -1 } else { ((word >> 32) % rows as u64) as i32 });
    let x = ground.floats(rows);
    let (dv, dc, dx) = (ground.up(&values)?, ground.up(&columns)?, ground.up(&x)?);
    let want = move |row: usize| {
        let entries = (0..width).map(|k| k * rows + row).filter(|at| columns[*at] >= 0);
        entries.map(|at| f64::from(values[at]) * f64::from(x[columns[at] as usize])).sum::<f64>() as f32
    };
    let mut y = ground.blank(rows, near(1e-5, want))?;
    trial!(
        ground,
        Shape::line(rows, 256),
        spmv_ell(&dv, &dc, &dx, &mut y.memory, rows as i32, width as i32),
        original(&dv, &dc, &dx, &y.memory, rows as i32, width as i32),
        [y]
    )
}

/// Where rows start, and the columns of their entries: a third of the rows are empty.
fn sparse(ground: &Ground, rows: usize, cols: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32];
    for _ in 0..rows {
        let entries = ground.word() >> 60;
        starts.push(starts[starts.len() - 1] + if entries < 5 { 0 } else { entries as u32 });
    }
    let columns = ground.below(starts[rows] as usize, cols as u32);
    (starts, columns)
}

/// A sparse matrix by a dense one, a thread an element.
#[gpu_kernel]
fn spmm_csr(starts: &[u32], columns: &[u32], values: &[f32], b: &[f32], c: &mut [f32], rows: u32, n: u32) {
    let j = block_idx().x * block_dim().x + thread_idx().x;
    let row = block_idx().y * block_dim().y + thread_idx().y;
    if row < rows && j < n {
        let mut sum = 0.0;
        for at in starts[row]..starts[row + 1] {
            sum += values[at] * b[columns[at] * n + j];
        }
        c[row * n + j] = sum;
    }
}

fn spmm_csr_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, cols, n] = ground.pick([20, 30, 9], [32_768, 16_384, 64]);
    let (starts, columns) = sparse(ground, rows, cols);
    let (values, b) = (ground.floats(columns.len()), ground.floats(cols * n));
    let (ds, dc, dv, db) = (ground.up(&starts)?, ground.up(&columns)?, ground.up(&values)?, ground.up(&b)?);
    let want = move |at: usize| {
        let entries = starts[at / n] as usize..starts[at / n + 1] as usize;
        let term = |k: usize| f64::from(values[k]) * f64::from(b[columns[k] as usize * n + at % n]);
        entries.map(term).sum::<f64>() as f32
    };
    let mut c = ground.blank(rows * n, near(1e-5, want))?;
    let (shape, rows, n) = (Shape::plane([n, rows], [32, 8]), rows as u32, n as u32);
    trial!(
        ground,
        shape,
        spmm_csr(&ds, &dc, &dv, &db, &mut c.memory, rows, n),
        original(&ds, &dc, &dv, &db, &c.memory, rows, n),
        [c]
    )
}

/// Some elements of a dense product: where they are is given.
#[gpu_kernel]
fn sddmm(rows: &[u32], cols: &[u32], a: &[f32], b: &[f32], out: &mut [f32], k: usize) {
    let at = global_id();
    if at < rows.len() {
        let row = rows[at] as usize;
        let col = cols[at] as usize;
        let mut sum = 0.0;
        for i in 0..k {
            sum += a[row * k + i] * b[col * k + i];
        }
        out[at] = sum;
    }
}

fn sddmm_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, samples, k] = ground.pick([20, 70, 12], [8192, 1 << 19, 64]);
    let (rows, cols) = (ground.below(samples, n as u32), ground.below(samples, n as u32));
    let (a, b) = (ground.floats(n * k), ground.floats(n * k));
    let (dr, dc, da, db) = (ground.up(&rows)?, ground.up(&cols)?, ground.up(&a)?, ground.up(&b)?);
    let want = move |at: usize| {
        let (row, col) = (rows[at] as usize, cols[at] as usize);
        (0..k).map(|i| f64::from(a[row * k + i]) * f64::from(b[col * k + i])).sum::<f64>() as f32
    };
    let mut out = ground.blank(samples, near(1e-5, want))?;
    trial!(
        ground,
        Shape::line(samples, 128),
        sddmm(&dr, &dc, &da, &db, &mut out.memory, k),
        original(&dr, &dc, &da, &db, &out.memory, samples as i32, k as i32),
        [out]
    )
}

/// The length of each row, a warp a row.
#[gpu_kernel]
fn row_norm(matrix: &[f32], norms: &mut [f32], cols: usize) {
    let row = global_id() / 32;
    let lane = global_id() % 32;
    if row < norms.len() {
        let mut sum = 0.0;
        for c in (lane..cols).step_by(32) {
            let v = matrix[row * cols + c];
            sum += v * v;
        }
        for offset in [16, 8, 4, 2, 1] {
            sum += shfl_xor(sum, offset);
        }
        if lane == 0 {
            norms[row] = sum.sqrt();
        }
    }
}

fn row_norm_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, cols] = ground.pick([9, 77], [65_536, 1000]);
    let matrix = ground.floats(rows * cols);
    let dm = ground.up(&matrix)?;
    let want = move |row: usize| {
        let squares = matrix[row * cols..][..cols].iter().map(|v| f64::from(*v) * f64::from(*v));
        squares.sum::<f64>().sqrt() as f32
    };
    let mut norms = ground.blank(rows, near(1e-4, want))?;
    trial!(
        ground,
        Shape::line(rows * 32, ground.pick(32, 256)),
        row_norm(&dm, &mut norms.memory, cols),
        original(&dm, &norms.memory, rows as i32, cols as i32),
        [norms]
    )
}

/// Where the largest element of each row is, a block a row.
#[gpu_kernel]
fn argmax_rows(matrix: &[f32], indices: &mut [i32], cols: i32) {
    let mut values = shared!([f32; 128]);
    let mut places = shared!([i32; 128]);
    let t = thread_idx().x as i32;
    let row = block_idx().x as i32;
    let mut best = f32::MIN;
    let mut place = 0;
    let mut c = t;
    while c < cols {
        let v = matrix[row * cols + c];
        if v > best {
            best = v;
            place = c;
        }
        c += 128;
    }
    values[t] = best;
    places[t] = place;
    sync_threads();
    let mut s = 64;
    while s > 0 {
        if t < s && values[t + s] > values[t] {
            values[t] = values[t + s];
            places[t] = places[t + s];
        }
        sync_threads();
        s >>= 1;
    }
    if t == 0 {
        indices[row] = places[0];
    }
}

fn argmax_rows_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, cols] = ground.pick([3, 300], [32_768, 1500]);
    // Every column of a row has another value.
    let mut matrix = vec![0.0f32; rows * cols];
    for row in matrix.chunks_exact_mut(cols) {
        let turn = ground.word() as usize % cols;
        row.iter_mut().enumerate().for_each(|(c, v)| *v = ((c + turn) * 7919 % 99_991) as f32);
    }
    let dm = ground.up(&matrix)?;
    let want = move |row: usize| {
        let row = &matrix[row * cols..][..cols];
        (0..cols).fold(0, |best, c| if row[c] > row[best] { c } else { best }) as i32
    };
    let mut indices = ground.blank(rows, exactly(want))?;
    trial!(
        ground,
        Shape::blocks([rows as u32, 1, 1], [128, 1, 1]),
        argmax_rows(&dm, &mut indices.memory, cols as i32),
        original(&dm, &indices.memory, cols as i32),
        [indices]
    )
}

/// Partial dot products, one a block, of a grid that is smaller than the vectors.
#[gpu_kernel]
fn dot(x: &[f32], y: &[f32], partial: &mut [f32]) {
    let mut shared = shared!([f32; 256]);
    let t = thread_idx().x as usize;
    let mut sum = 0.0;
    for i in (global_id()..x.len()).step_by(global_size()) {
        sum += x[i] * y[i];
    }
    shared[t] = sum;
    sync_threads();
    for s in [128, 64, 32, 16, 8, 4, 2, 1] {
        if t < s {
            shared[t] += shared[t + s];
        }
        sync_threads();
    }
    if t == 0 {
        partial[block_idx().x] = shared[0];
    }
}

fn dot_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, blocks) = ground.pick((2000, 3), (1 << 25, 1056));
    let (x, y) = (ground.floats(n), ground.floats(n));
    let (dx, dy) = (ground.up(&x)?, ground.up(&y)?);
    let mut wanted = vec![0.0f64; blocks];
    (0..n).for_each(|i| wanted[i / 256 % blocks] += f64::from(x[i]) * f64::from(y[i]));
    let mut partial = ground.blank(blocks, near(1e-3, move |b| wanted[b] as f32))?;
    trial!(
        ground,
        Shape::blocks([blocks as u32, 1, 1], [256, 1, 1]),
        dot(&dx, &dy, &mut partial.memory),
        original(&dx, &dy, &partial.memory, n as i32),
        [partial]
    )
}

/// Sums up to and with each element, within each 32.
#[gpu_kernel]
fn warp_scan(input: &[u32], output: &mut [u32], n: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    let lane = thread_idx().x % 32;
    let mut sum = if i < n { input[i] } else { 0 };
    let mut by = 1;
    while by < 32 {
        let below = shfl_up(sum, by);
        if lane >= by {
            sum += below;
        }
        by *= 2;
    }
    if i < n {
        output[i] = sum;
    }
}

fn warp_scan_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(150, 1 << 25);
    let input = ground.below(n, 1000);
    let di = ground.up(&input)?;
    let want = move |i: usize| input[i / 32 * 32..=i].iter().sum();
    let mut output = ground.blank(n, exactly(want))?;
    trial!(
        ground,
        Shape::line(n, ground.pick(64, 256)),
        warp_scan(&di, &mut output.memory, n as u32),
        original(&di, &output.memory, n as u32),
        [output]
    )
}

/// The sum of each segment, a thread a segment.
#[gpu_kernel]
fn segment_sum(values: &[f32], starts: &[u32], sums: &mut [f32]) {
    let i = global_id();
    if i < sums.len() {
        let segment = &values[starts[i]..starts[i + 1]];
        let mut sum = 0.0;
        for v in segment {
            sum += *v;
        }
        sums[i] = sum;
    }
}

fn segment_sum_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(90, 1 << 20);
    let (starts, _) = sparse(ground, n, 1);
    let values = ground.floats(starts[n] as usize);
    let (dv, ds) = (ground.up(&values)?, ground.up(&starts)?);
    let want = move |i: usize| {
        let segment = &values[starts[i] as usize..starts[i + 1] as usize];
        segment.iter().map(|v| f64::from(*v)).sum::<f64>() as f32
    };
    let mut sums = ground.blank(n, near(1e-5, want))?;
    trial!(
        ground,
        Shape::line(n, 128),
        segment_sum(&dv, &ds, &mut sums.memory),
        original(&dv, &ds, &sums.memory, n as i32),
        [sums]
    )
}

/// Counts of bytes: those of before and these.
#[gpu_kernel]
fn histogram_u8(data: &[u8], counts: &mut [u32]) {
    let mut own = shared!([u32; 256]);
    own[thread_idx().x] = 0;
    sync_threads();
    let mut i = global_id();
    while i < data.len() {
        atomic_add(&mut own[data[i]], 1);
        i += global_size();
    }
    sync_threads();
    atomic_add(&mut counts[thread_idx().x], own[thread_idx().x]);
}

fn histogram_u8_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, blocks) = ground.pick((3000, 2), (1 << 26, 1056));
    let data = ground.bytes(n);
    let dd = ground.up(&data)?;
    let mut wanted = vec![3u32; 256];
    data.iter().for_each(|byte| wanted[usize::from(*byte)] += 1);
    let mut counts = ground.from(vec![3; 256], exactly(move |b| wanted[b]))?;
    trial!(
        ground,
        Shape::blocks([blocks, 1, 1], [256, 1, 1]),
        histogram_u8(&dd, &mut counts.memory),
        original(&dd, &counts.memory, n as u32),
        [counts]
    )
}

/// The least and the largest of all elements, of those and what was there before.
#[gpu_kernel]
fn extremes(input: &[i32], out: &mut [i32], n: i32) {
    let mut i = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let stride = (grid_dim().x * block_dim().x) as i32;
    let mut least = i32::MAX;
    let mut largest = i32::MIN;
    while i < n {
        least = least.min(input[i]);
        largest = largest.max(input[i]);
        i += stride;
    }
    let mut offset = 16;
    while offset > 0 {
        least = least.min(shfl_down(least, offset));
        largest = largest.max(shfl_down(largest, offset));
        offset /= 2;
    }
    if thread_idx().x % 32 == 0 {
        atomic_min(&mut out[0], least);
        atomic_max(&mut out[1], largest);
    }
}

fn extremes_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, blocks, block) = ground.pick((1000, 2, 64), (1 << 26, 1056, 256));
    let input = ground.ints(n, -1_000_000_000..1_000_000_000);
    let di = ground.up(&input)?;
    let fold = |start: i32, better: fn(i32, i32) -> i32| input.iter().fold(start, |best, v| better(best, *v));
    let wanted = [fold(0, i32::min), fold(0, i32::max)];
    let mut out = ground.from(vec![0; 2], exactly(move |i| wanted[i]))?;
    trial!(
        ground,
        Shape::blocks([blocks, 1, 1], [block, 1, 1]),
        extremes(&di, &mut out.memory, n as i32),
        original(&di, &out.memory, n as i32),
        [out]
    )
}
