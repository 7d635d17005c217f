//! The checks of a GPU where instructions access more than the element that they are given: rows of matrices, and tiles that
//! the copy engine loads and stores.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use super::checked::{compiles, devices, finds, runs};

const ROWS: u32 = line!() + 12;

/// A warp stores two matrices of 8 × 8, each element the lane that brought it, and loads the rows of four again: the same
/// two twice, or all that its lanes name.
#[gpu_kernel]
fn stored_rows(y: &mut [u32], all: bool, by: u32) {
    let mut rows = shared!([u16; 264], align = 16);
    let lane = lane_id();
    // The places of the lanes from the 16th on are ignored.
    stmatrix_x2(&mut rows[lane % 16 * 8], [lane * 0x1_0001; 2]);
    sync_warp();
    let place = if all { lane * 8 } else { lane % 16 * 8 };
    let loaded = ldmatrix_x4(&rows[place + by]);
    y[lane] = loaded[0] % 0x1_0000 + u32::from(rows[lane]);
}

#[test]
fn rows_of_matrices_have_sixteen_bytes_each() {
    let launch = |device: &Device, y: &mut Buffer<u32>, all, by| {
        stored_rows(y, all, by).grid(1).block(32).launch(device)
    };
    // Each lane loads its own number again, and adds the element at its place in the first rows: four lanes brought a row, two elements each.
    let sums: Vec<u32> = (0..32).map(|lane| lane + lane / 2).collect();
    runs::<stored_rows>(&sums, |device, y| launch(device, y, false, 0));
    finds::<stored_rows>(ROWS, 16, "byte 0 of them unwritten", |device| {
        launch(device, &mut device.alloc_zeroed(32)?, true, 0)
    });
    finds::<stored_rows>(ROWS, 0, "16", |device| launch(device, &mut device.alloc_zeroed(32)?, false, 1));
}

/// The first block of a cluster loads a tile for both. Each reads it, and stores it at its own place.
#[gpu_kernel(cluster(2))]
fn loaded_tiles(
    x: &TensorMap<f32, 4, 8, Unswizzled>,
    y: &mut TensorMapMut<f32, 4, 8, Unswizzled>,
    sums: &mut [f32],
) {
    let tile = shared!(Tile<f32, 4, 8, Unswizzled>);
    let full = shared!(Barrier);
    let (t, rank) = (thread_idx().x as usize, cluster_block_rank() as usize);
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    cluster_sync();
    if t == 0 {
        full.expect(128);
        if rank == 0 {
            tma_load_multicast(tile, x, [0usize, 0], full, 3);
        }
    }
    full.wait(&mut Phase::first());
    sums[rank * 32 + t] = tile[(t / 8, t % 8)];
    if t == 0 {
        tma_store(y, [4 * rank, 0], tile);
        bulk_commit();
        bulk_wait_read::<0>();
    }
    cluster_sync();
}

#[gpu_kernel]
fn doubled(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < x.len() {
        y[i] = 2.0 * x[i];
    }
}

#[test]
fn what_the_copy_engine_copies_counts_as_written() {
    compiles::<loaded_tiles>();
    let numbers: Vec<f32> = (0..32).map(|i| i as f32).collect();
    for device in devices() {
        let x = device.upload(&numbers).expect("memory");
        let mut y = device.alloc_uninit::<f32>(64).expect("memory");
        let mut sums = device.alloc_uninit::<f32>(64).expect("memory");
        let (from, to) = (x.tensor_map(4, 8).expect("a map"), y.tensor_map_mut(8, 8).expect("a map"));
        loaded_tiles(from, to, &mut sums).grid(2).block(32).launch(&device).expect("a launch");
        let mut z = device.alloc_zeroed::<f32>(64).expect("memory");
        doubled(&y, &mut z).over(64).launch(&device).expect("a launch");
        let both = [&numbers[..], &numbers].concat();
        assert_eq!(device.download(&sums).expect("no fault"), both, "on {}", device.name());
        let twice: Vec<f32> = both.iter().map(|v| 2.0 * v).collect();
        assert_eq!(device.download(&z).expect("no fault"), twice, "on {}", device.name());
    }
}

/// One of two tiles is loaded, and both are read.
#[gpu_kernel]
fn one_of_two_tiles(x: &TensorMap<f32, 4, 8, Unswizzled>, y: &mut [f32]) {
    let tile = shared!(Tile<f32, 4, 8, Unswizzled>);
    let other = shared!(Tile<f32, 4, 8, Unswizzled>);
    let full = shared!(Barrier);
    let t = thread_idx().x as usize;
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    sync_threads();
    if t == 0 {
        full.load_tile(tile, x, [0usize, 0]);
        full.arrive();
    }
    full.wait(&mut Phase::first());
    y[t] = tile[(t / 8, t % 8)] + other[(t / 8, t % 8)];
}

const OTHER: u32 = line!() - 3;

#[test]
fn another_tile_stays_unwritten() {
    finds::<one_of_two_tiles>(OTHER, 0, "byte 0 of them unwritten", |device| {
        let x = device.upload(&[1f32; 32])?;
        let mut y = device.alloc_zeroed::<f32>(32)?;
        one_of_two_tiles(x.tensor_map(4, 8)?, &mut y).grid(1).block(32).launch(device)
    });
}
