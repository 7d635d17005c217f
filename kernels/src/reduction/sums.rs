//! The trait of reductions; sums and products.

use core::marker::PhantomData;

use warpsmith::prelude::*;

use crate::number::{Number, Total};

/// An operation that reduces elements to an output, by way of partial results.
///
/// [`join`](Reduction::join) must be associative and commutative up to rounding, and [`nothing`](Reduction::nothing) must be its
/// identity.
#[gpu_trait]
pub trait Reduction: 'static {
    /// An element of the input.
    type Element: GpuType;
    /// The partial result of some of the elements.
    type Partial: GpuType;
    /// The result.
    type Output: GpuType;

    /// The partial result of no elements.
    fn nothing() -> Self::Partial;

    /// The partial result of one element. `index` counts from zero along the reduced axis.
    fn of(element: Self::Element, index: u64) -> Self::Partial;

    /// The partial result of the elements of both.
    fn join(a: Self::Partial, b: Self::Partial) -> Self::Partial;

    /// Adds an element to a partial result. Override it if there is a cheaper way than `join` with `of`.
    fn add(partial: Self::Partial, element: Self::Element, index: u64) -> Self::Partial {
        Self::join(partial, Self::of(element, index))
    }

    /// The output, from the partial result of all `count` elements.
    fn output(partial: Self::Partial, count: u64) -> Self::Output;
}

/// Implements reductions whose partial results and output have one type: `nothing`, `of`, `join` and `output`, in this order.
macro_rules! joined_numbers {
    ($($name:ident<$bound:ident> $partial:ty: $nothing:expr, |$x:ident| $of:expr, |$a:ident, $b:ident| $join:expr,
        |$all:ident, $count:ident| $output:expr;)+) => {$(
        #[gpu_impl]
        impl<T: $bound> Reduction for $name<T> {
            type Element = T;
            type Partial = $partial;
            type Output = $partial;

            fn nothing() -> $partial {
                $nothing
            }
            fn of($x: T, _index: u64) -> $partial {
                $of
            }
            fn join($a: $partial, $b: $partial) -> $partial {
                $join
            }
            fn output($all: $partial, $count: u64) -> $partial {
                $output
            }
        }
    )+};
}
pub(super) use joined_numbers;

/// The sum, in the [`Total`] of its elements; `0` of none.
pub struct Sum<T>(PhantomData<T>);

/// The product, in the [`Total`] of its elements; `1` of none.
pub struct Product<T>(PhantomData<T>);

/// The sum in the type of the elements: integers wrap, `f16` and `bf16` round at each step. Use it for running sums of 32 bits.
pub struct OwnSum<T>(PhantomData<T>);

joined_numbers! {
    Sum<Number> T::Total: T::Total::ZERO, |element| element.total(), |a, b| a.plus(b), |partial, _count| partial;
    Product<Number> T::Total: T::Total::ONE, |element| element.total(), |a, b| a.times(b), |partial, _count| partial;
    OwnSum<Number> T: T::ZERO, |element| element, |a, b| a.summed(b), |partial, _count| partial;
}
