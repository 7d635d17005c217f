//! Sorts of random and of equal keys, and of keys with the numbers of their places; sorts of segments; the largest keys of rows.

use warpsmith::prelude::*;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::sorting::{Key, segmented_sort, segmented_sort_pairs, sort, sort_pairs, top_k};

use crate::function::Work::Bytes;
use crate::function::{Function, Result, Run, check, kept, launches, word};
use crate::inputs::unit;

/// Columns of the rows that keys are chosen of, and the number of these keys.
const COLS: usize = 1 << 15;
const CHOSEN: usize = 64;

/// Sizes are numbers of keys. Bytes are those of the arguments, each once.
pub const FUNCTIONS: &[Function] = &[
    Function::new("sort_u32", Bytes(8.0), |d, n| sorted::<u32>(d, n, word)),
    Function::new("sort_f32", Bytes(8.0), |d, n| sorted::<f32>(d, n, |i| f32::from_bits(word(i)))),
    Function::new("sort_u64", Bytes(16.0), |d, n| sorted::<u64>(d, n, wide)),
    Function::new("sort_u32_equal", Bytes(8.0), |d, n| sorted::<u32>(d, n, |_| 77)),
    Function::new("sort_u32_few", Bytes(8.0), |d, n| sorted::<u32>(d, n, |i| word(i) % 3)),
    Function::new("sort_pairs_u32", Bytes(16.0), sorted_pairs),
    Function::new("top_k_f32", Bytes(4.0), chosen),
    Function::new("segmented_sort_u32_5", Bytes(8.0), |d, n| in_segments(d, n, 5)),
    Function::new("segmented_sort_u32_32", Bytes(8.0), |d, n| in_segments(d, n, 32)),
    Function::new("segmented_sort_u32_200", Bytes(8.0), |d, n| in_segments(d, n, 200)),
    Function::new("segmented_sort_u32_1000", Bytes(8.0), |d, n| in_segments(d, n, 1000)),
    Function::new("segmented_sort_u32_5000", Bytes(8.0), |d, n| in_segments(d, n, 5000)),
    Function::new("segmented_sort_u32_30000", Bytes(8.0), |d, n| in_segments(d, n, 30_000)),
    Function::new("segmented_pairs_u32_32", Bytes(16.0), |d, n| pairs_in_segments(d, n, 32)),
    Function::new("segmented_pairs_u32_1000", Bytes(16.0), |d, n| pairs_in_segments(d, n, 1000)),
    Function::new("segmented_pairs_u32_30000", Bytes(16.0), |d, n| pairs_in_segments(d, n, 30_000)),
];

fn wide(i: usize) -> u64 {
    u64::from(word(2 * i)) | u64::from(word(2 * i + 1)) << 32
}

fn sorted<K: Key>(device: &Device, n: usize, key: fn(usize) -> K) -> Result<Run<'static>>
where
    K::Word: Ord + Into<u64>,
{
    let host: Vec<K> = (0..n).map(key).collect();
    // The sum of the squares of keys, whatever their order.
    let sum = |keys: &[K]| {
        keys.iter().fold(0u64, |sum, key| {
            let word: u64 = key.word().into();
            sum.wrapping_add(word.wrapping_mul(word))
        })
    };
    let (x, y) = (kept(device.upload(&host)?), kept(device.alloc_zeroed::<K>(n)?));
    sort(device, &*x, &mut *y).run()?;
    let got = device.download(y)?;
    let is_right = got.is_sorted_by_key(|key| key.word()) && sum(&got) == sum(&host);
    check(is_right, || format!("a wrong order of {n}"))?;
    launches(device, sort(device, &*x, y))
}

fn sorted_pairs(device: &Device, n: usize) -> Result<Run<'static>> {
    let host: Vec<u32> = (0..n).map(word).collect();
    let places: Vec<u32> = (0..n as u32).collect();
    let (x, values) = (kept(device.upload(&host)?), kept(device.upload(&places)?));
    let (y, order) = (kept(device.alloc_zeroed::<u32>(n)?), kept(device.alloc_zeroed::<u32>(n)?));
    sort_pairs(device, &*x, &*values, &mut *y, &mut *order).run()?;
    let pairs: Vec<(u32, u32)> = device.download(y)?.into_iter().zip(device.download(order)?).collect();
    // Each pair once, as they differ, and equal keys in their order.
    let is_right =
        pairs.is_sorted_by(|a, b| a < b) && pairs.iter().all(|(key, place)| host[*place as usize] == *key);
    check(is_right, || format!("a wrong order of {n} pairs"))?;
    launches(device, sort_pairs(device, &*x, &*values, y, order))
}

/// Offsets of segments of any lengths below twice the `mean`; the peer has the same.
fn offsets(n: usize, mean: usize) -> Vec<u32> {
    let mut offsets = vec![0u32];
    let mut at = 0;
    while at < n {
        at = n.min(at + word(offsets.len()) as usize % (2 * mean));
        offsets.push(at as u32);
    }
    offsets
}

fn in_segments(device: &Device, n: usize, mean: usize) -> Result<Run<'static>> {
    let (mut host, ends) = ((0..n).map(word).collect::<Vec<u32>>(), offsets(n, mean));
    let (x, offsets) = (kept(device.upload(&host)?), kept(device.upload(&ends)?));
    let y = kept(device.alloc_zeroed::<u32>(n)?);
    segmented_sort(device, &*x, &*offsets, &mut *y).run()?;
    for ends in ends.windows(2) {
        host[ends[0] as usize..ends[1] as usize].sort_unstable();
    }
    check(device.download(y)? == host, || format!("a wrong order of {n} keys in segments"))?;
    launches(device, segmented_sort(device, &*x, &*offsets, y))
}

fn pairs_in_segments(device: &Device, n: usize, mean: usize) -> Result<Run<'static>> {
    let (host, ends) = ((0..n).map(word).collect::<Vec<u32>>(), offsets(n, mean));
    let (x, offsets) = (kept(device.upload(&host)?), kept(device.upload(&ends)?));
    let values = kept(device.upload(&(0..n as u32).collect::<Vec<u32>>())?);
    let (y, order) = (kept(device.alloc_zeroed::<u32>(n)?), kept(device.alloc_zeroed::<u32>(n)?));
    segmented_sort_pairs(device, &*x, &*values, &*offsets, &mut *y, &mut *order).run()?;
    let pairs: Vec<(u32, u32)> = device.download(y)?.into_iter().zip(device.download(order)?).collect();
    let is_right = ends.windows(2).all(|ends| {
        let of = ends[0] as usize..ends[1] as usize;
        let pairs = &pairs[of.clone()];
        pairs.is_sorted_by(|a, b| a < b)
            && pairs
                .iter()
                .all(|(key, place)| of.contains(&(*place as usize)) && host[*place as usize] == *key)
    });
    check(is_right, || format!("a wrong order of {n} pairs in segments"))?;
    launches(device, segmented_sort_pairs(device, &*x, &*values, &*offsets, y, order))
}

fn chosen(device: &Device, n: usize) -> Result<Run<'static>> {
    let (host, rows) = (unit(n), n / COLS);
    check(rows > 0, || format!("{n} elements are less than a row of {COLS}"))?;
    let x = kept(device.upload(&host)?);
    let y = kept(device.alloc_zeroed::<f32>(rows * CHOSEN)?);
    let columns = kept(device.alloc_zeroed::<u32>(rows * CHOSEN)?);
    let from = || matrix(&*x, rows, COLS);
    top_k(device, from()?, matrix_mut(&mut *y, rows, CHOSEN)?, matrix_mut(&mut *columns, rows, CHOSEN)?)
        .run()?;
    let (keys, places) = (device.download(y)?, device.download(columns)?);
    for row in [0, rows / 2, rows - 1] {
        let mut want: Vec<(f32, u32)> = host[row * COLS..(row + 1) * COLS].iter().copied().zip(0..).collect();
        want.sort_by(|a, b| b.0.total_cmp(&a.0));
        let got = row * CHOSEN..(row + 1) * CHOSEN;
        let got = keys[got.clone()].iter().copied().zip(places[got].iter().copied());
        check(got.eq(want.into_iter().take(CHOSEN)), || format!("wrong keys of row {row} of {rows}"))?;
    }
    let (y, columns) = (matrix_mut(y, rows, CHOSEN)?, matrix_mut(columns, rows, CHOSEN)?);
    launches(device, top_k(device, from()?, y, columns))
}
