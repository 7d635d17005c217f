//! The number of loads that a loop keeps in flight: the same as for the loop written by hand as `for (…; i += k)`.
//!
//! The machine code of both by the same NVRTC is compared: the loads of one iteration of the innermost loop that depend on
//! no other load in it, and those that are issued before the first value is used.

use std::collections::HashSet;
use std::process::Command;

use warpsmith::codegen::complete;
use warpsmith::dump;
use warpsmith::nvrtc::{self, Arch, CompileOptions};
use warpsmith::prelude::*;

#[gpu_kernel]
fn grid_stride(x: &[f32], y: &mut [f32]) {
    let mut sum = 0.0;
    for i in (global_id()..x.len()).step_by(global_size()) {
        sum += x[i];
    }
    y[global_id()] = sum;
}

#[gpu_kernel]
fn lane_stride(x: &[f32], y: &mut [f32]) {
    let mut sum = 0.0;
    for i in (lane_id() as usize..x.len()).step_by(32) {
        sum += x[i];
    }
    y[global_id()] = sum;
}

#[gpu_kernel]
fn run_time_step(x: &[f32], y: &mut [f32], first: u32, stride: u32) {
    let mut sum = 0.0;
    for i in (first..x.len() as u32).step_by(stride as usize) {
        sum += x[i];
    }
    y[global_id()] = sum;
}

#[gpu_kernel]
fn inclusive(x: &[f32], y: &mut [f32], first: u32, last: u32) {
    let mut sum = 0.0;
    for i in first..=last {
        sum += x[i];
    }
    y[global_id()] = sum;
}

#[gpu_kernel]
fn backwards(x: &[f32], y: &mut [f32]) {
    let mut sum = 0.0;
    for i in (0..x.len()).rev() {
        sum += x[i];
    }
    y[global_id()] = sum;
}

#[gpu_kernel]
fn chained(x: &[f32], w: &[f32], y: &mut [f32], first: u32) {
    let mut sum = 0.0;
    for (a, b) in x.iter().zip(w.iter()).skip(first as usize).step_by(2) {
        sum += *a * *b;
    }
    y[global_id()] = sum;
}

#[gpu_kernel]
fn chained_back(x: &[f32], y: &mut [f32], count: u32) {
    let mut sum = 0.0;
    for v in x.iter().take(count as usize).rev() {
        sum += *v;
    }
    y[global_id()] = sum;
}

#[gpu_kernel]
fn folded(x: &[f32], w: &[f32], y: &mut [f32]) {
    y[global_id()] = x.iter().zip(w).map(|(a, b)| *a * *b).sum::<f32>();
}

/// A kernel by hand around a loop.
fn by_hand(body: &str) -> String {
    format!(
        "extern \"C\" __global__ void by_hand(const float* __restrict__ x, int n, const float* __restrict__ w, float* y, \
         int first, int last, int stride) {{\n\
         int gid = blockIdx.x * blockDim.x + threadIdx.x;\nfloat sum = 0.0f;\n{body}\ny[gid] = sum;\n}}\n"
    )
}

/// Loads of a kernel's busiest loop.
#[derive(Clone, Copy, Debug)]
struct Loads {
    /// In one iteration, independent of each other.
    independent: usize,
    /// Issued before the first value is used.
    before_use: usize,
}

/// An instruction: its operation, the registers that it writes, and those that it reads.
struct Instruction<'a> {
    operation: &'a str,
    written: Option<&'a str>,
    read: Vec<&'a str>,
}

/// The registers of an operand or several: `R10` of `desc[UR10][R2.64+0x4]` is none, `R2` is one.
fn registers(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| word.strip_prefix('R').is_some_and(|number| number.parse::<u32>().is_ok())).collect()
}

/// The instructions of machine code as text, each by its place in it.
fn instructions(sass: &str) -> Vec<(usize, Instruction<'_>)> {
    let all = sass.lines().enumerate().filter_map(|(at, line)| {
        let code = line.trim_start().strip_prefix("/*")?.split_once("*/")?.1.split(';').next()?.trim();
        let code = if code.starts_with('@') { code.split_once(' ')?.1.trim() } else { code };
        let (operation, operands) = code.split_once(' ').unwrap_or((code, ""));
        let (to, from) = operands.split_once(',').unwrap_or((operands, ""));
        let stores = operation.starts_with("ST") || operation.starts_with("ATOM");
        let written = registers(to).into_iter().next().filter(|_| !stores);
        let read = registers(if stores { operands } else { from });
        Some((at, Instruction { operation, written, read }))
    });
    all.collect()
}

/// The first and the last line of each loop that holds no other.
fn innermost(sass: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = sass.lines().collect();
    let label = |name: &str| lines.iter().position(|line| line.strip_suffix(':') == Some(name));
    let mut loops: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| {
            let target = line.split_once("BRA")?.1.split_once("`(")?.1.split(')').next()?;
            label(target).filter(|first| *first + 1 < at).map(|first| (first, at))
        })
        .collect();
    let all = loops.clone();
    loops.retain(|(first, last)| {
        !all.iter().any(|other| other != &(*first, *last) && other.0 >= *first && other.1 <= *last)
    });
    loops
}

fn loads(code: &str, name: &str) -> Loads {
    let arch = Arch { major: 9, minor: 0, specific: false };
    let cubin =
        nvrtc::compile_object(&complete(code), name, &CompileOptions::new(arch)).expect("it compiles");
    let sass = dump::sass(&cubin.image).expect("there is a disassembler");
    let all = instructions(&sass);
    let of_loop = |(first, last): (usize, usize)| {
        let (mut loaded, mut pending) = (HashSet::new(), HashSet::new());
        let mut loads = Loads { independent: 0, before_use: 0 };
        for (_, Instruction { operation, written, read }) in
            all.iter().filter(|(at, _)| (first..=last).contains(at))
        {
            if read.iter().any(|register| pending.contains(register)) {
                pending.clear();
            }
            let depends = read.iter().any(|register| loaded.contains(register));
            loaded.retain(|register| Some(*register) != *written);
            if operation.starts_with("LDG") {
                loaded.extend(*written);
                pending.extend(*written);
                loads.independent += usize::from(!depends);
                loads.before_use = loads.before_use.max(pending.len());
            }
        }
        loads
    };
    let of_loops = innermost(&sass).into_iter().map(of_loop);
    of_loops.max_by_key(|loads| (loads.independent, loads.before_use)).expect("there is a loop")
}

/// Asserts that our loop has as many loads in flight as the one by hand.
#[track_caller]
fn check<K: Kernel>(launch: &Launch<'_, K>, body: &str) {
    let ours = loads(&launch.cuda_source().expect("it prints"), K::NAME);
    let theirs = loads(&by_hand(body), "by_hand");
    println!("{}: {ours:?}, by hand {theirs:?}", K::NAME);
    assert!(ours.independent >= theirs.independent, "{}: {ours:?}, by hand {theirs:?}", K::NAME);
    // In which order two independent loads and a sum stand is the assembler's choice.
    assert!(2 * ours.before_use >= theirs.before_use, "{}: {ours:?}, by hand {theirs:?}", K::NAME);
}

#[test]
#[cfg_attr(not(all(nvrtc, nvdisasm)), ignore = "needs NVRTC and `nvdisasm`")]
fn loops_keep_as_many_loads_in_flight_as_those_by_hand() {
    harness::needs_nvrtc();
    if let Err(missing) = Command::new("nvdisasm").arg("--version").output() {
        return println!("skipped: `cuobjdump` alone names no targets of branches: {missing}");
    }
    let device = Device::simulator();
    let (x, w) =
        (device.upload(&[1.0f32; 4096]).expect("memory"), device.upload(&[1.0f32; 4096]).expect("memory"));
    let mut y = device.upload(&[1.0f32; 64]).expect("memory");
    check(
        &grid_stride(&x, &mut y).grid(2).block(32),
        "int size = gridDim.x * blockDim.x;\nfor (int i = gid; i < n; i += size) sum += x[i];",
    );
    check(
        &lane_stride(&x, &mut y).grid(2).block(32),
        "for (int i = threadIdx.x % 32; i < n; i += 32) sum += x[i];",
    );
    check(
        &run_time_step(&x, &mut y, 3, 7).grid(2).block(32),
        "for (int i = first; i < n; i += stride) sum += x[i];",
    );
    check(
        &inclusive(&x, &mut y, 3, 700).grid(2).block(32),
        "for (int i = first; i <= last; ++i) sum += x[i];",
    );
    check(&backwards(&x, &mut y).grid(2).block(32), "for (int i = n - 1; i >= 0; --i) sum += x[i];");
    check(
        &chained(&x, &w, &mut y, 3).grid(2).block(32),
        "for (int i = first; i < n; i += 2) sum += x[i] * w[i];",
    );
    check(
        &chained_back(&x, &mut y, 700).grid(2).block(32),
        "for (int i = last - 1; i >= 0; --i) sum += x[i];",
    );
    check(&folded(&x, &w, &mut y).grid(2).block(32), "for (int i = 0; i < n; ++i) sum += x[i] * w[i];");
}

/// The counts of known machine code are right.
#[test]
fn loads_that_depend_on_a_load_are_not_independent() {
    let sass = "\
.L_a:
        /*0000*/  LDG.E R4, desc[UR4][R2.64] ;
        /*0010*/  @P0 LDG.E R5, desc[UR4][R2.64+0x4] ;
        /*0020*/  FADD R6, R6, R4 ;
        /*0030*/  @P0 BRA `(.L_a) ;
.L_b:
        /*0040*/  BRA `(.L_b);
";
    let all = instructions(sass);
    let operations: Vec<&str> = all.iter().map(|(_, of)| of.operation).collect();
    assert_eq!(operations, ["LDG.E", "LDG.E", "FADD", "BRA", "BRA"]);
    assert_eq!((all[2].1.written, all[2].1.read.as_slice()), (Some("R6"), ["R6", "R4"].as_slice()));
    assert_eq!(all[0].1.read, ["R2"]);
    assert_eq!(innermost(sass), [(0, 4)]);
}
