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
/// What a test may need: a variable that makes it an error if it is missing.
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
    let wanted = env::var("WARPSMITH_TESTS_FOR").unwrap_or_default();
    let is_wanted = |what: &str| wanted.split(',').any(|word| word.trim() == what);
    let [nvrtc, nvdisasm, cxx] = REQUIRED.map(|variable| env::var_os(variable).is_some());
    let gpus = gpus();
    let has = [
        ("gpu", gpus > 0 || is_wanted("gpu")),
        ("two_gpus", gpus > 1 || is_wanted("gpu")),
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

/// Whether there is a program of this name.
fn runs(program: &str) -> bool {
    let mut version = Command::new(program);
    version.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// Whether there is the compiler that `WARPSMITH_CXX` names, or without it any.
fn compiles_cxx() -> bool {
    match env::var("WARPSMITH_CXX") {
        Ok(named) if !named.is_empty() => runs(&named),
        _ => CXX.into_iter().any(runs),
    }
}

/// How many GPUs the driver has.
fn gpus() -> c_int {
    let Some(driver) = library(&DRIVER) else { return 0 };
    let mut count = 0;
    // SAFETY: functions of the driver API with these parameters.
    let counted = unsafe {
        let init = driver.get::<unsafe extern "C" fn(u32) -> c_int>(b"cuInit\0");
        let device_count = driver.get::<unsafe extern "C" fn(*mut c_int) -> c_int>(b"cuDeviceGetCount\0");
        match (init, device_count) {
            (Ok(init), Ok(device_count)) => init(0) == 0 && device_count(&raw mut count) == 0,
            _ => false,
        }
    };
    if counted { count } else { 0 }
}
