//! Every generated kernel in several comptime variants: its twin, and its CUDA as far as this machine goes.
//!
//! On a machine without Rust this test's own executable is what runs; see [`Settings`].

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use warpsmith_fuzz::compare::{Bench, Failure, checked};
use warpsmith_fuzz::inputs::comptime;
use warpsmith_fuzz::programs::PROGRAMS;
use warpsmith_fuzz::settings::Settings;

/// Failures that are made small and printed in full; the others are one line each.
const REPORTS: usize = 8;

#[test]
fn twin_and_gpu_agree_bit_for_bit() {
    let settings = Settings::from_env();
    let started = Instant::now();
    let seed: u64 = warpsmith_fuzz::SEED.parse().expect("the build script wrote a number");
    let mut bench = Bench::open(seed).expect("a GPU that is there works");
    println!("fuzz: seed {seed}, {settings:?}, {}", bench.describe());
    if let Err(missing) = warpsmith::nvrtc::version() {
        assert!(std::env::var_os("WARPSMITH_REQUIRE_NVRTC").is_none(), "{missing}");
    }
    let (mut kernels, mut variants, mut compared, mut skipped, mut lines) = (0, 0, 0, 0, 0);
    let mut failures = Vec::new();
    'programs: for (index, program) in PROGRAMS.iter().enumerate().filter(|(i, p)| settings.takes(*i, p.name))
    {
        kernels += 1;
        let mut seen = HashSet::new();
        for variant in 0..settings.variants {
            if settings.seconds.is_some_and(|limit| started.elapsed().as_secs() >= limit) {
                break;
            }
            variants += 1;
            let comptime = comptime(seed, index, variant, program);
            let outcome = match checked(program, &comptime) {
                Ok(cuda) if !seen.insert(hash(&cuda)) => {
                    skipped += 1;
                    continue;
                }
                Ok(cuda) => {
                    lines += cuda.lines().count();
                    if let Some(file) = &settings.last {
                        let text = format!("// {} {comptime:?}\n{cuda}\n{}", program.name, program.source());
                        std::fs::write(file, text).expect("WARPSMITH_FUZZ_LAST can be written");
                    }
                    bench.compare(program, &comptime)
                }
                Err(refused) => Err(refused),
            };
            compared += 1;
            if let Err(failure) = outcome {
                let text = if failures.len() < REPORTS {
                    bench.report(program, &comptime, &failure)
                } else {
                    format!("---- {} {comptime:?}: {failure}", program.name)
                };
                println!("{text}");
                failures.push(text);
                // Nothing runs on a GPU whose context is lost: what came after would not be a difference.
                if matches!(&failure, Failure::Gpu(text) if text.contains("the CUDA context is lost")) {
                    break 'programs;
                }
            }
        }
    }
    let differing = failures.len();
    println!("fuzz: {} lines of CUDA on average", lines / compared.max(1));
    println!(
        "fuzz: kernels {kernels} variants {variants} compared {compared} differing {differing} skipped {skipped}"
    );
    assert!(failures.is_empty(), "seed {seed}: {differing} of {compared} failed; see above");
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn plain_operators_wrap_in_this_build() {
    // Otherwise the twins would panic where the GPU wraps.
    assert_eq!(std::hint::black_box(i32::MAX) + std::hint::black_box(1), i32::MIN);
}
