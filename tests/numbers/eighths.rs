//! Floats of eight bits: every value, and every kind of rounding, against a search for the nearest.

use corpus::cases::Random;
use warpsmith::prelude::*;

use super::battery::{compiles_for, devices};

#[gpu_kernel]
fn eighths(x: &[f32], e4m3: &mut [F8E4M3], e5m2: &mut [F8E5M2], back: &mut [F32x2]) {
    let i = global_id();
    if i < x.len() {
        let (a, b) = (F8E4M3::from_f32(x[i]), F8E5M2::from_f32(x[i]));
        e4m3[i] = a;
        e5m2[i] = b;
        let bits = i as u8;
        back[i] = F32x2::new(F8E4M3::from_bits(bits).to_f32(), F8E5M2::from_bits(bits).to_f32());
    }
}

/// Bits of the value nearest to `x` of those that `value` gives, ties to even bits; NaN is 0x7f.
fn nearest(x: f32, value: impl Fn(u8) -> f32) -> u8 {
    if x.is_nan() {
        return 0x7f;
    }
    let x = x.clamp(-1e6, 1e6);
    let sign = if x.is_sign_negative() { 0x80 } else { 0 };
    let distance = |bits: &u8| (f64::from(value(*bits)) - f64::from(x).abs()).abs();
    let finite = (0..0x7f).filter(|bits| value(*bits).is_finite());
    sign | finite.min_by(|a, b| distance(a).total_cmp(&distance(b)).then((a & 1).cmp(&(b & 1)))).unwrap_or(0)
}

/// The value of bits with `mantissa` bits of mantissa, from the definition of the format.
fn defined(bits: u8, mantissa: i32, bias: i32, infinity: bool) -> f32 {
    let (exponent, fraction) = ((bits & 0x7f) >> mantissa, f32::from(bits & ((1 << mantissa) - 1)));
    let ones = exponent == 0x7f >> mantissa;
    let scale = 2f32.powi(mantissa);
    let magnitude = match exponent {
        _ if infinity && ones => {
            if fraction == 0.0 {
                f32::INFINITY
            } else {
                f32::NAN
            }
        }
        _ if ones && fraction == scale - 1.0 => f32::NAN,
        0 => fraction / scale * 2f32.powi(1 - bias),
        e => (1.0 + fraction / scale) * 2f32.powi(i32::from(e) - bias),
    };
    if bits & 0x80 == 0 { magnitude } else { -magnitude }
}

#[test]
fn every_eighth_is_converted_as_defined() {
    let e4m3 = |bits| defined(bits, 3, 7, false);
    let e5m2 = |bits| defined(bits, 2, 15, true);
    let mut x: Vec<f32> = vec![
        f32::NAN,
        f32::INFINITY,
        -f32::INFINITY,
        f32::MAX,
        f32::MIN_POSITIVE,
        1e-45,
        -0.0,
        448.0,
        464.0,
        465.0,
        57344.0,
        61440.0,
    ];
    for value in [&e4m3 as &dyn Fn(u8) -> f32, &e5m2] {
        for bits in 0..0x7fu8 {
            let (low, high) = (value(bits), value(bits + 1));
            let middle = (low + high) / 2.0;
            x.extend(
                [low, -low, middle, middle.next_up(), middle.next_down(), -middle]
                    .iter()
                    .filter(|v| v.is_finite()),
            );
        }
    }
    let mut random = Random::new("eighths");
    x.extend(random.words(4000).into_iter().map(f32::from_bits));
    compiles_for("eighths", &eighths::cuda_source().expect("prints"), &[(8, 9), (9, 0), (10, 0)]);
    for device in &devices() {
        let input = device.upload(&x).expect("memory");
        let mut a = device.upload(&vec![F8E4M3::from_bits(0x55); x.len()]).expect("memory");
        let mut b = device.upload(&vec![F8E5M2::from_bits(0x55); x.len()]).expect("memory");
        let mut back = device.upload(&vec![F32x2::splat(-1.0); x.len()]).expect("memory");
        eighths(&input, &mut a, &mut b, &mut back).over(x.len()).launch(device).expect("a launch");
        let (a, b) = (device.download(&a).expect("no fault"), device.download(&b).expect("no fault"));
        for (i, v) in x.iter().enumerate() {
            assert_eq!(a[i].to_bits(), nearest(*v, e4m3), "e4m3 of {v} on {}", device.name());
            assert_eq!(b[i].to_bits(), nearest(*v, e5m2), "e5m2 of {v} on {}", device.name());
        }
        for (bits, pair) in (0..=255u8).zip(device.download(&back).expect("no fault")) {
            let same = |got: f32, want: f32| got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same(pair.x, e4m3(bits)), "e4m3 bits {bits:#x} are {} on {}", pair.x, device.name());
            assert!(same(pair.y, e5m2(bits)), "e5m2 bits {bits:#x} are {} on {}", pair.y, device.name());
        }
    }
}
