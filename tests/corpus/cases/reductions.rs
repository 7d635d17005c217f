//! The reduction ladder and the shared-memory reductions: each block's sum is exact.

use warpsmith::{Buffer, Device, Kernel};

use super::data::{Random, same};
use super::{Case, Scale, print, record, text};
use crate::reduction::{
    reduce_complete_unroll, reduce_complete_unroll_warps8, reduce_interleaved, reduce_neighbored,
    reduce_neighbored_less, reduce_unroll_warps8, reduce_unrolling2,
};
use crate::shared_reduction::{
    reduce_gmem, reduce_smem_dyn, reduce_smem_unroll_dyn, reduce_smem_unroll_shfl,
};

/// Elements that a thread of a kernel folds, its block, and its launch.
fn check(
    device: &Device,
    scale: Scale,
    [block, per_thread]: [usize; 2],
    launch: impl Fn(&mut Buffer<i32>, &mut Buffer<i32>, u32) -> warpsmith::Result<()>,
) -> Result<(), String> {
    let part = block * per_thread;
    let n = scale.pick(5 * part, 1 << 28);
    let input = Random::new("reduction").ints(n, -1000, 1000);
    let want: Vec<i32> = input.chunks(part).map(|chunk| chunk.iter().sum()).collect();
    let mut data = device.upload(&input).map_err(text)?;
    let mut sums = device.upload(&vec![i32::MIN; n / part]).map_err(text)?;
    launch(&mut data, &mut sums, n as u32).map_err(text)?;
    same(&device.download(&sums).map_err(text)?, &want)
}

macro_rules! in_place {
    ($kernel:ident, $block:literal, $per_thread:literal) => {
        Case {
            name: stringify!($kernel),
            print: print::<$kernel>,
            record: record::<$kernel>,
            check: |device, scale| {
                check(device, scale, [$block, $per_thread], |data, sums, n| {
                    let grid = n / ($block * $per_thread);
                    $kernel(data.view_mut(), sums, n).grid(grid).block($block).launch(device)
                })
            },
        }
    };
}

macro_rules! specialized {
    ($name:literal, $block:literal) => {
        Case {
            name: $name,
            print: |options| reduce_complete_unroll::print(&($block,), options),
            record: || reduce_complete_unroll::record(&($block,)),
            check: |device, scale| {
                check(device, scale, [$block, 8], |data, sums, n| {
                    let grid = n / ($block * 8);
                    reduce_complete_unroll(data.view_mut(), sums, n, $block)
                        .grid(grid)
                        .block($block)
                        .launch(device)
                })
            },
        }
    };
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        in_place!(reduce_neighbored, 256, 1),
        in_place!(reduce_neighbored_less, 256, 1),
        in_place!(reduce_interleaved, 256, 1),
        in_place!(reduce_unrolling2, 256, 2),
        in_place!(reduce_unroll_warps8, 256, 8),
        in_place!(reduce_complete_unroll_warps8, 256, 8),
        specialized!("reduce_complete_unroll@block_64", 64),
        specialized!("reduce_complete_unroll@block_256", 256),
        specialized!("reduce_complete_unroll@block_1024", 1024),
        in_place!(reduce_gmem, 256, 1),
        Case {
            name: "reduce_smem_dyn",
            print: print::<reduce_smem_dyn>,
            record: record::<reduce_smem_dyn>,
            check: check_smem_dyn,
        },
        Case {
            name: "reduce_smem_unroll_dyn",
            print: print::<reduce_smem_unroll_dyn>,
            record: record::<reduce_smem_unroll_dyn>,
            check: check_smem_unroll,
        },
        Case {
            name: "reduce_smem_unroll_shfl",
            print: print::<reduce_smem_unroll_shfl>,
            record: record::<reduce_smem_unroll_shfl>,
            check: check_shuffle,
        },
    ]
}

fn check_smem_dyn(device: &Device, scale: Scale) -> Result<(), String> {
    check(device, scale, [256, 1], |data, sums, n| {
        reduce_smem_dyn(&*data, sums).grid(n / 256).block(256).dynamic_shared(1024).launch(device)
    })
}

fn check_smem_unroll(device: &Device, scale: Scale) -> Result<(), String> {
    check(device, scale, [256, 4], |data, sums, n| {
        reduce_smem_unroll_dyn(&*data, sums, n).grid(n / 1024).block(256).dynamic_shared(1024).launch(device)
    })
}

fn check_shuffle(device: &Device, scale: Scale) -> Result<(), String> {
    check(device, scale, [256, 4], |data, sums, n| {
        reduce_smem_unroll_shfl(&*data, sums, n).grid(n / 1024).block(256).launch(device)
    })
}
