//! Barriers with phases and bulk copies, each builtin at least once, by every executor.

#![allow(clippy::needless_borrow, reason = "a reference to a reference is coerced, in a kernel as in Rust")]

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use super::everywhere;

fn numbers(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

/// Rows of 64 numbers go round a ring of three places; a producer warp copies, the other warps read.
#[gpu_kernel]
fn ring(x: &[u32], y: &mut [u32]) {
    let mut rows = shared!([[u32; 64]; 3], align = 16);
    let full = shared!([Barrier; 3]);
    let empty = shared!([Barrier; 3]);
    let t = thread_idx().x;
    if t == 0 {
        for i in 0..3usize {
            full[i].init(1);
            empty[i].init(64);
        }
        fence_mbarrier_init();
    }
    sync_threads();
    let count = x.len() / 64;
    if t >= 64 {
        if t == 64 {
            let mut free = Phase::passed();
            for k in 0..count {
                let place = k % 3;
                empty[place].wait_for(free);
                full[place].load(&mut rows[place], &x[k * 64..k * 64 + 64]);
                full[place].arrive();
                if place == 2 {
                    free = free.next();
                }
            }
        }
    } else {
        let mut filled = Phase::first();
        for k in 0..count {
            let place = k % 3;
            full[place].wait_for(filled);
            y[k * 64 + t as usize] = rows[place][63 - t] + 1;
            empty[place].arrive();
            if place == 2 {
                filled = filled.next();
            }
        }
    }
}

#[test]
fn rows_go_round_a_ring() {
    everywhere::<ring>(&(), |device| {
        for rows in [1, 2, 3, 8] {
            let x = numbers(64 * rows);
            let input = device.upload(&x).expect("memory");
            let mut y = device.upload(&vec![0u32; x.len()]).expect("memory");
            ring(&input, &mut y).grid(1).block(96).launch(device).expect("a launch");
            let want: Vec<u32> = x.chunks(64).flat_map(|row| row.iter().rev().map(|v| v + 1)).collect();
            assert_eq!(device.download(&y).expect("no fault"), want, "{rows} rows on {}", device.name());
        }
    });
}

/// All threads meet at a barrier, phase after phase, by each way to arrive and to wait.
#[gpu_kernel]
fn meetings(x: &[u32], y: &mut [u32]) {
    let mut row = shared!([u32; 64]);
    let met = shared!([Barrier; 1]);
    let t = thread_idx().x;
    if t == 0 {
        mbarrier_init(&met[0], 64);
    }
    sync_threads();
    row[t] = x[t];
    let first = mbarrier_arrive_token(&met[0]);
    while !mbarrier_test_wait_token(&met[0], first) {}
    let mut sum = row[63 - t];
    let second = mbarrier_arrive_token(&met[0]);
    while !mbarrier_try_wait_token(&met[0], second) {}
    row[t] = sum + 1;
    mbarrier_arrive(&met[0]);
    while !mbarrier_test_wait(&met[0], 0) {}
    sum += row[t ^ 1];
    mbarrier_arrive_count(&met[0], 1);
    while !mbarrier_try_wait(&met[0], 1) {}
    row[t] = 3 * sum;
    mbarrier_arrive_expect_tx(&met[0], 0);
    mbarrier_wait(&met[0], 0);
    sum += row[t ^ 2];
    mbarrier_arrive(&met[0]);
    mbarrier_wait_phase(&met[0], 5);
    sync_threads();
    if t == 0 {
        mbarrier_inval(&met[0]);
        mbarrier_init(&met[0], 32);
    }
    sync_threads();
    if elect_one() {
        mbarrier_arrive_count(&met[0], 16);
    }
    mbarrier_wait_cluster(&met[0], 0);
    mbarrier_wait_phase_cluster(&met[0], 0);
    y[t] = sum;
}

#[test]
fn threads_meet_by_each_way_to_arrive_and_to_wait() {
    everywhere::<meetings>(&(), |device| {
        let x: Vec<u32> = (0..64).collect();
        let input = device.upload(&x).expect("memory");
        let mut y = device.upload(&[0u32; 64]).expect("memory");
        meetings(&input, &mut y).grid(1).block(64).launch(device).expect("a launch");
        let first: Vec<u32> = (0..64).map(|t| 63 - t).collect();
        let second: Vec<u32> = (0..64).map(|t| first[t] + first[t ^ 1] + 1).collect();
        let third: Vec<u32> = (0..64).map(|t| second[t] + 3 * second[t ^ 2]).collect();
        assert_eq!(device.download(&y).expect("no fault"), third, "on {}", device.name());
    });
}

/// Rows are stored by the copy engine, two at a time under way, and one is loaded back.
#[gpu_kernel]
fn stores(x: &[u32], y: &mut [u32], last: &mut [u32]) {
    let mut rows = shared!([[u32; 64]; 2], align = 16);
    let mut back = shared!([u32; 64], align = 16);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    let count = x.len() / 64;
    for k in 0..count {
        if t == 0 {
            bulk_wait_read::<1>();
        }
        sync_threads();
        rows[k % 2][t] = x[k * 64 + t as usize] ^ 5;
        fence_proxy_async();
        sync_threads();
        if t == 0 {
            bulk_store(&mut y[k * 64..k * 64 + 64], &rows[k % 2]);
            bulk_commit();
        }
    }
    if t == 0 {
        bulk_wait::<0>();
        y[0] += 1;
        fence_proxy_async_global();
        full.load(&mut back, &y[0..64]);
        full.arrive();
    }
    full.wait(&mut Phase::first());
    last[t] = back[63 - t];
}

#[test]
fn rows_are_stored_and_loaded_back() {
    everywhere::<stores>(&(), |device| {
        let x = numbers(64 * 5);
        let input = device.upload(&x).expect("memory");
        let mut y = device.upload(&vec![0u32; x.len()]).expect("memory");
        let mut last = device.upload(&[0u32; 64]).expect("memory");
        stores(&input, &mut y, &mut last).grid(1).block(64).launch(device).expect("a launch");
        let mut want: Vec<u32> = x.iter().map(|v| v ^ 5).collect();
        want[0] += 1;
        assert_eq!(device.download(&y).expect("no fault"), want, "on {}", device.name());
        want.truncate(64);
        want.reverse();
        assert_eq!(device.download(&last).expect("no fault"), want, "on {}", device.name());
    });
}

/// Blocks of a cluster send each other rows by the copy engine, and values by stores that they publish.
#[gpu_kernel(cluster(2))]
fn exchanges(x: &[u32], y: &mut [u32]) {
    let mut own = shared!([u32; 32], align = 16);
    let mut got = shared!([u32; 32], align = 16);
    let mut one = shared!([u32; 32]);
    let barriers = shared!([Barrier; 3]);
    let (t, rank) = (thread_idx().x, cluster_block_rank());
    if t == 0 {
        barriers[0].init(1);
        barriers[1].init(32);
        barriers[2].init(64);
        fence_mbarrier_init();
    }
    own[t] = x[rank * 32 + t];
    fence_proxy_async();
    cluster_sync();
    if t == 0 {
        barriers[0].expect(128);
        bulk_send(&mut got, &own, &barriers[0], 1 - rank);
    }
    let mut there = map_shared_rank(&mut one, 1 - rank);
    there[t] = t + rank;
    mbarrier_publish_at(&barriers[1], 1 - rank);
    barriers[0].wait_for(Phase::first());
    barriers[1].wait_cluster(&mut Phase::first());
    y[rank * 32 + t] = got[31 - t] + one[t];
    for block in 0..2 {
        mbarrier_arrive_at(&barriers[2], block);
    }
    barriers[2].wait(&mut Phase::first());
    one[t] = 0;
    cluster_sync();
}

#[test]
fn blocks_of_a_cluster_exchange_rows() {
    everywhere::<exchanges>(&(), |device| {
        let x = numbers(64);
        let input = device.upload(&x).expect("memory");
        let mut y = device.upload(&[0u32; 64]).expect("memory");
        exchanges(&input, &mut y).grid(2).block(32).launch(device).expect("a launch");
        let other = |i: usize| x[(1 - i / 32) * 32 + 31 - i % 32] + (i % 32 + 1 - i / 32) as u32;
        assert_eq!(
            device.download(&y).expect("no fault"),
            (0..64).map(other).collect::<Vec<_>>(),
            "{}",
            device.name()
        );
    });
}

/// The threads' own copies arrive at a barrier.
#[gpu_kernel]
fn arriving_copies(x: &[u32], y: &mut [u32]) {
    let mut row = shared!([u32; 64]);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        full.init(64);
    }
    sync_threads();
    copy_async(&mut row[t], &x[t]);
    cp_async_mbarrier_arrive(&full);
    full.wait(&mut Phase::first());
    y[t] = row[63 - t];
}

#[test]
fn copies_of_threads_arrive_at_a_barrier() {
    everywhere::<arriving_copies>(&(), |device| {
        let x = numbers(64);
        let input = device.upload(&x).expect("memory");
        let mut y = device.upload(&[0u32; 64]).expect("memory");
        arriving_copies(&input, &mut y).grid(1).block(64).launch(device).expect("a launch");
        let want: Vec<u32> = x.iter().rev().copied().collect();
        assert_eq!(device.download(&y).expect("no fault"), want, "on {}", device.name());
    });
}

/// A ring whose places are guards: filled by one thread, read by 64.
#[gpu_kernel]
fn guarded_ring<const STAGES: usize>(x: &[u32], y: &mut [u32]) {
    let ring = shared!(RowRing<u32, 64, STAGES>);
    ring.init(64);
    let (t, rows) = (thread_idx().x as usize, x.len() / 64);
    if t == 64 {
        let mut filler = ring.filler();
        for row in 0..rows {
            let free = filler.acquire();
            free.load(&x[row * 64..row * 64 + 64]);
            free.commit();
        }
    }
    if t < 64 {
        let mut reader = ring.reader();
        for row in 0..rows {
            let filled = reader.wait();
            y[row * 64 + t] = filled.row()[63 - t] + 1;
            filled.release();
        }
    }
}

fn guards<const STAGES: usize>()
where
    guarded_ring<STAGES>: Kernel<Comptime = ()>,
{
    everywhere::<guarded_ring<STAGES>>(&(), |device| {
        for rows in [1, 3, 7] {
            let x = numbers(64 * rows);
            let input = device.upload(&x).expect("memory");
            let mut y = device.upload(&vec![0u32; x.len()]).expect("memory");
            guarded_ring::<STAGES>(&input, &mut y).grid(1).block(96).launch(device).expect("a launch");
            let want: Vec<u32> = x.chunks(64).flat_map(|row| row.iter().rev().map(|v| v + 1)).collect();
            assert_eq!(device.download(&y).expect("no fault"), want, "{rows} rows on {}", device.name());
        }
    });
}

#[test]
fn rows_go_round_a_ring_by_guards() {
    guards::<1>();
    guards::<3>();
}
