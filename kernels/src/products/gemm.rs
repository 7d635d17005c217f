//! `gemm`: products of matrices, alone and in batches.

use warpsmith::Device;
use warpsmith::args::SliceArg;
use warpsmith::driver::Limits;

use super::element::{Cores, Launching, ProductElement, Request};
use super::problem::{Batch, Problem};
use super::{Epilogue, Unchanged};
use crate::argument::{Input, Matrix, MatrixMut};
use crate::call::{Call, Family, Plan, Step, Target, short_name};
use crate::error::KernelError;

/// `c = a * b`, summed in `f32`. `a`: `[m, k]`, `b`: `[k, n]`, `c`: `[m, n]`, each of any stride, and transposed by `.t()` for free.
///
/// | setting | `c` becomes |
/// |---|---|
/// | [`alpha(x)`](Call::alpha) [`beta(y)`](Call::beta) | `x * a * b + y * c` |
/// | [`bias(&v)`](Call::bias) | that plus `v[column]` |
/// | [`epilogue(f)`](Call::epilogue) | `f` of that |
/// | [`residual(r)`](Call::residual) | that plus `r`, a matrix like `c` |
///
/// Elements are `f32`, computed on CUDA cores, or `bf16` and `f16`, on tensor cores. An empty sum is zero. NaN and infinities
/// behave as in sums on the host; `c` is not read without a `beta`. The order of sums depends on the settings, the shape,
/// the alignment of the memory and the device alone.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::{matrix, matrix_mut};
/// use warpsmith_kernels::products::{Gelu, gemm};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// let (x, w) = (gpu.upload(&[0.5f32; 4 * 8])?, gpu.upload(&[0.25f32; 3 * 8])?);
/// let (bias, mut y) = (gpu.upload(&[-1.0f32; 3])?, gpu.alloc_zeroed::<f32>(4 * 3)?);
/// let call = gemm(&gpu, matrix(&x, 4, 8)?, matrix(&w, 3, 8)?.t(), matrix_mut(&mut y, 4, 3)?);
/// call.bias(&bias).epilogue(Gelu).run()?;
/// assert_eq!(gpu.download(&y)?, [0.0; 12]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if the matrices do not fit together, [`KernelError::Overlap`] if `c` shares
/// memory with another argument.
pub fn gemm<'a, T: ProductElement>(
    device: &Device,
    a: Matrix<'a, T>,
    b: Matrix<'a, T>,
    c: MatrixMut<'a, T>,
) -> Call<'a, Gemm<'a, T, Unchanged>> {
    let batch = Batch { count: 1, strides: [0; 3] };
    let (alpha, beta) = (1.0, 0.0);
    let problem =
        Problem { a, b, c, alpha, beta, bias: None, residual: None, epilogue: Unchanged, batch, tile: None };
    Call::new(device, Gemm(problem))
}

/// A product of matrices.
pub struct Gemm<'a, T, E>(Problem<'a, T, E>);

impl<'a, T: ProductElement, E: Epilogue> Call<'a, Gemm<'a, T, E>> {
    /// Multiplies the sums by `alpha`. Default: 1.
    pub fn alpha(self, alpha: f32) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { alpha, ..problem }))
    }

    /// Adds the elements that `c` has before, times `beta`. Default: 0, and `c` is not read.
    pub fn beta(self, beta: f32) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { beta, ..problem }))
    }

    /// Adds an element of `bias` to each column of `c`.
    pub fn bias(self, bias: impl SliceArg<'a, T>) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { bias: Some(Input::new(bias)), ..problem }))
    }

    /// Adds a matrix of the extents of `c`, after the epilogue. In a batch it has the distance of `c`'s products.
    pub fn residual(self, residual: Matrix<'a, T>) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { residual: Some(residual), ..problem }))
    }

    /// Applies a function to each element: [`Gelu`](struct@super::Gelu), [`Silu`](struct@super::Silu), or one of your own.
    pub fn epilogue<F: Epilogue>(self, epilogue: F) -> Call<'a, Gemm<'a, T, F>> {
        self.replace(|Gemm(problem)| {
            let Problem { a, b, c, alpha, beta, bias, residual, batch, tile, .. } = problem;
            Gemm(Problem { a, b, c, alpha, beta, bias, residual, epilogue, batch, tile })
        })
    }

    /// Computes `count` products. Their matrices lie `strides` elements apart: those of `a`, of `b` and of `c`.
    ///
    /// A distance of zero, of `a` or of `b`, is one matrix for all products.
    pub fn batched(self, count: usize, strides: [usize; 3]) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { batch: Batch { count, strides }, ..problem }))
    }

    /// Rows and columns of `c` that a block computes, one of the tiles that [`plan`](Call::plan) knows. Default: the one that keeps
    /// the device busiest.
    pub fn tile(self, rows: usize, cols: usize) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { tile: Some([rows, cols]), ..problem }))
    }
}

impl<'a, T: ProductElement, E: Epilogue> Family<'a> for Gemm<'a, T, E> {
    const NEEDS: (u32, u32) = (8, 0);

    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        let Gemm(problem) = self;
        problem.check()?;
        let task = problem.task();
        let types = format!("{}, {}", short_name::<T>(), short_name::<E>());
        if task.shape.m == 0 || task.shape.n == 0 || task.count == 0 {
            return Ok(Plan::nothing(types, "`c` has no elements"));
        }
        T::Cores::plan(&Request { problem, task, types, limits })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        let Gemm(problem) = self;
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let task = problem.task();
        Ok(vec![T::Cores::step(Launching { problem, task, plan, target })?])
    }
}
