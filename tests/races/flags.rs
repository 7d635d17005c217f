//! Data handed over by a flag: orderings, fences, and where they stand.

#![allow(clippy::needless_late_init, reason = "each access is a statement of its own, which has its line")]

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "flags.rs";
    message(2, 1, cooperative()) clean [0 6 7] racy [1 2 3 4 5];
    message_by_fences(2, 1, cooperative()) clean [0 7] racy [1 2 3 4 5 6];
    message_by_volatile(2, 1, cooperative()) clean [0] racy [1 2 3];
    message_in_block(1, 64) clean [0 1 2] racy [3 4 5 6];
    block_to_block(2, 64, cooperative()) clean [0 4] racy [1 2 3 5];
    plain_flag(1, 64) clean [0] racy [1 2];
    chain_of_three(3, 1, cooperative()) clean [0] racy [1 2 3];
    chain_of_updates(3, 1, cooperative()) clean [0] racy [1 2];
    two_data(2, 1, cooperative()) clean [0] racy [1 2];
    look_back(4, 32, cooperative()) clean [0 1 2] racy [3 4 5 6];
    look_back_in_one_word(4, 32, cooperative()) clean [0] racy [1];
    ring(2, 1, cooperative()) clean [0] racy [1 2 3 4];
    published_slots(2, 32, cooperative()) clean [0] racy [1 2];
    handed_off_by_exchange(2, 1, cooperative()) clean [0] racy [1 2];
    flag_is_reset(2, 1, cooperative()) clean [0] racy [1];
    barrier_of_atomics(2, 32, cooperative()) clean [0 1] racy [2 3 4 5];
}

/// One block writes `x[0]` and then the flag `x[64]`, another waits for the flag and reads.
#[gpu_kernel]
fn message(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if block_idx().x == 0 {
        x[0] = 42; // race 1 2 3
        match how {
            1 | 3 => atomic(&mut x[64]).store(1, Ordering::Relaxed),
            4 => atomic_block(&mut x[64]).store(1, Ordering::Release), // race 4
            6 => atomic_system(&mut x[64]).store(1, Ordering::Release),
            7 => atomic(&mut x[64]).store(1, Ordering::SeqCst),
            _ => atomic(&mut x[64]).store(1, Ordering::Release), // race 5
        }
    } else {
        let mut seen = 0;
        while seen == 0 && together {
            seen = match how {
                2 | 3 => atomic(&mut x[64]).load(Ordering::Relaxed),
                5 => atomic_block(&mut x[64]).load(Ordering::Acquire), // race 5
                7 => atomic(&mut x[64]).load(Ordering::SeqCst),
                _ => atomic(&mut x[64]).load(Ordering::Acquire), // race 4
            };
        }
        y[0] = x[0]; // race 1 2 3
    }
}

#[gpu_kernel]
fn message_by_fences(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if block_idx().x == 0 {
        if how == 5 {
            fence_device();
        }
        x[0] = 42; // race
        if how == 3 {
            fence_block();
        }
        if matches!(how, 0 | 2 | 4 | 6) {
            fence_device();
        }
        if how == 7 {
            fence_system();
        }
        atomic(&mut x[64]).store(1, Ordering::Relaxed);
    } else {
        if how == 6 {
            fence_device();
        }
        let mut seen = 0;
        while seen == 0 && together {
            seen = atomic(&mut x[64]).load(Ordering::Relaxed);
        }
        if how == 4 {
            fence_block();
        }
        if matches!(how, 0 | 1 | 3 | 5 | 7) {
            fence_device();
        }
        y[0] = x[0]; // race
    }
}

#[gpu_kernel]
fn message_by_volatile(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if block_idx().x == 0 {
        x[0] = 42; // race
        if how != 1 && how != 3 {
            fence_device();
        }
        volatile_store(&mut x[64], 1);
    } else {
        while volatile_load(&x[64]) == 0 && together {}
        if how != 2 && how != 3 {
            fence_device();
        }
        y[0] = x[0]; // race
    }
}

/// From one warp of a block to the other, where the scope of the block is enough.
#[gpu_kernel]
fn message_in_block(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut kept = shared!([u32; 2]);
    let t = thread_idx().x;
    if t == 0 {
        atomic_block(&mut kept[1]).store(0, Ordering::Relaxed);
    }
    sync_threads();
    if t == 0 {
        kept[0] = 42; // race
        if how == 1 || how == 6 {
            fence_block();
        }
        match how {
            0 | 5 => atomic_block(&mut kept[1]).store(1, Ordering::Release),
            2 => atomic(&mut kept[1]).store(1, Ordering::Release),
            _ => atomic_block(&mut kept[1]).store(1, Ordering::Relaxed),
        }
    }
    if t == 32 {
        let mut seen = 0;
        while seen == 0 {
            seen = match how {
                0 | 2 | 4 => atomic_block(&mut kept[1]).load(Ordering::Acquire),
                _ => atomic_block(&mut kept[1]).load(Ordering::Relaxed),
            };
        }
        if how == 1 {
            fence_block();
        }
        y[0] = kept[0] + x[0]; // race
    }
}

/// All threads of a block write, one of them raises the flag; one waits for it, all read.
#[gpu_kernel]
fn block_to_block(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if block_idx().x == 0 {
        x[t] = t; // race
        if how != 1 {
            sync_threads();
        }
        if t == 0 {
            if how == 4 {
                fence_device();
            }
            match how {
                3 | 4 => atomic(&mut x[64]).store(1, Ordering::Relaxed),
                _ => atomic(&mut x[64]).store(1, Ordering::Release),
            }
        }
    } else {
        if t == 0 {
            let mut seen = 0;
            while seen == 0 {
                seen = match how {
                    4 | 5 => atomic(&mut x[64]).load(Ordering::Relaxed),
                    _ => atomic(&mut x[64]).load(Ordering::Acquire),
                };
            }
            if how == 4 {
                fence_device();
            }
        }
        if how != 2 {
            sync_threads();
        }
        if how != 2 || t == 1 {
            y[t] = x[63 - t]; // race
        }
    }
}

#[gpu_kernel]
fn plain_flag(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    let first = any(t == 0);
    if t == 0 {
        y[1] = 5;
        match how {
            1 => x[64] = 1,                                      // race 1
            _ => atomic(&mut x[64]).store(1, Ordering::Release), // race 2
        }
    }
    if t == 32 && !first {
        let seen;
        if how == 2 {
            seen = x[64]; // race 2
        } else {
            seen = atomic(&mut x[64]).load(Ordering::Acquire); // race 1
        }
        if seen == 1 {
            y[0] = y[1];
        }
    }
}

#[gpu_kernel]
fn chain_of_three(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    let b = block_idx().x;
    if b == 0 {
        x[0] = 42; // race
        match how {
            1 => atomic(&mut x[64]).store(1, Ordering::Relaxed),
            _ => atomic(&mut x[64]).store(1, Ordering::Release),
        }
    }
    if b == 1 {
        if how == 3 {
            while atomic(&mut x[64]).load(Ordering::Relaxed) == 0 && together {}
        } else {
            while atomic(&mut x[64]).load(Ordering::Acquire) == 0 && together {}
        }
        match how {
            2 => atomic(&mut x[128]).store(1, Ordering::Relaxed),
            _ => atomic(&mut x[128]).store(1, Ordering::Release),
        }
    }
    if b == 2 {
        while atomic(&mut x[128]).load(Ordering::Acquire) == 0 && together {}
        y[0] = x[0]; // race
    }
}

/// A relaxed read-modify-write passes on what was released; a store does not.
#[gpu_kernel]
fn chain_of_updates(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    let b = block_idx().x;
    if b == 0 {
        x[0] = 42; // race
        match how {
            2 => atomic(&mut x[64]).store(1, Ordering::Relaxed),
            _ => atomic(&mut x[64]).store(1, Ordering::Release),
        }
    }
    if b == 1 {
        while atomic(&mut x[64]).load(Ordering::Relaxed) == 0 && together {}
        if how == 1 {
            atomic(&mut x[64]).store(2, Ordering::Relaxed);
        } else {
            atomic(&mut x[64]).fetch_add(1, Ordering::Relaxed);
        }
        atomic(&mut x[128]).store(1, Ordering::Relaxed);
    }
    if b == 2 {
        while atomic(&mut x[128]).load(Ordering::Relaxed) == 0 && together {}
        if atomic(&mut x[64]).load(Ordering::Acquire) == 2 {
            y[0] = x[0]; // race
        }
    }
}

#[gpu_kernel]
fn two_data(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if block_idx().x == 0 {
        x[0] = 1;
        if how != 1 {
            x[1] = 2;
        }
        atomic(&mut x[64]).store(1, Ordering::Release);
        if how == 1 {
            x[1] = 2; // race 1
        }
        x[2] = 3; // race 2
    } else {
        while atomic(&mut x[64]).load(Ordering::Acquire) == 0 && together {}
        y[0] = x[0] + x[1]; // race 1
        if how == 2 {
            y[1] = x[2]; // race 2
        }
    }
}

/// A single-pass scan of blocks: `x[b]` is the sum up to block `b`, `y[b]` says that it is there.
#[gpu_kernel]
fn look_back(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    let (b, t) = (block_idx().x, thread_idx().x);
    if t == 0 {
        let mut sum = 0;
        if b > 0 {
            if matches!(how, 0 | 4) {
                while atomic(&mut y[b - 1]).load(Ordering::Acquire) == 0 && together {}
            } else {
                while volatile_load(&y[b - 1]) == 0 && together {}
            }
            if how == 6 {
                fence_block();
            }
            if matches!(how, 1 | 3) {
                fence_device();
            }
            if how == 2 {
                sum = atomic(&mut x[b - 1]).load(Ordering::Relaxed);
            } else {
                sum = x[b - 1]; // race
            }
        }
        match how {
            2 => atomic(&mut x[b]).store(sum + b, Ordering::Relaxed),
            _ => x[b] = sum + b, // race
        }
        if matches!(how, 1 | 5 | 6) {
            fence_device();
        }
        match how {
            0 => atomic(&mut y[b]).store(1, Ordering::Release),
            4 => atomic(&mut y[b]).store(1, Ordering::Relaxed),
            _ => volatile_store(&mut y[b], 1),
        }
    }
}

/// Sum and flag in one word need no ordering; in two they do.
#[gpu_kernel]
fn look_back_in_one_word(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    let (b, t) = (block_idx().x, thread_idx().x);
    if t == 0 {
        let mut sum = 0;
        if b > 0 {
            let mut word = 0;
            while word == 0 && together {
                word = atomic(&mut x[b - 1]).load(Ordering::Relaxed);
            }
            sum = if how == 1 { y[b - 1] } else { word >> 1 }; // race
        }
        if how == 1 {
            y[b] = sum + b; // race
        }
        atomic(&mut x[b]).store((sum + b) << 1 | 1, Ordering::Relaxed);
    }
}

/// A queue of two places: `y[0]` counts what was put in, `y[64]` what was taken out.
#[gpu_kernel]
fn ring(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if block_idx().x == 0 {
        for i in 0..6u32 {
            if how == 4 {
                while atomic(&mut y[64]).load(Ordering::Relaxed) + 2 <= i && together {}
            } else {
                while atomic(&mut y[64]).load(Ordering::Acquire) + 2 <= i && together {}
            }
            x[i % 2] = i; // race
            match how {
                2 => atomic(&mut y[0]).store(i + 1, Ordering::Relaxed),
                _ => atomic(&mut y[0]).store(i + 1, Ordering::Release),
            }
        }
    } else {
        for i in 0..6u32 {
            while atomic(&mut y[0]).load(Ordering::Acquire) <= i && together {}
            if how != 1 {
                y[128 + i] = x[i % 2]; // race 2 3 4
            }
            match how {
                3 => atomic(&mut y[64]).store(i + 1, Ordering::Relaxed),
                _ => atomic(&mut y[64]).store(i + 1, Ordering::Release),
            }
            if how == 1 {
                y[128 + i] = x[i % 2]; // race 1
            }
        }
    }
}

/// Each thread takes a place and says when it is filled; the other block reads the places in order.
#[gpu_kernel]
fn published_slots(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    let t = thread_idx().x;
    if block_idx().x == 0 {
        let place = atomic(&mut y[0]).fetch_add(1, Ordering::Relaxed);
        x[place] = t; // race
        match how {
            1 => atomic(&mut x[64 + place]).store(1, Ordering::Relaxed),
            _ => atomic(&mut x[64 + place]).store(1, Ordering::Release),
        }
    } else {
        let place = if how == 2 { (t + 1) % 32 } else { t };
        while atomic(&mut x[64 + place]).load(Ordering::Acquire) == 0 && together {}
        y[64 + t] = x[t]; // race
    }
}

#[gpu_kernel]
fn handed_off_by_exchange(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if block_idx().x == 0 {
        x[0] = 42; // race
        if how != 1 {
            fence_device();
        }
        atomic_exchange(&mut x[64], 1);
    } else {
        while atomic_exchange(&mut x[64], 0) == 0 && together {}
        if how != 2 {
            fence_device();
        }
        y[0] = x[0]; // race
    }
}

#[gpu_kernel]
fn flag_is_reset(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if block_idx().x == 0 {
        atomic(&mut x[64]).store(1, Ordering::Release);
        while atomic(&mut x[64]).load(Ordering::Acquire) == 1 && together {} // race
    } else {
        while atomic(&mut x[64]).load(Ordering::Acquire) == 0 && together {}
        y[0] = 1;
        match how {
            0 => atomic(&mut x[64]).store(0, Ordering::Relaxed),
            _ => atomic_block(&mut x[64]).store(0, Ordering::Relaxed), // race
        }
    }
}

/// A barrier of the grid as one writes it by hand.
#[gpu_kernel]
fn barrier_of_atomics(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let (i, t) = (global_id(), thread_idx().x);
    x[i] = 1; // race
    if how != 4 {
        sync_threads();
    }
    if t == 0 {
        if how != 2 && how != 1 {
            fence_device();
        }
        match how {
            1 => atomic(&mut y[0]).fetch_add(1, Ordering::Release),
            _ => atomic(&mut y[0]).fetch_add(1, Ordering::Relaxed),
        };
        if how == 1 {
            while atomic(&mut y[0]).load(Ordering::Acquire) < 2 {}
        } else {
            while atomic(&mut y[0]).load(Ordering::Relaxed) < 2 {}
        }
        if how != 3 && how != 1 {
            fence_device();
        }
    }
    if how != 5 {
        sync_threads();
    }
    y[64 + i] = x[63 - i]; // race
}
