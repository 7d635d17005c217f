//! What happens to an element of a product before it is stored.

use std::any::TypeId;

use warpsmith::prelude::*;

/// A function of each element of a product, after scaling and bias and before the residual is added.
///
/// It is passed to the kernel by value, with its fields.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::{matrix, matrix_mut};
/// use warpsmith_kernels::products::{Epilogue, gemm};
///
/// /// Clamps to `-limit..=limit`.
/// #[derive(Clone, Copy, GpuType)]
/// #[repr(C)]
/// struct Clamp {
///     limit: f32,
/// }
///
/// #[gpu_impl]
/// impl Epilogue for Clamp {
///     fn apply(self, x: f32, _row: usize, _col: usize) -> f32 {
///         x.clamp(-self.limit, self.limit)
///     }
/// }
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// let a = gpu.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let mut c = gpu.alloc_zeroed::<f32>(4)?;
/// gemm(&gpu, matrix(&a, 2, 2)?, matrix(&a, 2, 2)?, matrix_mut(&mut c, 2, 2)?)
///     .epilogue(Clamp { limit: 12.0 })
///     .run()?;
/// assert_eq!(gpu.download(&c)?, [7.0, 10.0, 12.0, 12.0]);
/// # Ok(()) }
/// ```
#[gpu_trait]
pub trait Epilogue: GpuType + 'static {
    /// The element at (`row`, `col`) of the product, for its value `x`.
    fn apply(self, x: f32, row: usize, col: usize) -> f32;
}

/// A struct with its only value, which has the same name. Structs of kernels have at least one field.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, GpuType)]
        #[repr(C)]
        pub struct $name {
            unused: u32,
        }

        $(#[$doc])*
        #[allow(non_upper_case_globals)]
        pub const $name: $name = $name { unused: 0 };
    )+};
}

functions! {
    /// The element as it is.
    Unchanged
    /// The Gaussian error linear unit: `x * Φ(x)`, by the error function.
    Gelu
    /// The Gaussian error linear unit, approximated with the hyperbolic tangent.
    GeluTanh
    /// The sigmoid linear unit: `x / (1 + exp(-x))`.
    Silu
    /// The rectified linear unit: the larger of `x` and zero; NaN stays NaN.
    Relu
}

/// Whether an epilogue leaves elements as they are.
pub(crate) fn is_unchanged<E: 'static>() -> bool {
    TypeId::of::<E>() == TypeId::of::<Unchanged>()
}

#[gpu_impl]
impl Epilogue for Unchanged {
    fn apply(self, x: f32, _row: usize, _col: usize) -> f32 {
        x
    }
}

#[gpu_impl]
impl Epilogue for Gelu {
    fn apply(self, x: f32, _row: usize, _col: usize) -> f32 {
        0.5 * x * (1.0 + erf(x * core::f32::consts::FRAC_1_SQRT_2))
    }
}

#[gpu_impl]
impl Epilogue for GeluTanh {
    fn apply(self, x: f32, _row: usize, _col: usize) -> f32 {
        // sqrt(2 / pi)
        let inner = 0.797_884_6 * (x + 0.044_715 * x * x * x);
        0.5 * x * (1.0 + inner.tanh())
    }
}

#[gpu_impl]
impl Epilogue for Silu {
    fn apply(self, x: f32, _row: usize, _col: usize) -> f32 {
        x / (1.0 + (-x).exp())
    }
}

#[gpu_impl]
impl Epilogue for Relu {
    fn apply(self, x: f32, _row: usize, _col: usize) -> f32 {
        if x < 0.0 { 0.0 } else { x }
    }
}
