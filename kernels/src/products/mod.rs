//! Products of matrices.
//!
//! [`gemm`] multiplies matrices of any size, stride and order, alone and in batches, and [`grouped_gemm`] groups of rows by matrices of
//! their own. An [`Epilogue`] is applied to each element
//! before it is stored.

pub mod cuda_cores;
mod element;
mod epilogue;
pub mod finish;
mod gemm;
pub mod gemv;
mod problem;
pub mod scales;
pub mod shape;
pub mod tensor_cores;
mod tiles;

pub use element::ProductElement;
pub(crate) use epilogue::is_unchanged;
pub use epilogue::{Epilogue, Gelu, GeluTanh, Relu, Silu, Unchanged};
pub use gemm::{Gemm, gemm};
pub use gemv::{Gemv, GemvQuantized, gemv, gemv_quantized};
pub use problem::{Precision, Problem, Task};
pub use scales::Scales;
pub use tensor_cores::call::TensorCoreElement;
pub use tensor_cores::grouped_call::{GroupedElement, GroupedGemm, grouped_gemm};
