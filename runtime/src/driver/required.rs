//! The functions of the driver that this crate calls, and whether the driver has them.
//!
//! cudarc looks a function up at its first call, and panics where it is missing. An old driver, or a stub to link
//! with, lacks some: it is asked for all of them before the first call. Calls none of them.

use std::sync::OnceLock;

use cudarc::driver::sys;

use super::DriverError;

/// The first CUDA version whose driver has all of [`CALLED`] and [`WRAPPED`].
const SINCE: &str = "12.0";

/// The functions that this crate calls.
const CALLED: &[&str] = &[
    "cuArray3DCreate_v2",
    "cuArrayDestroy",
    "cuCtxEnablePeerAccess",
    "cuCtxGetCacheConfig",
    "cuCtxGetCurrent",
    "cuCtxGetLimit",
    "cuCtxGetStreamPriorityRange",
    "cuCtxResetPersistingL2Cache",
    "cuCtxSetCacheConfig",
    "cuCtxSetLimit",
    "cuDeviceCanAccessPeer",
    "cuDeviceGetMemPool",
    "cuDeviceGetP2PAttribute",
    "cuDriverGetVersion",
    "cuFuncSetCacheConfig",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuGraphExecUpdate_v2",
    "cuGraphGetNodes",
    "cuGraphInstantiateWithFlags",
    "cuGraphKernelNodeGetAttribute",
    "cuGraphLaunch",
    "cuLaunchKernelEx",
    "cuMemAllocManaged",
    "cuMemAllocPitch_v2",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemHostAlloc",
    "cuMemHostGetDevicePointer_v2",
    "cuMemHostRegister_v2",
    "cuMemHostUnregister",
    "cuMemPoolSetAccess",
    "cuMemPoolTrimTo",
    "cuMemcpy3DAsync_v2",
    "cuMemcpy3DPeerAsync",
    "cuMemcpy3D_v2",
    "cuMemcpyAsync",
    "cuMemcpyDtoH_v2",
    "cuMemcpyHtoD_v2",
    "cuMemcpyPeerAsync",
    "cuMemsetD8Async",
    "cuMemsetD8_v2",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuOccupancyMaxActiveClusters",
    "cuOccupancyMaxPotentialClusterSize",
    "cuStreamBeginCapture_v2",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamEndCapture",
    "cuStreamGetAttribute",
    "cuStreamGetFlags",
    "cuStreamGetPriority",
    "cuStreamQuery",
    "cuStreamSetAttribute",
    "cuSurfObjectCreate",
    "cuSurfObjectDestroy",
    "cuTensorMapEncodeTiled",
    "cuTexObjectCreate",
    "cuTexObjectDestroy",
];

/// The functions that cudarc calls for this crate: in contexts, streams, events and modules, and their `drop`.
const WRAPPED: &[&str] = &[
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchHostFunc",
    "cuMemAllocAsync",
    "cuMemGetInfo_v2",
    "cuModuleGetFunction",
    "cuModuleGetGlobal_v2",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuStreamCreateWithPriority",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// Functions that only newer drivers have, asked for where they are used, and the first CUDA version that has each.
const LATER: &[(&str, &str)] =
    &[("cuEventElapsedTime_v2", "12.8"), ("cuMemAdvise_v2", "12.2"), ("cuMemPrefetchAsync_v2", "12.2")];

/// Whether the driver is there, with every function that any device needs; asked once in a process.
///
/// # Errors
/// [`DriverError::Missing`] without a driver, [`DriverError::Symbol`] for the first function that it lacks.
pub(super) fn check() -> Result<(), DriverError> {
    static CHECKED: OnceLock<Result<(), DriverError>> = OnceLock::new();
    CHECKED.get_or_init(look).clone()
}

fn look() -> Result<(), DriverError> {
    // SAFETY: opens and closes the driver by name; its initialisers are NVIDIA's.
    if !unsafe { sys::is_culib_present() } {
        return Err(DriverError::Missing);
    }
    let missing = WRAPPED.iter().chain(CALLED).find(|symbol| !has(symbol));
    missing.map_or(Ok(()), |symbol| Err(DriverError::Symbol { symbol, since: SINCE }))
}

/// Whether the driver has a function that only newer ones have.
///
/// # Errors
/// [`DriverError::Symbol`] if not.
pub(super) fn later(symbol: &'static str) -> Result<(), DriverError> {
    if has(symbol) {
        return Ok(());
    }
    let since = LATER.iter().find(|(of, _)| *of == symbol).map_or(SINCE, |(_, since)| *since);
    Err(DriverError::Symbol { symbol, since })
}

fn has(symbol: &str) -> bool {
    // SAFETY: the driver is present, as `look` found; the function is looked up and not called.
    unsafe { sys::culib().get::<unsafe extern "C" fn()>(symbol.as_bytes()) }.is_ok()
}

#[cfg(test)]
mod tests;
