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

use std::collections::btree_map::Entry as Slot;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{OnceLock, PoisonError, RwLock};

use crate::cache::{Damage, Entry, subject};
use crate::codegen::Checks;
use crate::compile;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::nvrtc::{Arch, Cubin};

/// Key of the entry that holds the others.
const BUNDLE: &[u8] = b"warpsmith bundle 1";

/// What is wrong with a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// The bytes are no bundle.
    #[error("these bytes are no bundle of kernels; make one with `aot::Bundle::write`")]
    Foreign,
    /// Another version of this crate made it.
    #[error("the bundle was made by another version of warpsmith; make it again")]
    Format,
    /// The bytes are not those that were written.
    #[error("the bundle is torn or corrupt; make it again")]
    Torn,
    /// A bundle for nothing.
    #[error("the bundle has no architecture; name one, as in `Bundle::new([\"sm_90\"])`")]
    NoArch,
    /// It cannot be written.
    #[error("the bundle cannot be written to {path}: {reason}", path = path.display())]
    Write {
        /// Where.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}

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
        let framed = self.entries.values().flat_map(|entry| {
            let length = (entry.len() as u64).to_le_bytes();
            length.into_iter().chain(entry.iter().copied())
        });
        let image: Vec<u8> = framed.collect();
        Entry { key: BUNDLE, maker: "", image: &image, log: "" }.encode()
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

/// Cubins of all bundles, by encoded key.
#[derive(Default)]
struct Registered {
    cubins: HashMap<&'static [u8], Entry<'static>>,
    /// Architectures by kernel.
    arches: HashMap<String, Vec<String>>,
}

fn registered() -> &'static RwLock<Registered> {
    static REGISTERED: OnceLock<RwLock<Registered>> = OnceLock::new();
    REGISTERED.get_or_init(RwLock::default)
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
    let entries = read(bytes)?;
    let mut registered = registered().write().unwrap_or_else(PoisonError::into_inner);
    for entry in entries {
        if let Some((arch, kernel)) = subject(entry.key) {
            let arches = registered.arches.entry(kernel).or_default();
            if !arches.contains(&arch) {
                arches.push(arch);
            }
        }
        registered.cubins.insert(entry.key, entry);
    }
    Ok(())
}

fn read(bytes: &'static [u8]) -> std::result::Result<Vec<Entry<'static>>, BundleError> {
    let bundle = Entry::decode(bytes)?;
    if bundle.key != BUNDLE {
        return Err(BundleError::Foreign);
    }
    let mut rest = bundle.image;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk().ok_or(BundleError::Torn)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| BundleError::Torn)?;
        let (entry, after) = after.split_at_checked(length).ok_or(BundleError::Torn)?;
        entries.push(Entry::decode(entry)?);
        rest = after;
    }
    Ok(entries)
}

impl From<Damage> for BundleError {
    fn from(damage: Damage) -> Self {
        match damage {
            Damage::Foreign => BundleError::Foreign,
            Damage::Format => BundleError::Format,
            Damage::Torn => BundleError::Torn,
        }
    }
}

/// The cubin of an encoded key in a bundle, or why a bundle that has the kernel is not used.
pub(crate) fn find(key: &[u8]) -> std::result::Result<Cubin, Option<String>> {
    let registered = registered().read().unwrap_or_else(PoisonError::into_inner);
    if let Some(entry) = registered.cubins.get(key) {
        return Ok(Cubin { image: entry.image.to_vec(), log: entry.log.to_owned() });
    }
    let reason = subject(key).and_then(|(arch, kernel)| {
        let has = registered.arches.get(&kernel)?;
        Some(if has.contains(&arch) {
            format!(
                "a bundle has it for {arch}, from another source, other comptime values or other options; \
                 make the bundle again"
            )
        } else {
            format!("a bundle has it for {}, not for {arch}; add that architecture", has.join(", "))
        })
    });
    Err(reason)
}
