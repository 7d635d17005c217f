//! Conversions between floats and integers, and to narrower floats, rounded in a stated direction.
//!
//! For the conversions that are missing here, use Rust's `as`: towards zero from a float to an integer, to nearest from an
//! integer to a float and from `f64` to `f32`. The simulator's results have the same bits as a GPU's.

use super::rounding::exact::{Exact, Rounding};
use super::text::fixed;
use crate::ir::Facts;

/// Float to integer, saturated; a NaN as PTX has it.
macro_rules! to_integers {
    ($($name:ident: $from:ident => $to:ident, $round:ident, $says:literal, $cuda:literal, nan: $nan:expr;)+) => {
        builtin! { in to_integers; $(
            #[doc = concat!("`", stringify!($from), "` to `", stringify!($to), "`, rounded ", $says, ".\n\n",
                "Values beyond the type's ends become its ends; NaN becomes `", stringify!($nan), "`.\n\n",
                "Source: CUDA Math API, `", $cuda, "`; PTX ISA, `cvt`.")]
            pub fn $name(x: $from) -> $to { cuda: fixed(concat!($cuda, "({0})")), facts: Facts::CONVERTS } {
                if x.is_nan() { $nan } else { x.$round() as $to }
            }
        )+ }
    };
}

to_integers! {
    f32_to_i32_rn: f32 => i32, round_ties_even, "to the nearest, to even between two", "__float2int_rn", nan: 0;
    f32_to_i32_ru: f32 => i32, ceil, "towards +∞", "__float2int_ru", nan: 0;
    f32_to_i32_rd: f32 => i32, floor, "towards -∞", "__float2int_rd", nan: 0;
    f32_to_u32_rn: f32 => u32, round_ties_even, "to the nearest, to even between two", "__float2uint_rn", nan: 0;
    f32_to_u32_ru: f32 => u32, ceil, "towards +∞", "__float2uint_ru", nan: 0;
    f32_to_u32_rd: f32 => u32, floor, "towards -∞", "__float2uint_rd", nan: 0;
    f32_to_i64_rn: f32 => i64, round_ties_even, "to the nearest, to even between two", "__float2ll_rn", nan: i64::MIN;
    f32_to_i64_ru: f32 => i64, ceil, "towards +∞", "__float2ll_ru", nan: i64::MIN;
    f32_to_i64_rd: f32 => i64, floor, "towards -∞", "__float2ll_rd", nan: i64::MIN;
    f32_to_u64_rn: f32 => u64, round_ties_even, "to the nearest, to even between two", "__float2ull_rn", nan: 1 << 63;
    f32_to_u64_ru: f32 => u64, ceil, "towards +∞", "__float2ull_ru", nan: 1 << 63;
    f32_to_u64_rd: f32 => u64, floor, "towards -∞", "__float2ull_rd", nan: 1 << 63;
    f64_to_i32_rn: f64 => i32, round_ties_even, "to the nearest, to even between two", "__double2int_rn", nan: i32::MIN;
    f64_to_i32_ru: f64 => i32, ceil, "towards +∞", "__double2int_ru", nan: i32::MIN;
    f64_to_i32_rd: f64 => i32, floor, "towards -∞", "__double2int_rd", nan: i32::MIN;
    f64_to_u32_rn: f64 => u32, round_ties_even, "to the nearest, to even between two", "__double2uint_rn", nan: 1 << 31;
    f64_to_u32_ru: f64 => u32, ceil, "towards +∞", "__double2uint_ru", nan: 1 << 31;
    f64_to_u32_rd: f64 => u32, floor, "towards -∞", "__double2uint_rd", nan: 1 << 31;
    f64_to_i64_rn: f64 => i64, round_ties_even, "to the nearest, to even between two", "__double2ll_rn", nan: i64::MIN;
    f64_to_i64_ru: f64 => i64, ceil, "towards +∞", "__double2ll_ru", nan: i64::MIN;
    f64_to_i64_rd: f64 => i64, floor, "towards -∞", "__double2ll_rd", nan: i64::MIN;
    f64_to_u64_rn: f64 => u64, round_ties_even, "to the nearest, to even between two", "__double2ull_rn", nan: 1 << 63;
    f64_to_u64_ru: f64 => u64, ceil, "towards +∞", "__double2ull_ru", nan: 1 << 63;
    f64_to_u64_rd: f64 => u64, floor, "towards -∞", "__double2ull_rd", nan: 1 << 63;
}

/// To a float, rounded once.
macro_rules! to_floats {
    ($($name:ident: $from:ident => $to:ident, $mode:ident, $says:literal, $cuda:literal;)+) => {
        builtin! { in to_floats; $(
            #[doc = concat!("`", stringify!($from), "` to `", stringify!($to), "`, rounded ", $says, ".\n\n",
                "Source: CUDA Math API, `", $cuda, "`.")]
            pub fn $name(x: $from) -> $to { cuda: fixed(concat!($cuda, "({0})")), facts: Facts::CONVERTS } {
                Exact::of_integer(x.into()).round(Rounding::$mode)
            }
        )+ }
    };
}

to_floats! {
    i32_to_f32_rz: i32 => f32, Zero, "towards zero", "__int2float_rz";
    i32_to_f32_ru: i32 => f32, Up, "towards +∞", "__int2float_ru";
    i32_to_f32_rd: i32 => f32, Down, "towards -∞", "__int2float_rd";
    u32_to_f32_rz: u32 => f32, Zero, "towards zero", "__uint2float_rz";
    u32_to_f32_ru: u32 => f32, Up, "towards +∞", "__uint2float_ru";
    u32_to_f32_rd: u32 => f32, Down, "towards -∞", "__uint2float_rd";
    i64_to_f32_rz: i64 => f32, Zero, "towards zero", "__ll2float_rz";
    i64_to_f32_ru: i64 => f32, Up, "towards +∞", "__ll2float_ru";
    i64_to_f32_rd: i64 => f32, Down, "towards -∞", "__ll2float_rd";
    u64_to_f32_rz: u64 => f32, Zero, "towards zero", "__ull2float_rz";
    u64_to_f32_ru: u64 => f32, Up, "towards +∞", "__ull2float_ru";
    u64_to_f32_rd: u64 => f32, Down, "towards -∞", "__ull2float_rd";
    i64_to_f64_rz: i64 => f64, Zero, "towards zero", "__ll2double_rz";
    i64_to_f64_ru: i64 => f64, Up, "towards +∞", "__ll2double_ru";
    i64_to_f64_rd: i64 => f64, Down, "towards -∞", "__ll2double_rd";
    u64_to_f64_rz: u64 => f64, Zero, "towards zero", "__ull2double_rz";
    u64_to_f64_ru: u64 => f64, Up, "towards +∞", "__ull2double_ru";
    u64_to_f64_rd: u64 => f64, Down, "towards -∞", "__ull2double_rd";
}

builtin! {
    /// `f64` to `f32`, rounded towards zero; infinities and NaN stay.
    ///
    /// Source: CUDA Math API, `__double2float_rz`.
    pub fn f64_to_f32_rz(x: f64) -> f32 { cuda: fixed("__double2float_rz({0})"), facts: Facts::CONVERTS } {
        if x.is_finite() { Exact::of(x).round(Rounding::Zero) } else { x as f32 }
    }

    /// `f64` to `f32`, rounded towards +∞; infinities and NaN stay.
    ///
    /// Source: CUDA Math API, `__double2float_ru`.
    pub fn f64_to_f32_ru(x: f64) -> f32 { cuda: fixed("__double2float_ru({0})"), facts: Facts::CONVERTS } {
        if x.is_finite() { Exact::of(x).round(Rounding::Up) } else { x as f32 }
    }

    /// `f64` to `f32`, rounded towards -∞; infinities and NaN stay.
    ///
    /// Source: CUDA Math API, `__double2float_rd`.
    pub fn f64_to_f32_rd(x: f64) -> f32 { cuda: fixed("__double2float_rd({0})"), facts: Facts::CONVERTS } {
        if x.is_finite() { Exact::of(x).round(Rounding::Down) } else { x as f32 }
    }
}
