//! Kernels with barriers of known purpose.

use warpsmith::checks::{Barriers, Verdict};
use warpsmith::prelude::*;
use warpsmith::simulator::SimFault;

/// The verdicts of a kernel, by line within it from 1: `needed`, `redundant` or `not reached`.
fn verdicts(barriers: &Barriers, start: u32) -> Vec<(u32, &'static str, &'static str)> {
    let word = |verdict: &Verdict| match verdict {
        Verdict::NotReached => "not reached",
        Verdict::Redundant => "redundant",
        Verdict::Unseen => "unseen",
        Verdict::Race(_) => "race",
        Verdict::Fault(_) => "fault",
        Verdict::OtherResult(_) => "result",
        other => panic!("{other:?}"),
    };
    let row = |barrier: &warpsmith::checks::Barrier| {
        (barrier.synchronisation.at.line - start, barrier.synchronisation.name, word(&barrier.verdict))
    };
    barriers.list.iter().map(row).collect()
}

const STAGED: u32 = line!();
#[gpu_kernel]
fn staged(x: &[u32], y: &mut [u32], late: bool) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    for step in 0..4u32 {
        tile[t] = x[step * 64 + t];
        sync_threads();
        y[step * 64 + t] = tile[63 - t];
        sync_threads();
    }
    if uniform(u32::from(late)) == 1 {
        sync_warp();
    }
    fence_device();
    sync_threads();
}

#[test]
fn a_barrier_in_a_loop_is_needed_for_what_it_orders_in_any_iteration() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let x = device.upload(&(0..256).collect::<Vec<u32>>())?;
    let mut y = device.alloc_zeroed::<u32>(256)?;
    let report = staged(&x, &mut y, false).grid(1).block(64).barriers(&device)?;
    let expected = [
        (7, "sync_threads", "race"),
        (9, "sync_threads", "race"),
        (12, "sync_warp", "not reached"),
        (14, "fence_device", "redundant"),
        (15, "sync_threads", "redundant"),
    ];
    assert_eq!(verdicts(&report, STAGED), expected);
    assert_eq!(report.list.iter().map(|barrier| barrier.reached).collect::<Vec<_>>(), [256, 256, 0, 64, 64]);
    let Verdict::Race(race) = &report.list[0].verdict else { panic!("{report}") };
    assert_eq!(race.lines(), (STAGED + 6, STAGED + 8));
    // The results of one launch, without those of the others.
    assert!(device.download(&y)?.iter().enumerate().all(|(i, v)| *v as usize == i / 64 * 64 + 63 - i % 64));
    Ok(())
}

#[test]
fn the_report_is_text_that_is_the_same_for_the_same_launch() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let x = device.upload(&[0u32; 256])?;
    let mut y = device.alloc_zeroed::<u32>(256)?;
    let report = staged(&x, &mut y, false).grid(1).block(64).barriers(&device)?.to_string();
    let at = |line: u32| format!("verdicts.rs:{}", STAGED + line);
    let expected = format!(
        "kernel `staged`: 1 launch, 2 of 5 barriers needed\n\
         {}  sync_threads  needed: without it, thread (0, 0, 0) of block (0, 0, 0) writes at {} and thread (63, 0, 0) of \
         block (0, 0, 0) reads at {}, shared memory\n\
         {}  sync_threads  needed: without it, thread (1, 0, 0) of block (0, 0, 0) reads at {} and thread (62, 0, 0) of \
         block (0, 0, 0) writes at {}, shared memory\n\
         {}  sync_warp     not reached: no thread came to it\n\
         {}  fence_device  redundant: no data race, no fault and no other result without it\n\
         {}  sync_threads  redundant: no data race, no fault and no other result without it\n",
        at(7),
        at(6),
        at(8),
        at(9),
        at(8),
        at(6),
        at(12),
        at(14),
        at(15)
    );
    assert_eq!(report, expected);
    Ok(())
}

/// The value of the next thread.
#[gpu_fn]
fn turned(tile: &mut [u32], t: u32) -> u32 {
    sync_threads();
    tile[(t + 1) % 64]
}

const CALLED: u32 = line!();
#[rustfmt::skip]
#[gpu_kernel]
fn called_twice(y: &mut [u32]) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    tile[t] = t;
    let first = turned(&mut tile, t);
    let second = turned(&mut tile, t);
    sync_warp(); sync_warp();
    y[t] = first + second;
}

#[test]
fn a_barrier_of_a_function_is_one_for_all_callers_and_those_of_a_line_are_apart() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let mut y = device.alloc_zeroed::<u32>(64)?;
    let report = called_twice(&mut y).grid(1).block(64).barriers(&device)?;
    let found: Vec<_> =
        report.list.iter().map(|b| (b.synchronisation.name, b.synchronisation.nth, b.reached)).collect();
    assert_eq!(found, [("sync_threads", 0, 128), ("sync_warp", 0, 64), ("sync_warp", 1, 64)]);
    assert_eq!(report.list[0].synchronisation.at.line, CALLED - 4);
    assert!(report.list[0].verdict.is_needed() && report.redundant().count() == 2, "{report}");
    assert!(report.to_string().contains("sync_warp #2"), "{report}");
    Ok(())
}

const VOTES: u32 = line!();
#[gpu_kernel]
fn votes(y: &mut [u32], #[comptime] shares: bool) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    tile[t] = t;
    let count = sync_threads_count(t < 10);
    y[t] = count + if shares { tile[63 - t] } else { tile[t] };
}

#[test]
fn a_vote_that_is_not_needed_as_a_barrier_still_counts() -> warpsmith::Result<()> {
    let device = Device::simulator();
    for (shares, expected) in [(true, "race"), (false, "redundant")] {
        let mut y = device.alloc_zeroed::<u32>(64)?;
        let report = votes(&mut y, shares).grid(1).block(64).barriers(&device)?;
        assert_eq!(verdicts(&report, VOTES), [(6, "sync_threads_count", expected)]);
        assert_eq!(device.download(&y)?[63], 10 + if shares { 0 } else { 63 });
    }
    Ok(())
}

const HALVES: u32 = line!();
#[gpu_kernel]
fn halves(y: &mut [u32]) {
    let mut tile = shared!([u32; 32]);
    let t = thread_idx().x;
    tile[t] = global_id() as u32;
    cluster_arrive();
    let other = map_shared_rank(&mut tile, 1 - cluster_block_rank());
    cluster_wait();
    y[global_id()] = other[31 - t];
    cluster_arrive();
    cluster_wait();
}

#[test]
fn the_halves_of_a_clusters_barrier_are_needed_where_they_order() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let mut y = device.alloc_zeroed::<u32>(64)?;
    let report = halves(&mut y).grid(2).block(32).cluster(2).barriers(&device)?;
    let found = verdicts(&report, HALVES);
    assert_eq!(found[..2], [(6, "cluster_arrive", "race"), (8, "cluster_wait", "race")]);
    // The last ones keep each block until the other is done with its shared memory.
    assert_eq!(found[2..], [(10, "cluster_arrive", "fault"), (11, "cluster_wait", "fault")]);
    Ok(())
}

const FLAG: u32 = line!();
#[gpu_kernel]
fn flag(data: &mut [u32], flag: &mut [u32], y: &mut [u32]) {
    if block_idx().x == 0 {
        data[0] = 7;
        atomic(&mut flag[0]).store(1, Ordering::Release);
    } else if atomic(&mut flag[0]).load(Ordering::Acquire) == 1 {
        y[0] = data[0];
    }
}

#[test]
fn releases_and_acquires_are_judged_too() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let (mut data, mut flags) = (device.alloc_zeroed::<u32>(1)?, device.alloc_zeroed::<u32>(1)?);
    let mut y = device.alloc_zeroed::<u32>(1)?;
    let report = flag(&mut data, &mut flags, &mut y).grid(2).block(1).barriers(&device)?;
    assert_eq!(verdicts(&report, FLAG), [(5, "store", "race"), (6, "load", "race")]);
    assert!(report.to_string().contains("store (Release)"), "{report}");
    assert_eq!(device.download(&y)?, [7]);
    Ok(())
}

const COPIES: u32 = line!();
#[gpu_kernel]
fn copies(x: &[u32], y: &mut [u32]) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    copy_async(&mut tile[t], &x[t]);
    copy_async_commit();
    copy_async_wait::<0>();
    sync_threads();
    y[t] = tile[63 - t];
}

#[test]
fn a_wait_for_copies_is_needed() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let (x, mut y) = (device.upload(&[3u32; 64])?, device.alloc_zeroed::<u32>(64)?);
    let report = copies(&x, &mut y).grid(1).block(64).barriers(&device)?;
    assert_eq!(verdicts(&report, COPIES), [(7, "copy_async_wait", "race"), (8, "sync_threads", "race")]);
    Ok(())
}

const TILES: u32 = line!();
#[gpu_kernel]
fn tiles(y: &mut [u32]) {
    let mut kept = shared!([u32; 32]);
    let (t, tile) = (thread_idx().x, warp_tile::<8>());
    kept[t] = t;
    tile.sync();
    y[t] = kept[t ^ 7];
    tile.sync();
}

#[test]
fn a_barrier_in_a_function_of_the_library_stands_where_it_is_called() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let mut y = device.alloc_zeroed::<u32>(32)?;
    let report = tiles(&mut y).grid(1).block(32).barriers(&device)?;
    let expected = [(6, "sync_warp_mask", "race"), (8, "sync_warp_mask", "redundant")];
    assert_eq!(verdicts(&report, TILES), expected);
    Ok(())
}

const COUNTED: u32 = line!();
#[gpu_kernel]
fn counted(n: &mut [u32], y: &mut [u32], #[comptime] asserts: bool) {
    let t = thread_idx().x;
    atomic_add(&mut n[0], 1);
    sync_threads();
    let all = atomic(&mut n[0]).load(Ordering::Relaxed);
    if asserts {
        assert!(all == 64);
    }
    y[t] = all;
}

#[test]
fn a_barrier_that_only_the_result_needs_is_needed() -> warpsmith::Result<()> {
    let device = Device::simulator();
    for (asserts, expected) in [(false, "result"), (true, "fault")] {
        let (mut n, mut y) = (device.alloc_zeroed::<u32>(1)?, device.alloc_zeroed::<u32>(64)?);
        let report = counted(&mut n, &mut y, asserts).grid(1).block(64).barriers(&device)?;
        assert_eq!(verdicts(&report, COUNTED), [(5, "sync_threads", expected)]);
        assert_eq!((device.download(&n)?[0], device.download(&y)?[0]), (64, 64));
    }
    Ok(())
}

const TICKETS: u32 = line!();
#[gpu_kernel]
fn tickets(n: &mut [u32], y: &mut [u32]) {
    let t = thread_idx().x;
    y[t] = atomic_add(&mut n[0], 1);
    sync_threads();
}

#[test]
fn what_depends_on_the_order_of_threads_says_nothing() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let (mut n, mut y) = (device.alloc_zeroed::<u32>(1)?, device.alloc_zeroed::<u32>(256)?);
    let report = tickets(&mut n, &mut y).grid(1).block(256).barriers(&device)?;
    assert_eq!(verdicts(&report, TICKETS), [(5, "sync_threads", "redundant")]);
    Ok(())
}

const PAIR: u32 = line!();
#[gpu_kernel]
fn pair(y: &mut [u32]) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    if uniform(warp_id()) == 0 {
        tile[t] = t;
        named_barrier_arrive(1, 64);
        named_barrier_arrive(2, 64);
    } else {
        named_barrier_sync(1, 64);
        y[t] = tile[t - 32];
        named_barrier_sync(2, 64);
    }
}

#[test]
fn named_barriers_are_needed_where_they_order() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let mut y = device.alloc_zeroed::<u32>(64)?;
    let report = pair(&mut y).grid(1).block(64).barriers(&device)?;
    let expected = [
        (7, "named_barrier_arrive", "race"),
        (8, "named_barrier_arrive", "redundant"),
        (10, "named_barrier_sync", "race"),
        (12, "named_barrier_sync", "redundant"),
    ];
    assert_eq!(verdicts(&report, PAIR), expected);
    Ok(())
}

#[gpu_kernel]
fn racy(y: &mut [u32]) {
    y[0] = thread_idx().x;
    sync_threads();
}

#[test]
fn a_launch_that_is_wrong_is_not_judged() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let mut y = device.alloc_zeroed::<u32>(1)?;
    let outcome = racy(&mut y).grid(1).block(32).barriers(&device);
    let Err(warpsmith::Error::Simulator(fault)) = outcome else { panic!("{outcome:?}") };
    assert!(matches!(*fault, SimFault::DataRace(_)), "{fault}");
    Ok(())
}
