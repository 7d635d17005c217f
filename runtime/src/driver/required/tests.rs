//! The tables name every function that is called; libraries that lack one are errors. The libraries are made by the
//! system's C compiler, and opened in a child process.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{CALLED, LATER, WRAPPED};
use crate::nvrtc::{Arch, CompileOptions};

/// Calls of functions with such a prefix in the sources of a folder, but for those of tests.
fn called(folder: &str, prefix: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the sources").map(|entry| entry.expect("a file").path()) {
        if entry.extension().is_none_or(|extension| extension != "rs") || entry.ends_with("tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&entry).expect("a source");
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '('));
        for word in words.flat_map(|word| word.split_inclusive('(')) {
            let name = word.strip_suffix('(').and_then(|name| name.strip_prefix(prefix));
            if name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase())) {
                found.push(word.trim_end_matches('(').to_owned());
            }
        }
    }
    assert!(!found.is_empty(), "nothing in {prefix} is called");
    found
}

#[test]
fn every_function_of_the_driver_that_is_called_is_asked_for() {
    let known = |name: &String| CALLED.contains(&&**name) || LATER.iter().any(|(later, _)| later == name);
    let missing: Vec<_> = called("src/driver", "cu").into_iter().filter(|name| !known(name)).collect();
    assert!(missing.is_empty(), "write these in `driver/required.rs`: {missing:?}");
    let linked = crate::nvrtc::driver_functions();
    let missing: Vec<_> =
        called("nvrtc/src/nvrtc", "cu").into_iter().filter(|name| !linked.contains(&&**name)).collect();
    assert!(missing.is_empty(), "write these in `nvrtc/driver_link.rs`: {missing:?}");
}

#[test]
fn every_function_of_nvrtc_that_is_called_is_asked_for() {
    let known = crate::nvrtc::functions();
    let missing: Vec<_> =
        called("nvrtc/src/nvrtc", "nvrtc").into_iter().filter(|name| !known.contains(&&**name)).collect();
    assert!(missing.is_empty(), "write these in `nvrtc/library.rs`: {missing:?}");
}

/// A library of functions, each of which returns a number.
fn library(folder: &Path, file: &str, functions: &[&str], code: &str) -> Option<()> {
    let source = folder.join(format!("{file}.c"));
    let bodies: String =
        functions.iter().map(|name| format!("int {name}(void) {{ return 803; }}\n")).collect();
    std::fs::write(&source, bodies + code).expect("a folder that can be written");
    let library = folder.join(file);
    let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    match made {
        Ok(status) => {
            assert!(status.success(), "cc makes {file}");
            Some(())
        }
        Err(missing) => {
            println!("ignored: there is no C compiler `cc`: {missing}");
            None
        }
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("warpsmith-stubs-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

/// The output of a child process that does one thing with the libraries of a folder.
fn child(folder: &Path, what: &str) -> String {
    let me = std::env::current_exe().expect("this test has a path");
    let child = Command::new(me)
        .args(["--exact", "driver::required::tests::with_these_libraries", "--ignored", "--nocapture"])
        .env("LD_LIBRARY_PATH", folder)
        .env("WARPSMITH_CUDADEVRT", folder.join("libcuda.so.c"))
        .env("WARPSMITH_STUBS", what)
        .output()
        .expect("this test starts again");
    let _ = std::fs::remove_dir_all(folder);
    let said = String::from_utf8_lossy(&child.stdout).into_owned();
    assert!(child.status.success(), "{said}\n{}", String::from_utf8_lossy(&child.stderr));
    said
}

#[test]
#[ignore = "run by the tests below, in a process with other libraries"]
fn with_these_libraries() {
    let Ok(what) = std::env::var("WARPSMITH_STUBS") else { return };
    let arch = Arch { major: 9, minor: 0, specific: false };
    let said = match what.as_str() {
        "driver" => crate::Device::gpu(0).map(|_| ()).expect_err("a stub").to_string(),
        "nvrtc" => {
            let options = CompileOptions::new(arch);
            crate::nvrtc::ptx("", "k", &options).expect_err("a stub").to_string()
        }
        _ => crate::nvrtc::link(b"", "k", arch).expect_err("a stub").to_string(),
    };
    println!("said: {said}");
}

#[test]
fn a_driver_that_lacks_a_function_is_an_error_that_names_it() {
    let all: Vec<&str> = WRAPPED.iter().chain(CALLED).copied().collect();
    for lacking in ["cuDevicePrimaryCtxRetain", CALLED[0], CALLED[CALLED.len() - 1]] {
        let folder = folder(lacking);
        let rest: Vec<&str> = all.iter().copied().filter(|name| *name != lacking).collect();
        let Some(()) = library(&folder, "libcuda.so", &rest, "") else { return };
        let said = child(&folder, "driver");
        assert!(said.contains(&format!("the CUDA driver has no `{lacking}`")), "{said}");
        assert!(said.contains("install the NVIDIA driver"), "{said}");
    }
}

#[test]
fn an_error_that_the_driver_does_not_name_keeps_its_number() {
    let folder = folder("names");
    let all: Vec<&str> = WRAPPED.iter().chain(CALLED).copied().collect();
    let Some(()) = library(&folder, "libcuda.so", &all, "") else { return };
    let said = child(&folder, "driver");
    assert!(said.contains("failed at cuInit: error 803"), "{said}");
}

#[test]
fn an_nvrtc_that_lacks_a_function_is_an_error_that_names_it() {
    for lacking in ["nvrtcVersion", "nvrtcGetPTX"] {
        let folder = folder(lacking);
        let rest: Vec<&str> =
            crate::nvrtc::functions().iter().copied().filter(|name| *name != lacking).collect();
        let Some(()) = library(&folder, "libnvrtc.so", &rest, "") else { return };
        let said = child(&folder, "nvrtc");
        assert!(said.contains(&format!("libnvrtc has no `{lacking}`")), "{said}");
        assert!(said.contains("pip install nvidia-cuda-nvrtc"), "{said}");
    }
}

#[test]
fn a_linker_that_lacks_a_function_is_an_error_that_names_it() {
    let folder = folder("link");
    let version = "int nvrtcVersion(int* major, int* minor) { *major = 13; *minor = 0; return 0; }\n";
    let rest: Vec<&str> =
        crate::nvrtc::functions().iter().copied().filter(|name| *name != "nvrtcVersion").collect();
    let linker =
        "int nvJitLinkVersion(unsigned* major, unsigned* minor) { *major = 13; *minor = 0; return 0; }\n";
    let made = library(&folder, "libcuda.so", &["cuInit", "cuCtxGetCurrent"], "")
        .and_then(|()| library(&folder, "libnvrtc.so", &rest, version))
        .and_then(|()| library(&folder, "libnvJitLink.so.13", &["nvJitLinkCreate"], linker));
    let Some(()) = made else { return };
    let said = child(&folder, "link");
    // The driver cannot link either, and says what it lacks.
    assert!(
        said.contains("libcuda has no `cuLinkAddData_v2`") || said.contains("libnvJitLink has no"),
        "{said}"
    );
}
