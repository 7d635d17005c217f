//! Faults of printed CUDA, at their Rust lines.

use harness::needs_cxx;
use warpsmith::prelude::*;
use warpsmith::printed::Sanitizers;
use warpsmith::simulator::{Executor, Settings};

fn fault(launch: impl FnOnce(&Device, &mut Buffer<u32>) -> warpsmith::Result<()>) -> String {
    let settings =
        Settings { executor: Executor::Printed, sanitizers: Sanitizers::ALL, ..Settings::default() };
    let device = Device::simulator_with(settings);
    let mut out = device.upload(&[0u32; 8]).expect("memory");
    launch(&device, &mut out).expect_err("a fault").to_string()
}

#[gpu_kernel]
fn past_the_end(out: &mut [u32]) {
    out[thread_idx().x + 1] = 7;
}

#[gpu_kernel]
fn asserts(out: &mut [u32]) {
    assert!(out[thread_idx().x] == 1, "it is not one");
}

#[gpu_kernel]
fn divides(out: &mut [u32]) {
    out[0] = 7 / out[1];
}

#[gpu_kernel]
fn divides_signed(out: &mut [u32]) {
    out[0] = (out[1] as i32 / out[2] as i32) as u32;
}

#[gpu_kernel]
fn parts_of_a_block(out: &mut [u32]) {
    let mut tile = shared!([u32; 8]);
    tile[thread_idx().x] = 1;
    if uniform(thread_idx().x) < 4 {
        sync_threads();
    }
    out[thread_idx().x] = tile[0];
}

const SHUFFLED: u32 = line!() + 6;

/// The last thread is not among the lanes that it names.
#[gpu_kernel]
fn shuffles_a_pair(out: &mut [u32]) {
    let i = thread_idx().x;
    out[i] = shfl_sync(0x7f, (i, 7u64, i), 0, 8).0;
}

#[gpu_fn(cuda = "return x + 1;")]
fn increment(x: i32) -> i32 {
    x.wrapping_add(1)
}

#[gpu_kernel]
fn overflows(out: &mut [u32]) {
    out[0] = increment(i32::MAX) as u32;
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_fault_inside_a_function_of_the_prelude_is_at_the_line_that_calls_it() {
    needs_cxx();
    let text = fault(|device, out| shuffles_a_pair(out).grid(1).block(8).launch(device));
    assert!(text.contains(&format!("tests/printed/faults.rs:{SHUFFLED}")), "{text}");
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_failed_check_of_the_text_is_a_fault_at_the_rust_line() {
    needs_cxx();
    let text = fault(|device, out| past_the_end(out).grid(1).block(8).launch(device));
    assert!(text.starts_with("index 8 is out of bounds for length 8 at tests/printed/faults.rs:"), "{text}");
    assert!(text.contains("thread (7, 0, 0) of kernel `past_the_end`"), "{text}");
    let text = fault(|device, out| asserts(out).grid(1).block(8).launch(device));
    assert!(text.starts_with("it is not one at tests/printed/faults.rs:"), "{text}");
}

/// The processor would end the process at either.
#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_division_without_a_result_is_a_fault_without_sanitizers_too() {
    needs_cxx();
    let device = Device::simulator_with(Settings { executor: Executor::Printed, ..Settings::default() });
    for (divisor, what) in [(0, "a division by zero"), (u32::MAX, "a division that overflows")] {
        let mut out = device.upload(&[0, i32::MIN as u32, divisor]).expect("memory");
        let fault =
            divides_signed(&mut out).grid(1).block(1).launch(&device).expect_err("a fault").to_string();
        assert!(fault.contains(&format!("leaves undefined: {what} at tests/printed/faults.rs:")), "{fault}");
    }
}

#[gpu_kernel]
fn spins(out: &mut [u32]) {
    while atomic(&mut out[0]).load(Ordering::Acquire) == 0 {}
}

/// The operation is in a function of the prelude, the line is that of its call.
#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_fault_in_the_prelude_is_at_the_line_that_calls_it() {
    needs_cxx();
    let settings = Settings { atomic_budget: 1000, ..Settings::default() };
    let faults = [Executor::Twin, Executor::Printed].map(|executor| {
        let device = Device::simulator_with(Settings { executor, ..settings.clone() });
        let mut out = device.upload(&[0u32; 8]).expect("memory");
        spins(&mut out).grid(1).block(2).launch(&device).expect_err("a fault").to_string()
    });
    assert_eq!(faults[0], faults[1]);
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn what_the_machine_sees_is_a_fault_as_for_the_twin() {
    needs_cxx();
    let settings = Settings { executor: Executor::Twin, ..Settings::default() };
    let twin = Device::simulator_with(Settings { returned_threads_pass: false, ..settings.clone() });
    let printed = Settings { executor: Executor::Printed, returned_threads_pass: false, ..settings };
    let [twin, printed] = [twin, Device::simulator_with(printed)].map(|device| {
        let mut out = device.upload(&[0u32; 8]).expect("memory");
        parts_of_a_block(&mut out).grid(1).block(8).launch(&device).expect_err("a fault").to_string()
    });
    assert_eq!(twin, printed);
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn undefined_cpp_is_a_fault() {
    needs_cxx();
    let text = fault(|device, out| divides(out).grid(1).block(1).launch(device));
    assert!(text.contains("leaves undefined: a division by zero at tests/printed/faults.rs:"), "{text}");
    let text = fault(|device, out| overflows(out).grid(1).block(1).launch(device));
    assert!(text.contains("an addition of signed integers that overflows"), "{text}");
}

#[gpu_fn(cuda = "while (x == 0u) {}")]
fn waits(x: u32) {
    let _ = x;
}

#[gpu_kernel]
fn never_ends(out: &mut [u32]) {
    waits(out[0]);
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_thread_that_never_ends_is_a_fault() {
    needs_cxx();
    let settings = Settings { executor: Executor::Printed, step_budget: 1 << 20, ..Settings::default() };
    let device = Device::simulator_with(settings);
    let mut out = device.upload(&[0u32]).expect("memory");
    let fault = never_ends(&mut out).grid(1).block(1).launch(&device).expect_err("a fault").to_string();
    assert!(fault.starts_with("a thread has run 1048576 loop iterations and has not ended"), "{fault}");
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn an_access_outside_of_all_arguments_is_a_fault_of_unchecked_text() {
    needs_cxx();
    // SAFETY: it is the mistake that is to be found, and found before the access.
    let text = fault(|device, out| unsafe { past_the_end(out).grid(1).block(8).launch_unchecked(device) });
    assert!(text.contains("the printed CUDA writes 4 bytes at"), "{text}");
}
