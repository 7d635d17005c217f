//! The first check that fails in Rust's order of evaluation is told, whatever order C++ compilers like.

use harness::needs_cxx;
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

use super::fault_of_all;

/// Sums whose second part is positive.
#[gpu_kernel]
fn turned(names: &[u32], x: &[i32], y: &[i32], form: u32, sums: &mut [i32]) {
    let mut sum = 0i32;
    if form == 0 {
        for at in 0..names.len() {
            sum = sum.wrapping_add((-x[names[at]]).wrapping_add(y[names[at] + 1]));
        }
    } else if form == 1 {
        for at in 0..names.len() {
            sum -= x[names[at]] - y[names[at] + 1];
        }
    } else if form == 2 {
        for at in 0..names.len() {
            sum += x[names[at]] / -1 + y[names[at] + 1];
        }
    } else if form == 3 {
        for at in 0..names.len() {
            sum += (!x[names[at]]).wrapping_add(y[names[at] + 1]);
        }
    } else if form == 4 {
        for at in 0..names.len() {
            let apart = x[names[at]] - y[names[at] + 1];
            sum += apart * apart;
        }
    } else {
        let mut at = 0;
        while at < names.len() {
            sum += -(x[names[at]] - y[names[at] + 1]);
            at += 1;
        }
    }
    sums[0] = sum;
}

/// Calls, one with a check that not each iteration does.
#[gpu_kernel]
fn called(names: &[u32], x: &[f32], y: &[f32], form: u32, sums: &mut [f32]) {
    let mut sum = 0f32;
    if form == 0 {
        for at in 0..names.len() {
            sum = x[names[at]].mul_add(y[names[at] + 1], sum);
        }
    } else if form == 1 {
        for at in 0..names.len() {
            let name = names[at];
            sum = (if name > 1 { x[name] } else { 0.0 }).mul_add(y[name + 1], sum);
        }
    } else {
        for at in 0..names.len() {
            let name = names[at];
            sum += x[name].max(y[name + 1]).min(if name > 1 { x[name + 2] } else { 0.0 });
        }
    }
    sums[0] = sum;
}

/// Calls without a loop.
#[gpu_kernel]
fn called_once(names: &[u32], x: &[f32], y: &[f32], form: u32, sums: &mut [f32]) {
    let name = names[form];
    sums[0] = (if name > 1 { x[name] } else { 0.0 }).mul_add(y[name + 1], 1.0);
}

/// A check of each iteration beside names that texts use.
#[gpu_kernel]
fn named(names: &[u32], x: &[i32], sums: &mut [i32]) {
    let mut sum = 0i32;
    for at in 0..names.len() {
        let check = names[at];
        let body = x[check];
        if body > 0 {
            let check = check ^ 1;
            sum += body * x[check];
        }
    }
    sums[0] = sum;
}

/// Counters that something else moves, between their comparison and an index.
#[gpu_kernel]
fn moved(by: u32, x: &[i32], form: u32, sums: &mut [i32]) {
    let (mut at, mut sum) = (0u32, 0i32);
    let mut other = by;
    if form == 0 {
        while at < x.len() as u32 {
            let counter = &mut at;
            *counter += by;
            sum += x[at];
            at += 1;
        }
    } else if form == 1 {
        while at < x.len() as u32 {
            core::mem::swap(&mut at, &mut other);
            sum += x[at];
            at += 1;
        }
    } else {
        while at < x.len() as u32 {
            advance(&mut at, by);
            sum += x[at];
            at += 1;
        }
    }
    sums[0] = sum;
}

#[gpu_fn]
fn advance(at: &mut u32, by: u32) {
    *at += by;
}

fn device(executor: Executor) -> Device {
    Device::simulator_with(Settings { executor, ..Settings::default() })
}

/// Asserts that the first index that is out of bounds is told: one of the names, which index two arrays of seven elements.
#[track_caller]
fn tells_the_name<T: GpuType>(
    names: &[u32],
    values: [T; 2],
    launch: impl Fn(&Device, &Buffer<u32>, [&Buffer<T>; 2], &mut Buffer<T>) -> warpsmith::Result<()>,
) {
    let fault = fault_of_all(|executor| {
        let device = device(executor);
        let names = device.upload(names).expect("memory");
        let [x, y] = values.map(|value| device.upload(&[value; 7]).expect("memory"));
        let mut sums = device.upload(&values[..1]).expect("memory");
        launch(&device, &names, [&x, &y], &mut sums).map_err(|e| e.to_string())
    });
    assert!(fault.starts_with("index 90 is out of bounds for length 7"), "{fault}");
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_sum_that_a_compiler_turns_around_tells_its_first_part() {
    needs_cxx();
    for form in 0..6u32 {
        tells_the_name(&[0, 1, 2, 90, 3], [1, 2], |device, names, [x, y], sums| {
            turned(names, x, y, form, sums).grid(1).block(1).launch(device)
        });
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn arguments_of_a_call_are_checked_in_order() {
    needs_cxx();
    for form in 0..3u32 {
        tells_the_name(&[0, 1, 2, 90, 3], [1.0, 2.0], |device, names, [x, y], sums| {
            called(names, x, y, form, sums).grid(1).block(1).launch(device)
        });
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn arguments_of_a_call_outside_loops_are_checked_in_order() {
    needs_cxx();
    tells_the_name(&[0, 90], [1.0, 2.0], |device, names, [x, y], sums| {
        called_once(names, x, y, 1, sums).grid(1).block(1).launch(device)
    });
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_variable_may_have_the_name_of_what_checks() {
    needs_cxx();
    let device = device(Executor::All);
    let names = device.upload(&[0u32, 2, 3, 4]).expect("memory");
    let x = device.upload(&[1i32, 2, -3, 4, 5, 6]).expect("memory");
    let mut sums = device.upload(&[0i32]).expect("memory");
    named(&names, &x, &mut sums).grid(1).block(1).launch(&device).expect("no fault");
    assert_eq!(device.download(&sums).expect("memory"), [2 - 12 + 30]);
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_counter_that_is_moved_in_the_loop_is_checked() {
    needs_cxx();
    for form in 0..3u32 {
        let fault = fault_of_all(|executor| {
            let device = device(executor);
            let x = device.upload(&[1i32; 7]).expect("memory");
            let mut sums = device.upload(&[0i32]).expect("memory");
            moved(9, &x, form, &mut sums).grid(1).block(1).launch(&device).map_err(|e| e.to_string())
        });
        assert!(fault.starts_with("index 9 is out of bounds for length 7"), "{form}: {fault}");
    }
}
