//! The three versions of each kernel on a GPU: checked, timed in turn, and put into a table.

use std::path::{Path, PathBuf};
use std::time::Instant;

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground};
use crate::original::{self, Original};
use crate::trial::{Ask, Family, Trial, Unseen, Version};
use crate::{check, wanted};

/// Turns, in each of which every version runs one batch.
const ROUNDS: usize = 15;
/// How long a batch runs at least, in seconds: many times what the host takes to queue a launch.
const BATCH: f64 = 0.003;
/// Microseconds that the GPU waits before a batch, for each launch in it: longer than the host takes to queue one. So the launches of short
/// kernels follow each other too.
const QUEUED: u32 = 12;
/// How long launches go on before any is timed, in seconds.
const WARM_UP: f64 = 0.05;

/// Occupies the GPU for roughly this many microseconds, while the host queues the launches behind it.
#[gpu_kernel]
fn hold(microseconds: u32) {
    for _ in 0..microseconds {
        nanosleep(1000);
    }
}

/// A line of the table.
struct Measured {
    name: &'static str,
    class: &'static str,
    /// Microseconds of a launch: original, unchecked, checked.
    times: [f64; 3],
    /// Bytes of text: unchecked, checked.
    bytes: [usize; 2],
    /// Milliseconds of NVRTC for the same.
    compiled: [f64; 2],
}

impl Measured {
    fn ratio(&self, version: usize) -> f64 {
        self.times[version] / self.times[0]
    }
}

/// Measures kernels; whether all of them were right.
pub fn run(families: &[&Family], names: &[&str]) -> Result<bool, Failure> {
    let texts = std::env::temp_dir().join(format!("warpsmith-unseen-texts-{}", std::process::id()));
    // SAFETY: no other thread has been started.
    unsafe {
        std::env::set_var("WARPSMITH_DUMP", "cuda");
        std::env::set_var("WARPSMITH_DUMP_DIR", &texts);
    }
    let device = match Device::gpu(0) {
        Ok(device) => device,
        Err(missing) => {
            println!("skipped: {missing}");
            return Ok(true);
        }
    };
    println!("device {}", device.name());
    let (mut table, mut failed) = (Vec::new(), 0);
    for family in families {
        let kernels = wanted(family, names);
        if kernels.is_empty() {
            continue;
        }
        let original = Original::on_gpu(family, &device)?;
        for kernel in kernels {
            match measure(kernel, &device, &original, &texts) {
                Ok(measured) => table.push(measured),
                Err(error) => {
                    failed += 1;
                    println!("FAILED {}: {error}", kernel.name);
                }
            }
        }
    }
    print(&table);
    println!("{} kernels measured, {failed} failed", table.len());
    let _ = std::fs::remove_dir_all(&texts);
    Ok(failed == 0)
}

fn measure(kernel: &Unseen, device: &Device, original: &Original, texts: &Path) -> Result<Measured, Failure> {
    let _ = std::fs::remove_dir_all(texts);
    let mut trial = (kernel.make)(&Ground::new(device, kernel.name))?;
    trial(Ask::Prepare)?;
    let versions = [Version::Original(original), Version::Unchecked, Version::Checked];
    for (version, name) in versions.into_iter().zip(["original", "unchecked", "checked"]) {
        check(&mut trial, device, version).map_err(|error| format!("{name}: {error}"))?;
    }
    // Before the kernel that holds the GPU has a text, too.
    let texts = [text(texts, true)?, text(texts, false)?];
    let times = time(&mut trial, device, versions)?;
    let compute = device.as_gpu().ok_or("a simulator has no driver")?.limits().compute;
    let compiled = [&texts[0], &texts[1]].map(|text| original::compile_time(text, kernel.name, compute));
    let [unchecked, checked] = compiled;
    println!("measured {}", kernel.name);
    Ok(Measured {
        name: kernel.name,
        class: kernel.class,
        times,
        bytes: [texts[0].len(), texts[1].len()],
        compiled: [unchecked?, checked?],
    })
}

/// The text that a launch of the only kernel compiled so far has.
fn text(folder: &Path, unchecked: bool) -> Result<String, Failure> {
    let files: Result<Vec<PathBuf>, _> = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let is_text = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "cu");
    let is_unchecked = |path: &PathBuf| path.to_string_lossy().ends_with(".unchecked.cu");
    let found = files.map_err(|error: std::io::Error| error)?;
    let mut texts = found.iter().filter(is_text);
    let path = texts.find(|path| is_unchecked(path) == unchecked).ok_or("the text was not written out")?;
    Ok(std::fs::read_to_string(path)?)
}

/// Microseconds of a launch of each version: medians over rounds, in which the versions take turns.
fn time(trial: &mut Trial, device: &Device, versions: [Version<'_>; 3]) -> Result<[f64; 3], Failure> {
    let stream = device.default_stream();
    trial(Ask::Restore)?;
    let (start, mut launches) = (Instant::now(), 0);
    while start.elapsed().as_secs_f64() < WARM_UP {
        for version in versions {
            trial(Ask::Launch(version))?;
        }
        hold(1).grid(1).block(1).launch(device)?;
        device.synchronize()?;
        launches += 3;
    }
    let each = start.elapsed().as_secs_f64() / f64::from(launches);
    let batch = (BATCH / each).ceil().clamp(4.0, 400.0) as usize;
    let mut events = Vec::new();
    for round in 0..ROUNDS {
        for turn in 0..3 {
            let which = (round + turn) % 3;
            hold(batch as u32 * QUEUED).grid(1).block(1).launch(device)?;
            let start = stream.record()?;
            for _ in 0..batch {
                trial(Ask::Launch(versions[which]))?;
            }
            events.push((which, start, stream.record()?));
        }
        device.synchronize()?;
    }
    let mut times = [const { Vec::new() }; 3];
    for (which, start, end) in &events {
        times[*which].push(start.elapsed(end)?.as_secs_f64() * 1e6 / batch as f64);
    }
    Ok(times.map(median))
}

/// The median of some numbers, of which there is one.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn print(table: &[Measured]) {
    if table.is_empty() {
        return;
    }
    println!(
        "\n| kernel | class | original, µs | unchecked | checked | text, bytes | checked | NVRTC, ms | checked |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for row in table {
        let ([bytes, checked_bytes], [compiled, checked_compiled]) = (row.bytes, row.compiled);
        println!(
            "| {} | {} | {:.1} | {:.3} | {:.3} | {bytes} | {:.2} | {compiled:.1} | {:.2} |",
            row.name,
            row.class,
            row.times[0],
            row.ratio(1),
            row.ratio(2),
            checked_bytes as f64 / bytes as f64,
            checked_compiled / compiled,
        );
    }
    println!();
    for (version, name) in [(1, "unchecked"), (2, "checked")] {
        summary(name, table, |row| row.ratio(version));
        worst(name, table, |row| row.ratio(version));
    }
    summary("text, checked over unchecked", table, |row| row.bytes[1] as f64 / row.bytes[0] as f64);
    summary("NVRTC, checked over unchecked", table, |row| row.compiled[1] / row.compiled[0]);
}

/// Median, geometric mean, and how many are above the limits.
fn summary(name: &str, table: &[Measured], ratio: impl Fn(&Measured) -> f64) {
    let ratios: Vec<f64> = table.iter().map(ratio).collect();
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let above = |limit: f64| ratios.iter().filter(|ratio| **ratio > limit).count();
    let counts = [1.02, 1.05, 1.10].map(above);
    let median = median(ratios.clone());
    println!(
        "{name}: median {median:.3}, geometric mean {mean:.3}, {} above 1.02, {} above 1.05, {} above 1.10, of {}",
        counts[0],
        counts[1],
        counts[2],
        ratios.len()
    );
}

fn worst(name: &str, table: &[Measured], ratio: impl Fn(&Measured) -> f64) {
    let mut rows: Vec<&Measured> = table.iter().collect();
    rows.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    let listed: Vec<String> =
        rows.iter().take(5).map(|row| format!("{} {:.3}", row.name, ratio(row))).collect();
    println!("{name}, worst five: {}", listed.join(", "));
}
