//! Which checks are left out, and which stay.

use crate::prelude::*;

/// The number of checks in the checked CUDA of a kernel.
fn checks<K: Kernel<Comptime = ()>>() -> usize {
    let source = K::checked_cuda_source_for(&()).expect("the kernel compiles");
    source.matches("ws_at(").count() - source.matches("I ws_at(").count()
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
fn mutable_index(y: &mut [f32]) {
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
fn a_guard_proves_the_slice_it_names() {
    assert_eq!(checks::<guarded>(), 0);
    assert_eq!(checks::<guarded_by_return>(), 0);
    assert_eq!(checks::<other_slice>(), 1);
}

#[test]
fn what_is_not_proven_stays_checked() {
    assert_eq!(checks::<mutable_index>(), 1);
    assert_eq!(checks::<off_by_one>(), 1);
}

#[test]
fn loop_bounds_prove_constant_extents() {
    // `y[0]` and the row that runs to 8 of 4 stay.
    assert_eq!(checks::<loop_over_tile>(), 2);
}
