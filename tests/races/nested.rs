//! Kernels that launch kernels: what the launched one sees, and what runs beside it.

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "nested.rs";
    parent_then_child(1, 32) clean [0] racy [1 2];
    child_beside_parent(1, 32) clean [0] racy [1];
    tail_sees_all(1, 32) clean [0] racy [1];
    two_children(1, 32) clean [0] racy [1];
    children_of_two_blocks(2, 32) clean [0] racy [1];
}

#[gpu_kernel]
fn doubled(x: &mut [u32]) {
    let i = global_id();
    x[i] *= 2; // child
}

/// All threads write, one launches.
#[gpu_kernel]
fn parent_then_child(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    y[t] = 1;
    if how == 2 {
        sync_warp();
    }
    x[t] = t; // race
    if how == 0 {
        sync_threads();
    }
    if t == 0 {
        doubled(&mut x[..32]).grid(1).block(32).launch();
    }
}

#[gpu_kernel]
fn child_beside_parent(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if t == 0 {
        doubled(&mut y[..32]).grid(1).block(32).launch();
    }
    sync_threads();
    if how == 1 {
        y[t] = 1; // race
    } else {
        x[t] = 1;
    }
}

#[gpu_kernel]
fn tail_sees_all(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if t == 0 {
        if how == 1 {
            doubled(&mut y[..32]).grid(1).block(32).fire_and_forget().launch();
        } else {
            doubled(&mut y[..32]).grid(1).block(32).tail().launch();
        }
    }
    y[t] = x[t]; // race
}

#[gpu_kernel]
fn two_children(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if thread_idx().x == 0 {
        x[0] = 1;
        if how == 1 {
            doubled(&mut y[..32]).grid(1).block(32).fire_and_forget().launch();
            doubled(&mut y[..32]).grid(1).block(32).fire_and_forget().launch();
        } else {
            doubled(&mut y[..32]).grid(1).block(32).launch();
            doubled(&mut y[..32]).grid(1).block(32).launch();
        }
    }
}

#[gpu_kernel]
fn children_of_two_blocks(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let from = if how == 1 { 0 } else { block_idx().x * 32 };
    if thread_idx().x == 0 {
        x[block_idx().x] = 1;
        doubled(&mut y[from..from + 32]).grid(1).block(32).launch();
    }
}
