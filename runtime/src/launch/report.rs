//! What a launch would take of its device, asked before launching.

use super::{KeptAttributes, Launch, Target, check, conditions, pages};
use crate::codegen::Checks;
use crate::compile;
use crate::compile::kernel::Kernel;
use crate::driver::DriverError;
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::metrics::{Metrics, Report};
use crate::nvrtc::NvrtcError;
use crate::report::{Ceilings, Directory, Multiprocessor, Occupancy, Page, Resources};
use crate::settings::Pages;

impl<K: Kernel> Launch<'_, K> {
    /// Registers, spills and memory of the kernel as this launch would run it; nothing is launched.
    ///
    /// On a GPU the figures are those of the loaded function; spills, stack frame and barriers are
    /// NVRTC's, where there is one. On the simulator they are of the architecture that it models, sm_90.
    ///
    /// # Errors
    /// Whatever compiling or loading refuses; [`NvrtcError::Missing`] on the simulator without NVRTC; a
    /// shape that no launch may have.
    ///
    /// Source: CUDA Driver API, `cuFuncGetAttribute`.
    pub fn resources(&self, device: &Device) -> Result<Resources> {
        let (compute, checks) = (device.limits().compute, self.checks()?);
        let resources = match device.backend() {
            Backend::Gpu(gpu) => {
                let loaded = gpu.load::<K>(&self.comptime, checks)?.resources()?;
                match compile::resources_on::<K>(&self.comptime, checks, compute) {
                    Ok(Resources { spills, stack_frame, barriers, .. }) => {
                        Resources { spills, stack_frame, barriers, ..loaded }
                    }
                    // A bundle or a warm cache runs without NVRTC; then the driver's figures are all there is.
                    Err(crate::Error::Nvrtc(NvrtcError::Missing)) => loaded,
                    Err(error) => return Err(error),
                }
            }
            Backend::Simulator => compile::resources_on::<K>(&self.comptime, checks, compute)?,
        };
        Ok(resources.with_dynamic_shared(u32::try_from(self.setup.dynamic_shared).unwrap_or(u32::MAX)))
    }

    /// How many blocks of this launch are resident on a multiprocessor of the device, and why not more.
    ///
    /// With a cluster, on a GPU, also how many clusters are resident on the whole device.
    ///
    /// # Errors
    /// As [`Launch::resources`]; a shape that [`Launch::launch`] would refuse.
    ///
    /// Source: CUDA Driver API, `cuOccupancyMaxActiveBlocksPerMultiprocessor`, `cuOccupancyMaxActiveClusters`.
    pub fn occupancy(&self, device: &Device) -> Result<Occupancy> {
        let multiprocessor = Multiprocessor::from(device.limits());
        let mut occupancy = Occupancy::new(&self.resources(device)?, &multiprocessor, self.setup.block)?;
        if let (Backend::Gpu(gpu), Some(_)) = (device.backend(), self.setup.cluster) {
            let shape = self.setup.shape::<K>()?;
            let loaded = gpu.load::<K>(&self.comptime, self.checks()?)?;
            occupancy.clusters = Some(gpu.resident(&loaded, &shape)?);
        }
        Ok(occupancy)
    }

    /// What the driver keeps of this launch's attributes, read back from it; nothing is launched.
    ///
    /// What only orders launches is not kept: streams, events, programmatic serialization.
    ///
    /// # Errors
    /// [`DriverError::Unavailable`] on the simulator; otherwise as [`Launch::prepare`].
    ///
    /// Source: CUDA Driver API, `cuGraphKernelNodeGetAttribute`, of the launch as it is captured.
    pub fn kept_attributes(self, device: &Device) -> Result<KeptAttributes> {
        if let Backend::Gpu(gpu) = device.backend() {
            let (prepared, args) = self.split(device)?;
            if let (Target::Gpu(loaded, _), shape, attributes) = prepared.parts() {
                return Ok(gpu.kept_attributes((loaded, shape, attributes, args.as_ref()))?);
            }
        }
        let what = "reading a launch's attributes back";
        let why = "it has no driver that keeps them; launch checks them there all the same";
        Err(DriverError::Unavailable { what, place: device.place(), why }.into())
    }

    /// Launches and counts what it costs, by Rust line.
    ///
    /// The simulator counts. A launch on a GPU runs on both: there as ever, and before on the simulator with copies
    /// of what its arguments reach, which takes their bytes of host memory, and the simulator's time for all threads.
    ///
    /// ```
    /// use warpsmith::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn every_other(x: &[f32], y: &mut [f32]) {
    ///     let i = global_id();
    ///     if i < y.len() {
    ///         y[i] = x[2 * i];
    ///     }
    /// }
    ///
    /// # fn main() -> warpsmith::Result<()> {
    /// let device = Device::simulator();
    /// let x = device.upload(&[1.0f32; 2048])?;
    /// let mut y = device.alloc_zeroed::<f32>(1024)?;
    /// let metrics = every_other(&x, &mut y).over(1024).metrics(&device)?;
    /// assert_eq!(metrics.total.loads.requests, 32); // one for each warp
    /// assert_eq!(metrics.total.loads.efficiency(), 50.0); // every second float is used
    /// assert_eq!(metrics.total.stores.sectors, 128);
    /// println!("{metrics}");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`Launch::launch`] and [`Launch::launch_observed`]; [`LaunchError::NotCopied`](super::LaunchError) on a GPU for
    /// images and raw pointers.
    pub fn metrics(self, device: &Device) -> Result<Report> {
        let module = K::module(&self.comptime)?;
        let metrics = Metrics::new();
        match device.backend() {
            Backend::Simulator => self.launch_observed(device, &[&metrics])?,
            Backend::Gpu(gpu) => {
                self.check_for_copies(device)?;
                self.predict(gpu, &[&metrics])?;
                self.launch(device)?;
            }
        }
        Ok(metrics.report().with_functions(module.module()))
    }

    /// Launches and makes a page about it: source with heat, accesses, banks, roofline, occupancy.
    /// [`Page::write`] writes it as HTML; it prints as text.
    ///
    /// On a GPU the page shows what was achieved beside what was predicted. The launch is counted as by
    /// [`Launch::metrics`], then repeated up to eleven times, each time from the memory of before and, with NVRTC, with
    /// caches that hold none of it; its time is the median of all but the first. In the end its memory is that of one launch.
    /// What it prints, it prints each time. The ceilings are [`Ceilings::of`] the device.
    ///
    /// What was measured otherwise goes on the page by [`Page::with_time`] and [`Page::with_samples`].
    ///
    /// ```
    /// use warpsmith::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn double(x: &mut [f32]) {
    ///     let i = global_id();
    ///     if i < x.len() {
    ///         x[i] *= 2.0;
    ///     }
    /// }
    ///
    /// # fn main() -> warpsmith::Result<()> {
    /// let device = Device::simulator();
    /// let mut x = device.upload(&[1.0f32; 1000])?;
    /// let page = double(&mut x).over(1000).report(&device)?;
    /// page.write(std::env::temp_dir().join("double.html"))?;
    /// println!("{page}");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`Launch::metrics`]. Without NVRTC, registers and occupancy are left out and the page says so.
    pub fn report(self, device: &Device) -> Result<Page> {
        let (module, shape) = (K::module(&self.comptime)?, self.setup.shape::<K>()?);
        let resources = self.resources_and_occupancy(device);
        let metrics = Metrics::new();
        let timing = match device.backend() {
            Backend::Simulator => {
                self.watch(device, &[&metrics])?;
                None
            }
            Backend::Gpu(gpu) => {
                self.check_for_copies(device)?;
                let copies = self.predict(gpu, &[&metrics])?;
                Some(self.timed(device, gpu, &copies)?)
            }
        };
        let page = pages::page(&metrics, (&module, &shape), device.limits(), resources);
        let page = match timing {
            Some(timing) => page.with_timing(Ceilings::of(device)?, timing),
            None => page,
        };
        if let Some(pages) = Pages::process().filter(|pages| pages.include(K::NAME)) {
            Directory::new(&pages.directory).add(&page)?;
        }
        Ok(page)
    }

    /// Refuses what no launch may be, before anything is copied.
    fn check_for_copies(&self, device: &Device) -> Result<()> {
        self.refuse_order()?;
        Ok(check::arguments::<K>(self.args.as_ref(), device)?)
    }

    /// What the kernel takes, or why that is not known.
    fn resources_and_occupancy(
        &self,
        device: &Device,
    ) -> std::result::Result<(Resources, Occupancy), String> {
        let both = || Ok((self.resources(device)?, self.occupancy(device)?));
        both().map_err(|error: crate::Error| error.to_string())
    }

    /// The checks that the launch keeps: those that it does not prove itself.
    fn checks(&self) -> Result<Checks> {
        let module = K::module(&self.comptime)?;
        let shape = self.setup.shape::<K>()?;
        Ok(conditions::checks(&module.module().conditions, &shape, self.args.as_ref()))
    }
}
