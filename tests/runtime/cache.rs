//! The cache on disk: raced by processes, warm without NVRTC, and after NVRTC was replaced.
//!
//! A test is the parent of processes of this same executable, which run `process_in_a_role`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use warpsmith::cache::{Cache, Compiler, Disk, Key, Nvrtc};
use warpsmith::nvrtc::{Arch, CompileOptions, Cubin, NvrtcError, Version};
use warpsmith::prelude::*;

const PROCESSES: usize = 8;
const THREADS: usize = 8;
const KEYS: usize = 12;

#[gpu_kernel]
fn halved(x: &mut [f32]) {
    let i = global_id();
    if i < x.len() {
        x[i] *= 0.5;
    }
}

/// A folder of one test, removed when dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("warpsmith-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the temporary directory can be written");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The output behind `RESULT` of a test of this executable, as a process of its own.
pub fn said_by(test: &str, folder: &Path, variables: &[(&str, &str)]) -> String {
    result(process(test, folder, variables))
}

/// [`process_in_a_role`] with a cache in a folder and with variables set or, if empty, removed.
fn spawn(role: &str, folder: &Path, variables: &[(&str, &str)]) -> Child {
    let role = [("CACHE_ROLE", role)];
    process("cache::process_in_a_role", folder, &[&role, variables].concat())
}

fn process(test: &str, folder: &Path, variables: &[(&str, &str)]) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this executable"));
    command.args([test, "--exact", "--ignored", "--nocapture"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    for other in ["WARPSMITH_CACHE", "WARPSMITH_CACHE_SIZE", "WARPSMITH_DUMP", "WARPSMITH_DEBUGINFO"] {
        command.env_remove(other);
    }
    command.env("WARPSMITH_CACHE_DIR", folder).env("LD_LIBRARY_PATH", libraries());
    for (name, value) in variables {
        if value.is_empty() {
            command.env_remove(name)
        } else {
            command.env(name, value)
        };
    }
    command.spawn().expect("this executable runs")
}

/// The folders of `LD_LIBRARY_PATH` that have NVRTC. Those that cargo adds change when it builds something beside the tests, and then a
/// process loads NVRTC to see which it is.
fn libraries() -> String {
    let path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let is_nvrtc = |file: fs::DirEntry| file.file_name().to_string_lossy().starts_with("libnvrtc.so");
    let has = |folder: &PathBuf| fs::read_dir(folder).is_ok_and(|files| files.flatten().any(is_nvrtc));
    let folders = std::env::join_paths(std::env::split_paths(&path).filter(has));
    folders.expect("parts of such a path").into_string().expect("a path in UTF-8")
}

/// The output of a process behind `RESULT`, once it has ended well.
fn result(child: Child) -> String {
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let said = text.split("RESULT ").nth(1).and_then(|rest| rest.lines().next());
    said.unwrap_or_else(|| panic!("it said nothing: {text}")).to_owned()
}

fn options() -> CompileOptions {
    CompileOptions::new(Arch { major: 9, minor: 0, specific: false })
}

/// Keys of kernels that compile, each its own.
fn keys() -> Vec<Key> {
    let source = |i| format!("extern \"C\" __global__ void k(int* x) {{ x[threadIdx.x] += {i}; }}\n");
    (0..KEYS).map(|i| Key { kernel: "k".into(), source: source(i), options: options() }).collect()
}

/// A compiler that takes its time; what it makes depends on the key alone.
struct Slow;

impl Slow {
    fn own() -> Version {
        Version { major: 1, minor: 0, build: "slow".into() }
    }
}

impl Compiler for Slow {
    fn version(&self, _disk: &Disk) -> Result<Version, NvrtcError> {
        Ok(Self::own())
    }

    fn compile(&self, key: &Key) -> Result<(Cubin, Version), NvrtcError> {
        std::thread::sleep(Duration::from_millis(5));
        Ok((Cubin { image: key.source.repeat(200).into_bytes(), log: String::new() }, Self::own()))
    }

    fn learn(&self, _disk: &Disk) {}
}

/// Every thread gets every key, each in its own order; says the compiles and a digest of the results.
fn race(compiler: &(dyn Compiler + Sync)) -> String {
    let folder = std::env::var("WARPSMITH_CACHE_DIR").expect("the parent sets it");
    let cache = Cache::new(Some(Disk::new(folder, 1 << 30)));
    let keys = keys();
    let get = |thread: usize| -> Vec<Arc<Cubin>> {
        let mut cubins: HashMap<usize, Arc<Cubin>> = HashMap::new();
        for step in 0..KEYS {
            let i = (step * 5 + thread * 7) % KEYS;
            cubins.insert(i, cache.get_from(keys[i].clone(), compiler).expect("no race fails"));
        }
        (0..KEYS).map(|i| cubins[&i].clone()).collect()
    };
    let all: Vec<Vec<Arc<Cubin>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || get(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread fails")).collect()
    });
    assert!(all.iter().all(|cubins| *cubins == all[0]), "threads got different cubins");
    let stats = cache.stats();
    assert_eq!((stats.compiled + stats.from_disk) as usize, KEYS, "{stats:?}");
    assert_eq!((stats.not_stored, stats.remarks.len()), (0, 0), "{stats:?}");
    let digest = all[0]
        .iter()
        .flat_map(|cubin| &cubin.image)
        .fold(0u64, |sum, byte| sum.wrapping_mul(0x0100_0000_01b3).wrapping_add(u64::from(*byte) + 1));
    format!("{} {digest:x}", stats.compiled)
}

/// Returns whether a library of this name is mapped into this process.
fn is_loaded(name: &str) -> bool {
    fs::read_to_string("/proc/self/maps").is_ok_and(|maps| maps.contains(name))
}

/// One start of a program that wants one kernel: where the cubin came from, and whether NVRTC was loaded.
fn start() -> String {
    let cubin = match halved::cubin_for(&(), "sm_90") {
        Ok(cubin) => cubin,
        Err(error) => return format!("failed: {error}"),
    };
    let stats = Cache::process().expect("right settings").stats();
    let from = if stats.from_disk == 1 { "disk" } else { "compiler" };
    let loaded = if is_loaded("libnvrtc.") { "loaded" } else { "not loaded" };
    format!("{from}, {loaded}, {} bytes", cubin.image.len())
}

/// The processes that the tests of this file start.
#[test]
#[ignore = "a process of another test"]
fn process_in_a_role() {
    let said = match std::env::var("CACHE_ROLE").as_deref() {
        Ok("race slow") => race(&Slow),
        Ok("race nvrtc") => race(&Nvrtc),
        Ok("start") => start(),
        other => panic!("no role {other:?}"),
    };
    println!("RESULT {said}");
}

fn raced(role: &str) {
    let folder = Folder::new(&role.replace(' ', "-"));
    let children: Vec<Child> = (0..PROCESSES).map(|_| spawn(role, &folder.0, &[])).collect();
    let said: Vec<String> = children.into_iter().map(result).collect();
    let split = |said: &str| {
        said.split_once(' ').map(|(n, digest)| (n.parse().expect("a number"), digest.to_owned()))
    };
    let said: Vec<(usize, String)> = said.iter().filter_map(|said| split(said)).collect();
    assert_eq!(said.len(), PROCESSES);
    assert!(said.iter().all(|(compiled, digest)| *compiled <= KEYS && *digest == said[0].1), "{said:?}");
    let compiled: usize = said.iter().map(|(compiled, _)| compiled).sum();
    assert!(compiled >= KEYS, "each key was compiled by someone");
    println!("figure cache_race_{} {compiled} compiles", role.replace(' ', "_"));
    let (after, digest) = split(&result(spawn(role, &folder.0, &[]))).expect("a result");
    assert_eq!((after, digest), (0, said[0].1.clone()), "everything is on disk");
}

#[test]
fn eight_processes_of_eight_threads_race_on_one_cold_directory() {
    raced("race slow");
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn eight_processes_race_to_compile_with_nvrtc() {
    harness::needs_nvrtc();
    raced("race nvrtc");
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn a_warm_start_does_not_load_nvrtc() {
    harness::needs_nvrtc();
    let folder = Folder::new("warm");
    let cold = result(spawn("start", &folder.0, &[]));
    assert!(cold.starts_with("compiler, loaded"), "{cold}");
    let warm = result(spawn("start", &folder.0, &[]));
    let expected = if cfg!(target_os = "linux") { "disk, not loaded" } else { "disk, loaded" };
    assert_eq!(warm, cold.replace("compiler, loaded", expected));
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn a_change_of_where_nvrtc_is_found_is_noticed() {
    harness::needs_nvrtc();
    let folder = Folder::new("moved");
    let extra = folder.0.join("libraries");
    fs::create_dir_all(&extra).expect("own folder");
    let path = format!("{}:{}", extra.display(), libraries());
    let start = || result(spawn("start", &folder.0, &[("LD_LIBRARY_PATH", &path)]));
    assert!(start().starts_with("compiler, loaded"));
    assert!(start().starts_with("disk, not loaded"));
    // A new library could be found first: whether it is, only a load can tell.
    fs::write(extra.join("libother.so"), "").expect("own folder");
    assert!(start().starts_with("disk, loaded"), "the same build: the cubin is good");
    assert!(start().starts_with("disk, not loaded"));
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn a_warm_cache_is_enough_without_nvrtc() {
    harness::needs_nvrtc();
    let folder = Folder::new("without");
    let none = &[("LD_LIBRARY_PATH", "")];
    let cold = result(spawn("start", &folder.0, none));
    if !cold.starts_with("failed: NVRTC is missing") {
        println!("skipped: NVRTC is found without LD_LIBRARY_PATH ({cold})");
        return;
    }
    let compiled = result(spawn("start", &folder.0, &[]));
    assert!(compiled.starts_with("compiler, loaded"), "{compiled}");
    let warm = result(spawn("start", &folder.0, none));
    assert_eq!(warm, compiled.replace("compiler, loaded", "disk, not loaded"));
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn a_cache_that_is_switched_off_keeps_nothing() {
    harness::needs_nvrtc();
    let folder = Folder::new("off");
    for _ in 0..2 {
        let start = result(spawn("start", &folder.0, &[("WARPSMITH_CACHE", "off")]));
        assert!(start.starts_with("compiler, loaded"), "{start}");
    }
    assert_eq!(fs::read_dir(&folder.0).expect("own folder").count(), 0);
}

#[test]
fn a_setting_that_means_nothing_is_an_error_that_names_what_is_allowed() {
    let folder = Folder::new("setting");
    let start = result(spawn("start", &folder.0, &[("WARPSMITH_CACHE", "no")]));
    assert_eq!(start, "failed: `WARPSMITH_CACHE=no` is not understood; valid values: on, off");
}
