//! A step of zero, which Rust refuses, is a fault on every executor; a step that is known not to be zero costs nothing.

use warpsmith::prelude::*;

use super::worded::says;

/// Every `n`-th of some numbers, added up.
#[gpu_fn]
fn strided(n: usize) -> u32 {
    let mut sum = 0;
    for i in (0..9u32).step_by(n) {
        sum += i;
    }
    sum
}

/// The line of `steps` with this position among its cases.
const FIRST: u32 = line!() + 11;

#[rustfmt::skip]
#[gpu_kernel]
fn steps(x: &[u32], y: &mut [u32], how: u32, n: u32) {
    let t = thread_idx().x;
    let mut step = if t == 1 { n as usize } else { 1 };
    let mut sum = 0;
    step += 0;
    match how {
        // Each case has one line.
        0 => for i in (0..9u32).step_by(step) { sum += i },
        1 => for i in (0..=8u32).step_by(step) { sum += i },
        2 => for i in (t as u64..9).step_by(step) { sum += i as u32 },
        3 => for i in (0..9u32).rev().step_by(step) { sum += i },
        4 => for i in (0..9u32).step_by(step).rev() { sum += i },
        5 => for v in x.iter().step_by(step) { sum += *v },
        6 => for v in x.iter().skip(2).step_by(step) { sum += *v },
        7 => sum = (0..9u32).step_by(step).map(|i| i * i).sum(),
        8 => sum = x.iter().copied().step_by(step).max().unwrap_or(0),
        9 => for (i, v) in x.iter().enumerate().step_by(step) { sum += i as u32 + *v },
        10 => for i in (x[t + 8]..20).step_by(step) { sum += i },
        11 => for i in (x[5]..x[2]).step_by(step) { sum += i },
        _ => sum = 1,
    }
    y[t] = sum;
}

#[gpu_kernel]
fn called(y: &mut [u32], n: u32) {
    let t = thread_idx().x;
    y[t] = strided(if t == 1 { n as usize } else { 1 });
}

fn launched(device: &Device, how: u32, n: u32) -> warpsmith::Result<Vec<u32>> {
    let x = device.upload(&[1u32, 2, 3, 4, 5, 6, 7, 8, 9])?;
    let mut y = device.upload(&[0u32; 4])?;
    steps(&x, &mut y, how, n).grid(1).block(2).launch(device)?;
    device.download(&y)
}

#[test]
fn a_step_of_zero_is_told_at_its_line() {
    for how in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11] {
        says("assertion failed: step != 0", FIRST + how, |device| launched(device, how, 0).map(|_| ()));
    }
    let in_a_function = FIRST - 18;
    says("assertion failed: step != 0", in_a_function, |device| {
        let mut y = device.upload(&[0u32; 4])?;
        called(&mut y, 0).grid(1).block(2).launch(device)
    });
}

#[test]
fn what_fails_before_the_step_is_told() {
    says("index 9 is out of bounds for length 9", FIRST + 10, |device| launched(device, 10, 0).map(|_| ()));
}

#[test]
fn other_steps_are_taken() {
    for (how, sums) in [(0, [36, 9]), (3, [36, 15]), (5, [45, 12]), (7, [204, 45])] {
        let device = Device::simulator();
        assert_eq!(launched(&device, how, 3).expect("no fault")[..2], sums, "{how}");
    }
}

/// Every `n`-th of all elements, by all threads.
#[gpu_kernel]
fn strides(n: u32, x: &mut [u32]) {
    for i in (global_id()..x.len()).step_by(global_size()) {
        x[i] += 1;
    }
    for i in (global_id()..x.len()).step_by(n.max(1) as usize) {
        x[i] += 1;
    }
    if n > 2 {
        for i in (0..x.len()).step_by(n as usize) {
            x[i] += 1;
        }
    }
}

/// The same by a step that only a launch knows.
#[gpu_kernel]
fn asked(n: u32, x: &mut [u32]) {
    for i in (0..x.len()).step_by(n as usize) {
        x[i] += 1;
    }
}

#[test]
fn a_step_that_is_not_zero_is_not_checked() -> warpsmith::Result<()> {
    assert!(!strides::cuda_source()?.contains("ws_fault"), "{}", strides::cuda_source()?);
    let device = Device::simulator();
    let mut x = device.upload(&[0u32; 8])?;
    let mut text = |n| asked(n, &mut x).grid(1).block(1).cuda_source();
    assert!(!text(3)?.contains("ws_fault"), "{}", text(3)?);
    assert!(text(0)?.contains("ws_fail(ws_fault, 0, 0, 0);"), "{}", text(0)?);
    Ok(())
}
