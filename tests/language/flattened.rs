//! Grids that are one slice: neighbours that guards of rows and columns prove.

use warpsmith::prelude::*;

/// A grid that is one slice: each cell and its neighbours, also across corners and around the ends.
#[gpu_kernel]
fn flattened(x: &[u32], y: &mut [u32], w: usize, h: usize) {
    let i = global_id();
    if i < w * h {
        let (col, row) = (i % w, i / w);
        let mut sum = x[i];
        if col > 0 {
            sum += 2 * x[i - 1];
        }
        if row + 1 < h {
            sum += 3 * x[i + w];
        }
        if col >= 1 && row >= 1 {
            sum += 5 * x[i - w - 1];
        }
        let right = if col + 1 == w { i + 1 - w } else { i + 1 };
        let up = if row == 0 { i + (h - 1) * w } else { i - w };
        y[i] = sum + 7 * x[right] + 11 * x[up];
    }
}

/// The same in three dimensions, of signed numbers, and of a number that changes.
#[gpu_kernel]
fn flattened_boxes(x: &[u32], y: &mut [u32], w: i32, h: i32, d: i32) {
    let mut i = global_id() as i32;
    while i < w * h * d {
        let (col, row, plane) = (i % w, i / w % h, i / (w * h));
        let mut sum = 0;
        if col != w - 1 {
            sum += 2 * x[(i + 1) as usize];
        }
        if row != 0 && row < h - 1 {
            sum += 3 * x[(i - w) as usize] + 5 * x[(i + w) as usize];
        }
        if plane > 0 {
            sum += 7 * x[(i - w * h) as usize];
        }
        y[i as usize] = sum;
        i += global_size() as i32;
    }
}

#[test]
fn neighbours_in_a_grid_that_is_one_slice_are_proven() {
    let device = Device::simulator();
    let data: Vec<u32> = (0..120).map(|i| i * i + 1).collect();
    let x = device.upload(&data).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(120).expect("memory");
    let explained = flattened(&x, &mut y, 12, 10).over(120).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
    flattened(&x, &mut y, 12, 10).over(120).launch(&device).expect("no fault");
    let want = |i: usize| {
        let (col, row) = (i % 12, i / 12);
        let left = if col > 0 { 2 * data[i - 1] } else { 0 };
        let below = if row < 9 { 3 * data[i + 12] } else { 0 };
        let corner = if col > 0 && row > 0 { 5 * data[i - 13] } else { 0 };
        let around = 7 * data[row * 12 + (col + 1) % 12] + 11 * data[(row + 9) % 10 * 12 + col];
        data[i] + left + below + corner + around
    };
    assert_eq!(device.download(&y).expect("memory"), (0..120).map(want).collect::<Vec<_>>());

    let explained = flattened_boxes(&x, &mut y, 6, 5, 4).grid(1).block(32).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
    flattened_boxes(&x, &mut y, 6, 5, 4).grid(1).block(32).launch(&device).expect("no fault");
    let want = |i: usize| {
        let (col, row) = (i % 6, i / 6 % 5);
        let right = if col < 5 { 2 * data[i + 1] } else { 0 };
        let column = if row > 0 && row < 4 { 3 * data[i - 6] + 5 * data[i + 6] } else { 0 };
        right + column + if i >= 30 { 7 * data[i - 30] } else { 0 }
    };
    assert_eq!(device.download(&y).expect("memory"), (0..120).map(want).collect::<Vec<_>>());

    // A grid of more cells than the slice has is checked.
    let mut long = device.alloc_zeroed::<u32>(132).expect("memory");
    let launch = flattened(&x, &mut long, 12, 11).over(132);
    assert!(launch.explain().expect("it is valid").checked().count() > 0);
    let error = launch.launch(&device).expect_err("120 is behind the last").to_string();
    assert!(error.contains("length 120"), "{error}");
}

/// Cells by a closure that computes their numbers.
#[gpu_kernel]
fn numbered(x: &[u32], y: &mut [u32], w: usize, h: usize) {
    let at = |row: usize, col: usize| row * w + col;
    let i = global_id();
    if i < w * h {
        let (row, col) = (i / w, i % w);
        let below = if row + 1 < h { x[at(row + 1, col)] } else { 0 };
        let left = if col > 0 { x[at(row, col - 1)] } else { 0 };
        y[at(row, col)] = 2 * below + 3 * left;
    }
}

#[test]
fn what_a_closure_computes_is_proven_as_if_it_stood_there() {
    let device = Device::simulator();
    let data: Vec<u32> = (0..120).map(|i| i * i + 1).collect();
    let (x, mut y) =
        (device.upload(&data).expect("memory"), device.alloc_zeroed::<u32>(132).expect("memory"));
    let launch = numbered(&x, &mut y, 12, 10).over(120);
    assert_eq!(launch.explain().expect("it is valid").checked().count(), 0);
    launch.launch(&device).expect("no fault");
    let want = |i: usize| {
        let left = if i % 12 > 0 { 3 * data[i - 1] } else { 0 };
        left + if i < 108 { 2 * data[i + 12] } else { 0 }
    };
    assert_eq!(device.download(&y).expect("memory")[..120], (0..120).map(want).collect::<Vec<_>>());
    let error = numbered(&x, &mut y, 12, 11).over(132).launch(&device).expect_err("120 is behind the last");
    assert!(error.to_string().contains("length 120"), "{error}");
}

/// The next cell of a row, where only the slice has an end.
#[gpu_kernel]
fn next_cells(x: &[u32], y: &mut [u32], w: usize) {
    let i = global_id();
    if i < x.len() {
        y[i] = if i % w < w - 1 { x[i + 1] } else { 0 };
    }
}

#[test]
fn rows_that_fill_the_slice_prove_the_next_cell() {
    let device = Device::simulator();
    let x = device.upload(&[1u32; 120]).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(120).expect("memory");
    assert_eq!(next_cells(&x, &mut y, 12).over(120).explain().expect("it is valid").checked().count(), 0);
    next_cells(&x, &mut y, 12).over(120).launch(&device).expect("no fault");
    let want: Vec<u32> = (0..120).map(|i| u32::from(i % 12 < 11)).collect();
    assert_eq!(device.download(&y).expect("memory"), want);

    // The last row of seven cells has one.
    let launch = next_cells(&x, &mut y, 7).over(120);
    let explained = launch.explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 1, "{}", explained.proven());
    let error = launch.launch(&device).expect_err("120 is behind the last").to_string();
    assert!(error.contains("index 120") && error.contains("length 120"), "{error}");
}
