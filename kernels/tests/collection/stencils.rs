//! Stencils against sums in `f64`. Samples and weights are such that these are exact.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::images::{Border, Sample, Taps, stencil2d, stencil3d};

use crate::devices::{Random, devices, shuffled};
use crate::matrices::{Place, Placed, Real};

pub const BORDERS: [Border; 6] =
    [Border::Clamp, Border::Zero, Border::Wrap, Border::Mirror, Border::Untouched, Border::Reflect];

/// The number that stands for number `i` of `n`; `None` beyond an edge that nothing stands for.
pub fn standing_for(i: isize, n: usize, border: Border) -> Option<usize> {
    let n = n as isize;
    let mut i = i;
    while i < 0 || i >= n {
        i = match border {
            Border::Clamp => i.clamp(0, n - 1),
            Border::Wrap => i - n * i.signum(),
            Border::Mirror if i < 0 => -1 - i,
            Border::Mirror => 2 * n - 1 - i,
            Border::Reflect if n == 1 => 0,
            Border::Reflect if i < 0 => -i,
            Border::Reflect => 2 * n - 2 - i,
            Border::Zero | Border::Untouched => return None,
        };
    }
    Some(i as usize)
}

/// Planes, rows and columns, how the rows lie in both matrices, and what stands for samples beyond the edges.
#[derive(Clone, Copy, Debug)]
struct Case {
    extents: [usize; 3],
    gaps: (usize, usize),
    offsets: (usize, usize),
    border: Border,
}

/// Samples that are whole numbers; a few are NaN if they can be.
fn samples<T: Real>(len: usize, seed: u64, has_nan: bool) -> Vec<T> {
    let mut random = Random::new(seed);
    (0..len)
        .map(|_| match random.below(40) {
            0 if has_nan => T::of(f64::NAN),
            n => T::of(n as f64 - 8.0),
        })
        .collect()
}

/// The stencil in `f64`; elements that are not written are `marker`.
fn wanted<T: Real>(x: &[T], case: Case, taps: &Taps<3>, marker: T) -> Vec<T> {
    let [planes, rows, cols] = case.extents;
    let result = |i: usize| {
        let place = [i / cols / rows, i / cols % rows, i % cols];
        let mut sum = 0.0;
        for (offset, weight) in taps.iter() {
            let at = |axis: usize| {
                standing_for(place[axis] as isize + offset[axis] as isize, case.extents[axis], case.border)
            };
            match (at(0), at(1), at(2)) {
                (Some(plane), Some(row), Some(col)) => {
                    sum += weight * x[(plane * rows + row) * cols + col].exact();
                }
                _ if case.border == Border::Untouched => return marker,
                _ => {}
            }
        }
        T::of(sum)
    };
    (0..planes * rows * cols).map(result).collect()
}

fn check<T: Real + Sample>(device: &Device, case: Case, taps: &Taps<3>, is_flat: bool, seed: u64) {
    let [planes, rows, cols] = case.extents;
    let x = samples::<T>(planes * rows * cols, seed, true);
    let marker = T::of(77.0);
    let place = Place { rows: planes * rows, cols, gap: case.gaps.0, offset: case.offsets.0 };
    let from = Placed::new(device, place, &x, T::of(99.0));
    let to = Place { gap: case.gaps.1, offset: case.offsets.1, ..place };
    let mut y = Placed::new(device, to, &vec![marker; x.len()], marker);
    let call = if is_flat {
        let flat: Taps<2> = taps.iter().map(|([_, row, col], weight)| ([row, col], weight)).collect();
        stencil2d(device, &flat, from.matrix(), y.matrix_mut()).images(planes)
    } else {
        stencil3d(device, taps, planes, from.matrix(), y.matrix_mut())
    };
    call.border(case.border).run().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    let (got, want) = (y.read(device, marker), wanted(&x, case, taps, marker));
    let is_same = |a: &T, b: &T| a == b || a.exact().is_nan() && b.exact().is_nan();
    let wrong = got.iter().zip(&want).position(|(a, b)| !is_same(a, b));
    assert_eq!(
        wrong.map(|i| (i, got[i], want[i])),
        None,
        "{case:?} {taps:?} of {}",
        std::any::type_name::<T>()
    );
}

/// Weights that are quarters, at offsets up to a radius: of a star, or of one in `every` places of a box.
fn taps(radius: [i32; 3], is_star: bool, every: usize, seed: u64) -> Taps<3> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    for plane in -radius[0]..=radius[0] {
        for row in -radius[1]..=radius[1] {
            for col in -radius[2]..=radius[2] {
                let axes = [plane, row, col].iter().filter(|offset| **offset != 0).count();
                if (!is_star || axes <= 1) && random.below(every) == 0 {
                    all.push(([plane, row, col], random.below(13) as f64 / 4.0 - 1.5));
                }
            }
        }
    }
    all.into_iter().collect()
}

fn at_every_border<T: Real + Sample>(device: &Device) {
    for (k, border) in BORDERS.into_iter().enumerate() {
        let seed = k as u64;
        let case = |extents, gaps, offsets| Case { extents, gaps, offsets, border };
        let whole = case([1, 11, 36], (0, 4), (0, 0));
        let apart = case([2, 3, 13], (1, 0), (0, 3));
        check::<T>(device, whole, &taps([0, 4, 4], true, 1, seed), true, seed);
        check::<T>(device, apart, &taps([0, 1 + k as i32 % 4, 2], false, 2, seed), true, seed);
        check::<T>(device, case([5, 6, 20], (4, 0), (0, 0)), &taps([1, 1, 1], false, 1, seed), false, seed);
        check::<T>(device, case([3, 7, 9], (0, 2), (1, 0)), &taps([4, 3, 4], true, 1, seed), false, seed);
    }
}

#[test]
fn stencils_of_every_sample_and_border() {
    for device in devices() {
        at_every_border::<f32>(&device);
    }
    let device = Device::simulator();
    for (k, border) in BORDERS.into_iter().enumerate() {
        let case = |extents| Case { extents, gaps: (k % 2, 0), offsets: (0, 0), border };
        let (flat, cube) = (taps([0, 2, 2], false, 1, 1), taps([2, 2, 2], false, 3, 2));
        check::<f64>(&device, case([1, 9, 14]), &flat, true, 1);
        check::<f64>(&device, case([3, 4, 14]), &cube, false, 2);
        check::<f16>(&device, case([1, 9, 20]), &flat, true, 3);
        check::<bf16>(&device, case([1, 9, 20]), &flat, true, 4);
        check::<u8>(&device, case([1, 9, 20]), &flat, true, 5);
    }
}

#[test]
fn a_stencil_has_no_share_of_what_is_not_listed() {
    let device = Device::simulator();
    let x = device.upload(&[f32::NAN, 1.0, f32::INFINITY, 2.0]).expect("device memory");
    let mut y = device.alloc_zeroed::<f32>(4).expect("device memory");
    let run = |taps: Taps<2>, y: &mut Buffer<f32>| {
        let from = warpsmith_kernels::argument::matrix(&x, 1, 4).expect("it fits");
        let to = warpsmith_kernels::argument::matrix_mut(&mut *y, 1, 4).expect("it fits");
        stencil2d(&device, &taps, from, to).run().expect("it runs");
        device.download(y).expect("no fault")
    };
    let both = run(Taps::from([([0, -2], 1.0), ([0, 2], 0.0)]), &mut y);
    assert!(both[0].is_nan() && both[1].is_nan() && both[2].is_nan(), "{both:?}");
    assert_eq!(run(Taps::from([([0, 2], 1.0)]), &mut y), [f32::INFINITY, 2.0, 2.0, 2.0]);
    assert_eq!(run(Taps::from([]), &mut y), [0.0; 4]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn stencils_of_any_shape(
        extents in prop_oneof![
            [1usize..3, 0usize..9, 0usize..40],
            [0usize..6, 1usize..20, 1usize..12],
            (1usize..4).prop_map(|n| [n, 1, 64]),
        ],
        radius in [0i32..3, 0i32..7, 0i32..6],
        gaps in prop_oneof![Just((0, 0)), Just((4, 8)), (0usize..5, 0usize..5)],
        offsets in prop_oneof![Just((0, 0)), (0usize..5, 0usize..5)],
        border in 0usize..6,
        (is_star, is_flat, is_half) in any::<(bool, bool, bool)>(),
        seed in 0u64..1000,
    ) {
        let radius = if is_flat { [0, radius[1], radius[2]] } else { radius };
        let taps = taps(radius, is_star, 1 + seed as usize % 4, seed);
        let case = Case { extents, gaps, offsets, border: BORDERS[border] };
        if is_half {
            check::<f16>(&shuffled(seed), case, &taps, is_flat, seed);
        } else {
            check::<f32>(&shuffled(seed), case, &taps, is_flat, seed);
        }
    }
}
