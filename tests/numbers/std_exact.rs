//! The exactly defined methods of `f32` and `f64`, bit for bit Rust's.

use super::battery::battery;

macro_rules! floats {
    ($module:ident, $values:ident, $flags:ident, $t:ident, $bits:ident) => {
        battery! { $values(x: $t, y: $t, z: $t) -> $t {
            { x + y } = { x + y }, exact();
            { x * y - z } = { x * y - z }, exact();
            { x / y } = { x / y }, exact();
            { x % y } = { x % y }, exact();
            { x.mul_add(y, z) } = { x.mul_add(y, z) }, exact();
            { x.sqrt() } = { x.sqrt() }, exact();
            { x.recip() } = { x.recip() }, exact();
            { x.abs() } = { x.abs() }, exact();
            { x.signum() } = { x.signum() }, exact();
            { x.copysign(y) } = { x.copysign(y) }, exact();
            { x.floor() } = { x.floor() }, exact();
            { x.ceil() } = { x.ceil() }, exact();
            { x.round() } = { x.round() }, exact();
            { x.round_ties_even() } = { x.round_ties_even() }, exact();
            { x.trunc() } = { x.trunc() }, exact();
            { x.fract() } = { x.fract() }, exact();
            { x.min(y) } = { x.min(y) }, equal();
            { x.max(y) } = { x.max(y) }, equal();
            { if y <= z { x.clamp(y, z) } else { x } } = { if y <= z { x.clamp(y, z) } else { x } }, exact();
            { x.rem_euclid(y) } = { x.rem_euclid(y) }, exact();
            { x.div_euclid(y) } = { x.div_euclid(y) }, exact();
            { x.midpoint(y) } = { x.midpoint(y) }, exact();
            { x.next_up() } = { x.next_up() }, exact();
            { x.next_down() } = { x.next_down() }, exact();
            { x.to_degrees() } = { x.to_degrees() }, exact();
            { x.to_radians() } = { x.to_radians() }, exact();
            { x.powi(3) } = { x.powi(3) }, exact();
            { x.powi(-2) } = { x.powi(-2) }, exact();
            { x.powi(0) } = { 1.0 }, exact();
            { $t::from_bits(x.to_bits()) } = { x }, exact();
        } }

        battery! { $flags(x: $t) -> u32 {
            { x.is_nan() as u32 } = { x.is_nan() as u32 }, exact();
            { x.is_infinite() as u32 } = { x.is_infinite() as u32 }, exact();
            { x.is_finite() as u32 } = { x.is_finite() as u32 }, exact();
            { x.is_normal() as u32 } = { x.is_normal() as u32 }, exact();
            { x.is_subnormal() as u32 } = { x.is_subnormal() as u32 }, exact();
            { if x.is_nan() { 0 } else { x.is_sign_negative() as u32 } } = { if x.is_nan() { 0 } else { x.is_sign_negative() as u32 } }, exact();
            { if x.is_nan() { 0 } else { x.is_sign_positive() as u32 } } = { if x.is_nan() { 0 } else { x.is_sign_positive() as u32 } }, exact();
        } }

        mod $module {
            use warpsmith::prelude::*;

            #[gpu_kernel]
            fn powers(x: &[$t], n: &[i32], out: &mut [$t]) {
                let i = global_id();
                if i < x.len() && i < n.len() && i < out.len() {
                    out[i] = x[i].powi(n[i]);
                }
            }

            #[test]
            fn integer_powers_are_rusts() {
                let rows: Vec<($t, i32)> = [0.0, -0.0, 1.0, -1.0, 1.5, -2.0, 0.3, $t::INFINITY, $t::NEG_INFINITY, $t::NAN, $t::MAX]
                    .into_iter()
                    .flat_map(|x| [0, 1, -1, 2, 7, -7, 1000, i32::MAX, i32::MIN, i32::MIN + 1].map(|n| (x, n)))
                    .collect();
                let (x, n): (Vec<$t>, Vec<i32>) = rows.iter().copied().unzip();
                for device in crate::battery::devices() {
                    let (x, n) = (device.upload(&x).expect("memory"), device.upload(&n).expect("memory"));
                    let mut out = device.alloc_zeroed::<$t>(rows.len()).expect("memory");
                    powers(&x, &n, &mut out).over(rows.len()).launch(&device).expect("the kernel runs");
                    for ((x, n), got) in rows.iter().zip(device.download(&out).expect("memory")) {
                        let want = std::hint::black_box(*x).powi(std::hint::black_box(*n));
                        let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
                        assert!(same, "{x:?} to the {n} is {got:?} instead of {want:?} on {}", device.name());
                    }
                }
            }
        }
    };
}

floats!(f32_powers, f32_values, f32_flags, f32, u32);
floats!(f64_powers, f64_values, f64_flags, f64, u64);
