//! Atomic and volatile operations beside plain accesses, and beside each other.

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "atomics.rs";
    read_beside_atomics(2, 32) clean [0] racy [1];
    write_beside_atomics(2, 32) clean [0] racy [1];
    zeroed_by_one(2, 32) clean [0] racy [1];
    read_after_a_barrier(1, 64) clean [0] racy [1 2];
    widths(2, 32) clean [0] racy [1];
    volatile_beside_plain(2, 1) clean [0 1] racy [2 3];
    hinted(2, 32) clean [0] racy [1 2 3 4];
    tickets(4, 32) clean [0] racy [1];
    unique_places(4, 32) clean [0] racy [1];
    two_fields(2, 32) clean [0] racy [1];
    floats(2, 32) clean [0] racy [1];
    failed_exchange_only_reads(2, 32) clean [0] racy [1];
    replaced(1, 64) clean [0] racy [1 2];
    static_counter(2, 32) clean [0] racy [1];
}

#[gpu_kernel]
fn read_beside_atomics(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    atomic_add(&mut y[0], 1); // race
    if how == 0 {
        x[i] = atomic(&mut y[0]).load(Ordering::Relaxed);
    } else {
        x[i] = y[0]; // race
    }
}

#[gpu_kernel]
fn write_beside_atomics(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let value = x[global_id()];
    if global_id() == 5 {
        match how {
            0 => atomic(&mut y[0]).store(3, Ordering::Relaxed),
            _ => y[0] = 3, // race
        }
    } else {
        atomic_or(&mut y[0], value); // race
    }
}

/// A counter that one block sets to zero is not zero for the others.
#[gpu_kernel]
fn zeroed_by_one(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    if i == 0 && how == 1 {
        y[0] = 0; // race
    }
    sync_threads();
    atomic_add(&mut y[0], x[i]); // race
}

#[gpu_kernel]
fn read_after_a_barrier(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if how == 2 && t == 63 {
        x[100] = y[0]; // race 2
    }
    atomic_add(&mut y[0], 1); // race
    if how != 1 {
        sync_threads();
    }
    x[t] = y[0]; // race 1
}

/// Counters of 32 bits, one of 64 over two of them.
#[gpu_kernel]
fn widths(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    if how == 1 && i == 3 {
        let wide = y.reinterpret_mut::<u64>();
        atomic_add(&mut wide[0u32], 1u64); // race
    } else {
        atomic_add(&mut y[1], x[i]); // race
    }
}

#[gpu_kernel]
fn volatile_beside_plain(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if block_idx().x == 0 {
        match how {
            2 => x[0] = 1, // race 2
            1 => atomic(&mut x[0]).store(1, Ordering::Relaxed),
            _ => volatile_store(&mut x[0], 1), // race 3
        }
    } else {
        if how == 3 {
            y[0] = x[0]; // race 3
        } else {
            y[0] = volatile_load(&x[0]); // race 2
        }
    }
}

/// Loads and stores with cache hints are plain ones.
#[gpu_kernel]
fn hinted(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    let other = if how == 0 { i } else { 63 - i };
    match how {
        1 => store_l2(&mut x[i], 1),        // race
        2 => store_streaming(&mut x[i], 1), // race
        3 => store_through(&mut x[i], 1),   // race
        _ => store_l2(&mut x[i], 1),        // race
    }
    y[i] = match how {
        1 => load_l2(&x[other]),        // race
        2 => load_streaming(&x[other]), // race
        3 => load_last_use(&x[other]),  // race
        _ => load_l2(&x[other]),        // race
    };
}

#[gpu_kernel]
fn tickets(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let ticket = atomic_inc(&mut x[0], if how == 1 { 63 } else { 1023 });
    y[ticket] = global_id() as u32; // race
}

#[gpu_kernel]
fn unique_places(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let place = atomic_add(&mut x[0], if how == 1 { 1 } else { 2 });
    y[place] = 1; // race
    y[place + 1] = 2; // race
}

#[gpu_kernel]
fn two_fields(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    let cells = y.reinterpret_mut::<F32x2>();
    atomic_add(&mut x[0], 1);
    if i == 0 {
        cells[0u32].y = 1.0; // race
    }
    if i == 40 && how == 1 {
        cells[0u32] = F32x2::new(0.0, 0.0); // race
    }
}

#[gpu_kernel]
fn floats(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    let sums = y.reinterpret_mut::<f32>();
    let value = x[i] as f32;
    if how == 0 {
        atomic_add(&mut sums[0u32], value);
    } else {
        sums[0u32] += value; // race
    }
}

/// A compare-and-swap that fails stores nothing, and a load beside it is no conflict.
#[gpu_kernel]
fn failed_exchange_only_reads(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    if i == 0 {
        x[100] = y[0]; // race
    }
    if i == 50 {
        atomic_compare_exchange(&mut y[0], if how == 1 { 0 } else { 7 }, 1); // race
    }
}

#[gpu_kernel]
fn replaced(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    let mut kept = shared!([u32; 64]);
    kept[t] = x[t];
    sync_threads();
    let other = match how {
        0 => t,
        1 => 63 - t,
        _ => t / 2,
    };
    y[t] = core::mem::replace(&mut kept[other], t); // race
    if how == 1 {
        core::mem::swap(&mut kept[t], &mut y[t]); // race
    }
}

/// Counts all threads.
#[gpu_static]
static COUNT: u32 = 0;

#[gpu_kernel]
fn static_counter(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let value = x[global_id()] + y[0];
    if how == 0 {
        atomic_add(COUNT.get_mut(), value + 1);
    } else {
        *COUNT.get_mut() += value + 1; // race
    }
}
