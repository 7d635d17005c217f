//! Histograms: how many values lie in each bin of a range.
//!
//! [`histogram`] counts integers and floats into even bins. Counters lie as near to the threads as they fit: a column of shared memory
//! for each lane, the shared memory of a block, or global memory.

mod binned;
mod call;
pub mod kernels;

pub use binned::{Binned, Bounded, FloatBounds, IntegerBounds};
pub use call::{Histogram, histogram};
