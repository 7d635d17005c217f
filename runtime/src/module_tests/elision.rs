//! Tests of bounds checks: those that are left out, those that a launch proves, and those that stay.

use crate::codegen::{Checks, PrintOptions};
use crate::ir::{LaunchValues, Parameter, Scalar};
use crate::prelude::*;

/// The number of checks in checked CUDA.
fn count(source: &str) -> usize {
    let calls = |name: &str| source.matches(&format!("{name}(")).count();
    let defined = usize::from(source.contains("I ws_at(")) + usize::from(source.contains("I ws_part("));
    calls("ws_at") + calls("ws_part") - defined + together(source)
}

/// The number of checks that leave by a branch with others.
pub(super) fn together(source: &str) -> usize {
    let inside = source.split("ws_inside(ws_fault, ").skip(1);
    // Each is an index, a length and a number.
    inside.map(|checks| (checks.split(");\n").next().unwrap_or_default().matches(", ").count() + 1) / 3).sum()
}

/// The number of checks that the kernel's text leaves.
pub(super) fn checks<K: Kernel<Comptime = ()>>() -> usize {
    count(&K::checked_cuda_source_for(&()).expect("the kernel compiles"))
}

/// The number of checks that a launch leaves, and what it must fulfil for that.
pub(super) fn lifted<K: Kernel<Comptime = ()>>() -> (usize, Vec<String>) {
    let source = K::lifted_cuda_source_for(&()).expect("the kernel compiles");
    (count(&source), K::launch_conditions_for(&()).expect("the kernel compiles"))
}

#[gpu_kernel]
fn guarded(y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = y[i] + 1.0;
    }
}

#[gpu_kernel]
fn guarded_by_return(y: &mut [f32]) {
    let i = global_id();
    if i >= y.len() {
        return;
    }
    y[i] += 1.0;
}

#[gpu_kernel]
fn other_slice(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = x[i];
    }
}

#[gpu_kernel]
fn grid_stride(y: &mut [f32]) {
    let mut i = global_id();
    while i < y.len() {
        y[i] = 1.0;
        i += global_size();
    }
}

#[gpu_kernel]
fn neighbours(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i > 0 && i + 1 < x.len() && i < y.len() {
        y[i] = x[i - 1] + x[i] + x[i + 1];
    }
}

#[gpu_kernel]
fn asserted(x: &[f32], y: &mut [f32], n: usize) {
    assert!(n <= x.len() && n <= y.len());
    let i = global_id();
    if i < n {
        y[i] = x[i];
    }
}

#[test]
fn what_the_text_proves_is_left_out() {
    assert_eq!(checks::<guarded>(), 0);
    assert_eq!(checks::<guarded_by_return>(), 0);
    assert_eq!(checks::<grid_stride>(), 0);
    assert_eq!(checks::<neighbours>(), 0);
    assert_eq!(checks::<asserted>(), 0);
    assert_eq!(checks::<other_slice>(), 1);
}

#[gpu_kernel]
fn changed_index(y: &mut [f32]) {
    let mut i = global_id();
    if i < y.len() {
        i += 1;
        y[i] = 1.0;
    }
}

#[gpu_kernel]
fn off_by_one(y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i + 1] = 1.0;
    }
}

#[gpu_kernel]
fn before_the_start(y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i - 1] = 1.0;
    }
}

/// `i + 1` wraps at the greatest `u32`, which is then below every length.
#[gpu_kernel]
fn wrapped_sum(at: &[u32], y: &mut [f32]) {
    if !at.is_empty() {
        let i = at[0];
        if i + 1 < y.len() as u32 {
            y[i] = 1.0;
        }
    }
}

#[gpu_kernel]
fn signed_index(y: &mut [f32], n: i32) {
    let i = n - 5;
    if i < 4 && y.len() > 4 {
        y[i] = 1.0;
    }
}

/// The guard's statement about `i` is false in the second iteration.
#[gpu_kernel]
fn changed_in_a_loop(y: &mut [f32], n: u32) {
    let mut i = 0usize;
    if i < y.len() {
        for _ in 0..n {
            y[i] = 1.0;
            i += 1;
        }
    }
}

#[gpu_kernel]
fn changed_by_reference(y: &mut [f32]) {
    let mut i = global_id();
    if i < y.len() {
        let place = &mut i;
        *place += 7;
        y[i] = 1.0;
    }
}

#[gpu_kernel]
fn changed_by_a_branch(y: &mut [f32], more: bool) {
    let mut i = global_id();
    if i >= y.len() {
        return;
    }
    if more {
        i += 1;
    }
    y[i] = 1.0;
}

#[gpu_kernel]
fn read_again(at: &mut [u32], y: &mut [f32]) {
    if !at.is_empty() && at[0] < y.len() as u32 {
        at[0] = 77;
        y[at[0]] = 1.0;
    }
}

/// A negative number is one from 128 on without a sign.
#[gpu_kernel]
fn narrowed(y: &mut [f32]) {
    let i = global_id() as i8;
    if (i as u8) < 200 && y.len() > 200 {
        y[i] = 1.0;
    }
}

/// A negative number is above all lengths.
#[gpu_kernel]
fn widened(y: &mut [f32]) {
    let i = global_id() as i8;
    if (i as usize) < y.len() {
        y[i] = 1.0;
    }
}

#[test]
fn what_is_not_proven_stays_checked() {
    assert_eq!(checks::<changed_index>(), 1);
    assert_eq!(checks::<off_by_one>(), 1);
    assert_eq!(checks::<before_the_start>(), 1);
    assert_eq!(checks::<wrapped_sum>(), 1);
    assert_eq!(checks::<signed_index>(), 1);
    assert_eq!(checks::<changed_in_a_loop>(), 1);
    assert_eq!(checks::<changed_by_reference>(), 1);
    assert_eq!(checks::<changed_by_a_branch>(), 1);
    // That `at` has an element still holds; that it is below the length does not.
    assert_eq!(checks::<read_again>(), 1);
    assert_eq!(checks::<narrowed>(), 1);
    assert_eq!(checks::<widened>(), 0);
}

#[test]
fn what_only_the_device_knows_is_not_lifted() {
    for (left, conditions) in
        [lifted::<wrapped_sum>(), lifted::<changed_by_reference>(), lifted::<before_the_start>()]
    {
        assert_eq!((left, conditions), (1, vec![]));
    }
    let positive = ["-2147483649 < n - 5", "-1 < n - 5"].map(str::to_owned).to_vec();
    assert_eq!(lifted::<signed_index>(), (0, positive));
    let counted = (0, vec!["n + min(0, y.len() - 1) - 1 < y.len()".to_owned()]);
    assert_eq!(lifted::<changed_in_a_loop>(), counted);
    assert_eq!(lifted::<narrowed>(), (0, vec!["grid.x * block.x - 1 < 128".to_owned()]));
}

#[gpu_kernel]
fn loop_over_tile(y: &mut [f32]) {
    let mut tile = shared!([[f32; 8]; 4]);
    for r in 0..4u32 {
        for c in 0..8u32 {
            tile[r][c] = 0.0;
        }
    }
    for r in 0..8u32 {
        y[0] = tile[r][7];
    }
}

#[test]
fn loop_bounds_prove_constant_extents() {
    // `y[0]` and the row that runs to 8 of 4 stay.
    assert_eq!(checks::<loop_over_tile>(), 2);
}

/// A matrix, row after row.
#[gpu_kernel]
fn matrix(x: &[f32], y: &mut [f32], width: u32, height: u32) {
    let mut tile = shared!([[f32; 33]; 32]);
    let col = block_idx().x * 32 + thread_idx().x;
    let row = block_idx().y * 32 + thread_idx().y;
    for j in (0..32u32).step_by(8) {
        if col < width && row + j < height {
            tile[thread_idx().y + j][thread_idx().x] = x[(row + j) * width + col];
            y[(row + j) * width + col] = tile[thread_idx().y + j][thread_idx().x];
        }
    }
}

#[test]
fn a_launch_proves_what_it_is_asked_for() {
    assert!(checks::<matrix>() > 0);
    let (left, conditions) = lifted::<matrix>();
    assert_eq!(left, 0);
    assert_eq!(
        conditions,
        [
            "width + (height - 1) * width - 1 < x.len()",
            "block.y + min(24, height - 1) - 1 < 32",
            "block.x - 1 < 33",
            "width + (height - 1) * width - 1 < y.len()"
        ]
    );
}

/// A launch of [`matrix`] with these lengths and extents.
struct MatrixLaunch {
    lengths: [i128; 2],
    extents: [i128; 2],
    block: [u32; 3],
}

impl LaunchValues for MatrixLaunch {
    fn param(&self, parameter: &Parameter) -> Option<i128> {
        assert_eq!((parameter.scalar, parameter.offset), (Scalar::U32, 0));
        self.extents.get(parameter.position.checked_sub(2)?).copied()
    }
    fn len(&self, position: usize) -> Option<i128> {
        self.lengths.get(position).copied()
    }
    fn block_dim(&self) -> [u32; 3] {
        self.block
    }
    fn grid_dim(&self) -> [u32; 3] {
        [4, 4, 1]
    }
    fn shared_bytes(&self) -> u32 {
        0
    }
    fn address(&self, _: usize) -> Option<u64> {
        None
    }
}

#[test]
fn conditions_are_exact() {
    let options = PrintOptions { checks: Checks::Lifted(u64::MAX), line_directives: false };
    let source = matrix::print(&(), &options).expect("the kernel compiles");
    let holds = |lengths, extents, block| {
        let launch = MatrixLaunch { lengths, extents, block };
        source.conditions.iter().all(|condition| condition.holds(&launch))
    };
    assert!(holds([120, 120], [3, 40], [32, 8, 1]));
    assert!(!holds([119, 120], [3, 40], [32, 8, 1]));
    assert!(!holds([120, 119], [3, 40], [32, 8, 1]));
    assert!(!holds([120, 120], [3, 40], [32, 16, 1]));
    assert!(!holds([120, 120], [3, 40], [34, 8, 1]));
    // Rows beyond the first are not there to be read.
    assert!(holds([3, 3], [3, 1], [32, 16, 1]));
    assert!(holds([0, 0], [0, 0], [32, 8, 1]));
    assert!(!holds([1 << 33, 1 << 31], [1 << 16, 1 << 16], [32, 8, 1]));
}
