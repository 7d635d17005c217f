//! Functions of a row: softmax and normalisations.

use warpsmith::prelude::*;

/// A function of a row, which computes each output from an element and a summary of all elements.
///
/// [`join`](RowFunction::join) is associative and commutative, up to rounding, and [`nothing`](RowFunction::nothing) is neutral.
#[gpu_trait]
pub trait RowFunction: 'static {
    /// A summary of some elements.
    type Summary: GpuType;
    /// The facts about a row that every output needs.
    type Row: GpuType;

    /// The summary of no elements.
    fn nothing() -> Self::Summary;

    /// A summary with `N` elements more.
    fn add<const N: usize>(summary: Self::Summary, values: [f32; N]) -> Self::Summary;

    /// The summary of the elements of both.
    fn join(a: Self::Summary, b: Self::Summary) -> Self::Summary;

    /// The facts about a row of `cols` elements, from the summary of them all.
    fn of_row(all: Self::Summary, cols: f32, epsilon: f32) -> Self::Row;

    /// The output for an element, before weight and bias.
    fn output(row: Self::Row, value: f32) -> f32;
}

/// `exp(x) / sum(exp(x))`.
pub struct Softmax;
/// `x - ln(sum(exp(x)))`.
pub struct LogSoftmax;
/// `x / sqrt(mean(x²) + epsilon)`.
pub struct RmsNorm;
/// `(x - mean(x)) / sqrt(variance(x) + epsilon)`, with the variance of all elements, divided by their number.
pub struct LayerNorm;

/// The largest element, and the sum of `exp(x - max)`.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Exponentials {
    /// The largest element.
    pub max: f32,
    /// The sum.
    pub sum: f32,
}

/// `(x - shift) * factor`, or a part of it.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Affine {
    shift: f32,
    factor: f32,
}

/// `e^x` in three instructions. Results below 2^-126 are zero.
#[gpu_fn]
fn exp(x: f32) -> f32 {
    fast_exp2(x * core::f32::consts::LOG2_E)
}

#[gpu_impl]
impl Exponentials {
    /// Finite: the difference of two of these is zero rather than NaN. Only negative infinity is less.
    fn nothing() -> Self {
        Exponentials { max: f32::MIN, sum: 0.0 }
    }
    fn with<const N: usize>(self, values: [f32; N]) -> Self {
        let mut max = self.max;
        #[unroll]
        for k in 0..N {
            max = max.max(values[k]);
        }
        let mut sum = self.sum * exp(self.max - max);
        #[unroll]
        for k in 0..N {
            sum += exp(values[k] - max);
        }
        Exponentials { max, sum }
    }
    fn joined(self, other: Self) -> Self {
        let max = self.max.max(other.max);
        let sum = self.sum * exp(self.max - max) + other.sum * exp(other.max - max);
        Exponentials { max, sum }
    }
}

macro_rules! of_exponentials {
    ($($name:ident: |$all:ident| $factor:expr, |$row:ident, $value:ident| $output:expr;)+) => {$(
        #[gpu_impl]
        impl RowFunction for $name {
            type Summary = Exponentials;
            type Row = Affine;

            fn nothing() -> Exponentials {
                Exponentials::nothing()
            }
            fn add<const N: usize>(summary: Exponentials, values: [f32; N]) -> Exponentials {
                summary.with::<N>(values)
            }
            fn join(a: Exponentials, b: Exponentials) -> Exponentials {
                a.joined(b)
            }
            fn of_row($all: Exponentials, _cols: f32, _epsilon: f32) -> Affine {
                Affine { shift: $all.max, factor: $factor }
            }
            fn output($row: Affine, $value: f32) -> f32 {
                $output
            }
        }
    )+};
}

of_exponentials! {
    Softmax: |all| 1.0 / all.sum, |row, value| exp(value - row.shift) * row.factor;
    // The largest first: with large elements, its sum with the logarithm would lose the latter.
    LogSoftmax: |all| all.sum.ln(), |row, value| value - row.shift - row.factor;
}

#[gpu_impl]
impl RowFunction for RmsNorm {
    type Summary = f32;
    type Row = f32;

    fn nothing() -> f32 {
        0.0
    }
    fn add<const N: usize>(summary: f32, values: [f32; N]) -> f32 {
        let mut squares = summary;
        #[unroll]
        for k in 0..N {
            squares += values[k] * values[k];
        }
        squares
    }
    fn join(a: f32, b: f32) -> f32 {
        a + b
    }
    fn of_row(all: f32, cols: f32, epsilon: f32) -> f32 {
        rsqrt(all / cols + epsilon)
    }
    fn output(row: f32, value: f32) -> f32 {
        value * row
    }
}

/// The number of elements, their mean, and the sum of the squares of their distances from it.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Moments {
    count: f32,
    mean: f32,
    squares: f32,
}

#[gpu_impl]
impl RowFunction for LayerNorm {
    type Summary = Moments;
    type Row = Affine;

    fn nothing() -> Moments {
        Moments { count: 0.0, mean: 0.0, squares: 0.0 }
    }
    fn add<const N: usize>(summary: Moments, values: [f32; N]) -> Moments {
        let mut sum = 0.0;
        #[unroll]
        for k in 0..N {
            sum += values[k];
        }
        let mean = sum * (1.0 / N as f32);
        let mut squares = 0.0;
        #[unroll]
        for k in 0..N {
            let distance = values[k] - mean;
            squares += distance * distance;
        }
        LayerNorm::join(summary, Moments { count: N as f32, mean, squares })
    }
    // `max(1)` keeps two empty summaries from dividing by zero.
    fn join(a: Moments, b: Moments) -> Moments {
        let count = a.count + b.count;
        let share = b.count * fast_div(1.0, count.max(1.0));
        let distance = b.mean - a.mean;
        Moments {
            count,
            mean: a.mean + distance * share,
            squares: a.squares + b.squares + distance * distance * (a.count * share),
        }
    }
    fn of_row(all: Moments, _cols: f32, epsilon: f32) -> Affine {
        Affine { shift: all.mean, factor: rsqrt(all.squares / all.count + epsilon) }
    }
    fn output(row: Affine, value: f32) -> f32 {
        (value - row.shift) * row.factor
    }
}
