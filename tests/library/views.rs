//! Views: elements, matrices and volumes by value, their parts, and strides.

use warpsmith::prelude::*;

use super::{everywhere, written};

/// Sum of a matrix, row after row.
#[gpu_fn]
fn total(m: View2<f32>) -> f32 {
    let mut sum = 0.0;
    for r in 0..m.rows() {
        for c in 0..m.cols() {
            sum += m[(r, c)];
        }
    }
    sum
}

#[gpu_kernel]
fn tiles(x: &[f32], cols: u32, out: &mut [f32]) {
    let cols = cols as usize;
    let m = View2::new(x, x.len() / cols, cols);
    let (r, c) = (thread_idx().y as usize, thread_idx().x as usize);
    let tile = m.tile(r, c, 3, 4);
    let across = block_dim().x as usize;
    let mut sums = ViewMut2::new(out, out.len() / across, across);
    sums[(r, c)] = total(tile) + 1000.0 * (tile.rows() * 10 + tile.cols()) as f32;
}

#[test]
fn tiles_at_the_edges_are_smaller() {
    everywhere::<tiles>(&(), |device| {
        let (rows, cols) = (7usize, 10usize);
        let x: Vec<f32> = (0..rows * cols).map(|v| (v % 13) as f32).collect();
        let input = device.upload(&x).expect("memory");
        let out = written(device, (9, f32::NAN), |out| {
            tiles(&input, cols as u32, out).grid(1).block([3, 3]).launch(device)
        });
        for (i, got) in out.iter().enumerate() {
            let (top, left) = (i / 3 * 3, i % 3 * 4);
            let (bottom, right) = ((top + 3).min(rows), (left + 4).min(cols));
            let cells = (top..bottom).flat_map(|r| (left..right).map(move |c| r * cols + c));
            let sum: f32 = cells.map(|at| x[at]).sum();
            assert_eq!(*got, sum + 1000.0 * ((bottom - top) * 10 + right - left) as f32, "tile {i}");
        }
    });
}

#[gpu_kernel]
fn tile_outside(x: &[f32], out: &mut [f32]) {
    out[0] = total(View2::new(x, 2, 3).tile(1, 0, 2, 3));
}

#[gpu_kernel]
fn cell_outside(x: &[f32], out: &mut [f32]) {
    let m = View2::new(x, 2, 3);
    out[0] = m[(0, x.len() - 3)];
}

#[gpu_kernel]
fn too_large(x: &[f32], out: &mut [f32]) {
    out[0] = View2::new(x, 3, 3).row(0)[0];
}

#[test]
fn what_is_outside_a_matrix_is_a_fault() {
    macro_rules! faults {
        ($kernel:ident, $message:literal) => {
            everywhere::<$kernel>(&(), |device| {
                let input = device.upload(&[1.0f32; 6]).expect("memory");
                let mut out = device.upload(&[0.0f32]).expect("memory");
                let outcome = $kernel(&input, &mut out).grid(1).block(1).launch(device);
                let message = outcome.and_then(|()| device.synchronize()).expect_err("outside").to_string();
                assert!(message.contains($message), "{message}");
            });
        };
    }
    faults!(tile_outside, "is out of bounds for length");
    faults!(cell_outside, "views.rs");
    faults!(too_large, "range bound 9 is beyond 6");
}

#[gpu_kernel]
fn strided(x: &mut [i32], out: &mut [i32]) {
    let (r, c) = (thread_idx().y as usize, thread_idx().x as usize);
    let whole = ViewMut2::new(x, 6, 8);
    let mut inner = whole.part(1, 2, 4, 5);
    let quarter = inner.part(2, 1, 2, 3);
    if r < inner.rows() && c < inner.cols() {
        inner[(r, c)] *= 10;
    }
    sync_threads();
    if r < quarter.rows() && c < quarter.cols() {
        out[r * quarter.cols() + c] = quarter[(r, c)];
    }
    if r == 0 && c == 0 {
        let mut row = inner.row(3);
        row[4] += 1;
        out[6] = row.len() as i32 * 100 + quarter.stride() as i32;
        out[7] = row[4];
    }
}

#[test]
fn parts_of_parts_keep_the_stride() {
    everywhere::<strided>(&(), |device| {
        let mut x: Vec<i32> = (0..48).collect();
        let mut memory = device.upload(&x).expect("memory");
        let out =
            written(device, (8, -9), |out| strided(&mut memory, out).grid(1).block([8, 6]).launch(device));
        for r in 1..5 {
            for c in 2..7 {
                x[r * 8 + c] *= 10;
            }
        }
        let mut want: Vec<i32> =
            (3..5).flat_map(|r| (3..6).map(move |c| r * 8 + c)).map(|at| x[at]).collect();
        x[4 * 8 + 6] += 1;
        want.extend([508, x[4 * 8 + 6]]);
        assert_eq!(out, want, "on {}", device.name());
        assert_eq!(device.download(&memory).expect("memory"), x);
    });
}

#[gpu_kernel]
fn volumes(x: &[i64], out: &mut [i64]) {
    let t = thread_idx();
    let (p, r, c) = (t.z as usize, t.y as usize, t.x as usize);
    let v = View3::new(x, 3, 4, 5);
    let mut turned = ViewMut3::new(out, 5, 4, 3);
    let plane = v.plane(p);
    turned[(c, r, p)] = v[(p, r, c)] * 100 + plane[(r, c)] - plane.row(r)[c];
    // One thread adds to what another wrote.
    sync_threads();
    if t.x + t.y + t.z == 0 {
        let mut last = turned.plane(4);
        last[(3, 0)] += (v.planes() * 100 + v.rows() * 10 + v.cols()) as i64;
    }
}

#[test]
fn volumes_are_planes_of_rows() {
    everywhere::<volumes>(&(), |device| {
        let x: Vec<i64> = (0..60).map(|v| v * v - 100).collect();
        let input = device.upload(&x).expect("memory");
        let out =
            written(device, (60, 0), |out| volumes(&input, out).grid(1).block([1, 1, 1]).launch(device));
        assert_eq!(out[0], x[0] * 100);
        assert_eq!(out[4 * 12 + 9], 345);
        let out =
            written(device, (60, 7), |out| volumes(&input, out).grid(1).block([5, 4, 3]).launch(device));
        for p in 0..3 {
            for r in 0..4 {
                for c in 0..5 {
                    let added = if (c, r, p) == (4, 3, 0) { 345 } else { 0 };
                    assert_eq!(out[c * 12 + r * 3 + p], x[p * 20 + r * 5 + c] * 100 + added);
                }
            }
        }
    });
}

/// A vector with a part of it chosen.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Windowed<'a> {
    x: View<'a, f32>,
    start: u32,
}

#[gpu_impl]
impl Windowed<'_> {
    fn at(&self, i: usize) -> f32 {
        self.x.offset(self.start)[i]
    }
}

#[gpu_kernel]
fn windows(x: &[f32], mut out: ViewMut<f32>) {
    let i = global_id();
    let view = unsafe { View::from_raw_parts(x.as_ptr(), x.len()) };
    let window = Windowed { x: view, start: 2 };
    let rest = view.offset(2u32);
    if i < out.len() && i < rest.len() {
        out[i] = window.at(i) * 2.0 + (&rest[..=i])[i];
    }
}

#[test]
fn views_stand_in_structs() {
    everywhere::<windows>(&(), |device| {
        let x: Vec<f32> = (0..20).map(|v| v as f32 * 0.5).collect();
        let input = device.upload(&x).expect("memory");
        let out =
            written(device, (18, f32::NAN), |out| windows(&input, out.view_mut()).over(18).launch(device));
        assert_eq!(out, x[2..].iter().map(|v| v * 3.0).collect::<Vec<_>>(), "on {}", device.name());
    });
}

/// Views in arrays and structs, which are walked for what a launch reaches.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Rows<'a> {
    by: u32,
    rows: [ViewMut<'a, u32>; 2],
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Row<'a> {
    by: u32,
    row: ViewMut<'a, u32>,
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Nested<'a> {
    singles: [Row<'a>; 2],
    inner: [Rows<'a>; 1],
}

#[gpu_kernel]
fn doubled(one: [ViewMut<'_, u32>; 1], nested: Nested<'_>) {
    let i = thread_idx().x as usize;
    let mut first = one[0];
    first[i] = first[i] * 2 + 1;
    for k in 0..2 {
        let single = nested.singles[k];
        let mut row = single.row;
        row[i] = row[i] * 2 + single.by;
        let mut row = nested.inner[0].rows[k];
        row[i] = row[i] * 2 + nested.inner[0].by;
    }
}

#[test]
fn views_in_arrays_of_structs_are_written_once() {
    everywhere::<doubled>(&(), |device| {
        let mut buffers: Vec<Buffer<u32>> =
            (0..5u32).map(|n| device.upload(&[n + 1; 4]).expect("memory")).collect();
        let [a, b, c, d, e] = buffers.get_disjoint_mut([0, 1, 2, 3, 4]).expect("five");
        let rows = Rows { by: 7, rows: [d.view_mut(), e.view_mut()] };
        let nested = Nested {
            singles: [Row { by: 3, row: b.view_mut() }, Row { by: 5, row: c.view_mut() }],
            inner: [rows],
        };
        doubled([a.view_mut()], nested).grid(1).block(4).launch(device).expect("it runs");
        let found: Vec<Vec<u32>> =
            buffers.iter().map(|buffer| device.download(buffer).expect("memory")).collect();
        assert_eq!(found, [[3; 4], [7; 4], [11; 4], [15; 4], [17; 4]]);
    });
}
