//! Shared memory of functions that take closures: each instance of the function has arrays of its own, and all calls of
//! an instance share them, in Rust, in the interpreter and in CUDA.

use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::prelude::*;
use warpsmith::report::Resources;
use warpsmith::simulator::{Executor, Settings, SimFault};

use super::{everywhere, written};

/// Keeps what a closure gives, if `writes`; what was kept last.
#[gpu_fn]
fn kept(writes: bool, v: u32, f: impl Fn(u32) -> u32) -> u32 {
    let mut tile = shared!([u32; 32]);
    let t = thread_idx().x;
    if writes {
        tile[t] = f(v);
    }
    sync_threads();
    tile[31 - t]
}

/// Passes on two closures: its own, and the one that it was given.
#[gpu_fn]
fn kept_twice(writes: bool, v: u32, f: impl Fn(u32) -> u32 + Copy) -> u32 {
    let mut ones = shared!([u8; 32]);
    let t = thread_idx().x;
    ones[t] = 1;
    let both = kept(writes, v, |v| f(v) + 1) * 1000 + kept(writes, v, f);
    both + ones[31 - t] as u32
}

#[gpu_kernel]
fn by_closure(out: &mut [u32]) {
    let double = |v: u32| v * 2;
    let triple = |v: u32| v * 3;
    let t = thread_idx().x as usize;
    out[t] = kept(true, 5, double) + kept(true, 5, triple);
    out[t + 32] = kept(false, 0, double) * 100 + kept(false, 0, triple);
}

#[gpu_kernel]
fn by_nested_closure(out: &mut [u32]) {
    let double = |v: u32| v * 2;
    let triple = |v: u32| v * 3;
    let t = thread_idx().x as usize;
    out[t] = kept_twice(true, 5, double) + kept_twice(true, 5, triple);
    out[t + 32] = kept_twice(false, 0, double);
    out[t + 64] = kept_twice(false, 0, triple);
}

/// A `move` closure is copied for each call, and the copies have one type.
#[gpu_kernel]
fn by_copied_closure(out: &mut [u32]) {
    let t = thread_idx().x as usize;
    let base = t as u32;
    let add = move |v: u32| v + base;
    out[t] = kept(true, 5, add);
    out[t + 32] = kept(false, 0, add);
}

/// Arrays that do not follow each other without gaps, and dynamic memory behind them.
#[gpu_kernel]
fn with_gaps(out: &mut [u32]) {
    let mut bytes = shared!([u8; 3]);
    let mut words = shared!([f64; 5]);
    let mut pairs = shared!([u16; 3], align = 16);
    let mut rest = dynamic_shared::<u32>();
    let t = thread_idx().x as usize;
    bytes[t % 3] = out[t] as u8;
    words[t % 5] = out[t] as f64;
    pairs[t % 3] = out[t] as u16;
    rest[t] = out[t];
    sync_threads();
    out[t] = bytes[0] as u32 + words[t % 5] as u32 + pairs[1] as u32 + rest[31 - t];
}

/// Reads what the next thread wrote: calls that share the array must have a barrier between them.
#[gpu_fn]
fn of_the_next(v: u32, f: impl Fn(u32) -> u32) -> u32 {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    tile[t] = f(v);
    sync_threads();
    tile[(t + 1) % 64]
}

#[gpu_kernel]
fn two_closures(out: &mut [u32]) {
    let t = thread_idx().x;
    out[t] = of_the_next(t, |v| v * 2) + of_the_next(t, |v| v * 3);
}

#[gpu_kernel]
fn one_closure(out: &mut [u32]) {
    let t = thread_idx().x;
    let double = |v: u32| v * 2;
    out[t] = of_the_next(t, double) + of_the_next(t, double);
}

#[test]
fn calls_of_an_instance_share_its_arrays_and_instances_do_not() {
    everywhere::<by_closure>(&(), |device| {
        let out = written(device, (64, 0), |out| by_closure(out).grid(1).block(32).launch(device));
        assert_eq!((out[0], out[32]), (10 + 15, 10 * 100 + 15), "on {}", device.name());
    });
    everywhere::<by_nested_closure>(&(), |device| {
        let out = written(device, (96, 0), |out| by_nested_closure(out).grid(1).block(32).launch(device));
        assert_eq!(out[0], 11_011 + 16_016, "on {}", device.name());
        assert_eq!((out[32], out[64]), (11_011, 16_016), "on {}", device.name());
    });
    everywhere::<by_copied_closure>(&(), |device| {
        let out = written(device, (64, 0), |out| by_copied_closure(out).grid(1).block(32).launch(device));
        assert_eq!((out[0], out[32]), (36, 36), "on {}", device.name());
    });
}

/// The launch of a kernel on 64 threads by one executor.
fn by(
    executor: Executor,
    launch: impl Fn(&Device, &mut Buffer<u32>) -> warpsmith::Result<()>,
) -> warpsmith::Result<()> {
    let device = Device::simulator_with(Settings { executor, ..Settings::default() });
    launch(&device, &mut device.alloc_zeroed(64)?)
}

#[test]
fn instances_do_not_race_with_each_other() {
    for executor in [Executor::Interpreter, Executor::Twin] {
        let apart = by(executor, |device, out| two_closures(out).grid(1).block(64).launch(device));
        assert_eq!(apart, Ok(()), "{executor:?}");
    }
    let shared = by(Executor::Interpreter, |device, out| one_closure(out).grid(1).block(64).launch(device));
    let Err(warpsmith::Error::Simulator(fault)) = shared else { panic!("not found: {shared:?}") };
    assert!(matches!(fault.found(), SimFault::DataRace(_)), "{fault}");
}

/// Bytes of static shared memory, and of the padding that may be between.
fn counted<K: Kernel<Comptime = ()>>() -> (usize, usize) {
    let options = PrintOptions { checks: Checks::All, line_directives: false };
    let needs = K::print(&(), &options).expect("prints").needs;
    (needs.static_shared_bytes, needs.shared_padding)
}

#[test]
fn shared_memory_is_counted_once_for_each_instance() {
    assert_eq!(counted::<by_closure>(), (2 * 128, 0));
    // Two of `kept_twice`, and of `kept` two for its own closures and two for those of the kernel.
    assert_eq!(counted::<by_nested_closure>(), ((32 + 128 + 128) * 2, 0));
    assert_eq!(counted::<by_copied_closure>(), (128, 0));
    assert_eq!(counted::<one_closure>(), (256, 0));
    assert_eq!(counted::<two_closures>(), (512, 0));
    assert_eq!(counted::<with_gaps>(), (3 + 40 + 6, 7 + 15 + 15));
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn the_compiler_counts_the_same_bytes() {
    harness::needs_nvrtc();
    fn same<K: Kernel<Comptime = ()>>() {
        let resources: Resources = K::resources_for(&(), "sm_90").expect("compiles");
        let (bytes, padding) = counted::<K>();
        let taken = resources.static_shared as usize;
        assert!((bytes..=bytes + padding).contains(&taken), "{}: {taken}, not {bytes}", K::NAME);
    }
    same::<by_closure>();
    same::<by_nested_closure>();
    same::<by_copied_closure>();
    same::<one_closure>();
    same::<two_closures>();
    same::<with_gaps>();
}
