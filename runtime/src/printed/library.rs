//! Compiled texts: one compilation of one or many, loaded for as long as the process runs, and kept on disk.

use std::collections::{HashMap, HashSet};
use std::ffi::c_void;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

use super::Refused;
use super::Sanitizers;
use super::compiler::Compiler;
use super::functions;
use super::shim;
use crate::cache::CacheSettings;
use crate::cache::Disk;
use crate::nvrtc::Cubin;

/// The compiler's name for the file of the text's own lines, which are those of no Rust file.
pub(super) const OWN_FILE: &str = "warpsmith-printed";

/// Units that are compiled together at most: beyond, the compiler's start costs nothing any more.
const BATCH: usize = 32;

/// Bytes of compiled texts that are kept on disk.
const KEPT: u64 = 1 << 29;

/// A text to compile: rewritten CUDA, its kernel, and the symbols that the host fills in.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub code: String,
    pub kernel: String,
    pub symbols: Vec<String>,
    key: u128,
}

/// Runs a thread of a kernel, given the addresses of its parameters.
pub(super) type Entry = unsafe extern "C-unwind" fn(*const *const c_void);

/// The table of a unit in a loaded library.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exports(*const *mut c_void);

// SAFETY: constants of a library that is never unloaded.
unsafe impl Send for Exports {}
// SAFETY: as above.
unsafe impl Sync for Exports {}

impl Exports {
    /// The function that runs a thread of the kernel, given the addresses of its arguments.
    pub fn entry(self) -> Entry {
        // SAFETY: the first export is a function of this type.
        unsafe { std::mem::transmute::<*mut c_void, _>(self.0.read()) }
    }

    /// The address of a symbol, by its place in [`Unit::symbols`].
    pub fn symbol(self, place: usize) -> *mut u8 {
        // SAFETY: the symbols stand behind the entry and the budget, as many as the unit named.
        unsafe { self.0.add(2 + place).read() }.cast()
    }

    /// Sets the number of steps that a thread may make; launches at once of one library share the number.
    pub fn set_budget(self, steps: u64) {
        // SAFETY: the second export is an aligned word of the library, which threads of other launches read.
        let budget = unsafe { AtomicU64::from_ptr(self.0.add(1).read().cast()) };
        budget.store(steps.max(1), Ordering::Relaxed);
    }
}

impl Unit {
    /// A unit for a compiler.
    pub fn new(code: String, kernel: String, symbols: Vec<String>, identity: &str) -> Self {
        let all = format!("{identity}\n{:x}\n{kernel}\n{symbols:?}\n{code}", shim_hash());
        Self { code, kernel, symbols, key: xxh3_128(all.as_bytes()) }
    }

    /// The text of the unit with its exports, in a namespace of its own or in none.
    fn print(&self, namespaced: bool) -> String {
        let Self { code, kernel, symbols, key } = self;
        let (open, close) = match namespaced {
            true => (format!("namespace ws_{key:032x} {{\n"), "}\n"),
            false => (String::new(), ""),
        };
        let symbols: String = symbols.iter().map(|name| format!(", (void*)&{name}")).collect();
        format!(
            "{open}#line 1 \"{OWN_FILE}\"\n{code}\n#line 1 \"{OWN_FILE}\"\n\
             static void ws_entry(const void* const* ws_arguments) {{ ws_call({kernel}, ws_arguments); }}\n\
             extern \"C\" {{ __attribute__((visibility(\"default\"))) void* ws_exports_{key:032x}[] = \
             {{(void*)&ws_entry, (void*)&ws_budget{symbols}}}; }}\n{close}"
        )
    }
}

fn shim_hash() -> u128 {
    static HASH: OnceLock<u128> = OnceLock::new();
    *HASH.get_or_init(|| xxh3_128(shim::all().as_bytes()))
}

/// The C++ of a compilation.
fn source(units: &[&Unit], sanitizers: Sanitizers) -> String {
    let mut text = shim::shim(units.iter().map(|unit| unit.code.as_str()), sanitizers);
    text.extend(units.iter().map(|unit| unit.print(units.len() > 1)));
    text
}

type Slot = &'static OnceLock<Result<Exports, Refused>>;

/// The slot of a unit, which its first user fills while others wait.
fn slot(key: u128) -> Slot {
    static SLOTS: OnceLock<Mutex<HashMap<u128, Slot>>> = OnceLock::new();
    let mut slots = SLOTS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    slots.entry(key).or_insert_with(|| Box::leak(Box::default()))
}

/// A unit, loaded: from memory, from disk, or compiled.
pub(super) fn loaded(unit: &Unit, sanitizers: Sanitizers) -> Result<Exports, Refused> {
    slot(unit.key)
        .get_or_init(|| {
            if let Some(exports) = from_disk(unit) {
                return Ok(exports);
            }
            let image = compiled(&[unit], sanitizers)?;
            let exports = load(&image, unit)?;
            keep(&[unit], image);
            Ok(exports)
        })
        .clone()
}

/// Compiles units that are neither in memory nor on disk, many in one compilation, on all cores.
pub(super) fn compile_ahead(units: &[Unit], sanitizers: Sanitizers) -> Result<(), Refused> {
    let new = new_ones(units.iter());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let size = new.len().div_ceil(cores).clamp(1, BATCH);
    let batches = Mutex::new(new.chunks(size));
    let next = || batches.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores)
            .map(|_| {
                scope.spawn(|| {
                    while let Some(batch) = next() {
                        compile_batch(batch, sanitizers)?;
                    }
                    Ok(())
                })
            })
            .collect();
        let outcomes = workers.into_iter().map(|worker| worker.join().unwrap_or(Ok(())));
        outcomes.collect::<Result<Vec<()>, Refused>>().map(|_| ())
    })
}

/// Compiles units that are neither in memory nor on disk in one compilation.
pub(super) fn compile_together(units: &[&Unit], sanitizers: Sanitizers) {
    let new = new_ones(units.iter().copied());
    if !new.is_empty() {
        // Without a compiler, loading a unit is the error.
        let _ = compile_batch(&new, sanitizers);
    }
}

/// The units that are neither in memory nor on disk, each once.
fn new_ones<'u>(units: impl Iterator<Item = &'u Unit>) -> Vec<&'u Unit> {
    let mut keys = HashSet::new();
    units
        .filter(|unit| keys.insert(unit.key) && slot(unit.key).get().is_none())
        .filter(|unit| match from_disk(unit) {
            Some(exports) => {
                slot(unit.key).get_or_init(|| Ok(exports));
                false
            }
            None => true,
        })
        .collect()
}

/// Compiles units together; if that fails, both halves of them, down to one.
fn compile_batch(units: &[&Unit], sanitizers: Sanitizers) -> Result<(), Refused> {
    let image = match compiled(units, sanitizers) {
        Err(refused @ Refused::NoCompiler(_)) => return Err(refused),
        Err(_) if units.len() > 1 => {
            let (first, second) = units.split_at(units.len() / 2);
            compile_batch(first, sanitizers)?;
            return compile_batch(second, sanitizers);
        }
        Err(refused) => {
            slot(units[0].key).get_or_init(|| Err(refused));
            return Ok(());
        }
        Ok(image) => image,
    };
    let library = open(&image)?;
    for unit in units {
        let exports = exports(library, unit);
        slot(unit.key).get_or_init(|| exports);
    }
    keep(units, image);
    Ok(())
}

/// The bytes of a library with these units.
fn compiled(units: &[&Unit], sanitizers: Sanitizers) -> Result<Vec<u8>, Refused> {
    let compiler = Compiler::process()?;
    let folder = Folder::new()?;
    let (from, to) = (folder.0.join("printed.cpp"), folder.0.join("printed.so"));
    let failed = |e: std::io::Error| Refused::NotCompiled(format!("{}: {e}", folder.0.display()));
    fs::write(&from, source(units, sanitizers)).map_err(failed)?;
    compiler.compile(&from, &to, sanitizers)?;
    fs::read(&to).map_err(failed)
}

/// A library of these bytes, whose table of the host's functions is filled in; never unloaded.
fn open(image: &[u8]) -> Result<&'static libloading::Library, Refused> {
    static TABLE: OnceLock<usize> = OnceLock::new();
    let folder = Folder::new()?;
    let path = folder.0.join("printed.so");
    let failed = |e: String| Refused::NotCompiled(format!("the compiled text does not load: {e}"));
    fs::write(&path, image).map_err(|e| failed(e.to_string()))?;
    // SAFETY: a library that was made of a text and the shim, which run nothing when they are loaded.
    let library = unsafe { libloading::Library::new(&path) }.map_err(|e| {
        // The loader's own words name the symbol or the file.
        let words = std::error::Error::source(&e).map(|source| format!(": {source}"));
        failed(format!("{e}{}", words.unwrap_or_default()))
    })?;
    let library: &'static libloading::Library = Box::leak(Box::new(library));
    let table =
        *TABLE.get_or_init(|| Box::leak(functions::table().into_boxed_slice()).as_ptr().expose_provenance());
    // SAFETY: the shim declares `ws_host` so.
    unsafe {
        let host = library.get::<*mut *const c_void>(b"ws_host\0").map_err(|e| failed(e.to_string()))?;
        host.write(std::ptr::with_exposed_provenance(table));
    }
    Ok(library)
}

fn exports(library: &'static libloading::Library, unit: &Unit) -> Result<Exports, Refused> {
    let name = format!("ws_exports_{:032x}\0", unit.key);
    // SAFETY: the unit declares the symbol so.
    let symbol = unsafe { library.get::<*const *mut c_void>(name.as_bytes()) };
    symbol.map(|symbol| Exports(*symbol)).map_err(|e| Refused::NotCompiled(e.to_string()))
}

fn load(image: &[u8], unit: &Unit) -> Result<Exports, Refused> {
    exports(open(image)?, unit)
}

/// The folder of compiled texts; `None` if the cache is off.
fn disk() -> Option<&'static Disk> {
    static DISK: OnceLock<Option<Disk>> = OnceLock::new();
    let make = || {
        let directory = CacheSettings::process().ok()?.directory.as_ref()?;
        Some(Disk::new(directory.join("printed"), KEPT))
    };
    DISK.get_or_init(make).as_ref()
}

/// A unit of a library on disk; libraries of many units are opened once.
fn from_disk(unit: &Unit) -> Option<Exports> {
    type Libraries = HashMap<String, Option<&'static libloading::Library>>;
    static OPEN: Mutex<Option<Libraries>> = Mutex::new(None);
    let (disk, version) = (disk()?, &Compiler::process().ok()?.version);
    let name = disk.note(&format!("{:032x}", unit.key))?;
    let mut open_libraries = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let library = *open_libraries
        .get_or_insert_default()
        .entry(name.clone())
        .or_insert_with(|| open(&disk.read(name.as_bytes(), version).ok()?.image).ok());
    exports(library?, unit).ok()
}

/// Keeps a library on disk, with a note for each unit; what cannot be written is not kept.
fn keep(units: &[&Unit], image: Vec<u8>) {
    let (Some(disk), Ok(compiler)) = (disk(), Compiler::process()) else { return };
    let keys: Vec<u8> = units.iter().flat_map(|unit| unit.key.to_le_bytes()).collect();
    let name = format!("{:032x}", xxh3_128(&keys));
    if disk.store(name.as_bytes(), &compiler.version, &Cubin { image, log: String::new() }).is_ok() {
        for unit in units {
            let _ = disk.keep_note(&format!("{:032x}", unit.key), &name);
        }
    }
}

/// A folder for the files of one compilation, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, Refused> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("warpsmith-printed-{}-{number}", std::process::id()));
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&path) {
            Ok(()) => Ok(Self(path)),
            Err(e) => Err(Refused::NotCompiled(format!("{}: {e}", path.display()))),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
