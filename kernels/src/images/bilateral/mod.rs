//! Edge-preserving filters: neighbours count less the farther away they are, and the more they differ.

mod call;
mod pixels;
mod tiles;

pub use call::{Bilateral, bilateral};
pub use pixels::bilateral_pixels;
pub use tiles::{Falloff, bilateral_tiles};
