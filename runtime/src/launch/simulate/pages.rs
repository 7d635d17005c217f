//! Pages about launches that did not ask for one: those that `WARPSMITH_REPORT` wants, one for each kernel,
//! specialization and shape.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::argument::KernelArg;
use crate::codegen::{self, Checks, PrintOptions};
use crate::compile::kernel::AnyKernel;
use crate::compile::{self, Forms};
use crate::driver::{Attributes, Limits, Version};
use crate::error::Result;
use crate::explained::Explanation;
use crate::launch::{coarsen, conditions, explain};
use crate::metrics::Metrics;
use crate::passes;
use crate::report::{Directory, Page, Parts};
use crate::resources::{Multiprocessor, Occupancy, Resources};
use crate::settings::Pages;
use crate::shape::LaunchShape;
use crate::validate::ValidModule;

/// Launches that have their page, by kernel, comptime values and shape.
static WRITTEN: LazyLock<Mutex<HashSet<u64>>> = LazyLock::new(Mutex::default);

/// A simulated launch that shall have a page.
pub(super) struct WantedPage {
    /// Watches the launch.
    pub metrics: Metrics,
    directory: Directory,
    shape: LaunchShape,
    key: u64,
}

impl WantedPage {
    /// The page that a launch shall have, if it shall have one.
    pub fn new(kernel: &dyn AnyKernel, shape: &LaunchShape) -> Option<Self> {
        let pages = Pages::process().filter(|pages| pages.include(kernel.name()))?;
        let mut hasher = DefaultHasher::new();
        let LaunchShape { grid, block, cluster, dynamic_shared } = shape;
        kernel.hash(&mut hasher);
        (grid, block, cluster, dynamic_shared).hash(&mut hasher);
        let key = hasher.finish();
        if WRITTEN.lock().unwrap_or_else(PoisonError::into_inner).contains(&key) {
            return None;
        }
        let (metrics, directory) = (Metrics::new(), Directory::new(&pages.directory));
        Some(Self { metrics, directory, shape: *shape, key })
    }

    /// Writes the page of the launch, which has ended.
    ///
    /// # Errors
    /// [`crate::report::ReportError::Write`].
    pub fn write(&self, module: &ValidModule, kernel: &dyn AnyKernel, args: &[KernelArg]) -> Result<()> {
        let resources = self.resources(module, kernel, args).map_err(|error| error.to_string());
        let explanation = self.explanation(kernel, module, args)?;
        let page = page(&self.metrics, module, &self.shape, &Limits::SIMULATOR, (resources, explanation));
        self.directory.add(&page)?;
        WRITTEN.lock().unwrap_or_else(PoisonError::into_inner).insert(self.key);
        Ok(())
    }

    /// The proofs that the launch completes.
    fn explanation(
        &self,
        kernel: &dyn AnyKernel,
        module: &ValidModule,
        args: &[KernelArg],
    ) -> Result<Explanation> {
        let of = module.module();
        let checks = conditions::checks(&of.conditions, &self.shape, args);
        let attributes = Attributes::default();
        let shown = conditions::showing(&of.fits, passes::read_only(module), &self.shape, args, &attributes);
        let plain = Version::of_launch(checks, shown);
        let version = coarsen::settled(kernel, module, (of.attributes.coarsen, plain), &self.shape, args)?;
        let (kernel, module, compute) = (kernel.name(), module.clone(), Limits::SIMULATOR.compute);
        explain::explanation(Forms { kernel, module, version, compute }, &self.shape, args)
    }

    /// The resources of the launch on the device that the simulator models.
    fn resources(
        &self,
        module: &ValidModule,
        kernel: &dyn AnyKernel,
        args: &[KernelArg],
    ) -> Result<(Resources, Occupancy)> {
        let checks = conditions::checks(&module.module().conditions, &self.shape, args);
        let resources = compile::resources_on(kernel, checks.into(), Limits::SIMULATOR.compute)?;
        let resources = resources.with_dynamic_shared(self.shape.dynamic_shared);
        let multiprocessor = Multiprocessor::from(&Limits::SIMULATOR);
        let occupancy = Occupancy::new(&resources, &multiprocessor, self.shape.block)?;
        Ok((resources, occupancy))
    }
}

/// The resources of a launch on a device, or the reason why they are not known.
pub(super) type KnownResources = std::result::Result<(Resources, Occupancy), String>;

/// The page of a launch that `metrics` watched.
pub(super) fn page(
    metrics: &Metrics,
    module: &ValidModule,
    shape: &LaunchShape,
    limits: &Limits,
    (resources, explanation): (KnownResources, Explanation),
) -> Page {
    let cuda = codegen::print(module, &PrintOptions { checks: Checks::None, line_directives: true }).code;
    let (metrics, module, multiprocessors) = (metrics.report(), module.module(), limits.multiprocessors);
    let LaunchShape { grid, block, .. } = *shape;
    Page::new(Parts { metrics, module, cuda: &cuda, grid, block, multiprocessors, resources, explanation })
}
