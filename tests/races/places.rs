//! The same rules wherever memory is: statics, matrices, parts of one buffer, managed memory.

use warpsmith::prelude::*;

use crate::suite::{Case, cases};

cases! { "places.rs";
    static_row(2, 32) clean [0] racy [1 2];
    guarded_stages(2, 32, cooperative()) clean [0] racy [1 2];
    copied_and_stored(1, 64) clean [0] racy [1 2];
    copied_for_the_warp(1, 64) clean [0] racy [1];
    grid_in_rounds(2, 32, cooperative()) clean [0] racy [1 2];
    cluster_of_one_block(2, 32, cooperative()) clean [0 3] racy [1 2];
    launched_by_two(1, 64) clean [0] racy [1];
    launched_after_a_static(1, 64) clean [0] racy [1];
    tail_of_a_tail(1, 32) clean [0] racy [1];
}

/// The cases whose kernels take other parameters than the two buffers.
pub fn others() -> Vec<Case> {
    let case = |name, racy, launch| Case {
        name,
        source: include_str!("places.rs"),
        clean: &[0],
        racy,
        faults: &[],
        launch,
    };
    vec![
        case("rows_of_a_matrix", &[1, 2], |device, _, y, how, seed| {
            let mut rows = device.alloc_pitched::<u32>(8, 20)?;
            rows_of_a_matrix(rows.view2_mut(), y, how).grid(8).block(32).seed(seed).launch(device)
        }),
        case("two_parts", &[1], |device, x, y, how, seed| {
            let (mut low, mut high) = x.split_at_mut(64)?;
            two_parts(&mut low, &mut high, y, how).grid(1).block(64).seed(seed).launch(device)
        }),
        case("one_part_twice", &[1], |device, x, y, how, seed| {
            let (a, b) = (x.slice(0..64)?, x.slice(32..96)?);
            one_part_twice(a, b, y, how).grid(2).block(32).seed(seed).launch(device)
        }),
        case("managed", &[1], |device, _, y, how, seed| {
            let mut shared = device.alloc_managed::<u32>(64)?;
            managed(shared.part_mut(), y, how).grid(2).block(32).seed(seed).launch(device)
        }),
        case("planes_of_a_volume", &[1], |device, x, y, how, seed| {
            let volume = x.view3_mut(4, 4, 32).expect("enough elements");
            planes_of_a_volume(volume, y, how).grid(4).block([32, 4]).seed(seed).launch(device)
        }),
    ]
}

#[gpu_static]
static ROW: [u32; 65] = [0; 65];

#[gpu_static]
static SEED: u32 = 0;

#[gpu_kernel]
fn static_row(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    ROW.get_mut()[i] = x[i]; // race
    if how == 2 {
        sync_threads();
    }
    y[i] = ROW.get_mut()[if how == 0 { i } else { i + 1 }]; // race
}

/// Two stages in global memory, each guarded by a counter of its own: filled when odd, free when even.
#[gpu_kernel]
fn guarded_stages(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let lane = thread_idx().x;
    for round in 0..4u32 {
        let stage = round % 2;
        let turn = round / 2 * 2;
        if block_idx().x == 0 {
            if lane == 0 {
                if how == 1 {
                    while atomic(&mut x[stage]).load(Ordering::Relaxed) != turn {}
                } else {
                    while atomic(&mut x[stage]).load(Ordering::Acquire) != turn {}
                }
            }
            sync_warp();
            y[stage * 32 + lane] = round; // race
            sync_warp();
            if lane == 0 {
                atomic(&mut x[stage]).fetch_add(1, Ordering::Release);
            }
        } else {
            if lane == 0 {
                while atomic(&mut x[stage]).load(Ordering::Acquire) != turn + 1 {}
            }
            sync_warp();
            y[64 + round * 32 + lane] = y[stage * 32 + 31 - lane]; // race
            if how != 2 {
                sync_warp();
            }
            if lane == 0 {
                atomic(&mut x[stage]).fetch_add(1, Ordering::Release);
            }
        }
    }
}

/// A copy of sixteen bytes, and a store to four of them.
#[gpu_kernel]
fn copied_and_stored(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([U32x4; 64]);
    let t = thread_idx().x;
    copy_async(&mut tile[t], &x.reinterpret::<U32x4>()[t]); // race
    copy_async_commit();
    if how == 1 {
        tile[t].w = 3; // race 1
    }
    copy_async_wait::<0>();
    if how != 2 {
        sync_threads();
    }
    y[t] = tile[63 - t].x; // race 2
}

/// A copy is visible only to the thread that has waited for it, until its warp meets.
#[gpu_kernel]
fn copied_for_the_warp(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    copy_async(&mut tile[t], &x[t]); // race
    copy_async_commit();
    copy_async_wait::<0>();
    sync_warp();
    y[t] = tile[if how == 1 { 63 - t } else { t ^ 31 }]; // race
}

/// Each round reads what another block has written in the last one.
#[gpu_kernel]
fn grid_in_rounds(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id() as u32;
    for round in 0..3u32 {
        let stage = if how == 1 { 0 } else { round % 2 };
        x[stage * 64 + i] = round; // race
        if how == 2 && round == 2 {
            sync_threads();
        } else {
            grid_sync();
        }
        y[i] += x[stage * 64 + 63 - i]; // race
    }
}

/// Without clusters each block is one: its barrier is no barrier of the grid.
#[gpu_kernel]
fn cluster_of_one_block(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    x[i] = 1; // race
    if how >= 2 {
        cluster_arrive();
        cluster_wait();
    } else {
        cluster_sync();
    }
    y[i] = x[if how == 0 || how == 3 { i ^ 31 } else { 63 - i }]; // race
}

#[gpu_kernel]
fn counted(x: &mut [u32]) {
    let i = global_id();
    x[i] += 1; // child
}

/// Threads of one block launch into one order, those of all blocks do not.
#[gpu_kernel]
fn launched_by_two(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if t == 0 || t == 33 {
        let value = y[t];
        if how == 1 {
            counted(&mut x[..32]).grid(1).block(32).fire_and_forget().launch();
        } else if value == 0 {
            counted(&mut x[..32]).grid(1).block(32).launch();
        }
    }
}

#[gpu_kernel]
fn seeded(x: &mut [u32]) {
    let i = global_id();
    x[i] = SEED.get(); // child
}

/// A static is memory as any other: the launched kernel knows of it what its launcher knows.
#[gpu_kernel]
fn launched_after_a_static(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if t == 40 {
        *SEED.get_mut() = y[0] + 7; // race
    }
    if how == 0 {
        sync_threads();
    }
    if t == 0 {
        seeded(&mut x[..32]).grid(1).block(32).launch();
    }
}

#[gpu_kernel]
fn and_again(x: &mut [u32]) {
    let i = global_id();
    x[i] += 1; // child
    if i == 0 {
        counted(&mut x[..32]).grid(1).block(32).tail().launch();
    }
}

/// A tail comes after all of the grid that launches it, and so does the tail's own.
#[gpu_kernel]
fn tail_of_a_tail(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if t == 0 {
        if how == 1 {
            and_again(&mut x[..32]).grid(1).block(32).launch();
        } else {
            and_again(&mut x[..32]).grid(1).block(32).tail().launch();
        }
    }
    x[t] = y[t]; // race
}

/// A block each row, padding in between.
#[gpu_kernel]
fn rows_of_a_matrix(mut rows: ViewMut2<u32>, y: &mut [u32], #[comptime] how: u32) {
    let (row, col) = (block_idx().x, thread_idx().x);
    if col < 20 {
        rows[(row, col)] = col; // race
        let r = if how == 1 { (row + 1) % 8 } else { row };
        let c = if how == 2 { (col + 1) % 20 } else { col };
        y[row * 32 + col] = rows[(r, c)]; // race
    }
}

/// Parts of one buffer side by side.
#[gpu_kernel]
fn two_parts(low: &mut [u32], high: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    low[t] = t; // race
    high[t] = low[if how == 1 { t ^ 1 } else { t }] + y[t]; // race
}

/// Parts that overlap can be read; who writes does so elsewhere.
#[gpu_kernel]
fn one_part_twice(a: &[u32], b: &[u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    y[if how == 1 { i % 32 } else { i }] = a[i] + b[i]; // race
}

#[gpu_kernel]
fn managed(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    x[i] = 1; // race
    y[i] = x[if how == 1 { 63 - i } else { i }]; // race
}

/// A block each plane, a warp each row.
#[gpu_kernel]
fn planes_of_a_volume(mut volume: ViewMut3<u32>, y: &mut [u32], #[comptime] how: u32) {
    let (plane, row, col) = (block_idx().x, thread_idx().y, thread_idx().x);
    volume[(plane, row, col)] = col; // race
    sync_threads();
    let from = if how == 1 { 3 - plane } else { plane };
    y[(plane * 4 + row) * 32 + col] = volume[(from, 3 - row, col)]; // race
}
