//! Finds out what the machine has. Tests that need more are then ignored, with the reason.
//!
//! `WARPSMITH_TESTS_FOR=gpu,nvrtc` builds them for another machine: `benches/carry.sh` does.

use std::env;
use std::ffi::c_int;
use std::process::{Command, Stdio};

/// Names of NVRTC, the newest first.
const NVRTC: [&str; 4] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "nvrtc64_130_0.dll"];
/// Programs that write machine code as text.
const DISASSEMBLERS: [&str; 2] = ["nvdisasm", "cuobjdump"];
/// Compilers for printed CUDA.
const CXX: [&str; 3] = ["c++", "clang++", "g++"];
/// The things that a test may need: a variable that makes it an error if one is missing.
const REQUIRED: [&str; 3] =
    ["WARPSMITH_REQUIRE_NVRTC", "WARPSMITH_REQUIRE_NVDISASM", "WARPSMITH_REQUIRE_CXX"];
/// Names of the driver.
const DRIVER: [&str; 3] = ["libcuda.so.1", "libcuda.so", "nvcuda.dll"];

fn main() {
    for variable in
        ["WARPSMITH_TESTS_FOR", "WARPSMITH_CXX", "LD_LIBRARY_PATH", "PATH"].iter().chain(&REQUIRED)
    {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed=tests/harness/machine.rs");
    // A test that asks cargo again sees what cargo added to it, which would build everything again.
    println!("cargo::rustc-env=LIBRARIES_OF_THE_BUILD={}", env::var("LD_LIBRARY_PATH").unwrap_or_default());
    let wanted = env::var("WARPSMITH_TESTS_FOR").unwrap_or_default();
    let is_wanted = |what: &str| wanted.split(',').any(|word| word.trim() == what);
    let [nvrtc, nvdisasm, cxx] = REQUIRED.map(|variable| env::var_os(variable).is_some());
    let driver = Driver::open();
    let gpus = driver.as_ref().map_or(0, Driver::gpus);
    let peers = gpus > 1 && driver.as_ref().is_some_and(Driver::has_peers);
    let has = [
        ("gpu", gpus > 0 || is_wanted("gpu")),
        ("two_gpus", gpus > 1 || is_wanted("two_gpus")),
        ("peers", peers || is_wanted("two_gpus")),
        ("nvrtc", nvrtc || library(&NVRTC).is_some() || is_wanted("nvrtc")),
        ("nvdisasm", nvdisasm || DISASSEMBLERS.into_iter().any(runs)),
        ("cxx", cxx || compiles_cxx()),
    ];
    for (name, there) in has {
        println!("cargo::rustc-check-cfg=cfg({name})");
        if there {
            println!("cargo::rustc-cfg={name}");
        }
    }
}

fn library(names: &[&str]) -> Option<libloading::Library> {
    // SAFETY: NVIDIA's libraries, whose initialisers do nothing but set them up.
    names.iter().find_map(|name| unsafe { libloading::Library::new(*name) }.ok())
}

/// Returns whether there is a program of this name.
fn runs(program: &str) -> bool {
    let mut version = Command::new(program);
    version.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// Returns whether there is the compiler that `WARPSMITH_CXX` names, or without it any.
fn compiles_cxx() -> bool {
    match env::var("WARPSMITH_CXX") {
        Ok(named) if !named.is_empty() => runs(&named),
        _ => CXX.into_iter().any(runs),
    }
}

/// The driver, initialised.
struct Driver(libloading::Library);

impl Driver {
    fn open() -> Option<Self> {
        let library = library(&DRIVER)?;
        // SAFETY: a function of the driver API with this parameter.
        let initialised = unsafe {
            let init = library.get::<unsafe extern "C" fn(u32) -> c_int>(b"cuInit\0").ok()?;
            init(0) == 0
        };
        initialised.then_some(Self(library))
    }

    /// The number of GPUs.
    fn gpus(&self) -> c_int {
        let mut count = 0;
        // SAFETY: as above.
        let counted = unsafe {
            let get = self.0.get::<unsafe extern "C" fn(*mut c_int) -> c_int>(b"cuDeviceGetCount\0");
            get.is_ok_and(|get| get(&raw mut count) == 0)
        };
        if counted { count } else { 0 }
    }

    /// Returns whether the first two GPUs reach each other's memory.
    fn has_peers(&self) -> bool {
        let reaches = |from: c_int, to: c_int| {
            let mut reached = 0;
            // SAFETY: as above; devices are numbers from 0 on.
            let asked = unsafe {
                let ask = self.0.get::<unsafe extern "C" fn(*mut c_int, c_int, c_int) -> c_int>(
                    b"cuDeviceCanAccessPeer\0",
                );
                ask.is_ok_and(|ask| ask(&raw mut reached, from, to) == 0)
            };
            asked && reached != 0
        };
        reaches(0, 1) && reaches(1, 0)
    }
}
