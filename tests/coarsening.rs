//! Coarsened kernels: their text against the uncoarsened kernel on the simulator, for lengths around every edge.

#[path = "corpus/coarsening.rs"]
mod coarsening;

use coarsening::*;
use harness::needs_cxx;
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Sanitizers, Settings};

/// Lengths around those of one and of several blocks, for any number of elements a thread.
const LENGTHS: [usize; 17] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 63, 64, 257, 1003];

/// A device that compares the twin, the interpreter and the text bit for bit.
fn comparing() -> Device {
    needs_cxx();
    Device::simulator_with(Settings {
        executor: Executor::All,
        sanitizers: Sanitizers::ALL,
        ..Settings::default()
    })
}

fn floats(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i as f32 * 0.37 - 11.0) * if i % 3 == 0 { -1.0 } else { 1.0 }).collect()
}

fn bytes(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 37 + 11) as u8).collect()
}

/// Launches with each number of elements a thread.
macro_rules! each_factor {
    ($device:expr, $n:expr, $launch:expr) => {
        for block in [32u32, 100] {
            $launch.over($n).block(block).launch($device).unwrap_or_else(|e| panic!("{} {block}: {e}", $n));
            for factor in [1, 2, 4, 8, 16] {
                let launched = $launch.over($n).block(block).coarsen(factor).launch($device);
                launched.unwrap_or_else(|e| panic!("{} elements, {block} threads, {factor}: {e}", $n));
            }
        }
    };
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn coarsened_texts_do_what_the_kernels_do() {
    let device = &comparing();
    let a16 = bf16::from_f32(1.5);
    for n in LENGTHS {
        let x = device.upload(&floats(n)).expect("memory");
        let z = device.upload(&floats(n + 3)).expect("memory");
        let b = device.upload(&bytes(n)).expect("memory");
        let u = device.upload(&(0..n as u32).map(|i| i * 7 % 31).collect::<Vec<_>>()).expect("memory");
        let mut y = device.upload(&vec![0.5f32; n + 1]).expect("memory");
        let mut half = device.upload(&vec![bf16::from_f32(3.0); n]).expect("memory");
        let mut out = device.upload(&vec![7u8; n]).expect("memory");
        let (mut v, mut w) =
            (device.upload(&vec![9u32; n]).expect("memory"), device.upload(&vec![8u32; n]).expect("memory"));
        let (mut p, mut q) =
            (device.upload(&floats(n)).expect("memory"), device.upload(&floats(n)).expect("memory"));
        each_factor!(device, n, saxpy_wide(2.0, &z, &mut y));
        each_factor!(device, n, add_wide(n as u32, &x, &z, &mut y));
        each_factor!(device, n, copy_wide(&x, &mut y));
        each_factor!(device, n, widen_wide(&b, &mut y));
        each_factor!(device, n, narrow_wide(&x, &mut half));
        each_factor!(device, n, bytes_wide(&b, &mut out));
        each_factor!(device, n, scale_bf16_wide(a16, &mut half));
        each_factor!(device, n, particles_wide(0.5, &mut p, &mut q, &mut y, &x, &z, &x));
        each_factor!(device, n, positive_wide(&x, &mut y));
        each_factor!(device, n, steps_wide(&u, &mut v, &mut w));
        each_factor!(device, n, smooth_wide(&z, &mut p));
    }
}
