//! Kernels of cuda-samples, a theme a file.

mod finance;
mod reduction;
mod sorting;
mod stencils;
mod systems;
