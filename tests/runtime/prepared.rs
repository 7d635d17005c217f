//! A prepared launch: once checked, then repeated with other arguments.

use harness::{launch_error, on_every_device};
use warpsmith::Error;
use warpsmith::launch::LaunchError;
use warpsmith::prelude::*;

#[gpu_kernel]
fn add_to(a: u32, x: &[u32], y: &mut [u32], #[comptime] times: u32) {
    let i = global_id();
    if i < x.len() && i < y.len() {
        y[i] += a * x[i] * times;
    }
}

#[gpu_kernel(noalias)]
fn copied(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i < x.len() && i < y.len() {
        y[i] = x[i];
    }
}

#[gpu_kernel]
fn sum_of_many(values: [u64; 40], y: &mut [u64]) {
    let i = global_id();
    if i < y.len() {
        let mut sum = 0u64;
        for k in 0..40 {
            sum += values[k];
        }
        y[i] = sum;
    }
}

/// An argument that says it is what it is told: to make two arguments of one buffer.
struct Same(warpsmith::KernelArg);

// SAFETY: the argument of a borrowed buffer.
unsafe impl warpsmith::args::SliceArg<'_, u32> for Same {
    fn into_arg(self) -> warpsmith::KernelArg {
        self.0
    }
}

#[test]
fn a_prepared_launch_takes_other_arguments_and_other_lengths() {
    on_every_device(|device| {
        let x = device.upload(&[1u32, 2, 3, 4]).expect("memory");
        let short = device.upload(&[10u32, 20]).expect("memory");
        let mut y = device.upload(&[0u32; 4]).expect("memory");
        let mut other = device.upload(&[100u32; 3]).expect("memory");
        let prepared = add_to(1, &x, &mut y, 2).over(4).prepare(device).expect("a right launch");
        assert_eq!(device.download(&y).expect("memory"), [0; 4], "preparing launches nothing");
        prepared.launch(add_to(1, &x, &mut y, 2)).expect("the same arguments");
        prepared.launch(add_to(3, &x, &mut y, 2)).expect("another scalar");
        prepared.launch(add_to(1, &short, &mut other, 2)).expect("other buffers of other lengths");
        assert_eq!(device.download(&y).expect("memory"), [8, 16, 24, 32]);
        assert_eq!(device.download(&other).expect("memory"), [120, 140, 100]);
    });
}

#[test]
fn a_prepared_launch_is_counted_in_its_shape() {
    on_every_device(|device| {
        let x = device.upload(&[1u32; 64]).expect("memory");
        let mut y = device.upload(&[0u32; 64]).expect("memory");
        let prepared = add_to(1, &x, &mut y, 2).over(64).prepare(device).expect("a right launch");
        let metrics = prepared.metrics(add_to(3, &x, &mut y, 2)).expect("the same types");
        assert_eq!(metrics.total.stores.sectors, 8);
        assert_eq!(device.download(&y).expect("memory"), [6; 64], "it launches once");
        let shaped = launch_error(prepared.metrics(add_to(1, &x, &mut y, 2).block(64)).map(|_| ()));
        assert_eq!(shaped, LaunchError::PreparedShape { kernel: "add_to" });
    });
}

#[test]
fn a_prepared_launch_refuses_what_it_was_not_prepared_for() {
    on_every_device(|device| {
        let x = device.upload(&[1u32; 4]).expect("memory");
        let mut y = device.upload(&[0u32; 4]).expect("memory");
        let prepared = add_to(1, &x, &mut y, 2).over(4).prepare(device).expect("a right launch");
        let shaped = launch_error(prepared.launch(add_to(1, &x, &mut y, 2).block(64)));
        assert_eq!(shaped, LaunchError::PreparedShape { kernel: "add_to" });
        let comptime = launch_error(prepared.launch(add_to(1, &x, &mut y, 3)));
        assert_eq!(comptime, LaunchError::PreparedComptime { kernel: "add_to" });
        assert_eq!(device.download(&y).expect("memory"), [0; 4], "what is refused does not run");
    });
}

#[test]
fn a_prepared_launch_refuses_overlap_at_each_launch() {
    on_every_device(|device| {
        let x = device.upload(&[1u32; 4]).expect("memory");
        let mut y = device.upload(&[0u32; 4]).expect("memory");
        let prepared = copied(&x, &mut y).over(4).prepare(device).expect("a right launch");
        let y_again = Same(warpsmith::args::SliceArg::<u32>::into_arg(&y));
        let refused = launch_error(prepared.launch(copied(y_again, &mut y)));
        assert_eq!(refused, LaunchError::Overlap { kernel: "copied", first: "x", second: "y" });
    });
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_prepared_launch_refuses_memory_of_another_device() {
    let gpu = harness::needs_gpu();
    let x = gpu.upload(&[1u32; 4]).expect("memory");
    let mut y = gpu.upload(&[0u32; 4]).expect("memory");
    let prepared = copied(&x, &mut y).over(4).prepare(&gpu).expect("a right launch");
    let here = Device::simulator().upload(&[1u32; 4]).expect("memory");
    let refused = launch_error(prepared.launch(copied(&here, &mut y)));
    assert!(matches!(refused, LaunchError::Argument { argument: "x", .. }), "{refused}");
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_prepared_launch_reports_the_fault_of_the_one_before() {
    let gpu = harness::needs_gpu();
    let mut y = gpu.upload(&[0u32; 4]).expect("memory");
    let prepared = third(&mut y).grid(1).block(32).prepare(&gpu).expect("a right launch");
    prepared.launch(third(&mut y)).expect("four elements have a third");
    gpu.synchronize().expect("no fault");
    let mut short = gpu.upload(&[0u32; 2]).expect("memory");
    prepared.launch(third(&mut short)).expect("the fault is not known yet");
    assert!(matches!(gpu.synchronize(), Err(Error::Launch(LaunchError::Fault { .. }))));
    gpu.synchronize().expect("the fault was taken");
    prepared.launch(third(&mut y)).expect("the kernel can be launched again");
    assert_eq!(gpu.download(&y).expect("no fault"), [0, 0, 2, 0]);
}

#[gpu_kernel]
fn third(y: &mut [u32]) {
    if global_id() == 0 {
        y[2] += 1;
    }
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn faults_of_several_kernels_are_reported_one_by_one() {
    let gpu = harness::needs_gpu();
    let mut short = gpu.upload(&[0u32; 1]).expect("memory");
    third(&mut short).grid(1).launch(&gpu).expect("queued");
    gpu.as_gpu().expect("a GPU").context().synchronize().expect("the context is usable");
    let mut kernels = Vec::new();
    for _ in 0..2 {
        match gpu.synchronize() {
            Err(Error::Launch(LaunchError::Fault { kernel, .. })) => kernels.push(kernel),
            Ok(()) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(kernels, ["third"]);
}

#[test]
fn large_values_reach_the_kernel() {
    harness::everywhere::<sum_of_many>(&(), |device| {
        let mut y = device.upload(&[0u64; 3]).expect("memory");
        let values = std::array::from_fn(|i| i as u64);
        sum_of_many(values, &mut y).over(3).launch(device).expect("a right launch");
        assert_eq!(device.download(&y).expect("memory"), [780; 3]);
    });
}
