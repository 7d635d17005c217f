//! Means, variances and norms, computed in floats.

use core::marker::PhantomData;

use warpsmith::prelude::*;

use super::Reduction;
use crate::number::Real;

/// The mean; NaN of no elements.
pub struct Mean<T>(PhantomData<T>);

/// The variance: the mean square of the distances to the mean. With `LESS = 1` the sum is divided by one less than the number of
/// elements, which estimates the variance of what they were drawn from. NaN where that leaves nothing to divide by.
///
/// One pass, by the means and squares of parts (T. F. Chan, G. H. Golub and R. J. LeVeque, 1979), which is as exact for a large mean
/// as for a small one.
pub struct Variance<T, const LESS: u64 = 0>(PhantomData<T>);

/// The sum of absolute values.
pub struct L1<T>(PhantomData<T>);

/// The root of the sum of squares.
pub struct L2<T>(PhantomData<T>);

/// The number of some elements, their mean, and the sum of the squares of the distances to it.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Moments<F> {
    /// How many.
    pub count: F,
    /// Their mean.
    pub mean: F,
    /// Squares of the distances to it.
    pub squares: F,
}

#[gpu_impl]
impl<T: Real> Reduction for Mean<T> {
    type Element = T;
    type Partial = T::Float;
    type Output = T::Float;

    fn nothing() -> T::Float {
        T::Float::ZERO
    }
    fn of(element: T, _index: u64) -> T::Float {
        element.real()
    }
    fn join(a: T::Float, b: T::Float) -> T::Float {
        a + b
    }
    fn output(partial: T::Float, count: u64) -> T::Float {
        partial / count.cast::<T::Float>()
    }
}

#[gpu_impl]
impl<T: Real, const LESS: u64> Reduction for Variance<T, LESS> {
    type Element = T;
    type Partial = Moments<T::Float>;
    type Output = T::Float;

    fn nothing() -> Moments<T::Float> {
        Moments { count: T::Float::ZERO, mean: T::Float::ZERO, squares: T::Float::ZERO }
    }
    fn of(element: T, _index: u64) -> Moments<T::Float> {
        Moments { count: T::Float::ONE, mean: element.real(), squares: T::Float::ZERO }
    }
    fn join(a: Moments<T::Float>, b: Moments<T::Float>) -> Moments<T::Float> {
        if a.count == T::Float::ZERO {
            return b;
        }
        if b.count == T::Float::ZERO {
            return a;
        }
        let count = a.count + b.count;
        let share = T::per(b.count, count);
        let apart = b.mean - a.mean;
        let squares = a.squares + b.squares + apart * apart * a.count * share;
        Moments { count, mean: a.mean + apart * share, squares }
    }
    fn add(partial: Moments<T::Float>, element: T, _index: u64) -> Moments<T::Float> {
        let count = partial.count + T::Float::ONE;
        let apart = element.real() - partial.mean;
        let mean = partial.mean + T::per(apart, count);
        let squares = partial.squares + apart * (element.real() - mean);
        Moments { count, mean, squares }
    }
    fn output(partial: Moments<T::Float>, count: u64) -> T::Float {
        let of = count.saturating_sub(LESS);
        partial.squares / of.cast::<T::Float>()
    }
}

#[gpu_impl]
impl<T: Real> Reduction for L1<T> {
    type Element = T;
    type Partial = T::Float;
    type Output = T::Float;

    fn nothing() -> T::Float {
        T::Float::ZERO
    }
    fn of(element: T, _index: u64) -> T::Float {
        element.real().abs()
    }
    fn join(a: T::Float, b: T::Float) -> T::Float {
        a + b
    }
    fn output(partial: T::Float, _count: u64) -> T::Float {
        partial
    }
}

#[gpu_impl]
impl<T: Real> Reduction for L2<T> {
    type Element = T;
    type Partial = T::Float;
    type Output = T::Float;

    fn nothing() -> T::Float {
        T::Float::ZERO
    }
    fn of(element: T, _index: u64) -> T::Float {
        element.real() * element.real()
    }
    fn join(a: T::Float, b: T::Float) -> T::Float {
        a + b
    }
    fn output(partial: T::Float, _count: u64) -> T::Float {
        partial.sqrt()
    }
}
