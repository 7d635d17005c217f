//! Relaxed operations on shared memory in machine code: the instructions of shared memory, also in functions that are given a slice.

use warpsmith::dump;
use warpsmith::nvrtc::{self, Arch, CompileOptions};
use warpsmith::prelude::*;

/// Follows numbers to one that stays the same, which the others then lead to.
#[gpu_fn]
fn followed(next: &mut [u32], from: u32) -> u32 {
    let mut at = from;
    loop {
        let to = atomic(&mut next[at]).load(Ordering::Relaxed);
        if to == at {
            return at;
        }
        at = to;
    }
}

#[gpu_kernel]
fn joined(x: &[u32], y: &mut [u32]) {
    let mut next = shared!([u32; 64]);
    let t = thread_idx().x;
    next[t] = x[t] % 64;
    sync_threads();
    let end = followed(&mut next, t);
    let moved = atomic(&mut next[end]).compare_exchange(end, 0, Ordering::Relaxed, Ordering::Relaxed);
    atomic(&mut next[(t + 1) % 64]).store(moved.is_ok() as u32, Ordering::Relaxed);
    sync_threads();
    y[t] = next[t];
}

#[test]
#[cfg_attr(not(all(nvrtc, nvdisasm)), ignore = "needs NVRTC and `nvdisasm`")]
fn relaxed_operations_on_shared_memory_are_its_instructions() {
    harness::needs_nvrtc();
    // Without the function that reports faults, which writes by pointers.
    let code = joined::cuda_source().expect("it prints");
    let arch = Arch { major: 9, minor: 0, specific: false };
    let cubin = nvrtc::compile_object(&code, joined::NAME, &CompileOptions::new(arch)).expect("it compiles");
    let sass = dump::sass(&cubin.image).expect("there is a disassembler");
    assert!(["LDS", "STS", "ATOMS.CAS"].iter().all(|instruction| sass.contains(instruction)), "{sass}");
    // An access that finds out at run time which memory it is in.
    let generic =
        |line: &&str| [" LD.", " ST.", " ATOM."].iter().any(|instruction| line.contains(instruction));
    assert_eq!(sass.lines().find(generic), None, "{sass}");
}
