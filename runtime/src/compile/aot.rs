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

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::path::Path;

use super::kernel::{AnyKernel, Kernel, Specialized};
pub use crate::cache::BundleError;
use crate::cache::{Entry, bundles};
use crate::codegen::Checks;
use crate::compile;
use crate::driver::{Shown, Version};
use crate::error::Result;
use crate::nvrtc::Arch;

/// Cubins of kernels for some architectures, to be written to a file.
#[derive(Clone, Debug)]
pub struct Bundle {
    arches: Vec<Arch>,
    /// The cubins by encoded key: the same kernels give the same bytes.
    entries: BTreeMap<Vec<u8>, Vec<u8>>,
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
        Ok(Self { arches, entries: BTreeMap::new() })
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

    fn add_one(mut self, kernel: &dyn AnyKernel, version: Version) -> Result<Self> {
        for arch in &self.arches {
            let compute = (arch.major, arch.minor);
            let key = compile::key(kernel, version, compute)?.encode();
            // Variants whose checks are all proven are one kernel.
            if let Slot::Vacant(slot) = self.entries.entry(key) {
                let cubin = compile::kernel(kernel, version, compute)?.cubin;
                let entry = Entry { key: slot.key(), maker: "", image: &cubin.image, log: &cubin.log };
                let bytes = entry.encode();
                slot.insert(bytes);
            }
        }
        Ok(self)
    }

    /// The bundle as bytes, for [`register`].
    pub fn bytes(&self) -> Vec<u8> {
        bundles::framed(self.entries.values())
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
