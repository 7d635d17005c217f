//! Scans of every type, length and alignment.

use proptest::prelude::*;
use warpsmith::prelude::*;
use warpsmith_kernels::reduction::{Max, OwnSum, Reduction, Sum};
use warpsmith_kernels::scan::{
    Word, exclusive_scan, exclusive_scan_in_place, inclusive_scan, inclusive_scan_in_place,
};

use crate::devices::{Placed, devices, scale, shuffled};
use crate::numbers::{close, some, with_edges};

/// Lengths around those of packs, warps and tiles, and more tiles than a warp looks back at.
const LENGTHS: [usize; 12] = [0, 1, 3, 5, 33, 511, 3585, 4095, 4096, 4097, 9000, 140_001];

/// Both scans of `x`, which begin `at` elements behind an aligned address; the output at its own.
fn scanned<R: Reduction>(
    device: &Device,
    x: &[R::Element],
    at: (usize, usize),
    padding: R::Output,
) -> [Vec<R::Output>; 2]
where
    R::Partial: Word,
    R::Element: Default,
{
    let x = Placed::new(device, at.0, x, R::Element::default());
    [false, true].map(|exclusive| {
        let mut y = Placed::new(device, at.1, &vec![padding; x.part().len()], padding);
        let call = if exclusive {
            exclusive_scan::<R>(device, x.part(), y.part_mut())
        } else {
            inclusive_scan::<R>(device, x.part(), y.part_mut())
        };
        call.run().unwrap_or_else(|e| panic!("{e}"));
        y.read(device)
    })
}

/// Both scans on the host.
fn expected<T: Copy, U: Copy>(x: &[T], nothing: U, join: impl Fn(U, T) -> U) -> [Vec<U>; 2] {
    let mut before = nothing;
    let pairs = x.iter().map(|x| {
        let after = join(before, *x);
        (after, std::mem::replace(&mut before, after))
    });
    let (inclusive, exclusive) = pairs.unzip();
    [inclusive, exclusive]
}

#[test]
fn scans_of_integers_are_exact() {
    for device in devices() {
        for (seed, n) in LENGTHS.into_iter().enumerate() {
            let (seed, n) = (seed as u64, n * scale(&device));
            // More tiles than a warp looks back at take a while on the simulator.
            for at in if n < 100_000 { vec![(0, 0), (1, 1), (3, 2)] } else { vec![(1, 1)] } {
                let x = with_edges::<u32>(seed, n);
                let want = expected(&x, 0, |sum: u32, x| sum.wrapping_add(x));
                assert!(scanned::<OwnSum<u32>>(&device, &x, at, 7) == want, "u32, {n} from {at:?} on");
            }
            let x = with_edges::<i64>(seed, n);
            let want = expected(&x, 0, |sum: i64, x| sum.wrapping_add(x));
            assert!(scanned::<Sum<i64>>(&device, &x, (1, 1), 7) == want, "i64, {n}");
            let x = with_edges::<u8>(seed, n);
            let want = expected(&x, 0, |sum: u64, x| sum + u64::from(x));
            assert!(scanned::<Sum<u8>>(&device, &x, (3, 2), 7) == want, "u8, {n}");
            let x = with_edges::<i16>(seed, n);
            let want = expected(&x, i16::MIN, Ord::max);
            assert!(scanned::<Max<i16>>(&device, &x, (0, 0), 7) == want, "i16, {n}");
        }
    }
}

#[test]
fn scans_of_floats_are_near() {
    for device in devices() {
        for n in [33, 5000, 70_000] {
            let x = some::<f32>(n as u64, n);
            let want = expected(&x, 0.0f64, |sum, x| sum + f64::from(x));
            let got = scanned::<Sum<f32>>(&device, &x, (1, 1), 0.0);
            for (want, got) in want.iter().flatten().zip(got.iter().flatten()) {
                close(f64::from(*got), *want, 1e-5, n as f64 / 100.0, "f32");
            }
            let x = some::<f64>(n as u64, n);
            let want = expected(&x, 0.0f64, |sum, x| sum + x);
            let got = scanned::<Sum<f64>>(&device, &x, (0, 1), 0.0);
            for (want, got) in want.iter().flatten().zip(got.iter().flatten()) {
                close(*got, *want, 1e-13, n as f64, "f64");
            }
        }
    }
}

#[test]
fn a_nan_reaches_all_behind_it_and_none_before() {
    for device in devices() {
        let mut x = vec![1.0f32; 9000];
        x[5000] = f32::NAN;
        x[100] = f32::INFINITY;
        let [y, _] = scanned::<Sum<f32>>(&device, &x, (0, 0), 0.0);
        assert!(y[..100].iter().enumerate().all(|(i, y)| *y == (i + 1) as f32));
        assert!(y[100..5000].iter().all(|y| *y == f32::INFINITY));
        assert!(y[5000..].iter().all(|y| y.is_nan()));
    }
}

#[test]
fn a_scan_in_place_and_again() {
    for device in devices() {
        let mut y = device.upload(&[1u32; 30_000]).expect("device memory");
        let mut prepared =
            inclusive_scan_in_place::<OwnSum<u32>>(&device, &mut y).prepare().expect("it compiles");
        prepared.launch().expect("it runs");
        prepared.launch().expect("it runs");
        drop(prepared);
        let want: Vec<u32> = (1..=30_000).map(|n: u32| n * (n + 1) / 2).collect();
        assert!(device.download(&y).expect("no fault") == want);
        let mut y = device.upload(&[1u32; 9999]).expect("device memory");
        exclusive_scan_in_place::<OwnSum<u32>>(&device, &mut y).run().expect("it runs");
        assert!(device.download(&y).expect("no fault") == (0..9999).collect::<Vec<u32>>());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_length_alignment_and_order_of_blocks(
        n in 0usize..15_000,
        at in (0usize..9, 0usize..9),
        seed in 0u64..1000,
    ) {
        let (device, x) = (shuffled(seed), with_edges::<i64>(seed, n));
        let want = expected(&x, 0, |sum: i64, x| sum.wrapping_add(x));
        prop_assert!(scanned::<Sum<i64>>(&device, &x, at, 7) == want);
        let x = with_edges::<u32>(seed, n);
        let want = expected(&x, 0, |sum: u32, x| sum.wrapping_add(x));
        prop_assert!(scanned::<OwnSum<u32>>(&device, &x, at, 7) == want);
    }
}
