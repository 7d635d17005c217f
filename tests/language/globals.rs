//! Statics of the device: constants and variables, of scalars, arrays and structs, shared by kernels.

use warpsmith::prelude::*;

use super::{everywhere, written};

/// A filter and what it is applied to.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
struct Filter {
    taps: [f32; 3],
    gain: f64,
    shift: i16,
}

#[gpu_const]
static BIAS: f32 = -0.5;

#[gpu_const]
static FILTER: Filter = Filter { taps: [0.25, 0.5, 0.25], gain: 2.0, shift: 1 };

#[gpu_const]
static TABLE: [[i32; 4]; 2] = [[1, 2, 3, 4], [-1, -2, -3, -4]];

#[gpu_fn]
fn filtered(x: &[f32], i: usize) -> f32 {
    let mut sum = *BIAS;
    for k in 0..3usize {
        sum += FILTER.taps[k] * x[i + k];
    }
    sum * FILTER.gain as f32
}

#[gpu_kernel(fmad = false)]
fn smoothed(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    if i + 2 < x.len() && i < out.len() {
        let whole = *FILTER;
        out[i] = filtered(x, i) + TABLE[i % 2][(i + whole.shift as usize) % 4] as f32;
    }
}

fn smoothed_on_host(x: &[f32], bias: f32, filter: &Filter, table: &[[i32; 4]; 2]) -> Vec<f32> {
    let at = |i: usize| {
        let sum = (0..3).fold(bias, |sum, k| sum + filter.taps[k] * x[i + k]);
        sum * filter.gain as f32 + table[i % 2][(i + filter.shift as usize) % 4] as f32
    };
    (0..x.len() - 2).map(at).collect()
}

#[test]
fn constants_begin_as_declared_and_are_set_by_the_host() {
    everywhere::<smoothed>(&(), |device| {
        let x: Vec<f32> = (0..10).map(|v| (v * v) as f32 - 20.0).collect();
        let input = device.upload(&x).expect("memory");
        let run = || written(device, (8, f32::NAN), |out| smoothed(&input, out).over(8).launch(device));
        let first = Filter { taps: [0.25, 0.5, 0.25], gain: 2.0, shift: 1 };
        let table = [[1, 2, 3, 4], [-1, -2, -3, -4]];
        assert_eq!(run(), smoothed_on_host(&x, -0.5, &first, &table), "on {}", device.name());
        let second = Filter { taps: [1.0, -2.0, 3.0], gain: -0.5, shift: 2 };
        FILTER.set(device, second).expect("memory");
        BIAS.set(device, 7.0).expect("memory");
        TABLE.set(device, [[10; 4], [20, 30, 40, 50]]).expect("memory");
        assert_eq!(run(), smoothed_on_host(&x, 7.0, &second, &[[10; 4], [20, 30, 40, 50]]));
    });
}

/// The results of all threads.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
struct Found {
    count: u32,
    largest: i64,
}

#[gpu_static]
static FOUND: Found = Found { count: 0, largest: i64::MIN };

#[gpu_static]
static BINS: [u32; 8] = [0; 8];

#[gpu_static]
static SCALE: f64 = 1.5;

#[gpu_kernel]
fn collect(x: &[i64]) {
    let i = global_id();
    if i < x.len() {
        atomic_add(&mut BINS.get_mut()[i % 8], 1);
        let found = FOUND.get_mut();
        atomic_add(&mut found.count, 1);
        atomic_max(&mut found.largest, x[i]);
    }
}

#[gpu_kernel]
fn report(out: &mut [f64]) {
    let i = global_id();
    if i < 8 && i < out.len() {
        out[i] = BINS.get()[i] as f64 * SCALE.get() + BINS.get_mut().len() as f64;
    }
    // One thread changes what the others read.
    sync_threads();
    if i == 8 && i < out.len() {
        let found = FOUND.get();
        out[8] = found.largest as f64 + found.count as f64 * 1000.0;
        *SCALE.get_mut() *= 2.0;
        FOUND.get_mut().count = 0;
    }
}

#[test]
fn variables_are_one_for_all_kernels() {
    everywhere::<collect>(&(), |device| {
        super::compiles::<report>(&());
        FOUND.write(device, Found { count: 0, largest: i64::MIN }).expect("memory");
        BINS.write(device, [0, 0, 0, 0, 0, 0, 0, 100]).expect("memory");
        SCALE.write(device, 0.5).expect("memory");
        let x: Vec<i64> = (0..1000).map(|v| (v * 7919) % 1009 - 500).collect();
        let input = device.upload(&x).expect("memory");
        collect(&input).over(1000).block(128).launch(device).expect("it runs");
        collect(&input).over(1000).block(64).launch(device).expect("it runs");
        let largest = x.iter().copied().max().expect("elements");
        assert_eq!(FOUND.read(device).expect("memory"), Found { count: 2000, largest });
        let out = written(device, (9, f64::NAN), |out| report(out).over(9).block(32).launch(device));
        let mut want = [250.0 * 0.5 + 8.0; 9];
        want[7] = 350.0 * 0.5 + 8.0;
        want[8] = largest as f64 + 2_000_000.0;
        assert_eq!(out, want, "on {}", device.name());
        assert_eq!(SCALE.read(device).expect("memory"), 1.0);
        assert_eq!(FOUND.read(device).expect("memory"), Found { count: 0, largest });
        assert_eq!(BINS.read(device).expect("memory"), [250, 250, 250, 250, 250, 250, 250, 350]);
    });
}

#[gpu_static]
static CALLS: [u32; 2] = [10, 20];

#[gpu_const]
static STEP: u32 = 1;

#[gpu_kernel]
fn calls(out: &mut [u32]) {
    let i = global_id();
    if i < 2 {
        CALLS.get_mut()[i] += *STEP;
        out[i] = CALLS.get()[i];
    }
}

#[test]
fn each_simulator_has_statics_of_its_own() -> warpsmith::Result<()> {
    use warpsmith::simulator::{Executor, Settings};
    for executor in [Executor::Both, Executor::Interpreter, Executor::Twin] {
        let new = || Device::simulator_with(Settings { executor, ..Settings::default() });
        let (first, second) = (new(), new());
        let run = |device: &Device| written(device, (2, 0), |out| calls(out).over(2).launch(device));
        assert_eq!((run(&first), run(&first)), (vec![11, 21], vec![12, 22]));
        assert_eq!(run(&second), [11, 21]);
        STEP.set(&second, 5)?;
        CALLS.write_on(&second.stream()?, second.upload(&[[100u32, 200]])?.slice(..)?)?;
        assert_eq!((run(&first), run(&second)), (vec![13, 23], vec![105, 205]));
        assert_eq!((STEP.read(&first)?, STEP.read(&second)?), (1, 5));
        assert_eq!((CALLS.read(&first.clone())?, CALLS.read(&second)?), ([13, 23], [105, 205]));
        CALLS.write(&first, [1, 2])?;
        assert_eq!((run(&first.clone()), run(&second)), (vec![2, 3], vec![110, 210]));
        assert_ne!(CALLS.address(&first)?, CALLS.address(&second)?);
        let third = std::thread::spawn(move || CALLS.read(&first)).join().expect("it runs")?;
        assert_eq!((third, CALLS.read(&new())?), ([2, 3], [10, 20]));
    }
    Ok(())
}
