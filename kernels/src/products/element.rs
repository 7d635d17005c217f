//! The types of elements that are multiplied, and the cores that multiply each.

use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::Epilogue;
use super::cuda_cores::call::CudaCores;
use super::problem::{Problem, Task};
use super::tensor_cores::call::TensorCores;
use crate::call::{Plan, Step, Target};
use crate::error::KernelError;

/// A type of elements that products are made of: `f32`, `bf16` and `f16`.
pub trait ProductElement: Num + GpuType + 'static {
    /// The kernels for these elements.
    #[doc(hidden)]
    type Cores: Cores<Self>;
}

impl ProductElement for f32 {
    type Cores = CudaCores;
}

impl ProductElement for bf16 {
    type Cores = TensorCores;
}

impl ProductElement for f16 {
    type Cores = TensorCores;
}

/// A family of kernels for products of `T`.
pub trait Cores<T> {
    /// The kernel for a task that has elements, its tile and its grid.
    fn plan<E: Epilogue>(of: &Request<'_, '_, T, E>) -> Result<Plan, KernelError>;

    /// The launch of that plan.
    fn step<'a, E: Epilogue>(of: Launching<'a, '_, T, E>) -> Result<Step<'a>, KernelError>;
}

/// What a plan depends on.
pub struct Request<'p, 'a, T, E> {
    pub(super) problem: &'p Problem<'a, T, E>,
    pub(super) task: Task,
    pub(super) types: String,
    pub(super) limits: &'p Limits,
}

/// A product on its way to its launch.
pub struct Launching<'a, 'p, T, E> {
    pub(super) problem: Problem<'a, T, E>,
    pub(super) task: Task,
    pub(super) plan: &'p Plan,
    pub(super) target: &'p Target,
}
