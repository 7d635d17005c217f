//! Compiled kernels by everything that decides their bytes.
//!
//! In memory, for the whole process. The disk layer goes between a miss here and the compiler: see
//! [`Cache::get`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::nvrtc::{self, CompileOptions, Cubin, NvrtcError};

/// Everything that decides the bytes of a cubin.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    source: String,
    flags: Vec<String>,
    nvrtc: (i32, i32),
    crate_version: &'static str,
}

impl Key {
    /// The key of a source and its options under the NVRTC that is loaded.
    ///
    /// # Errors
    /// [`NvrtcError::Missing`] without NVRTC.
    pub fn new(source: &str, options: &CompileOptions) -> Result<Self, NvrtcError> {
        let mut flags = nvrtc::flags(options);
        if options.relocatable {
            flags.push(nvrtc::link_identity()?);
        }
        Ok(Self {
            source: source.to_owned(),
            flags,
            nvrtc: nvrtc::version()?,
            crate_version: env!("CARGO_PKG_VERSION"),
        })
    }
}

type Slot<V> = Arc<OnceLock<V>>;

/// Cubins by key; each is compiled once, and other threads that want it wait.
pub struct Cache<V = Result<Arc<Cubin>, NvrtcError>> {
    slots: Mutex<HashMap<Key, Slot<V>>>,
}

impl Cache {
    /// The cache of this process.
    pub fn process() -> &'static Self {
        static CACHE: OnceLock<Cache> = OnceLock::new();
        CACHE.get_or_init(|| Cache { slots: Mutex::default() })
    }

    /// The cubin of a source, compiled at its first use.
    ///
    /// # Errors
    /// NVRTC's, which are kept as results are.
    pub fn get(
        &self,
        source: &str,
        kernel: &str,
        options: &CompileOptions,
    ) -> Result<Arc<Cubin>, NvrtcError> {
        let key = Key::new(source, options)?;
        self.get_or(key, || nvrtc::compile(source, kernel, options).map(Arc::new))
    }
}

impl<V: Clone> Cache<V> {
    fn get_or(&self, key: Key, make: impl FnOnce() -> V) -> V {
        // The map is locked for the look-up only, so that different kernels compile at once.
        let slot = self.slots.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
        slot.get_or_init(make).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn key(source: &str) -> Key {
        Key { source: source.into(), flags: vec![], nvrtc: (13, 0), crate_version: "0" }
    }

    #[test]
    fn a_key_is_made_once_while_others_wait() {
        let cache = Cache { slots: Mutex::default() };
        let made = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let value = cache.get_or(key("a"), || {
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        made.fetch_add(1, Ordering::Relaxed)
                    });
                    assert_eq!(value, 0);
                });
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 1);
        assert_eq!(cache.get_or(key("b"), || 7), 7);
    }

    #[test]
    fn every_field_of_a_key_tells() {
        let base = key("a");
        let others = [
            Key { source: "b".into(), ..base.clone() },
            Key { flags: vec!["--fmad=false".into()], ..base.clone() },
            Key { nvrtc: (12, 9), ..base.clone() },
            Key { crate_version: "1", ..base.clone() },
        ];
        assert!(others.iter().all(|other| *other != base));
    }
}
