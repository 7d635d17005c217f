//! The fifth set: well-known kernels of kinds that the other sets have few of, ported by somebody who had only read the book. A third of
//! them are written as a Rust programmer would: with iterators, chunks, options, matches and methods.

pub mod layers;
pub mod numbers;
pub mod pixels;
pub mod steps;
