//! The textures and the surface that an image has made.

use std::sync::{Arc, Mutex, PoisonError};

use super::{ImageObject, Sampler};
use crate::error::Result;

/// The textures and the surface of one image, each made when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Accesses(Mutex<Vec<Arc<ImageObject>>>);

impl Accesses {
    /// The texture of a sampler, or the surface.
    pub fn get(
        &self,
        sampler: Option<Sampler>,
        normalizes: bool,
        make: impl FnOnce() -> Result<ImageObject>,
    ) -> Result<&ImageObject> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let access = match known.iter().find(|access| access.is(&sampler, normalizes)) {
            Some(access) => Arc::as_ptr(access),
            None => {
                let new = Arc::new(make()?);
                let access = Arc::as_ptr(&new);
                known.push(new);
                access
            }
        };
        // SAFETY: accesses are never removed, and each has its own place in memory.
        Ok(unsafe { &*access })
    }
}
