//! Prefix sums and sorted blocks: both are exact.

use warpsmith::Device;
use warpsmith::prelude::U32x4;

use super::data::{Random, same};
use super::{Case, Scale, module, print, text};
use crate::scan::{SCAN_THREADS, SCAN_TILE, scan};
use crate::sorting::{SORT_KEYS, SORT_THREADS, bitonic_sort};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case { name: "scan", print: print::<scan>, module: module::<scan>, check: check_scan },
        Case {
            name: "bitonic_sort",
            print: print::<bitonic_sort>,
            module: module::<bitonic_sort>,
            check: check_sort,
        },
    ]
}

/// Two launches: the second finds the words and the counter as the first left them.
fn check_scan(device: &Device, scale: Scale) -> Result<(), String> {
    let tiles = scale.pick(5, 1 << 16);
    let n = tiles * SCAN_TILE as usize;
    let input = Random::new("scan").words(n);
    let vectors: Vec<U32x4> =
        input.chunks_exact(4).map(|v| U32x4::from_array([v[0], v[1], v[2], v[3]])).collect();
    let x = device.upload(&vectors).map_err(text)?;
    let mut words = device.alloc_zeroed::<u64>(tiles).map_err(text)?;
    let mut next_tile = device.alloc_zeroed::<u32>(1).map_err(text)?;
    let mut sum = 0u32;
    let mut add = |v: &u32| {
        sum = sum.wrapping_add(*v);
        sum
    };
    let want: Vec<u32> = input.iter().map(&mut add).collect();
    for launch in 1..=2 {
        let mut y = device.upload(&vec![U32x4::splat(77); n / 4]).map_err(text)?;
        scan(&x, &mut y, &mut words, &mut next_tile, launch)
            .grid(tiles)
            .block(SCAN_THREADS)
            .launch(device)
            .map_err(text)?;
        let got: Vec<u32> = device.download(&y).map_err(text)?.iter().flat_map(|v| v.to_array()).collect();
        same(&got, &want)?;
    }
    Ok(())
}

fn check_sort(device: &Device, scale: Scale) -> Result<(), String> {
    let blocks = scale.pick(2, 1 << 16);
    let mut want = Random::new("bitonic_sort").words(blocks * SORT_KEYS as usize);
    let keys = device.upload(&want).map_err(text)?;
    let mut sorted = device.alloc_zeroed::<u32>(want.len()).map_err(text)?;
    bitonic_sort(&keys, &mut sorted).grid(blocks).block(SORT_THREADS).launch(device).map_err(text)?;
    want.chunks_mut(SORT_KEYS as usize).for_each(<[u32]>::sort_unstable);
    same(&device.download(&sorted).map_err(text)?, &want)
}
