//! Maps of tensors and copies of boxes, each builtin at least once, by every executor.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use super::everywhere;

fn numbers(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

/// Blocks of 16 × 64 numbers go through shared memory, where each is doubled.
#[gpu_kernel]
fn doubled(x: &TensorMap<u16, 16, 64, Swizzle128>, y: &mut TensorMapMut<u16, 16, 64, Swizzle128>) {
    let mut tile = shared!(Tile<u16, 16, 64, Swizzle128>);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    let at = [block_idx().y * 16, block_idx().x * 64];
    if t == 0 {
        tensormap_prefetch(x);
        full.init(1);
        fence_mbarrier_init();
    }
    sync_threads();
    if t == 0 {
        full.load_tile(tile, x, at);
        full.arrive();
    }
    full.wait(&mut Phase::first());
    for row in 0..16usize {
        tile[(row, t as usize)] = tile[(row, t as usize)].wrapping_mul(2);
    }
    fence_proxy_async();
    sync_threads();
    if t == 0 {
        tma_store(y, at, tile);
        bulk_commit();
        bulk_wait_read::<0>();
    }
}

#[test]
fn boxes_with_ragged_edges_are_loaded_and_stored() {
    everywhere::<doubled>(&(), |device| {
        for (rows, cols) in [(16, 64), (32, 128), (17, 72), (5, 8), (40, 200)] {
            let x: Vec<u16> = numbers(rows * cols).iter().map(|i| *i as u16).collect();
            let input = device.upload(&x).expect("memory");
            let mut output = device.upload(&vec![7u16; rows * cols]).expect("memory");
            let from = input.tensor_map(rows, cols).expect("a map");
            let mut to = output.tensor_map_mut(rows, cols).expect("a map");
            let grid = [cols.div_ceil(64) as u32, rows.div_ceil(16) as u32];
            doubled(&from, &mut to).grid(grid).block(64).launch(device).expect("a launch");
            let want: Vec<u16> = x.iter().map(|v| v.wrapping_mul(2)).collect();
            assert_eq!(
                device.download(&output).expect("no fault"),
                want,
                "{rows} by {cols} on {}",
                device.name()
            );
        }
    });
}
