//! Operators that device types overload, and how a witness resolves them.
//!
//! `#[gpu_impl]` above `impl Add for Complex` also implements [`Add`] here, which carries the
//! emitter. A witness asks by the rank of its receiver: first for a device operator, then for one of
//! Rust alone, which is an error in our words, and last it leaves the operator to the IR.

/// The device side that every trait here adds to Rust's own.
macro_rules! device_side {
    () => {
        /// The target that a call resolves to.
        type Marker: DeviceFn;
        /// The emitter.
        #[doc(hidden)]
        fn __record(_r: &mut Recorder) {}
        /// A copy of the body; `witness.rs` says what for.
        #[doc(hidden)]
        fn __held_body<X>(_: PhantomData<X>) -> impl Sized
        where
            Self: Sized,
        {
            crate::witness::typed(())
        }
    };
}

mod default;
mod native;
pub mod order;
mod tried;

use core::marker::PhantomData;

use crate::record::{Callee, Recorder};
use crate::witness::{DeviceFn, FnProbe};

pub use default::*;
pub use order::{Ord, PartialOrd};
pub use tried::*;

/// Marker of an operator that the IR has itself: on scalars and vectors.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Native;

impl DeviceFn for Native {
    fn callee() -> Callee {
        Callee::Native
    }
}

/// Operands of an operator, as a witness sees them.
#[doc(hidden)]
pub struct Operands<O, L: ?Sized, R>(PhantomData<(O, PhantomData<L>, R)>);

/// The operands of a binary operator; what is indexed may be a slice.
#[doc(hidden)]
pub fn operands<O, L: ?Sized, R>(_left: &L, _right: &R) -> Operands<O, L, R> {
    Operands(PhantomData)
}

/// The operand of a unary operator.
#[doc(hidden)]
pub fn operand<O, L>(_operand: &L) -> Operands<O, L, ()> {
    Operands(PhantomData)
}

/// A struct or enum of the user's: its operators need `#[gpu_impl]`.
#[doc(hidden)]
pub trait UserType {}

macro_rules! native_resolution {
    ($($resolve:ident)+) => {
        /// Third choice: the IR's own operator, or an error of rustc's alone.
        #[doc(hidden)]
        pub trait ResolveNative {
            $(
                /// Sets the probe.
                fn $resolve(&self, _probe: &FnProbe<Native>) {}
            )+
        }
    };
}

// A name for each operator: rustc weighs all traits that have a method of the name that is called.
native_resolution! {
    __resolve_add __resolve_add_assign __resolve_bit_and __resolve_bit_and_assign __resolve_bit_or
    __resolve_bit_or_assign __resolve_bit_xor __resolve_bit_xor_assign __resolve_div
    __resolve_div_assign __resolve_index __resolve_index_mut __resolve_mul __resolve_mul_assign
    __resolve_neg __resolve_not __resolve_partial_eq __resolve_rem __resolve_rem_assign __resolve_shl
    __resolve_shl_assign __resolve_shr __resolve_shr_assign __resolve_sub __resolve_sub_assign
}

impl<O, L: ?Sized, R> ResolveNative for Operands<O, L, R> {}

/// Declares the device side of operator traits.
macro_rules! operators {
    (@binary $($(#[$doc:meta])* $name:ident $op:ident $first:ident $second:ident $resolve:ident;)+) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = "this operator of `{Self}` cannot be used in a kernel",
            label = "no device operator",
            note = "write `#[gpu_impl]` above the `impl` of the operator for `{Self}`"
        )]
        pub trait $name<R = Self>: core::ops::$name<R> {
            device_side!();
        }

        #[doc(hidden)]
        pub struct $op;

        #[doc(hidden)]
        pub trait $first<M> {
            /// Sets the probe.
            fn $resolve(&self, _probe: &FnProbe<M>) {}
        }

        impl<L: $name<R>, R> $first<L::Marker> for &&Operands<$op, L, R> {}

        #[doc(hidden)]
        pub trait $second<L, R> {
            /// Sets the probe.
            fn $resolve(&self, _probe: &FnProbe<<L as $name<R>>::Marker>)
            where
                L: $name<R>,
            {
            }
        }

        impl<L: UserType + core::ops::$name<R>, R> $second<L, R> for &Operands<$op, L, R> {}
    )+};
    (@unary $($(#[$doc:meta])* $name:ident $op:ident $first:ident $second:ident $resolve:ident;)+) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = "this operator of `{Self}` cannot be used in a kernel",
            label = "no device operator",
            note = "write `#[gpu_impl]` above the `impl` of the operator for `{Self}`"
        )]
        pub trait $name: core::ops::$name {
            device_side!();
        }

        #[doc(hidden)]
        pub struct $op;

        #[doc(hidden)]
        pub trait $first<M> {
            /// Sets the probe.
            fn $resolve(&self, _probe: &FnProbe<M>) {}
        }

        impl<L: $name> $first<L::Marker> for &&Operands<$op, L, ()> {}

        #[doc(hidden)]
        pub trait $second<L> {
            /// Sets the probe.
            fn $resolve(&self, _probe: &FnProbe<<L as $name>::Marker>)
            where
                L: $name,
            {
            }
        }

        impl<L: UserType + core::ops::$name> $second<L> for &Operands<$op, L, ()> {}
    )+};
}

operators! { @binary
    /// `a + b` in kernels.
    Add AddOp ResolveAdd UserAdd __resolve_add;
    /// `a - b` in kernels.
    Sub SubOp ResolveSub UserSub __resolve_sub;
    /// `a * b` in kernels.
    Mul MulOp ResolveMul UserMul __resolve_mul;
    /// `a / b` in kernels.
    Div DivOp ResolveDiv UserDiv __resolve_div;
    /// `a % b` in kernels.
    Rem RemOp ResolveRem UserRem __resolve_rem;
    /// `a & b` in kernels.
    BitAnd BitAndOp ResolveBitAnd UserBitAnd __resolve_bit_and;
    /// `a | b` in kernels.
    BitOr BitOrOp ResolveBitOr UserBitOr __resolve_bit_or;
    /// `a ^ b` in kernels.
    BitXor BitXorOp ResolveBitXor UserBitXor __resolve_bit_xor;
    /// `a << b` in kernels.
    Shl ShlOp ResolveShl UserShl __resolve_shl;
    /// `a >> b` in kernels.
    Shr ShrOp ResolveShr UserShr __resolve_shr;
    /// `a += b` in kernels.
    AddAssign AddAssignOp ResolveAddAssign UserAddAssign __resolve_add_assign;
    /// `a -= b` in kernels.
    SubAssign SubAssignOp ResolveSubAssign UserSubAssign __resolve_sub_assign;
    /// `a *= b` in kernels.
    MulAssign MulAssignOp ResolveMulAssign UserMulAssign __resolve_mul_assign;
    /// `a /= b` in kernels.
    DivAssign DivAssignOp ResolveDivAssign UserDivAssign __resolve_div_assign;
    /// `a %= b` in kernels.
    RemAssign RemAssignOp ResolveRemAssign UserRemAssign __resolve_rem_assign;
    /// `a &= b` in kernels.
    BitAndAssign BitAndAssignOp ResolveBitAndAssign UserBitAndAssign __resolve_bit_and_assign;
    /// `a |= b` in kernels.
    BitOrAssign BitOrAssignOp ResolveBitOrAssign UserBitOrAssign __resolve_bit_or_assign;
    /// `a ^= b` in kernels.
    BitXorAssign BitXorAssignOp ResolveBitXorAssign UserBitXorAssign __resolve_bit_xor_assign;
    /// `a <<= b` in kernels.
    ShlAssign ShlAssignOp ResolveShlAssign UserShlAssign __resolve_shl_assign;
    /// `a >>= b` in kernels.
    ShrAssign ShrAssignOp ResolveShrAssign UserShrAssign __resolve_shr_assign;
}

operators! { @unary
    /// `-a` in kernels.
    Neg NegOp ResolveNeg UserNeg __resolve_neg;
    /// `!a` in kernels.
    Not NotOp ResolveNot UserNot __resolve_not;
}

/// `a == b` in kernels.
#[diagnostic::on_unimplemented(
    message = "`==` of `{Self}` cannot be used in a kernel",
    label = "no device operator",
    note = "write `#[gpu(PartialEq)]` on the type instead of deriving `PartialEq`, or `#[gpu_impl]` above `impl PartialEq for {Self}`"
)]
pub trait PartialEq<R: ?Sized = Self>: core::cmp::PartialEq<R> {
    device_side!();
}

#[doc(hidden)]
pub struct PartialEqOp;

#[doc(hidden)]
pub trait ResolvePartialEq<M> {
    /// Sets the probe.
    fn __resolve_partial_eq(&self, _probe: &FnProbe<M>) {}
}

impl<L: PartialEq<R>, R> ResolvePartialEq<L::Marker> for &&Operands<PartialEqOp, L, R> {}

#[doc(hidden)]
pub trait UserPartialEq<L, R> {
    /// Sets the probe.
    fn __resolve_partial_eq(&self, _probe: &FnProbe<<L as PartialEq<R>>::Marker>)
    where
        L: PartialEq<R>,
    {
    }
}

impl<L: UserType + core::cmp::PartialEq<R>, R> UserPartialEq<L, R> for &Operands<PartialEqOp, L, R> {}

/// Operands of a compound assignment; the witness asks who implements their operator.
#[doc(hidden)]
pub struct CompoundOp;

/// Types whose operators the language itself has, where they are known as such: a generic parameter is none of them.
#[doc(hidden)]
pub trait BuiltIn {}

macro_rules! built_in {
    ($($t:ty)+) => {$(impl BuiltIn for $t {})+};
}

built_in! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 bool }

/// First choice: the language has the operator, and evaluates the value before the place.
#[doc(hidden)]
pub trait ResolveCompound {
    /// Sets the probe.
    fn __resolve_compound(&self, _probe: &FnProbe<Native>) {}
}

impl<L: BuiltIn, R: BuiltIn> ResolveCompound for &&Operands<CompoundOp, L, R> {}

/// Second choice: a trait implements it, and the place is evaluated first.
#[doc(hidden)]
pub trait ResolveOverloadedCompound {
    /// Sets the probe.
    fn __resolve_compound(&self, _probe: &FnProbe<Overloaded>) {}
}

impl<L, R> ResolveOverloadedCompound for Operands<CompoundOp, L, R> {}

/// Marker of a compound assignment that a trait implements.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Overloaded;

impl DeviceFn for Overloaded {
    fn callee() -> Callee {
        Callee::Overloaded
    }
}

/// `a[i]` read in kernels.
pub trait Index<I>: core::ops::Index<I> {
    device_side!();
}

/// `a[i]` written in kernels.
pub trait IndexMut<I>: core::ops::IndexMut<I> {
    device_side!();
}

/// Declares how a witness resolves an index; references to a type are looked through.
macro_rules! indexed {
    ($($indexed:ident $op:ident $first:ident $resolve:ident;)+) => {$(
        #[doc(hidden)]
        pub trait $indexed<I> {
            /// The target that a call resolves to.
            type Marker: DeviceFn;
        }

        impl<T: $indexed<I> + ?Sized, I> $indexed<I> for &T {
            type Marker = T::Marker;
        }

        impl<T: $indexed<I> + ?Sized, I> $indexed<I> for &mut T {
            type Marker = T::Marker;
        }

        #[doc(hidden)]
        pub struct $op;

        #[doc(hidden)]
        pub trait $first<M> {
            /// Sets the probe.
            fn $resolve(&self, _probe: &FnProbe<M>) {}
        }

        impl<L: $indexed<I>, I> $first<L::Marker> for &&Operands<$op, L, I> {}
    )+};
}

indexed! {
    Indexed IndexOp ResolveIndex __resolve_index;
    IndexedMut IndexMutOp ResolveIndexMut __resolve_index_mut;
}

/// `T::from(value)` and `value.into()` in kernels.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from a `{V}` in a kernel",
    note = "write `#[gpu_impl]` above `impl From<{V}> for {Self}`"
)]
pub trait From<V>: core::convert::From<V> {
    device_side!();
    /// `Self::from(value)` in a witness.
    #[doc(hidden)]
    fn from_in_kernels(_value: V, _probe: &FnProbe<Self::Marker>) -> Self {
        crate::witness::never_called()
    }
}

/// `value.into()` in a witness.
#[doc(hidden)]
pub trait Into: Sized {
    /// `self.into()`
    fn into_in_kernels<T: From<Self>>(self, _probe: &FnProbe<T::Marker>) -> T {
        crate::witness::never_called()
    }
}

impl<T> Into for T {}

/// `.clone()` of a device type, which is `Copy`: the value itself.
#[doc(hidden)]
pub trait Clone: Copy {
    /// `self.clone()`
    fn clone_in_kernels(&self, _probe: &FnProbe<CopyMarker>) -> Self {
        crate::witness::never_called()
    }
}

impl<T: Copy> Clone for T {}

/// Marker of a copy of a value.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct CopyMarker;

impl DeviceFn for CopyMarker {
    fn callee() -> Callee {
        Callee::Copied
    }
}

/// Marker of a conversion between scalars, which the IR casts.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct CastMarker;

impl DeviceFn for CastMarker {
    fn callee() -> Callee {
        Callee::Cast
    }
}
