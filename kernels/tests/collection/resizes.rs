//! Images of another size against the definition in `f64`.

use proptest::prelude::{Just, ProptestConfig, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::images::{Interpolation, Sample, resize};

use crate::devices::{Random, devices, shuffled};
use crate::matrices::{Place, Placed, Real};

const METHODS: [Interpolation; 3] = [Interpolation::Nearest, Interpolation::Bilinear, Interpolation::Bicubic];

/// Images, channels, rows and pixels of both sides, and how the rows lie in both matrices.
#[derive(Clone, Copy, Debug)]
struct Case {
    images: usize,
    channels: usize,
    rows: (usize, usize),
    pixels: (usize, usize),
    gaps: (usize, usize),
    offset: usize,
    method: Interpolation,
}

/// The pixels with a share in result `i`, and their weights.
fn shares(i: usize, (from, to): (usize, usize), method: Interpolation) -> Vec<(usize, f64)> {
    let centre = (i as f64 + 0.5) * from as f64 / to as f64;
    let weight = |distance: f64| {
        let (d, a) = (distance.abs(), -0.75);
        match method {
            Interpolation::Nearest => f64::from(u8::from(d <= 0.5)),
            Interpolation::Bilinear => (1.0 - d).max(0.0),
            Interpolation::Bicubic if d <= 1.0 => (a + 2.0) * d.powi(3) - (a + 3.0) * d.powi(2) + 1.0,
            Interpolation::Bicubic if d < 2.0 => a * (d.powi(3) - 5.0 * d.powi(2) + 8.0 * d - 4.0),
            Interpolation::Bicubic => 0.0,
        }
    };
    if let Interpolation::Nearest = method {
        return vec![((2 * i + 1) * from / (2 * to), 1.0)];
    }
    let middle = centre.floor() as isize;
    (middle - 3..middle + 4)
        .map(|k| (k.clamp(0, from as isize - 1) as usize, weight(k as f64 + 0.5 - centre)))
        .collect()
}

fn wanted<T: Real>(x: &[T], case: Case) -> Vec<f64> {
    let Case { images, channels, rows, pixels, method, .. } = case;
    let mut all = Vec::new();
    for i in 0..images * rows.1 * pixels.1 * channels {
        let (line, pixel, channel) = (i / channels / pixels.1, i / channels % pixels.1, i % channels);
        let mut sum = 0.0;
        for (row, by_row) in shares(line % rows.1, rows, method) {
            for (col, by_pixel) in shares(pixel, pixels, method) {
                let from = (line / rows.1 * rows.0 + row) * pixels.0 + col;
                sum += by_row * by_pixel * x[from * channels + channel].exact();
            }
        }
        all.push(sum);
    }
    all
}

/// `most` is the greatest error of a result: half of its last digit, and the rounding of sums.
fn check<T: Real + Sample>(device: &Device, case: Case, most: f64, seed: u64) {
    let Case { images, channels, rows, pixels, gaps, offset, method } = case;
    let mut random = Random::new(seed);
    let x: Vec<T> =
        (0..images * rows.0 * pixels.0 * channels).map(|_| T::of(random.below(200) as f64)).collect();
    let place =
        |rows: usize, pixels: usize, gap| Place { rows: images * rows, cols: pixels * channels, gap, offset };
    let from = Placed::new(device, place(rows.0, pixels.0, gaps.0), &x, T::of(99.0));
    let marker = T::of(77.0);
    let results = vec![marker; images * rows.1 * pixels.1 * channels];
    let mut y = Placed::new(device, place(rows.1, pixels.1, gaps.1), &results, marker);
    resize(device, method, from.matrix(), y.matrix_mut())
        .images(images)
        .channels(channels)
        .run()
        .unwrap_or_else(|e| panic!("{case:?}: {e}"));
    for (i, (got, want)) in y.read(device, marker).iter().zip(wanted(&x, case)).enumerate() {
        // Bytes saturate.
        let want = if size_of::<T>() == 1 { want.clamp(0.0, 255.0) } else { want };
        let error = (got.exact() - want).abs();
        assert!(
            error <= most,
            "{case:?}: {i} is {got:?} instead of {want} of {}",
            std::any::type_name::<T>()
        );
    }
}

#[test]
fn images_of_every_sample_and_method() {
    for method in METHODS {
        let case = |channels, rows, pixels| Case {
            images: 2,
            channels,
            rows,
            pixels,
            gaps: (0, 0),
            offset: 0,
            method,
        };
        for device in devices() {
            check::<f32>(&device, case(1, (7, 40), (9, 36)), 1e-3, 1);
            check::<f32>(&device, case(1, (40, 7), (36, 9)), 1e-3, 2);
        }
        let device = Device::simulator();
        check::<u8>(&device, case(3, (5, 9), (7, 12)), 0.501, 3);
        check::<f16>(&device, case(4, (9, 4), (8, 13)), 0.13, 4);
        check::<bf16>(&device, case(1, (3, 8), (10, 10)), 1.01, 5);
        check::<f64>(&device, case(2, (6, 11), (5, 7)), 1e-12, 6);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn images_of_any_size(
        (images, channels) in (1usize..3, 1usize..5),
        rows in (1usize..30, 0usize..70),
        pixels in (1usize..30, 0usize..40),
        gaps in prop_oneof![Just((0, 0)), (0usize..5, 0usize..5)],
        offset in prop_oneof![Just(0), 0usize..5],
        method in 0usize..3,
        is_byte in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let case = Case { images, channels, rows, pixels, gaps, offset, method: METHODS[method] };
        if is_byte {
            check::<u8>(&shuffled(seed), case, 0.501, seed);
        } else {
            check::<f32>(&shuffled(seed), case, 1e-3, seed);
        }
    }
}
