//! Floats of sixteen bits: those of the crate `half`, or in a build without it types with the same bits.
//!
//! Code that only stores, passes and converts them reads the same in both builds.

mod format;

pub use format::{Nearest, double_to_round, nearest_half};

#[cfg(feature = "half")]
pub use ::half::{bf16, f16};

#[cfg(not(feature = "half"))]
mod small;
#[cfg(not(feature = "half"))]
pub use small::{bf16, f16};

/// The same file, beside the crate that it stands in for.
#[cfg(all(test, feature = "half"))]
#[allow(dead_code)]
mod small;
#[cfg(all(test, feature = "half"))]
mod tests;
