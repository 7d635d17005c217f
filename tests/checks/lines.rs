//! Faults inside the library's own device functions, at the lines of their callers.

use warpsmith::prelude::*;
use warpsmith::ptx::fence_mbarrier_init;
use warpsmith::tensor::{Swizzle32, across_rows};

#[gpu_kernel]
fn loads_twice(x: &TensorMap<f32, 8, 32, Unswizzled>) {
    let tile = shared!(Tile<f32, 8, 32, Unswizzled>);
    let full = shared!(Barrier);
    if thread_idx().x == 0 {
        full.init(1);
        fence_mbarrier_init();
        full.load_tile(tile, x, [0, 0]);
        full.load_tile(tile, x, [0, 0]);
        full.arrive();
        full.wait(&mut Phase::first());
    }
}

#[gpu_kernel]
fn loads_an_operand_too_soon(x: View2<f16>, y: ViewMut2<f16>) {
    let tile = shared!(Tile<f16, 16, 16, Swizzle32>);
    tile.load(x, 0, 0, f16::ZERO);
    let operand = tile.operand_a::<1>(0, 0);
    sync_warp();
    tile.store(y, 0, 0);
    let _ = operand;
}

/// The lines of a fault are in this file.
fn check(outcome: warpsmith::Result<()>, lines: usize) {
    let fault = outcome.expect_err("a fault").to_string();
    assert_eq!(fault.matches(" at tests/checks/lines.rs:").count(), lines, "{fault}");
    assert!(!fault.contains("runtime/lang"), "{fault}");
}

#[test]
fn a_fault_in_a_function_of_the_library_is_at_the_callers_lines() {
    let device = Device::simulator();
    let x = device.upload(&[1.0f32; 8 * 32]).expect("memory");
    check(loads_twice(x.tensor_map(8, 32).expect("a map")).grid(1).block(32).launch(&device), 2);
    let (x, mut y) = (device.upload(&[f16::ONE; 256]).unwrap(), device.upload(&[f16::ONE; 256]).unwrap());
    let (from, to) = (x.view2(16, 16).unwrap(), y.view2_mut(16, 16).unwrap());
    check(loads_an_operand_too_soon(from, to).grid(1).block(32).launch(&device), 1);
}

#[gpu_fn]
fn tell(full: &Barrier, lane: u32) {
    if lane == 0 {
        full.arrive();
    }
}

/// One lane has called more of the library than the others when all add up together there.
#[gpu_kernel]
fn sums_after_one_lane_has_told(y: &mut [f32]) {
    let full = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    sync_threads();
    tell(full, t);
    let sums = across_rows([1.0f32, 2.0], |a, b| a + b);
    full.wait(&mut Phase::first());
    y[t] = sums[0] + sums[1];
}

#[test]
fn lanes_that_come_by_different_calls_meet_in_a_function_of_the_library() {
    let device = Device::simulator();
    let mut y = device.upload(&[0.0f32; 32]).expect("memory");
    sums_after_one_lane_has_told(&mut y).grid(1).block(32).launch(&device).expect("no fault");
    assert_eq!(device.download(&y).expect("memory"), [12.0; 32]);
}
