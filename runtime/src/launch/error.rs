//! What a launch refuses, and how a kernel can fail on a GPU.

use crate::args::Place;
use crate::driver::DriverError;
use crate::simulator::triple;

/// A wrong launch, refused before the driver sees it, or a fault of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// No grid was given.
    #[error("kernel `{kernel}` was launched without a grid; say `.over(n)` or `.grid(blocks)`")]
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
    /// More threads in a block than there can be.
    #[error(
        "kernel `{kernel}`: a block of {block:?} has {threads} threads, above the limit of {limit} ({whose}); use a smaller `.block(…)`"
    )]
    Block {
        /// The kernel.
        kernel: &'static str,
        /// Its block.
        block: [u32; 3],
        /// Threads in it.
        threads: u64,
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
    /// Too much shared memory.
    #[error(
        "kernel `{kernel}`: {dynamic} bytes of dynamic and {fixed} of static shared memory are above the opt-in limit of {limit} \
         bytes a block; use a smaller `.dynamic_shared(…)`"
    )]
    SharedMemory {
        /// The kernel.
        kernel: &'static str,
        /// Dynamic bytes.
        dynamic: u32,
        /// Static bytes.
        fixed: usize,
        /// The limit.
        limit: usize,
    },
    /// The device lacks what the kernel uses.
    #[error("kernel `{kernel}` needs compute capability {}.{}, the device has {}.{}", needs.0, needs.1, has.0, has.1)]
    Compute {
        /// The kernel.
        kernel: &'static str,
        /// What it needs.
        needs: (u32, u32),
        /// What there is.
        has: (u32, u32),
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
        /// Where its memory is.
        memory: Place,
        /// Where the launch is.
        device: Place,
    },
    /// More arguments than a launch can pass.
    #[error("{count} arguments are above the limit of {limit}; put them into a struct")]
    Arguments {
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
    /// A kernel that meets the whole grid, in a launch whose blocks need not be resident at once.
    #[error(
        "kernel `{kernel}` calls `grid_sync`, which needs all blocks at once; add `.cooperative()` before `.launch(…)`"
    )]
    NotCooperative {
        /// The kernel.
        kernel: &'static str,
    },
    /// Another cluster than the one that the kernel was compiled for.
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
    /// Slices that overlap, of a kernel that says they do not.
    #[error("kernel `{kernel}` is `noalias`, but its arguments `{first}` and `{second}` overlap")]
    Overlap {
        /// The kernel.
        kernel: &'static str,
        /// One parameter.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// An order among the launches of a kernel, on the host.
    #[error(
        "kernel `{kernel}`: `.{method}()` orders a launch in a kernel and means nothing on the host; leave it out"
    )]
    OnlyInKernels {
        /// The kernel.
        kernel: &'static str,
        /// What was said.
        method: &'static str,
    },
    /// A failed bounds check or assertion on the GPU; the context stays usable.
    #[error("{file}:{line}: {what}, in thread {} of block {} of kernel `{kernel}`", triple(.thread), triple(.block))]
    Fault {
        /// The kernel.
        kernel: &'static str,
        /// Rust file.
        file: &'static str,
        /// Line.
        line: u32,
        /// What failed.
        what: String,
        /// The block.
        block: [u32; 3],
        /// The thread in it.
        thread: [u32; 3],
    },
    /// The driver refused the launch.
    #[error(transparent)]
    Driver(#[from] DriverError),
}
