//! The operators and conversions that the IR has itself, by the types of their operands.

use super::*;

macro_rules! native {
    ($($t:ty: $($name:ident)+;)+) => {$($(
        impl $name for $t {
            type Marker = Native;
        }
        impl $name<&$t> for $t {
            type Marker = Native;
        }
        impl<'a> $name<$t> for &'a $t {
            type Marker = Native;
        }
        impl<'a, 'b> $name<&'a $t> for &'b $t {
            type Marker = Native;
        }
    )+)+};
    (@assign $($t:ty: $($name:ident)+;)+) => {$($(
        impl $name for $t {
            type Marker = Native;
        }
        impl $name<&$t> for $t {
            type Marker = Native;
        }
    )+)+};
    (@unary $($t:ty: $name:ident;)+) => {$(
        impl $name for $t {
            type Marker = Native;
        }
        impl<'a> $name for &'a $t {
            type Marker = Native;
        }
    )+};
    (@equal $($t:ty)+) => {$(
        impl PartialEq for $t {
            type Marker = Native;
        }
        impl Default for $t {
            type Marker = ZeroMarker<$t>;
        }
    )+};
    (@shift $($t:ty)+) => {$(
        native! { @shift $t; i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
    )+};
    (@shift $t:ty; $($n:ty)+) => {$(
        impl Shl<$n> for $t {
            type Marker = Native;
        }
        impl Shr<$n> for $t {
            type Marker = Native;
        }
        impl ShlAssign<$n> for $t {
            type Marker = Native;
        }
        impl ShrAssign<$n> for $t {
            type Marker = Native;
        }
    )+};
    (@from $($to:ty: $($from:ty)+;)+) => {$($(
        impl From<$from> for $to {
            type Marker = CastMarker;
        }
    )+)+};
}

macro_rules! integers {
    ($($t:ty)+) => {
        native! { $($t: Add Sub Mul Div Rem BitAnd BitOr BitXor;)+ }
        native! { @assign $($t: AddAssign SubAssign MulAssign DivAssign RemAssign BitAndAssign BitOrAssign BitXorAssign;)+ }
        native! { @unary $($t: Not;)+ }
        native! { @equal $($t)+ }
        native! { @shift $($t)+ }
    };
}

integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
native! { @unary i8: Neg; i16: Neg; i32: Neg; i64: Neg; isize: Neg; f32: Neg; f64: Neg; bool: Not; }
native! { f32: Add Sub Mul Div Rem; f64: Add Sub Mul Div Rem; bool: BitAnd BitOr BitXor; }
native! { crate::half::f16: Add Sub Mul Div Rem; crate::half::bf16: Add Sub Mul Div Rem; }
native! { @assign f32: AddAssign SubAssign MulAssign DivAssign RemAssign; f64: AddAssign SubAssign MulAssign DivAssign RemAssign; bool: BitAndAssign BitOrAssign BitXorAssign; }
native! { @assign crate::half::f16: AddAssign SubAssign MulAssign DivAssign RemAssign; crate::half::bf16: AddAssign SubAssign MulAssign DivAssign RemAssign; }
native! { @unary crate::half::f16: Neg; crate::half::bf16: Neg; }
native! { @equal f32 f64 bool crate::half::f16 crate::half::bf16 }
native! { @from
    i16: i8 u8 bool; i32: i8 u8 i16 u16 bool; i64: i8 u8 i16 u16 i32 u32 bool; isize: i8 u8 i16 bool;
    u16: u8 bool; u32: u8 u16 bool; u64: u8 u16 u32 bool; usize: u8 u16 bool; i8: bool; u8: bool;
    f32: i8 u8 i16 u16; f64: i8 u8 i16 u16 i32 u32 f32;
    f32: f32; f64: f64; i32: i32; u32: u32; i64: i64; u64: u64; usize: usize; u8: u8; i8: i8; u16: u16; i16: i16;
}
