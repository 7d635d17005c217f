//! `f16` and `bf16` as [`Float`](super::Float)s: computed in `f32`, rounded once.

/// Implements `Float` for the halves; the methods without special care are those of `f32`.
macro_rules! halves {
    ($($method:ident($($arg:ident: $ty:ty),*);)+) => {
        crate::device_api::number::half_float::halves! { @one crate::half::f16, 0x7c00, 0x0400; $($method($($arg: $ty),*);)+ }
        crate::device_api::number::half_float::halves! { @one crate::half::bf16, 0x7f80, 0x0080; $($method($($arg: $ty),*);)+ }
    };
    (@one $t:ty, $infinity:literal, $least:literal; $($method:ident($($arg:ident: $ty:ty),*);)+) => {
        impl Float for $t {
            $(
                #[inline]
                fn $method(self $(, $arg: $ty)*) -> Self {
                    crate::device_api::number::half_float::$method::<$t>(self $(, $arg)*)
                }
            )+

            fn sin_cos(self) -> (Self, Self) {
                let (sin, cos) = self.to_f32().sin_cos();
                (Self::from_f32(sin), Self::from_f32(cos))
            }

            fn is_nan(self) -> bool {
                self.to_f32().is_nan()
            }

            fn is_infinite(self) -> bool {
                self.to_f32().is_infinite()
            }

            fn is_finite(self) -> bool {
                self.to_f32().is_finite()
            }

            fn is_normal(self) -> bool {
                ($least..$infinity).contains(&(self.to_bits() & 0x7fff))
            }

            fn is_subnormal(self) -> bool {
                (1..$least).contains(&(self.to_bits() & 0x7fff))
            }

            fn is_sign_negative(self) -> bool {
                self.to_bits() >> 15 != 0
            }

            fn is_sign_positive(self) -> bool {
                self.to_bits() >> 15 == 0
            }

            fn to_bits(self) -> u16 {
                <$t>::to_bits(self)
            }

            fn from_bits(bits: u16) -> Self {
                <$t>::from_bits(bits)
            }

            fn total_cmp(&self, other: &Self) -> core::cmp::Ordering {
                // The integer of the bits, whose negative numbers are turned.
                let key = |x: &Self| {
                    let bits = <$t>::to_bits(*x) as i16;
                    if bits < 0 { bits ^ i16::MAX } else { bits }
                };
                key(self).cmp(&key(other))
            }
        }

        impl crate::device_api::number::half_float::Half for $t {
            const INFINITY_BITS: u16 = $infinity;

            fn wide(self) -> f32 {
                self.to_f32()
            }

            fn narrow(value: f32) -> Self {
                Self::from_f32(value)
            }

            fn round(value: f64) -> Self {
                crate::half::Nearest::nearest(value)
            }

            fn bits(self) -> u16 {
                self.to_bits()
            }

            fn of_bits(bits: u16) -> Self {
                Self::from_bits(bits)
            }
        }
    };
}

pub(crate) use halves;

/// A float of sixteen bits.
pub(crate) trait Half: Copy {
    const INFINITY_BITS: u16;
    fn wide(self) -> f32;
    fn narrow(value: f32) -> Self;
    fn round(value: f64) -> Self;
    fn bits(self) -> u16;
    fn of_bits(bits: u16) -> Self;
}

macro_rules! through_f32 {
    ($($method:ident($($arg:ident),*);)+) => {$(
        pub(crate) fn $method<H: Half>(x: H $(, $arg: H)*) -> H {
            H::narrow(x.wide().$method($($arg.wide()),*))
        }
    )+};
}

through_f32! {
    sqrt(); cbrt(); exp(); exp2(); ln(); log2(); log10(); sin(); cos(); tan(); sinh(); cosh(); tanh(); asin(); acos(); atan();
    asinh(); acosh(); atanh(); exp_m1(); ln_1p(); to_degrees(); to_radians(); round_ties_even();
    log(base); div_euclid(other); rem_euclid(other); midpoint(other);
    floor(); ceil(); round(); trunc(); fract(); recip(); signum();
    atan2(other); hypot(other); powf(n);
    min(other); max(other); clamp(low, high); copysign(sign);
}

pub(crate) fn powi<H: Half>(x: H, n: i32) -> H {
    H::narrow(x.wide().powi(n))
}

pub(crate) fn abs<H: Half>(x: H) -> H {
    H::of_bits(x.bits() & 0x7fff)
}

pub(crate) fn next_up<H: Half>(x: H) -> H {
    let bits = x.bits();
    let magnitude = bits & 0x7fff;
    H::of_bits(if magnitude > H::INFINITY_BITS || bits == H::INFINITY_BITS {
        bits
    } else if magnitude == 0 {
        1
    } else if bits < 0x8000 {
        bits + 1
    } else {
        bits - 1
    })
}

pub(crate) fn next_down<H: Half>(x: H) -> H {
    let flipped = next_up(H::of_bits(x.bits() ^ 0x8000));
    H::of_bits(flipped.bits() ^ 0x8000)
}

/// `x * a + b`, rounded once. Where the sum in `f64` is inexact, its last bit is set, and rounding it again gives the right
/// result.
pub(crate) fn mul_add<H: Half>(x: H, a: H, b: H) -> H {
    let product = f64::from(x.wide()) * f64::from(a.wide());
    let addend = f64::from(b.wide());
    let sum = product + addend;
    let back = sum - product;
    let error = (product - (sum - back)) + (addend - back);
    let even = sum.to_bits() & 1 == 0;
    let sum = if error != 0.0 && even && sum.is_finite() {
        // One step towards the true value: the error's sign against the sum's.
        let outward = (error > 0.0) == (sum > 0.0);
        f64::from_bits(if outward { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
    } else {
        sum
    };
    H::round(sum)
}
