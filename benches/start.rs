//! Times the start of a kernel: cold with NVRTC, and warm from disk beside the driver's own module load.
//!
//! `cargo bench --bench start`. Each figure is a median over fresh processes of this executable, in which it
//! is the first thing that is done. Without a GPU the parts on the host are timed.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use corpus::vectors::saxpy;
use cudarc::nvrtc::Ptx;
use warpsmith::cache::{Cache, Compiler, Key, Nvrtc};
use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::nvrtc::{self, Arch, CompileOptions};
use warpsmith::passes;
use warpsmith::prelude::*;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Processes of each figure.
const STARTS: usize = 21;

fn main() -> Result<()> {
    if let Ok(role) = std::env::var("START_ROLE") {
        return child(&role);
    }
    let folder = std::env::temp_dir().join(format!("warpsmith-start-{}", std::process::id()));
    let medians = ["parts", "driver"].map(|role| (role, &folder));
    print("start_host_cold", &[start("host", &folder)?])?;
    for (role, folder) in medians {
        print(&format!("start_{role}"), &starts(role, folder)?)?;
    }
    print("start_host_warm", &starts("host", &folder)?)?;
    if Device::gpu(0).is_ok() {
        print("start_gpu_warm", &starts("gpu", &folder)?)?;
        print("start_gpu_stage", &starts("stages", &folder)?)?;
        let cold: Result<Vec<_>> = (0..STARTS).map(|i| start("gpu", &folder.join(i.to_string()))).collect();
        print("start_gpu_cold", &cold?)?;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

fn starts(role: &str, folder: &Path) -> Result<Vec<String>> {
    (0..STARTS).map(|_| start(role, folder)).collect()
}

/// The output of a new process in a role, with its cache in a folder.
fn start(role: &str, folder: &Path) -> Result<String> {
    let mut command = Command::new(std::env::current_exe()?);
    let output = command.env("START_ROLE", role).env("WARPSMITH_CACHE_DIR", folder).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Medians of lines `name milliseconds`.
fn print(prefix: &str, outputs: &[String]) -> Result<()> {
    let lines: Vec<Vec<(&str, f64)>> = outputs
        .iter()
        .map(|output| {
            output.lines().filter_map(|line| line.split_once(' ')).map(|(n, v)| Ok((n, v.parse()?))).collect()
        })
        .collect::<Result<_>>()?;
    for (name, _) in lines.first().into_iter().flatten() {
        let own = lines.iter().flatten().filter(|(other, _)| other == name);
        let mut values: Vec<f64> = own.map(|(_, value)| *value).collect();
        values.sort_by(f64::total_cmp);
        println!("ours {prefix}_{name} {:.4} ms", values[values.len() / 2]);
    }
    Ok(())
}

/// Runs a part and prints its milliseconds.
fn timed<T>(name: &str, part: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let value = part();
    println!("{name} {:.5}", start.elapsed().as_secs_f64() * 1e3);
    value
}

fn child(role: &str) -> Result<()> {
    match role {
        "host" => drop(timed("whole", || saxpy::cubin_for(&(), "sm_90"))?),
        "parts" => parts()?,
        "driver" => driver()?,
        "gpu" => gpu()?,
        "stages" => stages()?,
        other => return Err(format!("no role {other}").into()),
    }
    Ok(())
}

/// The parts of a warm start on the host, one after another; `again` is without the first faults of a process.
fn parts() -> Result<()> {
    let module = timed("record_validate_passes", || saxpy::module(&()))?;
    let options = PrintOptions { checks: Checks::All, line_directives: false };
    timed("again_record_validate_passes", || saxpy::module(&()))?;
    let source = timed("print", || warpsmith::codegen::print(&module, &options));
    timed("again_print", || warpsmith::codegen::print(&module, &options));
    let arch = Arch { major: 9, minor: 0, specific: false };
    let options = CompileOptions::new(arch);
    let key = timed("key", || {
        Key { kernel: "saxpy".into(), source: source.complete().into_owned(), options }.encode()
    });
    let cache = timed("settings", Cache::process)?;
    let disk = cache.disk().ok_or("no disk cache")?;
    let version = timed("version", || Nvrtc.version(disk))?;
    timed("read", || disk.read(&key, &version)).map_err(|miss| miss.to_string())?;
    timed("again_read", || disk.read(&key, &version)).map_err(|miss| miss.to_string())?;
    Ok(())
}

/// A GPU's own load of the same cubin, as the first thing; and what else a checked kernel takes.
fn driver() -> Result<()> {
    let Ok(device) = Device::gpu(0) else { return Ok(()) };
    let Some(gpu) = device.as_gpu() else { return Ok(()) };
    let (major, minor) = gpu.limits().compute;
    let cubin = saxpy::cubin_for(&(), &format!("sm_{major}{minor}"))?;
    let image = Ptx::from_binary(cubin.image.clone());
    let module = timed("module_load", || gpu.context().load_module(image))?;
    timed("get_function", || module.load_function("saxpy"))?;
    // SAFETY: plain pinned memory, never read.
    drop(timed("pinned_record", || unsafe { gpu.context().alloc_pinned::<u8>(48) })?);
    Ok(())
}

/// The stages of a load from disk on a GPU; `gpu` times all of them together.
fn stages() -> Result<()> {
    let device = Device::gpu(0)?;
    let Some(gpu) = device.as_gpu() else { return Ok(()) };
    let (major, minor) = gpu.limits().compute;
    let recorded = timed("record", || saxpy::record(&()))?;
    let valid = timed("validate", || warpsmith::validate::validate(recorded))?;
    let module = timed("passes", || passes::lift(passes::elide(valid)));
    let options = PrintOptions { checks: Checks::Lifted(u64::MAX), line_directives: false };
    let source = timed("print", || warpsmith::codegen::print(&module, &options));
    let arch = Arch { major, minor, specific: false };
    let options = CompileOptions::new(arch);
    let key = timed("key", || {
        Key { kernel: "saxpy".into(), source: source.complete().into_owned(), options }.encode()
    });
    let disk = timed("settings", Cache::process)?.disk().ok_or("no disk cache")?;
    let version = timed("version", || Nvrtc.version(disk))?;
    let cubin = timed("read", || disk.read(&key, &version)).map_err(|miss| miss.to_string())?;
    let image = Ptx::from_binary(cubin.image);
    let module = timed("module_load", || gpu.context().load_module(image))?;
    timed("get_function", || module.load_function("saxpy"))?;
    Ok(())
}

/// The whole of a load on a GPU; from NVRTC, how much of it NVRTC takes for the same source.
fn gpu() -> Result<()> {
    let device = Device::gpu(0)?;
    let Some(gpu) = device.as_gpu() else { return Ok(()) };
    let (major, minor) = gpu.limits().compute;
    let cold = Cache::process()?.disk().is_some_and(|disk| !disk.root().exists());
    if cold {
        // What every process pays once, whatever it compiles.
        timed("library_load", nvrtc::version)?;
    }
    timed("whole", || saxpy::compile(&device, &()))?;
    if cold {
        let source = saxpy::print(&(), &PrintOptions { checks: Checks::All, line_directives: false })?;
        let arch = Arch { major, minor, specific: false };
        let options = CompileOptions::new(arch);
        timed("nvrtc_again", || nvrtc::compile(&source.complete(), "saxpy", &options))?;
    }
    Ok(())
}
