//! `gemm`: products of matrices, alone and in batches.

use warpsmith::args::SliceArg;
use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::element::{Cores, Launching, ProductElement, Request};
use super::problem::{Batch, Precision, Problem};
use super::{Epilogue, Scales, Unchanged};
use crate::argument::{Input, Matrix, MatrixMut};
use crate::call::{Call, Family, Plan, Step, Target, short_name};
use crate::error::KernelError;

/// `c = a * b`, accumulated in `f32`, or in `i32` for integers. `a`: `[m, k]`, `b`: `[k, n]`, `c`: `[m, n]`, each with any row stride,
/// and transposed by `.t()` for free.
///
/// | setting | `c` becomes |
/// |---|---|
/// | [`alpha(x)`](Call::alpha) [`beta(y)`](Call::beta) | `x * a * b + y * c` |
/// | [`bias(&v)`](Call::bias) | that plus `v[column]` |
/// | [`epilogue(f)`](Call::epilogue) | `f` of that |
/// | [`residual(r)`](Call::residual) | that plus `r`, a matrix of the shape of `c` |
/// | [`scales(s)`](Call::scales) | the same, with the elements of `a` and `b` times their scale factors |
///
/// [`ProductElement`] has the types of elements. `f32` is multiplied on CUDA cores, or as `tf32` with [`precision`](Call::precision),
/// and all others on tensor cores. For `tf32` and 8-bit elements, tensor cores need operands that are contiguous along `k`: `b` is an
/// `[n, k]` matrix with `.t()`. Hopper's keep only 14 bits of a sum of 8-bit floats; block factors keep more. An empty sum is zero.
/// NaN and infinities behave as in sums on the host; `c` is not read without a `beta`. The order of sums depends only on the settings,
/// the shape, the alignment of the memory and the device.
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
/// From the call's methods: [`KernelError::Shape`] if the matrices do not fit together, or the elements do not support their order or
/// the settings; [`KernelError::Overlap`] if `c` shares memory with another argument; [`KernelError::Device`] below compute capability
/// 8.0, and 8.9 for 8-bit floats.
pub fn gemm<'a, T: ProductElement<C>, C: GpuType + 'static>(
    device: &Device,
    a: Matrix<'a, T>,
    b: Matrix<'a, T>,
    c: MatrixMut<'a, C>,
) -> Call<'a, Gemm<'a, T, C, Unchanged>> {
    Call::new(device, Gemm::of(a, b, c, None, Unchanged))
}

/// A product of matrices.
pub struct Gemm<'a, T, C, E>(Problem<'a, T, C, E>);

impl<'a, T, C, E> Gemm<'a, T, C, E> {
    /// One product, with a bias for each column of `c`, if there is one, and an epilogue.
    pub(crate) fn of(
        a: Matrix<'a, T>,
        b: Matrix<'a, T>,
        c: MatrixMut<'a, C>,
        bias: Option<Input<'a, C>>,
        epilogue: E,
    ) -> Self {
        Self(Problem {
            a,
            b,
            c,
            alpha: 1.0,
            beta: 0.0,
            bias,
            residual: None,
            scales: None,
            epilogue,
            batch: Batch { count: 1, strides: [0; 3] },
            tile: None,
            precision: Precision::Full,
        })
    }
}

impl<'a, T: ProductElement<C>, C: GpuType + 'static, E: Epilogue> Call<'a, Gemm<'a, T, C, E>> {
    /// Multiplies the sums by `alpha`. Default: 1.
    pub fn alpha(self, alpha: f32) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { alpha, ..problem }))
    }

    /// Adds the previous elements of `c`, times `beta`. Default: 0, and `c` is not read.
    pub fn beta(self, beta: f32) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { beta, ..problem }))
    }

    /// Adds an element of `bias` to each column of `c`.
    pub fn bias(self, bias: impl SliceArg<'a, C>) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { bias: Some(Input::new(bias)), ..problem }))
    }

    /// Adds a matrix with the extents of `c`, after the epilogue. In a batch it has the batch stride of `c`.
    pub fn residual(self, residual: Matrix<'a, C>) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { residual: Some(residual), ..problem }))
    }

    /// Applies a function to each element: [`Gelu`](struct@super::Gelu), [`Silu`](struct@super::Silu), or one of your own.
    pub fn epilogue<F: Epilogue>(self, epilogue: F) -> Call<'a, Gemm<'a, T, C, F>> {
        self.replace(|Gemm(problem)| {
            let Problem { a, b, c, alpha, beta, bias, residual, scales, batch, tile, precision, .. } =
                problem;
            Gemm(Problem { a, b, c, alpha, beta, bias, residual, scales, epilogue, batch, tile, precision })
        })
    }

    /// Multiplies the elements of `a` and `b` by these factors: one for the whole matrix, for each line, or for each block.
    ///
    /// The sums of tensor cores are multiplied by them, before a bias is added. Only 8-bit floats have block factors. All
    /// products of a batch have the same factors.
    pub fn scales(self, scales: Scales<'a>) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { scales: Some(scales), ..problem }))
    }

    /// Computes `count` products. The `strides` of `a`, `b` and `c` are the elements from one matrix to the next.
    ///
    /// A stride of zero, for `a` or `b`, uses one matrix for all products.
    pub fn batched(self, count: usize, strides: [usize; 3]) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { batch: Batch { count, strides }, ..problem }))
    }

    /// Rows and columns of `c` that a block computes, one of the tiles that [`plan`](Call::plan) lists. Default: the one that keeps
    /// the device busiest.
    pub fn tile(self, rows: usize, cols: usize) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { tile: Some([rows, cols]), ..problem }))
    }
}

impl<'a, E: Epilogue> Call<'a, Gemm<'a, f32, f32, E>> {
    /// Sets whether `f32` elements are multiplied in full precision, on CUDA cores, or as `tf32`, on tensor cores.
    pub fn precision(self, precision: Precision) -> Self {
        self.map(|Gemm(problem)| Gemm(Problem { precision, ..problem }))
    }
}

impl<'a, T: ProductElement<C>, C: GpuType + 'static, E: Epilogue> Family<'a> for Gemm<'a, T, C, E> {
    const NEEDS: (u32, u32) = (8, 0);

    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        let Gemm(problem) = self;
        problem.check()?;
        let task = problem.task();
        let types = format!("{}, {}, {}", short_name::<T>(), short_name::<C>(), short_name::<E>());
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
