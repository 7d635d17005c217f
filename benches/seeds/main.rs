//! Times the seed programs on a GPU beside `benches/seeds.cu`, and shows what priorities, L2 windows and memory
//! orders do there. Each result is checked before it is timed.
//!
//! Prints `ours NAME VALUE UNIT`, with `_checked` after the name for launches with bounds checks, and
//! `figure NAME VALUE UNIT`; `benches/seeds.sh` makes the table. An argument, as `transposes`, runs that part
//! alone; `simulate` runs the parts at small size on the simulator, where results are checked and nothing is timed.

mod litmus;
mod measure;
mod persistence;
mod priorities;
mod reductions;
mod stencils;
mod sums;
mod transposes;

use measure::Bench;
use warpsmith::prelude::*;

fn main() -> warpsmith::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let device = match Device::gpu(0) {
        _ if words.iter().any(|word| word == "simulate") => Device::simulator(),
        Ok(device) => device,
        Err(missing) => {
            println!("skipped: {missing}");
            return Ok(());
        }
    };
    println!("device {}", device.name());
    let bench = Bench::new(device);
    let only = words.iter().find(|word| *word != "simulate");
    let wanted = |part: &(&str, Part)| only.is_none_or(|only| only == part.0);
    PARTS.iter().filter(|part| wanted(part)).try_for_each(|(_, run)| run(&bench))
}

type Part = fn(&Bench) -> warpsmith::Result<()>;

const PARTS: [(&str, Part); 7] = [
    ("reductions", reductions::run),
    ("transposes", transposes::run),
    ("stencils", stencils::run),
    ("sums", sums::run),
    ("persistence", persistence::run),
    ("priorities", priorities::run),
    ("litmus", litmus::run),
];
