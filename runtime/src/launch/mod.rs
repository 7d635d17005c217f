//! The launch builder: shape, attributes, checks on the host, then the device.

mod check;
mod dim;
mod error;

pub use dim::Dim3;
pub use error::LaunchError;

use std::marker::PhantomData;

use crate::args::{KernelArg, Place};
use crate::codegen::{CudaSource, Options};
use crate::device::{Backend, Device};
use crate::driver::{Attributes, DriverError, MemSyncDomain};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::simulator::{self, Settings, SimLaunch};
use crate::stream::LaunchStream;

/// A kernel with its arguments, on its way to a device.
///
/// Made by calling the kernel. `'a` borrows the argument buffers until the launch.
#[must_use = "a launch does nothing until `.launch(&device)`"]
pub struct Launch<'a, K: Kernel> {
    comptime: K::Comptime,
    args: Vec<KernelArg>,
    grid: Extent,
    block: [u32; 3],
    cluster: Option<[u32; 3]>,
    dynamic_shared: u32,
    attributes: Attributes,
    seed: u64,
    _borrows: PhantomData<&'a mut ()>,
}

/// The grid, or what it must cover.
#[derive(Clone, Copy)]
enum Extent {
    Missing,
    Blocks([u32; 3]),
    Items([u64; 3]),
}

/// The shape of a launch, resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: Option<[u32; 3]>,
    pub dynamic_shared: u32,
}

impl<'a, K: Kernel> Launch<'a, K> {
    /// A launch of blocks of 256 threads; the kernel's function calls this.
    #[doc(hidden)]
    pub fn new<const N: usize>(comptime: K::Comptime, args: [KernelArg; N]) -> Self {
        Self {
            comptime,
            args: args.into(),
            grid: Extent::Missing,
            block: [256, 1, 1],
            cluster: None,
            dynamic_shared: 0,
            attributes: Attributes::default(),
            seed: 0,
            _borrows: PhantomData,
        }
    }

    /// Blocks in the grid: a number, `[x, y]` or `[x, y, z]`.
    pub fn grid(mut self, blocks: impl Into<Dim3>) -> Self {
        self.grid = Extent::Blocks(blocks.into().0);
        self
    }

    /// Threads in a block: a number, `[x, y]` or `[x, y, z]`. 256 unless said.
    pub fn block(mut self, threads: impl Into<Dim3>) -> Self {
        self.block = threads.into().0;
        self
    }

    /// A one-dimensional grid with at least one thread for each of `items`, and at least one block.
    pub fn over(mut self, items: usize) -> Self {
        self.grid = Extent::Items([items as u64, 1, 1]);
        self
    }

    /// A two-dimensional grid with at least one thread for each of `width` × `height` items.
    pub fn over_2d(mut self, [width, height]: [usize; 2]) -> Self {
        self.grid = Extent::Items([width as u64, height as u64, 1]);
        self
    }

    /// Blocks in a cluster; compute capability 9.0. At most 8, or 16 where the device allows it.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
    pub fn cluster(mut self, blocks: impl Into<Dim3>) -> Self {
        self.cluster = Some(blocks.into().0);
        self
    }

    /// Dynamic shared memory of a block, in bytes; above 48 KiB the opt-in is done for you.
    ///
    /// Source: CUDA Driver API, `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
    pub fn dynamic_shared(mut self, bytes: usize) -> Self {
        self.dynamic_shared = u32::try_from(bytes).unwrap_or(u32::MAX);
        self
    }

    /// All blocks are resident at once, or the launch fails.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`.
    pub fn cooperative(mut self) -> Self {
        self.attributes.cooperative = true;
        self
    }

    /// Priority; lower numbers run first.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_PRIORITY`.
    pub fn priority(mut self, priority: i32) -> Self {
        self.attributes.priority = Some(priority);
        self
    }

    /// The logical memory synchronization domain.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN`.
    pub fn mem_sync_domain(mut self, domain: MemSyncDomain) -> Self {
        self.attributes.domain = Some(domain);
        self
    }

    /// The physical domains of the logical domains `default` and `remote`.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP`.
    pub fn mem_sync_domain_map(mut self, default: u8, remote: u8) -> Self {
        self.attributes.domain_map = Some([default, remote]);
        self
    }

    /// May start before the previous kernel of the stream has ended.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`.
    pub fn programmatic_serialization(mut self) -> Self {
        self.attributes.programmatic = true;
        self
    }

    /// Launches on a stream, a `&Stream` or cudarc's `&Arc<CudaStream>`, instead of the device's own.
    ///
    /// It waits for the streams on which its arguments were last written, or read where it writes
    /// them, and for nothing else: see [`crate::stream`]. A kernel that takes views in values, or
    /// uses device statics, waits for the device's own stream too, and that stream for it.
    pub fn on(mut self, stream: impl Into<LaunchStream>) -> Self {
        self.attributes.stream = Some(stream.into());
        self
    }

    /// Order of warps and blocks on the simulator; zero, the default, is ascending or `WARPSMITH_SIM_SEED`'s.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Launches with bounds checks. On a GPU it returns once the launch is queued.
    ///
    /// # Errors
    /// [`LaunchError`] for a wrong launch, named by argument and limit; what compiling refuses; on
    /// the simulator also a fault of the kernel. A fault on a GPU is an error of the next
    /// `download`, `synchronize` or `launch`.
    pub fn launch(self, device: &Device) -> Result<()> {
        self.run(device, true)
    }

    /// Launches without bounds checks on a GPU; the simulator checks always.
    ///
    /// # Safety
    /// Every index of the kernel is in bounds.
    ///
    /// # Errors
    /// As [`Launch::launch`].
    pub unsafe fn launch_unchecked(self, device: &Device) -> Result<()> {
        self.run(device, false)
    }

    /// The kernel's CUDA for the comptime values of this launch.
    pub(crate) fn print(&self, options: &Options) -> Result<CudaSource> {
        K::print(&self.comptime, options)
    }

    fn run(self, device: &Device, checks: bool) -> Result<()> {
        let shape = self.shape()?;
        check::arguments::<K>(&self.args, device.place())?;
        match device.backend() {
            Backend::Gpu(gpu) => {
                gpu.take_fault()?;
                let loaded = gpu.load::<K>(&self.comptime, checks)?;
                check::device::<K>(&shape, gpu.limits(), loaded.needs(), &self.attributes)?;
                if loaded.needs().noalias {
                    check::overlap::<K>(&self.args)?;
                }
                Ok(gpu.launch(&loaded, &shape, &self.attributes, &self.args)?)
            }
            Backend::Simulator => self.simulate(&shape),
        }
    }

    fn simulate(&self, shape: &Shape) -> Result<()> {
        if let Some(LaunchStream(Some(stream))) = &self.attributes.stream {
            let owner = Place::Gpu(stream.context().ordinal());
            return Err(DriverError::OtherDevice { what: "stream", owner, device: Place::Simulator }.into());
        }
        let module = K::module(&self.comptime)?;
        let attributes = &module.module().attributes;
        check::simulator::<K>(shape, attributes)?;
        if attributes.noalias {
            check::overlap::<K>(&self.args)?;
        }
        let cluster = shape.cluster.or(attributes.cluster);
        let mut settings = Settings::from_env()?;
        if self.seed != 0 {
            settings.seed = self.seed;
        }
        let launch = SimLaunch {
            kernel: K::NAME,
            grid: shape.grid,
            block: shape.block,
            cluster: cluster.unwrap_or([1; 3]),
            dynamic_shared: shape.dynamic_shared as usize,
            rendezvous: module.uses_rendezvous(),
            cooperative: self.attributes.cooperative,
            settings,
            observers: &[],
        };
        simulator::run(&launch, &|| K::run_thread(&self.comptime, &self.args))?;
        Ok(())
    }

    fn shape(&self) -> std::result::Result<Shape, LaunchError> {
        check::positive::<K>("block", self.block)?;
        let grid = match self.grid {
            Extent::Missing => return Err(LaunchError::NoGrid { kernel: K::NAME }),
            Extent::Blocks(grid) => grid,
            Extent::Items(items) => check::covering(items, self.block),
        };
        check::positive::<K>("grid", grid)?;
        let shape =
            Shape { grid, block: self.block, cluster: self.cluster, dynamic_shared: self.dynamic_shared };
        check::shape::<K>(&shape)?;
        Ok(shape)
    }
}

#[cfg(test)]
mod tests;

/// What a kernel that is called in a kernel would give; the call itself is refused.
impl<K: Kernel> crate::types::Device for Launch<'_, K> {
    type Erased = Launch<'static, K>;

    fn ty() -> crate::ir::Type {
        crate::ir::Type::Never
    }
}
