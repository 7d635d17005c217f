//! Texts whose results differ from the twin's.

use harness::needs_cxx;
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

#[gpu_fn(cuda = "return x + (x == 5u);")]
fn same(x: u32) -> u32 {
    x
}

#[gpu_kernel]
fn copies(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i < y.len() && i < x.len() {
        y[i] = same(x[i]);
    }
}

fn run(values: &[u32]) -> warpsmith::Result<()> {
    let device = Device::simulator_with(Settings { executor: Executor::All, ..Settings::default() });
    let (x, mut y) = (device.upload(values)?, device.upload(&[0u32; 8])?);
    let outcome = copies(&x, &mut y).over(8).launch(&device);
    // Whatever the text does, the launch's results are the twin's.
    assert_eq!(device.download(&y)?, values);
    outcome
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_text_that_does_not_do_what_the_twin_does_is_a_fault() {
    needs_cxx();
    run(&[0, 1, 2, 3, 4, 6, 7, 8]).expect("no difference");
    let fault = run(&[0, 1, 2, 3, 4, 5, 6, 7]).expect_err("a difference").to_string();
    let said = "kernel `copies` runs differently as printed CUDA than by its twin: byte 20 of `y` is 0x05 by the twin, 0x06";
    assert!(fault.starts_with(said), "{fault}");
}

#[gpu_fn(ptx = "mma.sync.aligned {ret}, {x};", pure)]
fn unknown(x: u32) -> u32 {
    x
}

#[gpu_kernel]
fn by_hand(y: &mut [u32]) {
    y[0] = unknown(7);
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn what_the_host_cannot_run_is_refused_by_name() {
    needs_cxx();
    let device = Device::simulator_with(Settings { executor: Executor::Printed, ..Settings::default() });
    let mut y = device.upload(&[0u32]).expect("memory");
    let refused = by_hand(&mut y).grid(1).block(1).launch(&device).expect_err("no such instruction");
    let text = refused.to_string();
    assert!(text.contains("the host does not run the PTX `mma.sync.aligned`"), "{text}");
}

/// Each operand is a number whose zero compilers know to be positive.
#[gpu_kernel]
fn differences_from_zero(x: &[i64], y: &mut [f32], z: &mut [f64]) {
    let v = x[0];
    let singles = [0.0 - v as f32, 0.0 - v as u64 as f32, 0.0 - v as i32 as f32, 0.0 - v as u8 as f32];
    let doubles = [0.0 - v as f64, 0.0 - v as u64 as f64, 0.0 - v as i16 as f64, 0.0 - (v as f64).abs()];
    for i in 0..4u32 {
        y[i] = singles[i];
        z[i] = doubles[i];
    }
    y[4] = 0.0 - (v as f32 + 0.0) * (v as f32);
    z[4] = -0.0 - v as f64;
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn zero_minus_zero_is_positive() {
    needs_cxx();
    let device = Device::simulator_with(Settings { executor: Executor::All, ..Settings::default() });
    let x = device.upload(&[0i64]).expect("memory");
    let (mut y, mut z) =
        (device.upload(&[1f32; 5]).expect("memory"), device.upload(&[1f64; 5]).expect("memory"));
    differences_from_zero(&x, &mut y, &mut z).grid(1).block(1).launch(&device).expect("no difference");
    assert!(device.download(&y).expect("memory").iter().all(|v| v.to_bits() == 0));
    assert!(device.download(&z).expect("memory")[..4].iter().all(|v| v.to_bits() == 0));
}
