//! The methods of kernels: their IR, their CUDA, their cubin.

use std::sync::Arc;

use crate::codegen::{Checks, CudaSource, PrintOptions};
use crate::compile;
use crate::driver::Version;
use crate::error::Result;
use crate::host::device::Device;
use crate::ir::{CoarsenFactor, Module};
use crate::nvrtc::Cubin;
use crate::record::RecordError;
use crate::resources::{BoundsEffect, Resources};
use crate::validate::ValidModule;

pub use warpsmith_lang::kernel::KernelDefinition;
pub(crate) use warpsmith_lang::kernel::{AnyKernel, Specialized};

/// A kernel: the type that `#[gpu_kernel]` declares under the function's name.
pub trait Kernel: KernelDefinition {
    /// Records the kernel for these comptime values, and every kernel that it launches.
    ///
    /// # Errors
    /// A construct that the kernel language does not support, with its Rust line.
    fn record(comptime: &Self::Comptime) -> std::result::Result<Module, RecordError> {
        compile::record(&specialized::<Self>(comptime))
    }

    /// The kernel, recorded, validated and simplified.
    ///
    /// # Errors
    /// An error of recording or validation, with its Rust line.
    fn module(comptime: &Self::Comptime) -> Result<ValidModule> {
        compile::module(&specialized::<Self>(comptime))
    }

    /// Conditions such as `grid.x * block.x - 1 < x.len()`, each of which proves some bounds checks. A launch that meets
    /// one runs without those checks; any other launch runs with them.
    ///
    /// # Errors
    /// An error of recording or validation, with its Rust line.
    fn launch_conditions_for(comptime: &Self::Comptime) -> Result<Vec<String>> {
        compile::launch_conditions(&specialized::<Self>(comptime))
    }

    /// The CUDA for these comptime values, printed with `options`; coarsened if the kernel's attribute says so.
    ///
    /// # Errors
    /// An error of recording or validation, with its Rust line.
    fn print(comptime: &Self::Comptime, options: &PrintOptions) -> Result<CudaSource> {
        compile::source(&specialized::<Self>(comptime), options)
    }

    /// The CUDA C++ of the kernel coarsened, as a launch with [`Launch::coarsen`](crate::Launch::coarsen) compiles it,
    /// without bounds checks.
    ///
    /// # Errors
    /// The errors of [`Kernel::cuda_source`]; [`NotCoarsened`](crate::error::NotCoarsened) with the reason and its line.
    fn coarsened_cuda_source_for(comptime: &Self::Comptime, factor: CoarsenFactor) -> Result<String> {
        let version = Version { coarsen: Some(factor), ..Checks::None.into() };
        Ok(compile::print(&Self::module(comptime)?, version, false)?.code)
    }

    /// The kernel's CUDA C++ as the author wrote it: without bounds checks, without `#line`.
    ///
    /// This is the CUDA to read and to snapshot.
    ///
    /// # Errors
    /// An error of recording or validation, with its Rust line.
    fn cuda_source() -> Result<String>
    where
        Self: Kernel<Comptime = ()>,
    {
        Self::cuda_source_for(&())
    }

    /// [`Kernel::cuda_source`] of a kernel with comptime parameters: `reduce::cuda_source_for(&(256,))`.
    ///
    /// # Errors
    /// An error of recording or validation, with its Rust line.
    fn cuda_source_for(comptime: &Self::Comptime) -> Result<String> {
        Ok(Self::print(comptime, &PrintOptions { checks: Checks::None, line_directives: false })?.code)
    }

    /// The CUDA C++ with every bounds check that the kernel's own code does not make redundant, as compiled for a launch
    /// that meets no condition.
    ///
    /// A launch that meets all [`Kernel::launch_conditions_for`] compiles [`Kernel::lifted_cuda_source_for`];
    /// [`Launch::cuda_source`](crate::Launch::cuda_source) is the CUDA of a particular launch.
    ///
    /// # Errors
    /// An error of recording or validation, with its Rust line.
    fn checked_cuda_source_for(comptime: &Self::Comptime) -> Result<String> {
        Ok(Self::print(comptime, &PrintOptions { checks: Checks::All, line_directives: false })?.code)
    }

    /// The CUDA C++ for a launch that meets all [`Kernel::launch_conditions_for`], with the remaining checks.
    ///
    /// # Errors
    /// An error of recording or validation, with its Rust line.
    fn lifted_cuda_source_for(comptime: &Self::Comptime) -> Result<String> {
        Ok(Self::print(comptime, &PrintOptions { checks: Checks::Lifted(u64::MAX), line_directives: false })?
            .code)
    }

    /// The PTX that `launch` compiles to for an architecture: `saxpy::ptx_for(&(), "sm_90")`.
    ///
    /// # Errors
    /// An error of recording, validation or NVRTC, or a missing NVRTC.
    fn ptx_for(comptime: &Self::Comptime, arch: &str) -> Result<String> {
        compile::ptx(&specialized::<Self>(comptime), arch)
    }

    /// The cubin that `launch` compiles to for an architecture: `saxpy::cubin_for(&(), "sm_90")`.
    ///
    /// # Errors
    /// An error of recording, validation or NVRTC, or a missing NVRTC.
    fn cubin_for(comptime: &Self::Comptime, arch: &str) -> Result<Arc<Cubin>> {
        compile::cubin(&specialized::<Self>(comptime), arch)
    }

    /// The resources that `launch` uses on an architecture: `saxpy::resources_for(&(), "sm_90")`. Needs no GPU.
    ///
    /// # Errors
    /// An error of recording, validation or NVRTC, or a missing NVRTC.
    fn resources_for(comptime: &Self::Comptime, arch: &str) -> Result<Resources> {
        compile::resources(&specialized::<Self>(comptime), arch)
    }

    /// The effect of the kernel's launch bounds and register cap on an architecture. Needs no GPU.
    ///
    /// # Errors
    /// The errors of [`Kernel::resources_for`].
    fn bounds_effect_for(comptime: &Self::Comptime, arch: &str) -> Result<BoundsEffect> {
        compile::bounds_effect(&specialized::<Self>(comptime), arch)
    }

    /// Compiles and loads the kernel for `launch`, ahead of the first launch.
    ///
    /// On the simulator the kernel is recorded and validated.
    ///
    /// # Errors
    /// An error of recording, validation, compilation or loading.
    fn compile(device: &Device, comptime: &Self::Comptime) -> Result<()> {
        compile::ahead(device, &specialized::<Self>(comptime))
    }
}

impl<K: KernelDefinition> Kernel for K {}

fn specialized<K: Kernel>(comptime: &K::Comptime) -> Specialized<K> {
    Specialized(comptime.clone())
}
