//! The features and limits of a device.

use crate::limits;
use crate::resources::{Multiprocessor, shared_unit};
use cudarc::driver::CudaContext;
use cudarc::driver::sys::{self, CUdevice_attribute as Attr};

use super::{DriverError, ImageLimits};

/// The features and limits of a device: the driver's numbers for a GPU, or the simulator's model.
///
/// Sizes are in bytes, rates in kHz. Source: CUDA Driver API, `cuDeviceGetAttribute`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Compute capability.
    pub compute: (u32, u32),
    /// The CUDA version of the driver, as `13000` for 13.0; zero on the simulator.
    pub driver_version: u32,
    /// Lanes of a warp.
    pub warp_size: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Threads in a block.
    pub threads_per_block: u32,
    /// Threads in a block, in each dimension.
    pub block: [u32; 3],
    /// Blocks in a grid, in each dimension.
    pub grid: [u32; 3],
    /// Threads resident on a multiprocessor.
    pub threads_per_multiprocessor: u32,
    /// Blocks resident on a multiprocessor.
    pub blocks_per_multiprocessor: u32,
    /// Registers of 32 bits of a block.
    pub registers_per_block: u32,
    /// Registers of 32 bits of a multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// Shared memory of a block without opting in.
    pub shared_per_block: usize,
    /// Shared memory of a block, opt-in.
    pub shared_opt_in: usize,
    /// Shared memory of a multiprocessor.
    pub shared_per_multiprocessor: usize,
    /// Shared memory of each block that the driver keeps for itself.
    pub shared_reserved_per_block: usize,
    /// Constant memory.
    pub constant_memory: usize,
    /// Parameters of a kernel.
    pub parameter_bytes: usize,
    /// The L2 cache.
    pub l2: usize,
    /// The most of the L2 cache that can be set aside for persisting accesses.
    pub persisting_l2: usize,
    /// The largest access-policy window.
    pub access_policy_window: usize,
    /// The largest distance of rows that copies of boxes take.
    pub pitch: usize,
    /// The largest textures and surfaces.
    pub images: ImageLimits,
    /// Global memory; zero on the simulator, which has the host's.
    pub global_memory: usize,
    /// Width of the memory bus in bits; zero on the simulator.
    pub memory_bus_bits: u32,
    /// Rate of the memory clock; zero on the simulator.
    pub memory_clock: u32,
    /// Highest rate of the multiprocessors' clock; zero on the simulator.
    pub clock: u32,
    /// Engines that copy beside kernels.
    pub async_engines: u32,
    /// Least and greatest priority of streams and launches; lower numbers are greater priorities.
    pub priorities: [i32; 2],
    /// Memory synchronization domains.
    pub mem_sync_domains: u32,
    /// Whether memory corrects errors.
    pub ecc: bool,
    /// Whether kernels run beside each other.
    pub concurrent_kernels: bool,
    /// Whether clusters can be launched.
    pub clusters: bool,
    /// Whether cooperative launches are possible.
    pub cooperative: bool,
    /// Whether host memory can be mapped for kernels.
    pub mapped_host_memory: bool,
    /// Whether there is managed memory.
    pub managed_memory: bool,
    /// Whether the host may use managed memory while kernels run.
    pub concurrent_managed: bool,
}

impl Limits {
    /// The simulator's model: a device of compute capability 9.0 with an H100's numbers.
    pub(crate) const SIMULATOR: Limits = Limits {
        compute: (9, 0),
        driver_version: 0,
        warp_size: limits::WARP,
        multiprocessors: 132,
        threads_per_block: limits::BLOCK_THREADS,
        block: limits::BLOCK,
        grid: limits::GRID,
        threads_per_multiprocessor: 2048,
        blocks_per_multiprocessor: 32,
        registers_per_block: 65_536,
        registers_per_multiprocessor: 65_536,
        shared_per_block: limits::STATIC_SHARED,
        shared_opt_in: 227 << 10,
        shared_per_multiprocessor: 228 << 10,
        shared_reserved_per_block: 1 << 10,
        constant_memory: 64 << 10,
        parameter_bytes: limits::PARAMETER_BYTES,
        l2: 50 << 20,
        persisting_l2: 32_768_000,
        access_policy_window: 134_213_632,
        pitch: 2_147_483_647,
        images: ImageLimits::SIMULATOR,
        global_memory: 0,
        memory_bus_bits: 0,
        memory_clock: 0,
        clock: 0,
        async_engines: 0,
        priorities: [0, -5],
        mem_sync_domains: 4,
        ecc: false,
        concurrent_kernels: true,
        clusters: true,
        cooperative: true,
        mapped_host_memory: true,
        managed_memory: true,
        concurrent_managed: true,
    };

    /// The driver's numbers of a GPU, whose context is current.
    pub(super) fn of_context(context: &CudaContext) -> Result<Self, DriverError> {
        let get = |attribute: Attr| {
            context
                .attribute(attribute)
                .map(|value| u32::try_from(value).unwrap_or(0))
                .map_err(|e| DriverError::cuda("cuDeviceGetAttribute", &e))
        };
        let bytes = |attribute| get(attribute).map(|n| n as usize);
        let flag = |attribute| get(attribute).map(|n| n != 0);
        let compute = (
            get(Attr::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            get(Attr::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        let driver_version = driver_version()?;
        Ok(Self {
            compute,
            driver_version,
            warp_size: get(Attr::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
            multiprocessors: get(Attr::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            threads_per_block: get(Attr::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            block: [
                get(Attr::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                get(Attr::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                get(Attr::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ],
            grid: [
                get(Attr::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                get(Attr::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                get(Attr::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
            ],
            threads_per_multiprocessor: get(Attr::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
            blocks_per_multiprocessor: get(Attr::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
            registers_per_block: get(Attr::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
            registers_per_multiprocessor: get(Attr::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
            shared_per_block: bytes(Attr::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
            shared_opt_in: bytes(Attr::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            shared_per_multiprocessor: bytes(Attr::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
            shared_reserved_per_block: bytes(Attr::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)?,
            constant_memory: bytes(Attr::CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY)?,
            parameter_bytes: parameter_bytes(compute, driver_version),
            l2: bytes(Attr::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?,
            persisting_l2: bytes(Attr::CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE)?,
            access_policy_window: bytes(Attr::CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE)?,
            pitch: bytes(Attr::CU_DEVICE_ATTRIBUTE_MAX_PITCH)?,
            images: ImageLimits::of(bytes)?,
            global_memory: context.total_mem().map_err(|e| DriverError::cuda("cuDeviceTotalMem", &e))?,
            memory_bus_bits: get(Attr::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?,
            memory_clock: get(Attr::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?,
            clock: get(Attr::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
            async_engines: get(Attr::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT)?,
            priorities: priorities(context)?,
            mem_sync_domains: get(Attr::CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT)?,
            ecc: flag(Attr::CU_DEVICE_ATTRIBUTE_ECC_ENABLED)?,
            concurrent_kernels: flag(Attr::CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS)?,
            clusters: flag(Attr::CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)?,
            cooperative: flag(Attr::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)?,
            mapped_host_memory: flag(Attr::CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY)?,
            managed_memory: flag(Attr::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY)?,
            concurrent_managed: flag(Attr::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)?,
        })
    }
}

/// The largest size of a kernel's parameters, in bytes. Source: CUDA C++ Programming Guide, `__global__`.
pub(crate) fn parameter_bytes(compute: (u32, u32), driver_version: u32) -> usize {
    let many = compute >= (7, 0) && driver_version >= 12_010;
    if many { limits::PARAMETER_BYTES } else { limits::OLD_PARAMETER_BYTES }
}

fn driver_version() -> Result<u32, DriverError> {
    let mut version = 0;
    // SAFETY: `version` is writable.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }
        .result()
        .map_err(|e| DriverError::cuda("cuDriverGetVersion", &e))?;
    Ok(u32::try_from(version).unwrap_or(0))
}

/// Least and greatest priority.
fn priorities(context: &CudaContext) -> Result<[i32; 2], DriverError> {
    let failed = |e| DriverError::cuda("cuCtxGetStreamPriorityRange", &e);
    context.bind_to_thread().map_err(failed)?;
    let (mut least, mut greatest) = (0, 0);
    // SAFETY: a context is bound, and both are writable.
    unsafe { sys::cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest) }
        .result()
        .map_err(failed)?;
    Ok([least, greatest])
}

impl From<&Limits> for Multiprocessor {
    fn from(limits: &Limits) -> Self {
        let bytes = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        Self {
            compute: limits.compute,
            threads: limits.threads_per_multiprocessor,
            blocks: limits.blocks_per_multiprocessor,
            threads_per_block: limits.threads_per_block,
            registers: limits.registers_per_multiprocessor,
            registers_per_block: limits.registers_per_block,
            register_unit: 256,
            registers_per_thread: crate::limits::REGISTERS,
            partitions: 4,
            shared: bytes(limits.shared_per_multiprocessor),
            shared_per_block: bytes(limits.shared_opt_in),
            shared_reserved: bytes(limits.shared_reserved_per_block),
            shared_unit: shared_unit(limits.compute),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_parameters_need_both_the_device_and_the_driver() {
        assert_eq!(parameter_bytes((9, 0), 13_000), 32_764);
        assert_eq!(parameter_bytes((6, 1), 13_000), 4096);
        assert_eq!(parameter_bytes((9, 0), 12_000), 4096);
    }

    #[test]
    fn the_simulators_model_is_the_tables_capability_9_0() {
        assert_eq!(Multiprocessor::of((9, 0)), Ok(Multiprocessor::from(&Limits::SIMULATOR)));
    }
}
