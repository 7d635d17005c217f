//! Numbers of named barriers in machine code: constants of the kernel stand in the instructions, or the assembler reserves all
//! barriers of a block.

use warpsmith::dump;
use warpsmith::nvrtc::{self, Arch, CompileOptions};
use warpsmith::prelude::*;

const DONE: u32 = 2;

/// Threads of two warps meet, by a number that a function is given.
#[gpu_fn]
fn handed_over(number: u32) {
    named_barrier_sync(number, 64);
}

/// Each half of a block meets twice.
#[gpu_kernel(allow(divergent_barriers))]
fn halves(y: &mut [u32], given: u32, #[comptime] first: u32, #[comptime] variable: bool) {
    let mut kept = shared!([u32; 128]);
    let t = thread_idx().x as usize;
    kept[t] = y[t];
    if variable {
        handed_over(given + t as u32 / 64);
    } else if t < 64 {
        named_barrier_sync(first + 1, 64);
    } else {
        named_barrier_arrive(DONE + first, 64);
        named_barrier_sync(7, 64);
    }
    y[t] = kept[t ^ 1];
}

/// The operands of the kernel's barriers.
fn barriers(variable: bool) -> Vec<String> {
    let code = halves::cuda_source_for(&(3, variable)).expect("it prints");
    let arch = Arch { major: 9, minor: 0, specific: false };
    let cubin = nvrtc::compile_object(&code, halves::NAME, &CompileOptions::new(arch));
    let sass = dump::sass(&cubin.expect("it compiles").image).expect("there is a disassembler");
    let mut operands: Vec<String> = sass
        .lines()
        .filter_map(|line| line.split_once(" BAR.")?.1.split_once(' ')?.1.split(',').next())
        .map(|number| number.trim().to_owned())
        .collect();
    operands.sort();
    operands
}

#[test]
#[cfg_attr(not(all(nvrtc, nvdisasm)), ignore = "needs NVRTC and `nvdisasm`")]
fn constant_numbers_of_barriers_stand_in_the_instructions() {
    harness::needs_nvrtc();
    let constant = barriers(false);
    assert!(
        ["0x4", "0x5", "0x7"].iter().all(|number| constant.iter().any(|is| is == number)),
        "{constant:?}"
    );
    let variable = barriers(true);
    assert!(variable.iter().any(|number| number.starts_with('R')), "{variable:?}");
}
