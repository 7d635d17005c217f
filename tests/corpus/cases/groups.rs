//! Ranks in grid and cluster, tiles of a warp, a sum over the grid.

use warpsmith::Device;

use super::data::{Random, same};
use super::{Case, Scale, module, print, text};
use crate::groups::{RANKS, SUM_THREADS, ranks, sum_grid, tile_sums};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case { name: "ranks", print: print::<ranks>, module: module::<ranks>, check: check_ranks },
        Case {
            name: "tile_sums@tile_4",
            print: print::<tile_sums<4>>,
            module: module::<tile_sums<4>>,
            check: check_tiles::<4>,
        },
        Case {
            name: "tile_sums@tile_32",
            print: print::<tile_sums<32>>,
            module: module::<tile_sums<32>>,
            check: check_tiles::<32>,
        },
        Case { name: "sum_grid", print: print::<sum_grid>, module: module::<sum_grid>, check: check_sum },
    ]
}

/// The same at every scale: clusters of 2 × 2 × 1 in a grid of 4 × 2 × 3, blocks of 4 × 3 × 2.
fn check_ranks(device: &Device, _scale: Scale) -> Result<(), String> {
    let (grid, block, cluster) = ([4, 2, 3], [4, 3, 2], [2, 2, 1]);
    let mut want = Vec::new();
    for number in 0..24u32 {
        let idx = [number % 4, number / 4 % 2, number / 8];
        let rank = idx[1] % 2 * 2 + idx[0] % 2;
        let at = (idx[0] / 2) * 100 + (idx[1] / 2) * 10 + idx[2];
        for thread in 0..24 {
            want.extend([number * 24 + thread, number, 576, rank * 24 + thread, rank, 96, 221, at]);
        }
    }
    let mut out = device.upload(&vec![u32::MAX; 576 * RANKS as usize]).map_err(text)?;
    ranks(&mut out).grid(grid).block(block).cluster(cluster).launch(device).map_err(text)?;
    same(&device.download(&out).map_err(text)?, &want)
}

fn check_tiles<const N: u32>(device: &Device, scale: Scale) -> Result<(), String> {
    let n = scale.pick(1003, (1 << 24) + 3);
    let x = Random::new("tile_sums").ints(n, -1000, 1000);
    let input = device.upload(&x).map_err(text)?;
    let mut sums = device.upload(&vec![i32::MIN; n.div_ceil(N as usize)]).map_err(text)?;
    let mut prefixes = device.upload(&vec![i32::MIN; n]).map_err(text)?;
    tile_sums::<N>(&input, &mut sums, &mut prefixes).over(n).block(128).launch(device).map_err(text)?;
    let tiles = || x.chunks(N as usize);
    same(&device.download(&sums).map_err(text)?, &tiles().map(|t| t.iter().sum()).collect::<Vec<i32>>())?;
    let prefix = |tile: &[i32]| {
        let sum_up = |sum: &mut i32, v: &i32| {
            *sum += v;
            Some(*sum)
        };
        tile.iter().scan(0, sum_up).collect::<Vec<i32>>()
    };
    same(&device.download(&prefixes).map_err(text)?, &tiles().flat_map(prefix).collect::<Vec<i32>>())
}

fn check_sum(device: &Device, scale: Scale) -> Result<(), String> {
    let (n, grid) = scale.pick((10_007, 5), (1 << 28, 132));
    let x = Random::new("sum_grid").ints(n, -7, 8);
    let input = device.upload(&x).map_err(text)?;
    let mut parts = device.upload(&vec![i32::MIN; grid as usize]).map_err(text)?;
    let mut total = device.upload(&[i32::MIN]).map_err(text)?;
    sum_grid(&input, &mut parts, &mut total)
        .grid(grid)
        .block(SUM_THREADS)
        .cooperative()
        .launch(device)
        .map_err(text)?;
    same(&device.download(&total).map_err(text)?, &[x.iter().sum()])
}
