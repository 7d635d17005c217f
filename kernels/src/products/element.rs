//! The types of elements that are multiplied, and the cores that multiply each.

use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::Epilogue;
use super::cuda_cores::call::CudaCores;
use super::problem::{Precision, Problem, Task};
use super::tensor_cores::call::TensorCores;
use crate::call::{Plan, Step, Target};
use crate::error::KernelError;

/// A type of elements that products are made of, whose products may have elements of type `C`.
///
/// | elements | of `c` | multiplied on |
/// |---|---|---|
/// | `f32` | `f32` | CUDA cores, or tensor cores as `tf32` |
/// | `bf16` | `bf16` | tensor cores |
/// | `f16` | `f16` | tensor cores |
/// | `F8E4M3` `F8E5M2` | `bf16` `f16` `f32` | tensor cores |
/// | `i8` | `i32` `f32` `bf16` | tensor cores |
pub trait ProductElement<C = Self>: AnyBits + GpuType + 'static {
    /// The kernels for these elements.
    #[doc(hidden)]
    type Cores: Cores<Self, C>;
}

macro_rules! products {
    ($($t:ty: $($c:ty)+ = $cores:ty;)+) => {$($(
        impl ProductElement<$c> for $t {
            type Cores = $cores;
        }
    )+)+};
}

products! {
    f32: f32 = SingleCores;
    bf16: bf16 = TensorCores;
    f16: f16 = TensorCores;
    F8E4M3: bf16 f16 f32 = TensorCores;
    F8E5M2: bf16 f16 f32 = TensorCores;
    i8: i32 f32 bf16 = TensorCores;
}

/// The kernels of the precision that the caller asks for.
pub struct SingleCores;

impl Cores<f32, f32> for SingleCores {
    fn plan<E: Epilogue>(of: &Request<'_, '_, f32, f32, E>) -> Result<Plan, KernelError> {
        match of.problem.precision {
            Precision::Full => CudaCores::plan(of),
            Precision::TensorFloat32 => TensorCores::plan(of),
        }
    }

    fn step<'a, E: Epilogue>(of: Launching<'a, '_, f32, f32, E>) -> Result<Step<'a>, KernelError> {
        match of.problem.precision {
            Precision::Full => CudaCores::step(of),
            Precision::TensorFloat32 => TensorCores::step(of),
        }
    }
}

/// A family of kernels for products of `T`.
pub trait Cores<T, C> {
    /// The kernel for a task that has elements, its tile and its grid.
    fn plan<E: Epilogue>(of: &Request<'_, '_, T, C, E>) -> Result<Plan, KernelError>;

    /// The launch of that plan.
    fn step<'a, E: Epilogue>(of: Launching<'a, '_, T, C, E>) -> Result<Step<'a>, KernelError>;
}

/// What a plan depends on.
pub struct Request<'p, 'a, T, C, E> {
    pub(super) problem: &'p Problem<'a, T, C, E>,
    pub(super) task: Task,
    pub(super) types: String,
    pub(super) limits: &'p Limits,
}

/// A product on its way to its launch.
pub struct Launching<'a, 'p, T, C, E> {
    pub(super) problem: Problem<'a, T, C, E>,
    pub(super) task: Task,
    pub(super) plan: &'p Plan,
    pub(super) target: &'p Target,
}
