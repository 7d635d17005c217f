//! Threads of a block and a grid: barriers that vote, named barriers, the grid's barrier, clusters, fences.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_kernel]
fn votes_of_a_block(x: &[i32], out: &mut [u32]) {
    let i = global_id();
    let v = x[i];
    let positive = sync_threads_count(v > 0);
    let all = sync_threads_and(v > -100);
    let any = sync_threads_or(v == 7);
    if all {
        sync_threads();
    }
    out[i] = positive * 100 + all as u32 * 10 + any as u32;
}

#[test]
fn a_barrier_counts_and_joins_predicates() {
    everywhere::<votes_of_a_block>(&(), |device| {
        let mut x: Vec<i32> = (0..288).map(|i| i % 5 - 2).collect();
        (x[100], x[200]) = (7, -100);
        let input = device.upload(&x).expect("memory");
        let out = written(device, (288, 9999), |out| {
            votes_of_a_block(&input, out).grid(3).block(96).launch(device)
        });
        for (block, got) in x.chunks(96).zip(out.chunks(96)) {
            let count = block.iter().filter(|v| **v > 0).count() as u32;
            let (all, any) = (block.iter().all(|v| *v > -100), block.contains(&7));
            let want = count * 100 + u32::from(all) * 10 + u32::from(any);
            assert_eq!(got, vec![want; 96], "on {}", device.name());
        }
    });
}

/// Warps 0 and 1 make values, warps 2 and 3 consume them: two barriers, one for each direction.
#[gpu_kernel(allow(divergent_barriers))]
fn producers(x: &[i32], rounds: u32, out: &mut [i32]) {
    let mut slot = shared!([i32; 64]);
    let (t, warp) = (thread_idx().x, thread_idx().x / 32);
    if warp < 2 {
        for r in 0..rounds {
            named_barrier_sync(2, 128);
            slot[t] = x[r * 64 + t] * 3;
            named_barrier_arrive(1, 128);
        }
    } else {
        let mut sum = 0;
        named_barrier_arrive(2, 128);
        for r in 0..rounds {
            named_barrier_sync(1, 128);
            sum += slot[95 - (t - 32)] + r as i32;
            if r + 1 < rounds {
                named_barrier_arrive(2, 128);
            }
        }
        out[t - 64] = sum;
    }
}

#[test]
fn named_barriers_join_some_warps() {
    everywhere::<producers>(&(), |device| {
        let rounds = 5;
        let x: Vec<i32> = (0..64 * rounds).map(|i| (i * 37) % 101 - 50).collect();
        let input = device.upload(&x).expect("memory");
        let out = written(device, (64, -1), |out| {
            producers(&input, rounds as u32, out).grid(1).block(128).launch(device)
        });
        for t in 0..64 {
            let want: i32 = (0..rounds).map(|r| x[r as usize * 64 + 63 - t] * 3 + r).sum();
            assert_eq!(out[t], want, "thread {t} on {}", device.name());
        }
    });
}

/// Jacobi steps over the whole grid: each reads what other blocks wrote in the last.
#[gpu_kernel]
fn steps(a: &mut [i64], b: &mut [i64], n: u32) {
    let i = global_id();
    let len = a.len();
    for k in 0..n {
        let (left, right) = ((i + len - 1) % len, (i + 1) % len);
        if k % 2 == 0 {
            b[i] = volatile_load(&a[left]) + volatile_load(&a[right]);
        } else {
            a[i] = volatile_load(&b[left]) + volatile_load(&b[right]);
        }
        grid_sync();
    }
}

#[test]
fn the_grid_waits_for_all_its_blocks() {
    everywhere::<steps>(&(), |device| {
        let mut x: Vec<i64> = (0..256).map(|i| i * i % 17).collect();
        let mut a = device.upload(&x).expect("memory");
        let mut b = device.upload(&vec![-1i64; 256]).expect("memory");
        steps(&mut a, &mut b, 5).grid(4).block(64).cooperative().launch(device).expect("it runs");
        for _ in 0..5 {
            x = (0..256).map(|i| x[(i + 255) % 256] + x[(i + 1) % 256]).collect();
        }
        assert_eq!(device.download(&b).expect("memory"), x, "on {}", device.name());
        let refused = steps(&mut a, &mut b, 1).grid(4).block(64).launch(device).expect_err("not cooperative");
        assert!(refused.to_string().contains("cooperative"), "{refused}");
    });
}

/// Each block adds into its neighbour's shared memory, and reads its own after the cluster's barrier.
#[gpu_kernel(cluster(2, 2))]
fn neighbours(out: &mut [u32]) {
    let mut counts = shared!([u32; 32]);
    let t = thread_idx().x;
    counts[t] = t;
    cluster_sync();
    let rank = cluster_block_rank();
    let mut next = map_shared_rank(&mut counts, (rank + 1) % cluster_size());
    atomic_cluster(&mut next[31 - t]).fetch_add(100 * (rank + 1), Ordering::Relaxed);
    atomic_add(&mut next[t], 10_000);
    cluster_arrive();
    let place = cluster_block_idx().y * 2 + cluster_block_idx().x;
    let index = cluster_idx().y * 3 + cluster_idx().x;
    cluster_wait();
    let block = block_idx().y * grid_dim().x + block_idx().x;
    out[block * 32 + t] = counts[t]
        + (place == rank) as u32 * 1_000_000
        + cluster_dim().x * cluster_dim().y * 10_000_000
        + index * 100_000_000;
}

#[test]
fn clusters_share_memory() {
    everywhere::<neighbours>(&(), |device| {
        let out = written(device, (24 * 32, 7), |out| neighbours(out).grid([6, 4]).block(32).launch(device));
        for (at, got) in out.iter().enumerate() {
            let (block, t) = (at as u32 / 32, at as u32 % 32);
            let (x, y) = (block % 6, block / 6);
            let rank = y % 2 * 2 + x % 2;
            let before = (rank + 3) % 4;
            let want = t + 100 * (before + 1) + 10_000 + 1_000_000 + 40_000_000;
            assert_eq!(*got, want + (y / 2 * 3 + x / 2) * 100_000_000, "block {block} on {}", device.name());
        }
    });
}

#[test]
fn a_cluster_that_the_kernel_fixes_is_kept() {
    let simulator = Device::simulator();
    let mut out = simulator.upload(&[0u32; 24 * 32]).expect("memory");
    let other = neighbours(&mut out).grid([6, 4]).block(32).cluster([3, 2]).launch(&simulator);
    assert!(other.expect_err("2, 2 is fixed").to_string().contains("cluster"));
    let odd = neighbours(&mut out).grid([5, 4]).block(32).launch(&simulator);
    assert!(odd.expect_err("5 is no multiple of 2").to_string().contains("cluster"));
}

/// A value handed from one thread to another by a flag, with a fence of each scope.
#[gpu_kernel]
fn handed_over(data: &mut [u32], flags: &mut [u32], out: &mut [u32]) {
    let (block, t) = (block_idx().x, thread_idx().x);
    if t != 0 {
        return;
    }
    if block == 0 {
        data[0] = 41;
        fence_block();
        fence_device();
        fence_system();
        atomic(&mut flags[0]).store(1, Ordering::Relaxed);
    } else {
        while atomic(&mut flags[0]).load(Ordering::Relaxed) == 0 {}
        fence_device();
        out[0] = volatile_load(&data[0]) + 1;
    }
}

#[test]
fn fences_order_data_before_flags() {
    everywhere::<handed_over>(&(), |device| {
        let mut data = device.upload(&[0u32]).expect("memory");
        let mut flags = device.upload(&[0u32]).expect("memory");
        let out = written(device, (1, 9), |out| {
            handed_over(&mut data, &mut flags, out).grid(2).block(32).launch(device)
        });
        assert_eq!(out, [42], "on {}", device.name());
    });
}

/// Threads that have nothing to do go on with the next round, and meet the others at its first barrier.
#[gpu_kernel(launch_bounds(32))]
fn rounds_with_idle_threads(x: &[u32], y: &mut [u32], n: u32) {
    let mut tile = shared!([u32; 32]);
    let t = thread_idx().x;
    let active = t < n;
    let mut sum = 0u32;
    for k in 0..4 {
        sync_threads();
        tile[t] = x[k * 32 + t];
        sync_threads();
        if !active {
            continue;
        }
        sum += tile[31 - t];
    }
    'last: {
        sync_threads();
        tile[t] = sum;
        sync_threads();
        if t % 2 == 0 {
            break 'last;
        }
        sum += tile[t - 1];
    }
    y[t] = sum;
}

#[test]
fn threads_that_continue_meet_the_others_again() {
    super::everywhere::<rounds_with_idle_threads>(&(), |device| {
        let x: Vec<u32> = (0..128).map(|i| i * 3).collect();
        let input = device.upload(&x).expect("memory");
        let launch =
            |y: &mut Buffer<u32>| rounds_with_idle_threads(&input, y, 20).grid(1).block(32).launch(device);
        let y = super::written(device, (32, 0), launch);
        let sum = |t: usize| if t < 20 { (0..4).map(|k| x[k * 32 + 31 - t]).sum() } else { 0 };
        let want: Vec<u32> = (0..32).map(|t| sum(t) + if t % 2 == 1 { sum(t - 1) } else { 0 }).collect();
        assert_eq!(y, want);
    });
    let checked = rounds_with_idle_threads::checked_cuda_source_for(&()).expect("a kernel");
    assert!(!checked.contains("tile[ws_at(t,"), "launch_bounds proves `tile[t]`:\n{checked}");
}

const FILLED: u32 = 1;

/// The same by numbers that are constants of the kernel, or that two roles compute.
#[gpu_kernel(allow(divergent_barriers))]
fn numbered(x: &[i32], out: &mut [i32], shift: u32, #[comptime] emptied: u32) {
    let mut slot = shared!([i32; 64]);
    let (t, warp) = (thread_idx().x, thread_idx().x / 32);
    if warp < 2 {
        slot[t] = x[t] * 3;
        named_barrier_arrive(FILLED, 128);
        named_barrier_sync(emptied, 128);
    } else {
        named_barrier_sync(FILLED, 128);
        out[t - 64] = slot[127 - t];
        named_barrier_arrive(emptied, 128);
    }
    named_barrier_sync(shift + warp / 2, 64);
}

#[test]
fn named_barriers_with_constant_numbers_print_them() {
    let code = numbered::cuda_source_for(&(5,)).expect("it prints");
    for text in [
        "barrier.sync 1, %0;",
        "barrier.arrive 5, %0;",
        "ws_barrier_sync_5(128u)",
        "ws_barrier_sync(shift + ",
    ] {
        assert!(code.contains(text), "{text} in {code}");
    }
    everywhere::<numbered>(&(5,), |device| {
        let x: Vec<i32> = (0..64).map(|i| i * 7 - 50).collect();
        let input = device.upload(&x).expect("memory");
        let out =
            written(device, (64, -1), |out| numbered(&input, out, 8, 5).grid(1).block(128).launch(device));
        let want: Vec<i32> = x.iter().rev().map(|v| v * 3).collect();
        assert_eq!(out, want, "on {}", device.name());
    });
}
