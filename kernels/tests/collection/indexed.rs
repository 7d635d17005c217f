//! Rows that are gathered and scattered, of elements of every size.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::movement::{gather_rows, scatter_rows};

use crate::devices::{Random, devices, shuffled};
use crate::matrices::{Place, Placed};

/// A list of numbers below `rows`, each once, with some that are no row.
fn numbers(random: &mut Random, count: usize, rows: usize) -> Vec<u32> {
    let mut all: Vec<u32> = (0..rows as u32).collect();
    let mut list = Vec::new();
    for i in 0..count {
        let is_row = !all.is_empty() && i % 4 != 3;
        list.push(if is_row {
            all.swap_remove(random.below(all.len()))
        } else {
            rows as u32 + i as u32 * 1000
        });
    }
    list
}

fn check<T: GpuType + PartialEq + std::fmt::Debug>(
    device: &Device,
    (count, rows, cols): (usize, usize, usize),
    (gap, offset): (usize, usize),
    seed: u64,
    of: fn(u64) -> T,
) {
    let mut random = Random::new(seed);
    let list = numbers(&mut random, count, rows);
    let on_device = device.upload(&list).expect("device memory");
    let mut some = |n: usize| (0..n).map(|_| of(random.next())).collect::<Vec<T>>();
    let (many, few) = (some(rows * cols), some(count * cols));
    let named = Place { rows, cols, gap, offset };
    let listed = Place { rows: count, cols, gap: 0, offset: 0 };
    let row = |of: &[T], r: usize| of[r * cols..(r + 1) * cols].to_vec();

    let x = Placed::new(device, named, &many, of(1));
    let mut y = Placed::new(device, listed, &few, of(2));
    gather_rows(device, x.matrix(), &on_device, y.matrix_mut()).run().unwrap_or_else(|e| panic!("{e}"));
    let from = |i: usize| {
        let r = list[i] as usize;
        if r < rows { row(&many, r) } else { row(&few, i) }
    };
    assert_eq!(y.read(device, of(2)), (0..count).flat_map(from).collect::<Vec<T>>(), "gathered");

    let x = Placed::new(device, listed, &few, of(1));
    let mut y = Placed::new(device, named, &many, of(2));
    scatter_rows(device, x.matrix(), &on_device, y.matrix_mut()).run().unwrap_or_else(|e| panic!("{e}"));
    let from = |r: usize| match list.iter().position(|number| *number as usize == r) {
        Some(i) => row(&few, i),
        None => row(&many, r),
    };
    assert_eq!(y.read(device, of(2)), (0..rows).flat_map(from).collect::<Vec<T>>(), "scattered");
}

#[test]
fn rows_go_where_their_numbers_say() {
    for device in devices() {
        for (k, shape) in
            [(0, 3, 5), (3, 0, 5), (3, 5, 0), (40, 70, 1), (9, 20, 64), (5, 6, 3000), (30, 12, 7)]
                .into_iter()
                .enumerate()
        {
            for place in [(0, 0), (16, 0), (1, 3)] {
                check::<u8>(&device, shape, place, k as u64, |bits| bits as u8);
                check::<u16>(&device, shape, place, k as u64, |bits| bits as u16);
                check::<f32>(&device, shape, place, k as u64, |bits| (bits % 999) as f32);
                check::<u64>(&device, shape, place, k as u64, |bits| bits);
                check::<U32x3>(&device, shape, place, k as u64, |bits| U32x3::splat(bits as u32));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_of_any_shape_are_named(
        (count, rows) in (0usize..50, 0usize..60),
        cols in prop_oneof![0usize..80, (0usize..40).prop_map(|packs| packs * 16)],
        place in prop_oneof![Just((0usize, 0usize)), (0usize..20, 0usize..9)],
        is_byte in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let (device, shape) = (shuffled(seed), (count, rows, cols));
        if is_byte {
            check::<u8>(&device, shape, place, seed, |bits| bits as u8);
        } else {
            check::<u32>(&device, shape, place, seed, |bits| bits as u32);
        }
    }
}
