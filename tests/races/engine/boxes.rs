//! Copies of boxes of matrices, one at a time.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use super::made;
use crate::suite::cases;

cases! { "boxes.rs";
    loaded_box(1, 64) by |x, y| (&x.tensor_map(128, 32)?, y) clean [0] racy [1 2 3 7 8]
        faults [
            4: "and 1024 expected bytes (copies of 1024", 5: "512 bytes have come that nobody expects",
            6: "1 of 1 arrivals are missing", 9: "1 of 2 arrivals are missing", 10: "begins 12 bytes from the first column",
            11: "waits for phase 1 of a barrier that is in phase 0"
        ];
    stored_box(1, 64) by |x, y| (x, &mut y.tensor_map_mut(128, 32)?) clean [0 8 10] racy [1 2 3 7 9]
        faults [4: "may still read shared memory", 5: "may still read shared memory", 6: "may still read shared memory"];
    reduced_box(2, 64) by |x, y| (x, &mut y.tensor_map_mut(128, 32)?) clean [0] racy [1 2 3];
    changed_box(1, 64) by |x, y| (&x.tensor_map(128, 32)?, &mut y.tensor_map_mut(128, 32)?) clean [0] racy [1 2 3 5]
        faults [4: "", 6: "all of 1 arrivals are there, and 1024 expected bytes"];
    two_boxes(1, 64) by |x, y| (&x.tensor_map(128, 32)?, y) clean [0] racy [1 2 3 4]
        faults [5: "arrives once too often in phase 0"];
}

#[gpu_kernel]
fn loaded_box(x: &TensorMap<u32, 8, 32, Swizzle128<4>>, y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!(Tile<u32, 8, 32, Swizzle128<4>>);
    let full = shared!(Barrier);
    let t = thread_idx().x as usize;
    if how == 8 {
        tile[(t / 32, t % 32)] = 7; // race 8
    }
    if t == 0 {
        mbarrier_init(full, if how == 9 { 2 } else { 1 }); // race 1
        if how != 1 {
            fence_mbarrier_init();
        }
    }
    sync_threads();
    if t == 0 {
        if how == 4 {
            full.expect(2048);
        } else if how == 5 {
            full.expect(512);
        } else if how != 6 {
            full.expect(1024);
        }
        tma_load(tile, x, [8, if how == 10 { 3 } else { 0 }], full); // race
        if how == 7 {
            tma_load(tile, x, [16, 0], full); // race 7
        }
    }
    if how == 11 {
        full.wait_for(Phase::first().next());
    } else if how != 2 && (how != 3 || t == 0) {
        full.wait_for(Phase::first());
    }
    y[t] = tile[(7 - t / 32, t % 32)]; // race 2 3
}

#[gpu_kernel]
fn stored_box(x: &mut [u32], y: &mut TensorMapMut<u32, 8, 32, Swizzle128<4>>, #[comptime] how: u32) {
    let mut tile = shared!(Tile<u32, 8, 32, Swizzle128<4>>);
    let t = thread_idx().x as usize;
    if how == 2 {
        fence_proxy_async();
    }
    for r in 0..4usize {
        tile[(r * 2 + t / 32, t % 32)] = x[r * 64 + t]; // race
    }
    if how == 9 {
        fence_proxy_async_global();
    } else if how != 1 && how != 2 && how != 10 {
        fence_proxy_async();
    }
    if how != 3 {
        sync_threads();
    }
    // In the thread that starts the copy, the fence may also follow the barrier.
    if how == 10 && t == 0 {
        fence_proxy_async();
    }
    if t == 0 {
        tma_store(y, [8, 0], tile); // race
        if how != 4 {
            bulk_commit();
        }
        if how == 6 {
            bulk_wait_read::<1>();
        } else if how != 5 {
            bulk_wait_read::<0>();
        }
    }
    if how == 8 {
        sync_threads();
    }
    if how == 7 || how == 8 {
        tile[(t / 32, t % 32)] = 1; // race
    }
}

/// Two blocks add to one box of a matrix.
#[gpu_kernel]
fn reduced_box(x: &mut [u32], y: &mut TensorMapMut<u32, 8, 32, Swizzle128<4>>, #[comptime] how: u32) {
    let mut tile = shared!(Tile<u32, 8, 32, Swizzle128<4>>);
    let t = thread_idx().x as usize;
    for r in 0..4usize {
        tile[(r * 2 + t / 32, t % 32)] = x[r * 64 + t]; // race 1 3
    }
    if how != 1 {
        fence_proxy_async();
    }
    if how != 3 {
        sync_threads();
    }
    if t == 0 {
        if how == 2 && block_idx().x == 1 {
            tma_store(y, [0, 0], tile); // race 2
        } else {
            tma_reduce_add(y, [0, 0], tile); // race
        }
        bulk_commit();
        bulk_wait::<0>();
    }
}

/// Boxes go through one tile, where threads change them.
#[gpu_kernel]
fn changed_box(
    x: &TensorMap<u32, 8, 32, Swizzle128<4>>,
    y: &mut TensorMapMut<u32, 8, 32, Swizzle128<4>>,
    #[comptime] how: u32,
) {
    let mut tile = shared!(Tile<u32, 8, 32, Swizzle128<4>>);
    let full = shared!(Barrier);
    made(full, 1);
    let t = thread_idx().x as usize;
    let mut phase = Phase::first();
    for s in 0..3u32 {
        if t == 0 {
            if how == 2 {
                bulk_wait_read::<1>();
            } else if how != 1 {
                bulk_wait_read::<0>();
            }
            full.expect(1024);
            if how != 6 || s == 0 {
                tma_load(tile, x, [s * 8, 0], full); // race
            }
        }
        full.wait(&mut phase);
        for r in 0..4usize {
            tile[(r * 2 + t / 32, t % 32)] += 1; // race 3 5
        }
        if how != 3 {
            fence_proxy_async();
        }
        if how != 4 {
            sync_threads();
        }
        if t == if how == 5 { 32 } else { 0 } {
            tma_store(y, [s * 8, 0], tile); // race
            bulk_commit();
        }
    }
    bulk_wait_read::<0>();
}

/// Two boxes of one phase.
#[gpu_kernel]
fn two_boxes(x: &TensorMap<u32, 8, 32, Swizzle128<4>>, y: &mut [u32], #[comptime] how: u32) {
    let tile = shared!(Tile<u32, 16, 32, Swizzle128<4>>);
    let full = shared!([Barrier; 2]);
    made(&full[0], 1);
    made(&full[1], 1);
    let t = thread_idx().x as usize;
    if t == 0 {
        let second = if how == 1 { 1usize } else { 0 };
        if how == 1 {
            full[0].expect(1024);
            full[1].expect(1024);
        } else if how == 4 {
            full[0].expect(1024);
        } else if how == 5 {
            mbarrier_expect_tx(&full[0], 2048);
            full[0].arrive();
            full[0].arrive();
        } else {
            full[0].expect(2048);
        }
        tma_load(tile.rows::<8>(0), x, [0, 0], &full[0]); // race
        tma_load(tile.rows::<8>(if how == 2 { 0 } else { 8 }), x, [8, 0], &full[second]); // race
    }
    if how == 3 {
        y[t] = tile[(t / 32, t % 32)]; // race 3
    }
    full[0].wait_for(Phase::first());
    y[t] = tile[(15 - t / 32, t % 32)]; // race 1 4
    full[1].wait_for(if how == 1 { Phase::first() } else { Phase::passed() });
}
