//! Arithmetic rounded in a stated direction, of `f32` and `f64`; the simulator's is bit for bit the GPU's.
//!
//! The suffix is the rounding mode: `rn` to nearest, ties to even, `rz` towards zero, `ru` towards +∞,
//! `rd` towards -∞. These operations are never contracted, so `add_rn(mul_rn(a, b), c)` rounds twice where
//! `a * b + c` may be fused. A result beyond the largest value is that value or infinity, as the direction
//! says; an exact zero difference is -0 in `rd` and +0 otherwise.

pub(super) mod exact;

use super::math::MathFloat;
use super::text::{either, fixed};
use crate::ir::{Cost, Facts};
use exact::Rounding;

/// Operations in four directions each.
macro_rules! directed {
    ($($doc:literal, $cost:ident, $exact:ident $args:tt, $rows:tt)+) => {
        $(directed! { @one $doc, $cost, $exact $args, $rows })+
    };
    (@one $doc:literal, $cost:ident, $exact:ident($a:ident), [
        $($name:ident: $mode:ident, $says:literal, $f32_text:literal, $f64_text:literal;)+
    ]) => {
        builtin! { in $exact; $(
            #[doc = concat!($doc, ", rounded ", $says, ".\n\nExact but for that rounding.\n\nSource: CUDA Math API, `",
                $f32_text, "`, `", $f64_text, "`.")]
            pub fn $name<T: MathFloat>($a: T) -> T {
                cuda: either(concat!($f32_text, "({0})"), concat!($f64_text, "({0})")),
                facts: Facts::costs(Cost::$cost)
            } {
                exact::$exact($a, Rounding::$mode)
            }
        )+ }
    };
    (@one $doc:literal, $cost:ident, $exact:ident($a:ident, $b:ident), [
        $($name:ident: $mode:ident, $says:literal, $f32_text:literal, $f64_text:literal;)+
    ]) => {
        builtin! { in $exact; $(
            #[doc = concat!($doc, ", rounded ", $says, ".\n\nExact but for that rounding.\n\nSource: CUDA Math API, `",
                $f32_text, "`, `", $f64_text, "`.")]
            pub fn $name<T: MathFloat>($a: T, $b: T) -> T {
                cuda: either(concat!($f32_text, "({0}, {1})"), concat!($f64_text, "({0}, {1})")),
                facts: Facts::costs(Cost::$cost)
            } {
                exact::$exact($a, $b, Rounding::$mode)
            }
        )+ }
    };
    (@one $doc:literal, $cost:ident, $exact:ident($a:ident, $b:ident, $c:ident), [
        $($name:ident: $mode:ident, $says:literal, $f32_text:literal, $f64_text:literal;)+
    ]) => {
        builtin! { in $exact; $(
            #[doc = concat!($doc, ", rounded ", $says, ".\n\nExact but for that rounding.\n\nSource: CUDA Math API, `",
                $f32_text, "`, `", $f64_text, "`.")]
            pub fn $name<T: MathFloat>($a: T, $b: T, $c: T) -> T {
                cuda: either(concat!($f32_text, "({0}, {1}, {2})"), concat!($f64_text, "({0}, {1}, {2})")),
                facts: Facts::costs(Cost::$cost)
            } {
                exact::$exact($a, $b, $c, Rounding::$mode)
            }
        )+ }
    };
}

directed! {
    "`a + b`", Adds, add(a, b), [
        add_rn: Nearest, "to the nearest", "__fadd_rn", "__dadd_rn";
        add_rz: Zero, "towards zero", "__fadd_rz", "__dadd_rz";
        add_ru: Up, "towards +∞", "__fadd_ru", "__dadd_ru";
        add_rd: Down, "towards -∞", "__fadd_rd", "__dadd_rd";
    ]
    "`a - b`", Adds, sub(a, b), [
        sub_rn: Nearest, "to the nearest", "__fsub_rn", "__dsub_rn";
        sub_rz: Zero, "towards zero", "__fsub_rz", "__dsub_rz";
        sub_ru: Up, "towards +∞", "__fsub_ru", "__dsub_ru";
        sub_rd: Down, "towards -∞", "__fsub_rd", "__dsub_rd";
    ]
    "`a · b`", Multiplies, mul(a, b), [
        mul_rn: Nearest, "to the nearest", "__fmul_rn", "__dmul_rn";
        mul_rz: Zero, "towards zero", "__fmul_rz", "__dmul_rz";
        mul_ru: Up, "towards +∞", "__fmul_ru", "__dmul_ru";
        mul_rd: Down, "towards -∞", "__fmul_rd", "__dmul_rd";
    ]
    "`a · b + c`", Fuses, fma(a, b, c), [
        fma_rn: Nearest, "to the nearest", "__fmaf_rn", "__fma_rn";
        fma_rz: Zero, "towards zero", "__fmaf_rz", "__fma_rz";
        fma_ru: Up, "towards +∞", "__fmaf_ru", "__fma_ru";
        fma_rd: Down, "towards -∞", "__fmaf_rd", "__fma_rd";
    ]
    "`a / b`", Special, div(a, b), [
        div_rn: Nearest, "to the nearest", "__fdiv_rn", "__ddiv_rn";
        div_rz: Zero, "towards zero", "__fdiv_rz", "__ddiv_rz";
        div_ru: Up, "towards +∞", "__fdiv_ru", "__ddiv_ru";
        div_rd: Down, "towards -∞", "__fdiv_rd", "__ddiv_rd";
    ]
    "`1 / x`", Special, rcp(x), [
        rcp_rn: Nearest, "to the nearest", "__frcp_rn", "__drcp_rn";
        rcp_rz: Zero, "towards zero", "__frcp_rz", "__drcp_rz";
        rcp_ru: Up, "towards +∞", "__frcp_ru", "__drcp_ru";
        rcp_rd: Down, "towards -∞", "__frcp_rd", "__drcp_rd";
    ]
    "`sqrt(x)`", Special, sqrt(x), [
        sqrt_rn: Nearest, "to the nearest", "__fsqrt_rn", "__dsqrt_rn";
        sqrt_rz: Zero, "towards zero", "__fsqrt_rz", "__dsqrt_rz";
        sqrt_ru: Up, "towards +∞", "__fsqrt_ru", "__dsqrt_ru";
        sqrt_rd: Down, "towards -∞", "__fsqrt_rd", "__dsqrt_rd";
    ]
}

builtin! {
    /// `1 / sqrt(x)`, rounded to nearest: [`rsqrt`](super::math::rsqrt) without its error.
    ///
    /// Source: CUDA Math API, `__frsqrt_rn`.
    pub fn rsqrt_rn(x: f32) -> f32 { cuda: fixed("__frsqrt_rn({0})") } {
        exact::rsqrt(x)
    }
}

#[cfg(test)]
mod tests;
