//! Arithmetic in integers that is rounded once, in any direction, as the hardware does it.

use crate::device_api::math::MathFloat;
use crate::device_api::number::Float;

/// The direction a result is rounded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// To the nearest, to even between two.
    Nearest,
    /// Towards zero.
    Zero,
    /// Towards +∞.
    Up,
    /// Towards -∞.
    Down,
}

/// `±(significand + a part below one if inexact) · 2^exponent`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    negative: bool,
    significand: u128,
    exponent: i32,
    inexact: bool,
}

impl Exact {
    /// A finite float.
    pub(crate) fn of(value: f64) -> Self {
        let bits = value.to_bits();
        let fraction = bits & ((1 << 52) - 1);
        let biased = ((bits >> 52) & 0x7ff) as i32;
        let (significand, exponent) =
            if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
        Self { negative: value.is_sign_negative(), significand: significand.into(), exponent, inexact: false }
    }

    /// An integer.
    pub(crate) fn of_integer(value: i128) -> Self {
        Self { negative: value < 0, significand: value.unsigned_abs(), exponent: 0, inexact: false }
    }

    /// The exact product of two floats.
    fn times(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            significand: self.significand * other.significand,
            exponent: self.exponent + other.exponent,
            inexact: false,
        }
    }

    /// The same value with the highest bit at 126, where two fit in a sum.
    fn normalized(self) -> Self {
        let up = self.significand.leading_zeros() as i32 - 1;
        Self { significand: self.significand << up, exponent: self.exponent - up, ..self }
    }

    /// The sum of two exact values of at most 106 bits; a sum of zero has the sign that `mode` gives it.
    fn plus(self, other: Self, mode: Rounding) -> Self {
        if self.significand == 0 && other.significand == 0 {
            let negative =
                if self.negative == other.negative { self.negative } else { mode == Rounding::Down };
            return Self { negative, ..self };
        }
        if self.significand == 0 {
            return other;
        }
        if other.significand == 0 {
            return self;
        }
        let (a, b) = (self.normalized(), other.normalized());
        let key = |e: &Self| (e.exponent, e.significand);
        let (big, small) = if key(&a) >= key(&b) { (a, b) } else { (b, a) };
        let down = (big.exponent - small.exponent) as u32;
        let shifted = small.significand.checked_shr(down).unwrap_or(0);
        let inexact = shifted.checked_shl(down).unwrap_or(0) != small.significand;
        if big.negative == small.negative {
            return Self { significand: big.significand + shifted, inexact, ..big };
        }
        let significand = big.significand - shifted - u128::from(inexact);
        let negative = if significand == 0 { mode == Rounding::Down } else { big.negative };
        Self { significand, negative, inexact, ..big }
    }

    /// The float that `mode` rounds to.
    pub(crate) fn round<T: MathFloat>(self, mode: Rounding) -> T {
        let sign = |magnitude: u64| {
            let value = T::of_word(magnitude);
            if self.negative { -value } else { value }
        };
        if self.significand == 0 {
            return sign(0);
        }
        let bits = 128 - self.significand.leading_zeros() as i32;
        let quantum = (self.exponent + bits - T::PRECISION as i32).max(T::LEAST_EXPONENT);
        let (kept, half) = self.split(quantum - self.exponent);
        let away = match mode {
            Rounding::Nearest => {
                half == std::cmp::Ordering::Greater || (half == std::cmp::Ordering::Equal && kept & 1 == 1)
            }
            Rounding::Zero => false,
            Rounding::Up => !self.negative && self.loses(quantum - self.exponent),
            Rounding::Down => self.negative && self.loses(quantum - self.exponent),
        };
        let kept = kept + u64::from(away);
        let exponent = (quantum - T::LEAST_EXPONENT) as u64;
        // A carry out of the significand lands in the exponent, where it belongs.
        let word = (exponent << (T::PRECISION - 1)).saturating_add(kept);
        let overflows = exponent > 4096 || word >= T::INFINITY_BITS;
        if !overflows {
            return sign(word);
        }
        let finite = match mode {
            Rounding::Nearest => false,
            Rounding::Zero => true,
            Rounding::Up => self.negative,
            Rounding::Down => !self.negative,
        };
        sign(T::INFINITY_BITS - u64::from(finite))
    }

    /// The significand without its low `shift` bits, and the comparison of the lost bits with a half.
    fn split(self, shift: i32) -> (u64, std::cmp::Ordering) {
        if shift <= 0 {
            return ((self.significand << -shift) as u64, std::cmp::Ordering::Less);
        }
        let kept = self.significand.checked_shr(shift as u32).unwrap_or(0);
        if shift > 128 {
            return (0, std::cmp::Ordering::Less);
        }
        let lost = if shift == 128 { self.significand } else { self.significand & ((1 << shift) - 1) };
        let order = lost.cmp(&(1 << (shift - 1)));
        (kept as u64, if self.inexact { order.then(std::cmp::Ordering::Greater) } else { order })
    }

    /// Returns whether dropping the low `shift` bits changes the value.
    fn loses(self, shift: i32) -> bool {
        self.inexact || (shift > 0 && (self.significand.trailing_zeros() as i32) < shift)
    }
}

/// `a · b + c` of finite values, rounded once.
fn fused<T: MathFloat>(a: f64, b: f64, c: f64, mode: Rounding) -> T {
    Exact::of(a).times(Exact::of(b)).plus(Exact::of(c), mode).round(mode)
}

/// Returns whether every value is finite; other values follow the same rules in every direction.
fn finite(values: &[f64]) -> bool {
    values.iter().all(|v| v.is_finite())
}

pub(crate) fn add<T: MathFloat>(a: T, b: T, mode: Rounding) -> T {
    let (x, y) = (a.wide(), b.wide());
    if finite(&[x, y]) { fused(x, 1.0, y, mode) } else { a + b }
}

pub(crate) fn sub<T: MathFloat>(a: T, b: T, mode: Rounding) -> T {
    add(a, -b, mode)
}

pub(crate) fn mul<T: MathFloat>(a: T, b: T, mode: Rounding) -> T {
    let (x, y) = (a.wide(), b.wide());
    if finite(&[x, y]) { Exact::of(x).times(Exact::of(y)).round(mode) } else { a * b }
}

pub(crate) fn fma<T: MathFloat>(a: T, b: T, c: T, mode: Rounding) -> T {
    let (x, y, z) = (a.wide(), b.wide(), c.wide());
    if finite(&[x, y, z]) { fused(x, y, z, mode) } else { Float::mul_add(a, b, c) }
}

pub(crate) fn div<T: MathFloat>(a: T, b: T, mode: Rounding) -> T {
    let (x, y) = (a.wide(), b.wide());
    if !finite(&[x, y]) || x == 0.0 || y == 0.0 {
        return a / b;
    }
    let (n, d) = (Exact::of(x), Exact::of(y));
    let up = n.significand.leading_zeros() as i32;
    let dividend = n.significand << up;
    Exact {
        negative: n.negative != d.negative,
        significand: dividend / d.significand,
        exponent: n.exponent - up - d.exponent,
        inexact: !dividend.is_multiple_of(d.significand),
    }
    .round(mode)
}

pub(crate) fn rcp<T: MathFloat>(a: T, mode: Rounding) -> T {
    div(T::ONE, a, mode)
}

pub(crate) fn sqrt<T: MathFloat>(a: T, mode: Rounding) -> T {
    let x = a.wide();
    if !x.is_finite() || x <= 0.0 {
        return Float::sqrt(a);
    }
    let n = Exact::of(x).normalized();
    // An even exponent halves.
    let odd = n.exponent.rem_euclid(2);
    let radicand = n.significand << odd;
    let root = radicand.isqrt();
    Exact {
        negative: false,
        significand: root,
        exponent: (n.exponent - odd) / 2,
        inexact: root * root != radicand,
    }
    .round(mode)
}

/// `1 / sqrt(a)`, rounded to the nearest.
pub(crate) fn rsqrt(a: f32) -> f32 {
    let x = f64::from(a);
    if !x.is_finite() || x <= 0.0 {
        return (1.0 / x.sqrt()) as f32;
    }
    let mut n = Exact::of(x);
    // The value keeps few bits, which leaves many to the quotient; an even exponent halves.
    let zeros = n.significand.trailing_zeros() as i32;
    (n.significand, n.exponent) = (n.significand >> zeros, n.exponent + zeros);
    if n.exponent.rem_euclid(2) == 1 {
        (n.significand, n.exponent) = (n.significand << 1, n.exponent - 1);
    }
    let root = ((1u128 << 126) / n.significand).isqrt();
    let inexact = root * root * n.significand != 1 << 126;
    Exact { negative: false, significand: root, exponent: -63 - n.exponent / 2, inexact }
        .round(Rounding::Nearest)
}
