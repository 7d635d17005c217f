//! The copy engine and barriers between the blocks of a cluster.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use crate::suite::cases;

cases! { "clusters.rs";
    sent(2, 32, cluster(2)) clean [0] racy [1 2 3];
    sent_again(2, 32, cluster(2)) clean [0] racy [1 2 3];
    published(2, 32, cluster(2)) clean [0] racy [1 2];
    released_for_reuse(2, 32, cluster(2)) clean [0] racy [1];
}

/// A block sends a row to the other one.
#[gpu_kernel]
fn sent(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 32], align = 16);
    let mut got = shared!([u32; 32], align = 16);
    let full = shared!(Barrier);
    let (t, rank) = (thread_idx().x, cluster_block_rank());
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    row[t] = x[t]; // race 2
    if how != 2 {
        fence_proxy_async();
    }
    cluster_sync();
    if t == 0 {
        full.expect(128);
        bulk_send(&mut got, &row, full, 1 - rank); // race
    }
    if how == 3 {
        got[t] = 1; // race 3
    }
    if how != 1 {
        full.wait_for(Phase::first());
    }
    y[rank * 32 + t] = got[31 - t]; // race 1
    cluster_sync();
}

/// A block sends a row to the other one twice. Before the second time, the other one has waited for the first row and read
/// it.
#[gpu_kernel]
fn sent_again(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 32], align = 16);
    let mut there = shared!([u32; 32], align = 16);
    let full = shared!(Barrier);
    let empty = shared!(Barrier);
    let (t, rank) = (thread_idx().x, cluster_block_rank());
    row[t] = x[t];
    fence_proxy_async();
    if t == 0 {
        full.init(1);
        empty.init(32);
        fence_mbarrier_init();
    }
    cluster_sync();
    if rank == 1 {
        let mut phase = Phase::first();
        if t == 0 {
            full.expect(128);
        }
        if how == 1 {
            empty.arrive_at(0);
        }
        full.wait(&mut phase);
        if how != 3 {
            y[t] = there[31 - t]; // race 1 2
        }
        if how != 1 {
            empty.arrive_at(0);
        }
        if t == 0 {
            full.expect(128);
        }
        if how != 3 {
            full.wait(&mut phase);
        }
        y[t] = there[31 - t]; // race 2 3
        if how == 3 {
            full.wait(&mut phase);
        }
    } else if t == 0 {
        bulk_send(&mut there, &row, full, 1); // race
        if how != 2 {
            empty.wait_for(Phase::first());
        }
        bulk_send(&mut there, &row, full, 1); // race
    }
    cluster_sync();
}

/// A block writes into the other one's shared memory and tells it.
#[gpu_kernel]
fn published(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 32]);
    let full = shared!(Barrier);
    let (t, rank) = (thread_idx().x, cluster_block_rank());
    if t == 0 {
        full.init(32);
        fence_mbarrier_init();
    }
    cluster_sync();
    if rank == 1 {
        let mut remote = map_shared_rank(&mut row, 0);
        remote[t] = x[t]; // race
        if how == 1 {
            full.arrive_at(0);
        } else {
            full.publish_at(0);
        }
    } else {
        let mut phase = Phase::first();
        if how == 2 {
            full.wait(&mut phase);
        } else {
            full.wait_cluster(&mut phase);
        }
        y[t] = row[31 - t]; // race
    }
    cluster_sync();
}

/// A block tells the other one that it has read the data that the other one overwrites next. That needs no fence.
#[gpu_kernel]
fn released_for_reuse(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 32]);
    let empty = shared!(Barrier);
    let (t, rank) = (thread_idx().x, cluster_block_rank());
    if t == 0 {
        empty.init(32);
        fence_mbarrier_init();
    }
    row[t] = x[t];
    cluster_sync();
    if rank == 1 {
        if how == 1 {
            empty.arrive_at(0);
        }
        y[t] = map_shared_rank(&mut row, 0)[31 - t]; // race
        if how == 0 {
            empty.arrive_at(0);
        }
    } else {
        empty.wait_for(Phase::first());
        row[t] = 3; // race
    }
    cluster_sync();
}
