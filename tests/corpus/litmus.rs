//! Litmus tests of the memory model: what some threads may see of what others write.
//!
//! In each round every group of two or four threads, each in another block, meets memory that no one
//! has used before. All kernels are launched cooperatively; what each group saw is counted in `seen`.

use warpsmith::prelude::*;

/// Message passing: one thread writes `data` and then `flag`, another reads `flag` and then `data`.
///
/// `seen[2 * flag + data]` counts. With release and acquire `seen[2]`, the flag without the data, stays 0.
#[gpu_kernel]
pub fn message_passing(
    data: &mut [u32],
    flag: &mut [u32],
    seen: &mut [u32],
    rounds: u32,
    #[comptime] ordered: bool,
) {
    let group = block_idx().x / 2 * block_dim().x + thread_idx().x;
    let groups = grid_dim().x / 2 * block_dim().x;
    for r in 0..rounds {
        let i = r * groups + group;
        grid_sync();
        if block_idx().x % 2 == 0 {
            atomic(&mut data[i]).store(1, Ordering::Relaxed);
            if ordered {
                atomic(&mut flag[i]).store(1, Ordering::Release);
            } else {
                atomic(&mut flag[i]).store(1, Ordering::Relaxed);
            }
        } else {
            let f = if ordered {
                atomic(&mut flag[i]).load(Ordering::Acquire)
            } else {
                atomic(&mut flag[i]).load(Ordering::Relaxed)
            };
            let d = atomic(&mut data[i]).load(Ordering::Relaxed);
            atomic(&mut seen[2 * f + d]).fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Message passing within a block, from each warp to the next, by fences of the block.
///
/// `seen[2 * flag + data]` counts; `seen[2]` stays 0.
#[gpu_kernel]
pub fn message_passing_block(data: &mut [u32], flag: &mut [u32], seen: &mut [u32], rounds: u32) {
    let group = block_idx().x * (block_dim().x / 2) + warp_id() / 2 * 32 + lane_id();
    let groups = grid_dim().x * (block_dim().x / 2);
    for r in 0..rounds {
        let i = r * groups + group;
        sync_threads();
        if warp_id() % 2 == 0 {
            atomic_block(&mut data[i]).store(1, Ordering::Relaxed);
            fence_block();
            atomic_block(&mut flag[i]).store(1, Ordering::Relaxed);
        } else {
            let f = atomic_block(&mut flag[i]).load(Ordering::Relaxed);
            fence_block();
            let d = atomic_block(&mut data[i]).load(Ordering::Relaxed);
            atomic(&mut seen[2 * f + d]).fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Store buffering: each of two threads writes its own variable and then reads the other's.
///
/// `seen[2 * a + b]` counts what the two have read. Where all operations have a single order, the later
/// of the two reads a 1: with sequential consistency `seen[0]` stays 0.
#[gpu_kernel]
pub fn store_buffering(
    x: &mut [u32],
    y: &mut [u32],
    read: &mut [u32],
    seen: &mut [u32],
    rounds: u32,
    #[comptime] ordered: bool,
) {
    let first = block_idx().x % 2 == 0;
    let group = block_idx().x / 2 * block_dim().x + thread_idx().x;
    let groups = grid_dim().x / 2 * block_dim().x;
    for r in 0..rounds {
        let i = r * groups + group;
        grid_sync();
        let mut a = 0;
        if first {
            if ordered {
                atomic(&mut x[i]).store(1, Ordering::SeqCst);
                a = atomic(&mut y[i]).load(Ordering::SeqCst);
            } else {
                atomic(&mut x[i]).store(1, Ordering::Relaxed);
                a = atomic(&mut y[i]).load(Ordering::Relaxed);
            }
        } else if ordered {
            atomic(&mut y[i]).store(1, Ordering::SeqCst);
            read[i] = atomic(&mut x[i]).load(Ordering::SeqCst);
        } else {
            atomic(&mut y[i]).store(1, Ordering::Relaxed);
            read[i] = atomic(&mut x[i]).load(Ordering::Relaxed);
        }
        grid_sync();
        if first {
            atomic(&mut seen[2 * a + read[i]]).fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Store buffering by relaxed atomics of the system, with its fence between write and read.
///
/// `seen[0]` stays 0.
#[gpu_kernel]
pub fn store_buffering_system(x: &mut [u32], y: &mut [u32], read: &mut [u32], seen: &mut [u32], rounds: u32) {
    let first = block_idx().x % 2 == 0;
    let group = block_idx().x / 2 * block_dim().x + thread_idx().x;
    let groups = grid_dim().x / 2 * block_dim().x;
    for r in 0..rounds {
        let i = r * groups + group;
        grid_sync();
        let mut a = 0;
        if first {
            atomic_system(&mut x[i]).store(1, Ordering::Relaxed);
            fence_system();
            a = atomic_system(&mut y[i]).load(Ordering::Relaxed);
        } else {
            atomic_system(&mut y[i]).store(1, Ordering::Relaxed);
            fence_system();
            read[i] = atomic_system(&mut x[i]).load(Ordering::Relaxed);
        }
        grid_sync();
        if first {
            atomic(&mut seen[2 * a + read[i]]).fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Independent reads of independent writes: two threads write a variable each, two others read both, in
/// opposite orders.
///
/// `seen[4 * xy + yx]` counts, where `xy` is twice the `x` plus the `y` of the one that reads `x` first,
/// `yx` twice the `y` plus the `x` of the other. With sequential consistency the readers agree on which
/// write was first: `seen[4 * 2 + 2]` stays 0.
#[gpu_kernel]
pub fn independent_reads(
    x: &mut [u32],
    y: &mut [u32],
    read: &mut [u32],
    seen: &mut [u32],
    rounds: u32,
    #[comptime] ordered: bool,
) {
    let role = block_idx().x % 4;
    let group = block_idx().x / 4 * block_dim().x + thread_idx().x;
    let groups = grid_dim().x / 4 * block_dim().x;
    for r in 0..rounds {
        let i = r * groups + group;
        grid_sync();
        let mut xy = 0;
        if role == 0 {
            if ordered {
                atomic(&mut x[i]).store(1, Ordering::SeqCst);
            } else {
                atomic(&mut x[i]).store(1, Ordering::Relaxed);
            }
        } else if role == 1 {
            if ordered {
                atomic(&mut y[i]).store(1, Ordering::SeqCst);
            } else {
                atomic(&mut y[i]).store(1, Ordering::Relaxed);
            }
        } else if role == 2 {
            if ordered {
                xy = 2 * atomic(&mut x[i]).load(Ordering::SeqCst);
                xy += atomic(&mut y[i]).load(Ordering::SeqCst);
            } else {
                xy = 2 * atomic(&mut x[i]).load(Ordering::Acquire);
                xy += atomic(&mut y[i]).load(Ordering::Acquire);
            }
        } else if ordered {
            read[i] = 2 * atomic(&mut y[i]).load(Ordering::SeqCst);
            read[i] += atomic(&mut x[i]).load(Ordering::SeqCst);
        } else {
            read[i] = 2 * atomic(&mut y[i]).load(Ordering::Acquire);
            read[i] += atomic(&mut x[i]).load(Ordering::Acquire);
        }
        grid_sync();
        if role == 2 {
            atomic(&mut seen[4 * xy + read[i]]).fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Coherence: one thread writes 1 and then 2, another reads the same variable twice.
///
/// `seen[3 * first + second]` counts; a second read is never older than the first, relaxed as all are.
#[gpu_kernel]
pub fn coherence(x: &mut [u32], seen: &mut [u32], rounds: u32) {
    let group = block_idx().x / 2 * block_dim().x + thread_idx().x;
    let groups = grid_dim().x / 2 * block_dim().x;
    for r in 0..rounds {
        let i = r * groups + group;
        grid_sync();
        if block_idx().x % 2 == 0 {
            atomic(&mut x[i]).store(1, Ordering::Relaxed);
            atomic(&mut x[i]).store(2, Ordering::Relaxed);
        } else {
            let first = atomic(&mut x[i]).load(Ordering::Relaxed);
            let second = atomic(&mut x[i]).load(Ordering::Relaxed);
            atomic(&mut seen[3 * first + second]).fetch_add(1, Ordering::Relaxed);
        }
    }
}
