//! Ahead of time: cubins of chosen kernels, embedded in an executable that then needs no NVRTC.
//!
//! A [`Bundle`] is made where NVRTC is, by a test, an example or a small command of the crate that has the
//! kernels; `include_bytes!` embeds it, and [`register`] offers it to every launch. A kernel whose source,
//! options or architecture the bundle does not have is compiled as if there were none, and
//! [`Cache::stats`](crate::cache::Cache::stats) and `WARPSMITH_LOG=cache` say why.
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

use super::kernel::Kernel;
pub use crate::cache::BundleError;
use crate::cache::{Entry, bundles};
use crate::codegen::Checks;
use crate::compile;
use crate::error::Result;
use crate::nvrtc::Arch;

/// Cubins of kernels for some architectures, on their way to a file.
#[derive(Clone, Debug)]
pub struct Bundle {
    arches: Vec<Arch>,
    /// By encoded key, so that the same kernels give the same bytes.
    entries: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Bundle {
    /// An empty bundle for these architectures: `["sm_80", "sm_90"]`.
    ///
    /// A kernel that needs the architecture-specific target (`sm_90a`) is compiled for it, and another
    /// one is not, whichever of the two is named: a launch looks for it so.
    ///
    /// # Errors
    /// No architecture, or a text that names none.
    pub fn new<'a>(arches: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let arches = arches.into_iter().map(str::parse).collect::<std::result::Result<Vec<Arch>, _>>()?;
        if arches.is_empty() {
            return Err(BundleError::NoArch.into());
        }
        Ok(Self { arches, entries: BTreeMap::new() })
    }

    /// Compiles what [`launch`](crate::Launch::launch) runs for these comptime values: with all checks, and
    /// without those that a launch proves which fulfils all [conditions](Kernel::launch_conditions_for).
    ///
    /// # Errors
    /// Whatever recording, validating or compiling refuses, or that NVRTC is missing.
    #[allow(clippy::should_implement_trait, reason = "what is added is a type")]
    pub fn add<K: Kernel>(self, comptime: &K::Comptime) -> Result<Self> {
        self.add_one::<K>(comptime, Checks::All)?.add_one::<K>(comptime, Checks::Lifted(u64::MAX))
    }

    /// Compiles what [`launch_unchecked`](crate::Launch::launch_unchecked) runs.
    ///
    /// # Errors
    /// As [`Bundle::add`].
    pub fn add_unchecked<K: Kernel>(self, comptime: &K::Comptime) -> Result<Self> {
        self.add_one::<K>(comptime, Checks::None)
    }

    fn add_one<K: Kernel>(mut self, comptime: &K::Comptime, checks: Checks) -> Result<Self> {
        for arch in &self.arches {
            let compute = (arch.major, arch.minor);
            let key = compile::key::<K>(comptime, checks, compute)?.encode();
            // Variants whose checks are all proven are one kernel.
            if let Slot::Vacant(slot) = self.entries.entry(key) {
                let cubin = compile::kernel::<K>(comptime, checks, compute)?.cubin;
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

/// Offers the cubins of a bundle to every launch of this process that follows.
///
/// ```text
/// warpsmith::aot::register(include_bytes!("kernels.bundle"))?;
/// ```
///
/// # Errors
/// [`BundleError`] if the bytes are not a whole bundle; nothing of it is used then.
pub fn register(bytes: &'static [u8]) -> Result<()> {
    Ok(bundles::register(bytes)?)
}
