//! Where a variable can live: a device static, a managed one, shared memory that is read as volatile, and an array
//! of the thread's own.

use warpsmith::prelude::*;

/// A value in device memory, which outlives the launches.
#[gpu_static]
pub static DEV_DATA: f32 = 0.0;

/// Shows the value and alters it.
#[gpu_kernel]
pub fn check_global_variable() {
    println!("Device: the value of the global variable is {}", DEV_DATA.get());
    *DEV_DATA.get_mut() += 2.0;
}

/// Values that host and kernels reach at one address.
#[gpu_static(managed)]
pub static MANAGED: [i32; 4] = [0; 4];

/// Adds the block's number, from 1 on, to each of the values.
#[gpu_kernel]
pub fn add_to_managed() {
    let i = thread_idx().x;
    if i < 4 {
        atomic_add(&mut MANAGED.get_mut()[i], block_idx().x as i32 + 1);
    }
}

/// Elements of a block of [`reduce_volatile()`].
pub const WARP_PAIR: u32 = 64;

/// Each warp folds 64 elements in shared memory, which is read and written in every step.
#[gpu_kernel]
pub fn reduce_volatile(g_idata: &[i32], g_odata: &mut [i32]) {
    let mut vsmem = shared!([i32; WARP_PAIR]);
    let tid = thread_idx().x;
    let idx = block_idx().x * WARP_PAIR + tid;
    vsmem[tid] = g_idata[idx];
    vsmem[tid + 32] = g_idata[idx + 32];
    let mut step = 32;
    while step > 0 {
        let sum = volatile_load(&vsmem[tid]) + volatile_load(&vsmem[tid + step]);
        sync_warp();
        volatile_store(&mut vsmem[tid], sum);
        sync_warp();
        step /= 2;
    }
    if tid == 0 {
        g_odata[block_idx().x] = vsmem[0];
    }
}

/// Digits that [`count_digits()`] tells apart.
pub const BASE: u32 = 10;

/// How often the most frequent decimal digit of each number occurs, counted in an array of the thread.
#[gpu_kernel]
pub fn count_digits(x: &[u32], most: &mut [u32]) {
    let i = global_id();
    if i < x.len() {
        let mut counts = [0u32; BASE as usize];
        let mut rest = x[i];
        while rest > 0 {
            counts[rest % BASE] += 1;
            rest /= BASE;
        }
        let mut largest = 0;
        for digit in 0..BASE {
            largest = largest.max(counts[digit]);
        }
        most[i] = largest;
    }
}
