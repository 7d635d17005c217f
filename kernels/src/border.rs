//! What stands for samples beyond the edges.

use warpsmith::prelude::*;

/// The values of samples beyond the edges; the examples show the samples before and after `a b c d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, GpuType)]
#[repr(u32)]
pub enum Border {
    /// The nearest sample: `a a a | a b c d | d d d`.
    Clamp,
    /// Zero: `0 0 0 | a b c d | 0 0 0`.
    Zero,
    /// The samples from the other edge on: `b c d | a b c d | a b c`.
    Wrap,
    /// The samples in reverse order: `c b a | a b c d | d c b`.
    Mirror,
    /// The samples in reverse order, without the edge itself: `d c b | a b c d | c b a`.
    Reflect,
    /// None. Results that need such a sample are not written: these elements of the output do not change.
    Untouched,
}

/// The number of the sample that stands for number `i` of `len`, or -1 for a zero.
#[gpu_fn]
pub fn mapped(i: isize, len: usize, border: Border) -> isize {
    let len = len as isize;
    if i >= 0 && i < len {
        return i;
    }
    match border {
        Border::Zero => -1,
        Border::Wrap => i.rem_euclid(len),
        Border::Mirror => {
            let twice = i.rem_euclid(2 * len);
            twice.min(2 * len - 1 - twice)
        }
        Border::Reflect => {
            let period = (2 * len - 2).max(1);
            let once = i.rem_euclid(period);
            once.min(period - once)
        }
        Border::Clamp | Border::Untouched => i.max(0).min(len - 1),
    }
}
