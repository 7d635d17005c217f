//! Shared memory of the blocks of a cluster.

use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings, SimFault};

use crate::suite::cases;

cases! { "clusters.rs";
    remote_read(4, 32, cluster(2)) clean [0] racy [1 2];
    remote_write(4, 32, cluster(2)) clean [0] racy [1 2];
    halves_of_the_barrier(4, 32, cluster(2)) clean [0 1] racy [2 3];
    remote_histogram(4, 32, cluster(2)) clean [0] racy [1 2];
    ring_of_blocks(4, 32, cluster(4)) clean [0] racy [1 2];
    neighbours_of_a_cluster(4, 32, cluster(2)) clean [0] racy [1];
    remote_atomics(4, 32, cluster(2)) clean [0 1] racy [2];
    broadcast_by_the_first(4, 32, cluster(4)) clean [0] racy [1];
}

#[gpu_kernel]
fn remote_read(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 32]);
    let t = thread_idx().x;
    tile[t] = x[global_id()]; // race
    if how == 0 {
        cluster_sync();
    }
    if how == 1 {
        sync_threads();
    }
    let other = map_shared_rank(&mut tile, 1 - cluster_block_rank());
    y[global_id()] = other[t]; // race
    cluster_sync();
}

#[gpu_kernel]
fn remote_write(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 32]);
    let t = thread_idx().x;
    tile[t] = 0; // race 2
    if how != 2 {
        cluster_sync();
    }
    let mut other = map_shared_rank(&mut tile, 1 - cluster_block_rank());
    other[t] = x[global_id()]; // race
    if how != 1 {
        cluster_sync();
    }
    y[global_id()] = tile[t]; // race 1
}

#[gpu_kernel]
fn halves_of_the_barrier(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 32]);
    let t = thread_idx().x;
    tile[t] = x[global_id()]; // race 3
    cluster_arrive();
    if how == 1 {
        y[256 + global_id()] = 5;
    }
    if how == 2 {
        tile[t] += 1; // race 2
    }
    let other = map_shared_rank(&mut tile, 1 - cluster_block_rank());
    if how == 3 {
        y[128 + global_id()] = other[t]; // race 3
    }
    cluster_wait();
    y[global_id()] = other[t]; // race 2
    cluster_sync();
}

#[gpu_kernel]
fn remote_histogram(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut bins = shared!([u32; 8]);
    let t = thread_idx().x;
    if t < 8 {
        bins[t] = 0; // race 1
    }
    if how == 1 {
        sync_threads();
    } else {
        cluster_sync();
    }
    let bin = (x[global_id()] + t) % 16;
    let mut owner = map_shared_rank(&mut bins, bin / 8);
    atomic_add(&mut owner[bin % 8], 1); // race
    if how == 2 {
        sync_threads();
    } else {
        cluster_sync();
    }
    if t < 8 {
        atomic_add(&mut y[cluster_block_rank() * 8 + t], bins[t]); // race 2
    }
}

/// Each block hands what it has to the next, twice.
#[gpu_kernel]
fn ring_of_blocks(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut boxes = shared!([[u32; 32]; 2]);
    let t = thread_idx().x;
    let mut value = x[global_id()];
    let next = (cluster_block_rank() + 1) % 4;
    for step in 0..4u32 {
        let stage = if how == 1 { 0 } else { step % 2 };
        let mut theirs = map_shared_rank(&mut boxes[stage][..], next);
        theirs[t] = value; // race
        if how != 2 {
            cluster_sync();
        }
        value = boxes[stage][31 - t] + 1; // race
    }
    cluster_sync();
    y[global_id()] = value;
}

#[gpu_kernel]
fn neighbours_of_a_cluster(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    x[i] = 1; // race
    cluster_sync();
    y[i] = x[i ^ if how == 1 { 64 } else { 32 }]; // race
}

#[gpu_kernel]
fn remote_atomics(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut count = shared!([u32; 1]);
    if thread_idx().x == 0 {
        count[0] = x[0];
    }
    cluster_sync();
    let mut first = map_shared_rank(&mut count, 0);
    match how {
        0 => atomic_cluster(&mut first[0]).fetch_add(1, Ordering::Relaxed),
        1 => atomic(&mut first[0]).fetch_add(1, Ordering::Relaxed),
        _ => atomic_block(&mut first[0]).fetch_add(1, Ordering::Relaxed), // race
    };
    cluster_sync();
    if thread_idx().x == 0 {
        y[block_idx().x] = count[0];
    }
}

#[gpu_kernel]
fn broadcast_by_the_first(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 32]);
    let t = thread_idx().x;
    cluster_sync();
    if cluster_block_rank() == 0 {
        for rank in 0..cluster_size() {
            let mut theirs = map_shared_rank(&mut tile, rank);
            theirs[t] = x[t]; // race
        }
    }
    if how == 0 {
        cluster_sync();
    } else {
        sync_threads();
    }
    y[global_id()] = tile[31 - t]; // race
    cluster_sync();
}

/// Blocks of a cluster that use each other's shared memory, and what keeps the others until they are done.
#[gpu_kernel]
fn last_visit(y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 32]);
    let t = thread_idx().x;
    tile[t] = t;
    cluster_sync();
    let other = map_shared_rank(&mut tile, 1 - cluster_block_rank());
    if how < 4 || cluster_block_rank() == 0 {
        y[global_id()] = other[t]; // visit
    }
    match how {
        0 => cluster_sync(),
        1 => {
            cluster_arrive();
            cluster_wait();
        }
        2 => sync_threads(),
        _ => {}
    }
}

#[test]
fn a_block_that_may_exit_while_its_shared_memory_is_in_use_is_found() -> warpsmith::Result<()> {
    let line =
        include_str!("clusters.rs").lines().position(|line| line.ends_with("// visit")).expect("marked") + 1;
    let settings = Settings { executor: Executor::Interpreter, ..Settings::default() };
    for (how, seed) in [0, 1, 2, 3, 4].into_iter().flat_map(|how| [0, 1, 7].map(|seed| (how, seed))) {
        let device = Device::simulator_with(Settings { seed, ..settings.clone() });
        let mut y = device.alloc_zeroed::<u32>(128)?;
        match (how, last_visit(&mut y, how).grid(4).block(32).cluster(2).launch(&device)) {
            (0 | 1, Ok(())) => {}
            (2.., Err(warpsmith::Error::Simulator(fault))) => {
                let SimFault::SharedMemoryGone { line: found, block, owner, .. } = fault.found() else {
                    panic!("{fault}")
                };
                assert_eq!((*found as usize, block[0] ^ 1), (line, owner[0]), "{how}, {seed}");
            }
            (_, outcome) => panic!("{how}, {seed}: {outcome:?}"),
        }
    }
    Ok(())
}
