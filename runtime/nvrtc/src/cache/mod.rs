//! Compiled kernels by everything that decides their bytes: in memory, from a bundle, on disk, or from
//! the compiler, in this order.
//!
//! On disk a cubin is found by its source, flags, architecture, the layout's version and the compiler's build. The whole
//! key is also in the file: two keys of one hash are a miss. A torn, foreign or corrupt file is a miss; a directory that is
//! missing, full or read-only keeps nothing. None of it is an error: [`Cache::stats`] and `WARPSMITH_LOG=cache` report it.
//! The cache does not keep failures to compile.
//!
//! **Without NVRTC.** If no NVRTC can be loaded, the cache takes the newest cubin of the same source, flags and
//! architecture, made by any NVRTC. A warm cache is therefore enough for a machine that has only a driver.
//!
//! **Which NVRTC.** To load NVRTC costs tens of milliseconds, so a process that did notes which file was
//! found and which build that is, under everything that decided that it was found. A later process with
//! the same surroundings, where the same file is still in that place, takes the version from the note.

#[doc(hidden)]
pub mod bundles;
mod compiler;
mod disk;
mod entry;
mod key;
mod settings;
mod stats;
mod trim;

pub use bundles::BundleError;
pub use compiler::{Compiler, Nvrtc};
pub use disk::{Disk, Miss};
#[doc(hidden)]
pub use entry::{Damage, Entry};
pub use key::Key;
pub use settings::CacheSettings;
pub use stats::Stats;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use warpsmith_env::SettingError;

use crate::nvrtc::{CompileOptions, Cubin, NvrtcError};
use stats::Recorder;

type Made = Result<Arc<Cubin>, NvrtcError>;
type Slot = Arc<OnceLock<Made>>;

/// Cubins by key; each is made once in a process, and other threads that want it wait.
pub struct Cache {
    slots: Mutex<HashMap<Key, Slot>>,
    disk: Option<Disk>,
    recorder: Recorder,
}

impl Cache {
    /// A cache in memory, and on disk if there is one.
    pub fn new(disk: Option<Disk>) -> Self {
        Self { slots: Mutex::default(), disk, recorder: Recorder::default() }
    }

    /// The cache of this process.
    ///
    /// # Errors
    /// [`SettingError`] if an environment variable has a value that means nothing.
    pub fn process() -> Result<&'static Self, SettingError> {
        static CACHE: OnceLock<Cache> = OnceLock::new();
        let settings = CacheSettings::process()?;
        Ok(CACHE.get_or_init(|| {
            let mut cache = Self::new(settings.directory.as_ref().map(|dir| Disk::new(dir, settings.bytes)));
            cache.recorder.log = settings.log;
            cache
        }))
    }

    /// The directory on disk; `None` if there is no disk cache.
    pub fn disk(&self) -> Option<&Disk> {
        self.disk.as_ref()
    }

    /// The statistics of this cache.
    pub fn stats(&self) -> Stats {
        self.recorder.stats()
    }

    /// The cubin of a source by NVRTC.
    ///
    /// # Errors
    /// NVRTC's; [`NvrtcError::Compile`] is kept in memory as a cubin would be.
    pub fn get(&self, source: &str, kernel: &str, options: &CompileOptions) -> Made {
        let key = Key { kernel: kernel.to_owned(), source: source.to_owned(), options: options.clone() };
        self.get_from(key, &Nvrtc)
    }

    /// The cubin of a key by some compiler; one cache is used with one compiler.
    ///
    /// # Errors
    /// The compiler's.
    pub fn get_from(&self, key: Key, compiler: &dyn Compiler) -> Made {
        // The map is locked for the look-up only; different kernels compile at once.
        let slot = self.lock().entry(key.clone()).or_default().clone();
        if let Some(Ok(cubin)) = slot.get() {
            self.recorder.count(&key.kernel, "in memory", |stats| &mut stats.from_memory);
            return Ok(cubin.clone());
        }
        let made = slot.get_or_init(|| self.make(&key, compiler).map(Arc::new)).clone();
        if matches!(&made, Err(error) if !matches!(error, NvrtcError::Compile { .. })) {
            // A missing library may be installed later; a source that does not compile never will.
            self.lock().retain(|_, kept| !Arc::ptr_eq(kept, &slot));
        }
        made
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make(&self, key: &Key, compiler: &dyn Compiler) -> Result<Cubin, NvrtcError> {
        let encoded = key.encode();
        match bundles::find(&encoded) {
            Ok(cubin) => {
                self.recorder.count(&key.kernel, "from a bundle", |stats| &mut stats.from_bundle);
                return Ok(cubin);
            }
            Err(reason) => reason.iter().for_each(|reason| self.recorder.remark(&key.kernel, reason)),
        }
        if let Some(cubin) =
            self.disk.as_ref().and_then(|disk| self.look_on_disk(disk, key, &encoded, compiler))
        {
            self.recorder.count(&key.kernel, "from disk", |stats| &mut stats.from_disk);
            return Ok(cubin);
        }
        let (cubin, version) = compiler.compile(key)?;
        self.recorder.count(&key.kernel, "compiled", |stats| &mut stats.compiled);
        if let Some(disk) = &self.disk {
            match disk.store(&encoded, &version, &cubin) {
                Ok(()) => compiler.learn(disk),
                Err(error) => self.not_stored(key, disk, &error),
            }
        }
        Ok(cubin)
    }

    fn look_on_disk(&self, disk: &Disk, key: &Key, encoded: &[u8], compiler: &dyn Compiler) -> Option<Cubin> {
        let read = match compiler.version(disk) {
            Ok(version) => disk.read(encoded, &version),
            Err(_) => disk.read_any(encoded),
        };
        match read {
            Ok(cubin) => Some(cubin),
            Err(Miss::Absent) => None,
            Err(miss) => {
                self.recorder.remark(&key.kernel, &miss.to_string());
                None
            }
        }
    }

    fn not_stored(&self, key: &Key, disk: &Disk, error: &std::io::Error) {
        let reason = format!("not stored in {}: {error}", disk.root().display());
        self.recorder.remark(&key.kernel, &reason);
        self.recorder.count(&key.kernel, "stays in memory", |stats| &mut stats.not_stored);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::nvrtc::{Arch, Version};

    /// A compiler that counts, and refuses given sources.
    #[derive(Default)]
    struct Counting {
        compiles: AtomicU32,
        error: Option<NvrtcError>,
    }

    impl Compiler for Counting {
        fn version(&self, _disk: &Disk) -> Result<Version, NvrtcError> {
            Ok(Version { major: 1, minor: 0, build: "counting".into() })
        }

        fn compile(&self, key: &Key) -> Result<(Cubin, Version), NvrtcError> {
            std::thread::sleep(Duration::from_millis(20));
            self.compiles.fetch_add(1, Ordering::Relaxed);
            let version = Version { major: 1, minor: 0, build: "counting".into() };
            let cubin = Cubin { image: key.source.clone().into_bytes(), log: String::new() };
            self.error.clone().map_or(Ok((cubin, version)), Err)
        }

        fn learn(&self, _disk: &Disk) {}
    }

    fn key(source: &str) -> Key {
        let arch = Arch { major: 9, minor: 0, specific: false };
        let options = CompileOptions::new(arch);
        Key { kernel: "k".into(), source: source.into(), options }
    }

    #[test]
    fn a_key_is_made_once_while_others_wait() {
        let cache = Cache::new(None);
        let compiler = Counting::default();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert_eq!(cache.get_from(key("a"), &compiler).expect("made").image, b"a"));
            }
        });
        assert_eq!(compiler.compiles.load(Ordering::Relaxed), 1);
        assert_eq!(cache.get_from(key("b"), &compiler).expect("made").image, b"b");
        assert_eq!(cache.stats().compiled, 2);
    }

    #[test]
    fn what_does_not_compile_is_kept_and_what_is_missing_is_not() {
        let refused =
            NvrtcError::Compile { kernel: "k".into(), arch: key("").options.arch, log: "no".into() };
        for (error, compiles) in [(refused, 1), (NvrtcError::Missing, 2)] {
            let cache = Cache::new(None);
            let compiler = Counting { error: Some(error.clone()), ..Counting::default() };
            for _ in 0..2 {
                assert_eq!(cache.get_from(key("a"), &compiler), Err(error.clone()));
            }
            assert_eq!(compiler.compiles.load(Ordering::Relaxed), compiles, "{error}");
        }
    }
}
