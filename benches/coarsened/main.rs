//! Elementwise kernels from scalar source, coarsened, beside the same with wide accesses by hand.
//!
//! On a GPU, each kernel is first checked on poisoned memory: by hand, as it is, coarsened as the library chooses,
//! unchecked and checked, and with each number of elements a thread. Then all of these are timed in turn, back to back, and a table
//! gives GB/s and the ratio to the version by hand. Words are names of kernels to run alone.
//!
//! `--simulate` compares the coarsened texts with the kernels on the simulator, at a small size, and compiles the
//! versions by hand, where NVRTC is installed; nothing is timed then.

#[path = "../first_gpu.rs"]
mod first_gpu;
#[allow(dead_code, reason = "shared with the bench `unseen`")]
#[path = "../unseen/ground.rs"]
mod ground;
#[allow(dead_code, reason = "shared with the bench `unseen`")]
#[path = "../unseen/hosted.rs"]
mod hosted;
#[allow(dead_code, reason = "shared with the bench `unseen`")]
#[path = "../unseen/original.rs"]
mod original;
#[allow(dead_code, unused_imports, unused_macros, reason = "shared with the bench `unseen`")]
#[path = "../unseen/trial.rs"]
mod trial;

use std::process::ExitCode;
use std::time::Instant;

use first_gpu::first_gpu;
use ground::{Failure, Ground, exactly, near};
use original::Original;
use trial::{Family, Passed, Shape};
use warpsmith::nvrtc::NvrtcError;
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

/// Turns, in each of which every version runs one batch.
const ROUNDS: usize = 21;
/// How long a batch runs at least, in seconds.
const BATCH: f64 = 0.004;
/// How long launches go on before any is timed, in seconds.
const WARM_UP: f64 = 0.1;

const BY_HAND: Family = Family { name: "by_hand", originals: include_str!("by_hand.cu"), kernels: &[] };

#[gpu_kernel(coarsen)]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[gpu_kernel(coarsen)]
fn add(a: &[f32], b: &[f32], c: &mut [f32], n: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i < n {
        c[i] = a[i] + b[i];
    }
}

#[gpu_kernel(coarsen)]
fn copy(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < x.len() {
        y[i] = x[i];
    }
}

#[gpu_kernel(coarsen)]
fn widen(x: &[u8], y: &mut [f32]) {
    let i = global_id();
    if i < x.len() {
        y[i] = x[i] as f32;
    }
}

#[gpu_kernel(coarsen)]
fn narrow(x: &[f32], y: &mut [bf16]) {
    let i = global_id();
    if i < x.len() {
        y[i] = bf16::from_f32(x[i]);
    }
}

#[gpu_kernel(coarsen)]
fn bytes(x: &[u8], y: &mut [u8]) {
    let i = global_id();
    if i < x.len() {
        let v = x[i];
        y[i] = (v ^ 0x5a).wrapping_mul(3).wrapping_add(v >> 4);
    }
}

#[gpu_kernel(coarsen)]
fn scale_bf16(a: f32, x: &[bf16], y: &mut [bf16]) {
    let i = global_id();
    if i < x.len() {
        y[i] = bf16::from_f32(a * x[i].to_f32());
    }
}

#[gpu_kernel(coarsen)]
fn drift(dt: f32, x: &mut [f32], y: &mut [f32], z: &mut [f32], vx: &[f32], vy: &[f32], vz: &[f32]) {
    let i = global_id();
    if i < x.len() {
        x[i] += dt * vx[i];
        y[i] += dt * vy[i];
        z[i] += dt * vz[i];
    }
}

/// The versions of a kernel, the first of which the others are compared with.
const VERSIONS: [&str; 8] =
    ["by hand", "as it is", "coarsened", "coarsened, checked", "× 2", "× 4", "× 8", "× 16"];

#[derive(Clone, Copy)]
enum Ask<'a> {
    Prepare,
    Restore,
    /// By hand.
    Original(&'a Original),
    /// Version 1 and up.
    Launch(usize),
    /// Whether it is the version by hand.
    Check(bool),
}

/// A kernel with its memory.
type Subject = Box<dyn FnMut(Ask<'_>) -> Result<(), Failure>>;

struct Entry {
    name: &'static str,
    make: fn(&Ground) -> Result<(Subject, f64), Failure>,
}

const ENTRIES: [Entry; 8] = [
    Entry { name: "saxpy", make: saxpy_subject },
    Entry { name: "add", make: add_subject },
    Entry { name: "copy", make: copy_subject },
    Entry { name: "widen", make: widen_subject },
    Entry { name: "narrow", make: narrow_subject },
    Entry { name: "bytes", make: bytes_subject },
    Entry { name: "scale_bf16", make: scale_bf16_subject },
    Entry { name: "drift", make: drift_subject },
];

/// `subject!(ground, n, bytes of an element, elements of a thread by hand, kernel(…), by_hand(…), [outputs])`
macro_rules! subject {
    ($ground:expr, $n:expr, $bytes:expr, $by_hand:expr, $kernel:ident($($arg:expr),*), by_hand($($given:expr),*), [$($out:ident),*]) => {{
        let (device, n): (Device, usize) = ($ground.device.clone(), $n);
        let mut prepared = Vec::new();
        let subject = move |ask: Ask<'_>| -> Result<(), Failure> {
            match ask {
                Ask::Prepare => {
                    for version in 1..VERSIONS.len() {
                        let launch = $kernel($($arg),*).over(n).block(256);
                        // SAFETY: the simulator has run the kernel, and a GPU runs it checked too.
                        prepared.push(unsafe {
                            match version {
                                1 => launch.coarsen(1).prepare_unchecked(&device)?,
                                2 => launch.prepare_unchecked(&device)?,
                                3 => launch.prepare(&device)?,
                                more => launch.coarsen(1 << (more - 3)).prepare_unchecked(&device)?,
                            }
                        });
                    }
                }
                Ask::Restore => { $($out.restore(&device)?;)* }
                Ask::Original(original) => {
                    let shape = Shape::line(n.div_ceil($by_hand), 256);
                    original.launch(stringify!($kernel), shape, &mut [$(Passed::given($given)),*])?;
                }
                Ask::Launch(version) => prepared[version - 1].launch($kernel($($arg),*))?,
                Ask::Check(by_hand) => { $($out.check(&device, by_hand)?;)* }
            }
            Ok(())
        };
        Ok((Box::new(subject) as Subject, n as f64 * f64::from($bytes)))
    }};
}

fn elements(ground: &Ground) -> usize {
    ground.pick(1003, (1 << 28) + 3)
}

fn saxpy_subject(ground: &Ground) -> Result<(Subject, f64), Failure> {
    let n = elements(ground);
    let (x, y) = (ground.floats(n), ground.floats(n));
    let (dx, start) = (ground.up(&x)?, y.clone());
    let mut out = ground.from(start, near(1e-6, move |i| 2.5 * x[i] + y[i]))?;
    subject!(
        ground,
        n,
        12,
        4,
        saxpy(2.5, &dx, &mut out.memory),
        by_hand(2.5f32, &dx, &out.memory, n as u32),
        [out]
    )
}

fn add_subject(ground: &Ground) -> Result<(Subject, f64), Failure> {
    let n = elements(ground);
    let (a, b) = (ground.floats(n), ground.floats(n));
    let (da, db) = (ground.up(&a)?, ground.up(&b)?);
    let mut c = ground.blank(n, exactly(move |i| a[i] + b[i]))?;
    subject!(
        ground,
        n,
        12,
        4,
        add(&da, &db, &mut c.memory, n as u32),
        by_hand(&da, &db, &c.memory, n as u32),
        [c]
    )
}

fn copy_subject(ground: &Ground) -> Result<(Subject, f64), Failure> {
    let n = elements(ground);
    let x = ground.floats(n);
    let dx = ground.up(&x)?;
    let mut y = ground.blank(n, exactly(move |i| x[i]))?;
    subject!(ground, n, 8, 4, copy(&dx, &mut y.memory), by_hand(&dx, &y.memory, n as u32), [y])
}

fn widen_subject(ground: &Ground) -> Result<(Subject, f64), Failure> {
    let n = elements(ground);
    let x = ground.bytes(n);
    let dx = ground.up(&x)?;
    let mut y = ground.blank(n, exactly(move |i| f32::from(x[i])))?;
    subject!(ground, n, 5, 4, widen(&dx, &mut y.memory), by_hand(&dx, &y.memory, n as u32), [y])
}

fn narrow_subject(ground: &Ground) -> Result<(Subject, f64), Failure> {
    let n = elements(ground);
    let x = ground.floats(n);
    let dx = ground.up(&x)?;
    let mut y = ground.blank(n, exactly(move |i| bf16::from_f32(x[i])))?;
    subject!(ground, n, 6, 4, narrow(&dx, &mut y.memory), by_hand(&dx, &y.memory, n as u32), [y])
}

fn bytes_subject(ground: &Ground) -> Result<(Subject, f64), Failure> {
    let n = ground.pick(1003, (1 << 30) + 3);
    let x = ground.bytes(n);
    let dx = ground.up(&x)?;
    let want = move |i: usize| (x[i] ^ 0x5a).wrapping_mul(3).wrapping_add(x[i] >> 4);
    let mut y = ground.blank(n, exactly(want))?;
    subject!(ground, n, 2, 16, bytes(&dx, &mut y.memory), by_hand(&dx, &y.memory, n as u32), [y])
}

fn scale_bf16_subject(ground: &Ground) -> Result<(Subject, f64), Failure> {
    let n = ground.pick(1003, (1 << 29) + 3);
    let x: Vec<bf16> = ground.floats(n).into_iter().map(bf16::from_f32).collect();
    let dx = ground.up(&x)?;
    let mut y = ground.blank(n, exactly(move |i| bf16::from_f32(0.3 * x[i].to_f32())))?;
    subject!(
        ground,
        n,
        4,
        8,
        scale_bf16(0.3, &dx, &mut y.memory),
        by_hand(0.3f32, &dx, &y.memory, n as u32),
        [y]
    )
}

fn drift_subject(ground: &Ground) -> Result<(Subject, f64), Failure> {
    let n = ground.pick(1003, (1 << 27) + 3);
    let (start, speed) = (ground.floats(n), ground.floats(n));
    let up = || ground.up(&speed);
    let (vx, vy, vz) = (up()?, up()?, up()?);
    let moved = || {
        let (start, speed) = (start.clone(), speed.clone());
        ground.from(start.clone(), near(1e-6, move |i| start[i] + 0.25 * speed[i]))
    };
    let (mut x, mut y, mut z) = (moved()?, moved()?, moved()?);
    subject!(
        ground,
        n,
        36,
        4,
        drift(0.25, &mut x.memory, &mut y.memory, &mut z.memory, &vx, &vy, &vz),
        by_hand(0.25f32, &x.memory, &y.memory, &z.memory, &vx, &vy, &vz, n as u32),
        [x, y, z]
    )
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let wanted = |entry: &&Entry| names.is_empty() || names.contains(&entry.name);
    let entries: Vec<&Entry> = ENTRIES.iter().filter(wanted).collect();
    let done =
        if words.iter().any(|word| word == "--simulate") { simulate(&entries) } else { measure(&entries) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("FAILED: {error}");
            ExitCode::FAILURE
        }
    }
}

fn simulate(entries: &[&Entry]) -> Result<(), Failure> {
    match original::compile(&BY_HAND, (9, 0)) {
        Ok(_) => println!("NVRTC compiles the versions by hand"),
        Err(missing @ NvrtcError::Missing) => println!("skipped: {missing}"),
        Err(error) => return Err(error.into()),
    }
    let device = Device::simulator_with(Settings { executor: Executor::All, ..Settings::default() });
    for entry in entries {
        let (mut subject, _) = (entry.make)(&Ground::new(&device, entry.name))?;
        subject(Ask::Prepare)?;
        for version in 1..VERSIONS.len() {
            check(&mut subject, &device, version, None)?;
        }
        println!("{} is right on the simulator", entry.name);
    }
    Ok(())
}

/// Launches a version once on poisoned memory, and compares.
fn check(
    subject: &mut Subject,
    device: &Device,
    version: usize,
    original: Option<&Original>,
) -> Result<(), Failure> {
    let run = |subject: &mut Subject| -> Result<(), Failure> {
        subject(Ask::Restore)?;
        launch(subject, version, original)?;
        device.synchronize()?;
        subject(Ask::Check(version == 0))
    };
    run(subject).map_err(|error| format!("{}: {error}", VERSIONS[version]).into())
}

fn launch(subject: &mut Subject, version: usize, original: Option<&Original>) -> Result<(), Failure> {
    match (version, original) {
        (0, Some(original)) => subject(Ask::Original(original)),
        (0, None) => Ok(()),
        _ => subject(Ask::Launch(version)),
    }
}

fn measure(entries: &[&Entry]) -> Result<(), Failure> {
    let Some(device) = first_gpu() else { return Ok(()) };
    let original = Original::on_gpu(&BY_HAND, &device)?;
    println!("| kernel | by hand, GB/s | {} |", VERSIONS[1..].join(" | "));
    println!("|---|{}", "---|".repeat(VERSIONS.len()));
    let mut failed = 0;
    for entry in entries {
        match row(entry, &device, &original) {
            Ok(row) => println!("{row}"),
            Err(error) => {
                failed += 1;
                println!("FAILED {}: {error}", entry.name);
            }
        }
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} kernels").into()) }
}

/// GB/s by hand, and of each other version with its ratio to that.
fn row(entry: &Entry, device: &Device, original: &Original) -> Result<String, Failure> {
    let (mut subject, bytes) = (entry.make)(&Ground::new(device, entry.name))?;
    subject(Ask::Prepare)?;
    for version in 0..VERSIONS.len() {
        check(&mut subject, device, version, Some(original))?;
    }
    let times = time(&mut subject, device, original)?;
    let rates = times.map(|seconds| bytes / seconds / 1e9);
    let others: Vec<String> =
        rates[1..].iter().map(|rate| format!("{rate:.0} ({:.3})", rate / rates[0])).collect();
    Ok(format!("| {} | {:.0} | {} |", entry.name, rates[0], others.join(" | ")))
}

/// Seconds of a launch of each version: medians over rounds, in which the versions take turns.
fn time(
    subject: &mut Subject,
    device: &Device,
    original: &Original,
) -> Result<[f64; VERSIONS.len()], Failure> {
    let stream = device.default_stream();
    let (start, mut launches) = (Instant::now(), 0);
    while start.elapsed().as_secs_f64() < WARM_UP {
        for version in 0..VERSIONS.len() {
            launch(subject, version, Some(original))?;
        }
        device.synchronize()?;
        launches += VERSIONS.len();
    }
    let each = start.elapsed().as_secs_f64() / launches as f64;
    let batch = (BATCH / each).ceil().clamp(4.0, 400.0) as usize;
    let mut events = Vec::new();
    for round in 0..ROUNDS {
        for turn in 0..VERSIONS.len() {
            let version = (round + turn) % VERSIONS.len();
            let start = stream.record()?;
            for _ in 0..batch {
                launch(subject, version, Some(original))?;
            }
            events.push((version, start, stream.record()?));
        }
        device.synchronize()?;
    }
    let mut times = [const { Vec::new() }; VERSIONS.len()];
    for (version, start, end) in &events {
        times[*version].push(start.elapsed(end)?.as_secs_f64() / batch as f64);
    }
    Ok(times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }))
}
