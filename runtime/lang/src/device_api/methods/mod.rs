//! The device side of std methods: `x.sqrt()`, `n.count_ones()`, `f32::from_bits(b)`, `x.len()`.
//!
//! The twin calls the methods of Rust's library themselves; each line here gives the CUDA text of one. The hidden traits
//! tell a witness which type a call is on.

// A hidden method has the receiver of the method that it stands for.
#![allow(clippy::wrong_self_convention)]

mod arrays;
mod ascii;
mod bytes;
mod compared;
mod converted;
mod ends;
mod float;
mod float_prelude;
mod gotten;
mod half;
mod int;
mod int_prelude;
mod lacking;
mod len;
mod missing;
mod option;
pub(crate) mod order;
pub(crate) mod ordered;
mod ordered_slices;
mod pointers;
mod prelude;
mod range;
mod searched;
mod slices;
mod text;
mod vector;
mod walked;
mod wrapping;

pub use arrays::ArrayMap;
pub use ascii::AsciiMethods;
pub use bytes::{ByteArray, ByteMethods};
pub use ends::{EndMethods, SortedMethods};
pub use float::{FloatBits, FloatMethods, UncheckedMethods};
pub use gotten::{GetPartMethods, GetPartMutMethods};
pub use half::HalfMethods;
pub use int::{IntMethods, Signed, SignedMethods, Unsigned, UnsignedMethods};
pub use len::{ArrayLen, ViewOffset};
pub use missing::{len::Missing as _, map::Missing as _, take::Missing as _};
pub use option::{BoolMethods, NestedOptionMethods, OptionMethods, OptionRefMethods, ResultMethods};
pub use order::{CmpMethods, OrderingMethods, PartialCmpMethods, TotalMethods};
pub use ordered::OrderedMethods;
pub use ordered_slices::SliceOrder;
pub use pointers::PointerMethods;
pub use range::{InclusiveMethods, RangeMethods};
pub use searched::{SearchArrays, SearchMethods};
pub use slices::{SliceMethods, SliceMutMethods};
pub use text::{TextArrays, TextMethods};
pub use vector::VectorMethods;
pub use walked::{WalkedParts, WalkedPartsMut};

pub use crate::types::operators::{
    Clone as CloneMethod, Default as DefaultMethod, From as FromMethod, Into as IntoMethod, ResolveAdd,
    ResolveAddAssign, ResolveBitAnd, ResolveBitAndAssign, ResolveBitOr, ResolveBitOrAssign, ResolveBitXor,
    ResolveBitXorAssign, ResolveCompound, ResolveDefault, ResolveDerivedDefault, ResolveDiv,
    ResolveDivAssign, ResolveIndex, ResolveIndexMut, ResolveMul, ResolveMulAssign, ResolveNative, ResolveNeg,
    ResolveNot, ResolveOverloadedCompound, ResolvePartialEq, ResolveRem, ResolveRemAssign, ResolveShl,
    ResolveShlAssign, ResolveShr, ResolveShrAssign, ResolveSub, ResolveSubAssign, TryFrom as TryFromMethod,
    TryInto as TryIntoMethod, UserAdd, UserAddAssign, UserBitAnd, UserBitAndAssign, UserBitOr,
    UserBitOrAssign, UserBitXor, UserBitXorAssign, UserDiv, UserDivAssign, UserMul, UserMulAssign, UserNeg,
    UserNot, UserPartialEq, UserRem, UserRemAssign, UserShl, UserShlAssign, UserShr, UserShrAssign, UserSub,
    UserSubAssign,
};

pub use crate::device_api::number::Num as NumMethods;
pub use crate::types::ArrayParts;

/// The lists of builtins that the modules have.
pub(crate) mod lists {
    pub(crate) use super::ascii::ascii;
    pub(crate) use super::bytes::bytes;
    pub(crate) use super::float::float;
    pub(crate) use super::half::half_conversion;
    pub(crate) use super::int::{int, int_order, signed, unsigned};
    pub(crate) use super::len::VIEW_OFFSET;
    pub(crate) use super::pointers::pointers;
    pub(crate) use super::vector::vector;
}

/// Markers of methods, for tests that call what they mean.
#[cfg(test)]
#[doc(hidden)]
#[allow(missing_docs)]
pub mod markers {
    pub use super::ascii::ascii;
    pub use super::bytes::bytes;
    pub use super::float::float;
    pub use super::half::half_conversion;
    pub use super::int::{int, int_order, signed};
    pub use super::len::Offset;
    pub use super::pointers::{PointerAdd, PointerIsNull, PointerRead, PointerSub, PointerWrite};
    pub use super::vector::vector;
}
