//! Bilateral filters against means in `f64`.

use proptest::prelude::{Just, ProptestConfig, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::images::{Border, Sample, bilateral};

use crate::devices::{Random, devices, shuffled};
use crate::matrices::{Place, Placed, Real};
use crate::stencils::{BORDERS, standing_for};

/// Images, rows, pixels and channels, the window, how the rows lie in both matrices, and what stands for pixels beyond the edges.
#[derive(Clone, Copy, Debug)]
struct Case {
    extents: [usize; 4],
    radius: usize,
    falloff: (f64, f64),
    gaps: (usize, usize),
    offset: usize,
    border: Border,
}

/// The means in `f64`; `None` for elements that are not written.
fn wanted<T: Real>(x: &[T], case: Case) -> Vec<Option<f64>> {
    let [_, rows, pixels, channels] = case.extents;
    let reach = case.radius as isize;
    let result = |i: usize| {
        let (image, row) = (i / channels / pixels / rows, i / channels / pixels % rows);
        let (pixel, channel) = (i / channels % pixels, i % channels);
        let sample = |row: usize, pixel: usize, channel: usize| {
            x[((image * rows + row) * pixels + pixel) * channels + channel].exact()
        };
        let (mut sum, mut weights) = (0.0, 0.0);
        for (down, right) in
            (-reach..=reach).flat_map(|down| (-reach..=reach).map(move |right| (down, right)))
        {
            let place = (
                standing_for(row as isize + down, rows, case.border),
                standing_for(pixel as isize + right, pixels, case.border),
            );
            let neighbour = |channel: usize| match place {
                (Some(row), Some(pixel)) => sample(row, pixel, channel),
                _ => 0.0,
            };
            if case.border == Border::Untouched && (place.0.is_none() || place.1.is_none()) {
                return None;
            }
            let differing: f64 = (0..channels).map(|k| (neighbour(k) - sample(row, pixel, k)).powi(2)).sum();
            let apart = (down * down + right * right) as f64;
            let (space, range) = case.falloff;
            let weight = (-apart / (2.0 * space * space) - differing / (2.0 * range * range)).exp();
            weights += weight;
            sum += weight * neighbour(channel);
        }
        Some(sum / weights)
    };
    (0..x.len()).map(result).collect()
}

fn check<T: Real + Sample>(device: &Device, case: Case, error: f64, seed: u64) {
    let [images, rows, pixels, channels] = case.extents;
    let mut random = Random::new(seed);
    let x: Vec<T> = (0..images * rows * pixels * channels).map(|_| T::of(random.below(50) as f64)).collect();
    let marker = T::of(77.0);
    let place = Place { rows: images * rows, cols: pixels * channels, gap: case.gaps.0, offset: case.offset };
    let from = Placed::new(device, place, &x, T::of(99.0));
    let mut y = Placed::new(device, Place { gap: case.gaps.1, ..place }, &vec![marker; x.len()], marker);
    let (space, range) = case.falloff;
    bilateral(device, case.radius, space, range, from.matrix(), y.matrix_mut())
        .images(images)
        .channels(channels)
        .border(case.border)
        .run()
        .unwrap_or_else(|e| panic!("{case:?}: {e}"));
    for (i, (got, want)) in y.read(device, marker).iter().zip(wanted(&x, case)).enumerate() {
        let is_right = match want {
            Some(want) => (got.exact() - want).abs() <= error,
            None => *got == marker,
        };
        assert!(is_right, "{case:?} of {}: {i} is {got:?} instead of {want:?}", std::any::type_name::<T>());
    }
}

#[test]
fn bilateral_filters_of_every_sample_and_border() {
    for (k, border) in BORDERS.into_iter().enumerate() {
        let case = |extents, radius| Case {
            extents,
            radius,
            falloff: (2.0, 12.0),
            gaps: (k % 2, 0),
            offset: 0,
            border,
        };
        for device in devices() {
            check::<f32>(&device, case([1, 9, 13, 1], 2), 2e-4, 1);
        }
        let device = Device::simulator();
        check::<u8>(&device, case([2, 4, 5, 3], 1), 0.501, 2);
        check::<f16>(&device, case([1, 5, 6, 2], 1), 0.03, 3);
        check::<bf16>(&device, case([1, 5, 6, 4], 1), 0.2, 4);
        check::<f64>(&device, case([1, 5, 7, 1], 2), 1e-9, 5);
        // More channels than a tile has.
        check::<f32>(&device, case([1, 4, 4, 5], 1), 2e-4, 6);
    }
    let far = Case {
        extents: [1, 5, 6, 1],
        radius: 17,
        falloff: (9.0, f64::INFINITY),
        gaps: (0, 0),
        offset: 0,
        border: Border::Mirror,
    };
    check::<f32>(&Device::simulator(), far, 2e-4, 7);
    // Pixels that differ have no weight, however small it makes those of others.
    check::<f32>(&Device::simulator(), Case { radius: 1, falloff: (1e-30, 1e-30), ..far }, 0.0, 8);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bilateral_filters_of_any_shape(
        extents in [1usize..3, 0usize..10, 0usize..12, 1usize..5],
        radius in 0usize..4,
        falloff in (0.3f64..5.0, 1.0f64..60.0),
        gaps in prop_oneof![Just((0, 0)), (0usize..5, 0usize..5)],
        offset in 0usize..5,
        border in 0usize..6,
        is_byte in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let case = Case { extents, radius, falloff, gaps, offset, border: BORDERS[border] };
        if is_byte {
            check::<u8>(&shuffled(seed), case, 0.501, seed);
        } else {
            check::<f32>(&shuffled(seed), case, 2e-4, seed);
        }
    }
}
