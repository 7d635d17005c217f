//! Every kernel of the corpus through NVRTC, in each of its forms, for three architectures.
//!
//! Then the machine code of kernels that read by the read-only path, which needs a disassembler.

#[path = "nvrtc/in_flight.rs"]
mod in_flight;
#[path = "nvrtc/named_barriers.rs"]
mod named_barriers;
#[path = "nvrtc/shared_atomics.rs"]
mod shared_atomics;
#[path = "nvrtc/tables.rs"]
mod tables;

use corpus::access::{copy, copy_ldg, copy_restrict};
use corpus::cases::{self, Case};
use corpus::coarsening::*;
use corpus::stencils::{stencil_1d, stencil_1d_read_only};
use warpsmith::Kernel;
use warpsmith::codegen::{Checks, CudaSource, PrintOptions};
use warpsmith::dump;
use warpsmith::launch::GpuChecks;
use warpsmith::nvrtc::Arch;

// A kernel has many forms, and NVRTC takes most of a minute for all kernels in one: each form is compiled for one GPU, and for
// each GPU a form is compiled.

const A100: Arch = Arch { major: 8, minor: 0, specific: false };
const H200: Arch = Arch { major: 9, minor: 0, specific: true };
const B200: Arch = Arch { major: 10, minor: 0, specific: false };

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn every_checked_kernel_compiles_for_an_a100_without_a_warning() {
    compiles(cases::all().iter().filter(|case| !needs_an_h200(case)), Checks::All, A100);
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn every_kernel_compiles_for_an_h200_without_a_warning() {
    let all = cases::all();
    // What a launch compiles that proves the most.
    compiles(&all, Checks::Lifted(u64::MAX), H200);
    compiles(all.iter().filter(|case| needs_an_h200(case)), Checks::All, H200);
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn every_unchecked_kernel_with_assembly_compiles_for_a_b200_without_a_warning() {
    // GPUs differ in the instructions of their assembler: the others are C++.
    let runs = |case: &&Case| {
        let source = source(case, Checks::None);
        !source.needs.arch_specific && source.code.contains("asm")
    };
    compiles(cases::all().iter().filter(runs), Checks::None, B200);
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn every_kernel_compiles_with_all_that_a_gpu_can_check_without_a_warning() {
    compiles(&cases::all(), Checks::Also(GpuChecks::ALL), H200);
}

/// The text of a form of a kernel.
fn source(case: &Case, checks: Checks) -> CudaSource {
    let options = PrintOptions { checks, line_directives: checks != Checks::None };
    (case.print)(&options).unwrap_or_else(|e| panic!("{}: {e}", case.name))
}

fn needs_an_h200(case: &Case) -> bool {
    source(case, Checks::All).needs.min_compute > (8, 0)
}

/// Compiles a form of each kernel without a warning.
#[track_caller]
fn compiles<'a>(cases: impl IntoIterator<Item = &'a Case>, checks: Checks, arch: Arch) {
    harness::needs_nvrtc();
    let fails = |case: &'a Case| {
        let source = source(case, checks);
        let options = harness::options_for(&source, checks, arch);
        harness::compiles_without_a_warning(case.name, &source.code, &options).err()
    };
    let failures: Vec<String> = cases.into_iter().filter_map(fails).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
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
