//! Locks of every make.

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "locks.rs";
    spin_lock(4, 32) clean [0] racy [1 2 3 4];
    spin_lock_by_fences(4, 32) clean [0] racy [1 2 3];
    lock_of_a_block(1, 128) clean [0 1] racy [2];
    ticket_lock(4, 32, cooperative()) clean [0] racy [1 2];
    data_outside_the_lock(4, 32) clean [0] racy [1 2];
    two_locks(4, 32) clean [0] racy [1];
    unlocked_by_a_plain_store(4, 32) clean [0] racy [1];
    try_lock(4, 32) clean [0] racy [1];
    compare_and_swap_loop(4, 32) clean [0] racy [1 2];
    shared_lock(1, 64) clean [0] racy [1 2];
}

/// The first thread of each block counts under a lock.
#[gpu_kernel]
fn spin_lock(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if thread_idx().x == 0 && together {
        match how {
            1 => while atomic(&mut x[0]).swap(1, Ordering::Relaxed) == 1 {},
            3 => while atomic_block(&mut x[0]).swap(1, Ordering::Acquire) == 1 {}, // race 3
            4 => {}
            _ => while atomic(&mut x[0]).swap(1, Ordering::Acquire) == 1 {},
        }
        y[0] += 1; // race 1 2 3 4
        match how {
            2 => atomic(&mut x[0]).store(0, Ordering::Relaxed),
            4 => {}
            _ => atomic(&mut x[0]).store(0, Ordering::Release), // race 3
        }
    }
}

#[gpu_kernel]
fn spin_lock_by_fences(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if thread_idx().x == 0 && together {
        while atomic_compare_exchange(&mut x[0], 0, 1) != 0 {}
        if how != 1 {
            fence_device();
        }
        y[0] += 1; // race
        if how == 3 {
            fence_block();
        } else if how != 2 {
            fence_device();
        }
        atomic_exchange(&mut x[0], 0);
    }
}

/// The first lane of each warp of one block.
#[gpu_kernel]
fn lock_of_a_block(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if lane_id() == 0 && together {
        match how {
            0 => while atomic_block(&mut x[0]).swap(1, Ordering::Acquire) == 1 {},
            1 => while atomic(&mut x[0]).swap(1, Ordering::Acquire) == 1 {},
            _ => while atomic_block(&mut x[0]).swap(1, Ordering::Relaxed) == 1 {},
        }
        y[0] += 1; // race
        atomic_block(&mut x[0]).store(0, Ordering::Release);
    }
}

#[gpu_kernel]
fn ticket_lock(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if thread_idx().x == 0 && together {
        let ticket = atomic(&mut x[0]).fetch_add(1, Ordering::Relaxed);
        if how == 1 {
            while atomic(&mut x[64]).load(Ordering::Relaxed) != ticket {}
        } else {
            while atomic(&mut x[64]).load(Ordering::Acquire) != ticket {}
        }
        y[0] += 1; // race
        match how {
            2 => atomic(&mut x[64]).store(ticket + 1, Ordering::Relaxed),
            _ => atomic(&mut x[64]).store(ticket + 1, Ordering::Release),
        }
    }
}

#[gpu_kernel]
fn data_outside_the_lock(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if thread_idx().x == 0 && together {
        let before = if how == 1 { y[0] } else { 0 }; // race 1
        while atomic(&mut x[0]).swap(1, Ordering::Acquire) == 1 {}
        y[0] += 1 + before; // race 1 2
        atomic(&mut x[0]).store(0, Ordering::Release);
        if how == 2 {
            y[1 + block_idx().x] = y[0]; // race 2
        }
    }
}

#[gpu_kernel]
fn two_locks(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let which = if how == 1 { block_idx().x % 2 } else { 0 };
    let together = any(true);
    if thread_idx().x == 0 && together {
        while atomic(&mut x[which]).swap(1, Ordering::Acquire) == 1 {}
        y[0] += 1; // race
        atomic(&mut x[which]).store(0, Ordering::Release);
    }
}

#[gpu_kernel]
fn unlocked_by_a_plain_store(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if thread_idx().x == 0 && together {
        while atomic(&mut x[0]).swap(1, Ordering::Acquire) == 1 {} // race
        y[0] += 1;
        if how == 1 {
            fence_device();
            x[0] = 0; // race
        } else {
            atomic(&mut x[0]).store(0, Ordering::Release);
        }
    }
}

#[gpu_kernel]
fn try_lock(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if thread_idx().x == 0 && together {
        let mut won = false;
        if how == 0 || block_idx().x == 0 {
            won = atomic(&mut x[0]).compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok();
        }
        if won || how == 1 {
            y[0] += 1; // race
        }
        if won {
            atomic(&mut x[0]).store(0, Ordering::Release);
        }
    }
}

/// A maximum by compare-and-swap: the first guess must be atomic too.
#[gpu_kernel]
fn compare_and_swap_loop(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let value = x[global_id()] + global_id() as u32 % 50;
    let mut old = if how == 0 { atomic(&mut y[0]).load(Ordering::Relaxed) } else { y[0] }; // race 1 2
    while old < value {
        if how == 2 {
            y[0] = value; // race 2
            old = value;
        } else {
            let seen = atomic_compare_exchange(&mut y[0], old, value); // race 1
            if seen == old {
                break;
            }
            old = seen;
        }
    }
}

#[gpu_kernel]
fn shared_lock(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut kept = shared!([u32; 2]);
    let t = thread_idx().x;
    if t < 2 {
        kept[t] = 0; // race 2
    }
    if how != 2 {
        sync_threads();
    }
    if lane_id() == 0 {
        while atomic_block(&mut kept[0]).swap(1, Ordering::Acquire) == 1 {} // race 2
        kept[1] += x[0] + 1; // race 1 2
        atomic_block(&mut kept[0]).store(0, Ordering::Release); // race 2
    }
    if how != 1 {
        sync_threads();
    }
    if t == 40 {
        y[0] = kept[1]; // race 1
    }
}
