//! Weighted sums of neighbours.

mod call;
mod cells;
mod offsets;
mod planes;
mod rows;
mod taps;

pub use call::{Stencil, stencil2d, stencil3d};
pub use cells::Weights;
pub use offsets::{Tap, stencil_taps};
pub use planes::stencil_planes;
pub use rows::stencil_rows;
pub use taps::Taps;
