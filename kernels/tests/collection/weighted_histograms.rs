//! Histograms of weights and between edges, against sums on the host.

use std::fmt::Debug;

use proptest::prelude::{Just, ProptestConfig, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::histogram::{Bounded, Weight, histogram, weighted_histogram};

use crate::devices::{Placed, Random, shuffled};

/// The bin of a value between edges.
fn between<T: PartialOrd + Copy>(x: T, edges: &[T], is_clamped: bool) -> Option<usize> {
    let bins = edges.len() - 1;
    match (0..bins).find(|i| x >= edges[*i] && x < edges[i + 1]) {
        None if is_clamped && x < edges[0] => Some(0),
        None if is_clamped && x >= edges[bins] => Some(bins - 1),
        bin => bin,
    }
}

/// Checks the counts, and the sums of weights, of the values between edges.
#[track_caller]
fn check<T: Bounded + Debug, W: Weight + Debug>(
    device: &Device,
    x: &[T],
    edges: &[T],
    (offset, is_clamped): (usize, bool),
    weight: fn(usize) -> W,
) {
    let bins = edges.len() - 1;
    let weights: Vec<W> = (0..x.len()).map(weight).collect();
    let (mut counts, mut sums) = (vec![0u32; bins], vec![W::ZERO; bins]);
    for (x, weight) in x.iter().zip(&weights) {
        if let Some(bin) = between(*x, edges, is_clamped) {
            counts[bin] += 1;
            sums[bin] = sums[bin].summed(*weight);
        }
    }
    let placed = Placed::new(device, offset, x, T::ZERO);
    let weights = Placed::new(device, offset, &weights, W::ONE);
    let edges_there = device.upload(edges).unwrap();
    // What the bins have before is lost.
    let mut got = device.upload(&vec![7u32; bins]).unwrap();
    let call = histogram(device, placed.part(), &mut got).edges(&edges_there);
    let call = if is_clamped { call.clamped() } else { call };
    let plan = call.plan().unwrap();
    call.run().unwrap_or_else(|error| panic!("{plan}: {error}"));
    assert_eq!(device.download(&got).unwrap(), counts, "{plan}, {edges:?}");
    let mut got = device.upload(&vec![W::ONE; bins]).unwrap();
    let call = weighted_histogram(device, placed.part(), weights.part(), &mut got).edges(&edges_there);
    let call = if is_clamped { call.clamped() } else { call };
    let plan = call.plan().unwrap();
    call.run().unwrap_or_else(|error| panic!("{plan}: {error}"));
    assert_eq!(device.download(&got).unwrap(), sums, "{plan}, {edges:?}");
}

/// A GPU if there is one, or a simulator.
fn device(seed: u64) -> Device {
    harness::gpu().unwrap_or_else(|| shuffled(seed))
}

/// Sums of such floats are exact.
fn quarters(i: usize) -> f32 {
    (i % 29) as f32 * 0.25 - 3.0
}

fn halves(i: usize) -> f64 {
    (i % 31) as f64 * 0.5 - 7.0
}

#[test]
fn values_of_every_type_between_edges() {
    for is_clamped in [false, true] {
        let bytes: Vec<u8> = (0..900).map(|i| (i * 7) as u8).collect();
        check(&device(1), &bytes, &[3, 7, 7, 100, 255], (1, is_clamped), |i| i as u32);
        let shorts: Vec<u16> = (0..900).map(|i| (i * 771) as u16).collect();
        check(&device(2), &shorts, &[0, 65_535], (3, is_clamped), |i| i as i32 - 70);
        let signed: Vec<i32> = (0..900).map(|i: i32| i.wrapping_mul(77_777_777)).collect();
        check(&device(3), &signed, &[i32::MIN, -5, 0, i32::MAX], (0, is_clamped), |i| 1u64 << (i % 64));
        let mut floats: Vec<f32> = (0..900).map(|i| i as f32 * 0.01 - 2.0).collect();
        floats.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0]);
        let edges = [f32::NEG_INFINITY, -1.5, 0.0, 0.25, 3.0];
        check(&device(4), &floats, &edges, (2, is_clamped), |i| -(i as i64));
        let doubles: Vec<f64> = floats.iter().map(|x| f64::from(*x)).collect();
        check(&device(5), &doubles, &edges.map(f64::from)[1..], (1, is_clamped), halves);
    }
}

#[test]
fn bins_that_outgrow_shared_memory() {
    let edges: Vec<i32> = (0..=40_000).map(|i| i * 3).collect();
    let x: Vec<i32> = (0..500).map(|i| i * 271 - 900).collect();
    check(&device(1), &x, &edges, (0, false), halves);
    check(&device(1), &x, &edges[..20_000], (0, true), quarters);
}

#[test]
fn weights_in_even_bins() {
    let device = device(1);
    let x: Vec<f64> = (0..3000).map(|i| f64::from(i) * 0.004 - 1.0).collect();
    let mut sums = [0.0; 10];
    for (i, x) in x.iter().enumerate().filter(|(_, x)| (0.0..10.0).contains(*x)) {
        sums[*x as usize] += quarters(i);
    }
    let weights: Vec<f32> = (0..x.len()).map(quarters).collect();
    let (x, weights) = (device.upload(&x).unwrap(), device.upload(&weights).unwrap());
    let mut y = device.alloc_zeroed::<f32>(10).unwrap();
    weighted_histogram(&device, &x, &weights, &mut y).range(0.0, 10.0).run().unwrap();
    assert_eq!(device.download(&y).unwrap(), sums);
    let mut counts = device.alloc_zeroed::<u32>(10).unwrap();
    histogram(&device, &x, &mut counts).range(0.0, 10.0).run().unwrap();
    assert_eq!(device.download(&counts).unwrap(), [250; 10]);
}

#[test]
fn a_weight_that_is_nan_reaches_its_bin_alone() {
    let device = device(1);
    let x = device.upload(&[0u8, 1, 2, 9]).unwrap();
    let weights = device.upload(&[1.0f32, f32::NAN, f32::INFINITY, f32::NAN]).unwrap();
    let mut y = device.alloc_zeroed::<f32>(3).unwrap();
    weighted_histogram(&device, &x, &weights, &mut y).run().unwrap();
    let y = device.download(&y).unwrap();
    assert!(y[0] == 1.0 && y[1].is_nan() && y[2] == f32::INFINITY);
}

#[test]
fn mistakes_are_explained() {
    let device = Device::simulator();
    let x = device.upload(&[1u8; 12]).unwrap();
    let weights = device.upload(&[1.0f32; 11]).unwrap();
    let mut bins = device.alloc_zeroed::<f32>(4).unwrap();
    let text = |result: Result<(), KernelError>| result.unwrap_err().to_string();
    assert_eq!(
        text(weighted_histogram(&device, &x, &weights, &mut bins).run()),
        "`weights` has 11 elements, but needs 12, one for each value of `x`; pass a part of that length: `.slice(..n)?`"
    );
    let mut counts = device.alloc_zeroed::<u32>(20).unwrap();
    assert_eq!(
        text(histogram(&device, &x, &mut counts).edges(&x).run()),
        "`edges` has 12 elements, but needs 21, one more than there are bins; \
         pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_number_of_edges_and_values(
        bins in prop_oneof![1usize..40, 1usize..900, Just(15_000usize)],
        len in prop_oneof![Just(0usize), 1usize..60, 0usize..9000],
        offset in 0usize..9,
        spread in 1usize..5000,
        is_clamped in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let mut random = Random::new(seed);
        let mut edges: Vec<f32> = (0..=bins).map(|_| random.below(spread) as f32).collect();
        edges.sort_by(f32::total_cmp);
        let x: Vec<f32> = (0..len).map(|_| random.below(spread + 10) as f32 - 5.0).collect();
        check(&device(seed), &x, &edges, (offset, is_clamped), quarters);
    }
}
