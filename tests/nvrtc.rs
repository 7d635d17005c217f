//! Every kernel of the corpus through NVRTC for three architectures, checked and unchecked.
//!
//! Then the machine code of kernels that read by the read-only path, which needs a disassembler: without one the test says that it
//! was skipped, and `WARPSMITH_REQUIRE_NVDISASM=1` makes that a failure.

use corpus::access::{copy, copy_ldg, copy_restrict};
use corpus::cases::{self, Case};
use corpus::stencils::{stencil_1d, stencil_1d_read_only};
use warpsmith::Kernel;
use warpsmith::codegen::{Checks, Options};
use warpsmith::dump::{self, DumpError};
use warpsmith::nvrtc::{self, Arch, CompileOptions, DebugInfo};

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn every_kernel_compiles_for_an_a100_without_a_warning() {
    compiles_for(Arch { major: 8, minor: 0, specific: false });
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn every_kernel_compiles_for_an_h200_without_a_warning() {
    compiles_for(Arch { major: 9, minor: 0, specific: true });
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn every_kernel_compiles_for_a_b200_without_a_warning() {
    compiles_for(Arch { major: 10, minor: 0, specific: false });
}

fn compiles_for(arch: Arch) {
    harness::needs_nvrtc();
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

/// Whether each load of a kernel's data, in what `launch` compiles for an H200, takes the read-only path. `None` without a
/// disassembler, after saying so.
fn read_only<K: Kernel<Comptime = ()>>() -> Option<Vec<bool>> {
    let cubin = K::cubin_for(&(), "sm_90").unwrap_or_else(|e| panic!("{}: {e}", K::NAME));
    let text = match dump::sass(&cubin.image) {
        Ok(text) => text,
        Err(missing @ DumpError::NoDisassembler) => {
            assert!(std::env::var_os("WARPSMITH_REQUIRE_NVDISASM").is_none(), "{missing}");
            println!("skipped: {missing}");
            return None;
        }
        Err(error) => panic!("{}: {error}", K::NAME),
    };
    let operation = |line: &str| line[line.find("LDG.")?..].split_whitespace().next().map(str::to_owned);
    let loads: Vec<String> = text.lines().filter_map(operation).collect();
    println!("{}: {loads:?}", K::NAME);
    // The one load of 64 bits is that of the fault record's address.
    Some(loads.iter().filter(|load| *load != "LDG.E.64").map(|load| load.contains(".CONSTANT")).collect())
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn the_read_only_path_is_in_the_machine_code_where_it_was_asked_for() {
    harness::needs_nvrtc();
    // An input, an input, and three of the input with four weights.
    let asked = [read_only::<copy_ldg>, read_only::<copy_restrict>, read_only::<stencil_1d_read_only>];
    for (kernel, loads) in asked.into_iter().zip([1, 1, 7]) {
        let Some(seen) = kernel() else { return };
        assert_eq!(seen, vec![true; loads]);
    }
    // The weights of this one are constants, which are no loads.
    for (kernel, loads) in [read_only::<copy>, read_only::<stencil_1d>].into_iter().zip([1, 3]) {
        let Some(seen) = kernel() else { return };
        assert_eq!(seen, vec![false; loads]);
    }
}
