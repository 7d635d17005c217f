//! The compiler that makes cubins, and how its version is known without loading it.

use std::sync::{Mutex, PoisonError};

use super::disk::Disk;
use super::key::Key;
use crate::nvrtc::{self, Cubin, NvrtcError, Sighting, Version};

/// A compiler that makes the cubin of a key.
pub trait Compiler {
    /// Its version, learned from a note of an earlier process where that is cheaper than asking.
    ///
    /// # Errors
    /// [`NvrtcError::Missing`] if there is no compiler.
    fn version(&self, disk: &Disk) -> Result<Version, NvrtcError>;

    /// Makes a cubin, and says which version made it.
    ///
    /// # Errors
    /// [`NvrtcError`] if the source does not compile.
    fn compile(&self, key: &Key) -> Result<(Cubin, Version), NvrtcError>;

    /// Called after a compile whose cubin is stored, to note facts for later processes.
    fn learn(&self, disk: &Disk);
}

/// The NVRTC library.
pub struct Nvrtc;

impl Nvrtc {
    /// The version that an earlier process noted, if the same file is still there; looked up once in a process.
    ///
    /// If the file changes later, a cubin of that version is as right as before: this only tells its version.
    pub fn noted(disk: &Disk) -> Option<Version> {
        static NOTED: Mutex<Option<Version>> = Mutex::new(None);
        let mut known = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            let text = nvrtc::surroundings().and_then(|surroundings| disk.note(&surroundings));
            let sighting = text.and_then(|text| Sighting::decode(&text)).filter(Sighting::holds);
            *known = sighting.map(|sighting| sighting.version);
        }
        known.clone()
    }
}

impl Compiler for Nvrtc {
    fn version(&self, disk: &Disk) -> Result<Version, NvrtcError> {
        if let Some(version) = nvrtc::known_version().or_else(|| Nvrtc::noted(disk)) {
            return Ok(version);
        }
        let version = nvrtc::loaded_version()?.0;
        self.learn(disk);
        Ok(version)
    }

    fn compile(&self, key: &Key) -> Result<(Cubin, Version), NvrtcError> {
        let cubin = nvrtc::compile(&key.source, &key.kernel, &key.options)?;
        Ok((cubin, nvrtc::loaded_version()?.0))
    }

    fn learn(&self, disk: &Disk) {
        let Ok((_, Some(sighting))) = nvrtc::loaded_version() else { return };
        let Some(surroundings) = nvrtc::surroundings() else { return };
        let text = sighting.encode();
        if disk.note(&surroundings).as_ref() != Some(&text) {
            // Without a note the next process loads the library again.
            let _ = disk.keep_note(&surroundings, &text);
        }
    }
}
