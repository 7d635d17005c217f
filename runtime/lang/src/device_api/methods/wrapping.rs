//! Operators of `std::num::Wrapping`, written in the kernel language.

use core::num::Wrapping;

use warpsmith_macros::gpu_fn;

use super::order::partial_order;
use super::ordered::{clamped, larger, smaller};
use crate::device_api::number::Int;
use crate::types::equality::OfItems;
use crate::types::operators::{self, Native, UserType};

macro_rules! functions {
    ($($name:ident, $assign:ident($a:ident, $b:ident: $right:ty) $value:expr;)+) => {
        $(
            /// The function behind an operator.
            #[doc(hidden)]
            #[gpu_fn]
            #[allow(dead_code, reason = "its emitter is called")]
            pub fn $name<T: Int>($a: Wrapping<T>, $b: $right) -> Wrapping<T> {
                Wrapping($value)
            }
        )+
        functions! { @assign $($assign($a, $b: $right) $value;)+ }
    };
    (@assign $($name:ident($a:ident, $b:ident: $right:ty) $body:expr;)+) => {$(
        /// The function behind an assigning operator.
        #[doc(hidden)]
        #[gpu_fn]
        #[allow(dead_code, reason = "its emitter is called")]
        pub fn $name<T: Int>($a: &mut Wrapping<T>, $b: $right) {
            $a.0 = $body;
        }
    )+};
    (@unary $($name:ident($a:ident) $body:expr;)+) => {$(
        /// The function behind an operator.
        #[doc(hidden)]
        #[gpu_fn]
        #[allow(dead_code, reason = "its emitter is called")]
        pub fn $name<T: Int>($a: Wrapping<T>) -> Wrapping<T> {
            Wrapping($body)
        }
    )+};
}

functions! {
    sum, add_to(a, b: Wrapping<T>) a.0.wrapping_add(b.0);
    difference, subtract_from(a, b: Wrapping<T>) a.0.wrapping_sub(b.0);
    product, multiply(a, b: Wrapping<T>) a.0.wrapping_mul(b.0);
    quotient, divide(a, b: Wrapping<T>) a.0.wrapping_div(b.0);
    remainder, reduce(a, b: Wrapping<T>) a.0.wrapping_rem(b.0);
    common, keep_common(a, b: Wrapping<T>) a.0 & b.0;
    either, set_either(a, b: Wrapping<T>) a.0 | b.0;
    differing, set_differing(a, b: Wrapping<T>) a.0 ^ b.0;
    left, shift_left(a, n: usize) a.0.wrapping_shl(n as u32);
    right, shift_right(a, n: usize) a.0.wrapping_shr(n as u32);
}

functions! { @assign
    add_number_to(a, b: T) a.0.wrapping_add(b);
    subtract_number_from(a, b: T) a.0.wrapping_sub(b);
    multiply_by_number(a, b: T) a.0.wrapping_mul(b);
}

functions! { @unary
    negative(a) a.0.wrapping_neg();
    inverted(a) !a.0;
}

impl<T> UserType for Wrapping<T> {}

macro_rules! operators {
    ($($t:ty)+) => {$(
        operators! { @each $t, Wrapping<$t>:
            Add sum, Sub difference, Mul product, Div quotient, Rem remainder, BitAnd common, BitOr either, BitXor differing,
            AddAssign add_to, SubAssign subtract_from, MulAssign multiply, DivAssign divide, RemAssign reduce,
            BitAndAssign keep_common, BitOrAssign set_either, BitXorAssign set_differing
        }
        operators! { @each $t, $t:
            AddAssign add_number_to, SubAssign subtract_number_from, MulAssign multiply_by_number
        }
        operators! { @each $t, usize: Shl left, Shr right, ShlAssign shift_left, ShrAssign shift_right }

        impl operators::Neg for Wrapping<$t> {
            type Marker = negative<$t>;
        }

        impl operators::Not for Wrapping<$t> {
            type Marker = inverted<$t>;
        }

        impl operators::PartialEq for Wrapping<$t> {
            type Marker = OfItems<(Native,)>;
        }

        impl operators::PartialOrd for Wrapping<$t> {
            type Compared = partial_order<Wrapping<$t>>;
        }

        impl operators::Ord for Wrapping<$t> {
            type Larger = larger<Wrapping<$t>>;
            type Smaller = smaller<Wrapping<$t>>;
            type Clamped = clamped<Wrapping<$t>>;
        }
    )+};
    (@each $t:ty, $right:ty: $($name:ident $function:ident),+) => {$(
        impl operators::$name<$right> for Wrapping<$t> {
            type Marker = $function<$t>;
        }
    )+};
}

operators! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
