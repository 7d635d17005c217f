//! Every generated kernel in several comptime variants, by all executors that this machine has.
//!
//! On a machine without Rust this test's own executable is what runs; see [`Settings`].

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use warpsmith::codegen::CudaSource;
use warpsmith_fuzz::compare::{Bench, Failure, Runner};
use warpsmith_fuzz::failing::{self, FailingLaunch};
use warpsmith_fuzz::inputs::{Comptime, comptime};
use warpsmith_fuzz::programs::{PROGRAMS, Program};
use warpsmith_fuzz::report::report;
use warpsmith_fuzz::settings::Settings;

/// Failures of one program after which its other variants are left out.
const ENOUGH: usize = 3;

/// The outcome of a run.
#[derive(Default)]
struct Counts {
    kernels: HashSet<usize>,
    variants: usize,
    compared: usize,
    lines: usize,
    skipped: usize,
    by: HashMap<Runner, usize>,
    failures: Vec<String>,
    of_program: HashMap<usize, usize>,
}

/// A variant of a program that no other is printed like.
struct Job {
    index: usize,
    program: &'static Program,
    comptime: Comptime,
    text: Result<CudaSource, Failure>,
}

#[test]
fn executors_agree_bit_for_bit() {
    let settings = Settings::from_env();
    let started = Instant::now();
    let seed: u64 = warpsmith_fuzz::SEED.parse().expect("the build script wrote a number");
    let mut bench = Bench::open(seed, settings.sanitizers, settings.runners.as_deref())
        .expect("a GPU that is there works");
    println!("fuzz: seed {seed}, {settings:?}, {}", bench.describe());
    if let Err(missing) = warpsmith::nvrtc::version() {
        assert!(std::env::var_os("WARPSMITH_REQUIRE_NVRTC").is_none(), "{missing}");
    }
    let mut counts = Counts::default();
    let mut seen: HashMap<usize, HashSet<u64>> = HashMap::new();
    let mut batch = Vec::new();
    // Variant by variant, so that a run that ends early has seen every program.
    let variants = settings.first..settings.first + settings.variants;
    let all = variants.flat_map(|variant| PROGRAMS.iter().enumerate().map(move |p| (variant, p)));
    for (variant, (index, program)) in all.filter(|(_, (i, p))| settings.takes(*i, p.name)) {
        if settings.seconds.is_some_and(|limit| started.elapsed().as_secs() >= limit) {
            break;
        }
        counts.kernels.insert(index);
        counts.variants += 1;
        let comptime = comptime(seed, index, variant, program, settings.density);
        let text = bench.text(program, &comptime);
        let fresh = text.as_ref().is_ok_and(|text| seen.entry(index).or_default().insert(hash(&text.code)));
        let failed = counts.of_program.get(&index).copied().unwrap_or(0);
        if text.is_ok() && !fresh || failed >= ENOUGH {
            counts.skipped += 1;
            continue;
        }
        batch.push(Job { index, program, comptime, text });
        if batch.len() >= settings.batch && run(&mut bench, &settings, &mut counts, &mut batch).is_err() {
            break;
        }
    }
    let _ = run(&mut bench, &settings, &mut counts, &mut batch);
    finish(&bench, &counts, seed);
}

/// The device is lost, and what comes after would be no difference; or there are failures enough.
struct Ended;

/// Compares a batch, whose texts are compiled at once.
fn run(
    bench: &mut Bench,
    settings: &Settings,
    counts: &mut Counts,
    batch: &mut Vec<Job>,
) -> Result<(), Ended> {
    let texts: Vec<_> = batch.iter().filter_map(|job| job.text.as_ref().ok().cloned()).collect();
    bench.compile_ahead(&texts);
    for job in batch.drain(..) {
        let outcome = match &job.text {
            Err(refused) => Err(refused.clone()),
            Ok(text) => {
                counts.lines += text.code.lines().count();
                if let Some(file) = &settings.last {
                    let text = format!(
                        "// {} {:?}\n{}\n{}",
                        job.program.name,
                        job.comptime,
                        text.code,
                        job.program.source()
                    );
                    std::fs::write(file, text).expect("WARPSMITH_FUZZ_LAST can be written");
                }
                bench.compare(job.program, &job.comptime)
            }
        };
        counts.compared += 1;
        match outcome {
            Ok(runners) => runners.into_iter().for_each(|runner| *counts.by.entry(runner).or_default() += 1),
            Err(failure) => fail(bench, settings, counts, &job, &failure)?,
        }
        if settings.stop.is_some_and(|most| counts.failures.len() >= most) {
            return Err(Ended);
        }
    }
    Ok(())
}

fn fail(
    bench: &mut Bench,
    settings: &Settings,
    counts: &mut Counts,
    job: &Job,
    failure: &Failure,
) -> Result<(), Ended> {
    let of_program = counts.of_program.entry(job.index).or_default();
    *of_program += 1;
    let text = if counts.failures.len() < settings.reports && *of_program == 1 {
        report(bench, job.program, &job.comptime, failure)
    } else {
        format!("---- {} {:?}: {failure}", job.program.name, job.comptime)
    };
    println!("{text}");
    counts.failures.push(text);
    match failure {
        Failure::Ends(Runner::Gpu, text) if text.contains("the CUDA context is lost") => Err(Ended),
        _ => Ok(()),
    }
}

fn finish(bench: &Bench, counts: &Counts, seed: u64) {
    let Counts { kernels, variants, compared, lines, skipped, by, failures, .. } = counts;
    let of = |runner| match bench.runners().contains(&runner) {
        true => by.get(&runner).copied().unwrap_or(0).to_string(),
        false => "-".to_owned(),
    };
    let differing = failures.len();
    println!("fuzz: {} lines of CUDA on average", lines / (*compared).max(1));
    println!(
        "fuzz: kernels {} variants {variants} compared {compared} (twin-interpreter {}, printed {}, gpu {}) differing \
         {differing} skipped {skipped}",
        kernels.len(),
        of(Runner::Interpreter),
        of(Runner::Printed),
        of(Runner::Gpu),
    );
    assert!(failures.is_empty(), "seed {seed}: {differing} of {compared} failed; see above");
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Loops with indices out of bounds end alike: with the same fault of the same thread, after the same writes.
#[test]
fn executors_fail_alike() {
    let settings = Settings::from_env();
    let seed: u64 = warpsmith_fuzz::SEED.parse().expect("the build script wrote a number");
    let devices = failing::devices();
    let (mut failed, mut differing) = (0, Vec::new());
    for index in settings.first..settings.first + settings.failing {
        let launch = FailingLaunch::new(seed, index);
        let endings = launch.endings(&devices).unwrap_or_else(|error| panic!("{launch:?}: {error}"));
        failed += usize::from(endings[0].fault.is_some());
        if endings.iter().any(|ending| *ending != endings[0]) {
            println!("---- failing{index} {launch:?}: {endings:#?}");
            differing.push(index);
            if settings.stop.is_some_and(|most| differing.len() >= most) {
                break;
            }
        }
    }
    println!("fuzz: {failed} of {} launches fail, {} differently", settings.failing, differing.len());
    assert!(differing.is_empty(), "seed {seed}: {differing:?}");
    let all = settings.failing;
    assert!(all < 50 || (all / 4..all).contains(&failed), "some fail and some do not: {failed} of {all}");
}

#[test]
fn plain_operators_wrap_in_this_build() {
    // Otherwise the twins would panic where the GPU wraps.
    assert_eq!(std::hint::black_box(i32::MAX) + std::hint::black_box(1), i32::MIN);
}
