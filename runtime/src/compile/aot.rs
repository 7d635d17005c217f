//! Ahead of time: cubins of chosen kernels, embedded in an executable that then needs no NVRTC.
//!
//! A [`Bundle`] is made on a machine with NVRTC, by a test, an example or a small command of the crate that has the
//! kernels. `include_bytes!` embeds it, and [`register`] offers it to every launch. If the bundle has no cubin for a
//! kernel's source, options and architecture, the kernel is compiled as usual;
//! [`Cache::stats`](crate::cache::Cache::stats) and `WARPSMITH_LOG=cache` give the reason.
//!
//! ```no_run
//! use warpsmith::aot::Bundle;
//! use warpsmith::prelude::*;
//!
//! #[gpu_kernel]
//! fn fill(y: &mut [u32]) {
//!     let i = global_id();
//!     if i < y.len() {
//!         y[i] = i as u32;
//!     }
//! }
//!
//! # fn main() -> warpsmith::Result<()> {
//! Bundle::new(["sm_80", "sm_90"])?.add::<fill>(&())?.write("kernels.bundle")?;
//! // In the executable: warpsmith::aot::register(include_bytes!("kernels.bundle"))?;
//! # Ok(()) }
//! ```
//!
//! [`Bundle::device`] is a device that compiles what is launched on it: host code that launches kernels then determines what
//! is in the bundle, and no kernel has to be named.

use std::collections::btree_map::Entry as Slot;
use std::path::Path;
use std::sync::Arc;

use super::kernel::{AnyKernel, Kernel, Specialized};
pub use crate::cache::BundleError;
use crate::cache::{Entry, bundles};
use crate::codegen::Checks;
use crate::compile;
use crate::driver::{Limits, Shown, Version};
use crate::error::Result;
pub use crate::host::ahead::BundledKernel;
use crate::host::ahead::{Ahead, Shelf};
use crate::host::device::Device;
use crate::nvrtc::Arch;

/// Cubins of kernels for some architectures, to be written to a file.
#[derive(Debug)]
pub struct Bundle {
    arches: Vec<Arch>,
    is_exact: bool,
    shelf: Arc<Shelf>,
}

/// The clone has the cubins that the bundle has now; devices of the bundle do not add to it.
impl Clone for Bundle {
    fn clone(&self) -> Self {
        let shelf = Arc::new((*self.shelf).clone());
        Self { arches: self.arches.clone(), is_exact: self.is_exact, shelf }
    }
}

impl Bundle {
    /// An empty bundle for these architectures: `["sm_80", "sm_90"]`.
    ///
    /// A kernel is compiled for the architecture-specific target (`sm_90a`) if it needs it, and only then, whichever
    /// of the two is named: launches look for the cubin that way.
    ///
    /// # Errors No architecture, or an invalid one.
    pub fn new<'a>(arches: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let arches = arches.into_iter().map(str::parse).collect::<std::result::Result<Vec<Arch>, _>>()?;
        if arches.is_empty() {
            return Err(BundleError::NoArch.into());
        }
        Ok(Self { arches, is_exact: false, shelf: Arc::default() })
    }

    /// Leaves out the versions of kernels that launches on its [devices](Bundle::device) do not run themselves. The bundle is
    /// smaller, but a launch whose sizes or arguments prove less does not find its kernel.
    pub fn exact(self) -> Self {
        Self { is_exact: true, ..self }
    }

    /// A device for an architecture of the bundle, which compiles instead of running: each launch on it adds its kernel to
    /// the bundle, as a GPU would run it. So host code that launches kernels determines what is in the bundle.
    ///
    /// A kernel is added in the version that the launch runs, without the checks that its sizes and arguments prove
    /// redundant, and in one that every launch with the same comptime values can run, if that meets the kernel's `require(…)`.
    /// [`Bundle::exact`] leaves out the second.
    ///
    /// Needs NVRTC, and no GPU. The device has host memory, in which kernels write nothing, and the limits of a GPU of that
    /// architecture ([`Limits::of`]). A launch that exceeds these is refused, as on that GPU. If host code chooses kernels by the
    /// number of multiprocessors, use [`Bundle::device_with`] for other GPUs. A `Tuner` adds all its candidates.
    ///
    /// ```no_run
    /// use warpsmith::aot::Bundle;
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
    /// fn doubled(device: &Device, x: &[f32]) -> warpsmith::Result<Vec<f32>> {
    ///     let mut x = device.upload(x)?;
    ///     let n = x.len();
    ///     double(&mut x).over(n).launch(device)?;
    ///     device.download(&x)
    /// }
    ///
    /// # fn main() -> warpsmith::Result<()> {
    /// let bundle = Bundle::new(["sm_80", "sm_90"])?;
    /// for device in bundle.devices()? {
    ///     doubled(&device, &[1.0; 1000])?; // compiles `double`
    /// }
    /// bundle.write("kernels.bundle")?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`BundleError::OtherArch`] for an architecture that the bundle is not for; one whose limits are unknown.
    pub fn device(&self, arch: &str) -> Result<Device> {
        self.device_with(Limits::of(arch)?)
    }

    /// A device for GPUs with these limits, such as `device.limits()` of one of them; otherwise as [`Bundle::device`].
    ///
    /// # Errors
    /// [`BundleError::OtherArch`] if the bundle is not for their architecture.
    pub fn device_with(&self, limits: Limits) -> Result<Device> {
        let (major, minor) = limits.compute;
        if !self.arches.iter().any(|arch| (arch.major, arch.minor) == limits.compute) {
            let has = self.arches.iter().map(ToString::to_string).collect();
            let arch = Arch { major, minor, specific: false }.to_string();
            return Err(BundleError::OtherArch { arch, has }.into());
        }
        Ok(Device::that_compiles(Ahead::new(limits, self.shelf.clone(), !self.is_exact)))
    }

    /// A device for each architecture of the bundle, in the order in which they were named.
    ///
    /// # Errors
    /// An architecture whose limits are unknown.
    pub fn devices(&self) -> Result<Vec<Device>> {
        self.arches.iter().map(|arch| self.device(&arch.to_string())).collect()
    }

    /// The cubins of the bundle, in the order in which they were added.
    pub fn kernels(&self) -> Vec<BundledKernel> {
        self.shelf.lock().kernels.clone()
    }

    /// Compiles the versions that [`launch`](crate::Launch::launch) runs for these comptime values: one with all checks, and
    /// one without the checks that the [launch conditions](Kernel::launch_conditions_for) prove, for launches that meet all of
    /// them. Each also has a version for launches whose indices fit `int` and whose slices do not overlap, if its CUDA differs.
    ///
    /// # Errors
    /// An error of recording, validating or compiling, or a missing NVRTC.
    #[allow(clippy::should_implement_trait, reason = "what is added is a type")]
    pub fn add<K: Kernel>(self, comptime: &K::Comptime) -> Result<Self> {
        let kernel = Specialized::<K>(comptime.clone());
        self.add_both(&kernel, Checks::All)?.add_both(&kernel, Checks::Lifted(u64::MAX))
    }

    /// Compiles the version that [`launch_unchecked`](crate::Launch::launch_unchecked) runs.
    ///
    /// # Errors
    /// The errors of [`Bundle::add`].
    pub fn add_unchecked<K: Kernel>(self, comptime: &K::Comptime) -> Result<Self> {
        self.add_both(&Specialized::<K>(comptime.clone()), Checks::None)
    }

    /// The kernel, and coarsened if its attribute says so: a launch may need either.
    fn add_both(self, kernel: &dyn AnyKernel, checks: Checks) -> Result<Self> {
        let coarsen = compile::module(kernel)?.module().attributes.coarsen;
        let mut bundle = self;
        for shown in [Shown::NOTHING, Shown::ALL] {
            bundle = bundle.add_one(kernel, Version::of_launch(checks, shown))?;
        }
        for version in coarsen.into_iter().flat_map(|factor| Version::coarsened(checks, factor)) {
            bundle = bundle.add_one(kernel, version)?;
        }
        Ok(bundle)
    }

    fn add_one(self, kernel: &dyn AnyKernel, version: Version) -> Result<Self> {
        for arch in &self.arches {
            Place { shelf: &self.shelf, compute: (arch.major, arch.minor) }.add(kernel, version)?;
        }
        Ok(self)
    }

    /// The bundle as bytes, for [`register`].
    pub fn bytes(&self) -> Vec<u8> {
        bundles::framed(self.shelf.lock().entries.values())
    }

    /// Writes it to a file.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        std::fs::write(path, self.bytes())
            .map_err(|error| BundleError::Write { path: path.to_owned(), reason: error.to_string() }.into())
    }
}

/// Where a cubin goes.
pub(super) struct Place<'a> {
    pub shelf: &'a Shelf,
    pub compute: (u32, u32),
}

impl Place<'_> {
    /// Compiles a version of a kernel, if its cubin is not there yet.
    pub fn add(&self, kernel: &dyn AnyKernel, version: Version) -> Result<()> {
        let key = compile::key(kernel, version, self.compute)?;
        let (arch, key) = (key.options.arch, key.encode());
        // Variants whose checks are all proven are one kernel.
        if self.shelf.lock().entries.contains_key(&key) {
            return Ok(());
        }
        // Others may add theirs meanwhile.
        let cubin = compile::kernel(kernel, version, self.compute)?.cubin;
        let bytes = Entry { key: &key, maker: "", image: &cubin.image, log: &cubin.log }.encode();
        let mut kept = self.shelf.lock();
        if let Slot::Vacant(slot) = kept.entries.entry(key) {
            slot.insert(bytes);
            kept.kernels.push(BundledKernel {
                kernel: kernel.name(),
                type_name: kernel.type_name(),
                arch,
                bytes: cubin.image.len(),
                for_any_launch: !version.rests_on_launch(),
            });
        }
        Ok(())
    }
}

/// Offers the cubins of a bundle to all later launches of this process.
///
/// ```text
/// warpsmith::aot::register(include_bytes!("kernels.bundle"))?;
/// ```
///
/// # Errors
/// [`BundleError`] if the bytes are not a complete bundle; nothing of it is then used.
pub fn register(bytes: &'static [u8]) -> Result<()> {
    Ok(bundles::register(bytes)?)
}
