//! The least and the greatest element, and where they are.

use core::marker::PhantomData;

use warpsmith::prelude::*;

use super::Reduction;
use super::sums::joined_numbers;
use crate::number::Number;

/// The least element. NaN is ignored. Without any other element, the result is the type's greatest value: infinity for floats.
pub struct Min<T>(PhantomData<T>);

/// The greatest element. NaN is ignored. Without any other element, the result is the type's least value: negative infinity for floats.
pub struct Max<T>(PhantomData<T>);

/// The index of the least element, the first of several equal ones. NaN is ignored. Without any other element, the result is
/// `u64::MAX`.
pub struct ArgMin<T>(PhantomData<T>);

/// The index of the greatest element, the first of several equal ones. NaN is ignored. Without any other element, the result is
/// `u64::MAX`.
pub struct ArgMax<T>(PhantomData<T>);

/// An element with its index.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Found<T> {
    /// The index; `u64::MAX` before anything is found.
    pub index: u64,
    /// The element.
    pub value: T,
}

macro_rules! places {
    ($($arg:ident $is_better:tt $worst:ident;)+) => {$(
        #[gpu_impl]
        impl<T: Number> Reduction for $arg<T> {
            type Element = T;
            type Partial = Found<T>;
            type Output = u64;

            fn nothing() -> Found<T> {
                Found { index: u64::MAX, value: T::$worst }
            }
            fn of(element: T, index: u64) -> Found<T> {
                Self::add(Self::nothing(), element, index)
            }
            fn join(a: Found<T>, b: Found<T>) -> Found<T> {
                Self::add(a, b.value, b.index)
            }
            fn add(partial: Found<T>, element: T, index: u64) -> Found<T> {
                let is_first = element == partial.value && index < partial.index;
                if element $is_better partial.value || is_first {
                    Found { index, value: element }
                } else {
                    partial
                }
            }
            fn output(partial: Found<T>, _count: u64) -> u64 {
                partial.index
            }
        }
    )+};
}

joined_numbers! {
    Min<Number> T: T::MOST, |element| element.lesser(T::MOST), |a, b| a.lesser(b), |partial, _count| partial;
    Max<Number> T: T::LEAST, |element| element.greater(T::LEAST), |a, b| a.greater(b), |partial, _count| partial;
}

places! {
    ArgMin < MOST;
    ArgMax > LEAST;
}
