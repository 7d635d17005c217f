//! Kernels compiled ahead: bundles, dumps, PTX and cubins, and many kernels at once.
//!
//! Cubins of a bundle are looked for in a process of its own that finds no NVRTC.

use std::fs;

use warpsmith::aot::{self, Bundle, BundleError};
use warpsmith::cache::Cache;
use warpsmith::nvrtc::NvrtcError;
use warpsmith::prelude::*;
use warpsmith::{Error, Job, compile_all};

use super::cache::{Folder, said_by};

#[gpu_kernel]
pub(super) fn scaled(x: &mut [f32], #[comptime] factor: u32) {
    let i = global_id();
    if i < x.len() {
        x[i] *= factor as f32;
    }
}

#[gpu_kernel]
fn negated(x: &mut [f32]) {
    let i = global_id();
    if i < x.len() {
        x[i] = -x[i];
    }
}

#[gpu_kernel]
fn shifted(x: &mut [f32], by: usize) {
    let i = global_id();
    x[i] = x[i + by];
}

/// Refused by NVRTC alone, where the kernel that calls it declares `i`.
#[gpu_fn(cuda = "return x;\n}\n#define i 1\nstatic __device__ void unused() {")]
fn unknown(x: f32) -> f32 {
    x
}

#[gpu_kernel]
fn broken(x: &mut [f32]) {
    let i = global_id();
    if i < x.len() {
        x[i] = unknown(x[i]);
    }
}

/// The kernels that a process with nothing but a bundle finds: one in it, one of other values, one of another architecture,
/// and one that it does not have.
#[test]
#[ignore = "a process of another test"]
fn process_that_has_a_bundle() {
    let path = std::env::var("BUNDLE").expect("the parent sets it");
    aot::register(fs::read(path).expect("the parent wrote it").leak()).expect("a bundle");
    let kernels = [
        scaled::cubin_for(&(2,), "sm_90"),
        scaled::cubin_for(&(3,), "sm_90"),
        scaled::cubin_for(&(2,), "sm_80"),
        negated::cubin_for(&(), "sm_90"),
    ];
    let found = kernels.map(|kernel| match kernel {
        Ok(cubin) => format!("{} bytes", cubin.image.len()),
        Err(Error::Nvrtc(NvrtcError::Missing)) => "missing".into(),
        Err(error) => panic!("{error}"),
    });
    let stats = Cache::process().expect("right settings").stats();
    println!("RESULT {}|{:?}|{}", found.join(","), stats.remarks, stats.from_bundle);
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn a_bundle_is_enough_without_nvrtc_and_what_it_lacks_is_said() {
    harness::needs_nvrtc();
    let folder = Folder::new("bundle");
    let path = folder.0.join("kernels.bundle");
    let bundle = Bundle::new(["sm_90"]).and_then(|bundle| bundle.add::<scaled>(&(2,))).expect("it compiles");
    bundle.write(&path).expect("own folder");
    let path = path.to_string_lossy().into_owned();
    let variables = [("BUNDLE", path.as_str()), ("LD_LIBRARY_PATH", "")];
    let said = said_by("ahead::process_that_has_a_bundle", &folder.0, &variables);
    let parts: Vec<&str> = said.split('|').collect();
    let [found, remarks, from_bundle] = parts[..] else { panic!("{said}") };
    let found: Vec<&str> = found.split(',').collect();
    let own = scaled::cubin_for(&(2,), "sm_90").expect("it compiles");
    assert_eq!((found[0], from_bundle), (format!("{} bytes", own.image.len()).as_str(), "1"), "{said}");
    if found[3] == "missing" {
        assert_eq!(found[1..], ["missing"; 3], "{said}");
    } else {
        println!("skipped in part: NVRTC is found without LD_LIBRARY_PATH");
    }
    assert!(remarks.contains("a bundle has it for sm_90, from another source"), "{remarks}");
    assert!(remarks.contains("a bundle has it for sm_90, not for sm_80"), "{remarks}");
    assert!(!remarks.contains("negated"), "{remarks}");
}

#[test]
fn a_bundle_that_is_torn_or_foreign_is_refused_whole() {
    let bytes = Bundle::new(["sm_90"]).expect("an architecture").bytes();
    aot::register(bytes.clone().leak()).expect("empty, but a bundle");
    let refused = |bytes: Vec<u8>| match aot::register(bytes.leak()) {
        Err(Error::Bundle(error)) => error,
        other => panic!("{other:?}"),
    };
    for length in 0..bytes.len() {
        assert_eq!(refused(bytes[..length].to_vec()), BundleError::Torn, "{length} bytes");
    }
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 4;
        assert!(matches!(refused(flipped), BundleError::Torn | BundleError::Foreign), "byte {at}");
    }
    assert_eq!(refused(b"\x7fELF".to_vec()), BundleError::Foreign);
    assert!(matches!(Bundle::new([]), Err(Error::Bundle(BundleError::NoArch))));
    assert!(matches!(Bundle::new(["sm_9o"]), Err(Error::Nvrtc(NvrtcError::Arch { .. }))));
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn ptx_and_cubin_are_of_the_architecture_that_was_asked_for() {
    harness::needs_nvrtc();
    let ptx = negated::ptx_for(&(), "sm_80").expect("it compiles");
    assert!(ptx.contains(".target sm_80") && ptx.contains(".entry negated("), "{ptx}");
    let cubin = negated::cubin_for(&(), "sm_90").expect("it compiles");
    assert!(cubin.image.starts_with(b"\x7fELF"));
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn an_error_of_nvrtc_names_the_rust_line() {
    harness::needs_nvrtc();
    let device = harness::gpu();
    let error = match &device {
        Some(gpu) => broken::compile(gpu, &()),
        None => Bundle::new(["sm_90"]).and_then(|bundle| bundle.add::<broken>(&())).map(|_| ()),
    };
    let error = error.expect_err("`i` cannot be declared").to_string();
    assert!(error.contains("expected an identifier") && error.contains("ahead.rs("), "{error}");
}

/// Writes the dumps that its parent asks for.
#[test]
#[ignore = "a process of another test"]
fn process_that_dumps() {
    let bundle = Bundle::new(["sm_90"]).and_then(|bundle| bundle.add::<scaled>(&(2,)));
    let bundle = bundle.and_then(|bundle| bundle.add::<scaled>(&(3,)));
    let said = bundle.and_then(|bundle| bundle.add_unchecked::<shifted>(&()));
    println!("RESULT {}", said.map_or_else(|error| error.to_string(), |_| "dumped".into()));
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn dumps_are_one_file_for_each_form_and_specialization() {
    harness::needs_nvrtc();
    let folder = Folder::new("dump");
    let dumps = folder.0.join("dumps");
    let place = dumps.to_string_lossy().into_owned();
    let variables = [("WARPSMITH_DUMP", "cuda,ptx,cubin,sass"), ("WARPSMITH_DUMP_DIR", place.as_str())];
    // Twice: from the compiler and from the cache.
    for _ in 0..2 {
        assert_eq!(said_by("ahead::process_that_dumps", &folder.0, &variables), "dumped");
        let files = fs::read_dir(&dumps).expect("made").flatten().map(|file| file.path());
        let with = |extension: &str, files: &[std::path::PathBuf]| {
            files.iter().filter(|path| path.extension().is_some_and(|own| own == extension)).count()
        };
        let files: Vec<_> = files.collect();
        // Three kernels, each with index arithmetic as it is written and as launches of few elements have it.
        assert_eq!(["cu", "ptx", "cubin"].map(|extension| with(extension, &files)), [6; 3], "{files:?}");
        let disassembler =
            warpsmith::dump::sass(&scaled::cubin_for(&(2,), "sm_90").expect("it compiles").image);
        assert_eq!(with("sass", &files), if disassembler.is_ok() { 6 } else { 0 }, "{files:?}");
        for file in files {
            let name = file.file_name().expect("a file").to_string_lossy().into_owned();
            let stem = if name.contains(".unchecked.") { "shifted@" } else { "scaled@" };
            assert!(name.starts_with(stem) && name.contains(".sm_90."), "{name}");
            fs::remove_file(file).expect("own file");
        }
    }
}

#[test]
#[cfg(unix)]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn the_disassembler_on_the_path_is_used_and_its_failure_told() {
    use std::os::unix::fs::PermissionsExt;

    harness::needs_nvrtc();
    let folder = Folder::new("disassembler");
    let (dumps, tools) = (folder.0.join("dumps"), folder.0.join("tools"));
    fs::create_dir_all(&tools).expect("own folder");
    let (place, path) = (dumps.to_string_lossy().into_owned(), tools.to_string_lossy().into_owned());
    let path = format!("{path}:/usr/bin:/bin");
    let variables =
        [("WARPSMITH_DUMP", "sass"), ("WARPSMITH_DUMP_DIR", place.as_str()), ("PATH", path.as_str())];
    let tool = tools.join("nvdisasm");
    for (script, expected) in
        [("echo \"MOV R1\"", "dumped"), ("echo broken >&2; exit 3", "`nvdisasm` failed: broken")]
    {
        fs::write(&tool, format!("#!/bin/sh\n{script}\n")).expect("own file");
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("own file");
        assert_eq!(said_by("ahead::process_that_dumps", &folder.0, &variables), expected);
    }
    let texts =
        fs::read_dir(&dumps).expect("made").flatten().map(|file| fs::read(file.path()).expect("own file"));
    let texts: Vec<_> = texts.collect();
    assert_eq!(texts, [b"MOV R1\n"; 6]);
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn a_dump_that_cannot_be_written_is_an_error() {
    harness::needs_nvrtc();
    let folder = Folder::new("no-dump");
    let file = folder.0.join("file");
    fs::write(&file, "").expect("own folder");
    let place = file.to_string_lossy().into_owned();
    let variables = [("WARPSMITH_DUMP", "cuda"), ("WARPSMITH_DUMP_DIR", place.as_str())];
    let said = said_by("ahead::process_that_dumps", &folder.0, &variables);
    assert!(said.starts_with("`WARPSMITH_DUMP`: ") && said.contains("cannot be written"), "{said}");
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn lines_for_profilers_are_in_the_cubin_when_asked_for() {
    harness::needs_nvrtc();
    let folder = Folder::new("lines");
    let dumps = folder.0.join("dumps");
    let place = dumps.to_string_lossy().into_owned();
    for (lines, expected) in [("none", false), ("lines", true), ("full", true)] {
        let variables = [
            ("WARPSMITH_DUMP", "cubin"),
            ("WARPSMITH_DUMP_DIR", place.as_str()),
            ("WARPSMITH_DEBUGINFO", lines),
        ];
        assert_eq!(said_by("ahead::process_that_dumps", &folder.0, &variables), "dumped");
        for file in fs::read_dir(&dumps).expect("made").flatten() {
            let cubin = fs::read(file.path()).expect("own file");
            let named = cubin.windows(8).any(|bytes| bytes == b"ahead.rs");
            assert_eq!(named, expected, "{file:?} with {lines}");
            fs::remove_file(file.path()).expect("own file");
        }
    }
}

#[test]
fn the_simulator_records_what_a_gpu_would_compile() {
    assert_eq!(compile_all(&Device::simulator(), good()), Ok(()));
    assert_eq!(negated::compile(&Device::simulator(), &()), Ok(()));
}

fn good() -> impl Iterator<Item = Job> {
    (1..9).map(|factor| Job::new::<scaled>((factor,)))
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn many_kernels_are_compiled_at_once_and_their_errors_are_told_apart() {
    let gpu = harness::needs_gpu();
    let jobs = good().chain([Job::new::<broken>(()), Job::new::<negated>(())]);
    let failed = compile_all(&gpu, jobs).expect_err("one is broken");
    assert_eq!(failed.0.iter().map(|(kernel, _)| *kernel).collect::<Vec<_>>(), ["broken"]);
    assert!(matches!(failed.0[0].1, Error::Nvrtc(NvrtcError::Compile { .. })), "{failed}");
    let mut x = gpu.upload(&[1.0f32; 100]).expect("memory");
    scaled(&mut x, 8).over(100).launch(&gpu).expect("it is loaded");
    assert_eq!(gpu.download(&x).expect("memory"), [8.0; 100]);
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_kernel_is_compiled_ahead_of_its_first_launch() {
    let gpu = harness::needs_gpu();
    negated::compile(&gpu, &()).expect("it compiles");
    let before = Cache::process().expect("right settings").stats();
    let mut x = gpu.upload(&[1.0f32; 10]).expect("memory");
    negated(&mut x).over(10).launch(&gpu).expect("it is loaded");
    assert_eq!(gpu.download(&x).expect("memory"), [-1.0; 10]);
    let after = Cache::process().expect("right settings").stats();
    // Other tests share the cache; this kernel is not among what they compile.
    assert!(after.remarks.iter().all(|remark| !remark.contains("negated")), "{before:?} {after:?}");
}
