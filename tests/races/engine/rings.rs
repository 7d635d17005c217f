//! Rings of places that the copy engine fills and threads empty, in a block and in a cluster.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use super::made;
use crate::suite::cases;

cases! { "rings.rs";
    ring_of_boxes(1, 96) by |x, y| (&x.tensor_map(128, 32)?, y) clean [0] racy [5 7 10 12 15]
        faults [
            1: "", 2: "", 4: "", 3: "64 of 64 arrivals are missing", 6: "1 of 65 arrivals are missing", 8: "and 1024 expected bytes",
            9: "1024 expected bytes (copies of 0 bytes", 11: "1 of 64 arrivals are missing", 13: "", 14: "",
            16: ""
        ];
    shared_boxes(2, 32, cluster(2)) by |x, y| (&x.tensor_map(128, 32)?, y) clean [0 10] racy [1 5 6 7 8]
        faults [2: "exit", 3: "", 4: "1024 expected bytes", 9: "32 of 64 arrivals are missing", 11: "32 of 64 arrivals are missing"];
    ping_pong(1, 64) clean [0 7] racy [1 2 3 6]
        faults [4: "", 5: "31 of 32 arrivals are missing", 8: "wait at `wait`"];
    named_ping_pong(1, 64) clean [0] racy [1 2]
        faults [3: "named_barrier_sync", 4: "named_barrier"];
    elected(1, 64) clean [0 4] racy [1 2 3];
}

/// A thread fills two stages in turn, by copies of boxes; two warps empty them.
#[gpu_kernel]
fn ring_of_boxes(x: &TensorMap<u32, 8, 32, Swizzle128<4>>, y: &mut [u32], #[comptime] how: u32) {
    let tiles = shared!(Stages<u32, 8, 32, 2, Swizzle128<4>>);
    let full = shared!([Barrier; 2]);
    let empty = shared!([Barrier; 2]);
    let t = thread_idx().x as usize;
    if t == 0 {
        for i in 0..2usize {
            mbarrier_init(&full[i], 1); // race 15
            mbarrier_init(
                &empty[i],
                if how == 6 {
                    65
                } else if how == 7 {
                    63
                } else {
                    64
                },
            );
        }
        if how != 15 {
            fence_mbarrier_init();
        }
    }
    sync_threads();
    if t == 64 {
        let mut free = if how == 3 { Phase::first() } else { Phase::passed() };
        for s in 0..6u32 {
            let stage = s as usize % 2;
            if how != 2 {
                empty[stage].wait_for(free);
            }
            full[stage].expect(if how == 8 { 2048 } else { 1024 });
            if how != 9 || s != 2 {
                let counter = if how == 14 { 0 } else { stage };
                tma_load(tiles.tile(stage), x, [s * 8, 0], &full[counter]); // race
            }
            if stage == 1 && how != 4 {
                free = free.next();
            }
        }
        if how == 16 {
            mbarrier_inval(&full[1]);
        }
    }
    if t < 64 {
        let mut filled = Phase::first();
        for s in 0..6usize {
            let stage = s % 2;
            if how != 1 {
                full[if how == 10 { 1 - stage } else { stage }].wait_for(filled);
            }
            if how == 5 {
                empty[stage].arrive();
            }
            y[s * 64 + t] = tiles.tile(stage)[(7 - t / 32, t % 32)]; // race
            if how != 5 && (how != 11 || t != 63) {
                empty[stage].arrive();
            }
            if how == 12 && t == 0 {
                empty[stage].arrive();
            }
            if stage == 1 && how != 13 {
                filled = filled.next();
            }
        }
    }
}

/// Each block of a cluster loads half of a tile for both.
#[gpu_kernel]
fn shared_boxes(x: &TensorMap<u32, 8, 32, Swizzle128<4>>, y: &mut [u32], #[comptime] how: u32) {
    let tile = shared!(Tile<u32, 16, 32, Swizzle128<4>>);
    let full = shared!(Barrier);
    let empty = shared!(Barrier);
    let (t, rank) = (thread_idx().x, cluster_block_rank());
    if t == 0 {
        mbarrier_init(full, 1); // race 1
        mbarrier_init(empty, if how == 6 { 32 } else { 64 }); // race 1
        fence_mbarrier_init();
    }
    if how == 1 {
        sync_threads();
    } else {
        cluster_sync();
    }
    let mut phase = Phase::first();
    for s in 0..2u32 {
        if t == 0 {
            if s > 0 && how != 7 {
                empty.wait_for(Phase::first());
            }
            full.expect(if how == 3 { 1024 } else { 2048 });
            let blocks = if how == 4 { 1 << rank } else { 0b11 };
            tma_load_multicast(tile.rows::<8>(rank as usize * 8), x, [s * 16 + rank * 8, 0], full, blocks); // race
        }
        if how != 8 || s == 0 {
            full.wait(&mut phase);
        }
        if how == 5 {
            empty.arrive_at(rank); // race 1
            empty.arrive_at(1 - rank);
        }
        y[s * 64 + rank * 32 + t] = tile[(15 - s as usize, t as usize)] + tile[(s as usize, t as usize)]; // race
        if how == 10 {
            empty.publish_at(rank);
            empty.publish_at(1 - rank);
        } else if how != 5 {
            if how != 11 || t >= 16 {
                empty.arrive_at(rank); // race 1
            }
            if how != 6 && how != 9 && (how != 11 || t < 16) {
                empty.arrive_at(1 - rank); // race 1
            }
        }
    }
    if how != 2 {
        cluster_sync();
    }
}

/// Two warps change a row in turn.
#[gpu_kernel]
fn ping_pong(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 32]);
    let turn = shared!([Barrier; 2]);
    let (t, warp) = (thread_idx().x as usize, thread_idx().x as usize / 32);
    let arrivals = if how == 6 || how == 7 { 1 } else { 32 };
    made(&turn[0], arrivals);
    made(&turn[1], arrivals);
    if warp == 0 {
        row[31 - t] = x[t]; // race 1 3
    }
    // The first turn is that of warp 0.
    let mut mine = if warp == 0 { Phase::passed() } else { Phase::first() };
    if how == 3 {
        mine = Phase::passed();
    }
    if how == 8 {
        mine = Phase::first();
    }
    for s in 0..3u32 {
        if how != 1 {
            turn[warp].wait(&mut mine);
        }
        if how == 4 && s == 0 {
            mine = mine.next();
        }
        if how == 2 {
            turn[1 - warp].arrive();
        }
        row[31 - t % 32] += s; // race
        if how == 7 {
            sync_warp();
        }
        if how == 5 || how == 6 || how == 7 {
            if t % 32 == 0 {
                turn[1 - warp].arrive();
            }
        } else if how != 2 {
            turn[1 - warp].arrive();
        }
    }
    y[t] = 1;
}

/// The same by named barriers, of which each warp arrives at one and waits at the other.
#[gpu_kernel(allow(divergent_barriers))]
fn named_ping_pong(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 32]);
    let (t, warp) = (thread_idx().x, thread_idx().x / 32);
    if warp == 0 {
        for s in 0..3u32 {
            if s > 0 && how != 1 {
                named_barrier_sync(2, 64);
            }
            row[t] = s + x[t]; // race
            if how != 3 || s == 0 {
                named_barrier_arrive(1, 64);
            }
        }
    } else {
        for s in 0..3u32 {
            if how != 2 || s != 1 {
                named_barrier_sync(1, if how == 4 { 96 } else { 64 });
            }
            y[s * 32 + t] = row[63 - t]; // race
            if s < 2 {
                named_barrier_arrive(2, 64);
            }
        }
    }
}

/// The elected lane of each warp stores what its warp wrote.
#[gpu_kernel]
fn elected(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut rows = shared!([[u32; 32]; 2], align = 16);
    let (t, warp) = (thread_idx().x as usize, thread_idx().x as usize / 32);
    rows[warp][t % 32] = x[t]; // race
    if how != 1 {
        fence_proxy_async();
    }
    if how == 4 {
        sync_threads();
    } else if how != 2 {
        sync_warp();
    }
    let other = if how == 3 { 1 - warp } else { warp };
    if elect_one() {
        bulk_store(&mut y[warp * 32..warp * 32 + 32], &rows[other]); // race
        bulk_commit();
        bulk_wait_read::<0>();
    }
}
