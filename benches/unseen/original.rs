//! The originals: CUDA C++ by NVRTC on a GPU, with the flags of ours; by the host's C++ compiler elsewhere.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaModule, result};
use cudarc::nvrtc::Ptx;
use warpsmith::codegen::{Checks, PrintOptions, complete};
use warpsmith::nvrtc::{self, Arch, CompileOptions, Cubin};
use warpsmith::{Device, Kernel};

use crate::ground::Failure;
use crate::hosted::Hosted;
use crate::trial::{Family, Given, Shape};

/// The originals of one family, ready to be launched.
pub enum Original {
    Gpu { device: Device, module: Arc<CudaModule>, functions: RefCell<HashMap<&'static str, CudaFunction>> },
    Host(Hosted),
}

/// What the originals are compiled with: as ours.
fn options((major, minor): (u32, u32)) -> CompileOptions {
    let arch = Arch { major, minor, specific: false };
    CompileOptions::new(arch)
}

/// The machine code of a family.
///
/// # Errors
/// NVRTC's messages, or that it is missing.
pub fn compile(family: &Family, compute: (u32, u32)) -> Result<Cubin, nvrtc::NvrtcError> {
    nvrtc::compile(family.originals, family.name, &options(compute))
}

/// Compiles a kernel of ours, as a launch may need it: with all bounds checks, with those that no launch proves, with none.
///
/// # Errors
/// NVRTC's messages; that it is missing is none.
pub fn compile_ours<K: Kernel<Comptime = ()>>() -> Result<(), Failure> {
    for checks in [Checks::All, Checks::Lifted(u64::MAX), Checks::None] {
        let source = K::print(&(), &PrintOptions { checks, line_directives: false })?;
        match nvrtc::compile(&source.complete(), K::NAME, &options((9, 0))) {
            Ok(_) | Err(nvrtc::NvrtcError::Missing) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Milliseconds that NVRTC takes for a text, of a few tries the fastest.
///
/// # Errors
/// As [`compile`].
pub fn compile_time(text: &str, name: &str, compute: (u32, u32)) -> Result<f64, nvrtc::NvrtcError> {
    let mut best = f64::INFINITY;
    for attempt in 0..3 {
        // NVRTC keeps what it has compiled; a text with another last line is new to it.
        let text = format!("{text}\n// {} {attempt}\n", std::process::id());
        let start = std::time::Instant::now();
        nvrtc::compile(&complete(&text), name, &options(compute))?;
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(best)
}

impl Original {
    /// The originals of a family on a GPU.
    ///
    /// # Errors
    /// Messages of NVRTC or the driver.
    pub fn on_gpu(family: &Family, device: &Device) -> Result<Self, Failure> {
        let gpu = device.as_gpu().ok_or("a simulator has no driver")?;
        let cubin = compile(family, gpu.limits().compute)?;
        gpu.context().bind_to_thread()?;
        let module = gpu.context().load_module(Ptx::from_binary(cubin.image))?;
        Ok(Original::Gpu { device: device.clone(), module, functions: RefCell::default() })
    }

    /// Launches an original on the device's own stream.
    ///
    /// # Errors
    /// Messages of the driver, or that there is no such kernel.
    pub fn launch(&self, kernel: &'static str, shape: Shape, given: &mut [Given]) -> Result<(), Failure> {
        let mut parameters: Vec<*mut c_void> =
            given.iter_mut().map(|given| (&raw mut given.0).cast()).collect();
        match self {
            Original::Host(hosted) => hosted.launch(kernel, shape, &mut parameters),
            Original::Gpu { device, module, functions } => {
                let mut functions = functions.borrow_mut();
                if !functions.contains_key(kernel) {
                    functions.insert(kernel, module.load_function(kernel)?);
                }
                let stream = device.as_gpu().ok_or("a simulator has no driver")?.stream();
                let ([gx, gy, gz], [bx, by, bz]) = (shape.grid, shape.block);
                let (grid, block, shared) = ((gx, gy, gz), (bx, by, bz), shape.shared as u32);
                let function = functions[kernel].cu_function();
                // SAFETY: the parameters are the kernel's own, and point at memory of this trial.
                unsafe {
                    result::launch_kernel(function, grid, block, shared, stream.cu_stream(), &mut parameters)?
                };
                Ok(())
            }
        }
    }
}
