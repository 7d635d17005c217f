//! Kernels of Rodinia, a theme a file.

mod cells;
mod graphs;
pub mod grids;
mod matrices;
pub mod physics;
