//! Every kernel of the corpus through NVRTC for three architectures, checked and unchecked.
//!
//! Without NVRTC the tests say that they were skipped; `WARPSMITH_REQUIRE_NVRTC=1` makes that a failure.

use corpus::cases::{self, Case};
use warpsmith::codegen::{Checks, Options};
use warpsmith::nvrtc::{self, Arch, CompileOptions, DebugInfo, NvrtcError};

#[test]
fn every_kernel_compiles_for_an_a100_without_a_warning() {
    compiles_for(Arch { major: 8, minor: 0, specific: false });
}

#[test]
fn every_kernel_compiles_for_an_h200_without_a_warning() {
    compiles_for(Arch { major: 9, minor: 0, specific: true });
}

#[test]
fn every_kernel_compiles_for_a_b200_without_a_warning() {
    compiles_for(Arch { major: 10, minor: 0, specific: false });
}

fn compiles_for(arch: Arch) {
    if let Err(missing) = nvrtc::version() {
        assert!(std::env::var_os("WARPSMITH_REQUIRE_NVRTC").is_none(), "{missing}");
        assert_eq!(missing, NvrtcError::Missing);
        println!("skipped: {missing}");
        return;
    }
    let failures: Vec<String> = cases::all().iter().flat_map(|case| warnings(case, arch)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What NVRTC says of a kernel's forms, where the architecture has what it needs.
fn warnings(case: &Case, arch: Arch) -> Vec<String> {
    let (mut seen, mut said) = (Vec::new(), Vec::new());
    for checks in [Checks::None, Checks::All, Checks::Lifted(u64::MAX)] {
        // What a launch lifts is a part of what is checked: one architecture is enough for it.
        if checks == Checks::Lifted(u64::MAX) && !arch.specific {
            continue;
        }
        let source = (case.print)(&Options { checks, line_directives: checks != Checks::None })
            .unwrap_or_else(|e| panic!("{}: {e}", case.name));
        if seen.contains(&source.code) || (arch.major, arch.minor) < source.needs.min_compute {
            continue;
        }
        let relocatable = source.needs.launches;
        let options = CompileOptions { arch, fmad: true, debug_info: DebugInfo::None, relocatable };
        match nvrtc::compile_object(&source.code, case.name, &options) {
            Ok(cubin) if cubin.log.is_empty() => {}
            Ok(cubin) => said.push(format!("{} for {arch}: {}", case.name, cubin.log)),
            Err(error) => said.push(error.to_string()),
        }
        seen.push(source.code);
    }
    said
}
