//! The types of elements that are multiplied, with the kernels for each.

use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::Epilogue;
use super::problem::{Problem, Task};
use super::{cuda_cores, tensor_cores};
use crate::call::{Plan, Step, Target};
use crate::error::KernelError;

/// A type of elements that products are made of: `f32`, `bf16` and `f16`.
pub trait ProductElement: Num + GpuType + 'static {
    /// The kernel for a task that has elements, its tile and its grid.
    #[doc(hidden)]
    fn plan<E: Epilogue>(
        problem: &Problem<'_, Self, E>,
        task: &Task,
        types: String,
        limits: &Limits,
    ) -> Result<Plan, KernelError>;

    /// The launch of that plan.
    #[doc(hidden)]
    fn step<'a, E: Epilogue>(
        problem: Problem<'a, Self, E>,
        task: &Task,
        plan: &Plan,
        target: &Target,
    ) -> Result<Step<'a>, KernelError>;
}

impl ProductElement for f32 {
    fn plan<E: Epilogue>(
        problem: &Problem<'_, f32, E>,
        task: &Task,
        types: String,
        limits: &Limits,
    ) -> Result<Plan, KernelError> {
        cuda_cores::call::plan(problem, task, types, limits)
    }

    fn step<'a, E: Epilogue>(
        problem: Problem<'a, f32, E>,
        task: &Task,
        plan: &Plan,
        target: &Target,
    ) -> Result<Step<'a>, KernelError> {
        cuda_cores::call::step(problem, task, plan, target)
    }
}

macro_rules! on_tensor_cores {
    ($($t:ty)+) => {$(
        impl ProductElement for $t {
            fn plan<E: Epilogue>(
                problem: &Problem<'_, $t, E>,
                task: &Task,
                types: String,
                limits: &Limits,
            ) -> Result<Plan, KernelError> {
                tensor_cores::call::plan(problem, task, types, limits)
            }

            fn step<'a, E: Epilogue>(
                problem: Problem<'a, $t, E>,
                task: &Task,
                plan: &Plan,
                target: &Target,
            ) -> Result<Step<'a>, KernelError> {
                tensor_cores::call::step(problem, task, plan, target)
            }
        }
    )+};
}

on_tensor_cores! { bf16 f16 }
