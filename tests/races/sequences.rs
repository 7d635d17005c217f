//! Release sequences, sequential consistency, and fences that serve several flags.

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "sequences.rs";
    two_updates_between(4, 1, cooperative()) clean [0] racy [1 2];
    update_of_narrow_scope(3, 1, cooperative()) clean [0] racy [1];
    relaxed_after_release(2, 1, cooperative()) clean [0 1] racy [2 3];
    looked_at_before(2, 1, cooperative()) clean [0 1] racy [2];
    sequentially_consistent(2, 1, cooperative()) clean [0 1 2] racy [3 4];
    both_flags_or_none(2, 1, cooperative()) clean [0] racy [1];
    one_fence_for_two(3, 1, cooperative()) clean [0] racy [1 2];
    fence_for_another_flag(2, 1, cooperative()) clean [0] racy [1];
    fence_of_the_wrong_thread(1, 64) clean [0 2] racy [1];
    scopes_of_the_sides(1, 64) clean [0 1 2] racy [3];
    block_fence_device_flag(2, 32, cooperative()) clean [0] racy [1 2];
    volatile_and_fences_in_a_cluster(4, 1, cluster(2)) clean [0] racy [1 2 3];
    failed_exchange_releases_nothing(2, 1, cooperative()) clean [0] racy [1];
    failed_exchange_acquires(2, 1, cooperative()) clean [0] racy [1];
    counted_permits(2, 1, cooperative()) clean [0] racy [1];
    flag_of_an_earlier_block(2, 1) clean [0] racy [1];
    handed_to_a_warp(2, 64, cooperative()) clean [0] racy [1 2];
    remote_flag(4, 1, cluster(2)) clean [0 1] racy [2 3];
    pair_in_one_word(2, 1, cooperative()) clean [0] racy [1];
}

/// Three blocks pass a flag on by updates without an ordering.
#[gpu_kernel]
fn two_updates_between(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let block = block_idx().x;
    if block == 0 {
        y[0] = 42; // race
        atomic(&mut x[64]).store(1, Ordering::Release);
    } else {
        while atomic(&mut x[64]).load(Ordering::Relaxed) != block {}
        match block {
            1 => {
                if how == 1 {
                    atomic(&mut x[64]).store(2, Ordering::Relaxed);
                } else {
                    atomic(&mut x[64]).fetch_add(1, Ordering::Relaxed);
                }
            }
            2 => {
                if how == 2 {
                    volatile_store(&mut x[64], 3);
                } else {
                    atomic(&mut x[64]).swap(3, Ordering::Relaxed);
                }
            }
            _ => {
                atomic(&mut x[64]).load(Ordering::Acquire);
                y[1] = y[0]; // race
            }
        }
    }
}

/// An update whose scope holds none of the others is no link of the chain, and a race by itself.
#[gpu_kernel]
fn update_of_narrow_scope(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    match block_idx().x {
        0 => {
            y[0] = 42;
            atomic(&mut x[64]).store(1, Ordering::Release); // race
        }
        1 => {
            while atomic(&mut x[64]).load(Ordering::Relaxed) != 1 {}
            if how == 1 {
                atomic_block(&mut x[64]).fetch_add(1, Ordering::Relaxed); // race
            } else {
                atomic_system(&mut x[64]).fetch_add(1, Ordering::Relaxed);
            }
        }
        _ => {
            while atomic(&mut x[64]).load(Ordering::Acquire) != 2 {} // race
            y[1] = y[0];
        }
    }
}

/// A store by the thread that has released to the place before belongs to the release.
#[gpu_kernel]
fn relaxed_after_release(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if block_idx().x == 0 {
        y[0] = 42; // race 3
        match how {
            0 => atomic(&mut x[64]).store(1, Ordering::Release),
            1 => {
                atomic(&mut x[64]).fetch_add(1, Ordering::Release);
            }
            2 => atomic(&mut x[64]).store(1, Ordering::Release),
            _ => atomic(&mut x[65]).store(1, Ordering::Release),
        }
        if how == 2 {
            y[0] = 43; // race 2
        }
        atomic(&mut x[64]).store(2, Ordering::Relaxed);
    } else {
        while atomic(&mut x[64]).load(Ordering::Acquire) != 2 {}
        y[1] = y[0]; // race 2 3
    }
}

/// Waits without an ordering, then acquires: by a load of the same place, or of another.
#[gpu_kernel]
fn looked_at_before(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if block_idx().x == 0 {
        y[0] = 42; // race
        atomic(&mut x[64]).store(1, Ordering::Release);
    } else {
        while atomic(&mut x[64]).load(Ordering::Relaxed) == 0 {}
        match how {
            0 => {
                atomic(&mut x[64]).load(Ordering::Acquire);
            }
            1 => fence_device(),
            _ => {
                atomic(&mut x[65]).load(Ordering::Acquire);
            }
        }
        y[1] = y[0]; // race
    }
}

#[gpu_kernel]
fn sequentially_consistent(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if block_idx().x == 0 {
        y[0] = 42; // race
        match how {
            0 => atomic(&mut x[64]).store(1, Ordering::SeqCst),
            1 => {
                atomic(&mut x[64]).fetch_add(1, Ordering::SeqCst);
            }
            2 => atomic(&mut x[64]).store(1, Ordering::SeqCst),
            3 => atomic(&mut x[64]).store(1, Ordering::Relaxed),
            _ => atomic(&mut x[64]).store(1, Ordering::SeqCst),
        }
    } else {
        let mut seen = 0;
        while seen == 0 {
            seen = match how {
                0 | 3 => atomic(&mut x[64]).load(Ordering::SeqCst),
                1 => atomic(&mut x[64]).load(Ordering::Acquire),
                _ => atomic(&mut x[64]).load(Ordering::Relaxed),
            };
        }
        if how == 2 {
            fence_device();
        }
        y[1] = y[0]; // race
    }
}

/// Each says that it comes and looks whether the other has: at most one of them goes in.
#[gpu_kernel]
fn both_flags_or_none(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let me = block_idx().x;
    atomic(&mut x[me]).store(1, Ordering::SeqCst);
    if atomic(&mut x[1 - me]).load(Ordering::SeqCst) == 0 || how == 1 {
        y[0] += 1; // race
    }
}

/// Stores after a fence release all writes before it.
#[gpu_kernel]
fn one_fence_for_two(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let me = block_idx().x;
    if me == 0 {
        y[1] = 41; // race 2
        fence_device();
        if how == 1 {
            y[2] = 42; // race 1
        }
        atomic(&mut x[1]).store(1, Ordering::Relaxed);
        atomic(&mut x[2]).store(1, Ordering::Relaxed);
    } else {
        while atomic(&mut x[me]).load(Ordering::Relaxed) == 0 {}
        if how != 2 || me == 2 {
            fence_device();
        }
        y[8 + me] = y[me]; // race
    }
}

/// A fence before the load of the flag orders nothing after it.
#[gpu_kernel]
fn fence_for_another_flag(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if block_idx().x == 0 {
        y[0] = 1;
        fence_device();
        atomic(&mut x[0]).store(1, Ordering::Relaxed);
        y[1] = 2; // race
        if how == 0 {
            fence_device();
        }
        atomic(&mut x[1]).store(1, Ordering::Relaxed);
    } else {
        while atomic(&mut x[0]).load(Ordering::Relaxed) == 0 {}
        fence_device();
        y[8] = y[0];
        while atomic(&mut x[1]).load(Ordering::Acquire) == 0 {}
        y[9] = y[1]; // race
    }
}

/// One thread writes, another fences and raises the flag.
#[gpu_kernel]
fn fence_of_the_wrong_thread(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if t == 0 {
        y[0] = 42; // race
        if how == 2 {
            fence_block();
        }
    }
    if t < 32 && how != 1 {
        sync_warp();
    }
    if t == 1 {
        fence_block();
        atomic_block(&mut x[0]).store(1, Ordering::Relaxed);
    }
    if t == 32 {
        while atomic_block(&mut x[0]).load(Ordering::Relaxed) == 0 {}
        fence_block();
        y[1] = y[0]; // race
    }
}

/// Within a block any scope will do, on both sides.
#[gpu_kernel]
fn scopes_of_the_sides(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if thread_idx().x == 0 {
        y[0] = 42; // race
        match how {
            0 => atomic_block(&mut x[0]).store(1, Ordering::Release),
            1 => atomic_system(&mut x[0]).store(1, Ordering::Release),
            2 => atomic_cluster(&mut x[0]).store(1, Ordering::Release),
            _ => atomic_system(&mut x[0]).store(1, Ordering::Relaxed),
        }
    }
    if thread_idx().x == 32 {
        let mut seen = 0;
        while seen == 0 {
            seen = match how {
                0 => atomic_system(&mut x[0]).load(Ordering::Acquire),
                1 => atomic_block(&mut x[0]).load(Ordering::Acquire),
                _ => atomic(&mut x[0]).load(Ordering::Acquire),
            };
        }
        y[1] = y[0]; // race
    }
}

/// A fence of the block before a flag of the device serves the block, not the device.
#[gpu_kernel]
fn block_fence_device_flag(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let lane = lane_id();
    if block_idx().x == 0 && lane == 0 {
        y[0] = 42; // race
        if how == 2 {
            fence_cluster();
        } else {
            fence_block();
        }
        atomic(&mut x[0]).store(1, Ordering::Relaxed);
    }
    let reader = if how == 0 { 0 } else { 1 };
    if block_idx().x == reader && lane == 1 {
        while atomic(&mut x[0]).load(Ordering::Acquire) == 0 {}
        y[1] = y[0]; // race
    }
}

/// Volatile flags are for all; how far the data are ordered is the fences' to say.
#[gpu_kernel]
fn volatile_and_fences_in_a_cluster(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let pair = block_idx().x / 2;
    if cluster_block_rank() == 0 {
        y[pair] = 42; // race
        match how {
            1 => fence_block(),
            3 => {}
            _ => fence_cluster(),
        }
        volatile_store(&mut x[pair], 1);
    } else {
        while volatile_load(&x[pair]) == 0 {}
        if how == 2 {
            fence_block();
        } else {
            fence_cluster();
        }
        y[8 + pair] = y[pair]; // race
    }
    cluster_sync();
}

/// A compare-and-swap that stores nothing releases nothing.
#[gpu_kernel]
fn failed_exchange_releases_nothing(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if block_idx().x == 0 {
        atomic(&mut x[0]).store(1, Ordering::Release);
        y[0] = 42; // race
        let expected = if how == 1 { 7 } else { 1 };
        if atomic(&mut x[0]).compare_exchange(expected, 2, Ordering::AcqRel, Ordering::Acquire).is_err() {
            atomic(&mut x[0]).store(2, Ordering::Relaxed);
        }
    } else {
        while atomic(&mut x[0]).load(Ordering::Acquire) != 2 {}
        y[1] = y[0]; // race
    }
}

/// A compare-and-swap that fails loads by its second ordering.
#[gpu_kernel]
fn failed_exchange_acquires(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if block_idx().x == 0 {
        y[0] = 42; // race
        atomic(&mut x[0]).store(1, Ordering::Release);
    } else {
        while atomic(&mut x[0]).load(Ordering::Relaxed) == 0 {}
        if how == 0 {
            atomic(&mut x[0]).compare_exchange(5, 6, Ordering::Relaxed, Ordering::Acquire).unwrap_or(0);
        } else {
            atomic(&mut x[0]).compare_exchange(5, 6, Ordering::AcqRel, Ordering::Relaxed).unwrap_or(0);
        }
        y[1] = y[0]; // race
    }
}

/// Two permits are given one by one; who takes the second knows what came before both.
#[gpu_kernel]
fn counted_permits(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if block_idx().x == 0 {
        y[0] = 41;
        atomic(&mut x[0]).fetch_add(1, Ordering::Release);
        y[1] = 42; // race
        if how == 1 {
            atomic(&mut x[0]).fetch_add(1, Ordering::Relaxed);
        } else {
            atomic(&mut x[0]).fetch_add(1, Ordering::Release);
        }
    } else {
        while atomic(&mut x[0]).load(Ordering::Acquire) < 2 {}
        y[8] = y[0];
        y[9] = y[1]; // race
    }
}

/// Each block has a flag in its own shared memory: one block's says nothing about another's data.
#[gpu_kernel]
fn flag_of_an_earlier_block(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut flag = shared!([u32; 1]);
    let place = if how == 1 { 0 } else { block_idx().x };
    flag[0] = x[0];
    atomic(&mut flag[0]).load(Ordering::Acquire);
    y[place] += 1; // race
    atomic(&mut flag[0]).fetch_add(1, Ordering::Release);
}

/// One lane acquires, its warp learns of it by a `sync_warp`, the other warp does not.
#[gpu_kernel]
fn handed_to_a_warp(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if block_idx().x == 0 {
        y[t] = t; // race
        sync_threads();
        if t == 0 {
            atomic(&mut x[64]).store(1, Ordering::Release);
        }
    } else {
        if t == 0 {
            while atomic(&mut x[64]).load(Ordering::Acquire) == 0 {}
        }
        if how != 2 && t < 32 {
            sync_warp();
        }
        if t < if how == 1 { 33 } else { 32 } {
            y[128 + t] = y[63 - t]; // race
        }
    }
}

/// Data and flag in the shared memory of the other block.
#[gpu_kernel]
fn remote_flag(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut cell = shared!([u32; 2]);
    cell[0] = x[0];
    cell[1] = 0;
    cluster_sync();
    if cluster_block_rank() == 0 {
        let mut theirs = map_shared_rank(&mut cell, 1);
        theirs[0] = 42; // race
        match how {
            0 => atomic_cluster(&mut theirs[1]).store(1, Ordering::Release),
            1 => atomic(&mut theirs[1]).store(1, Ordering::Release),
            2 => atomic_cluster(&mut theirs[1]).store(1, Ordering::Relaxed),
            _ => atomic_block(&mut theirs[1]).store(1, Ordering::Release), // race 3
        }
    } else {
        while atomic_cluster(&mut cell[1]).load(Ordering::Acquire) == 0 {} // race 3
        y[block_idx().x] = cell[0]; // race
    }
    cluster_sync();
}

/// Value and flag are one word of 64 bits: a thread that sees the flag has the value, too.
#[gpu_kernel]
fn pair_in_one_word(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if block_idx().x == 0 {
        if how == 1 {
            x[0] = 42; // race
            atomic(&mut x[1]).store(1, Ordering::Relaxed);
        } else {
            atomic(&mut x.reinterpret_mut::<u64>()[0u32]).store(1 << 32 | 42, Ordering::Relaxed);
        }
    } else if how == 1 {
        while atomic(&mut x[1]).load(Ordering::Relaxed) == 0 {}
        y[0] = x[0]; // race
    } else {
        let mut seen = 0;
        while seen >> 32 == 0 {
            seen = atomic(&mut x.reinterpret_mut::<u64>()[0u32]).load(Ordering::Relaxed);
        }
        y[0] = seen as u32;
    }
}
