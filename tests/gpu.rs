//! The corpus on a CUDA GPU, against host references, and what only a GPU can show.
//!
//! Without a GPU each test is ignored. `CORPUS_SCALE=real` takes inputs of real size.

use corpus::cases::{self, Scale};
use warpsmith::Error;
use warpsmith::launch::LaunchError;
use warpsmith::prelude::*;

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn every_kernel_is_right_on_the_gpu() {
    let device = harness::needs_gpu();
    let real = std::env::var("CORPUS_SCALE").is_ok_and(|s| s == "real");
    let scale = if real { Scale::Real } else { Scale::Small };
    let mut failures = Vec::new();
    let skipped = std::env::var("CORPUS_SKIP").unwrap_or_default();
    let skips = |name: &str| skipped.split(',').any(|part| !part.is_empty() && name.contains(part));
    for case in cases::all().into_iter().filter(|case| !skips(case.name)) {
        let outcome = (case.check)(&device, scale);
        println!("{:<36} {}", case.name, outcome.as_ref().err().map_or("right", String::as_str));
        failures.extend(outcome.err().map(|e| format!("{}: {e}", case.name)));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Line of the store in `scatter`.
const STORE: u32 = line!() + 6;

#[gpu_kernel]
fn scatter(at: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i < at.len() {
        y[at[i]] = 1;
    }
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn an_index_out_of_bounds_is_an_error_and_the_context_stays_usable() {
    let device = harness::needs_gpu();
    let mut at: Vec<u32> = (0..1000).collect();
    at[777] = 5000;
    let at = device.upload(&at).expect("device memory");
    let mut y = device.alloc_zeroed::<u32>(1000).expect("device memory");
    scatter(&at, &mut y).over(1000).launch(&device).expect("the launch itself is right");
    match device.synchronize() {
        Err(Error::Launch(LaunchError::Fault { kernel, file, line, what, block, thread, .. })) => {
            assert_eq!((kernel, file, line), ("scatter", file!(), STORE));
            assert_eq!(what, "index 5000 is out of bounds for length 1000");
            assert_eq!((block, thread), ([3, 0, 0], [777 - 768, 0, 0]));
        }
        other => panic!("not a fault: {other:?}"),
    }
    let mut again = device.alloc_zeroed::<u32>(6000).expect("the context is alive");
    scatter(&at, &mut again).over(1000).launch(&device).expect("the kernel can be launched again");
    assert_eq!(device.download(&again).expect("no fault").iter().sum::<u32>(), 1000);
}

#[gpu_kernel]
fn positive(x: &[i32], y: &mut [i32]) {
    let i = global_id();
    if i < x.len() && i < y.len() {
        assert!(x[i] > 0, "x must be positive");
        y[i] = x[i];
    }
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_failed_assertion_carries_its_message() {
    let device = harness::needs_gpu();
    let x = device.upload(&[1, 2, -3, 4]).expect("device memory");
    let mut y = device.upload(&[0; 4]).expect("device memory");
    positive(&x, &mut y).over(4).block(32).launch(&device).expect("the launch itself is right");
    match device.download(&y) {
        Err(Error::Launch(LaunchError::Fault { what, thread, .. })) => {
            assert_eq!((what.as_str(), thread), ("x must be positive", [2, 0, 0]));
        }
        other => panic!("not a fault: {other:?}"),
    }
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn launch_attributes_reach_the_driver() {
    let device = harness::needs_gpu();
    let at = device.upload(&(0..1000).collect::<Vec<u32>>()).expect("device memory");
    let mut y = device.alloc_zeroed::<u32>(1000).expect("device memory");
    let gpu = device.as_gpu().expect("a GPU");
    let stream = gpu.context().new_stream().expect("a stream");
    let clusters = gpu.limits().clusters;
    let launch = scatter(&at, &mut y).grid(8).block(128).on(&stream).priority(0);
    let launch = if clusters { launch.cluster(4).mem_sync_domain(MemSyncDomain::Remote) } else { launch };
    launch.launch(&device).expect("every attribute is right");
    assert_eq!(device.download(&y).expect("no fault").iter().sum::<u32>(), 1000);
    if clusters {
        let last = gpu.limits().mem_sync_domains as u8 - 1;
        scatter(&at, &mut y).over(1000).mem_sync_domain_map(0, last).launch(&device).expect("a domain map");
        let refused = scatter(&at, &mut y).over(1000).mem_sync_domain_map(0, last + 1).launch(&device);
        assert!(matches!(refused, Err(Error::Launch(LaunchError::Domain { .. }))), "{refused:?}");
    }
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn cudarc_memory_is_an_argument() {
    let device = harness::needs_gpu();
    let gpu = device.as_gpu().expect("a GPU");
    let at = gpu.stream().clone_htod(&(0..100).collect::<Vec<u32>>()).expect("device memory");
    let mut y = gpu.stream().alloc_zeros::<u32>(200).expect("device memory");
    scatter(&at, &mut y).over(100).launch(&device).expect("slices of cudarc");
    scatter(&at.slice(..10), &mut y.slice_mut(100..)).over(10).launch(&device).expect("views of cudarc");
    let host = gpu.stream().clone_dtoh(&y).expect("no fault");
    assert_eq!(host.iter().sum::<u32>(), 110);
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn memory_of_another_device_is_refused_by_name() {
    let device = harness::needs_gpu();
    let at = Device::simulator().upload(&[0u32]).expect("simulator memory");
    let mut y = device.alloc_zeroed::<u32>(1).expect("device memory");
    let refused = scatter(&at, &mut y).over(1).launch(&device);
    assert!(
        matches!(refused, Err(Error::Launch(LaunchError::Argument { argument: "at", .. }))),
        "{refused:?}"
    );
}
