//! Normalisations that are quantised, against the host's.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::rows::{Quantum, RowElement, layer_norm_quantized, rms_norm_quantized};

use crate::devices::{Random, devices, shuffled};
use crate::matrices::{Place, Placed, Real};

/// A number of eight bits, and the distance of its neighbours.
trait Eighth: Quantum + PartialEq + std::fmt::Debug {
    fn exact(self) -> f64;
    /// The bound on the rounding of a number of this size.
    fn rounding(size: f64) -> f64;
    fn padding() -> Self;
}

impl Eighth for i8 {
    fn exact(self) -> f64 {
        f64::from(self)
    }
    fn rounding(_size: f64) -> f64 {
        0.5
    }
    fn padding() -> Self {
        -128
    }
}

impl Eighth for F8E4M3 {
    fn exact(self) -> f64 {
        f64::from(self.to_f32())
    }
    fn rounding(size: f64) -> f64 {
        (size / 16.0).max(1.0 / 1024.0)
    }
    fn padding() -> Self {
        F8E4M3::from_bits(0x7f)
    }
}

/// What a test computes.
#[derive(Clone, Copy, Debug)]
struct Case {
    is_layer_norm: bool,
    place: Place,
    weight: bool,
    residual: bool,
}

fn check<T: RowElement + Real, Q: Eighth>(device: &Device, case: Case, seed: u64) {
    let Case { is_layer_norm, place, weight, residual } = case;
    let Place { rows, cols, .. } = place;
    let mut random = Random::new(seed);
    let mut elements = |n: usize| (0..n).map(|_| T::of(random.unit() * 3.0)).collect::<Vec<T>>();
    let (x, r, w, b) = (elements(rows * cols), elements(rows * cols), elements(cols), elements(cols));
    let padding = T::of(99.0);
    let placed = Placed::new(device, place, &x, padding);
    let mut sums = Placed::new(device, place, &r, padding);
    let mut y = Placed::new(device, place, &vec![Q::padding(); rows * cols], Q::padding());
    let mut scales = device.alloc_zeroed::<f32>(rows).expect("device memory");
    let (weights, biases) = (device.upload(&w).expect("memory"), device.upload(&b).expect("memory"));
    macro_rules! run {
        ($norm:ident) => {{
            let mut call = $norm::<T, Q>(device, placed.matrix(), y.matrix_mut(), &mut scales).epsilon(1e-3);
            if weight {
                call = call.weight(&weights).bias(&biases);
            }
            if residual {
                call = call.residual(sums.matrix_mut());
            }
            call.run().unwrap_or_else(|e| panic!("{case:?}: {e}"));
        }};
    }
    if is_layer_norm {
        run!(layer_norm_quantized)
    } else {
        run!(rms_norm_quantized)
    }
    let (got, scales) = (y.read(device, Q::padding()), device.download(&scales).expect("no fault"));
    let sums = sums.read(device, padding);
    for row in 0..rows {
        let of_row = row * cols..(row + 1) * cols;
        if residual {
            let want = |i: usize| T::of(f64::from((x[i].exact() + r[i].exact()) as f32));
            assert!(of_row.clone().all(|i| sums[i] == want(i)), "{case:?}: the sums of row {row}");
        }
        let input = if residual { &sums } else { &x };
        let input: Vec<f64> = input[of_row.clone()].iter().map(|x| x.exact()).collect();
        let mean = if is_layer_norm { input.iter().sum::<f64>() / cols as f64 } else { 0.0 };
        let squares = input.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / cols as f64;
        let of = |c: usize| {
            let norm = (input[c] - mean) / (squares + 1e-3).sqrt();
            if weight { norm * w[c].exact() + b[c].exact() } else { norm }
        };
        let want: Vec<f64> = (0..cols).map(of).collect();
        let largest = want.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let scale = f64::from(scales[row]);
        let bound = 2e-5 * (largest + 1.0);
        assert!(
            (scale * f64::from(Q::MOST) - largest).abs() <= bound,
            "{case:?}: scale {scale} of row {row}"
        );
        for (c, want) in want.into_iter().enumerate() {
            let got = got[row * cols + c].exact();
            let bound = Q::rounding(got.abs()) * scale + 2.0 * bound;
            assert!(
                (got * scale - want).abs() <= bound,
                "{case:?} at ({row}, {c}): {got} * {scale} instead of {want}"
            );
        }
    }
}

#[test]
fn norms_are_quantised_at_every_width() {
    for device in devices() {
        for (k, (rows, cols)) in
            [(0, 3), (3, 0), (1, 1), (7, 8), (5, 33), (3, 1000), (2, 4096), (2, 9001)].into_iter().enumerate()
        {
            for (offset, gap) in [(0, 0), (0, 16), (1, 3)] {
                let place = Place { rows, cols, gap, offset };
                let case = Case { is_layer_norm: k % 2 == 1, place, weight: gap > 0, residual: k % 3 > 0 };
                check::<f32, i8>(&device, case, k as u64);
                check::<bf16, F8E4M3>(&device, case, k as u64);
            }
        }
    }
}

#[test]
fn a_row_of_zeros_has_the_scale_zero() {
    let device = Device::simulator();
    let place = Place { rows: 2, cols: 64, gap: 0, offset: 0 };
    let x: Vec<f32> = (0..128).map(|i| if i < 64 { 0.0 } else { 2.0 }).collect();
    let placed = Placed::new(&device, place, &x, 0.0);
    let mut y = Placed::new(&device, place, &[1i8; 128], 1);
    let mut scales = device.upload(&[5.0f32; 2]).expect("device memory");
    rms_norm_quantized(&device, placed.matrix(), y.matrix_mut(), &mut scales).run().expect("it runs");
    let y = y.read(&device, 1);
    assert!(y[..64].iter().all(|y| *y == 0) && y[64..].iter().all(|y| *y == 127), "{y:?}");
    assert_eq!(device.download(&scales).expect("no fault")[0], 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn norms_of_any_shape_are_quantised(
        rows in 0usize..12,
        cols in prop_oneof![0usize..700, (0usize..90).prop_map(|packs| packs * 8)],
        (offset, gap) in prop_oneof![Just((0usize, 0usize)), (0usize..9, 0usize..20)],
        (is_layer_norm, weight, residual, is_float) in any::<(bool, bool, bool, bool)>(),
        seed in 0u64..1000,
    ) {
        let case = Case { is_layer_norm, place: Place { rows, cols, gap, offset }, weight, residual };
        if is_float {
            check::<f16, F8E4M3>(&shuffled(seed), case, seed);
        } else {
            check::<bf16, i8>(&shuffled(seed), case, seed);
        }
    }
}
