//! `==` of what has parts: arrays, tuples, `Option` and `Result` compare as their parts do.

use core::marker::PhantomData;

use super::Slice;
use super::operators::{Native, PartialEq, UserType};
use crate::record::{Callee, Equality};
use crate::witness::DeviceFn;

/// An array, whose elements compare by `M`.
#[doc(hidden)]
pub struct OfElements<M>(PhantomData<fn() -> M>);

impl<M: DeviceFn> DeviceFn for OfElements<M> {
    fn callee() -> Callee {
        Callee::Equality(Equality::Elements(Box::new(M::callee())))
    }
}

impl<T: PartialEq, const N: usize> PartialEq for [T; N] {
    type Marker = OfElements<T::Marker>;
}

impl<T, const N: usize> UserType for [T; N] {}

/// A slice, whose elements compare by `M`.
#[doc(hidden)]
pub struct OfSlices<M>(PhantomData<fn() -> M>);

impl<M: DeviceFn> DeviceFn for OfSlices<M> {
    fn callee() -> Callee {
        Callee::Equality(Equality::Slices(Box::new(M::callee())))
    }
}

impl<T: PartialEq> PartialEq for Slice<T> {
    type Marker = OfSlices<T::Marker>;
}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for Slice<T> {
    type Marker = OfSlices<T::Marker>;
}

impl<T: PartialEq, const N: usize> PartialEq<Slice<T>> for [T; N] {
    type Marker = OfSlices<T::Marker>;
}

impl<T> UserType for Slice<T> {}

macro_rules! beside_arrays {
    ($($slice:ty),+) => {$(
        impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for $slice {
            type Marker = OfSlices<T::Marker>;
        }

        impl<T: PartialEq, const N: usize> PartialEq<$slice> for [T; N] {
            type Marker = OfSlices<T::Marker>;
        }
    )+};
}

beside_arrays! { &Slice<T>, &mut Slice<T> }

/// References compare as what they refer to.
impl<L: PartialEq<R> + ?Sized, R: ?Sized> PartialEq<&R> for &L {
    type Marker = L::Marker;
}

/// A tuple, whose items compare by the markers `M`.
#[doc(hidden)]
pub struct OfItems<M>(PhantomData<fn() -> M>);

macro_rules! tuples {
    ($(($($t:ident),+))+) => {$(
        impl<$($t: DeviceFn),+> DeviceFn for OfItems<($($t,)+)> {
            fn callee() -> Callee {
                Callee::Equality(Equality::Items(vec![$($t::callee()),+]))
            }
        }

        impl<$($t: PartialEq),+> PartialEq for ($($t,)+) {
            type Marker = OfItems<($($t::Marker,)+)>;
        }

        impl<$($t),+> UserType for ($($t,)+) {}
    )+};
}

tuples! {
    (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) (A, B, C, D, E, F, G) (A, B, C, D, E, F, G, H)
}

// `Reverse` compares as its only field does.
impl<T: PartialEq> PartialEq for core::cmp::Reverse<T> {
    type Marker = OfItems<(T::Marker,)>;
}

impl<T> UserType for core::cmp::Reverse<T> {}

/// `Option`, whose value compares by `M`.
#[doc(hidden)]
pub struct OfOption<M>(PhantomData<fn() -> M>);

impl<M: DeviceFn> DeviceFn for OfOption<M> {
    fn callee() -> Callee {
        Callee::Equality(Equality::Variants(vec![vec![], vec![M::callee()]]))
    }
}

impl<T: PartialEq> PartialEq for Option<T> {
    type Marker = OfOption<T::Marker>;
}

impl<T> UserType for Option<T> {}

/// `Result`, whose values compare by `M` and `E`.
#[doc(hidden)]
pub struct OfResult<M, E>(PhantomData<fn() -> (M, E)>);

impl<M: DeviceFn, E: DeviceFn> DeviceFn for OfResult<M, E> {
    fn callee() -> Callee {
        Callee::Equality(Equality::Variants(vec![vec![M::callee()], vec![E::callee()]]))
    }
}

impl<T: PartialEq, E: PartialEq> PartialEq for Result<T, E> {
    type Marker = OfResult<T::Marker, E::Marker>;
}

impl<T, E> UserType for Result<T, E> {}

/// Values without bytes, which are all equal.
#[doc(hidden)]
pub struct OfNothing;

impl DeviceFn for OfNothing {
    fn callee() -> Callee {
        Callee::Equality(Equality::Items(Vec::new()))
    }
}

macro_rules! without_bytes {
    ($($t:ty)+) => {$(
        impl PartialEq for $t {
            type Marker = OfNothing;
        }

        impl UserType for $t {}
    )+};
}

without_bytes! { core::num::TryFromIntError core::convert::Infallible }

/// `Ordering`, whose variants have no fields.
#[doc(hidden)]
pub struct OfOrdering;

impl DeviceFn for OfOrdering {
    fn callee() -> Callee {
        Callee::Equality(Equality::Variants(vec![vec![], vec![], vec![]]))
    }
}

impl PartialEq for core::cmp::Ordering {
    type Marker = OfOrdering;
}

impl UserType for core::cmp::Ordering {}

impl<T> PartialEq for *const T {
    type Marker = Native;
}

impl<T> PartialEq for *mut T {
    type Marker = Native;
}
