//! Kernels of HeCBench, a theme a file.

mod bytes;
mod numbers;
mod random;
mod solvers;
mod text;
