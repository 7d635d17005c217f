//! Separable convolutions against sums in `f64`. Samples and weights are such that these are exact.

use proptest::prelude::{Just, ProptestConfig, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::images::{Border, Sample, convolve};

use crate::devices::{Random, devices, shuffled};
use crate::matrices::{Place, Placed, Real};
use crate::stencils::{BORDERS, standing_for};

/// Images, rows, pixels and channels, weights of both axes, how the rows lie in both matrices, and what stands for pixels beyond the edges.
#[derive(Clone, Copy, Debug)]
struct Case {
    extents: [usize; 4],
    lengths: [usize; 2],
    gaps: (usize, usize),
    offset: usize,
    border: Border,
}

/// The convolution in `f64`; elements that are not written are `marker`.
fn wanted<T: Real>(x: &[T], case: Case, down: &[f64], across: &[f64], marker: T) -> Vec<T> {
    let [_, rows, pixels, channels] = case.extents;
    let result = |i: usize| {
        let (image, row) = (i / channels / pixels / rows, i / channels / pixels % rows);
        let (pixel, channel) = (i / channels % pixels, i % channels);
        let mut sum = 0.0;
        for (k, by_row) in down.iter().enumerate() {
            for (l, by_pixel) in across.iter().enumerate() {
                let at = |own: usize, k: usize, len: usize, n| {
                    standing_for(own as isize + k as isize - (len / 2) as isize, n, case.border)
                };
                match (at(row, k, down.len(), rows), at(pixel, l, across.len(), pixels)) {
                    (Some(row), Some(pixel)) => {
                        let from = ((image * rows + row) * pixels + pixel) * channels + channel;
                        sum += by_row * by_pixel * x[from].exact();
                    }
                    _ if case.border == Border::Untouched => return marker,
                    _ => {}
                }
            }
        }
        T::of(sum)
    };
    (0..x.len()).map(result).collect()
}

fn check<T: Real + Sample>(device: &Device, case: Case, seed: u64) {
    let [images, rows, pixels, channels] = case.extents;
    let mut random = Random::new(seed);
    let x: Vec<T> =
        (0..images * rows * pixels * channels).map(|_| T::of(random.below(30) as f64 - 9.0)).collect();
    let [down, across] =
        case.lengths.map(|len| (0..len).map(|_| random.below(9) as f64 / 4.0 - 0.5).collect());
    let (down, across): (Vec<f64>, Vec<f64>) = (down, across);
    let marker = T::of(77.0);
    let place = Place { rows: images * rows, cols: pixels * channels, gap: case.gaps.0, offset: case.offset };
    let from = Placed::new(device, place, &x, T::of(99.0));
    let mut y = Placed::new(device, Place { gap: case.gaps.1, ..place }, &vec![marker; x.len()], marker);
    convolve(device, &down, &across, from.matrix(), y.matrix_mut())
        .images(images)
        .channels(channels)
        .border(case.border)
        .run()
        .unwrap_or_else(|e| panic!("{case:?}: {e}"));
    let (got, want) = (y.read(device, marker), wanted(&x, case, &down, &across, marker));
    let wrong = got.iter().zip(&want).position(|(a, b)| a != b);
    assert_eq!(wrong.map(|i| (i, got[i], want[i])), None, "{case:?} of {}", std::any::type_name::<T>());
}

#[test]
fn convolutions_of_every_sample_and_border() {
    for (k, border) in BORDERS.into_iter().enumerate() {
        let case = |extents, lengths| Case { extents, lengths, gaps: (k % 2 * 4, 0), offset: 0, border };
        for device in devices() {
            check::<f32>(&device, case([1, 7, 40, 1], [3, 5]), 1);
        }
        let device = Device::simulator();
        check::<u8>(&device, case([2, 5, 12, 3], [3, 3]), 2);
        check::<f16>(&device, case([1, 9, 24, 1], [1, 9]), 3);
        check::<bf16>(&device, case([1, 9, 6, 4], [5, 1]), 4);
        check::<f64>(&device, case([1, 6, 21, 2], [5, 5]), 5);
    }
    // More than registers hold: samples of sums are rounded once more, and these are exact.
    let far = |extents, lengths| Case { extents, lengths, gaps: (0, 1), offset: 1, border: Border::Mirror };
    check::<f32>(&Device::simulator(), far([1, 12, 20, 1], [35, 3]), 6);
    check::<u8>(&Device::simulator(), far([2, 3, 20, 3], [1, 13]), 7);
    check::<f32>(&Device::simulator(), far([1, 5, 48, 1], [33, 33]), 8);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn convolutions_of_any_shape(
        extents in [1usize..3, 0usize..14, 0usize..24, 1usize..5],
        lengths in [0usize..4, 0usize..5],
        gaps in prop_oneof![Just((0, 0)), (0usize..5, 0usize..5)],
        offset in prop_oneof![Just(0), 0usize..5],
        border in 0usize..6,
        is_byte in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let lengths = lengths.map(|half| 2 * half + 1);
        let case = Case { extents, lengths, gaps, offset, border: BORDERS[border] };
        if is_byte {
            check::<u8>(&shuffled(seed), case, seed);
        } else {
            check::<f32>(&shuffled(seed), case, seed);
        }
    }
}
