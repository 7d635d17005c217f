//! Two GPUs of one host: copies, and kernels of one that use the memory of the other.

use std::process::Command;

use warpsmith::Error;
use warpsmith::driver::DriverError;
use warpsmith::host_memory::Pinned;
use warpsmith::launch::LaunchError;
use warpsmith::prelude::*;

const N: usize = 1 << 16;

/// y[i] = x[i] + add, after `cycles` cycles.
#[gpu_kernel]
fn late_sum(x: &[u32], y: &mut [u32], add: u32, cycles: u64) {
    let i = global_id();
    let start = clock();
    while clock() - start < cycles {}
    if i < x.len() && i < y.len() {
        y[i] = x[i] + add;
    }
}

/// x[i] += add, of a view that the launch cannot see.
#[gpu_kernel]
fn add_to_view(mut x: ViewMut<'_, u32>, add: u32) {
    let i = global_id();
    if i < x.len() {
        x[i] += add;
    }
}

/// Every thread counts.
#[gpu_kernel]
fn count(x: &mut [u32]) {
    atomic_system(&mut x[0]).fetch_add(1, Ordering::Relaxed);
}

/// Two GPUs of a test that is ignored where there are fewer.
fn two() -> (Device, Device) {
    (harness::needs_gpu(), Device::gpu(1).expect("a second GPU, without which this test is ignored"))
}

/// Two GPUs, each with access to the other's memory.
fn peers() -> (Device, Device) {
    let (first, second) = two();
    for (here, there) in [(&first, &second), (&second, &first)] {
        assert!(here.can_access_peer(there).expect("an answer"), "without which this test is ignored");
        here.enable_peer_access(there).expect("access");
        here.enable_peer_access(there).expect("access, again");
    }
    (first, second)
}

fn ramp() -> Vec<u32> {
    (0..N as u32).collect()
}

#[test]
fn the_simulator_has_no_peers() {
    let simulator = Device::simulator();
    assert!(!simulator.can_access_peer(&simulator).expect("an answer"));
    assert!(!simulator.has_peer_atomics(&simulator).expect("an answer"));
    let refused = simulator.enable_peer_access(&simulator).expect_err("no peer");
    assert!(matches!(refused, Error::Driver(DriverError::Unavailable { .. })), "{refused}");
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_gpu_is_no_peer_of_the_simulator_or_of_itself() {
    let (gpu, simulator) = (harness::needs_gpu(), Device::simulator());
    assert!(!gpu.can_access_peer(&simulator).expect("an answer"));
    assert!(gpu.enable_peer_access(&simulator).is_err());
    assert!(!gpu.has_peer_atomics(&gpu).expect("an answer"));
}

#[test]
#[ignore = "needs a process that has enabled no access; `memory_of_a_gpu_without_access_is_refused` runs it alone"]
fn without_access() {
    let (first, second) = two();
    let stream = first.stream().expect("a stream");
    let (mut x, y) = (first.alloc_zeroed::<u32>(N).expect("memory"), second.upload(&ramp()).expect("memory"));
    let refused = late_sum(&y, &mut x, 0, 0).over(N).launch(&first).expect_err("no access");
    assert!(matches!(refused, Error::Launch(LaunchError::PeerArgument { argument: "x", .. })), "{refused}");
    assert!(refused.to_string().contains("enable_peer_access"), "{refused}");
    stream.copy(&y, &mut x).expect("a copy between GPUs");
    drop(y);
    assert_eq!(first.download(&x).expect("a copy"), ramp());
    let here = first.upload(&ramp()).expect("memory");
    let prepared = late_sum(&here, &mut x, 0, 0).over(N).prepare(&first).expect("its own memory");
    let foreign = second.upload(&ramp()).expect("memory");
    assert!(prepared.launch(late_sum(&foreign, &mut x, 0, 0)).is_err());
    let mut graph = Graph::new(&first);
    assert!(matches!(graph.hold(foreign), Err(Error::Driver(DriverError::WrongDevice { .. }))));
    println!("without access it was refused");
}

#[test]
#[cfg_attr(not(two_gpus), ignore = "needs two GPUs")]
fn memory_of_a_gpu_without_access_is_refused() {
    two();
    let me = std::env::current_exe().expect("this test has a path");
    let child = Command::new(me)
        .args(["--exact", "peers::without_access", "--ignored", "--nocapture"])
        .output()
        .expect("this test starts again");
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{said}\n{}", String::from_utf8_lossy(&child.stderr));
    assert!(said.contains("without access it was refused"), "{said}");
}

#[test]
#[cfg_attr(not(two_gpus), ignore = "needs two GPUs")]
fn boxes_are_copied_between_gpus() {
    let (first, second) = two();
    let stream = second.stream().expect("a stream");
    let mut v = first.alloc_pitched_3d::<u32>(3, 5, 40).expect("memory");
    let mut w = second.alloc_pitched_3d::<u32>(2, 6, 100).expect("memory");
    v.write(&ramp()[..600]).expect("a copy");
    let to = w.part_mut(.., 1..5, 50..90).expect("a box");
    stream.copy_box(v.part(1.., ..4, ..).expect("a box"), to).expect("a copy between GPUs");
    let got = w.part(.., 1..5, 50..90).expect("a box").to_vec().expect("a copy");
    let want: Vec<u32> = (0..2u32).flat_map(|p| (0..160).map(move |i| (p + 1) * 200 + i)).collect();
    assert_eq!(got, want);
}

#[test]
#[cfg_attr(not(peers), ignore = "needs two GPUs that reach each other")]
fn a_kernel_reads_and_writes_memory_of_the_other_gpu() {
    let (first, second) = peers();
    println!("figure peer_atomics {} native", u8::from(first.has_peer_atomics(&second).expect("an answer")));
    let x = second.upload(&ramp()).expect("memory");
    let mut y = second.alloc_zeroed::<u32>(N).expect("memory");
    late_sum(&x, &mut y, 3, 0).over(N).launch(&first).expect("a kernel of the first GPU");
    let got = second.download(&y).expect("a copy, after the kernel");
    assert!(got.iter().zip(3..).all(|(got, want)| *got == want));
    let mut counter = second.upload(&[0u32]).expect("memory");
    count(&mut counter).grid(64).block(256).launch(&first).expect("a kernel of the first GPU");
    count(&mut counter).grid(64).block(256).launch(&second).expect("a kernel of the second");
    assert_eq!(second.download(&counter).expect("a copy"), [2 * 64 * 256]);
}

#[test]
#[cfg_attr(not(peers), ignore = "needs two GPUs that reach each other")]
fn launches_of_two_gpus_are_ordered_by_the_memory_that_they_share() {
    let (first, second) = peers();
    let (left, right) = (first.stream().expect("a stream"), second.stream().expect("a stream"));
    let mut x = second.alloc_zeroed::<u32>(N).expect("memory");
    let mut y = first.alloc_zeroed::<u32>(N).expect("memory");
    let mut value = 0;
    for round in 0..10 {
        // Each kernel starts late; one that did not wait for it would read the old values.
        late_sum(&x, &mut y, 1, 2_000_000).over(N).on(&left).launch(&first).expect("the first GPU");
        late_sum(&y, &mut x, 1, 2_000_000).over(N).on(&right).launch(&second).expect("the second GPU");
        value += 2;
        if round % 3 == 0 {
            assert_eq!(second.download(&x).expect("a copy"), vec![value; N]);
        }
    }
    drop(y);
    assert_eq!(second.download(&x).expect("a copy"), vec![value; N]);
}

#[test]
#[cfg_attr(not(peers), ignore = "needs two GPUs that reach each other")]
fn views_of_the_other_gpus_memory_are_ordered() {
    let (first, second) = peers();
    let (left, right) = (first.stream().expect("a stream"), second.stream().expect("a stream"));
    let from = second.alloc_zeroed::<u32>(N).expect("memory");
    let mut x = second.alloc_zeroed::<u32>(N).expect("memory");
    for round in 1..8u32 {
        late_sum(&from, &mut x, round, 4_000_000).over(N).on(&right).launch(&second).expect("the second GPU");
        add_to_view(x.view_mut(), 100).over(N).on(&left).launch(&first).expect("the first GPU");
        assert_eq!(second.download(&x).expect("a copy"), vec![round + 100; N]);
    }
}

#[test]
#[cfg_attr(not(peers), ignore = "needs two GPUs that reach each other")]
fn memory_dropped_while_the_other_gpu_uses_it_is_freed_after() {
    let (first, second) = peers();
    let stream = first.stream().expect("a stream");
    let mut y = first.alloc_zeroed::<u32>(N).expect("memory");
    for round in 0..10u32 {
        let x = second.upload(&vec![round; N]).expect("memory");
        late_sum(&x, &mut y, 0, 4_000_000).over(N).on(&stream).launch(&first).expect("the first GPU");
        drop(x);
        let others: Vec<_> = (0..4).map(|_| second.upload(&vec![u32::MAX; N]).expect("memory")).collect();
        assert_eq!(first.download(&y).expect("a copy"), vec![round; N]);
        drop(others);
    }
}

#[test]
#[cfg_attr(not(two_gpus), ignore = "needs two GPUs")]
fn portable_host_memory_is_taken_by_kernels_of_both_gpus() {
    let (first, second) = two();
    let (left, right) = (first.stream().expect("a stream"), second.stream().expect("a stream"));
    let portable = Pinned { portable: true, write_combined: false };
    let mut x = first.alloc_pinned::<u32>(N, portable).expect("pinned memory");
    let mut y = first.alloc_pinned::<u32>(N, portable).expect("pinned memory");
    for round in 1..6u32 {
        x.host_mut().expect("elements").fill(round);
        late_sum(&x, &mut y, 10, 2_000_000).over(N).on(&right).launch(&second).expect("the second GPU");
        late_sum(&y, &mut x, 100, 2_000_000).over(N).on(&left).launch(&first).expect("the first GPU");
        assert!(x.host().expect("elements").iter().all(|x| *x == round + 110), "round {round}");
    }
}
