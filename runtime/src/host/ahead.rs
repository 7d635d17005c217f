//! Devices that compile and run nothing: what launches would run goes into a bundle.
//!
//! This module keeps the texts and the cubins. How a launch chooses its text, and how that becomes a cubin, are decided above.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::codegen::Needs;
use crate::driver::{Limits, Recorded, Table, Version};
use crate::nvrtc::Arch;

/// A cubin of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BundledKernel {
    /// The kernel's name.
    pub kernel: &'static str,
    /// The path of its type, with the types and constants that it is compiled for.
    pub type_name: &'static str,
    /// The architecture, `sm_90a` where the kernel needs that.
    pub arch: Arch,
    /// Size of the cubin.
    pub bytes: usize,
    /// Whether every launch with the same comptime values can run it. If not, it is the version of launches whose sizes and
    /// arguments prove indices in bounds.
    pub for_any_launch: bool,
}

/// The cubins of a bundle, which its devices fill.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    /// Entries by encoded key: the same kernels give the same bytes.
    pub entries: BTreeMap<Vec<u8>, Vec<u8>>,
    /// What they are, in the order in which they were added.
    pub kernels: Vec<BundledKernel>,
}

/// Cubins that several devices and threads add to.
#[derive(Debug, Default)]
pub(crate) struct Shelf(Mutex<Kept>);

impl Shelf {
    pub fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Shelf {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.lock().clone()))
    }
}

/// A version of a kernel, printed but perhaps not compiled.
pub(crate) struct Text {
    pub version: Version,
    pub needs: Needs,
    is_kept: AtomicBool,
}

impl Text {
    pub fn new(version: Version, needs: Needs) -> Self {
        Self { version, needs, is_kept: AtomicBool::new(false) }
    }

    pub fn is_kept(&self) -> bool {
        self.is_kept.load(Ordering::Relaxed)
    }

    pub fn set_kept(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }
}

/// A device whose launches are compiled into a bundle.
pub(crate) struct Ahead {
    pub limits: Limits,
    /// Its name.
    name: String,
    pub shelf: Arc<Shelf>,
    /// Whether the bundle also gets the versions that other launches of its kernels can run.
    pub for_any_launch: bool,
    pub recorded: Table<Recorded>,
    pub texts: Table<Arc<Text>>,
}

impl Ahead {
    pub fn new(limits: Limits, shelf: Arc<Shelf>, for_any_launch: bool) -> Self {
        let (major, minor) = limits.compute;
        let name = format!("a bundle for {}", Arch { major, minor, specific: false });
        let (recorded, texts) = (Table::default(), Table::default());
        Self { limits, name, shelf, for_any_launch, recorded, texts }
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}
