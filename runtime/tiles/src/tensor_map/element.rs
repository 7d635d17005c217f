//! Elements of tensors, and the operations of the copy engine on them.

use crate::boxes::BoxElement;
use crate::half::{bf16, f16};
use crate::types::AnyBits;

/// Elements of tensors that the copy engine copies: numbers, of 1 to 8 bytes.
#[diagnostic::on_unimplemented(
    message = "the copy engine does not copy a tensor of `{Self}`",
    label = "no element of a tensor",
    note = "elements of tensors are i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, F8E4M3 and F8E5M2"
)]
pub trait MappedElement: AnyBits + 'static {
    /// The type's name in the copy engine.
    const ELEMENT: BoxElement;
}

/// Elements that the copy engine adds: `i32 u32 u64 f16 bf16 f32`.
///
/// Source: PTX ISA, `cp.reduce.async.bulk`.
#[diagnostic::on_unimplemented(
    message = "the copy engine does not add a `{Self}`",
    label = "no element that it adds",
    note = "it adds i32, u32, u64, f16, bf16 and f32"
)]
pub trait ReducedSum: MappedElement {
    /// The sum.
    #[doc(hidden)]
    fn sum(self, other: Self) -> Self;
}

/// Elements that the copy engine compares, for minima and maxima: `i32 u32 i64 u64 f16 bf16`.
///
/// Source: PTX ISA, `cp.reduce.async.bulk`.
#[diagnostic::on_unimplemented(
    message = "the copy engine does not compare a `{Self}`",
    label = "no element that it compares",
    note = "it gives the least and the greatest of i32, u32, i64, u64, f16 and bf16"
)]
pub trait ReducedOrder: MappedElement {
    /// The least of the two.
    #[doc(hidden)]
    fn least(self, other: Self) -> Self;
    /// The greatest of the two.
    #[doc(hidden)]
    fn greatest(self, other: Self) -> Self;
}

/// Elements whose bits the copy engine combines: `i32 u32 i64 u64`.
///
/// Source: PTX ISA, `cp.reduce.async.bulk`.
#[diagnostic::on_unimplemented(
    message = "the copy engine does not combine the bits of a `{Self}`",
    label = "no element whose bits it combines",
    note = "it combines bits of i32, u32 and u64"
)]
pub trait ReducedBits:
    MappedElement
    + core::ops::BitAnd<Output = Self>
    + core::ops::BitOr<Output = Self>
    + core::ops::BitXor<Output = Self>
{
}

macro_rules! elements {
    ($($t:ty => $element:ident $(: $($can:ident)+)?;)+) => {$(
        impl MappedElement for $t {
            const ELEMENT: BoxElement = BoxElement::$element;
        }
        $($(elements! { @ $can $t })+)?
    )+};
    (@ wraps $t:ty) => {
        impl ReducedSum for $t {
            fn sum(self, other: Self) -> Self { self.wrapping_add(other) }
        }
    };
    (@ adds $t:ty) => {
        impl ReducedSum for $t {
            fn sum(self, other: Self) -> Self { self + other }
        }
    };
    (@ orders $t:ty) => {
        impl ReducedOrder for $t {
            fn least(self, other: Self) -> Self { self.min(other) }
            fn greatest(self, other: Self) -> Self { self.max(other) }
        }
    };
    (@ rounds $t:ty) => {
        impl ReducedOrder for $t {
            fn least(self, other: Self) -> Self {
                Self::from_f32(self.to_f32().min(other.to_f32()))
            }
            fn greatest(self, other: Self) -> Self {
                Self::from_f32(self.to_f32().max(other.to_f32()))
            }
        }
    };
    (@ combines $t:ty) => {
        impl ReducedBits for $t {}
    };
}

elements! {
    u8 => U8;
    i8 => U8;
    crate::eighth::F8E4M3 => U8;
    crate::eighth::F8E5M2 => U8;
    u16 => U16;
    i16 => U16;
    u32 => U32: wraps orders combines;
    i32 => I32: wraps orders combines;
    u64 => U64: wraps orders combines;
    i64 => I64: orders;
    f16 => F16: adds rounds;
    bf16 => BF16: adds rounds;
    f32 => F32: adds;
    f64 => F64;
}
