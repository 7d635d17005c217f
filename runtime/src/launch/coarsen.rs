//! Decides which launches run coarsened, with several elements per thread.
//!
//! The kernel's attribute or the launch requests it. Some launches run the kernel uncoarsened: multi-dimensional, cluster and
//! cooperative launches, and launches with slices that overlap or are not aligned for wide accesses, with more threads than the
//! kernel's index types can count, or with checks of every access.

use std::sync::{LazyLock, Mutex, PoisonError};

use warpsmith_lang::kernel_map::KernelMap;

use super::{Launch, LaunchError, LaunchShape, Setup, check, conditions};
use crate::argument::KernelArg;
use crate::compile::{
    self,
    kernel::{AnyKernel, Kernel},
};
use crate::driver::Version;
use crate::ir::{CoarsenFactor, CoarsenNeeds, WideArgument};
use crate::passes::MOST_ELEMENTS;
use crate::validate::ValidModule;

impl<K: Kernel> Launch<'_, K> {
    /// Elements that each thread processes: 2, 4, 8 or 16; 1 runs a `#[gpu_kernel(coarsen)]` kernel uncoarsened.
    ///
    /// The grid and the block keep their meaning: `.over(n)` still counts elements, and a failed check names the block and the
    /// thread that would process the element without coarsening. The results are the same. A thread loads and stores its elements
    /// at once, in accesses of up to 16 bytes.
    ///
    /// A launch with slices that are not aligned for such accesses, as parts of buffers may be, runs the kernel uncoarsened. So
    /// does a multi-dimensional, cluster or cooperative launch, and one with [`gpu_checks`](Self::gpu_checks).
    ///
    /// ```
    /// use warpsmith::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn scale(a: f32, x: &mut [f32]) {
    ///     let i = global_id();
    ///     if i < x.len() {
    ///         x[i] *= a;
    ///     }
    /// }
    ///
    /// # fn main() -> warpsmith::Result<()> {
    /// let gpu = Device::open()?;
    /// let mut x = gpu.upload(&[1.5f32; 1000])?;
    /// scale(2.0, &mut x).over(1000).coarsen(4).launch(&gpu)?;
    /// assert_eq!(gpu.download(&x)?, [3.0; 1000]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The launch returns [`LaunchError::Coarsen`] for another number, and
    /// [`NotCoarsened`](crate::passes::NotCoarsened) for a kernel that is not elementwise.
    pub fn coarsen(self, elements: u32) -> Self {
        self.set(|setup| setup.coarsen = Some(elements))
    }
}

impl Setup {
    /// The number of elements for each thread, if more than one; a kernel's attribute asks for `own`.
    pub(super) fn coarsening(
        &self,
        kernel: &'static str,
        own: Option<CoarsenFactor>,
    ) -> Result<Option<CoarsenFactor>, LaunchError> {
        match self.coarsen {
            None => Ok(own),
            Some(1) => Ok(None),
            Some(elements) if elements.is_power_of_two() && elements <= MOST_ELEMENTS => {
                Ok(Some(CoarsenFactor::Times(elements)))
            }
            Some(elements) => Err(LaunchError::Coarsen { kernel, elements }),
        }
    }

    /// The same of a launch with this shape and these arguments, as far as they alone decide it.
    pub(super) fn coarsening_of(
        &self,
        kernel: &'static str,
        own: Option<CoarsenFactor>,
        shape: &LaunchShape,
        args: &[KernelArg],
    ) -> Result<Option<CoarsenFactor>, LaunchError> {
        let wanted = self.coarsening(kernel, own)?;
        Ok(wanted.filter(|_| !self.attributes.cooperative && may_be(shape, args)))
    }
}

/// Returns whether the shape and the arguments of a launch allow coarsening.
fn may_be(shape: &LaunchShape, args: &[KernelArg]) -> bool {
    let is_line = shape.grid[1..] == [1, 1] && shape.block[1..] == [1, 1] && shape.cluster.is_none();
    is_line && check::overlapping(args).is_none()
}

/// The requirements of a coarsened version on launches, which are found at the first launch.
fn needs_of(
    kernel: &dyn AnyKernel,
    module: &ValidModule,
    version: Version,
) -> crate::Result<Option<CoarsenNeeds>> {
    static KNOWN: LazyLock<Mutex<KernelMap<Version, Option<CoarsenNeeds>>>> = LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(needs) = known().get(kernel, &version) {
        return Ok(needs.clone());
    }
    let coarsened = compile::passed(module, version)?;
    let needs = coarsened.module().coarsened.as_ref().map(|coarsened| coarsened.needs.clone());
    Ok(known().add(kernel, version, needs).clone())
}

/// The version that a launch runs: `plain`, or a coarsened one if one is made for it.
pub(super) fn settled(
    kernel: &dyn AnyKernel,
    module: &ValidModule,
    (wanted, plain): (Option<CoarsenFactor>, Version),
    shape: &LaunchShape,
    args: &[KernelArg],
) -> crate::Result<Version> {
    let Some(factor) = wanted.filter(|_| may_be(shape, args)) else { return Ok(plain) };
    for version in Version::coarsened(plain.checks, factor) {
        if needs_of(kernel, module, version)?.is_some_and(|needs| fits(&needs, shape, args)) {
            return Ok(version);
        }
    }
    Ok(plain)
}

/// Returns whether a coarsened kernel is made for these arguments and this number of threads.
pub(super) fn fits(needs: &CoarsenNeeds, shape: &LaunchShape, args: &[KernelArg]) -> bool {
    let aligned = |wide: &WideArgument| {
        let address = match args.get(wide.position) {
            Some(KernelArg::Slice { ptr, .. }) => Some(*ptr),
            Some(KernelArg::Value(value)) => value.words().get(wide.offset / 8).copied(),
            _ => None,
        };
        address.is_some_and(|address| address.is_multiple_of(u64::from(wide.align)))
    };
    let threads = u64::from(shape.grid[0]) * u64::from(shape.block[0]);
    threads <= needs.most_threads
        && needs.block.is_none_or(|block| block == shape.block[0])
        && needs.aligned.iter().all(aligned)
        && conditions::of_coarsened(needs, shape, args)
        && check::overlapping(args).is_none()
}
