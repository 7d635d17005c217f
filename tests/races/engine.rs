//! The copy engine: barriers that count its bytes, what it may see of threads' stores, and what it still reads.
//!
//! Seeded from what kernels with bulk copies have got wrong: a missing fence between the proxies, or one on the wrong side;
//! a place that is filled before its wait, or filled again before all have read it; a source that is written too early.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use crate::suite::cases;

cases! { "engine.rs";
    loaded(1, 64) clean [0 4] racy [1 2 3];
    two_places(1, 64) clean [0] racy [1 2 3 4];
    filled_again(1, 64) clean [0 3] racy [1 2];
    producer_warp(1, 96) clean [0] racy [1 2 3];
    read_by_lanes(1, 32) clean [0] racy [1 2];
    stored(1, 64) clean [0 4] racy [1 2 3 5];
    source_rewritten(1, 64) clean [0 4] racy [1 2 3];
    stored_and_read(1, 64) clean [0] racy [1 2];
    two_groups(1, 32) clean [0] racy [1 2];
    written_and_loaded(1, 32) clean [0] racy [1 2];
    written_meanwhile(1, 64) clean [0] racy [1 2];
    handed_over(1, 64) clean [0 4] racy [1 2 3];
    by_token(1, 64) clean [0] racy [1 2];
    own_copies(1, 64) clean [0] racy [1 2];
    made_before(1, 64) clean [0] racy [1];
    sent(2, 32, cluster(2)) clean [0] racy [1 2 3];
    sent_again(2, 32, cluster(2)) clean [0] racy [1 2 3];
    published(2, 32, cluster(2)) clean [0] racy [1 2];
    released_for_reuse(2, 32, cluster(2)) clean [0] racy [1];
}

#[gpu_kernel]
fn loaded(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let full = shared!([Barrier; 1]);
    let t = thread_idx().x;
    if t == 0 {
        mbarrier_init(&full[0], 1); // race 1
        if how != 1 {
            fence_mbarrier_init();
        }
    }
    sync_threads();
    if t == 0 {
        mbarrier_arrive_expect_tx(&full[0], 256);
        bulk_load(&mut row, &x[0..64], &full[0]); // race
    }
    if how != 2 && (how < 3 || t == 0) {
        mbarrier_wait(&full[0], 0);
    }
    if how == 4 {
        sync_threads();
    }
    y[t] = row[63 - t]; // race 2 3
}

/// Two places with a barrier each.
#[gpu_kernel]
fn two_places(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut rows = shared!([[u32; 64]; 2], align = 16);
    let full = shared!([Barrier; 2]);
    let t = thread_idx().x;
    if t == 0 {
        mbarrier_init(&full[0], 1);
        mbarrier_init(&full[1], 1);
        fence_mbarrier_init();
    }
    sync_threads();
    if t == 0 {
        mbarrier_arrive_expect_tx(&full[0], 256);
        bulk_load(&mut rows[0], &x[0..64], &full[0]); // race 2 4
        mbarrier_arrive_expect_tx(&full[1], 256);
        bulk_load(&mut rows[if how == 4 { 0 } else { 1 }], &x[64..128], &full[1]); // race 1 3 4
        if how == 4 {
            bulk_load(&mut rows[0], &x[128..192], &full[1]); // race 4
        }
    }
    if how != 2 {
        mbarrier_wait(&full[0], 0);
    }
    if how == 3 {
        y[t] = rows[1][t]; // race 3
    }
    if how != 1 {
        mbarrier_wait(&full[1], 0);
    }
    y[64 + t] = rows[0][t] + rows[1][63 - t]; // race 1 2
}

/// One place is filled twice, after all have read it.
#[gpu_kernel]
fn filled_again(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    sync_threads();
    let mut phase = Phase::first();
    for k in 0..2u32 {
        if t == 0 {
            full.load(&mut row, &x[k as usize * 64..k as usize * 64 + 64]); // race
            full.arrive();
        }
        full.wait(&mut phase);
        y[k * 64 + t] = row[63 - t]; // race
        if how == 0 || how == 2 && t < 32 {
            fence_proxy_async();
        }
        sync_threads();
        if how == 3 && t == 0 {
            fence_proxy_async();
        }
    }
}

/// A warp fills three places in turn, as the others have emptied them.
#[gpu_kernel]
fn producer_warp(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut rows = shared!([[u32; 64]; 2], align = 16);
    let full = shared!([Barrier; 2]);
    let empty = shared!([Barrier; 2]);
    let t = thread_idx().x;
    if t == 0 {
        for i in 0..2usize {
            full[i].init(1);
            empty[i].init(64);
        }
        fence_mbarrier_init();
    }
    sync_threads();
    if t == 64 {
        for k in 0..6usize {
            let place = k % 2;
            if how != 1 {
                mbarrier_wait(&empty[place], (k as u32 / 2 + 1) % 2);
            }
            full[place].load(&mut rows[place], &x[k * 64..k * 64 + 64]); // race
            full[place].arrive();
        }
    }
    if t < 64 {
        for k in 0..6usize {
            let place = k % 2;
            if how == 3 {
                y[k * 64 + t as usize] = rows[place][t]; // race 3
            }
            mbarrier_wait(&full[place], k as u32 / 2 % 2);
            if how == 2 {
                empty[place].arrive();
            }
            y[k * 64 + t as usize] = rows[place][63 - t]; // race
            if how != 2 {
                empty[place].arrive();
            }
        }
    }
}

/// Lanes read, meet, and one of them fills the place again: their loads are ordered before for threads alone.
#[gpu_kernel]
fn read_by_lanes(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 32], align = 16);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    row[t] = t; // race 1
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    if how == 2 {
        fence_proxy_async();
    }
    sync_warp();
    y[t] = row[31 - t]; // race
    if how == 0 {
        fence_proxy_async();
    }
    sync_warp();
    if t == 0 {
        full.load(&mut row, &x[0..32]); // race
        full.arrive();
    }
    full.wait_for(Phase::first());
    y[32 + t] = row[t];
}

#[gpu_kernel]
fn stored(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let t = thread_idx().x;
    if how == 2 {
        fence_proxy_async();
    }
    row[t] = x[t]; // race
    if how == 0 || how == 3 {
        fence_proxy_async();
    }
    if how == 5 {
        fence_proxy_async_global();
    }
    if how != 3 {
        sync_threads();
    }
    // Of the thread that starts the copy, a fence after the barrier is one too.
    if how == 4 && t == 0 {
        fence_proxy_async();
    }
    if t == 0 {
        bulk_store(&mut y[0..64], &row); // race
        bulk_commit();
        bulk_wait_read::<0>();
    }
}

#[gpu_kernel]
fn source_rewritten(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let t = thread_idx().x;
    row[t] = x[t];
    fence_proxy_async();
    sync_threads();
    if t == 0 {
        bulk_store(&mut y[0..64], &row); // race
        bulk_commit();
        if how == 2 {
            bulk_wait_read::<1>();
        } else if how == 4 {
            bulk_wait::<0>();
        } else if how != 1 {
            bulk_wait_read::<0>();
        }
    }
    if how != 3 {
        sync_threads();
    }
    row[t] = 5; // race
    sync_threads();
    if how != 0 && t == 0 {
        bulk_wait::<0>();
    }
}

/// What was stored is read again from global memory.
#[gpu_kernel]
fn stored_and_read(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let t = thread_idx().x;
    row[t] = t;
    fence_proxy_async();
    sync_threads();
    if t == 0 {
        bulk_store(&mut y[0..64], &row); // race
        bulk_commit();
        if how == 1 {
            bulk_wait_read::<0>();
        } else {
            bulk_wait::<0>();
        }
    }
    if how != 2 {
        sync_threads();
    }
    x[t] = y[63 - t]; // race
}

/// Two buffers that are stored in turn.
#[gpu_kernel]
fn two_groups(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut rows = shared!([[u32; 32]; 2], align = 16);
    let t = thread_idx().x;
    for k in 0..4usize {
        if t == 0 {
            if how == 1 {
                bulk_wait_read::<2>();
            } else {
                bulk_wait_read::<1>();
            }
        }
        if how != 2 {
            sync_warp();
        }
        rows[k % 2][t] = x[k * 32 + t as usize]; // race
        fence_proxy_async();
        sync_warp();
        if t == 0 {
            bulk_store(&mut y[k * 32..k * 32 + 32], &rows[k % 2]); // race
            bulk_commit();
        }
    }
    if t == 0 {
        bulk_wait_read::<0>();
    }
}

/// Global memory that this launch has written is loaded.
#[gpu_kernel]
fn written_and_loaded(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 32], align = 16);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    x[t] = t; // race
    if how == 0 {
        fence_proxy_async_global();
    }
    if how == 2 {
        fence_proxy_async();
    }
    sync_threads();
    if t == 0 {
        full.load(&mut row, &x[0..32]); // race
        full.arrive();
    }
    full.wait_for(Phase::first());
    y[t] = row[31 - t];
}

/// A place, or a source, is written while it is copied.
#[gpu_kernel]
fn written_meanwhile(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    sync_threads();
    if t == 0 {
        full.load(&mut row, &x[0..64]); // race
        full.arrive();
    }
    if how == 1 {
        row[t] = 7; // race 1
    }
    if how == 2 {
        x[t] = 7; // race 2
    }
    full.wait_for(Phase::first());
    if how == 0 {
        x[t] = 7;
    }
    y[t] = row[63 - t];
}

/// A warp hands over to another by a barrier, without the copy engine.
#[gpu_kernel]
fn handed_over(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 32]);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        full.init(if how == 3 { 1 } else { 32 });
    }
    sync_threads();
    if t < 32 {
        if how == 1 {
            full.arrive();
        }
        row[t] = x[t]; // race
        if how == 4 {
            mbarrier_arrive(full);
        } else if how == 3 {
            if t == 0 {
                full.arrive();
            }
        } else if how != 1 {
            full.arrive();
        }
    } else {
        if how != 2 {
            full.wait_for(Phase::first());
        }
        y[t] = row[63 - t]; // race
    }
}

#[gpu_kernel]
fn by_token(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64]);
    let met = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        met.init(64);
    }
    sync_threads();
    if how != 2 {
        row[t] = x[t]; // race
    }
    let token = mbarrier_arrive_token(met);
    if how == 2 {
        row[t] = x[t]; // race
    }
    if how != 1 {
        while !mbarrier_try_wait_token(met, token) {}
    }
    y[t] = row[63 - t]; // race
}

/// A thread's own copies arrive at a barrier.
#[gpu_kernel]
fn own_copies(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64]);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        full.init(64);
    }
    sync_threads();
    copy_async(&mut row[t], &x[t]); // race
    if how == 2 {
        full.arrive();
    } else {
        cp_async_mbarrier_arrive(full);
    }
    if how != 1 {
        full.wait_for(Phase::first());
    }
    y[t] = row[63 - t]; // race
}

/// A barrier is made by a thread that another one has not met since.
#[gpu_kernel]
fn made_before(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let full = shared!([Barrier; 1]);
    let t = thread_idx().x;
    if t == 0 {
        mbarrier_init(&full[0], 1); // race
        atomic(&mut x[0]).store(1, if how == 1 { Ordering::Relaxed } else { Ordering::Release });
    }
    if t == 32 {
        while atomic(&mut x[0]).load(Ordering::Acquire) == 0 {}
        mbarrier_arrive(&full[0]); // race
    }
    y[t] = 1;
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

/// A block sends a row to the other one twice, the second time once that has waited for the first and read it.
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

/// A block tells the other one that it has read what that is to write next: no fence is needed for it.
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
