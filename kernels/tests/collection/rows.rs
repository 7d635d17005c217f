//! Softmax and normalisations, at shapes that take every form of the kernels, and at random ones.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::rows::{RowElement, cross_entropy, layer_norm, log_softmax, rms_norm, softmax};

use crate::devices::{Random, devices, shuffled};
use crate::matrices::{Place, Placed, Real};

/// What a test computes.
#[derive(Clone, Copy, Debug)]
enum Function {
    Softmax,
    LogSoftmax,
    RmsNorm,
    LayerNorm,
}

const EPSILON: f64 = 1e-3;

/// Weight, bias and residual of a normalisation.
#[derive(Clone, Copy, Debug, Default)]
struct With {
    weight: bool,
    bias: bool,
    residual: bool,
}

/// The outputs for a row, each with a magnitude whose roundings add to those of the output.
///
/// A sum of exponentials is at least 1. Its logarithm is wrong by the relative error of the sum.
///
/// A mean is joined from means of parts. Weighted by the lengths of the parts, their roundings are those of the mean of `|x|`, which is
/// at most `rms(x)`, even if elements of both signs give a mean of zero. Each distance from the mean is wrong by as much, and so is the
/// standard deviation that divides it.
fn reference(function: Function, x: &[f64]) -> Vec<(f64, f64)> {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exponentials: f64 = x.iter().map(|x| (x - max).exp()).sum();
    let squares = x.iter().map(|x| x * x).sum::<f64>() / n;
    let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    let of = |x: &f64| match function {
        Function::Softmax => ((x - max).exp() / exponentials, 0.0),
        Function::LogSoftmax => (x - max - exponentials.ln(), 1.0),
        Function::RmsNorm => (x / (squares + EPSILON).sqrt(), 0.0),
        Function::LayerNorm => {
            let factor = 1.0 / (variance + EPSILON).sqrt();
            let value = (x - mean) * factor;
            (value, squares.sqrt() * factor * (1.0 + value.abs()))
        }
    };
    x.iter().map(of).collect()
}

/// Random elements, in which one of eight is large.
fn elements<T: Real>(random: &mut Random, len: usize) -> Vec<T> {
    let large = |random: &mut Random| if random.next().is_multiple_of(8) { 20.0 } else { 1.0 };
    (0..len).map(|_| T::of(random.unit() * large(random))).collect()
}

/// Runs a function, and compares with the reference.
fn check<T: RowElement + Real>(
    device: &Device,
    function: Function,
    place: Place,
    with: With,
    threads: Option<u32>,
    seed: u64,
) {
    let is_norm = matches!(function, Function::RmsNorm | Function::LayerNorm);
    let with = if is_norm { with } else { With::default() };
    let Place { rows, cols, .. } = place;
    let mut random = Random::new(seed);
    let padding = T::of(99.0);
    let x = elements::<T>(&mut random, rows * cols);
    let r = elements::<T>(&mut random, rows * cols);
    let (weight, bias) = (elements::<T>(&mut random, cols), elements::<T>(&mut random, cols));
    let placed = Placed::new(device, place, &x, padding);
    let mut residual = Placed::new(device, Place { gap: place.gap + 8, ..place }, &r, padding);
    let mut y = Placed::new(device, place, &vec![padding; rows * cols], padding);
    let (on_device, biases) =
        (device.upload(&weight).expect("device memory"), device.upload(&bias).expect("device memory"));
    macro_rules! run {
        ($call:expr) => {{
            let call = $call;
            let call = if let Some(threads) = threads { call.threads(threads) } else { call };
            call.run().unwrap_or_else(|e| panic!("{function:?} {place:?} {with:?}: {e}"));
        }};
    }
    macro_rules! norm {
        ($norm:ident) => {{
            let mut call = $norm(device, placed.matrix(), y.matrix_mut()).epsilon(EPSILON as f32);
            if with.weight {
                call = call.weight(&on_device);
            }
            if with.bias {
                call = call.bias(&biases);
            }
            if with.residual {
                call = call.residual(residual.matrix_mut());
            }
            run!(call)
        }};
    }
    match function {
        Function::Softmax => run!(softmax(device, placed.matrix(), y.matrix_mut())),
        Function::LogSoftmax => run!(log_softmax(device, placed.matrix(), y.matrix_mut())),
        Function::RmsNorm => norm!(rms_norm),
        Function::LayerNorm => norm!(layer_norm),
    }
    let got = y.read(device, padding);
    let sums = residual.read(device, padding);
    for row in 0..rows {
        let mut input = Vec::new();
        for i in row * cols..(row + 1) * cols {
            let sum = T::of(f64::from((x[i].exact() + r[i].exact()) as f32));
            assert_eq!(sums[i], if with.residual { sum } else { r[i] }, "residual {i}");
            input.push(if with.residual { sum.exact() } else { x[i].exact() });
        }
        for (c, (value, size)) in reference(function, &input).into_iter().enumerate() {
            let factor = if with.weight { weight[c].exact() } else { 1.0 };
            let shift = if with.bias { bias[c].exact() } else { 0.0 };
            let want = value * factor + shift;
            let scale = want.abs() + (value * factor).abs() + size * factor.abs();
            let bound = 1e-30 + scale * 2e-5 + want.abs() * T::ROUNDING + tiny::<T>();
            let got = got[row * cols + c].exact();
            assert!(
                (got - want).abs() <= bound,
                "{function:?} {place:?} {with:?} at ({row}, {c}): {got} instead of {want}"
            );
        }
    }
}

/// What rounding of the least elements of a type loses.
fn tiny<T: Real>() -> f64 {
    if T::ROUNDING == f16::ROUNDING { 2f64.powi(-25) } else { 1e-38 }
}

const FUNCTIONS: [Function; 4] =
    [Function::Softmax, Function::LogSoftmax, Function::RmsNorm, Function::LayerNorm];
const ALL: With = With { weight: true, bias: true, residual: true };

/// Widths at which another form of the kernels begins, with rows enough for a block of short ones.
const SHAPES: [(usize, usize); 12] = [
    (0, 5),
    (5, 0),
    (1, 1),
    (70, 3),
    (70, 8),
    (9, 64),
    (9, 257),
    (3, 1000),
    (3, 1024),
    (2, 2049),
    (2, 4096),
    (1, 8191),
];

fn at_every_shape<T: RowElement + Real>() {
    let places = SHAPES.into_iter().flat_map(|(rows, cols)| {
        [(0, 0), (0, 8), (1, 3)].map(|(offset, gap)| Place { rows, cols, gap, offset })
    });
    for device in devices() {
        for (k, place) in places.clone().enumerate() {
            for function in FUNCTIONS {
                check::<T>(
                    &device,
                    function,
                    place,
                    if k % 2 == 0 { ALL } else { With::default() },
                    None,
                    k as u64,
                );
            }
        }
    }
}

#[test]
fn rows_of_f32_at_every_shape() {
    at_every_shape::<f32>();
}

#[test]
fn rows_of_f16_at_every_shape() {
    at_every_shape::<f16>();
}

#[test]
fn rows_of_bf16_at_every_shape() {
    at_every_shape::<bf16>();
}

#[test]
fn rows_too_wide_for_registers_are_read_twice() {
    for device in devices() {
        let place = Place { rows: 2, cols: 40_000, gap: 0, offset: 0 };
        check::<f32>(&device, Function::Softmax, place, With::default(), None, 1);
        check::<f32>(&device, Function::LayerNorm, place, ALL, None, 1);
        let place = Place { rows: 3, cols: 33_001, gap: 0, offset: 1 };
        check::<bf16>(&device, Function::LogSoftmax, place, With::default(), None, 1);
        check::<f32>(&device, Function::RmsNorm, place, With { weight: true, ..With::default() }, None, 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_of_any_shape(
        function in prop_oneof![
            Just(Function::Softmax),
            Just(Function::LogSoftmax),
            Just(Function::RmsNorm),
            Just(Function::LayerNorm),
        ],
        rows in 0usize..80,
        cols in prop_oneof![0usize..40, 0usize..600, (0usize..80).prop_map(|packs| packs * 8)],
        gap in prop_oneof![Just(0usize), 0usize..20],
        offset in prop_oneof![Just(0usize), 0usize..9],
        (weight, bias, residual) in any::<(bool, bool, bool)>(),
        threads in prop_oneof![Just(None), (0u32..1200).prop_map(Some)],
        is_half in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let device = shuffled(seed);
        let place = Place { rows, cols, gap, offset };
        let with = With { weight, bias, residual };
        if is_half {
            check::<bf16>(&device, function, place, with, threads, seed);
        } else {
            check::<f32>(&device, function, place, with, threads, seed);
        }
    }
}

#[test]
fn nan_and_infinities_do_as_in_pytorch() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let rows = [[1.0, nan, 2.0, 0.0], [1.0, inf, 2.0, 0.0], [-inf; 4], [0.0, -inf, 0.0, -inf]];
    let device = Device::simulator();
    let place = Place { rows: 4, cols: 4, gap: 0, offset: 0 };
    let x = Placed::new(&device, place, rows.as_flattened(), 0.0);
    let mut y = Placed::new(&device, place, &[0.0; 16], 0.0);
    softmax(&device, x.matrix(), y.matrix_mut()).run().expect("it runs");
    let got = y.read(&device, 0.0);
    assert!(got[..12].iter().all(|y| y.is_nan()), "{got:?}");
    assert_eq!(got[12..], [0.5, 0.0, 0.5, 0.0]);
    log_softmax(&device, x.matrix(), y.matrix_mut()).run().expect("it runs");
    let got = y.read(&device, 0.0);
    assert!(got[..12].iter().all(|y| y.is_nan()), "{got:?}");
    assert_eq!((got[13], got[15]), (-inf, -inf));
    rms_norm(&device, x.matrix(), y.matrix_mut()).run().expect("it runs");
    let got = y.read(&device, 0.0);
    assert!(got[..4].iter().all(|y| y.is_nan()), "{got:?}");
    assert!(got[5].is_nan() && got[4] == 0.0 && got[6] == 0.0, "{got:?}");
    layer_norm(&device, x.matrix(), y.matrix_mut()).run().expect("it runs");
    assert!(y.read(&device, 0.0).iter().all(|y| y.is_nan()));
}

/// The losses and gradients of rows, where every third row is left out.
fn check_cross_entropy<T: RowElement + Real>(device: &Device, place: Place, scale: Option<f32>, seed: u64) {
    let Place { rows, cols, .. } = place;
    let mut random = Random::new(seed);
    let padding = T::of(99.0);
    let x = elements::<T>(&mut random, rows * cols);
    let targets: Vec<u32> =
        (0..rows).map(|r| if r % 3 == 2 { u32::MAX } else { random.below(cols) as u32 }).collect();
    let placed = Placed::new(device, place, &x, padding);
    let mut gradient = Placed::new(device, place, &vec![padding; rows * cols], padding);
    let on_device = device.upload(&targets).expect("device memory");
    let mut loss = device.upload(&vec![-1.0f32; rows]).expect("device memory");
    let call = cross_entropy(device, placed.matrix(), &on_device, &mut loss);
    let call = match scale {
        Some(scale) => call.scale(scale).gradient(gradient.matrix_mut()),
        None => call,
    };
    call.run().unwrap_or_else(|e| panic!("{place:?}: {e}"));
    let (losses, gradients) = (device.download(&loss).expect("no fault"), gradient.read(device, padding));
    for row in 0..rows {
        let of_row: Vec<f64> = (0..cols).map(|c| x[row * cols + c].exact()).collect();
        let target = targets[row] as usize;
        let logarithms = reference(Function::LogSoftmax, &of_row);
        let want = logarithms.get(target).map_or(0.0, |(value, _)| -value);
        assert!(
            (f64::from(losses[row]) - want).abs() < 1e-4,
            "{place:?} row {row}: {} instead of {want}",
            losses[row]
        );
        for (c, (value, _)) in reference(Function::Softmax, &of_row).into_iter().enumerate() {
            let got = gradients[row * cols + c].exact();
            let want = match scale {
                None => padding.exact(),
                Some(_) if target >= cols => 0.0,
                Some(scale) => (value - if c == target { 1.0 } else { 0.0 }) * f64::from(scale),
            };
            let bound = 1e-5 + want.abs() * T::ROUNDING;
            assert!((got - want).abs() <= bound, "{place:?} at ({row}, {c}): {got} instead of {want}");
        }
    }
}

#[test]
fn cross_entropy_has_losses_and_gradients() {
    for device in devices() {
        for (k, (rows, cols)) in [(0, 3), (7, 1), (5, 64), (4, 1001), (3, 9000)].into_iter().enumerate() {
            for (offset, gap) in [(0, 0), (1, 3)] {
                let place = Place { rows, cols, gap, offset };
                check_cross_entropy::<f32>(&device, place, Some(0.25), k as u64);
                check_cross_entropy::<bf16>(&device, place, Some(1.0), k as u64);
                check_cross_entropy::<f16>(&device, place, None, k as u64);
            }
        }
    }
}
