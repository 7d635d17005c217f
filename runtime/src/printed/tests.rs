//! The shim knows what the device API and the printer can print, and launches find texts that were compiled ahead of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::Sanitizers;
use super::compiler::Compiler;
use super::library::Unit;
use super::text::{for_host, is_word, string_end, word_end};
use super::{Refused, functions, known, launch_texts, library, shim};
use crate::compile::kernel::Specialized;
use crate::prelude::*;
use crate::simulator::{Executor, Settings};

/// Names in printed CUDA that the shim does not have, and why.
const WITHOUT: [(&str, &str); 7] = [
    ("__restrict__", "the compiler's own"),
    ("__shared__", "a word that `text.rs` rewrites"),
    ("__shfl", "the beginning of names that are put together: `__shfl_sync` and the like are known"),
    ("__isGlobal", "checks of initialisation on a GPU, which no launch on the simulator prints"),
    ("__isShared", "likewise"),
    ("__INTADDR__", "only for NVRTC"),
    ("__CUDACC_RTC__", "only defined by NVRTC"),
];

/// Words of C++, and of messages, that stand before a parenthesis in the sources' strings.
const NO_FUNCTIONS: &str = "asm if for while sizeof static_assert operator return volatile const void typename explicit \
    decltype extern switch noreturn dim3 unsigned int char long short float double bool T U M V W R P D S I J O F struct \
    template __nv_";

/// The string literals of a source file, without comments and tests.
fn literals(source: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), source.split("#[cfg(test)]").next().unwrap_or(source));
    while let Some(start) = rest.find(['"', '/', '\'']) {
        rest = &rest[start..];
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with('"') {
            let end = string_end(rest);
            found.push(&rest[1..end - 1]);
            end
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\''") {
            rest[1..].find('\'').map_or(1, |at| at + 2)
        } else {
            1
        };
        rest = &rest[end..];
    }
    found
}

/// The CUDA names that the strings of the sources call.
fn printed_names(directory: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            printed_names(&path, names);
            continue;
        }
        let source = fs::read_to_string(&path).expect("a source");
        for (at, _) in source.match_indices("math(\"") {
            let name = &source[at + 6..at + 6 + word_end(&source[at + 6..])];
            names.extend([name.to_owned(), format!("{name}f")]);
        }
        for literal in literals(&source) {
            let mut rest = literal;
            while let Some(start) = rest.find(is_word) {
                let end = start + word_end(&rest[start..]);
                let (word, behind) = (&rest[start..end], &rest[end..]);
                let is_call = behind.starts_with("({") && !literal.contains(' ');
                if word.starts_with("__") && word.len() > 2 || is_call && !word.starts_with("ws_") {
                    names.insert(word.to_owned());
                }
                rest = behind;
            }
        }
    }
}

#[test]
fn every_cuda_name_that_can_be_printed_is_known_or_listed() {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = BTreeSet::new();
    printed_names(&runtime.join("lang/src/device_api"), &mut names);
    printed_names(&runtime.join("ir/src/codegen"), &mut names);
    assert!(names.len() > 250, "only {} names are found", names.len());
    assert!(names.contains("__shfl_xor_sync") || names.contains("__ballot_sync"), "{names:?}");
    let mut known = shim::words();
    known.extend(functions::functions().map(|function| function.name));
    let unknown: Vec<&String> = names
        .iter()
        .filter(|name| {
            !name.starts_with("__builtin_") && !NO_FUNCTIONS.split_whitespace().any(|word| word == *name)
        })
        .filter(|name| !known.contains(name.as_str()))
        .filter(|name| !WITHOUT.iter().any(|(without, _)| without == name))
        .collect();
    assert!(unknown.is_empty(), "neither in the shim nor listed: {unknown:?}");
    let stale: Vec<_> =
        WITHOUT.iter().filter(|(name, _)| !names.contains(*name) || known.contains(*name)).collect();
    assert!(stale.is_empty(), "listed, but known or not printed: {stale:?}");
}

#[test]
fn each_function_of_the_host_stands_in_the_table_once() {
    let mut seen = BTreeSet::new();
    for function in functions::functions() {
        assert!(seen.insert((function.name, function.params)), "{} is there twice", function.name);
    }
}

/// A unit of a text by hand; `None` where there is no compiler.
fn unit(cuda: &str, kernel: &str) -> Option<Unit> {
    let identity = Compiler::process().ok()?.identity(Sanitizers::NONE);
    Some(Unit::new(
        for_host(cuda, &BTreeSet::new(), &BTreeSet::new()).expect("nothing is refused"),
        kernel.into(),
        Vec::new(),
        &identity,
    ))
}

/// The number that a kernel writes to the address that it is given.
fn written(unit: &Unit) -> Result<i32, Refused> {
    let exports = library::loaded(unit, Sanitizers::NONE)?;
    let mut number = 0;
    let address = &raw mut number;
    let arguments = [(&raw const address).cast()];
    // SAFETY: the kernel takes the address of a number, and asks the machine for nothing.
    unsafe { exports.entry()(arguments.as_ptr()) };
    Ok(number)
}

#[test]
fn texts_are_compiled_together_and_a_wrong_one_does_not_touch_the_others() {
    let texts = [
        ("extern \"C\" __global__ void set(int* x) { *x = 31; }\n", "set"),
        ("extern \"C\" __global__ void wrong(int* x) { *x = no_such_function(); }\n", "wrong"),
        // The same names in another text of the same compilation.
        (
            "__device__ int f() { return 32; }\nextern \"C\" __global__ void set(int* x) { *x = f(); }\n",
            "set",
        ),
        (
            "__device__ int f() { return 33; }\nextern \"C\" __global__ void set(int* x) { *x = f(); }\n",
            "set",
        ),
    ];
    let Some(units) = texts.iter().map(|(cuda, kernel)| unit(cuda, kernel)).collect::<Option<Vec<_>>>()
    else {
        println!("skipped: there is no C++ compiler");
        return;
    };
    library::compile_ahead(&units, Sanitizers::NONE).expect("a compiler");
    let outcomes: Vec<_> = units.iter().map(written).collect();
    assert_eq!((&outcomes[0], &outcomes[2], &outcomes[3]), (&Ok(31), &Ok(32), &Ok(33)));
    let refused = outcomes[1].as_ref().expect_err("it does not compile").to_string();
    assert!(refused.starts_with("the printed CUDA does not compile as C++: "), "{refused}");
    assert!(refused.contains("no_such_function"), "{refused}");
}

#[test]
fn an_instruction_that_the_shim_has_not_is_named() {
    let text = "extern \"C\" __global__ void k(int* x) { asm(\"szext.wrap.s32 %0, 1, 2;\" : \"=r\"(*x)); }\n";
    let Some(unit) = unit(text, "k") else { return println!("skipped: there is no C++ compiler") };
    let refused = written(&unit).expect_err("no such instruction");
    assert_eq!(refused, Refused::Instruction("szext.wrap.s32".into()));
}

/// A kernel whose text depends on its launch in each way that there is: conditions, arithmetic that fits, slices that are read.
#[gpu_kernel]
fn rows_scaled(x: &[f32], y: &mut [f32], by: f32, cols: usize) {
    let row = block_idx().y as usize;
    for col in (thread_idx().x as usize..cols).step_by(block_dim().x as usize) {
        y[row * cols + col] = by * x[row * cols + col];
    }
}

#[test]
fn launches_run_the_texts_that_are_compiled_ahead() -> crate::Result<()> {
    if let Err(missing) = super::compiler() {
        println!("skipped: {missing}");
        return Ok(());
    }
    let device = Device::simulator_with(Settings { executor: Executor::Printed, ..Settings::default() });
    let (x, mut y) = (device.upload(&[2.0f32; 60])?, device.upload(&[0.0f32; 60])?);
    rows_scaled(&x, &mut y, 3.0, 20).grid([1, 3]).block(8).launch(&device)?;
    // SAFETY: rows and columns are those of both buffers.
    unsafe { rows_scaled(&x, &mut y, 3.0, 20).grid([1, 3]).block(8).launch_unchecked(&device)? };
    assert_eq!(device.download(&y)?, [6.0; 60]);

    let module = rows_scaled::module(&())?;
    assert!(!module.module().conditions.is_empty() && !module.module().fits.is_empty());
    let ahead = [true, false].map(|checked| launch_texts(&module, checked));
    let ahead: Vec<String> = ahead
        .into_iter()
        .collect::<crate::Result<Vec<_>>>()?
        .concat()
        .into_iter()
        .map(|text| text.code)
        .collect();
    let known = known();
    let launched: Vec<_> = known.of(&Specialized::<rows_scaled>(())).flatten().collect();
    assert_eq!(launched.len(), 2);
    assert!(launched.iter().all(|text| ahead.contains(&text.source.code)), "{ahead:#?}");
    Ok(())
}

/// A kernel with a barrier, all of whose threads fail.
#[gpu_kernel]
fn all_beyond(x: &[f32], y: &mut [f32]) {
    sync_threads();
    y[thread_idx().x] = x[thread_idx().x + 4];
}

#[test]
fn of_threads_that_all_fail_the_same_is_reported_by_each_executor() -> crate::Result<()> {
    let there = if super::compiler().is_ok() { 3 } else { 2 };
    let executors = [Executor::Twin, Executor::Interpreter, Executor::Printed];
    for seed in 0..3 {
        let mut faults = Vec::new();
        for executor in &executors[..there] {
            let settings = Settings { executor: *executor, seed, ..Settings::default() };
            let device = Device::simulator_with(settings);
            let (x, mut y) = (device.upload(&[2.0f32; 4])?, device.upload(&[0.0f32; 64])?);
            let fault = all_beyond(&x, &mut y).grid(1).block(64).launch(&device);
            faults.push(fault.expect_err("no index is in bounds").to_string());
        }
        assert!(faults.iter().all(|fault| *fault == faults[0]), "{faults:#?}");
    }
    Ok(())
}
