//! Arrays where slices are asked for: `f(&array)` for a parameter `&[T]`.
//!
//! Rust makes a slice of an array where one is expected. Slices of bodies are descriptors, so the macros wrap an argument that
//! may refer to an array:
//!
//! ```text
//! f(Lent::new(&array).__lend(|expected| expected.__lend()))
//! ```
//!
//! The first `__lend` finds out whether the argument refers to an array. Anything else is given as it is, so rustc coerces it
//! and reports mistakes as usual. The second one finds out what the function takes: rustc knows the result of the first `__lend`
//! from the parameter, and the parameter of the closure is of that type too. Both are found as rustc looks for methods: on a
//! value first, then on `&`, then on `&mut`. The methods have one name, and each is of a trait of its own.

use core::cell::Cell;
use core::marker::PhantomData;

use super::{DeviceType, Row, Shared, Slice, Sliceable, SliceableMut};
use crate::witness::Probe;

/// Witnesses the type of an argument as it is lent.
#[doc(hidden)]
pub fn seen<T: DeviceType<Erased = E>, E>(_probe: &Probe<E>, lent: T) -> T {
    lent
}

/// A reference that is an argument.
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub struct Lent<X>(Cell<Option<X>>);

impl<X> Lent<X> {
    /// The argument `x`.
    #[inline(always)]
    pub fn new(x: X) -> Self {
        Self(Cell::new(Some(x)))
    }

    #[inline(always)]
    fn given(&self) -> X {
        self.0.take().expect("an argument is given once")
    }
}

/// A reference to an array where a `Y` is expected.
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub struct Expected<X, Y>(Lent<X>, PhantomData<fn() -> Y>);

/// The argument `x` as the function takes it, whatever it refers to: `f(&v)` may tell the type of `v`.
#[doc(hidden)]
#[inline(always)]
pub fn as_expected<X, Y>(x: X, as_expected: fn(Expected<X, Y>) -> Y) -> Y {
    as_expected(Expected(Lent::new(x), PhantomData))
}

/// Found first: a reference to an array.
pub trait LentArray<X>: Sized {
    /// The argument as the function takes it.
    fn __lend<Y>(self, as_expected: fn(Expected<X, Y>) -> Y) -> Y;
}

/// Found next: anything else.
pub trait LentOther<X>: Sized {
    /// The argument.
    fn __lend(self, as_expected: fn(Expected<X, X>) -> X) -> X;
}

impl<X> LentOther<X> for &Lent<X> {
    #[inline(always)]
    fn __lend(self, _: fn(Expected<X, X>) -> X) -> X {
        self.given()
    }
}

/// What takes an array as it is. The type of a parameter `&T` may be any of these while rustc looks for the method, so
/// the method binds `T` to none of them.
pub trait TakesArray {}

/// Nothing, so that arrays are not the only ones.
#[doc(hidden)]
#[derive(Debug)]
pub enum Nothing {}

impl TakesArray for &Nothing {}
impl TakesArray for &mut Nothing {}
impl<T, const L: usize> TakesArray for &[T; L] {}
impl<T, const L: usize> TakesArray for &mut [T; L] {}

/// Found first: an array is expected, or a type that is still to be found.
pub trait ExpectedArray: Sized {
    /// The reference.
    type Reference;
    /// The argument.
    fn __lend(self) -> Self::Reference;
}

/// Found next: a slice is expected.
pub trait ExpectedSlice: Sized {
    /// The slice.
    type Slice;
    /// All elements.
    fn __lend(self) -> Self::Slice;
}

/// Found last: something else is expected, to which rustc coerces the reference itself.
pub trait ExpectedOther: Sized {
    /// The reference.
    type Reference;
    /// The argument.
    fn __lend(self) -> Self::Reference;
}

impl<X, Y> ExpectedOther for &mut Expected<X, Y> {
    type Reference = X;
    #[inline(always)]
    fn __lend(self) -> X {
        self.0.given()
    }
}

macro_rules! lent {
    ($($mutability:tt)?) => {
        impl<'x, T, const L: usize> LentArray<&'x $($mutability)? [T; L]> for Lent<&'x $($mutability)? [T; L]> {
            #[inline(always)]
            fn __lend<Y>(self, as_expected: fn(Expected<&'x $($mutability)? [T; L], Y>) -> Y) -> Y {
                as_expected(Expected(self, PhantomData))
            }
        }

        impl<'x, T, Y: TakesArray, const L: usize> ExpectedArray for Expected<&'x $($mutability)? [T; L], Y> {
            type Reference = &'x $($mutability)? [T; L];
            #[inline(always)]
            fn __lend(self) -> Self::Reference {
                self.0.given()
            }
        }
    };
}

lent! {}
lent! { mut }

/// What takes a shared array, or a row of one, as it is; like [`TakesArray`].
pub trait TakesShared {}

impl TakesShared for &Nothing {}
impl TakesShared for &mut Nothing {}

macro_rules! lent_shared {
    ($shared:ident $(, $mutability:tt)?) => {
        impl<T> TakesShared for & $($mutability)? $shared<T> {}

        impl<'x, T> LentArray<&'x $($mutability)? $shared<T>> for Lent<&'x $($mutability)? $shared<T>> {
            #[inline(always)]
            fn __lend<Y>(self, as_expected: fn(Expected<&'x $($mutability)? $shared<T>, Y>) -> Y) -> Y {
                as_expected(Expected(self, PhantomData))
            }
        }

        impl<'x, T, Y: TakesShared> ExpectedArray for Expected<&'x $($mutability)? $shared<T>, Y> {
            type Reference = &'x $($mutability)? $shared<T>;
            #[inline(always)]
            fn __lend(self) -> Self::Reference {
                self.0.given()
            }
        }
    };
}

lent_shared! { Shared }
lent_shared! { Shared, mut }
lent_shared! { Row }
lent_shared! { Row, mut }

/// A shared array of one dimension as an array to read, and as one to write.
macro_rules! shared_as_array {
    ($($shared:ident)+) => {$(
        shared_as_array! { @ &'x $shared<T>, &[U; L], &'x [T; L], extent, |ptr| &*ptr }
        shared_as_array! { @ &'x mut $shared<T>, &[U; L], &'x [T; L], extent, |ptr| &*ptr }
        shared_as_array! { @ &'x mut $shared<T>, &mut [U; L], &'x mut [T; L], extent_mut, |ptr| &mut *ptr }
    )+};
    (@ $given:ty, $asked:ty, $array:ty, $extent:ident, |$ptr:ident| $reference:expr) => {
        impl<'x, T, U, const L: usize> ExpectedSlice for &Expected<$given, $asked> {
            type Slice = $array;
            #[inline]
            fn __lend(self) -> $array {
                let (start, len) = self.0.given().$extent();
                assert!(len == L, "{OTHER_LENGTH}");
                let $ptr = start.cast();
                // SAFETY: as many elements as the array has, which outlive it, and are borrowed as it is.
                unsafe { $reference }
            }
        }
    };
}

/// The recorder refuses it before a kernel runs.
const OTHER_LENGTH: &str = "a shared array has another length than the array that is asked for";

shared_as_array! { Shared Row }

impl<'x, T, U, const L: usize> ExpectedSlice for &Expected<&'x [T; L], &Slice<U>> {
    type Slice = &'x Slice<T>;
    #[inline]
    fn __lend(self) -> &'x Slice<T> {
        self.0.given().__sub_slice(0, None)
    }
}

impl<'x, T, U, const L: usize> ExpectedSlice for &Expected<&'x mut [T; L], &Slice<U>> {
    type Slice = &'x Slice<T>;
    #[inline]
    fn __lend(self) -> &'x Slice<T> {
        self.0.given().__sub_slice(0, None)
    }
}

impl<'x, T, U, const L: usize> ExpectedSlice for &Expected<&'x mut [T; L], &mut Slice<U>> {
    type Slice = &'x mut Slice<T>;
    #[inline]
    fn __lend(self) -> &'x mut Slice<T> {
        self.0.given().__sub_slice_mut(0, None)
    }
}
