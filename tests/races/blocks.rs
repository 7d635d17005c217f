//! Blocks, which run in any order and at once.

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "blocks.rs";
    neighbour_element(4, 32) clean [0] racy [1];
    halo_of_the_neighbour(4, 32) clean [0] racy [1];
    grid_barrier(4, 32, cooperative()) clean [0] racy [1 2 3];
    counter(4, 32) clean [0] racy [1 2];
    same_value_by_all(4, 32) clean [0] racy [1];
    one_place_a_block(4, 32) clean [0] racy [1];
    stencil_in_place(4, 32) clean [0] racy [1];
    inclusive_chunks(4, 32) clean [0] racy [1];
    scatter(4, 32) clean [0] racy [1];
    grid_stride(4, 32) clean [0] racy [1];
    transposed_blocks([2, 2], [4, 4]) clean [0] racy [1 2];
    first_block_prepares(4, 32) clean [0] racy [1];
    reads_what_it_replaces(4, 32) clean [0] racy [1];
    shared_is_the_block_s_own(4, 32) clean [0] racy [1];
    two_passes_of_the_grid(4, 32, cooperative()) clean [0] racy [1 2];
    histogram_of_blocks(4, 32) clean [0] racy [1];
}

#[gpu_kernel]
fn neighbour_element(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    x[i] = 1; // race
    y[i] = x[if how == 1 { (i + 32) % 128 } else { i }]; // race
}

#[gpu_kernel]
fn halo_of_the_neighbour(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let (i, t) = (global_id(), thread_idx().x);
    x[i] = 1; // race
    sync_threads();
    let last = if how == 1 { i + 1 } else { i - t as usize + (t as usize + 1) % 32 };
    y[i] = x[i] + x[last]; // race
}

#[gpu_kernel]
fn grid_barrier(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    x[i] = 1; // race
    if how == 0 {
        grid_sync();
    }
    if how == 1 {
        sync_threads();
    }
    if how == 2 {
        fence_device();
        sync_threads();
        fence_device();
    }
    y[i] = x[127 - i]; // race
}

#[gpu_kernel]
fn counter(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if how == 0 {
        atomic_add(&mut y[0], 1);
    }
    if how == 1 {
        y[0] += x[0] + 1; // race 1
    }
    if how == 2 && thread_idx().x == 0 {
        y[0] += x[0] + 32; // race 2
    }
}

#[gpu_kernel]
fn same_value_by_all(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if thread_idx().x == 0 && (how == 1 || block_idx().x == 0) {
        y[0] = x[0] + 1; // race
    }
}

#[gpu_kernel]
fn one_place_a_block(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let b = block_idx().x;
    if thread_idx().x == 0 {
        y[if how == 1 { b / 2 } else { b }] = x[b]; // race
    }
}

#[gpu_kernel]
fn stencil_in_place(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id() + 1;
    let sum = x[i - 1] + x[i] + x[i + 1]; // race
    if how == 0 {
        y[i] = sum;
    } else {
        sync_threads();
        x[i] = sum; // race
    }
}

/// Each block fills its chunk; one element too many is the next one's first.
#[gpu_kernel]
fn inclusive_chunks(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let (b, t) = (block_idx().x, thread_idx().x);
    let len = if how == 1 { 101 } else { 100 };
    for i in (t..len).step_by(32) {
        y[b * 100 + i] = x[i]; // race
    }
}

#[gpu_kernel]
fn scatter(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    let place = if how == 1 { i * 3 % 96 } else { i * 3 % 128 };
    y[place] = x[i]; // race
}

#[gpu_kernel]
fn grid_stride(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let stride = if how == 1 { block_dim().x as usize } else { global_size() };
    for i in (global_id()..512).step_by(stride) {
        y[i] = x[i]; // race
    }
}

#[gpu_kernel]
fn transposed_blocks(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let (b, t) = (block_idx(), thread_idx());
    let (row, col) = (b.y * 4 + t.y, if how == 1 { t.x } else { b.x * 4 + t.x });
    let pitch = if how == 2 { 4 } else { 8 };
    y[col * 8 + row] = 0; // race 1
    x[row * pitch + col] = 1; // race 2
}

#[gpu_kernel]
fn first_block_prepares(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    if i == 0 {
        x[200] = 5; // race
    }
    sync_threads();
    y[i] = x[if how == 1 { 200 } else { 201 }]; // race
}

#[gpu_kernel]
fn reads_what_it_replaces(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    let from = if how == 1 { 127 - i } else { i };
    x[i] = x[from] + y[i]; // race
}

/// Shared memory at one address in all blocks is no memory that they share; global memory is.
#[gpu_kernel]
fn shared_is_the_block_s_own(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 32]);
    let (i, t) = (global_id(), thread_idx().x);
    if how == 0 {
        tile[t] = x[i];
        sync_threads();
        y[i] = tile[31 - t];
    } else {
        y[t] = x[i]; // race
        sync_threads();
        x[i] = y[31 - t]; // race
    }
}

#[gpu_kernel]
fn two_passes_of_the_grid(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    for _ in 0..2u32 {
        y[i] = x[(i + 40) % 128]; // race
        if how != 1 {
            grid_sync();
        }
        x[i] = y[i] + 1; // race
        if how != 2 {
            grid_sync();
        }
    }
}

#[gpu_kernel]
fn histogram_of_blocks(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    let bin = (x[i] + i as u32) % 8;
    if how == 0 {
        atomic_add(&mut y[bin], 1);
    } else {
        y[bin] += 1; // race
    }
}
