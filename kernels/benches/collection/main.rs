//! Times the functions of the collection on a GPU, in bursts and sustained.
//!
//! Checks each result, then prints `ours NAME_SIZE_MODE VALUE GB/s`: bytes that have to be read and written, by the time of a prepared
//! call. Arguments are numbers of elements, default 2^28, and names. With `serve` it reads `NAME SIZE GROUPS` from its input, line by
//! line, and answers with the milliseconds of a launch: `kernels/benches/table.py` lets it take turns with CUB. `BLOCKS=1056` sets the
//! number of blocks that share the elements where all are reduced,
//! `THREADS=256` that of the threads that share a row, `BAND=16` and `SPAN=1` the tiles of transposes.

#[path = "../../../benches/turns.rs"]
mod turns;

mod functions;
mod histograms;
mod matrices;

use functions::{FUNCTIONS, Function};
use turns::{Timed, Unit, serve, take_turns};
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;

/// Elements of the input, unless arguments say otherwise.
const ELEMENTS: usize = 1 << 28;

/// The functions of all families.
fn all() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter().chain(matrices::FUNCTIONS).chain(histograms::FUNCTIONS)
}

fn main() -> Result<(), KernelError> {
    let device = match Device::gpu(0) {
        Ok(device) => device,
        Err(missing) => {
            println!("skipped: {missing}");
            return Ok(());
        }
    };
    println!("device {}", device.name());
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if words.iter().any(|word| word == "serve") {
        return Ok(serve_turns(&device)?);
    }
    let (sizes, names): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| word.parse::<usize>().is_ok());
    let mut sizes: Vec<usize> = sizes.iter().filter_map(|size| size.parse().ok()).collect();
    if sizes.is_empty() {
        sizes.push(ELEMENTS);
    }
    for size in sizes {
        for function in all().filter(|f| names.is_empty() || names.iter().any(|name| *name == f.name)) {
            let Function { name, bytes, make } = function;
            let run = make(&device, size)?;
            let timed =
                Timed { name: format!("{name}_{size}"), work: bytes(size), unit: Unit::Gigabytes, run };
            take_turns(&mut [timed])?;
        }
    }
    Ok(())
}

/// Answers lines of the input.
fn serve_turns(device: &Device) -> warpsmith::Result<()> {
    let mut made: Option<(String, turns::Run)> = None;
    serve(|name, size, count| {
        let key = format!("{name} {size}");
        if made.as_ref().is_none_or(|(known, _)| *known != key) {
            // The memory of the function before is free first.
            drop(made.take());
            let function = all().find(|f| f.name == name).expect("the name of a function");
            let run = (function.make)(device, size).unwrap_or_else(|e| panic!("{name}: {e}"));
            made = Some((key, run));
        }
        let (_, run) = made.as_mut().expect("just made");
        run(count)
    })
}
