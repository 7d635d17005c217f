//! Runs a kernel wherever it can run; every kind of test shares this.

pub mod documents;

use warpsmith::codegen::{Checks, CudaSource, GpuChecks, PrintOptions, complete};
use warpsmith::ir::{ExprKind, Module, visit};
use warpsmith::launch::LaunchError;
use warpsmith::nvrtc::{self, Arch, CompileOptions, DebugInfo};
use warpsmith::prelude::*;
use warpsmith::printed;
use warpsmith::simulator::{Executor, Settings};
use warpsmith::{Error, RecordError, driver::DriverError};

/// Compiles a kernel, then runs `test` on the simulator, and on a GPU if there is one.
pub fn everywhere<K: Kernel>(comptime: &K::Comptime, test: impl Fn(&Device)) {
    compiles::<K>(comptime);
    on_every_device(test);
}

/// Runs a kernel of one thread everywhere, on `0..16`; the output begins as `100..116`, and must change.
pub fn agrees<K: Kernel<Comptime = ()>>(
    launch: impl Fn(&Buffer<u64>, &mut Buffer<u64>, &Device) -> warpsmith::Result<()>,
) {
    const LEN: usize = 16;
    everywhere::<K>(&(), |device| {
        let x = device.upload(&(0..LEN as u64).collect::<Vec<_>>()).expect("memory");
        let out = written(device, (LEN, 100), |out| launch(&x, out, device));
        assert!(out.iter().any(|v| *v != 100), "{} wrote nothing on {}", K::NAME, device.name());
    });
}

/// Tests, by [`agrees`], of kernels of one form: `fn(x: &[u64], out: &mut [u64])`.
#[macro_export]
macro_rules! agree {
    ($($name:ident)+) => {
        mod agree {
            $(
                #[test]
                fn $name() {
                    $crate::agrees::<super::$name>(|x, out, device| {
                        super::$name(x, out).grid(1).block(1).launch(device)
                    });
                }
            )+
        }
    };
}

/// Runs `test` on the simulator, and on a GPU if there is one.
pub fn on_every_device(test: impl Fn(&Device)) {
    on_each(&test);
}

fn on_each(test: &dyn Fn(&Device)) {
    devices().iter().for_each(test);
}

/// The GPU, or `None` after saying that there is none.
pub fn gpu() -> Option<Device> {
    match Device::gpu(0) {
        Ok(gpu) => Some(gpu),
        Err(Error::Driver(missing @ (DriverError::Missing | DriverError::NoDevice { .. }))) => {
            println!("skipped on a GPU: {missing}");
            None
        }
        Err(error) => panic!("the GPU does not open: {error}"),
    }
}

/// The GPU of a test that is ignored where there is none.
///
/// # Panics
/// Without a GPU: the test was asked for all the same.
pub fn needs_gpu() -> Device {
    gpu().expect("a GPU, without which this test is ignored")
}

/// For a test that is ignored where there is no NVRTC.
///
/// # Panics
/// Without NVRTC: the test was asked for all the same.
pub fn needs_nvrtc() {
    if let Err(missing) = nvrtc::version() {
        panic!("{missing}");
    }
}

/// For a test that is ignored where there is no C++ compiler.
///
/// # Panics
/// Without one: the test was asked for all the same.
pub fn needs_cxx() {
    if let Err(missing) = printed::compiler() {
        panic!("{missing}");
    }
}

/// The devices to compare: the simulator, and a GPU if there is one.
pub fn devices() -> Vec<Device> {
    [simulator()].into_iter().chain(gpu()).collect()
}

/// The simulator by all executors, with all checks, unless the environment names one: twin, interpreter and, where there
/// is a C++ compiler, the printed CUDA, checked and unchecked.
fn simulator() -> Device {
    if std::env::var_os("WARPSMITH_SIM").is_some() {
        return Device::simulator();
    }
    let settings = Settings::from_env().expect("variables that mean something");
    let executor = if runs_printed() { Executor::All } else { Executor::Both };
    Device::simulator_with(Settings { executor, ..settings })
}

/// Returns whether there is a C++ compiler for printed CUDA; says so where there is none, which `WARPSMITH_REQUIRE_CXX=1` makes
/// a failure.
pub fn runs_printed() -> bool {
    let missing = printed::compiler().err();
    if let Some(missing) = &missing {
        assert!(std::env::var_os("WARPSMITH_REQUIRE_CXX").is_none(), "{missing}");
        println!("not run as printed CUDA: {missing}");
    }
    missing.is_none()
}

/// Compiles what launches of a kernel with these comptime values run as printed CUDA, checked and unchecked, many texts at a time: the
/// start of a C++ compiler is most of what a short text costs.
pub fn printed_ahead<K: Kernel>(comptimes: impl IntoIterator<Item = K::Comptime>) {
    if !runs_printed() {
        return;
    }
    let texts = |comptime: K::Comptime| {
        let module = K::module(&comptime).unwrap_or_else(|e| panic!("{}: {e}", K::NAME));
        let both = [true, false].map(|checked| printed::launch_texts(&module, checked));
        both.into_iter()
            .flat_map(|texts| texts.unwrap_or_else(|e| panic!("{}: {e}", K::NAME)))
            .collect::<Vec<_>>()
    };
    let texts: Vec<CudaSource> = comptimes.into_iter().flat_map(texts).collect();
    printed::compile_ahead(&texts, printed::Sanitizers::NONE).unwrap_or_else(|e| panic!("{}: {e}", K::NAME));
}

/// Cycles that take milliseconds on a GPU; the simulator's clock ticks once a reading.
pub fn cycles(device: &Device) -> u64 {
    if device.is_simulator() { 2 } else { 4_000_000 }
}

/// How a launch was refused.
pub fn launch_error(result: warpsmith::Result<()>) -> LaunchError {
    match result {
        Err(Error::Launch(error)) => error,
        other => panic!("not refused as a launch: {other:?}"),
    }
}

/// Every builtin that a kernel calls says what it means in Rust, which an interpreter calls.
pub fn has_meanings<K: Kernel>(comptime: &K::Comptime) {
    check_meanings(K::NAME, K::record(comptime));
}

fn check_meanings(name: &str, recorded: Result<Module, RecordError>) {
    let module = recorded.unwrap_or_else(|e| panic!("{name}: {e}"));
    let without = without_meaning(&module);
    assert!(without.is_empty(), "{name}: builtins without a Rust meaning: {}", without.join(", "));
}

/// Names of the builtins in a module that have no Rust meaning.
pub fn without_meaning(module: &Module) -> Vec<&'static str> {
    let mut found = Vec::new();
    for function in module.all_functions() {
        visit::exprs(&function.body, &mut |e| {
            if let ExprKind::Builtin { op, meaning: None, .. } = &e.kind {
                found.push(op.name.shown());
            }
        });
    }
    found
}

/// Compiles the CUDA of a kernel without a warning, with all that a GPU can check: its text holds that of all other forms.
///
/// Other forms are compiled for the corpus by `tests/nvrtc.rs`, and for each kernel that runs as printed CUDA by the host's compiler.
pub fn compiles<K: Kernel>(comptime: &K::Comptime) {
    has_meanings::<K>(comptime);
    let checks = Checks::Also(GpuChecks::ALL);
    let options = PrintOptions { checks, line_directives: false };
    let source = K::print(comptime, &options).unwrap_or_else(|e| panic!("{}: {e}", K::NAME));
    let arch = Arch { major: 9, minor: 0, specific: true };
    compiled(K::NAME, &source.code, &options_for(&source, checks, arch));
}

/// Options for a form of a kernel. Products of tensor cores with all that a GPU can check take the assembler up to 20 seconds, and are
/// compiled as for debuggers, without optimisation.
pub fn options_for(source: &CudaSource, checks: Checks, arch: Arch) -> CompileOptions {
    let is_slow = checks == Checks::Also(GpuChecks::ALL) && source.code.contains("mma");
    let debug_info = if is_slow { DebugInfo::Full } else { DebugInfo::None };
    CompileOptions { debug_info, relocatable: source.needs.launches, ..CompileOptions::new(arch) }
}

/// Compiles printed CUDA for architectures without a warning; says so where NVRTC is missing.
pub fn compiles_for(name: &str, code: &str, architectures: &[Arch]) {
    architectures.iter().for_each(|&arch| compiled(name, code, &CompileOptions::new(arch)));
}

/// Compiles printed CUDA without a warning, and without a register that is spilled; says so where NVRTC is missing.
pub fn spills_nothing(name: &str, code: &str, arch: Arch) {
    let options = CompileOptions { warns_of_local_memory: true, ..CompileOptions::new(arch) };
    compiled(name, code, &options);
}

/// Remarks about texts for debuggers: products of warpgroups wait for each other, since nothing is optimised and other checks stand
/// between them, and debug information has a limit.
const EXPECTED_FOR_DEBUGGERS: [&str; 4] = [
    "instructions are serialized",
    "'setmaxnreg' ignored",
    "is injected",
    "generated debug information may not be accurate",
];

/// Compiles; what launches kernels is linked by the tests that are about it.
fn compiled(name: &str, code: &str, options: &CompileOptions) {
    if has_nvrtc() {
        compiles_without_a_warning(name, code, options).unwrap_or_else(|said| panic!("{said}"));
    }
}

/// Returns whether there is NVRTC; says so where there is none, which `WARPSMITH_REQUIRE_NVRTC=1` makes a failure.
pub fn has_nvrtc() -> bool {
    let missing = nvrtc::version().err();
    if let Some(missing) = &missing {
        assert!(std::env::var_os("WARPSMITH_REQUIRE_NVRTC").is_none(), "{missing}");
        println!("not compiled: {missing}");
    }
    missing.is_none()
}

/// Compiles a text, which may launch kernels: that is not linked.
///
/// # Errors
/// What the compiler says, with the text.
pub fn compiles_without_a_warning(name: &str, code: &str, options: &CompileOptions) -> Result<(), String> {
    let cubin =
        nvrtc::compile_object(&complete(code), name, options).map_err(|error| format!("{error}\n{code}"))?;
    let expected = |line: &str| {
        options.debug_info == DebugInfo::Full && EXPECTED_FOR_DEBUGGERS.iter().any(|said| line.contains(said))
    };
    let log: Vec<&str> = cubin.log.lines().filter(|line| !line.is_empty() && !expected(line)).collect();
    if log.is_empty() {
        Ok(())
    } else {
        Err(format!("{name} for {}: {}\n{code}", options.arch, log.join("\n")))
    }
}

/// Runs a kernel over `n` threads of one block shape, on elements that are `fill` before; what it wrote.
pub fn written<T: GpuType>(
    device: &Device,
    (len, fill): (usize, T),
    launch: impl FnOnce(&mut Buffer<T>) -> warpsmith::Result<()>,
) -> Vec<T> {
    let mut out = device.upload(&vec![fill; len]).expect("memory");
    launch(&mut out).expect("the kernel runs");
    device.download(&out).expect("memory")
}

/// Numbers from -1 to 1 that look random.
pub fn noise(n: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_769) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as f32 / u32::MAX as f32 * 2.0 - 1.0
    };
    (0..n).map(|_| next()).collect()
}
