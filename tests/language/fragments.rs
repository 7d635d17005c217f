//! Matrices in registers by one trait: the same epilogue for sums of a warp and of a warpgroup, by every executor.

use warpsmith::prelude::*;
use warpsmith::tensor::{Accumulator, Fragment, Swizzle64, WarpAccumulator};

use super::everywhere;

/// Each element says where it is; the sums of a row are counted on the way.
#[gpu_fn]
fn places<F: Fragment<Element = f32>>(sums: &mut F, y: ViewMut2<f32>, row: usize, col: usize) {
    sums.map(|row, col, sum| sum + (row * 1000 + col) as f32);
    sums.store(y, row, col, |sum| sum);
}

/// What elements are told by their numbers, row after row, and by visits.
#[gpu_fn]
fn told<F: Fragment<Element = f32>>(sums: &F, out: &mut [f32], visited: &mut [f32]) {
    #[unroll]
    for i in 0..F::COUNT {
        let (row, col) = F::at(i);
        out[row * F::COLS + col] = sums.get(i);
    }
    sums.for_each(|row, col, sum| visited[row * F::COLS + col] = sum);
}

/// Rows as shares of their weights, as attention computes them from scores.
#[gpu_fn]
fn shares<F: Fragment<Element = f32>>(sums: &mut F) {
    let most = sums.reduce_rows(f32::NEG_INFINITY, |a, b| a.max(b));
    sums.map_rows(most, |sum, most| (most - sum + 1.0).recip());
    let total = sums.reduce_rows(0.0, |a, b| a + b);
    sums.map_rows(total, |weight, total| weight / total);
}

/// The same for either owner of sums.
#[gpu_fn]
fn epilogue<F: Fragment<Element = f32>, const ROWS: usize, const COLS: usize>(
    sums: &mut F,
    tile: Tile<f16, ROWS, COLS, Swizzle64>,
    y: ViewMut2<f32>,
    out: &mut [f32],
    visited: &mut [f32],
    shared_out: &mut [f16],
) {
    places(sums, y, 3, 2);
    told(sums, out, visited);
    sums.store_tile(tile, 16, |sum| (sum / 64.0).cast::<f16>());
    sync_threads();
    for i in (thread_rank() as usize..ROWS * COLS).step_by(block_size() as usize) {
        shared_out[i] = tile[(i / COLS, i % COLS)];
    }
    shares(sums);
    sums.for_each(|row, col, share| out[(F::ROWS + row) * F::COLS + col] = share);
}

#[gpu_kernel]
fn of_a_warp(y: ViewMut2<f32>, out: &mut [f32], visited: &mut [f32], halves: &mut [f16]) {
    let tile = shared!(Tile<f16, 32, 32, Swizzle64>);
    let mut sums = WarpAccumulator::<f32, 2, 6>::zero();
    epilogue(&mut sums, tile, y, out, visited, halves);
}

#[gpu_kernel]
fn of_a_warpgroup(y: ViewMut2<f32>, out: &mut [f32], visited: &mut [f32], halves: &mut [f16]) {
    let tile = shared!(Tile<f16, 64, 32, Swizzle64>);
    let mut sums = Accumulator::<f32, 48>::zero();
    epilogue(&mut sums, tile, y, out, visited, halves);
}

/// The values that both kernels have for a matrix of these rows, with 48 columns.
fn check(
    device: &Device,
    rows: usize,
    launch: impl Fn(ViewMut2<'_, f32>, &mut Buffer<f32>, &mut Buffer<f32>, &mut Buffer<f16>),
) {
    const COLS: usize = 48;
    // Strides that let two elements be stored at once, and that do not; a view that ends within the sums.
    for (view_rows, view_cols) in [(rows + 3, COLS + 2), (rows + 5, COLS + 5), (rows - 4, 40), (rows, 41)] {
        let mut y = device.upload(&vec![-1.0f32; view_rows * view_cols]).expect("memory");
        let mut out = device.upload(&vec![-1.0f32; 2 * rows * COLS]).expect("memory");
        let mut visited = device.upload(&vec![-1.0f32; rows * COLS]).expect("memory");
        let mut halves = device.upload(&vec![f16::ZERO; rows * 32]).expect("memory");
        launch(y.view2_mut(view_rows, view_cols).expect("a view"), &mut out, &mut visited, &mut halves);
        let place = |row: usize, col: usize| (row * 1000 + col) as f32;
        let on = device.name();
        for (i, got) in device.download(&y).expect("no fault").into_iter().enumerate() {
            let (row, col) = (i / view_cols, i % view_cols);
            let inside = (3..rows + 3).contains(&row) && (2..COLS + 2).contains(&col);
            let want = if inside { place(row - 3, col - 2) } else { -1.0 };
            assert_eq!(got, want, "({row}, {col}) of {view_rows} by {view_cols} on {on}");
        }
        let all: Vec<f32> = (0..rows * COLS).map(|i| place(i / COLS, i % COLS)).collect();
        let got = device.download(&out).expect("no fault");
        assert_eq!(got[..rows * COLS], all, "elements by number on {on}");
        assert_eq!(device.download(&visited).expect("no fault"), all, "elements by visits on {on}");
        let rounded: Vec<f16> =
            (0..rows * 32).map(|i| f16::from_f32(place(i / 32, 16 + i % 32) / 64.0)).collect();
        assert_eq!(device.download(&halves).expect("no fault"), rounded, "a tile on {on}");
        let total: f32 = (1..=COLS).map(|i| 1.0 / i as f32).sum();
        for (i, share) in got[rows * COLS..].iter().enumerate() {
            let want = 1.0 / (COLS - i % COLS) as f32 / total;
            assert!((share - want).abs() < 1e-5, "share {i}: {share} for {want} on {on}");
        }
    }
}

#[test]
fn an_epilogue_takes_the_sums_of_a_warp() {
    everywhere::<of_a_warp>(&(), |device| {
        check(device, 32, |y, out, visited, halves| {
            of_a_warp(y, out, visited, halves).grid(1).block(32).launch(device).expect("a launch");
        });
    });
}

#[test]
fn an_epilogue_takes_the_sums_of_a_warpgroup() {
    everywhere::<of_a_warpgroup>(&(), |device| {
        check(device, 64, |y, out, visited, halves| {
            of_a_warpgroup(y, out, visited, halves).grid(1).block(128).launch(device).expect("a launch");
        });
    });
}
