//! Tests of proofs by calls, fields, views, parts of slices, bits and counters, and of their limits.

use super::elision::{checks, lifted};
use crate::prelude::*;

/// A matrix that a kernel takes by value.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Matrix<'a> {
    width: u32,
    height: u32,
    cells: View<'a, f32>,
}

#[gpu_impl]
impl Matrix<'_> {
    fn at(&self, row: u32, col: u32) -> f32 {
        self.cells[row * self.width + col]
    }

    fn nearest(&self, row: i32, col: i32) -> f32 {
        let row = row.clamp(0, self.height as i32 - 1) as u32;
        let col = col.clamp(0, self.width as i32 - 1) as u32;
        self.at(row, col)
    }
}

#[gpu_kernel]
fn by_field(m: Matrix<'_>, y: &mut [f32]) {
    let (row, col) = (block_idx().y, thread_idx().x);
    if row < m.height && col < m.width {
        y[row * m.width + col] = m.at(row, col);
    }
}

#[gpu_kernel]
fn clamped(m: Matrix<'_>, y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = m.nearest(i as i32 - 1, thread_idx().y as i32);
    }
}

/// One of two calls is out of the guard.
#[gpu_kernel]
fn called_twice(m: Matrix<'_>, y: &mut [f32], at: &[u32]) {
    let (row, col) = (block_idx().y, thread_idx().x);
    if !at.is_empty() && row < m.height && col < m.width && !y.is_empty() {
        y[0] = m.at(row, col) + m.at(at[0], 0);
    }
}

#[test]
fn fields_and_calls_are_seen_through() {
    let end = "(m.height - 1) * m.width + min(block.x - 1, m.width - 1)";
    let expected = [format!("{end} < y.len()"), format!("{end} < m.cells.len()")];
    assert_eq!(lifted::<by_field>(), (0, expected.to_vec()));
    let (left, conditions) = lifted::<clamped>();
    assert_eq!(left, 0);
    let row = "min(max(y.len() - 2, 0), m.height - 1) * m.width + min(block.y - 1, m.width - 1)";
    for needed in [&format!("{row} < m.cells.len()"), "-1 < min(0, m.width - 1)", "-1 < min(0, m.height - 1)"]
    {
        assert!(conditions.iter().any(|own| own == needed), "{needed} of {conditions:?}");
    }
    // The function is one for both of its calls.
    assert_eq!(lifted::<called_twice>().0, 1);
}

#[gpu_kernel]
fn by_axes(m: View2<f32>, mut out: ViewMut2<f32>) {
    let (row, col) = (block_idx().y as usize, thread_idx().x as usize);
    if row < m.rows() && col < m.cols() {
        out[(row, col)] = m[(row, col)];
    }
}

#[gpu_kernel]
fn wrong_axes(m: View2<f32>, y: &mut [f32]) {
    let (row, col) = (block_idx().y as usize, thread_idx().x as usize);
    if row < m.cols() && col < m.rows() && !y.is_empty() {
        y[0] = m[(row, col)];
    }
}

#[test]
fn axes_of_views_are_told_apart() {
    let conditions =
        ["m.rows() - 1 < out.rows()", "min(block.x - 1, m.cols() - 1) < out.cols()"].map(str::to_owned);
    assert_eq!((checks::<by_axes>(), lifted::<by_axes>()), (2, (0, conditions.to_vec())));
    let conditions =
        ["m.cols() - 1 < m.rows()", "min(block.x - 1, m.rows() - 1) < m.cols()"].map(str::to_owned);
    assert_eq!(lifted::<wrong_axes>(), (0, conditions.to_vec()));
}

#[gpu_kernel]
fn rows_of_a_slice(x: &[f32], y: &mut [f32], width: usize) {
    let start = block_idx().x as usize * width;
    let row = &x[start..start + width];
    let mut i = thread_idx().x as usize;
    let mut sum = 0.0;
    while i < width {
        sum += row[i];
        i += 32;
    }
    if thread_idx().x == 0 {
        y[block_idx().x] = sum;
    }
}

#[gpu_kernel]
fn another_length(x: &[f32], y: &mut [f32], width: usize, other: usize) {
    let start = block_idx().x as usize * width;
    let row = &x[start..start + other];
    let i = thread_idx().x as usize;
    if i < width && i < y.len() {
        y[i] = row[i];
    }
}

#[test]
fn parts_of_slices_have_the_length_that_was_added() {
    let (left, conditions) = lifted::<rows_of_a_slice>();
    assert_eq!((checks::<rows_of_a_slice>(), left), (2, 0));
    let expected = ["(grid.x - 1) * width + width < x.len() + 1", "grid.x - 1 < y.len()"];
    assert!(expected.iter().all(|needed| conditions.iter().any(|own| own == needed)), "{conditions:?}");
    let conditions = lifted::<another_length>().1;
    assert!(
        conditions.contains(&"min(min(block.x - 1, width - 1), y.len() - 1) < other".to_owned()),
        "{conditions:?}"
    );
}

#[gpu_kernel]
fn butterfly(y: &mut [u32]) {
    let mut tile = shared!([u32; 64]);
    let i = thread_idx().x % 64;
    for log in 0..6u32 {
        let other = i ^ (1 << log);
        tile[i | 32] = tile[other];
    }
    let pair = &tile[i..];
    if pair.len() > 1 && !y.is_empty() {
        y[0] = pair[1];
    }
}

#[gpu_kernel]
fn beyond_the_bits(y: &mut [u32]) {
    let mut tile = shared!([u32; 60]);
    let i = thread_idx().x % 60;
    tile[i] = 0;
    for log in 0..6u32 {
        tile[i ^ (1 << log)] = 0;
    }
    y[0] = tile[i];
}

#[test]
fn joined_bits_stay_below_the_power() {
    assert_eq!(checks::<butterfly>(), 0);
    assert_eq!(checks::<beyond_the_bits>(), 2);
}

#[gpu_kernel]
fn insert_zero(y: &mut [u32]) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x % 32;
    for step in 1..6u32 {
        let stride = 1 << (5 - step);
        let low = 2 * t - (t & (stride - 1));
        let pair = &mut tile[low..];
        pair[stride] = pair[0];
    }
    if !y.is_empty() {
        y[0] = tile[t];
    }
}

/// The stride is not that of the mask.
#[gpu_kernel]
fn insert_elsewhere(y: &mut [u32]) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x % 32;
    for step in 1..6u32 {
        let (stride, other) = (1 << (5 - step), 1 << step);
        let low = 2 * t - (t & (stride - 1));
        let pair = &mut tile[low..];
        pair[other] = pair[0];
    }
    if !y.is_empty() {
        y[0] = tile[t];
    }
}

#[test]
fn a_zero_that_is_put_in_leaves_room_for_its_stride() {
    assert_eq!(checks::<insert_zero>(), 0);
    assert_eq!(checks::<insert_elsewhere>(), 1);
}

#[gpu_kernel]
fn counted(x: &[f32], y: &mut [f32], steps: u32, by: u32) {
    let mut at = thread_idx().x;
    let mut sum = 0.0;
    let mut next = if x.is_empty() { 0.0 } else { x[0] };
    for step in 0..steps {
        sum += next;
        if step + 1 < steps {
            at += by;
            next = x[at];
        }
    }
    if !y.is_empty() {
        y[0] = sum;
    }
}

#[gpu_kernel]
fn counted_in_a_loop(x: &[f32], y: &mut [f32], steps: u32) {
    let mut at = thread_idx().x;
    for _ in 0..steps {
        for _ in 0..2 {
            at += 1;
        }
        if !y.is_empty() {
            y[0] = x[at];
        }
    }
}

/// The raise stands after a change of what guards it.
#[gpu_kernel]
fn raised_by_more(x: &[f32], y: &mut [f32], steps: u32) {
    let (mut at, mut by) = (0u32, 1u32);
    for _ in 0..steps {
        if by < 2 {
            by = 100;
            at += by;
            if !y.is_empty() {
                y[0] = x[at];
            }
            by = 1;
        }
    }
}

#[test]
fn counters_run_as_far_as_their_loop() {
    let expected = vec!["block.x + by * max(steps - 1, 0) - 1 < x.len()".to_owned()];
    assert_eq!(lifted::<counted>(), (0, expected));
    let expected = vec!["block.x + 2 * (steps - 1) + 1 < x.len()".to_owned()];
    assert_eq!(lifted::<counted_in_a_loop>(), (0, expected));
    assert_eq!(lifted::<raised_by_more>(), (1, vec![]));
}

#[gpu_fn]
fn of_a_block(x: &[f32; 64]) -> f32 {
    x[thread_idx().x] + x[thread_rank()] + x[64 - block_size()] + x[warp_id() * 32]
}

#[gpu_kernel(launch_bounds(64))]
fn bounded(y: &mut [f32]) {
    let mut s = shared!([f32; 64]);
    let t = thread_idx();
    s[t.x] = 1.0;
    s[t.y] = 2.0;
    s[63 - t.z] = s[thread_rank()];
    sync_threads();
    let own = [0.0; 64];
    if !y.is_empty() {
        y[0] = s[63 - t.x] + of_a_block(&own);
    }
}

/// The bound of one axis is no bound of all, and an index may go beyond it.
#[gpu_kernel(launch_bounds(64))]
fn beyond_the_bound(y: &mut [f32]) {
    let mut s = shared!([f32; 64]);
    let t = thread_idx();
    s[t.x + t.y] = 1.0;
    s[t.x + 1] = 1.0;
    s[block_dim().x] = 1.0;
    if !y.is_empty() {
        y[0] = s[0];
    }
}

#[gpu_kernel]
fn assumed(y: &mut [f32], n: u32) {
    let mut s = shared!([[f32; 16]; 16]);
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    assume(tx < 16);
    // SAFETY: launches have blocks of 16 by 16.
    unsafe { core::hint::assert_unchecked(ty < 16) };
    s[ty][tx] = 1.0;
    sync_threads();
    let mut i = n;
    assume(i < 16 && !y.is_empty());
    y[0] = s[i][tx];
    // Nothing is assumed of another value.
    i += 1;
    y[0] += s[i][tx];
}

/// An assumption in a branch holds in that branch alone.
#[gpu_kernel]
fn assumed_in_a_branch(y: &mut [f32], n: u32) {
    let s = [1.0; 8];
    if n > 3 {
        assume(n < 8);
        y[0] = s[n];
    }
    y[1] = s[n];
}

#[test]
fn launch_bounds_and_assumptions_are_proofs() {
    assert_eq!(checks::<bounded>(), 0);
    assert_eq!(checks::<beyond_the_bound>(), 3);
    assert_eq!(checks::<assumed>(), 1);
    assert_eq!(checks::<assumed_in_a_branch>(), 3);
}
