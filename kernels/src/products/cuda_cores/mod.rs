//! Products of `f32` matrices on CUDA cores.

pub mod call;
mod copy;
mod kernel;

pub use kernel::{THREADS, gemm_cuda_cores};
