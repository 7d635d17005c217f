//! Separable convolutions.

mod call;
mod lines;
mod rows;

pub use call::{Convolution, convolve};
pub use lines::convolve_line;
pub use rows::{Factors, convolve_rows};
