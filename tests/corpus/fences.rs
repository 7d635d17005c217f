//! The weak-ordering example: one thread writes `X` and then `Y`, another reads `Y` and then `X`.
//!
//! Without a fence the reader may see the new `Y` and the old `X`. With one on each side it may not.

use warpsmith::prelude::*;

/// The variable that is written first; 1 before.
#[gpu_static]
pub static X: i32 = 1;
/// The variable that is written second; 2 before.
#[gpu_static]
pub static Y: i32 = 2;

/// Writes `X` and `Y` in either order, as far as others can tell.
#[gpu_fn]
fn write_xy() {
    volatile_store(X.get_mut(), 10);
    volatile_store(Y.get_mut(), 20);
}

/// Reads `Y` and `X` in either order.
#[gpu_fn]
fn read_xy() -> (i32, i32) {
    let b = volatile_load(Y.get_mut());
    let a = volatile_load(X.get_mut());
    (a, b)
}

/// The first thread of one block writes, that of another reads.
#[gpu_kernel]
pub fn weak_order(out: &mut [i32]) {
    if block_idx().x == 0 && thread_idx().x == 0 {
        write_xy();
    }
    if block_idx().x == 1 && thread_idx().x == 0 {
        let (a, b) = read_xy();
        out[0] = a;
        out[1] = b;
    }
}

/// Writes `X` before `Y`, for the threads of the device.
#[gpu_fn]
fn write_xy_fenced() {
    volatile_store(X.get_mut(), 10);
    fence_device();
    volatile_store(Y.get_mut(), 20);
}

/// Reads `Y` before `X`.
#[gpu_fn]
fn read_xy_fenced() -> (i32, i32) {
    let b = volatile_load(Y.get_mut());
    fence_device();
    let a = volatile_load(X.get_mut());
    (a, b)
}

/// The same as [`weak_order()`] with fences of the device: a new `Y` comes with a new `X`.
#[gpu_kernel]
pub fn fenced_order(out: &mut [i32]) {
    if block_idx().x == 0 && thread_idx().x == 0 {
        write_xy_fenced();
    }
    if block_idx().x == 1 && thread_idx().x == 0 {
        let (a, b) = read_xy_fenced();
        out[0] = a;
        out[1] = b;
    }
}
