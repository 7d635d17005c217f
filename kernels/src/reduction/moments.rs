//! Means, variances and norms, computed in floats.

use core::marker::PhantomData;

use warpsmith::prelude::*;

use super::Reduction;
use super::sums::joined_numbers;
use crate::number::Real;

/// The mean; NaN of no elements.
pub struct Mean<T>(PhantomData<T>);

/// The variance: the sum of the squared distances to the mean, divided by the number of elements less `LESS`. `LESS = 1` estimates the
/// population's variance from a sample. NaN if the divisor is zero.
///
/// One pass: parts are joined by their means and sums of squares (T. F. Chan, G. H. Golub and R. J. LeVeque, 1979). A large mean does
/// not reduce the accuracy.
pub struct Variance<T, const LESS: u64 = 0>(PhantomData<T>);

/// The sum of absolute values.
pub struct L1<T>(PhantomData<T>);

/// The root of the sum of squares.
pub struct L2<T>(PhantomData<T>);

/// The number of some elements, their mean, and the sum of the squares of the distances to it.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Moments<F> {
    /// The number of elements.
    pub count: F,
    /// Their mean.
    pub mean: F,
    /// The sum of the squared distances to the mean.
    pub squares: F,
}

joined_numbers! {
    Mean<Real> T::Float: T::Float::ZERO, |element| element.real(), |a, b| a + b, |sum, count| sum / count.cast::<T::Float>();
    L1<Real> T::Float: T::Float::ZERO, |element| element.real().abs(), |a, b| a + b, |sum, _count| sum;
    L2<Real> T::Float: T::Float::ZERO, |element| element.real() * element.real(), |a, b| a + b, |sum, _count| sum.sqrt();
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
