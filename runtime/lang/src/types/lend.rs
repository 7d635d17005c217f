//! Arrays where slices are asked for: `f(&array)` for a parameter `&[T]`.
//!
//! Rust makes a slice of an array where one is expected. Slices of bodies are descriptors, so the macros wrap an argument that
//! may be an array, and the methods here find out what the function takes: rustc tries those on a value first, then those on
//! `&`, then those on `&mut`. The names of the methods are the same, and each is of a trait of its own.

use core::cell::Cell;
use core::marker::PhantomData;

use super::{DeviceType, Slice, Sliceable, SliceableMut};
use crate::witness::{FunctionItem, Probe};

/// The type of a function or a closure, without a borrow of it.
#[doc(hidden)]
pub type FunctionShape<F> = PhantomData<F>;

/// The shape of a closure in a variable.
#[doc(hidden)]
pub fn shape_of<F>(_function: &F) -> FunctionShape<F> {
    PhantomData
}

impl<F> FunctionItem<F> {
    /// The shape of the function.
    #[doc(hidden)]
    pub fn shape(&self) -> FunctionShape<F> {
        PhantomData
    }
}

/// Witnesses the type of an argument as it is lent.
#[doc(hidden)]
pub fn seen<T: DeviceType<Erased = E>, E>(_probe: &Probe<E>, lent: T) -> T {
    lent
}

/// A reference that is argument `I` of the `N` of a function.
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub struct LentTo<F, X, const I: usize, const N: usize>(Cell<Option<X>>, FunctionShape<F>);

impl<F, X, const I: usize, const N: usize> LentTo<F, X, I, N> {
    /// The argument `x` of a function of this shape.
    #[inline(always)]
    pub fn new(shape: FunctionShape<F>, x: X) -> Self {
        Self(Cell::new(Some(x)), shape)
    }

    #[inline(always)]
    fn given(&self) -> X {
        self.0.take().expect("an argument is given once")
    }
}

/// The whole of an array, as a slice.
pub trait Whole {
    /// The slice.
    type Slice;
    /// All elements.
    fn whole(self) -> Self::Slice;
}

impl<'x, T, const L: usize> Whole for &'x [T; L] {
    type Slice = &'x Slice<T>;
    #[inline]
    fn whole(self) -> &'x Slice<T> {
        self.__sub_slice(0, None)
    }
}

impl<'x, T, const L: usize> Whole for &'x mut [T; L] {
    type Slice = &'x mut Slice<T>;
    #[inline]
    fn whole(self) -> &'x mut Slice<T> {
        self.__sub_slice_mut(0, None)
    }
}

/// A function or closure whose parameter `I` of `N` is a `P`; the others are `A`.
pub trait Takes<P, A, R, const I: usize, const N: usize> {}

macro_rules! takes {
    ($($n:literal: $([$($before:ident)*] $i:literal [$($behind:ident)*])+;)+) => {$($(
        impl<F, P, $($before,)* $($behind,)* R> Takes<P, ($($before,)* $($behind,)*), R, $i, $n> for F
        where
            F: FnOnce($($before,)* P, $($behind,)*) -> R
        {}
    )+)+};
}

takes! {
    1: [] 0 [];
    2: [] 0 [A] [A] 1 [];
    3: [] 0 [A B] [A] 1 [B] [A B] 2 [];
    4: [] 0 [A B C] [A] 1 [B C] [A B] 2 [C] [A B C] 3 [];
    5: [] 0 [A B C D] [A] 1 [B C D] [A B] 2 [C D] [A B C] 3 [D] [A B C D] 4 [];
    6: [] 0 [A B C D E] [A] 1 [B C D E] [A B] 2 [C D E] [A B C] 3 [D E] [A B C D] 4 [E] [A B C D E] 5 [];
    7: [] 0 [A B C D E G] [A] 1 [B C D E G] [A B] 2 [C D E G] [A B C] 3 [D E G] [A B C D] 4 [E G]
       [A B C D E] 5 [G] [A B C D E G] 6 [];
    8: [] 0 [A B C D E G H] [A] 1 [B C D E G H] [A B] 2 [C D E G H] [A B C] 3 [D E G H] [A B C D] 4 [E G H]
       [A B C D E] 5 [G H] [A B C D E G] 6 [H] [A B C D E G H] 7 [];
    9: [] 0 [A B C D E G H J] [A] 1 [B C D E G H J] [A B] 2 [C D E G H J] [A B C] 3 [D E G H J]
       [A B C D] 4 [E G H J] [A B C D E] 5 [G H J] [A B C D E G] 6 [H J] [A B C D E G H] 7 [J]
       [A B C D E G H J] 8 [];
    10: [] 0 [A B C D E G H J K] [A] 1 [B C D E G H J K] [A B] 2 [C D E G H J K] [A B C] 3 [D E G H J K]
       [A B C D] 4 [E G H J K] [A B C D E] 5 [G H J K] [A B C D E G] 6 [H J K] [A B C D E G H] 7 [J K]
       [A B C D E G H J] 8 [K] [A B C D E G H J K] 9 [];
}

/// A parameter that takes an array as it is. That of a generic function may be any of these while rustc looks for the method,
/// so the method binds its type to none of them.
pub trait TakesArray {}

/// Nothing, so that arrays are not the only ones.
#[doc(hidden)]
#[derive(Debug)]
pub enum Nothing {}

impl TakesArray for &Nothing {}
impl TakesArray for &mut Nothing {}
impl<T, const L: usize> TakesArray for &[T; L] {}
impl<T, const L: usize> TakesArray for &mut [T; L] {}

/// The reference itself. Its type does not depend on the function's, so rustc knows it at once.
pub trait AsItIs {
    /// The reference.
    type Reference;
}

impl<F, X, const I: usize, const N: usize> AsItIs for LentTo<F, X, I, N> {
    type Reference = X;
}

/// The slice of the array that is referred to.
pub trait AsSlice {
    /// The slice.
    type Slice;
}

impl<F, X: Whole, const I: usize, const N: usize> AsSlice for &LentTo<F, X, I, N> {
    type Slice = X::Slice;
}

/// Found first: an array for a parameter that takes it, or that may be of any type.
pub trait LentArray<P, A, R>: AsItIs + Sized {
    /// The argument.
    fn __lend(self) -> Self::Reference;
}

/// Found next: an array for a parameter that is a slice.
pub trait LentSlice<A, R>: AsSlice + Sized {
    /// The argument.
    fn __lend(self) -> Self::Slice;
}

/// Found last: anything else, which rustc coerces itself.
pub trait LentOther: Sized {
    /// The argument.
    type Given;
    /// The argument.
    fn __lend(self) -> Self::Given;
}

macro_rules! lent {
    ($($mutability:tt)?) => {
        impl<'x, F, T, P, A, R, const L: usize, const I: usize, const N: usize> LentArray<P, A, R>
            for LentTo<F, &'x $($mutability)? [T; L], I, N>
        where
            F: Takes<P, A, R, I, N>,
            P: TakesArray,
        {
            #[inline(always)]
            fn __lend(self) -> Self::Reference {
                self.given()
            }
        }

        impl<'x, F, T, A, R, const L: usize, const I: usize, const N: usize> LentSlice<A, R>
            for &LentTo<F, &'x $($mutability)? [T; L], I, N>
        where
            F: Takes<&'x $($mutability)? Slice<T>, A, R, I, N>,
        {
            #[inline]
            fn __lend(self) -> Self::Slice {
                self.given().whole()
            }
        }
    };
}

lent! {}
lent! { mut }

impl<F, X, const I: usize, const N: usize> LentOther for &mut LentTo<F, X, I, N> {
    type Given = X;
    #[inline(always)]
    fn __lend(self) -> X {
        self.given()
    }
}

/// A reference that is an argument of a method, of which nothing but what rustc expects is known.
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub struct LentToMethod<X>(Cell<Option<X>>);

impl<X> LentToMethod<X> {
    /// The argument `x`.
    #[inline(always)]
    pub fn new(x: X) -> Self {
        Self(Cell::new(Some(x)))
    }
}

/// What a reference to an array becomes where it is expected: itself, or a slice.
pub trait Becomes<Y> {
    /// The reference as it is expected.
    fn become_expected(self) -> Y;
}

macro_rules! becomes {
    ($($mutability:tt)?) => {
        impl<'x, T, const L: usize> Becomes<&'x $($mutability)? [T; L]> for &'x $($mutability)? [T; L] {
            #[inline(always)]
            fn become_expected(self) -> Self {
                self
            }
        }

        impl<'x, T, const L: usize> Becomes<&'x $($mutability)? Slice<T>> for &'x $($mutability)? [T; L] {
            #[inline]
            fn become_expected(self) -> &'x $($mutability)? Slice<T> {
                self.whole()
            }
        }
    };
}

becomes! {}
becomes! { mut }

/// Found first: an array.
pub trait LentExpected<X>: Sized {
    /// The argument as it is expected.
    fn __lend<Y>(self) -> Y
    where
        X: Becomes<Y>;
}

macro_rules! expected {
    ($($mutability:tt)?) => {
        impl<'x, T, const L: usize> LentExpected<&'x $($mutability)? [T; L]> for LentToMethod<&'x $($mutability)? [T; L]> {
            #[inline]
            fn __lend<Y>(self) -> Y
            where
                &'x $($mutability)? [T; L]: Becomes<Y>,
            {
                self.0.take().expect("an argument is given once").become_expected()
            }
        }
    };
}

expected! {}
expected! { mut }

impl<X> LentOther for &mut LentToMethod<X> {
    type Given = X;
    #[inline(always)]
    fn __lend(self) -> X {
        self.0.take().expect("an argument is given once")
    }
}
