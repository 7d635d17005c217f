//! Asynchronous copies: started, waited for, or not.

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "copies.rs";
    waited_for(1, 64) clean [0] racy [1 2 3 4 5];
    own_element(1, 64) clean [0] racy [1 2];
    two_stages(1, 64) clean [0] racy [1 2 3];
    source_is_written(1, 64) clean [0] racy [1];
    place_is_reused(1, 64) clean [0] racy [1 2];
    twice_to_one_place(1, 64) clean [0] racy [1 2];
    by_one_warp(1, 64) clean [0] racy [1 2];
    wide_copies(1, 32) clean [0] racy [1];
}

#[gpu_kernel]
fn waited_for(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    copy_async(&mut tile[t], &x[t]); // race
    if how != 3 {
        copy_async_commit();
    }
    if how == 5 {
        sync_threads();
    }
    if how == 4 {
        copy_async_wait::<1>();
    } else if how != 1 {
        copy_async_wait::<0>();
    }
    if how != 2 && how != 5 {
        sync_threads();
    }
    y[t] = tile[63 - t]; // race
}

#[gpu_kernel]
fn own_element(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    copy_async(&mut tile[t], &x[t]); // race
    copy_async_commit();
    if how == 0 {
        copy_async_wait::<0>();
    }
    if how == 2 {
        sync_threads();
    }
    y[t] = tile[t]; // race
}

/// The next stage is copied while this one is used.
#[gpu_kernel]
fn two_stages(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut stages = shared!([[u32; 64]; 2]);
    let t = thread_idx().x;
    copy_async(&mut stages[0u32][t], &x[t]); // race
    copy_async_commit();
    for i in 0..4u32 {
        let stage = i % 2;
        copy_async(&mut stages[if how == 3 { stage } else { 1 - stage }][t], &x[(i + 1) * 64 + t]); // race
        copy_async_commit();
        if how == 1 {
            copy_async_wait::<2>();
        } else {
            copy_async_wait::<1>();
        }
        sync_threads();
        y[i * 64 + t] = stages[stage][63 - t]; // race
        if how != 2 {
            sync_threads();
        }
    }
    copy_async_wait::<0>();
}

#[gpu_kernel]
fn source_is_written(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    copy_async(&mut tile[t], &x[t]); // race
    copy_async_commit();
    if how == 1 {
        x[t] = 9; // race
    }
    copy_async_wait::<0>();
    if how == 0 {
        x[t] = 9;
    }
    y[t] = tile[t];
}

#[gpu_kernel]
fn place_is_reused(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    tile[t] = t;
    sync_threads();
    y[t] = tile[63 - t]; // race 1
    if how != 1 {
        sync_threads();
    }
    copy_async(&mut tile[t], &x[t]); // race
    copy_async_commit();
    if how == 2 {
        tile[t] = 4; // race 2
    }
    copy_async_wait::<0>();
}

#[gpu_kernel]
fn twice_to_one_place(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    copy_async(&mut tile[t], &x[t]); // race
    copy_async_commit();
    if how == 0 {
        copy_async_wait::<0>();
    }
    let place = if how == 2 { 63 - t } else { t };
    if how != 2 || t < 32 {
        copy_async(&mut tile[place], &x[64 + t]); // race
    }
    copy_async_commit();
    copy_async_wait::<0>();
    y[t] = tile[t];
}

/// One warp copies for both.
#[gpu_kernel]
fn by_one_warp(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    if t < 32 {
        copy_async(&mut tile[t], &x[t]); // race
        copy_async(&mut tile[t + 32], &x[t + 32]); // race
        copy_async_commit();
        if how != 1 {
            copy_async_wait::<0>();
        }
    }
    if how != 2 {
        sync_threads();
    }
    y[t] = tile[t]; // race
}

#[gpu_kernel]
fn wide_copies(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([U32x4; 32]);
    let t = thread_idx().x;
    let from = x.reinterpret::<U32x4>();
    copy_async(&mut tile[t], &from[t]); // race
    copy_async_commit();
    if how == 0 {
        copy_async_wait::<0>();
        sync_threads();
    }
    y[t] = tile[31 - t].w; // race
}
