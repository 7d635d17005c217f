//! The limits of CUDA's hardware and language on every device: the one table of these numbers.
//!
//! The driver's limits come from a device; these hold without one. Source: CUDA C++ Programming Guide, technical
//! specifications per compute capability.

/// Lanes of a warp.
pub const WARP: u32 = 32;
/// Threads of a block.
pub const BLOCK_THREADS: u32 = 1024;
/// Threads of a block along each axis.
pub const BLOCK: [u32; 3] = [1024, 1024, 64];
/// Blocks of a grid along each axis.
pub const GRID: [u32; 3] = [2_147_483_647, 65_535, 65_535];
/// Blocks of a cluster that every device with clusters runs, and those that a device may run if a kernel asks for it.
pub const PORTABLE_CLUSTER: u32 = 8;
/// Blocks of a cluster at most.
pub const CLUSTER: u32 = 16;
/// How deep launches by kernels may be nested.
pub const NESTED_LAUNCHES: u32 = 24;
/// Registers of a thread at most.
pub const REGISTERS: u32 = 255;
/// Registers of a multiprocessor.
pub const ALL_REGISTERS: u32 = 65_536;
/// Bytes of static shared memory, and of all shared memory of a kernel that does not ask for more.
pub const STATIC_SHARED: usize = 48 * 1024;
/// Bytes of shared memory of a block on the device that has most: compute capability 9.0 and 10.0.
pub const MOST_SHARED: usize = 227 * 1024;
/// Bytes of a kernel's parameters, from compute capability 7.0 and driver 12.1 on.
pub const PARAMETER_BYTES: usize = 32_764;
/// Bytes of a kernel's parameters before.
pub const OLD_PARAMETER_BYTES: usize = 4096;
/// Elements that a slice, or a view along an axis, can have: more would not fit the address space.
pub const ELEMENTS: i128 = 1 << 48;
