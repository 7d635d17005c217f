//! The NVRTC library: where it is, which build it is, and whether that can be known without loading it.
//!
//! Loading it costs tens of milliseconds, so a start that compiles nothing must not. A process that has loaded it leaves a
//! [`Sighting`]; [`surroundings`] is everything that decided where it was found.

use std::env;
use std::fmt::{self, Write};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use cudarc::nvrtc::sys;

use super::{NvrtcError, check, elf};

/// A version of NVRTC, down to the build.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Major version.
    pub major: i32,
    /// Minor version.
    pub minor: i32,
    /// The library's build ID, or its size where it has none.
    pub build: String,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} {}", self.major, self.minor, self.build)
    }
}

impl Version {
    /// Reads what `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (numbers, build) = text.split_once(' ')?;
        let (major, minor) = numbers.split_once('.')?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()?, build: build.to_owned() })
    }
}

/// A library file as it was when it was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sighting {
    /// The path that the loader found it at.
    path: PathBuf,
    /// The file and its folder, as they were.
    stamps: String,
    /// Its version.
    pub version: Version,
}

impl Sighting {
    /// The text form.
    pub fn encode(&self) -> String {
        format!("{}\n{}\n{}", self.version, self.stamps, self.path.display())
    }

    /// Reads what [`Sighting::encode`] writes.
    pub fn decode(text: &str) -> Option<Self> {
        let mut lines = text.splitn(3, '\n');
        let version = Version::parse(lines.next()?)?;
        let stamps = lines.next()?.to_owned();
        Some(Self { version, stamps, path: lines.next()?.into() })
    }

    /// Returns whether the same file is still in the same place.
    pub fn holds(&self) -> bool {
        stamps(&self.path) == self.stamps
    }
}

/// The library, once it is loaded; it is never unloaded.
struct Library {
    numbers: (i32, i32),
    sighting: Option<Sighting>,
}

static LIBRARY: OnceLock<Result<Library, NvrtcError>> = OnceLock::new();

/// Loads the library at its first call.
///
/// # Errors
/// [`NvrtcError::Missing`] without a library.
pub(super) fn open() -> Result<(), NvrtcError> {
    library().map(|_| ())
}

/// The major and minor version of NVRTC, which is loaded for it.
///
/// # Errors
/// [`NvrtcError::Missing`] without a library.
pub fn version() -> Result<(i32, i32), NvrtcError> {
    library().map(|library| library.numbers)
}

/// The version of NVRTC, which is loaded for it, and the file it is in, where the system can say.
///
/// # Errors
/// [`NvrtcError::Missing`] without a library.
pub fn loaded_version() -> Result<(Version, Option<Sighting>), NvrtcError> {
    let library = library()?;
    let unknown = || Version { major: library.numbers.0, minor: library.numbers.1, build: "unknown".into() };
    let version = library.sighting.as_ref().map_or_else(unknown, |sighting| sighting.version.clone());
    Ok((version, library.sighting.clone()))
}

/// The version of NVRTC, if this process has loaded it already.
pub fn known_version() -> Option<Version> {
    LIBRARY.get()?.as_ref().ok()?;
    loaded_version().ok().map(|(version, _)| version)
}

/// The functions of NVRTC that this crate calls.
pub(super) const CALLED: &[&str] = &[
    "nvrtcCompileProgram",
    "nvrtcCreateProgram",
    "nvrtcDestroyProgram",
    "nvrtcGetCUBIN",
    "nvrtcGetCUBINSize",
    "nvrtcGetPTX",
    "nvrtcGetPTXSize",
    "nvrtcGetProgramLog",
    "nvrtcGetProgramLogSize",
    "nvrtcVersion",
];

fn library() -> Result<&'static Library, NvrtcError> {
    LIBRARY.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Library, NvrtcError> {
    // cudarc's own test for a library closes it again, and to map it twice is to pay twice.
    let names = cudarc::get_lib_name_candidates("nvrtc");
    // SAFETY: the library's initialisers are NVIDIA's.
    let handle = names.iter().find_map(|name| unsafe { libloading::Library::new(name) }.ok());
    let handle = handle.ok_or(NvrtcError::Missing)?;
    let path = path_of(&handle);
    // cudarc panics where a function is missing.
    // SAFETY: the function is looked up and not called.
    let has = |symbol: &&&str| unsafe { handle.get::<unsafe extern "C" fn()>(symbol.as_bytes()) }.is_ok();
    if let Some(symbol) = CALLED.iter().find(|symbol| !has(symbol)) {
        let way = "install the CUDA toolkit 12.0 or later, or `pip install nvidia-cuda-nvrtc` and add its lib folder to \
                   LD_LIBRARY_PATH";
        return Err(NvrtcError::Symbol { library: "libnvrtc", symbol: (*symbol).to_owned(), way });
    }
    // The process keeps it: cudarc finds it under the same name.
    std::mem::forget(handle);
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library is present, and both are writable integers.
    check("nvrtcVersion", unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) })?;
    Ok(Library { numbers: (major, minor), sighting: path.and_then(|path| sight(path, major, minor)) })
}

fn sight(path: PathBuf, major: i32, minor: i32) -> Option<Sighting> {
    let size = || fs::metadata(&path).ok().map(|file| format!("size-{}", file.len()));
    let build = elf::build_id(&path).or_else(size)?;
    let version = Version { major, minor, build };
    Some(Sighting { stamps: stamps(&path), version, path })
}

/// The path that the loader found a library at.
#[cfg(target_os = "linux")]
fn path_of(handle: &libloading::Library) -> Option<PathBuf> {
    use std::ffi::{CStr, OsStr};
    use std::os::unix::ffi::OsStrExt;

    // SAFETY: the symbol is only asked for its address.
    let symbol = unsafe { handle.get::<unsafe extern "C" fn()>(b"nvrtcVersion\0") }.ok()?;
    // SAFETY: plain pointers, for which zero is a value.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is in a library that is loaded, and `found` is writable.
    let known = unsafe { libc::dladdr((*symbol as *const ()).cast(), &raw mut found) } != 0;
    if !known || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's own string, which lives as long as the library.
    let name = unsafe { CStr::from_ptr(found.dli_fname) };
    Some(Path::new(OsStr::from_bytes(name.to_bytes())).to_owned()).filter(|path| path.is_absolute())
}

#[cfg(not(target_os = "linux"))]
fn path_of(_handle: &libloading::Library) -> Option<PathBuf> {
    None
}

/// Everything that decides which file a load of NVRTC finds, as text; `None` where that is not known.
///
/// The loader looks in `LD_LIBRARY_PATH`, in its cache, which every installer rewrites, and in the system's folders. A
/// folder's time changes when a file in it appears, goes or is renamed. The libraries that an executable itself names are
/// part of its path here.
pub fn surroundings() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let mut text = format!("{:?}", env::current_exe().ok()?);
    for name in ["LD_PRELOAD", "LD_LIBRARY_PATH"] {
        let _ = write!(text, "\n{name}={:?}", env::var_os(name));
    }
    let own = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    // An empty or a relative entry is of the working directory.
    let folders =
        env::split_paths(&own).filter_map(|path| env::current_dir().ok().map(|here| here.join(path)));
    let multiarch = Path::new("/usr/lib").join(format!("{}-linux-gnu", env::consts::ARCH));
    let system = ["/etc/ld.so.cache", "/lib", "/lib64", "/usr/lib", "/usr/lib64"].map(PathBuf::from);
    for path in folders.chain(system).chain([multiarch]) {
        let _ = write!(text, "\n{} {}", path.display(), stamp(&path));
    }
    Some(text)
}

/// The state of a library's file and of the folder that names it.
fn stamps(path: &Path) -> String {
    format!("{} {}", stamp(path), path.parent().map(stamp).unwrap_or_default())
}

/// A number that changes when a file or folder does.
fn stamp(path: &Path) -> String {
    let Ok(file) = fs::metadata(path) else { return "-".into() };
    let modified = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{}:{}:{}", file.len(), modified.unwrap_or_default().as_nanos(), inode(&file))
}

#[cfg(unix)]
fn inode(file: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(file)
}

#[cfg(not(unix))]
fn inode(_file: &fs::Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_sightings_are_read_as_they_are_written() {
        let version = Version { major: 13, minor: 0, build: "65be".into() };
        assert_eq!(Version::parse(&version.to_string()), Some(version.clone()));
        let sighting = Sighting { path: "/a b/libnvrtc.so".into(), stamps: "1:2:3 -".into(), version };
        assert_eq!(Sighting::decode(&sighting.encode()), Some(sighting));
        assert_eq!(Sighting::decode("13.0 65be\n1:2:3 -"), None);
    }

    #[test]
    fn a_sighting_holds_until_the_file_changes() {
        let folder = env::temp_dir().join(format!("warpsmith-sighting-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("libnvrtc.so");
        fs::write(&path, "one").expect("a file");
        let sighting = sight(path.clone(), 13, 0).expect("a file");
        assert_eq!(sighting.version.build, "size-3");
        assert!(sighting.holds());
        let other = folder.join("other");
        fs::write(&other, "two").expect("a file");
        fs::rename(&other, &path).expect("the same folder");
        assert!(!sighting.holds(), "an upgrade of the same size");
        fs::remove_dir_all(&folder).expect("own folder");
        assert!(!sighting.holds(), "the library is gone");
    }

    #[test]
    fn surroundings_are_the_same_twice() {
        assert_eq!(surroundings(), surroundings());
        assert_eq!(surroundings().is_some(), cfg!(target_os = "linux"));
    }
}
