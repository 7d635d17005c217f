//! Stencils and images: weighted sums of neighbours, separable convolutions, and images of another size.
//!
//! Samples are in the rows of a matrix. Images, or planes, are stacked, and the samples of a pixel are interleaved
//! (NHWC). [`Call::plan`](crate::Call::plan) says whether a block keeps a tile in shared memory or marches along rows or
//! planes.

mod bilateral;
mod convolution;
mod field;
mod layout;
mod march;
mod plan;
mod resize;
mod sample;
mod stencil;

pub use crate::border::Border;
pub use bilateral::{Bilateral, Falloff, bilateral, bilateral_pixels, bilateral_tiles};
pub use convolution::{Convolution, Factors, convolve, convolve_line, convolve_rows};
pub use field::Field;
pub use resize::{Interpolation, Resize, Scale, Scaling, resize, resize_rows};
pub use sample::Sample;
pub use stencil::{
    Stencil, Tap, Taps, Weights, stencil_planes, stencil_rows, stencil_taps, stencil2d, stencil3d,
};
