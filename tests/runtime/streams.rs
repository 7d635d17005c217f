//! Streams run side by side and are ordered where memory asks for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering as HostOrdering};
use std::time::Duration;

use harness::{cycles, everywhere};
use warpsmith::Error;
use warpsmith::driver::DriverError;
use warpsmith::host_memory::Pinned;
use warpsmith::prelude::*;

/// x[i] += add, after `cycles` cycles.
#[gpu_kernel]
fn late_add(x: &mut [u32], add: u32, cycles: u64) {
    let i = global_id();
    let start = clock();
    while clock() - start < cycles {}
    if i < x.len() {
        x[i] += add;
    }
}

/// y[i] = x[i], after `cycles` cycles.
#[gpu_kernel]
fn late_copy(x: &[u32], y: &mut [u32], cycles: u64) {
    let i = global_id();
    let start = clock();
    while clock() - start < cycles {}
    if i < x.len() && i < y.len() {
        y[i] = x[i];
    }
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Wrapped<'a> {
    x: View<'a, u32>,
    scale: u32,
}

/// y[i] = scale * x[i] of a view that the launch cannot see.
#[gpu_kernel]
fn scaled(from: Wrapped<'_>, y: &mut [u32]) {
    let i = global_id();
    if i < from.x.len() && i < y.len() {
        y[i] = from.scale * from.x[i];
    }
}

#[gpu_static]
static TOTAL: u32 = 0;

#[gpu_const]
static STEP: [u32; 1] = [1];

#[gpu_kernel]
fn late_count(cycles: u64) {
    let start = clock();
    while clock() - start < cycles {}
    if global_id() == 0 {
        atomic(TOTAL.get_mut()).fetch_add(STEP[0], Ordering::Relaxed);
    }
}

/// Elements of the tests' buffers.
const N: usize = 1 << 12;

#[test]
fn a_chain_over_two_streams_is_in_order() {
    everywhere::<late_add>(&(), |device| {
        let (left, right) = (device.stream().expect("a stream"), device.stream().expect("a stream"));
        let mut x = device.upload(&vec![0u32; N]).expect("memory");
        let mut y = device.upload(&vec![0u32; N]).expect("memory");
        for _ in 0..10 {
            late_add(&mut x, 1, cycles(device)).over(N).on(&left).launch(device).expect("left");
            late_copy(&x, &mut y, cycles(device)).over(N).on(&right).launch(device).expect("right");
        }
        assert_eq!(device.download(&y).expect("y"), vec![10; N], "on {}", device.name());
        // The reader is waited for by the next writer of what it reads.
        late_copy(&x, &mut y, cycles(device)).over(N).on(&right).launch(device).expect("right");
        late_add(&mut x, 90, 0).over(N).on(&left).launch(device).expect("left");
        assert_eq!(device.download(&y).expect("y"), vec![10; N], "on {}", device.name());
        assert_eq!(device.download(&x).expect("x"), vec![100; N], "on {}", device.name());
    });
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn different_buffers_and_common_readers_overlap() {
    let gpu = harness::needs_gpu();
    let (left, right) = (gpu.stream().expect("a stream"), gpu.stream().expect("a stream"));
    let x = gpu.upload(&vec![7u32; N]).expect("memory");
    let mut a = gpu.upload(&vec![0u32; N]).expect("memory");
    let mut b = gpu.upload(&vec![0u32; N]).expect("memory");
    late_copy(&x, &mut a, 1).over(N).launch(&gpu).expect("compiled");
    gpu.synchronize().expect("idle");
    late_copy(&x, &mut a, 400_000_000).over(N).on(&left).launch(&gpu).expect("left");
    late_copy(&x, &mut b, 0).over(N).on(&right).launch(&gpu).expect("right");
    right.synchronize().expect("right");
    assert!(!left.is_done().expect("left"), "the short kernel waited for the long one");
    assert_eq!(gpu.download(&b).expect("b"), vec![7; N]);
    assert_eq!(gpu.download(&a).expect("a"), vec![7; N]);
}

#[test]
fn disjoint_parts_of_one_buffer_overlap() {
    everywhere::<late_add>(&(), |device| {
        let (left, right) = (device.stream().expect("a stream"), device.stream().expect("a stream"));
        let mut x = device.upload(&vec![0u32; N]).expect("memory");
        late_add(&mut x, 1, 0).over(N).launch(device).expect("compiled");
        device.synchronize().expect("idle");
        let (low, high) = x.split_at_mut(N / 2).expect("halves");
        let long = if device.is_simulator() { 2 } else { 400_000_000 };
        late_add(low, 1, long).over(N / 2).on(&left).launch(device).expect("left");
        late_add(high, 2, 0).over(N / 2).on(&right).launch(device).expect("right");
        right.synchronize().expect("right");
        assert_eq!(left.is_done().expect("left"), device.is_simulator(), "on {}", device.name());
        let mut want = vec![2u32; N / 2];
        want.extend(vec![3u32; N / 2]);
        assert_eq!(device.download(&x).expect("x"), want, "on {}", device.name());
    });
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_buffer_dropped_in_flight_is_freed_after_its_uses() {
    let gpu = harness::needs_gpu();
    let (left, right) = (gpu.stream().expect("a stream"), gpu.stream().expect("a stream"));
    let mut y = gpu.upload(&vec![0u32; N]).expect("memory");
    let mut z = gpu.upload(&vec![0u32; N]).expect("memory");
    for round in 1..20u32 {
        let x = gpu.upload(&vec![round; N]).expect("memory");
        late_copy(&x, &mut y, 4_000_000).over(N).on(&left).launch(&gpu).expect("left");
        late_copy(&x, &mut z, 4_000_000).over(N).on(&right).launch(&gpu).expect("right");
        drop(x);
        // The kernels that still read `x` must not see the data that takes its place.
        let others: Vec<_> = (0..4).map(|_| gpu.upload(&vec![u32::MAX; N]).expect("memory")).collect();
        assert_eq!(gpu.download(&y).expect("y"), vec![round; N]);
        assert_eq!(gpu.download(&z).expect("z"), vec![round; N]);
        drop(others);
    }
}

#[test]
fn eight_threads_on_four_streams() {
    everywhere::<late_copy>(&(), |device| {
        let streams: Vec<Stream> = (0..4).map(|_| device.stream().expect("a stream")).collect();
        let table = device.upload(&(0..N as u32).collect::<Vec<_>>()).expect("memory");
        let rounds = if device.is_simulator() { 4 } else { 200 };
        std::thread::scope(|scope| {
            for thread in 0..8usize {
                let (streams, table) = (&streams, &table);
                scope.spawn(move || {
                    for round in 0..rounds {
                        let mut mine = device.alloc_zeroed::<u32>(N).expect("memory");
                        let stream = |k: usize| &streams[(thread + round + k) % 4];
                        late_copy(table, &mut mine, 100).over(N).on(stream(0)).launch(device).expect("copy");
                        late_add(&mut mine, 5, 100).over(N).on(stream(1)).launch(device).expect("add");
                        if round % 3 != 0 {
                            continue; // dropped in flight
                        }
                        let got = device.download(&mine).expect("memory");
                        assert!(got.iter().zip(5..).all(|(got, want)| *got == want), "on {}", device.name());
                    }
                });
            }
        });
    });
}

#[test]
fn views_in_values_are_ordered() {
    everywhere::<scaled>(&(), |device| {
        let (left, right) = (device.stream().expect("a stream"), device.stream().expect("a stream"));
        let mut x = device.upload(&vec![0u32; N]).expect("memory");
        let mut y = device.upload(&vec![0u32; N]).expect("memory");
        for round in 1..6u32 {
            late_add(&mut x, 1, cycles(device)).over(N).on(&left).launch(device).expect("left");
            let from = Wrapped { x: x.view(), scale: 3 };
            scaled(from, &mut y).over(N).on(&right).launch(device).expect("right");
            late_add(&mut x, 0, 0).over(N).on(&left).launch(device).expect("left");
            assert_eq!(device.download(&y).expect("y"), vec![3 * round; N], "on {}", device.name());
        }
    });
}

#[test]
fn statics_and_constants_are_ordered_with_every_stream() {
    everywhere::<late_count>(&(), |device| {
        let streams: Vec<Stream> = (0..3).map(|_| device.stream().expect("a stream")).collect();
        TOTAL.write(device, 0).expect("a static");
        for step in [1u32, 10, 100] {
            STEP.set(device, [step]).expect("a constant");
            assert_eq!(STEP.read(device).expect("a constant"), [step]);
            for stream in &streams {
                late_count(cycles(device)).grid(1).on(stream).launch(device).expect("counted");
            }
        }
        assert_eq!(TOTAL.read(device).expect("a static"), 333, "on {}", device.name());
    });
}

#[gpu_const]
static SCALE: [u32; 2] = [1, 0];

#[gpu_static]
static LIMIT: [u32; 2] = [0, 0];

/// y[i] = scale * i + shift, after `cycles` cycles.
#[gpu_kernel]
fn late_scaled(y: &mut [u32], cycles: u64) {
    let i = global_id();
    let start = clock();
    while clock() - start < cycles {}
    if i < y.len() {
        y[i] = SCALE[0] * i as u32 + SCALE[1];
    }
}

/// The same, of a constant in another module.
#[gpu_kernel]
fn scaled_later(y: &mut [u32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = SCALE[0] * i as u32 + SCALE[1] + 1;
    }
}

/// Adds to a device static, after `cycles` cycles.
#[gpu_kernel]
fn late_limit(add: u32, cycles: u64) {
    let start = clock();
    while clock() - start < cycles {}
    if global_id() == 0 {
        LIMIT.get_mut()[1] += add;
    }
}

#[test]
fn constants_are_set_and_read_on_streams() {
    everywhere::<late_scaled>(&(), |device| {
        let [left, right, copies] = [(); 3].map(|()| device.stream().expect("a stream"));
        let values = device.upload(&(1..=8).map(|k| [k, 10 * k]).collect::<Vec<[u32; 2]>>()).expect("memory");
        let mut seen = device.alloc_zeroed::<[u32; 2]>(8).expect("memory");
        let mut y: Vec<_> = (0..8).map(|_| device.alloc_zeroed::<u32>(N).expect("memory")).collect();
        for (k, y) in y.iter_mut().enumerate() {
            // The kernels of the round before still run, on two streams.
            SCALE.set_on(&copies, values.slice(k..=k).expect("one")).expect("a copy");
            let (low, high) = y.split_at_mut(N / 2).expect("halves");
            late_scaled(low, cycles(device)).over(N / 2).on(&left).launch(device).expect("left");
            late_scaled(high, cycles(device)).over(N / 2).on(&right).launch(device).expect("right");
            SCALE.read_on(&copies, seen.slice_mut(k..=k).expect("one")).expect("a copy");
        }
        for (k, y) in (1..).zip(&y) {
            let half = (0..N as u32 / 2).map(|i| k * i + 10 * k);
            let want: Vec<u32> = half.clone().chain(half).collect();
            assert_eq!(device.download(y).expect("a copy"), want, "value {k} on {}", device.name());
        }
        assert_eq!(device.download(&seen).expect("a copy"), device.download(&values).expect("a copy"));
        assert_eq!(SCALE.read(device).expect("a constant"), [8, 80]);
        // A module that is loaded only now has the value too, and what is set from the host after it.
        scaled_later(&mut y[0]).over(N).launch(device).expect("another module");
        assert_eq!(device.download(&y[0]).expect("a copy")[3], 8 * 3 + 81, "on {}", device.name());
        SCALE.set(device, [0, 5]).expect("a constant");
        scaled_later(&mut y[0]).over(N).on(&left).launch(device).expect("another module");
        assert_eq!(device.download(&y[0]).expect("a copy")[3], 6, "on {}", device.name());
        let refused = SCALE.set_on(&copies, &values).expect_err("eight elements");
        assert!(matches!(refused, Error::Driver(DriverError::Length { .. })), "{refused}");
        SCALE.set(device, [1, 0]).expect("as it was");
    });
}

#[test]
fn statics_are_written_and_read_on_streams() {
    everywhere::<late_limit>(&(), |device| {
        let [left, right] = [(); 2].map(|()| device.stream().expect("a stream"));
        let mut staging = device.alloc_pinned::<[u32; 2]>(1, Pinned::default()).expect("pinned memory");
        for round in 1..6u32 {
            staging.host_mut().expect("elements")[0] = [round, 100 * round];
            LIMIT.write_on(&left, &staging).expect("a copy");
            late_limit(round, cycles(device)).grid(1).on(&right).launch(device).expect("right");
            late_limit(1, cycles(device)).grid(1).on(&left).launch(device).expect("left");
            LIMIT.read_on(&right, &mut staging).expect("a copy");
            let want = [round, 101 * round + 1];
            assert_eq!(staging.host().expect("elements"), [want], "on {}", device.name());
            assert_eq!(LIMIT.read(device).expect("a static"), want);
        }
        let mut two = device.alloc_zeroed::<[u32; 2]>(2).expect("memory");
        let refused = LIMIT.read_on(&left, &mut two).expect_err("two elements");
        assert!(matches!(refused, Error::Driver(DriverError::Length { .. })), "{refused}");
    });
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_static_of_a_gpu_is_copied_with_its_own_memory_alone() {
    let gpu = harness::needs_gpu();
    let here = Device::simulator().upload(&[[0u32; 2]]).expect("memory");
    assert!(LIMIT.write_on(&gpu.stream().expect("a stream"), &here).is_err());
    let there = gpu.upload(&[[0u32; 2]]).expect("memory");
    assert!(LIMIT.write_on(&Device::simulator().stream().expect("a stream"), &there).is_err());
}

#[test]
fn blocking_streams_keep_order_with_the_default_stream() {
    everywhere::<late_add>(&(), |device| {
        let [blocking, other] =
            [device.blocking_stream(), device.blocking_stream()].map(|s| s.expect("a stream"));
        let free = device.stream().expect("a stream");
        assert!(blocking.is_blocking().expect("flags") && !free.is_blocking().expect("flags"));
        assert!(device.default_stream().is_blocking().expect("flags"));
        let [mut x, mut y, mut z] = [(); 3].map(|()| device.upload(&vec![0u32; N]).expect("memory"));
        late_add(&mut y, 1, 0).over(N).launch(device).expect("compiled");
        late_add(&mut z, 1, 0).over(N).on(&other).launch(device).expect("the other");
        device.synchronize().expect("idle");
        // Each buffer stays on its stream: what orders the streams is not memory.
        let long = if device.is_simulator() { 2 } else { 200_000_000 };
        late_add(&mut x, 1, long).over(N).on(&blocking).launch(device).expect("blocking");
        late_add(&mut y, 1, 0).over(N).launch(device).expect("the default stream");
        device.default_stream().synchronize().expect("no fault");
        assert!(blocking.is_done().expect("an answer"), "the default stream waited for it");
        late_add(&mut y, 1, long).over(N).launch(device).expect("the default stream");
        late_add(&mut z, 1, 0).over(N).on(&other).launch(device).expect("the other");
        other.synchronize().expect("no fault");
        assert!(device.default_stream().is_done().expect("an answer"), "it waited for the default stream");
        drop((blocking, other));
        for _ in 0..50 {
            let fresh = device.blocking_stream().expect("a stream");
            late_add(&mut z, 1, 0).over(N).on(&fresh).launch(device).expect("a fresh one");
        }
        for (buffer, times) in [(&x, 1), (&y, 3), (&z, 52)] {
            assert_eq!(device.download(buffer).expect("a copy"), vec![times; N], "on {}", device.name());
        }
    });
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn cudarc_memory_of_another_stream_is_ordered() {
    let device = harness::needs_gpu();
    let gpu = device.as_gpu().expect("a GPU");
    let (theirs, other) =
        (gpu.context().new_stream().expect("theirs"), gpu.context().new_stream().expect("other"));
    let ours = device.stream().expect("ours");
    let x = theirs.clone_htod(&vec![3u32; N]).expect("memory");
    let mut y = theirs.alloc_zeros::<u32>(N).expect("memory");
    for round in 1..6u32 {
        late_copy(&x, &mut y, 4_000_000).over(N).on(&ours).launch(&device).expect("ours");
        late_add(&mut y, round, 4_000_000).over(N).on(&other).launch(&device).expect("other");
        late_add(&mut y, 1, 4_000_000).over(N).launch(&device).expect("the device's own");
        assert_eq!(theirs.clone_dtoh(&y).expect("theirs"), vec![4 + round; N]);
        late_copy(&x, &mut y.slice_mut(..), 4_000_000).over(N).on(&ours).launch(&device).expect("a view");
        assert_eq!(other.clone_dtoh(&y).expect("by cudarc's events"), vec![3; N]);
    }
    let (left, _) = y.split_at(N / 2);
    let mut z = device.alloc_zeroed::<u32>(N / 2).expect("memory");
    late_copy(&left, &mut z, 0).over(N / 2).on(&ours).launch(&device).expect("a view");
    assert_eq!(device.download(&z).expect("memory"), vec![3; N / 2]);
}

#[test]
fn streams_that_cannot_be_used_are_refused() {
    let simulator = Device::simulator();
    let refused = simulator.stream_with_priority(-1).expect_err("it has one priority");
    assert!(matches!(refused, Error::Driver(DriverError::Priority { .. })), "{refused}");
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn streams_and_events_of_the_simulator_are_refused_by_a_gpu() {
    let (simulator, device) = (Device::simulator(), harness::needs_gpu());
    let mut x = device.upload(&[0u32; 4]).expect("memory");
    let stream = simulator.stream().expect("a stream");
    let refused = late_add(&mut x, 1, 0).over(4).on(&stream).launch(&device).expect_err("not the GPU's");
    assert!(refused.to_string().contains("the simulator"), "{refused}");
    let mut here = simulator.upload(&[0u32; 4]).expect("memory");
    let stream = device.stream().expect("a stream");
    let refused = late_add(&mut here, 1, 0).over(4).on(&stream).launch(&simulator).expect_err("the GPU's");
    assert!(refused.to_string().contains("GPU 0"), "{refused}");
    let each = device.as_gpu().expect("a GPU").context().per_thread_stream();
    let refused = late_add(&mut x, 1, 0).over(4).on(&each).launch(&device).expect_err("per thread");
    assert!(refused.to_string().contains("device.stream()"), "{refused}");
    let (least, greatest) = device.stream_priorities().expect("priorities");
    assert!(device.stream_with_priority(greatest - 1).is_err());
    let high = device.stream_with_priority(greatest).expect("a stream");
    assert_eq!(high.priority().expect("a priority"), greatest);
    println!("figure stream_priorities {least}..{greatest} levels");
}

#[test]
fn host_functions_run_in_order_and_their_panics_are_reported() {
    everywhere::<late_add>(&(), |device| {
        let stream = device.stream().expect("a stream");
        let order = Arc::new(AtomicU32::new(0));
        let mut x = device.upload(&vec![0u32; N]).expect("memory");
        late_add(&mut x, 1, cycles(device)).over(N).on(&stream).launch(device).expect("queued");
        for step in 0..3 {
            let order = order.clone();
            stream.then(move || assert_eq!(order.fetch_add(1, HostOrdering::SeqCst), step)).expect("queued");
        }
        stream.synchronize().expect("no function panicked");
        assert_eq!(order.load(HostOrdering::SeqCst), 3, "on {}", device.name());
        stream.then(|| panic!("out of luck")).expect("queued");
        let error = stream.synchronize().expect_err("it panicked");
        assert!(error.to_string().contains("out of luck"), "{error}");
        stream.synchronize().expect("reported once");
    });
}

#[test]
fn events_order_streams_and_keep_time() {
    everywhere::<late_add>(&(), |device| {
        let (left, right) = (device.stream().expect("a stream"), device.stream().expect("a stream"));
        let mut x = device.upload(&vec![0u32; N]).expect("memory");
        let start = left.record().expect("an event");
        late_add(&mut x, 1, cycles(device)).over(N).on(&left).launch(device).expect("left");
        let end = left.record().expect("an event");
        right.wait(&end).expect("waits");
        right.synchronize().expect("right");
        assert!(end.is_done().expect("an event") && left.is_done().expect("left"), "right waited for left");
        let elapsed = start.elapsed(&end).expect("times");
        assert!(device.is_simulator() || elapsed > Duration::from_micros(500), "{elapsed:?}");
        let untimed = left.record_untimed().expect("an event");
        untimed.synchronize().expect("an event");
        let refused = start.elapsed(&untimed).expect_err("it keeps no time");
        assert!(refused.to_string().contains("stream.record()"), "{refused}");
    });
}
