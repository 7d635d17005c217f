//! Scans by key, with segments of every length.

use proptest::prelude::*;
use warpsmith::prelude::*;
use warpsmith_kernels::comparable::Comparable;
use warpsmith_kernels::reduction::{Max, Mean, OwnSum, Reduction, Sum};
use warpsmith_kernels::scan::{Word, exclusive_scan_by_key, inclusive_scan_by_key};

use crate::devices::{Placed, Random, devices, scale, shuffled};
use crate::numbers::{close, some, with_edges};

/// Keys of segments of up to `longest` elements; neighbouring segments may have equal keys, and are then one.
fn keys(seed: u64, len: usize, longest: usize) -> Vec<u16> {
    let mut random = Random::new(seed);
    let mut keys = Vec::new();
    while keys.len() < len {
        let (key, times) = (random.below(4) as u16, random.below(longest) + 1);
        keys.extend(std::iter::repeat_n(key, times));
    }
    keys.truncate(len);
    keys
}

/// Both scans by key. `keys`, `x` and `y` begin `at` elements behind an aligned address.
fn scanned<R: Reduction<Partial: Word>, K: Comparable + Default>(
    device: &Device,
    keys: &[K],
    x: &[R::Element],
    at: [usize; 3],
    padding: R::Output,
) -> [Vec<R::Output>; 2]
where
    R::Element: Default,
{
    let keys = Placed::new(device, at[0], keys, K::default());
    let x = Placed::new(device, at[1], x, R::Element::default());
    [false, true].map(|exclusive| {
        let mut y = Placed::new(device, at[2], &vec![padding; x.part().len()], padding);
        let call = if exclusive {
            exclusive_scan_by_key::<R, K>(device, keys.part(), x.part(), y.part_mut())
        } else {
            inclusive_scan_by_key::<R, K>(device, keys.part(), x.part(), y.part_mut())
        };
        call.run().unwrap_or_else(|e| panic!("{e}"));
        y.read(device)
    })
}

/// Both scans on the host: `join` joins what is before, and its number of elements, with an element.
fn expected<K: PartialEq, T: Copy, U: Copy>(
    keys: &[K],
    x: &[T],
    nothing: U,
    join: impl Fn(U, T) -> U,
) -> [Vec<U>; 2] {
    let mut before = nothing;
    let pairs = x.iter().enumerate().map(|(i, x)| {
        if i == 0 || keys[i] != keys[i - 1] {
            before = nothing;
        }
        let after = join(before, *x);
        (after, std::mem::replace(&mut before, after))
    });
    let (inclusive, exclusive) = pairs.unzip();
    [inclusive, exclusive]
}

#[test]
fn segments_of_integers_are_exact() {
    for device in devices() {
        for (seed, n) in [0, 1, 31, 33, 4095, 4096, 4097, 9000].into_iter().enumerate() {
            let (seed, n) = (seed as u64, n * scale(&device));
            for longest in [1, 7, 600, 9000] {
                let keys = keys(seed, n, longest);
                let x = with_edges::<u32>(seed, n);
                let want = expected(&keys, &x, 0, |sum: u32, x| sum.wrapping_add(x));
                let got = scanned::<OwnSum<u32>, u16>(&device, &keys, &x, [0, 1, 2], 7);
                assert!(got == want, "u32, {n} in segments of up to {longest}");
            }
            let keys = keys(seed, n, 600);
            let x = with_edges::<i64>(seed, n);
            let want = expected(&keys, &x, 0, |sum: i64, x| sum.wrapping_add(x));
            let got = scanned::<Sum<i64>, u16>(&device, &keys, &x, [1, 0, 1], 7);
            assert!(got == want, "i64, {n} in segments of up to 600");
        }
    }
}

#[test]
fn a_long_segment_and_many_tiles() {
    for device in devices() {
        let n = 140_001;
        let mut keys = keys(1, n, 1);
        keys[5000..135_000].fill(9);
        let x = with_edges::<u8>(1, n);
        let want = expected(&keys, &x, u8::MIN, Ord::max);
        assert!(scanned::<Max<u8>, u16>(&device, &keys, &x, [0, 0, 0], 7) == want);
    }
}

#[test]
fn outputs_know_the_number_of_elements_of_their_segment() {
    for device in devices() {
        let (n, keys) = (9000, keys(2, 9000, 3000));
        let x = some::<f32>(2, n);
        let want = expected(&keys, &x, (0.0f64, 0.0f64), |(sum, count), x| (sum + f64::from(x), count + 1.0));
        let got = scanned::<Mean<f32>, u16>(&device, &keys, &x, [0, 0, 0], 0.0);
        for (want, got) in want.iter().flatten().zip(got.iter().flatten()) {
            close(f64::from(*got), want.0 / want.1, 1e-5, 1.0, "mean");
        }
    }
}

#[test]
fn a_nan_stays_in_its_segment_and_as_a_key_is_one_of_its_own() {
    for device in devices() {
        let mut x = vec![1.0f32; 9000];
        x[4100] = f32::NAN;
        let keys: Vec<f32> = (0..9000).map(|i| if i == 70 { f32::NAN } else { (i / 3000) as f32 }).collect();
        let [y, _] = scanned::<Sum<f32>, f32>(&device, &keys, &x, [0, 0, 0], 0.0);
        assert!(y[..70].iter().enumerate().all(|(i, y)| *y == (i + 1) as f32));
        assert_eq!((y[70], y[71], y[2999]), (1.0, 1.0, 2929.0));
        assert!(y[4100..6000].iter().all(|y| y.is_nan()));
        assert!(y[6000..].iter().enumerate().all(|(i, y)| *y == (i + 1) as f32));
    }
}

#[test]
fn keys_of_another_number_are_refused() {
    let device = Device::simulator();
    let x = device.upload(&[1u32; 12]).expect("memory");
    let keys = device.upload(&[1u8; 11]).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(12).expect("memory");
    assert_eq!(
        inclusive_scan_by_key::<OwnSum<u32>, u8>(&device, &keys, &x, &mut y)
            .run()
            .expect_err("refused")
            .to_string(),
        "`keys` has 11 elements, but needs 12, one for each element of `x`; \
         pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_length_alignment_and_order_of_blocks(
        n in 0usize..12_000,
        at in [0usize..9, 0usize..9, 0usize..9],
        longest in 1usize..6000,
        seed in 0u64..1000,
    ) {
        let (device, keys) = (shuffled(seed), keys(seed, n, longest));
        let x = with_edges::<u32>(seed, n);
        let want = expected(&keys, &x, 0, |sum: u32, x| sum.wrapping_add(x));
        prop_assert!(scanned::<OwnSum<u32>, u16>(&device, &keys, &x, at, 7) == want);
    }
}
