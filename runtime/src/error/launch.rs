//! The errors of launches, and the faults of kernels on a GPU.

use super::DriverError;
use crate::argument::MemoryPlace;
use crate::fault::FaultPlace;

/// A wrong launch, refused before the driver sees it, or a fault of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A launch on a GPU that only the simulator can watch.
    #[error(
        "kernel `{kernel}`: observers watch launches on the simulator alone; launch on `Device::simulator()`, or without observers"
    )]
    OnlySimulated {
        /// The kernel.
        kernel: &'static str,
    },
    /// A launch on a GPU whose data cannot be copied to the simulator.
    #[error(
        "kernel `{kernel}`: the simulator, which counts what a launch on a GPU costs, cannot have a copy of {what}: {why}; make the \
         launch on `Device::simulator()`, and give its page the GPU's time by `Page::with_time`"
    )]
    NotCopied {
        /// The kernel.
        kernel: &'static str,
        /// An argument or a static.
        what: String,
        /// The obstacle.
        why: &'static str,
    },
    /// No grid was given.
    #[error("kernel `{kernel}` was launched without a grid; write `.over(n)` or `.grid(blocks)`")]
    NoGrid {
        /// The kernel.
        kernel: &'static str,
    },
    /// An extent of zero.
    #[error("kernel `{kernel}`: the {what} is {extents:?}; every extent must be at least 1")]
    Zero {
        /// The kernel.
        kernel: &'static str,
        /// `grid`, `block` or `cluster`.
        what: &'static str,
        /// Its extents.
        extents: [u32; 3],
    },
    /// A number that cannot be an extent.
    #[error(
        "kernel `{kernel}`: {number} cannot be an extent of a {what}; an extent is a number from 1 to {}",
        u32::MAX
    )]
    NoExtent {
        /// The kernel.
        kernel: &'static str,
        /// `grid`, `block` or `cluster`.
        what: &'static str,
        /// The number.
        number: i128,
    },
    /// More threads in a block than the limit.
    #[error(
        "kernel `{kernel}`: a block of {block:?} has {threads} threads, above the limit of {limit} ({whose}); use a smaller `.block(…)`"
    )]
    Block {
        /// The kernel.
        kernel: &'static str,
        /// Its block.
        block: [u32; 3],
        /// Threads in it.
        threads: u128,
        /// The limit.
        limit: u32,
        /// Whose limit.
        whose: &'static str,
    },
    /// An extent beyond a limit.
    #[error(
        "kernel `{kernel}`: {what} extent {axis} is {extent}, above the limit of {limit}; use another shape"
    )]
    Extent {
        /// The kernel.
        kernel: &'static str,
        /// `grid` or `block`.
        what: &'static str,
        /// `x`, `y` or `z`.
        axis: char,
        /// The extent.
        extent: u32,
        /// The limit.
        limit: u32,
    },
    /// A cluster that does not divide the grid.
    #[error(
        "kernel `{kernel}`: a cluster of {cluster:?} blocks does not divide the grid {grid:?}; round the grid up"
    )]
    ClusterGrid {
        /// The kernel.
        kernel: &'static str,
        /// Its cluster.
        cluster: [u32; 3],
        /// Its grid.
        grid: [u32; 3],
    },
    /// A cluster that is too large.
    #[error(
        "kernel `{kernel}`: a cluster has {blocks} blocks, above the limit of {limit}; use a smaller `.cluster(…)`"
    )]
    ClusterSize {
        /// The kernel.
        kernel: &'static str,
        /// Its blocks.
        blocks: u64,
        /// The limit.
        limit: u32,
    },
    /// A cluster that does not fit the device.
    #[error(
        "kernel `{kernel}`: the device cannot hold a cluster of {cluster:?} blocks of {block:?} threads; the largest cluster \
         that fits has {largest} blocks: use a smaller `.cluster(…)`, smaller blocks or less shared memory"
    )]
    ClusterOccupancy {
        /// The kernel.
        kernel: &'static str,
        /// Its cluster.
        cluster: [u32; 3],
        /// Its block.
        block: [u32; 3],
        /// Blocks of the largest cluster that fits.
        largest: u32,
    },
    /// An attribute of clusters in a launch that has none.
    #[error("kernel `{kernel}`: `.{what}(…)` needs clusters; add `.cluster(blocks)`")]
    NoCluster {
        /// The kernel.
        kernel: &'static str,
        /// The builder's method.
        what: &'static str,
    },
    /// A preferred cluster that is not a multiple of the cluster, or does not divide the grid.
    #[error(
        "kernel `{kernel}`: the preferred cluster {preferred:?} must be a multiple of the cluster {cluster:?} and divide the \
         grid {grid:?}"
    )]
    PreferredCluster {
        /// The kernel.
        kernel: &'static str,
        /// The preferred cluster.
        preferred: [u32; 3],
        /// The cluster.
        cluster: [u32; 3],
        /// The grid.
        grid: [u32; 3],
    },
    /// A cooperative grid that is not resident at once.
    #[error(
        "kernel `{kernel}`: a cooperative grid of {blocks} blocks is above the {limit} that are resident at once; use a smaller \
         `.grid(…)` and a loop"
    )]
    CooperativeGrid {
        /// The kernel.
        kernel: &'static str,
        /// Its blocks.
        blocks: u64,
        /// The largest grid.
        limit: u64,
    },
    /// A cooperative launch on a device without them.
    #[error("kernel `{kernel}`: the device has no cooperative launches; leave `.cooperative()` out")]
    NoCooperative {
        /// The kernel.
        kernel: &'static str,
    },
    /// A priority that streams and launches do not have.
    #[error(
        "kernel `{kernel}`: priority {priority} is not between {greatest}, the greatest, and {least}, the least"
    )]
    Priority {
        /// The kernel.
        kernel: &'static str,
        /// The priority.
        priority: i32,
        /// The least.
        least: i32,
        /// The greatest.
        greatest: i32,
    },
    /// An access-policy window that is too large.
    #[error(
        "kernel `{kernel}`: an access-policy window of {bytes} bytes is above the device's limit of {limit}; cover a part of \
         the buffer"
    )]
    AccessWindow {
        /// The kernel, or the stream.
        kernel: &'static str,
        /// Bytes of the window.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// An invalid hit ratio.
    #[error(
        "kernel `{kernel}`: the hit ratio of an access-policy window is {ratio}; it must be from 0.0 to 1.0"
    )]
    HitRatio {
        /// The kernel, or the stream.
        kernel: &'static str,
        /// The ratio.
        ratio: String,
    },
    /// An access-policy window whose misses would persist.
    #[error(
        "kernel `{kernel}`: misses of an access-policy window cannot be persisting; use normal or streaming"
    )]
    PersistingMiss {
        /// The kernel, or the stream.
        kernel: &'static str,
    },
    /// A carveout above 100 percent.
    #[error("kernel `{kernel}`: a shared-memory carveout of {percent} percent is above 100")]
    Carveout {
        /// The kernel.
        kernel: &'static str,
        /// Percent asked for.
        percent: u8,
    },
    /// A stream or an event of another device.
    #[error("kernel `{kernel}`: the {what} is of GPU {owner}, the launch is on {device}; make it there")]
    Owner {
        /// The kernel.
        kernel: &'static str,
        /// `stream` or `event`.
        what: &'static str,
        /// Its GPU.
        owner: usize,
        /// The device of the launch.
        device: MemoryPlace,
    },
    /// A prepared launch that is given more than arguments.
    #[error(
        "kernel `{kernel}`: the shape and the attributes of a prepared launch are fixed; give `launch` the arguments alone, or \
         prepare another"
    )]
    PreparedShape {
        /// The kernel.
        kernel: &'static str,
    },
    /// Comptime values that differ from the prepared ones.
    #[error("kernel `{kernel}`: the comptime values of a prepared launch are fixed; prepare another")]
    PreparedComptime {
        /// The kernel.
        kernel: &'static str,
    },
    /// More bytes of parameters than a kernel can have.
    #[error(
        "kernel `{kernel}`: its parameters have {bytes} bytes, above the limit of {limit}; pass large values in a buffer"
    )]
    ParameterBytes {
        /// The kernel.
        kernel: &'static str,
        /// Their bytes; a slice has 16.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Too much shared memory.
    #[error(
        "kernel `{kernel}`: {dynamic} bytes of dynamic and {fixed} of declared shared memory are above the opt-in limit of {limit} \
         bytes a block; use a smaller `.dynamic_shared(…)`, or smaller `shared!` arrays"
    )]
    SharedMemory {
        /// The kernel.
        kernel: &'static str,
        /// Dynamic bytes.
        dynamic: usize,
        /// Bytes of `shared!` arrays.
        fixed: usize,
        /// The limit.
        limit: usize,
    },
    /// Too much shared memory beside that in which a checked kernel records written bytes.
    #[error(
        "kernel `{kernel}`: its {bytes} bytes of shared memory and the {shadow} in which `GpuChecks::initialisation` keeps \
         what is written are above the opt-in limit of {limit} bytes a block; launch it without that check, or \
         check it on `Device::simulator()`"
    )]
    ShadowMemory {
        /// The kernel.
        kernel: &'static str,
        /// Bytes of its own.
        bytes: usize,
        /// Bytes for the record of written bytes.
        shadow: usize,
        /// The limit.
        limit: usize,
    },
    /// The device lacks a feature that the kernel uses.
    #[error("kernel `{kernel}` needs compute capability {}.{}, the device has {}.{}", needs.0, needs.1, has.0, has.1)]
    Compute {
        /// The kernel.
        kernel: &'static str,
        /// The compute capability that it needs.
        needs: (u32, u32),
        /// The device's compute capability.
        has: (u32, u32),
    },
    /// The machine code does not meet the kernel's `require(…)`.
    #[error("kernel `{kernel}` demands `{demand}`: {said}; {way_out}")]
    Required {
        /// The kernel.
        kernel: &'static str,
        /// The demand in `require(…)`.
        demand: &'static str,
        /// The remarks of the compiler, with their Rust lines.
        said: String,
        /// A possible way out.
        way_out: &'static str,
    },
    /// An argument in memory of another device.
    #[error(
        "kernel `{kernel}`: argument `{argument}` is on {memory}, the launch is on {device}; upload it there"
    )]
    Argument {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The place of its memory.
        memory: MemoryPlace,
        /// The device of the launch.
        device: MemoryPlace,
    },
    /// An argument in memory of a GPU to which the launch's GPU has no access.
    #[error(
        "kernel `{kernel}`: argument `{argument}` is on {memory}, and {device} has no access to that; say \
         `device.enable_peer_access(&other)` first, or copy it with `stream.copy`"
    )]
    PeerArgument {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The place of its memory.
        memory: MemoryPlace,
        /// The device of the launch.
        device: MemoryPlace,
    },
    /// More arguments than a launch can pass.
    #[error("kernel `{kernel}`: {count} arguments are above the limit of {limit}; put them into a struct")]
    Arguments {
        /// The kernel.
        kernel: &'static str,
        /// How many.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// A memory synchronization domain that the device does not have.
    #[error("memory synchronization domain {domain} is above the device's last, {last}")]
    Domain {
        /// The domain.
        domain: u8,
        /// The last one.
        last: u32,
    },
    /// A kernel that calls `grid_sync`, in a launch that is not cooperative.
    #[error(
        "kernel `{kernel}` calls `grid_sync`, which needs all blocks at once; add `.cooperative()` before `.launch(…)`"
    )]
    NotCooperative {
        /// The kernel.
        kernel: &'static str,
    },
    /// A block shape that differs from the kernel's `warpgroups(…)`.
    #[error(
        "kernel `{kernel}` has roles for {warpgroups} warpgroups of 128 threads along x, the launch asks for blocks of {block:?}; leave \
         `.block(…)` out"
    )]
    Roles {
        /// The kernel.
        kernel: &'static str,
        /// Its warpgroups.
        warpgroups: u32,
        /// The launch's block.
        block: [u32; 3],
    },
    /// A cluster shape that differs from the one that the kernel was compiled for.
    #[error(
        "kernel `{kernel}` is compiled for clusters of {fixed:?}, the launch asks for {cluster:?}; leave `.cluster(…)` out"
    )]
    FixedCluster {
        /// The kernel.
        kernel: &'static str,
        /// Its own.
        fixed: [u32; 3],
        /// The launch's.
        cluster: [u32; 3],
    },
    /// Overlapping slices for a `noalias` kernel.
    #[error("kernel `{kernel}` is `noalias`, but its arguments `{first}` and `{second}` overlap")]
    Overlap {
        /// The kernel.
        kernel: &'static str,
        /// One parameter.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// `.tail()` or `.fire_and_forget()` on the host.
    #[error(
        "kernel `{kernel}`: `.{method}()` orders a launch in a kernel and means nothing on the host; leave it out"
    )]
    OnlyInKernels {
        /// The kernel.
        kernel: &'static str,
        /// The method.
        method: &'static str,
    },
    /// An invalid number of elements per thread.
    #[error(
        "kernel `{kernel}`: `.coarsen({elements})` is not a valid number of elements per thread; use 2, 4, 8 or 16, or 1 to run the kernel uncoarsened"
    )]
    Coarsen {
        /// The kernel.
        kernel: &'static str,
        /// The number.
        elements: u32,
    },
    /// A launch on a simulator, in a program that was built without it.
    #[error(
        "kernel `{kernel}`: this program was built without the simulator; enable the feature `simulator` of `warpsmith`"
    )]
    NotSimulated {
        /// The kernel.
        kernel: &'static str,
    },
    /// An attribute that the driver does not know.
    #[error(
        "kernel `{kernel}`: `.{what}()` needs the driver of CUDA {since} or later; leave it out, or install a newer driver"
    )]
    OldDriver {
        /// The kernel.
        kernel: &'static str,
        /// The method.
        what: &'static str,
        /// The first version of CUDA that has it.
        since: &'static str,
    },
    /// A failed bounds check or assertion on the GPU; the context stays usable.
    #[error(
        "{what} {}{}",
        FaultPlace::of(.kernel, .file, .line, .block, .thread),
        .way_out.map(|way_out| format!("; {way_out}")).unwrap_or_default()
    )]
    Fault {
        /// The kernel.
        kernel: &'static str,
        /// Rust file.
        file: &'static str,
        /// Line.
        line: u32,
        /// The failure.
        what: String,
        /// The way out, if it does not depend on the kernel.
        way_out: Option<&'static str>,
        /// The block.
        block: [u32; 3],
        /// The thread in it.
        thread: [u32; 3],
    },
    /// The driver refused the launch.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

impl LaunchError {
    /// Refuses more bytes of parameters than a limit.
    pub(crate) fn check_parameter_bytes(
        kernel: &'static str,
        bytes: usize,
        limit: usize,
    ) -> Result<(), Self> {
        if bytes > limit { Err(Self::ParameterBytes { kernel, bytes, limit }) } else { Ok(()) }
    }
}
