//! Writes a bundle of common calls of the collection, for programs that run where there is no NVRTC. Needs no GPU.
//!
//! ```text
//! cargo run --release -p warpsmith-kernels --example bundle -- sm_80,sm_90a,sm_100 kernels.bundle
//! cargo run --release -p warpsmith-kernels --example bundle -- sm_90a kernels.bundle gemm softmax
//! cargo run --release -p warpsmith-kernels --example bundle -- run kernels.bundle
//! ```
//!
//! The second command takes only the calls whose names contain one of the words. The third makes the calls on this machine's
//! GPU, from the bundle. `--exact` before the words leaves out the versions for launches of other sizes.
//!
//! A program that is shipped embeds the file: `aot::register(include_bytes!("kernels.bundle"))?`. It finds the kernels that the
//! calls in `calls.rs` launch; replace them by the calls of your program, with its types and sizes.

mod calls;

use std::error::Error;
use std::fmt::Display;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use calls::{CALLS, Call};
use warpsmith::aot::{self, Bundle, BundledKernel};
use warpsmith::cache::Cache;
use warpsmith::launch::LaunchError;
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;

const USAGE: &str = "write `ARCHITECTURES FILE`, as in `sm_80,sm_90a,sm_100 kernels.bundle`, or `run FILE`; then `--exact` for \
                     a bundle of these sizes alone, and words of the calls to choose";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let is_exact = words.iter().position(|word| word == "--exact").map(|at| words.remove(at)).is_some();
    let [what, path, words @ ..] = &words[..] else { return Err(USAGE.into()) };
    let is_wanted = |call: &&Call| words.is_empty() || words.iter().any(|word| call.name.contains(word));
    let calls: Vec<&Call> = CALLS.iter().filter(is_wanted).collect();
    if calls.is_empty() {
        let names: Vec<&str> = CALLS.iter().map(|call| call.name).collect();
        return Err(format!("no call has that name; the calls are {}", names.join(", ")).into());
    }
    if what == "run" {
        return run(path, &calls);
    }
    let bundle = Bundle::new(what.split(','))?;
    write(if is_exact { bundle.exact() } else { bundle }, path, &calls)
}

/// Compiles the calls for each architecture, and writes the bundle.
fn write(bundle: Bundle, path: &str, calls: &[&Call]) -> Result<ExitCode, Box<dyn Error>> {
    let (started, failed) = (Instant::now(), AtomicUsize::new(0));
    let devices = bundle.devices()?;
    // NVRTC compiles on one thread, so each architecture gets its own.
    std::thread::scope(|scope| {
        for device in &devices {
            let (bundle, failed) = (&bundle, &failed);
            scope.spawn(move || failed.fetch_add(compile(bundle, device, calls), Ordering::Relaxed));
        }
    });
    let failed = failed.into_inner();
    if failed > 0 {
        eprintln!("{failed} calls failed, so {path} is not written");
        return Ok(ExitCode::FAILURE);
    }
    bundle.write(path)?;
    let (count, bytes) = (bundle.kernels().len(), std::fs::metadata(path)?.len());
    println!("{path}: {count} cubins, {} KB, {:.0} s", bytes / 1000, started.elapsed().as_secs_f64());
    Ok(ExitCode::SUCCESS)
}

/// Makes the calls on a device of a bundle, and says what this adds. Returns how many of them failed.
fn compile(bundle: &Bundle, device: &Device, calls: &[&Call]) -> usize {
    let (major, minor) = device.limits().compute;
    let mut failed = 0;
    for (i, call) in calls.iter().enumerate() {
        let say = |what: &dyn Display| {
            println!("sm_{major}{minor} {:>2}/{} {}: {what}", i + 1, calls.len(), call.name);
        };
        let before = of_device(bundle, device).len();
        match (call.run)(device) {
            Ok(()) => {
                let added = lines(&of_device(bundle, device)[before..]);
                added.iter().for_each(|line| say(line));
                if added.is_empty() {
                    say(&"its kernels are there already");
                }
            }
            Err(error) if is_lacking(&error) => say(&format!("left out: {error}")),
            Err(error) => {
                say(&format!("failed: {error}"));
                failed += 1;
            }
        }
    }
    failed
}

/// The kernels of a bundle that are for a device.
fn of_device(bundle: &Bundle, device: &Device) -> Vec<BundledKernel> {
    let mut kernels = bundle.kernels();
    kernels.retain(|kernel| (kernel.arch.major, kernel.arch.minor) == device.limits().compute);
    kernels
}

/// A line for each kernel, with the sizes of its versions.
fn lines(kernels: &[BundledKernel]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut last: Option<&BundledKernel> = None;
    for kernel in kernels {
        let kilobytes = kernel.bytes.div_ceil(1000);
        let other = last.filter(|last| last.type_name == kernel.type_name && !last.for_any_launch);
        match lines.last_mut().filter(|_| other.is_some() && kernel.for_any_launch) {
            Some(line) => *line += &format!(", and {kilobytes} KB for other sizes"),
            None => lines.push(format!("{} for {}, {kilobytes} KB", kernel.kernel, kernel.arch)),
        }
        last = Some(kernel);
    }
    lines
}

/// Returns whether a call failed because the architecture lacks something that its kernel needs.
fn is_lacking(error: &KernelError) -> bool {
    match error {
        KernelError::Device { .. } => true,
        KernelError::Launch(warpsmith::Error::Launch(error)) => {
            matches!(error, LaunchError::Compute { .. } | LaunchError::SharedMemory { .. })
        }
        _ => false,
    }
}

/// Makes the calls on this machine's GPU, and says where their kernels came from.
fn run(path: &str, calls: &[&Call]) -> Result<ExitCode, Box<dyn Error>> {
    aot::register(std::fs::read(path)?.leak())?;
    let gpu = Device::gpu(0)?;
    let mut failed = false;
    for call in calls {
        let before = Cache::process()?.stats();
        let ran = (call.run)(&gpu).and_then(|()| Ok(gpu.synchronize()?));
        let after = Cache::process()?.stats();
        let (found, compiled) = (after.from_bundle - before.from_bundle, after.compiled - before.compiled);
        match ran {
            Ok(()) => println!("{}: {found} kernels from the bundle, {compiled} compiled", call.name),
            Err(error) if is_lacking(&error) => println!("{}: left out: {error}", call.name),
            Err(error) => {
                println!("{}: failed: {error}", call.name);
                failed = true;
            }
        }
    }
    println!("on {}: {:?}", gpu.name(), Cache::process()?.stats());
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
