//! Every method of integers and floats in generic code: the same body over `T: Int` in a kernel and over each type in Rust.

use warpsmith::prelude::*;

use super::{everywhere, written};

const INPUTS: usize = 64;

/// A generic function, and a kernel and a host function of the same values for each type.
macro_rules! each_type {
    ($bound:ident: $($ty:ident $module:ident)+; $parameters:tt $values:tt) => {
        each_type! { @generic $bound $parameters $values }
        $(
            mod $module {
                use super::*;

                each_type! { @one $ty $parameters $values }
            }
        )+
    };
    (@generic $bound:ident [$x:ident, $y:ident, $n:ident] [$($value:expr;)+]) => {
        const VALUES: usize = [$(stringify!($value)),+].len();
        const NAMES: [&str; VALUES] = [$(stringify!($value)),+];

        #[gpu_fn]
        #[allow(clippy::all)]
        fn generic<T: $bound>($x: T, $y: T, $n: u32) -> [u64; VALUES] {
            [$(($value).cast::<u64>()),+]
        }
    };
    (@one $ty:ident [$x:ident, $y:ident, $n:ident] [$($value:expr;)+]) => {
        type T = $ty;

        #[allow(clippy::all)]
        fn of_rust($x: T, $y: T, $n: u32) -> [u64; VALUES] {
            [$(($value).cast::<u64>()),+]
        }

        #[gpu_kernel]
        fn kernel(x: &[T], y: &[T], out: &mut [u64]) {
            let i = global_id();
            if i < x.len() {
                let values = generic(x[i], y[i], (i % 70) as u32);
                for (k, value) in values.iter().enumerate() {
                    out[i * VALUES + k] = *value;
                }
            }
        }

        #[test]
        fn does_what_rust_does() {
            let (x, y) = (inputs::<T>(1), inputs::<T>(2));
            everywhere::<kernel>(&(), |device| {
                let [a, b] = [&x, &y].map(|values| device.upload(values).expect("memory"));
                let got = written(device, (INPUTS * VALUES, 0), |out| {
                    kernel(&a, &b, out).grid(1).block(INPUTS).launch(device)
                });
                for i in 0..INPUTS {
                    let want = of_rust(x[i], y[i], (i % 70) as u32);
                    for k in 0..VALUES {
                        let (x, y) = (x[i], y[i]);
                        assert_eq!(got[i * VALUES + k], want[k], "{} of {x:?}, {y:?}, {i}", NAMES[k]);
                    }
                }
            });
        }
    };
}

mod integers {
    use super::*;

    /// The limits of the type, numbers beside them and beside zero, and others of all sizes.
    fn inputs<T: Int>(seed: u64) -> Vec<T> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let near = [
            T::LOWEST,
            T::HIGHEST,
            T::ZERO,
            T::ONE,
            T::LOWEST.wrapping_add(T::ONE),
            T::ZERO.wrapping_sub(T::ONE),
        ];
        let other = |i: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if state >> 62 == 0 {
                near[(state >> 40) as usize % near.len()]
            } else {
                (state >> (i % 60)).cast::<T>()
            }
        };
        (0..INPUTS).map(other).collect()
    }

    each_type! { Int: i8 of_i8 i16 of_i16 i32 of_i32 i64 of_i64 isize of_isize u8 of_u8 u16 of_u16 u32 of_u32 u64 of_u64 usize of_usize;
        [x, y, n] [
        T::BITS;
        x.min(y);
        x.max(y);
        x.clamp(y.min(T::ONE), y.max(T::ONE));
        x.cmp(&y).is_lt() as u32;
        (x & (T::ONE + T::ONE | T::ONE)).pow(n % 4);
        x.wrapping_pow(n);
        x.saturating_pow(n % 16);
        x.overflowing_pow(n % 16).0;
        x.overflowing_pow(n % 16).1 as u32;
        x.checked_pow(n % 16).unwrap_or(T::ZERO);
        x.count_ones();
        x.count_zeros();
        x.leading_zeros();
        x.trailing_zeros();
        x.leading_ones();
        x.trailing_ones();
        x.rotate_left(n);
        x.rotate_right(n);
        x.swap_bytes();
        x.reverse_bits();
        x.to_be();
        x.to_le();
        x.wrapping_add(y);
        x.wrapping_sub(y);
        x.wrapping_mul(y);
        x.wrapping_neg();
        x.wrapping_div(y | T::ONE);
        x.wrapping_rem(y | T::ONE);
        x.wrapping_div_euclid(y | T::ONE);
        x.wrapping_rem_euclid(y | T::ONE);
        x.wrapping_shl(n);
        x.wrapping_shr(n);
        x.saturating_add(y);
        x.saturating_sub(y);
        x.saturating_mul(y);
        x.saturating_div(y | T::ONE);
        x.overflowing_add(y).0;
        x.overflowing_add(y).1 as u32;
        x.overflowing_sub(y).1 as u32;
        x.overflowing_mul(y).0;
        x.overflowing_mul(y).1 as u32;
        x.overflowing_div(y | T::ONE).0;
        x.overflowing_rem(y | T::ONE).1 as u32;
        x.overflowing_neg().0;
        x.overflowing_neg().1 as u32;
        x.overflowing_shl(n).0;
        x.overflowing_shr(n).1 as u32;
        x.checked_add(y).unwrap_or(T::ONE);
        x.checked_sub(y).unwrap_or(T::ONE);
        x.checked_mul(y).unwrap_or(T::ONE);
        x.checked_div(y).unwrap_or(T::ONE);
        x.checked_rem(y).unwrap_or(T::ONE);
        x.checked_neg().unwrap_or(T::ONE);
        x.checked_div_euclid(y).unwrap_or(T::ONE);
        x.checked_rem_euclid(y).unwrap_or(T::ONE);
        x.checked_shl(n).unwrap_or(T::ONE);
        x.checked_shr(n).unwrap_or(T::ONE);
        x.checked_ilog2().unwrap_or(99);
        x.checked_ilog10().unwrap_or(99);
        x.unbounded_shl(n);
        x.unbounded_shr(n);
        x.midpoint(y);
        x.max(T::ZERO).isqrt();
        x.abs_diff(y);
        x.abs_diff(y).count_ones();
        x.rem_euclid((y | T::ONE).max(T::ONE));
        x.div_euclid((y | T::ONE).max(T::ONE));
        x.max(T::ONE).ilog2();
        x.max(T::ONE).ilog10();
        x.max(T::ONE).ilog(y.max(T::ONE + T::ONE));
        ]
    }
}

mod floats {
    use super::*;

    /// Both zeros, infinities and NaNs, and numbers of all sizes.
    fn inputs<T: Float>(seed: u64) -> Vec<T> {
        let near = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN, 1.0, -1.5];
        let other = |i: usize| {
            let number = near[(i * seed as usize * 5 + i / 8) % near.len()];
            if i % 3 == 0 { number.cast::<T>() } else { (number * (i as f64 - 31.5)).cast::<T>() }
        };
        (0..INPUTS).map(other).collect()
    }

    each_type! { Float: f16 of_f16 bf16 of_bf16 f32 of_f32 f64 of_f64;
        [x, y, n] [
        x.total_cmp(&y).is_lt() as u32;
        x.total_cmp(&y).is_le() as u32;
        x.total_cmp(&x).is_eq() as u32;
        x.partial_cmp(&y).is_none() as u32;
        x.to_bits();
        x.to_bits().count_ones().wrapping_add(n);
        T::from_bits(x.to_bits()).to_bits();
        if x.abs() >= T::ZERO { x.abs().to_bits() } else { T::ONE.to_bits() };
        ]
    }
}

/// The names of the methods that a trait declares in a source of the library.
fn declared(source: &'static str, name: &str) -> Vec<&'static str> {
    let (_, body) = source.split_once(&format!("pub trait {name}:")).expect("the trait");
    let (body, _) = body.split_once("\n    }\n").expect("its end");
    body.lines()
        .filter_map(|line| line.trim().strip_prefix("fn ")?.split_once('('))
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn every_method_of_integers_is_called_in_generic_code() {
    let methods = declared(include_str!("../../runtime/lang/src/device_api/methods/int.rs"), "IntMethods");
    assert!(methods.len() > 60);
    let own = include_str!("generic_numbers.rs");
    for name in methods {
        assert!(own.contains(&format!(".{name}(")), "`{name}` is not called on `T: Int`");
    }
}

#[test]
fn every_method_of_floats_is_one_of_generic_code() {
    let methods =
        declared(include_str!("../../runtime/lang/src/device_api/methods/float.rs"), "FloatMethods");
    assert!(methods.len() > 50);
    let float = include_str!("../../runtime/lang/src/device_api/number/mod.rs");
    for name in methods {
        assert!(float.contains(&format!("{name}(")), "`{name}` is no method of `Float`");
    }
}
