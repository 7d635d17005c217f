//! The costs of a launch, counted by Rust line.

use crate::compile;
use crate::compile::kernel::Kernel;
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::launch::{AnyLaunch, Launch, check};
use crate::metrics::{Metrics, Report};

impl<K: Kernel> Launch<'_, K> {
    /// Launches, and counts the costs by Rust line.
    ///
    /// The simulator counts. A launch on a GPU runs twice: first on the simulator, with copies of the memory that its
    /// arguments reach, then on the GPU as usual. The copies need the same amount of host memory, and the simulator runs every thread,
    /// which takes its time.
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
    /// The errors of [`Launch::launch`] and [`Launch::launch_observed`]; [`LaunchError::NotCopied`](crate::launch::LaunchError) on a GPU for
    /// images and raw pointers.
    pub fn metrics(self, device: &Device) -> Result<Report> {
        self.any().metrics(device)
    }
}

impl AnyLaunch<'_> {
    fn metrics(self, device: &Device) -> Result<Report> {
        let module = compile::known_module(self.kernel)?;
        let metrics = Metrics::new();
        match device.backend() {
            Backend::Simulator => self.observed(device, &[&metrics])?,
            Backend::Gpu(gpu) => {
                self.check_for_copies(device)?;
                self.predict(gpu, &[&metrics])?;
                self.run(device, true)?;
            }
        }
        Ok(metrics.report().with_functions(module.module()))
    }

    /// Refuses an invalid launch before anything is copied.
    pub(super) fn check_for_copies(self, device: &Device) -> Result<()> {
        self.refuse_order()?;
        Ok(check::arguments(self.kernel, self.args, device)?)
    }
}
