//! Convolutions of images with many channels, as products of matrices that nothing ever stores.
//!
//! [`conv2d`] takes `[images, height, width, channels]` and filters `[filters, rows, columns, channels]`. On compute capability 9.0 the copy
//! engine loads the pixels under a tile once, with those around it, and warpgroups multiply them where they lie, for each tap of the filters.
//! Other convolutions become products of [`products`](crate::products), of patches that are copied first.

mod call;
mod choice;
mod geometry;
mod launch;
pub mod patches;
mod patches_call;
pub mod walk;
pub mod warpgroups;

pub use call::{Conv2d, conv2d};
pub use launch::ConvolvedElement;
