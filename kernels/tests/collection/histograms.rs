//! Histograms of every type, number of bins and distribution, against counts on the host.

use std::fmt::Debug;

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::histogram::{Bounded, histogram};

use crate::devices::shuffled;

/// The counts of `x` from element `offset` on, where `bin` is a value's bin as a number that may be outside.
#[track_caller]
fn check<T: Bounded + Debug>(
    device: &Device,
    x: &[T],
    offset: usize,
    bins: usize,
    range: Option<(T, T)>,
    is_clamped: bool,
    bin: impl Fn(T) -> Option<i128>,
) {
    let mut want = vec![0u32; bins];
    for bin in x[offset..].iter().filter_map(|x| bin(*x)) {
        if is_clamped {
            want[bin.clamp(0, bins as i128 - 1) as usize] += 1;
        } else if (0..bins as i128).contains(&bin) {
            want[bin as usize] += 1;
        }
    }
    let x = device.upload(x).unwrap();
    // What the bins have before is lost.
    let mut counts = device.upload(&vec![7u32; bins]).unwrap();
    let call = histogram(device, x.slice(offset..).unwrap(), &mut counts);
    let call = if let Some((low, high)) = range { call.range(low, high) } else { call };
    let call = if is_clamped { call.clamped() } else { call };
    let plan = call.plan().unwrap();
    call.run().unwrap_or_else(|error| panic!("{plan}: {error}"));
    assert!(device.download(&counts).unwrap() == want, "{plan}, {range:?}, clamped: {is_clamped}");
}

/// A GPU if there is one, or a simulator.
fn device(seed: u64) -> Device {
    harness::gpu().unwrap_or_else(|| shuffled(seed))
}

fn even(low: i128, high: i128, bins: usize) -> impl Fn(i128) -> i128 {
    move |x| ((x - low) * bins as i128).div_euclid(high - low)
}

/// Numbers at random, most of them below `2^bits`.
fn some(seed: u64, len: usize, bits: u32) -> Vec<u32> {
    let mut state = seed * 2 + 1;
    let mut next = || {
        state = state.wrapping_mul(0xda94_2042_e4dd_58b5);
        (state >> 32) as u32
    };
    (0..len).map(|_| next() >> (32 - bits.min(32)).min(31)).collect()
}

#[test]
fn every_number_of_bins_that_takes_another_kernel() {
    for (bins, bits) in
        [(2, 1), (64, 6), (65, 7), (256, 8), (512, 9), (513, 10), (5000, 13), (20_000, 15), (60_001, 16)]
    {
        let x = some(bins as u64, 3000, bits);
        check(&device(1), &x, 3, bins, None, false, |x| Some(x.into()));
    }
    let x = some(9, 500, 21);
    check(&device(1), &x, 0, 1 << 20, None, false, |x| Some(x.into()));
}

#[test]
fn equal_values_do_not_overflow_counters() {
    for bins in [256, 20_000, 60_000] {
        check(&device(1), &vec![17u32; 150_000], 0, bins, None, false, |x| Some(x.into()));
    }
}

#[test]
fn values_of_every_type_and_outside() {
    let x = some(3, 2000, 32);
    for is_clamped in [false, true] {
        let bytes: Vec<u8> = x.iter().map(|x| *x as u8).collect();
        check(&device(1), &bytes, 1, 256, None, is_clamped, |x| Some(x.into()));
        check(&device(1), &bytes, 1, 10, Some((13, 200)), is_clamped, |x| Some(even(13, 200, 10)(x.into())));
        let shorts: Vec<u16> = x.iter().map(|x| *x as u16).collect();
        check(&device(1), &shorts, 5, 700, Some((1, 65_535)), is_clamped, |x| {
            Some(even(1, 65_535, 700)(x.into()))
        });
        let signed: Vec<i32> = x.iter().map(|x| *x as i32).collect();
        let all = (i32::MIN, i32::MAX);
        check(&device(1), &signed, 2, 1000, Some(all), is_clamped, |x| {
            Some(even(all.0.into(), all.1.into(), 1000)(x.into()))
        });
        let mut floats: Vec<f32> = x.iter().map(|x| *x as i32 as f32 / 1e9).collect();
        floats.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0, -1.0, 0.0, -0.0, f32::MAX]);
        check(&device(1), &floats, 0, 64, Some((-1.0, 1.0)), is_clamped, |x| match x {
            x if x.is_nan() => None,
            x if x >= 1.0 => Some(64),
            x => Some(if x < -1.0 { -1 } else { ((x + 1.0) * 32.0) as i128 }),
        });
    }
}

#[test]
fn mistakes_are_explained() {
    let device = Device::simulator();
    let x = device.upload(&[1u8; 12]).unwrap();
    let mut bins = device.alloc_zeroed::<u32>(20).unwrap();
    let text = |result: Result<(), KernelError>| result.unwrap_err().to_string();
    assert_eq!(
        text(histogram(&device, &x, &mut bins).range(3, 22).run()),
        "`range` has 19 values, but needs at least a value for each of 20 bins, from a finite one to a larger finite one; \
         pass a wider range, or fewer bins"
    );
    assert_eq!(
        text(histogram(&device, &x, bins.slice_mut(..1).unwrap()).run()),
        "`bins` has 1 elements, but needs 2 to 1048576 elements; pass a part of that length"
    );
}

fn bins() -> impl Strategy<Value = usize> {
    prop_oneof![2usize..600, 2usize..3000, Just(17_000usize)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_number_of_bins_range_and_alignment(
        bins in bins(),
        len in 0usize..2000,
        offset in 0usize..9,
        bits in 1u32..32,
        low in -1000i32..1000,
        more in 0i32..1_000_000,
        is_clamped in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let x: Vec<i32> = some(seed, offset + len, bits).into_iter().map(|x| x as i32 - 500).collect();
        let high = low + bins as i32 + more;
        let bin = even(low.into(), high.into(), bins);
        check(&device(seed), &x, offset, bins, Some((low, high)), is_clamped, |x| Some(bin(x.into())));
    }
}
