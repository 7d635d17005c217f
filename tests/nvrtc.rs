//! Every kernel of the corpus through NVRTC for three architectures, checked and unchecked.
//!
//! Then the machine code of kernels that read by the read-only path, which needs a disassembler.

#[path = "nvrtc/in_flight.rs"]
mod in_flight;
#[path = "nvrtc/named_barriers.rs"]
mod named_barriers;

use corpus::access::{copy, copy_ldg, copy_restrict};
use corpus::cases::{self, Case};
use corpus::coarsening::*;
use corpus::stencils::{stencil_1d, stencil_1d_read_only};
use warpsmith::Kernel;
use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::dump;
use warpsmith::nvrtc::{self, Arch, CompileOptions};

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

/// NVRTC's warnings about a kernel's forms, if the architecture has the features that it needs.
fn warnings(case: &Case, arch: Arch) -> Vec<String> {
    let (mut seen, mut said) = (Vec::new(), Vec::new());
    for checks in [Checks::None, Checks::All, Checks::Lifted(u64::MAX)] {
        // A launch lifts a part of the checks: one architecture is enough for it.
        if checks == Checks::Lifted(u64::MAX) && !arch.specific {
            continue;
        }
        let source = (case.print)(&PrintOptions { checks, line_directives: checks != Checks::None })
            .unwrap_or_else(|e| panic!("{}: {e}", case.name));
        let (compute, least) = ((arch.major, arch.minor), source.needs.min_compute);
        let lacking = compute < least || source.needs.arch_specific && (!arch.specific || compute != least);
        if lacking || seen.contains(&source.code) {
            continue;
        }
        let relocatable = source.needs.launches;
        let options = CompileOptions { relocatable, ..CompileOptions::new(arch) };
        match nvrtc::compile_object(&source.complete(), case.name, &options) {
            Ok(cubin) if cubin.log.is_empty() => {}
            Ok(cubin) => said.push(format!("{} for {arch}: {}", case.name, cubin.log)),
            Err(error) => said.push(error.to_string()),
        }
        seen.push(source.code);
    }
    said
}

/// Whether each load of a kernel's data, in what `launch` compiles for an H200, takes the read-only path.
fn read_only<K: Kernel<Comptime = ()>>() -> Vec<bool> {
    let cubin = K::cubin_for(&(), "sm_90").unwrap_or_else(|e| panic!("{}: {e}", K::NAME));
    let text = dump::sass(&cubin.image).unwrap_or_else(|e| panic!("{}: {e}", K::NAME));
    let operation = |line: &str| line[line.find("LDG.")?..].split_whitespace().next().map(str::to_owned);
    let loads: Vec<String> = text.lines().filter_map(operation).collect();
    println!("{}: {loads:?}", K::NAME);
    // The one load of 64 bits is that of the fault record's address.
    loads.iter().filter(|load| *load != "LDG.E.64").map(|load| load.contains(".CONSTANT")).collect()
}

#[test]
#[cfg_attr(not(all(nvrtc, nvdisasm)), ignore = "needs NVRTC, and `nvdisasm` or `cuobjdump`")]
fn the_read_only_path_is_in_the_machine_code_where_it_was_asked_for() {
    harness::needs_nvrtc();
    // An input, an input, and three of the input with four weights.
    let asked = [read_only::<copy_ldg>, read_only::<copy_restrict>, read_only::<stencil_1d_read_only>];
    for (kernel, loads) in asked.into_iter().zip([1, 1, 7]) {
        assert_eq!(kernel(), vec![true; loads]);
    }
    // The weights of this one are constants, which are no loads.
    for (kernel, loads) in [read_only::<copy>, read_only::<stencil_1d>].into_iter().zip([1, 3]) {
        assert_eq!(kernel(), vec![false; loads]);
    }
}

/// Asserts the number of loads and stores of a width in the machine code that `launch` compiles for an H200, and that the
/// machine code has none of local memory.
fn accesses<K: Kernel<Comptime = ()>>(bits: u32) -> (usize, usize) {
    let cubin = K::cubin_for(&(), "sm_90").unwrap_or_else(|e| panic!("{}: {e}", K::NAME));
    let text = dump::sass(&cubin.image).unwrap_or_else(|e| panic!("{}: {e}", K::NAME));
    assert!(!text.contains("LDL") && !text.contains("STL"), "{} has local memory:\n{text}", K::NAME);
    let count = |operation: &str| text.matches(&format!("{operation}.E.{bits} ")).count();
    (count("LDG"), count("STG"))
}

#[test]
#[cfg_attr(not(all(nvrtc, nvdisasm)), ignore = "needs NVRTC, and `nvdisasm` or `cuobjdump`")]
fn coarsened_kernels_load_and_store_sixteen_bytes_at_once() {
    harness::needs_nvrtc();
    assert_eq!(accesses::<saxpy_wide>(128), (2, 1));
    assert_eq!(accesses::<add_wide>(128), (2, 1));
    assert_eq!(accesses::<copy_wide>(128), (1, 1));
    assert_eq!(accesses::<widen_wide>(128), (0, 1));
    assert_eq!(accesses::<narrow_wide>(128), (1, 0));
    assert_eq!(accesses::<bytes_wide>(128), (1, 1));
    assert_eq!(accesses::<scale_bf16_wide>(128), (1, 1));
    assert_eq!(accesses::<particles_wide>(128), (6, 3));
    assert_eq!(accesses::<positive_wide>(128), (1, 0));
    assert_eq!(accesses::<steps_wide>(128), (1, 2));
    assert_eq!(accesses::<smooth_wide>(128), (1, 1));
    assert_eq!(accesses::<inner_wide>(128), (1, 1));
    assert_eq!(accesses::<squares_wide>(128), (3, 2));
    assert_eq!(accesses::<estimates_wide>(128), (2, 1));
}
