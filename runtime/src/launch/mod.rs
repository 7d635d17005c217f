//! The launch builder: shape, attributes, checks on the host, then the device.

mod attributes;
mod check;
mod check_attributes;
mod chosen;
mod coarsen;
mod conditions;
mod explain;
pub mod graph;
mod nested;
mod prepared;
mod resources;
#[cfg_attr(not(feature = "simulator"), path = "unsimulated.rs")]
mod simulate;

pub use crate::driver::{
    AccessProperty, AccessWindow, CachePreference, Carveout, ClusterScheduling, KeptAttributes, Limits,
    MemSyncDomain,
};
pub use crate::error::LaunchError;
pub use crate::explained::{
    CheckTimes, CostOfChecks, ExplainedIndex, ExplainedLoop, Explanation, Hindrance, Why,
};
pub use crate::shape::Dim3;
use crate::shape::LaunchShape;
#[doc(hidden)]
pub use conditions::AskedConditions;
#[doc(hidden)]
pub use nested::launched;
pub use prepared::Prepared;
pub(crate) use prepared::Target;

use std::marker::PhantomData;

use crate::argument::KernelArg;
pub use crate::codegen::{Ahead, GpuChecks};
use crate::codegen::{CudaSource, PrintOptions};
use crate::compile;
use crate::compile::kernel::{AnyKernel, Kernel, Specialized};
use crate::driver::{Attributes, Version};
use crate::error::Result;
use crate::host::device::Device;
use crate::ir::{LaunchOrder, Roles};
pub use crate::resources::Unrolled;

/// A kernel with its arguments, on its way to a device.
///
/// Calling the kernel makes it. `'a` borrows the argument buffers until the launch.
#[must_use = "a launch does nothing until `.launch(&device)`"]
pub struct Launch<'a, K: Kernel> {
    kernel: Specialized<K>,
    args: K::Args,
    setup: Setup,
    /// Whether anything was set beyond the arguments.
    said: bool,
    _borrows: PhantomData<&'a mut ()>,
}

/// Everything about a launch except the kernel and its arguments.
#[derive(Clone)]
struct Setup {
    grid: GridExtent,
    block: [u32; 3],
    cluster: Option<[u32; 3]>,
    /// A number that was given as an extent and cannot be one, and the name of the extent.
    no_extent: Option<(&'static str, i128)>,
    dynamic_shared: usize,
    attributes: Attributes,
    seed: u64,
    /// Checks on a GPU besides bounds; default: the device's.
    gpu_checks: Option<GpuChecks>,
    /// The order of a launch in a kernel.
    order: Option<LaunchOrder>,
    /// The number of elements of a thread, if the launch sets it.
    coarsen: Option<u32>,
}

/// The grid, or the items that it must cover.
#[derive(Clone, Copy)]
enum GridExtent {
    Missing,
    Blocks([u32; 3]),
    Items([u64; 3]),
}

impl<'a, K: Kernel> Launch<'a, K> {
    /// A launch of blocks of 256 threads, or as many as its roles have; the kernel's function calls this.
    #[doc(hidden)]
    pub fn new(comptime: K::Comptime, args: K::Args) -> Self {
        let setup = Setup::new(K::ATTRIBUTES.roles);
        Self { kernel: Specialized(comptime), args, setup, said: false, _borrows: PhantomData }
    }

    /// Blocks in the grid: a number, `[x, y]` or `[x, y, z]`.
    pub fn grid(self, blocks: impl Into<Dim3>) -> Self {
        self.set(|setup| setup.grid = GridExtent::Blocks(setup.extents("grid", blocks.into())))
    }

    /// Threads in a block: a number, `[x, y]` or `[x, y, z]`; default: 256. A kernel with `warpgroups(…)` fixes the block,
    /// and any other is an error.
    pub fn block(self, threads: impl Into<Dim3>) -> Self {
        self.set(|setup| setup.block = setup.extents("block", threads.into()))
    }

    /// A one-dimensional grid with at least one thread for each of `items`, and at least one block. Blocks are whole: the kernel also runs
    /// for threads behind the last item.
    pub fn over(self, items: usize) -> Self {
        self.set(|setup| setup.grid = GridExtent::Items([items as u64, 1, 1]))
    }

    /// A two-dimensional grid with at least one thread for each of `width` × `height` items.
    pub fn over_2d(self, [width, height]: [usize; 2]) -> Self {
        self.set(|setup| setup.grid = GridExtent::Items([width as u64, height as u64, 1]))
    }

    /// Blocks in a cluster; compute capability 9.0. At most 8, or 16 where the device allows it.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
    pub fn cluster(self, blocks: impl Into<Dim3>) -> Self {
        self.set(|setup| setup.cluster = Some(setup.extents("cluster", blocks.into())))
    }

    /// Dynamic shared memory of a block, in bytes; the library opts in to more than 48 KiB for you.
    ///
    /// Source: CUDA Driver API, `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
    pub fn dynamic_shared(self, bytes: usize) -> Self {
        self.set(|setup| setup.dynamic_shared = bytes)
    }

    /// The order in which the simulator runs warps and blocks. Default: zero, which means `WARPSMITH_SIM_SEED`, or
    /// ascending order if that is not set.
    pub fn seed(self, seed: u64) -> Self {
        self.set(|setup| setup.seed = seed)
    }

    /// Checks of every access on a GPU besides bounds checks, compiled into the kernel. Default: the device's setting, or
    /// `WARPSMITH_GPU_CHECKS`.
    ///
    /// A failed check is an error with the Rust line, like an out-of-bounds index. On the simulator,
    /// [`Settings::checks`](crate::simulator::Settings::checks) selects the checks.
    ///
    /// ```
    /// use warpsmith::launch::GpuChecks;
    /// use warpsmith::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn pairs(x: &[u32], y: &mut [u64]) {
    ///     let i = global_id();
    ///     if i < y.len() && i < x.len() / 2 {
    ///         // SAFETY: within `x`, whose memory is aligned to 256 bytes.
    ///         y[i] = unsafe { x.as_ptr().add(2 * i).cast::<u64>().read() };
    ///     }
    /// }
    ///
    /// # fn main() -> warpsmith::Result<()> {
    /// let gpu = Device::open()?;
    /// let x = gpu.upload(&[1u32; 8])?;
    /// let mut y = gpu.alloc_zeroed::<u64>(1)?;
    /// pairs(&x, &mut y).over(1).gpu_checks(GpuChecks::ALL).launch(&gpu)?;
    /// # Ok(()) }
    /// ```
    pub fn gpu_checks(self, checks: GpuChecks) -> Self {
        self.set(|setup| setup.gpu_checks = Some(checks))
    }

    /// Launches with bounds checks. On a GPU, the call returns once the launch is queued.
    ///
    /// # Errors
    /// [`LaunchError`] for an invalid launch, with the argument and the limit; an error of compilation; on the
    /// simulator also a fault of the kernel. A fault on a GPU is reported by the next `download`,
    /// `synchronize` or `launch`.
    pub fn launch(self, device: &Device) -> Result<()> {
        self.any().run(device, true)
    }

    /// Launches without bounds checks on a GPU. The simulator always checks.
    ///
    /// # Safety
    /// Every index of the kernel is in bounds.
    ///
    /// # Errors
    /// The errors of [`Launch::launch`].
    pub unsafe fn launch_unchecked(self, device: &Device) -> Result<()> {
        self.any().run(device, false)
    }

    /// Compiles, loads and checks everything once, for launches with these and other arguments.
    ///
    /// # Errors
    /// The errors of [`Launch::launch`], but nothing is launched.
    pub fn prepare(self, device: &Device) -> Result<Prepared<K>> {
        self.prepared(device, true)
    }

    /// Like [`Launch::prepare`], but without bounds checks on a GPU.
    ///
    /// # Safety
    /// Every index of the kernel is in bounds, at every launch of the result.
    ///
    /// # Errors
    /// The errors of [`Launch::prepare`].
    pub unsafe fn prepare_unchecked(self, device: &Device) -> Result<Prepared<K>> {
        self.prepared(device, false)
    }

    /// The kernel's CUDA for the comptime values of this launch.
    pub(crate) fn print(&self, options: &PrintOptions) -> Result<CudaSource> {
        self.any().print(options)
    }

    /// The launch, whatever its kernel.
    pub(crate) fn any(&self) -> AnyLaunch<'_> {
        AnyLaunch { kernel: &self.kernel, args: self.args.as_ref(), setup: &self.setup }
    }

    /// The number of elements for each thread, if the launch sets it.
    pub(crate) fn elements(&self) -> Option<u32> {
        self.setup.coarsen
    }

    /// The run-time arguments.
    pub(crate) fn args(&self) -> &[KernelArg] {
        self.args.as_ref()
    }

    fn set(mut self, change: impl FnOnce(&mut Setup)) -> Self {
        change(&mut self.setup);
        self.said = true;
        self
    }
}

/// A launch, whatever its kernel. What launches do is written for it, so a program has that once, and not for each kernel.
#[derive(Clone, Copy)]
pub(crate) struct AnyLaunch<'l> {
    pub kernel: &'l dyn AnyKernel,
    args: &'l [KernelArg],
    setup: &'l Setup,
}

impl AnyLaunch<'_> {
    fn shape(self) -> std::result::Result<LaunchShape, LaunchError> {
        self.setup.shape(self.kernel.name())
    }

    fn print(self, options: &PrintOptions) -> Result<CudaSource> {
        let module = compile::module(self.kernel)?;
        let coarsen = self.setup.coarsening(self.kernel.name(), module.module().attributes.coarsen)?;
        compile::print(&module, Version { coarsen, ..options.checks.into() }, options.line_directives)
    }
}

impl Setup {
    /// The setup of a launch for which only the kernel and its arguments are known.
    fn new(roles: Option<Roles>) -> Self {
        Self {
            grid: GridExtent::Missing,
            block: [roles.map_or(256, |roles| roles.threads()), 1, 1],
            cluster: None,
            no_extent: None,
            dynamic_shared: 0,
            attributes: Attributes::default(),
            seed: 0,
            gpu_checks: None,
            order: None,
            coarsen: None,
        }
    }

    /// The checks on a GPU besides bounds.
    fn gpu_checks(&self, device: &Device) -> Result<GpuChecks> {
        self.gpu_checks.map_or_else(|| device.gpu_checks(), Ok)
    }

    /// Extents. A number that cannot be one is refused when the shape is resolved.
    fn extents(&mut self, what: &'static str, dim: Dim3) -> [u32; 3] {
        self.no_extent = match (self.no_extent, dim.1) {
            (Some((of, _)), None) if of == what => None,
            (known, None) => known,
            (_, Some(number)) => Some((what, number)),
        };
        dim.0
    }

    fn shape(&self, kernel: &'static str) -> std::result::Result<LaunchShape, LaunchError> {
        if let Some((what, number)) = self.no_extent {
            return Err(LaunchError::NoExtent { kernel, what, number });
        }
        let &Self { grid, block, cluster, dynamic_shared, .. } = self;
        shape_of(kernel, AskedExtents { grid, block, cluster, dynamic_shared })
    }
}

/// The shape that a launch asks for.
struct AskedExtents {
    grid: GridExtent,
    block: [u32; 3],
    cluster: Option<[u32; 3]>,
    /// In bytes.
    dynamic_shared: usize,
}

/// The parts of the shape that do not depend on the device.
fn shape_of(kernel: &'static str, asked: AskedExtents) -> std::result::Result<LaunchShape, LaunchError> {
    let AskedExtents { grid, block, cluster, dynamic_shared } = asked;
    check::positive(kernel, "block", block)?;
    let grid = match grid {
        GridExtent::Missing => return Err(LaunchError::NoGrid { kernel }),
        GridExtent::Blocks(grid) => grid,
        GridExtent::Items(items) => check::covering(items, block),
    };
    check::positive(kernel, "grid", grid)?;
    // No device has as much as the number's type holds.
    let limit = crate::driver::Limits::SIMULATOR.shared_opt_in;
    let too_much = |_| LaunchError::SharedMemory { kernel, dynamic: dynamic_shared, fixed: 0, limit };
    let dynamic_shared = u32::try_from(dynamic_shared).map_err(too_much)?;
    let shape = LaunchShape { grid, block, cluster, dynamic_shared };
    check::shape(kernel, &shape)?;
    Ok(shape)
}

#[cfg(test)]
mod tests;

/// The type of a kernel that is called in a kernel; the call itself is refused.
impl<K: Kernel> crate::types::DeviceType for Launch<'_, K> {
    type Erased = Launch<'static, K>;

    fn ty() -> crate::ir::Type {
        crate::ir::Type::Never
    }
}
