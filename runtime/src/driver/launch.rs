//! One `cuLaunchKernelEx`.
//!
//! Everything was checked before, but what only the driver knows. Nothing here allocates.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use cudarc::driver::CudaStream;
use cudarc::driver::sys;

use super::LaunchStream;
use super::attributes::List;
use super::order::Uses;
use super::{Attributes, DriverError, Gpu, Loaded};
use crate::argument::{KernelArg, MemoryPlace};
use crate::error::LaunchError;
use crate::shape::{LaunchShape, MAX_ARGUMENTS};

/// Run-time parameters of one kernel at most: a slice is two; the threads of a coarsened kernel and the fault record are
/// the last.
const MAX_PARAMS: usize = 2 * MAX_ARGUMENTS + 2;

/// Addresses of the parameters, in place.
struct Params {
    items: [MaybeUninit<*mut c_void>; MAX_PARAMS],
    len: usize,
}

impl Params {
    fn new(args: &[KernelArg]) -> Self {
        let mut params = Self { items: [const { MaybeUninit::uninit() }; MAX_PARAMS], len: 0 };
        for arg in args {
            match arg {
                KernelArg::Slice { ptr, len, .. } => {
                    params.push(ptr);
                    params.push(len);
                }
                KernelArg::Image { access, .. } => params.push(access.get().words.as_ptr()),
                KernelArg::TensorMap { map, .. } => params.push(map.encoded.0.as_ptr()),
                KernelArg::Value(bytes) => params.push(bytes.as_ptr()),
            }
        }
        params
    }

    fn push<T>(&mut self, value: *const T) {
        self.items[self.len].write(value.cast_mut().cast());
        self.len += 1;
    }
}

impl Gpu {
    /// Launches a loaded kernel on the stream of its attributes, or the GPU's own.
    pub(crate) fn launch(
        &self,
        loaded: &Loaded,
        shape: &LaunchShape,
        attributes: &Attributes,
        args: &[KernelArg],
    ) -> Result<(), LaunchError> {
        let stream = match &attributes.stream {
            None => &self.stream,
            Some(LaunchStream(Some(stream))) => stream,
            Some(LaunchStream(None)) => {
                let (owner, device) = (MemoryPlace::Simulator, MemoryPlace::Gpu(self.ordinal));
                return Err(DriverError::OtherDevice { what: "stream", owner, device }.into());
            }
        };
        self.accepts(stream)?;
        let uses = Uses { args, constants: &loaded.constants, hidden_memory: loaded.needs().hidden_memory };
        let begun = uses.before(self, stream)?;
        self.mark_at_peers(loaded.needs(), args)?;
        self.bind()?;
        loaded.ready(shape, attributes)?;
        self.enqueue(loaded, shape, attributes, args, stream.cu_stream())?;
        Ok(uses.after(self, stream, begun)?)
    }

    /// Runs `work` on another stream, after all of the device's own stream so far and before what comes.
    pub(super) fn beside(
        &self,
        stream: &CudaStream,
        work: impl FnOnce() -> Result<(), LaunchError>,
    ) -> Result<(), LaunchError> {
        let failed = |e| DriverError::cuda("cuStreamWaitEvent", &e);
        stream.join(&self.stream).map_err(failed)?;
        work()?;
        Ok(self.stream.join(stream).map_err(failed)?)
    }

    /// The driver's call. The context is bound and the kernel ready.
    pub(super) fn enqueue(
        &self,
        loaded: &Loaded,
        shape: &LaunchShape,
        attributes: &Attributes,
        args: &[KernelArg],
        stream: sys::CUstream,
    ) -> Result<(), LaunchError> {
        self.mark_unchecked(loaded.needs(), args, stream)?;
        let mut params = Params::new(args);
        let (physical, threads) = shape.to_start(loaded.needs().coarsened.as_ref());
        if loaded.needs().coarsened.is_some() {
            params.push(&threads);
        }
        let fault = loaded.fault_address();
        if let Some(fault) = &fault {
            params.push(fault);
        }
        let mut list = List::new(&physical, attributes);
        let config = config(&physical, &mut list, stream);
        // SAFETY: the function is loaded in the bound context; each parameter's address is to a
        // value of the type that the printed kernel declares, alive for the call, which copies it.
        let result = unsafe {
            sys::cuLaunchKernelEx(
                &raw const config,
                loaded.function(),
                params.items.as_mut_ptr().cast(),
                std::ptr::null_mut(),
            )
        };
        Ok(result.result().map_err(|e| DriverError::cuda("cuLaunchKernelEx", &e))?)
    }

    /// Makes the GPU's context the thread's, if it is not.
    #[inline]
    pub(crate) fn bind(&self) -> Result<(), DriverError> {
        let mut current = std::ptr::null_mut();
        // SAFETY: the driver is loaded, and `current` is writable.
        let known = unsafe { sys::cuCtxGetCurrent(&raw mut current) };
        if known == sys::CUresult::CUDA_SUCCESS && current == self.context.cu_ctx() {
            return Ok(());
        }
        self.context.bind_to_thread().map_err(|e| DriverError::cuda("cuCtxSetCurrent", &e))
    }
}

/// The driver's form of a shape, with a list that must outlive it.
pub(super) fn config(shape: &LaunchShape, list: &mut List, stream: sys::CUstream) -> sys::CUlaunchConfig {
    sys::CUlaunchConfig {
        gridDimX: shape.grid[0],
        gridDimY: shape.grid[1],
        gridDimZ: shape.grid[2],
        blockDimX: shape.block[0],
        blockDimY: shape.block[1],
        blockDimZ: shape.block[2],
        sharedMemBytes: shape.dynamic_shared,
        hStream: stream,
        attrs: list.as_mut_ptr(),
        numAttrs: list.len(),
    }
}
