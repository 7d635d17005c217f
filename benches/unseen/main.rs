//! Kernels that nobody has tuned, ported plainly from CUDA C++, beside their originals: what a newcomer's first day costs.
//!
//! The set is frozen: no kernel here is changed for what the compiler can or cannot do. Each file is a family, with the
//! originals beside it. On a GPU, each kernel is first checked, as original, unchecked and checked, on poisoned memory; then
//! the three are timed in turn, back to back, and the table says how ours compare (`benches/unseen.sh`).
//!
//! The second set (`second/`) was written and frozen after the first had been tuned for, and the third (`third/`) after that; the
//! fourth (`fourth/`) has kernels in which checks or other machine code had been found. The fifth (`fifth/`) was written after all of
//! these had been looked at, and the sixth (`sixth/`) after that. `--second`, `--third`, `--fourth`, `--fifth` and `--sixth` run
//! these alone.
//!
//! Words are names of kernels, of any set, to run alone. `--simulate` runs each at a small size on the simulator, and its original by
//! NVRTC as far as a cubin and by the host's C++ compiler, where these are installed; nothing is timed then. `--costs` prints registers,
//! instructions and bytes of text of each, checked and unchecked, without a GPU; `--texts=FOLDER` also keeps the CUDA of the launches.
//! `--checks` prints which kernels of all sets have checks left, and how many: `checks.txt` is what it printed last, and a change of
//! the proofs that loses one is seen by it.

#![allow(
    clippy::manual_div_ceil,
    clippy::manual_is_multiple_of,
    clippy::manual_swap,
    clippy::implicit_saturating_sub,
    reason = "kernels are as somebody who comes from CUDA writes them"
)]

mod bodies;
mod bytes;
mod costs;
mod fields;
mod fifth;
mod fourth;
mod graphs;
mod ground;
mod hosted;
mod local;
mod maps;
mod measure;
mod original;
mod products;
mod rows;
mod second;
mod signals;
mod sixth;
mod small;
mod stencils;
mod third;
mod tiles;
mod tiles_rows;
mod trial;

use std::path::Path;
use std::process::ExitCode;

use ground::{Failure, Ground};
use hosted::Hosted;
use original::Original;
use trial::{Ask, Family, Trial, Unseen, Version};
use warpsmith::nvrtc::NvrtcError;
use warpsmith::prelude::*;
use warpsmith::printed;

const FAMILIES: &[&Family] = &[
    &maps::FAMILY,
    &products::FAMILY,
    &small::FAMILY,
    &local::FAMILY,
    &stencils::FAMILY,
    &tiles::FAMILY,
    &tiles_rows::FAMILY,
    &rows::FAMILY,
    &bytes::FAMILY,
    &graphs::FAMILY,
    &signals::FAMILY,
    &bodies::FAMILY,
    &fields::FAMILY,
];

/// What others are measured by, after the first set was tuned for.
const SECOND: &[&Family] =
    &[&second::grids::FAMILY, &second::codes::FAMILY, &second::lists::FAMILY, &second::solvers::FAMILY];

/// What others are measured by, after both had been looked at.
const THIRD: &[&Family] = &[&third::searches::FAMILY, &third::planes::FAMILY];

/// What tells what became of checks that were found by looking for them.
const FOURTH: &[&Family] = &[&fourth::cursors::FAMILY, &fourth::trees::FAMILY];

/// What others are measured by, after the four had been looked at.
const FIFTH: &[&Family] =
    &[&fifth::pixels::FAMILY, &fifth::layers::FAMILY, &fifth::steps::FAMILY, &fifth::numbers::FAMILY];

/// What others are measured by, after the five had been looked at.
const SIXTH: &[&Family] = &[
    &sixth::models::FAMILY,
    &sixth::networks::FAMILY,
    &sixth::scenes::FAMILY,
    &sixth::searches::FAMILY,
    &sixth::texts::FAMILY,
];

const ALL: &[&[&Family]] = &[FAMILIES, SECOND, THIRD, FOURTH, FIFTH, SIXTH];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let has = |flag: &str| words.iter().any(|word| word == flag);
    let sets = match () {
        () if has("--checks") => ALL,
        () if has("--sixth") => &[SIXTH][..],
        () if has("--fifth") => &[FIFTH][..],
        () if has("--fourth") => &[FOURTH][..],
        () if has("--third") => &[THIRD][..],
        () if has("--second") => &[SECOND][..],
        () if names.is_empty() => &[FAMILIES][..],
        () => ALL,
    };
    let families: Vec<&Family> = sets.iter().flat_map(|set| set.iter().copied()).collect();
    let texts = words.iter().find_map(|word| word.strip_prefix("--texts=")).map(Path::new);
    let done = match () {
        () if has("--simulate") => simulate(&families, &names),
        () if has("--checks") => costs::list(&families, &names),
        () if has("--costs") => costs::run(&families, &names, texts),
        () => measure::run(&families, &names),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("FAILED: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The kernels of a family that are asked for: all, if there are no names.
fn wanted<'f>(family: &'f Family, names: &[&str]) -> Vec<&'f Unseen> {
    family.kernels.iter().filter(|kernel| names.is_empty() || names.contains(&kernel.name)).collect()
}

/// Runs kernels on the simulator; whether all are right.
fn simulate(families: &[&Family], names: &[&str]) -> Result<bool, Failure> {
    let device = Device::simulator();
    let (mut right, mut wrong) = (0, 0);
    for family in families {
        let kernels = wanted(family, names);
        if kernels.is_empty() {
            continue;
        }
        let original = simulated_originals(family)?;
        for kernel in kernels {
            match simulate_one(kernel, &device, original.as_ref()) {
                Ok(()) => right += 1,
                Err(error) => {
                    wrong += 1;
                    println!("FAILED {}: {error}", kernel.name);
                }
            }
        }
    }
    println!("{right} kernels are right on the simulator, {wrong} are not");
    Ok(wrong == 0)
}

/// The originals on the host, where it has a C++ compiler; and whether NVRTC compiles them, where it is installed.
fn simulated_originals(family: &Family) -> Result<Option<Original>, Failure> {
    match original::compile(family, (9, 0)) {
        Ok(_) => println!("{}: NVRTC compiles the originals", family.name),
        Err(missing @ NvrtcError::Missing) => println!("skipped: {missing}"),
        Err(error) => return Err(error.into()),
    }
    if let Err(missing) = printed::compiler() {
        println!("skipped: {missing}");
        return Ok(None);
    }
    Ok(Some(Original::Host(Hosted::new(family)?)))
}

fn simulate_one(kernel: &Unseen, device: &Device, original: Option<&Original>) -> Result<(), Failure> {
    let mut trial = (kernel.make)(&Ground::new(device, kernel.name))?;
    trial(Ask::Prepare)?;
    trial(Ask::Compile)?;
    if let Some(original) = original {
        check(&mut trial, device, Version::Original(original))
            .map_err(|error| format!("original: {error}"))?;
    }
    check(&mut trial, device, Version::Checked)?;
    check(&mut trial, device, Version::Unchecked)?;
    println!("right {}", kernel.name);
    Ok(())
}

/// Launches one version on restored memory, and compares its results.
fn check(trial: &mut Trial, device: &Device, version: Version<'_>) -> Result<(), Failure> {
    trial(Ask::Restore)?;
    trial(Ask::Launch(version))?;
    device.synchronize()?;
    trial(Ask::Check(version))
}
