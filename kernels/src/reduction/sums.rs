//! What a reduction is; sums and products.

use core::marker::PhantomData;

use warpsmith::prelude::*;

use crate::number::{Number, Total};

/// A reduction: elements become partial results, which are joined and become the output.
///
/// [`join`](Reduction::join) is associative and commutative, up to rounding, and [`nothing`](Reduction::nothing) is neutral.
#[gpu_trait]
pub trait Reduction: 'static {
    /// An element of the input.
    type Element: GpuType;
    /// What is known of some elements.
    type Partial: GpuType;
    /// The result.
    type Output: GpuType;

    /// The partial result of no elements.
    fn nothing() -> Self::Partial;

    /// The partial result of one element. Its index counts from zero along what is reduced.
    fn of(element: Self::Element, index: u64) -> Self::Partial;

    /// The partial result of the elements of both.
    fn join(a: Self::Partial, b: Self::Partial) -> Self::Partial;

    /// A partial result with one element more. Override it where that costs less than `join` of `of`.
    fn add(partial: Self::Partial, element: Self::Element, index: u64) -> Self::Partial {
        Self::join(partial, Self::of(element, index))
    }

    /// The output for the partial result of all of `count` elements.
    fn output(partial: Self::Partial, count: u64) -> Self::Output;
}

/// The sum, in the [`Total`] of its elements; `0` of none.
pub struct Sum<T>(PhantomData<T>);

#[gpu_impl]
impl<T: Number> Reduction for Sum<T> {
    type Element = T;
    type Partial = T::Total;
    type Output = T::Total;

    fn nothing() -> T::Total {
        T::Total::ZERO
    }
    fn of(element: T, _index: u64) -> T::Total {
        element.total()
    }
    fn join(a: T::Total, b: T::Total) -> T::Total {
        a.plus(b)
    }
    fn output(partial: T::Total, _count: u64) -> T::Total {
        partial
    }
}

/// The product, in the [`Total`] of its elements; `1` of none.
pub struct Product<T>(PhantomData<T>);

#[gpu_impl]
impl<T: Number> Reduction for Product<T> {
    type Element = T;
    type Partial = T::Total;
    type Output = T::Total;

    fn nothing() -> T::Total {
        T::Total::ONE
    }
    fn of(element: T, _index: u64) -> T::Total {
        element.total()
    }
    fn join(a: T::Total, b: T::Total) -> T::Total {
        a.times(b)
    }
    fn output(partial: T::Total, _count: u64) -> T::Total {
        partial
    }
}

/// The sum in the type of its elements itself: integers wrap, `f16` and `bf16` round at each step. For running sums of 32 bits.
pub struct OwnSum<T>(PhantomData<T>);

#[gpu_impl]
impl<T: Number> Reduction for OwnSum<T> {
    type Element = T;
    type Partial = T;
    type Output = T;

    fn nothing() -> T {
        T::ZERO
    }
    fn of(element: T, _index: u64) -> T {
        element
    }
    fn join(a: T, b: T) -> T {
        a.summed(b)
    }
    fn output(partial: T, _count: u64) -> T {
        partial
    }
}
