//! Rounding to the nearest against the host's own arithmetic; the other directions against it.

use super::exact::{self, Rounding};
use super::*;
use crate::device_api::number::Float;

const EDGES: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.0 + f64::EPSILON,
    3.0,
    0.1,
    -7.25,
    1e300,
    -1e300,
    1e-300,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-310,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    4503599627370497.5,
    1e154,
    1e-162,
];

/// Numbers of every size: bits from a linear congruence.
fn random(count: usize) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state ^ state >> 29
    };
    (0..count)
        .map(|i| {
            if i % 3 == 0 {
                f64::from_bits(next())
            } else {
                (next() as i64 as f64) * 2f64.powi((next() % 40) as i32 - 60)
            }
        })
        .collect()
}

fn same<T: MathFloat>(a: T, b: T) -> bool {
    let (a, b) = (a.wide(), b.wide());
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Down, nearest and up bracket the value, and `rz` is the one towards zero.
fn check<T: MathFloat>(native: T, at: impl Fn(Rounding) -> T, what: &str) {
    let (rn, rz, ru, rd) = (at(Rounding::Nearest), at(Rounding::Zero), at(Rounding::Up), at(Rounding::Down));
    assert!(same(rn, native), "{what}: {rn:?} instead of {native:?}");
    if native.is_nan() {
        return;
    }
    assert!(rd <= rn && rn <= ru, "{what}: {rd:?} {rn:?} {ru:?}");
    assert!(
        ru == rd || same(rd.toward(ru), ru) || ru == T::ZERO,
        "{what}: {rd:?} and {ru:?} are not neighbours"
    );
    assert!(
        same(rz, if native < T::ZERO || native.is_sign_negative() { ru } else { rd }) || rz == T::ZERO,
        "{what}: {rz:?}"
    );
}

fn check_all<T: MathFloat>(values: &[T]) {
    for (i, a) in values.iter().enumerate() {
        check(Float::sqrt(*a), |m| exact::sqrt(*a, m), &format!("sqrt {a:?}"));
        check(T::ONE / *a, |m| exact::rcp(*a, m), &format!("rcp {a:?}"));
        for (j, b) in values.iter().enumerate() {
            let what = format!("{a:?}, {b:?}");
            check(*a + *b, |m| exact::add(*a, *b, m), &what);
            check(*a - *b, |m| exact::sub(*a, *b, m), &what);
            check(*a * *b, |m| exact::mul(*a, *b, m), &what);
            check(*a / *b, |m| exact::div(*a, *b, m), &what);
            let c = values[(i * 7 + j * 13) % values.len()];
            check(Float::mul_add(*a, *b, c), |m| exact::fma(*a, *b, c, m), &what);
            let near = -(*a * *b);
            check(Float::mul_add(*a, *b, near), |m| exact::fma(*a, *b, near, m), &what);
        }
    }
}

#[test]
fn nearest_is_the_hosts_and_the_others_are_its_neighbours() {
    let mut wide = EDGES.to_vec();
    wide.extend(random(150));
    check_all(&wide);
    let mut narrow: Vec<f32> = EDGES.iter().map(|v| *v as f32).collect();
    narrow.extend([f32::MAX, f32::MIN_POSITIVE, 1e-45, 1e-40, 16777217.0, 1e19, 1e-23]);
    narrow.extend(random(400).iter().map(|v| f32::from_bits((v.to_bits() >> 17) as u32)));
    narrow.truncate(180);
    check_all(&narrow);
}

#[test]
fn reciprocal_roots_are_nearest() {
    for value in random(20_000) {
        let x = f32::from_bits((value.to_bits() >> 13) as u32).abs();
        // In `f64` the root is near enough to tell, except within a hair of the middle of two floats.
        let near = 1.0 / f64::from(x).sqrt();
        let got = rsqrt_rn(x);
        assert!(
            got == near as f32 || x.is_nan() || (f64::from(got) - near).abs() / near < 2f64.powi(-24),
            "{x:e}"
        );
    }
    assert_eq!((rsqrt_rn(4.0), rsqrt_rn(0.0), rsqrt_rn(f32::INFINITY)), (0.5, f32::INFINITY, 0.0));
}

/// The two directed results of an exact `f64` value are the same only if `f32` holds it.
fn brackets(exact_value: f64, at: impl Fn(Rounding) -> f32, what: &str) {
    let (rd, ru) = (f64::from(at(Rounding::Down)), f64::from(at(Rounding::Up)));
    assert!(rd <= exact_value && exact_value <= ru, "{what}: {rd:e} <= {exact_value:e} <= {ru:e}");
    let held = f64::from(exact_value as f32) == exact_value;
    assert_eq!(rd == ru, held, "{what}: {rd:e} and {ru:e} around {exact_value:e}");
}

#[test]
fn products_and_sums_are_bracketed_by_their_directed_results() {
    let values: Vec<f32> = random(300)
        .iter()
        .map(|v| f32::from_bits((v.to_bits() >> 17) as u32))
        .filter(|v| v.is_finite())
        .collect();
    for a in &values {
        for b in &values {
            // 48 bits: `f64` holds every product of two `f32`, and the sums of those near in size.
            let what = format!("{a:e}, {b:e}");
            brackets(f64::from(*a) * f64::from(*b), |m| exact::mul(*a, *b, m), &what);
            let sum = f64::from(*a) + f64::from(*b);
            if sum - f64::from(*a) == f64::from(*b) && sum - f64::from(*b) == f64::from(*a) {
                brackets(sum, |m| exact::add(*a, *b, m), &what);
                brackets(sum, |m| exact::fma(*a, 1.0, *b, m), &what);
            }
        }
        let root = (exact::sqrt(a.abs(), Rounding::Down), exact::sqrt(a.abs(), Rounding::Up));
        let square = |r: f32| f64::from(r) * f64::from(r);
        assert!(square(root.0) <= a.abs().into() && square(root.1) >= a.abs().into(), "root of {a:e}");
        assert_eq!(root.0 == root.1, square(root.0) == f64::from(a.abs()), "root of {a:e}");
    }
}
