//! The corpus: one place for the kernels that every kind of test uses.
//!
//! The snapshot tests print them, the NVRTC tests compile what was printed, the simulator tests run
//! them against host references, and the GPU tests and benches do the same on a device. [`ports`] has kernels of public
//! CUDA collections.

// Kernels keep the form of the course notes that they come from.
#![allow(clippy::manual_is_multiple_of, clippy::needless_late_init)]

pub mod access;
pub mod attention;
pub mod bank_patterns;
pub mod bulk_rows;
pub mod cases;
pub mod checking;
pub mod cluster_histogram;
pub mod coarsening;
pub mod counted_work;
pub mod divergence;
pub mod fences;
pub mod gemm;
pub mod groups;
pub mod hopper;
pub mod language;
pub mod litmus;
pub mod matmul;
pub mod measured;
pub mod measured_tensors;
pub mod memory_spaces;
pub mod nbody;
pub mod nested;
pub mod pitched;
pub mod pointwise;
pub mod ports;
pub mod random_products;
pub mod reduction;
pub mod rows;
pub mod scan;
pub mod shared_layout;
pub mod shared_reduction;
pub mod shuffles;
pub mod sorting;
pub mod sparse;
pub mod stencils;
pub mod tensor_core_product;
pub mod tensor_cores;
pub mod tensor_transpose;
pub mod textures;
pub mod transpose;
pub mod vectors;
