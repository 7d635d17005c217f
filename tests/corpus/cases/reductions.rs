//! The reduction ladder and the shared-memory reductions: each block's sum is exact.

use warpsmith::{Buffer, Device, Kernel};

use super::data::{Random, same};
use super::{Case, Scale, module, print, text};
use crate::reduction::{
    reduce_complete_unroll, reduce_complete_unroll_warps8, reduce_interleaved, reduce_neighbored,
    reduce_neighbored_less, reduce_unroll_warps8, reduce_unrolling2,
};
use crate::shared_reduction::{
    reduce_gmem, reduce_smem_dyn, reduce_smem_unroll_dyn, reduce_smem_unroll_shfl,
};

/// Sizes of a block that every kernel of the ladder is run with, [`Real`](Scale::Real) or not.
const BLOCKS: [usize; 5] = [64, 128, 256, 512, 1024];

/// A launch with a given number of threads in a block.
type Launched<'a> = dyn Fn(&mut Buffer<i32>, &mut Buffer<i32>, u32, u32) -> warpsmith::Result<()> + 'a;

/// A launch for each size of a block; every thread folds `per_thread` elements.
fn check(
    device: &Device,
    scale: Scale,
    (blocks, per_thread): (&[usize], usize),
    launch: &Launched<'_>,
) -> Result<(), String> {
    let length =
        |block: usize| scale.pick(3 * block * per_thread, if block == 256 { 1 << 28 } else { 1 << 26 });
    let most = blocks.iter().map(|block| length(*block)).max().unwrap_or(0);
    let input = Random::new("reduction").ints(most, -1000, 1000);
    for &block in blocks {
        let (n, part) = (length(block), block * per_thread);
        let input = &input[..n];
        let want: Vec<i32> = input.chunks(part).map(|chunk| chunk.iter().sum()).collect();
        let mut data = device.upload(input).map_err(text)?;
        let mut sums = device.upload(&vec![i32::MIN; n / part]).map_err(text)?;
        launch(&mut data, &mut sums, n as u32, block as u32).map_err(text)?;
        same(&device.download(&sums).map_err(text)?, &want).map_err(|e| format!("blocks of {block}: {e}"))?;
    }
    Ok(())
}

/// A kernel that folds its input in place, `(data, sums, n)`, in blocks of every size.
macro_rules! in_place {
    ($kernel:ident, $per_thread:literal) => {
        Case {
            name: stringify!($kernel),
            print: print::<$kernel>,
            module: module::<$kernel>,
            check: |device, scale| {
                check(device, scale, (&BLOCKS, $per_thread), &|data, sums, n, block| {
                    let grid = n / (block * $per_thread);
                    $kernel(data.view_mut(), sums, n).grid(grid).block(block).launch(device)
                })
            },
        }
    };
}

/// [`reduce_complete_unroll()`] for blocks of one size.
macro_rules! specialized {
    ($name:literal, $block:literal) => {
        Case {
            name: $name,
            print: |options| reduce_complete_unroll::print(&($block,), options),
            module: || reduce_complete_unroll::module(&($block,)),
            check: |device, scale| {
                check(device, scale, (&[$block], 8), &|data, sums, n, block| {
                    reduce_complete_unroll(data.view_mut(), sums, n, block)
                        .grid(n / (block * 8))
                        .block(block)
                        .launch(device)
                })
            },
        }
    };
}

/// A kernel of shared memory, by the function that checks it.
macro_rules! shared {
    ($kernel:ident, $check:ident) => {
        Case { name: stringify!($kernel), print: print::<$kernel>, module: module::<$kernel>, check: $check }
    };
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        in_place!(reduce_neighbored, 1),
        in_place!(reduce_neighbored_less, 1),
        in_place!(reduce_interleaved, 1),
        in_place!(reduce_unrolling2, 2),
        in_place!(reduce_unroll_warps8, 8),
        in_place!(reduce_complete_unroll_warps8, 8),
        specialized!("reduce_complete_unroll@block_64", 64),
        specialized!("reduce_complete_unroll@block_128", 128),
        specialized!("reduce_complete_unroll@block_256", 256),
        specialized!("reduce_complete_unroll@block_512", 512),
        specialized!("reduce_complete_unroll@block_1024", 1024),
        in_place!(reduce_gmem, 1),
        shared!(reduce_smem_dyn, check_smem_dyn),
        shared!(reduce_smem_unroll_dyn, check_smem_unroll),
        shared!(reduce_smem_unroll_shfl, check_shuffle),
    ]
}

fn check_smem_dyn(device: &Device, scale: Scale) -> Result<(), String> {
    check(device, scale, (&BLOCKS, 1), &|data, sums, n, block| {
        let bytes = 4 * block as usize;
        reduce_smem_dyn(&*data, sums).grid(n / block).block(block).dynamic_shared(bytes).launch(device)
    })
}

fn check_smem_unroll(device: &Device, scale: Scale) -> Result<(), String> {
    check(device, scale, (&BLOCKS, 4), &|data, sums, n, block| {
        let launch = reduce_smem_unroll_dyn(&*data, sums, n).grid(n / (4 * block)).block(block);
        launch.dynamic_shared(4 * block as usize).launch(device)
    })
}

fn check_shuffle(device: &Device, scale: Scale) -> Result<(), String> {
    check(device, scale, (&BLOCKS, 4), &|data, sums, n, block| {
        reduce_smem_unroll_shfl(&*data, sums, n).grid(n / (4 * block)).block(block).launch(device)
    })
}
