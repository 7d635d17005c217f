//! A page about a launch.

use super::pages;
use crate::compile;
use crate::compile::kernel::Kernel;
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::launch::Launch;
use crate::metrics::Metrics;
use crate::report::{Ceilings, Directory, Page, Timing};
use crate::settings::Pages;

/// A page with the times of the launch, which is added to those that the environment asks for.
fn finished(page: Page, timing: Option<Timing>, kernel: &str, device: &Device) -> Result<Page> {
    let page = match timing {
        Some(timing) => page.with_timing(Ceilings::of(device)?, timing),
        None => page,
    };
    if let Some(pages) = Pages::process().filter(|pages| pages.include(kernel)) {
        Directory::new(&pages.directory).add(&page)?;
    }
    Ok(page)
}

impl<K: Kernel> Launch<'_, K> {
    /// Launches, and makes a page about the launch: source with a heat map, accesses, checks, loops, banks, roofline,
    /// occupancy. [`Page::write`] writes it as HTML; `Display` prints it as text.
    ///
    /// On a GPU, the page shows the achieved figures beside the predicted ones. The launch is counted like
    /// [`Launch::metrics`] does, then repeated up to eleven times. Each repetition starts from the original memory and, with
    /// NVRTC, with flushed caches. The time is the median of all but the first. Afterwards, memory is as after one launch.
    /// Output of the kernel appears each time. The ceilings are [`Ceilings::of`] the device.
    ///
    /// [`Page::with_time`] and [`Page::with_samples`] add measurements of other tools to the page.
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
    /// The errors of [`Launch::metrics`]. Without NVRTC, registers and occupancy are left out and the page says so.
    pub fn report(self, device: &Device) -> Result<Page> {
        let (module, shape) = (compile::known_module(&self.kernel)?, self.any().shape()?);
        let known = (self.resources_and_occupancy(device), self.explain_on(device)?);
        let metrics = Metrics::new();
        let timing = match device.backend() {
            Backend::Simulator => {
                self.any().watch(device, &[&metrics])?;
                None
            }
            Backend::Gpu(gpu) => {
                self.any().check_for_copies(device)?;
                let copies = self.any().predict(gpu, &[&metrics])?;
                Some(self.timed(device, gpu, &copies)?)
            }
        };
        let page = pages::page(&metrics, &module, &shape, device.limits(), known);
        finished(page, timing, K::NAME, device)
    }

    /// The resources of the kernel, or the reason why they are not known.
    fn resources_and_occupancy(&self, device: &Device) -> pages::KnownResources {
        let both = || Ok((self.resources(device)?, self.occupancy(device)?));
        both().map_err(|error: crate::Error| error.to_string())
    }
}
