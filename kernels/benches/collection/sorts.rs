//! Sorts of random and of equal keys, and of keys with the numbers of their places.

use warpsmith::prelude::*;
use warpsmith_kernels::sorting::{Key, sort, sort_pairs};

use crate::function::Work::Bytes;
use crate::function::{Function, Result, Run, check, kept, launches};
use crate::inputs::word;

/// Sizes are numbers of keys. Bytes are those of the arguments, each once.
pub const FUNCTIONS: &[Function] = &[
    Function::new("sort_u32", Bytes(8.0), |d, n| sorted::<u32>(d, n, word)),
    Function::new("sort_f32", Bytes(8.0), |d, n| sorted::<f32>(d, n, |i| f32::from_bits(word(i)))),
    Function::new("sort_u64", Bytes(16.0), |d, n| sorted::<u64>(d, n, wide)),
    Function::new("sort_u32_equal", Bytes(8.0), |d, n| sorted::<u32>(d, n, |_| 77)),
    Function::new("sort_u32_few", Bytes(8.0), |d, n| sorted::<u32>(d, n, |i| word(i) % 3)),
    Function::new("sort_pairs_u32", Bytes(16.0), sorted_pairs),
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
