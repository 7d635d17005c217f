//! Histograms: the number of values in each bin of a range.
//!
//! [`histogram`] counts integers and floats in even bins. The number of bins decides where counters are: in the shared memory of a
//! block, or in global memory.

mod binned;
mod call;
pub mod kernels;

pub use binned::{Binned, Bounded, FloatBounds, IntegerBounds};
pub use call::{Histogram, histogram};
