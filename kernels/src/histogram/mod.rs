//! Histograms: the number of values in each bin of a range, or the sum of their weights.
//!
//! [`histogram`] and [`weighted_histogram`] take integers and floats, and bins that are even or lie between given edges. The number of
//! bins decides where counters are: in the shared memory of a block, or in global memory.

mod binned;
mod call;
pub mod kernels;
pub mod sums;
mod sums_call;

pub use binned::{Binned, Bounded, FloatBounds, IntegerBounds};
pub use call::{Histogram, histogram, weighted_histogram};
pub use sums::Weight;
