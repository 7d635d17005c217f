//! Functions that are timed by their names: alone, in bursts and sustained, or in turns with a peer in another process.
//!
//! Knows no function. A bench has a table of them and calls [`time`].

#[path = "../../benches/turns.rs"]
mod turns;

use std::str::FromStr;

pub use turns::{Result, Run};
use turns::{Timed, Unit, samples, serve, take_turns};
use warpsmith::prelude::*;
use warpsmith_kernels::{Call, Family};

/// A function by its name in the table.
pub struct Function {
    name: &'static str,
    work: Work,
    make: Make,
}

/// What a launch does, for the size of the input.
#[allow(dead_code, reason = "each bench has its own")]
pub enum Work {
    /// Bytes that have to be read and written, for each element of the input.
    Bytes(f64),
    /// Operations.
    Operations(fn(usize) -> f64),
}

/// Makes the inputs for a size, checks the result, and returns the launches.
pub type Make = fn(&Device, usize) -> Result<Run<'static>>;

impl Function {
    pub const fn new(name: &'static str, work: Work, make: Make) -> Self {
        Self { name, work, make }
    }

    /// The operations or bytes of a launch.
    fn work(&self, size: usize) -> f64 {
        match self.work {
            Work::Bytes(of_element) => of_element * size as f64,
            Work::Operations(of) => of(size),
        }
    }
}

/// Times the functions that the program's arguments name, or the usual ones, with the sizes that are arguments, or `sizes`.
///
/// Prints `ours NAME_SIZE_MODE VALUE UNIT`. With the argument `serve` it answers lines of its input instead, as
/// [`serve`] does, and prints `work NUMBER` for each function that it makes: its operations or bytes.
pub fn time(functions: &[&Function], is_usual: fn(&str) -> bool, sizes: &[usize]) -> Result<()> {
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
        return serve_turns(&device, functions);
    }
    let (asked, names): (Vec<&str>, Vec<&str>) =
        words.iter().map(String::as_str).partition(|word| word.parse::<usize>().is_ok());
    let asked: Vec<usize> = asked.iter().filter_map(|size| size.parse().ok()).collect();
    let chosen: Vec<&Function> = if names.is_empty() {
        functions.iter().copied().filter(|function| is_usual(function.name)).collect()
    } else {
        names.iter().map(|name| find(functions, name)).collect::<Result<_>>()?
    };
    for size in if asked.is_empty() { sizes } else { &asked } {
        for function in &chosen {
            let unit = match function.work {
                Work::Bytes(_) => Unit::Gigabytes,
                Work::Operations(_) => Unit::Teraflops,
            };
            let run = (function.make)(&device, *size)?;
            let (name, work) = (format!("{}_{size}", function.name), function.work(*size));
            take_turns(&mut [Timed { name, work, unit, run }])?;
        }
    }
    Ok(())
}

/// Answers lines of the input.
fn serve_turns(device: &Device, functions: &[&Function]) -> Result<()> {
    let mut made: Option<(String, Run)> = None;
    serve(|name, size, count| {
        let key = format!("{name} {size}");
        // The memory of the function before is free first.
        made.take_if(|(known, _)| *known != key);
        let (_, run) = match &mut made {
            Some(made) => made,
            none => {
                let function = find(functions, name)?;
                let run = (function.make)(device, size)?;
                println!("work {}", function.work(size));
                none.insert((key, run))
            }
        };
        run(count)
    })
}

fn find<'a>(functions: &[&'a Function], name: &str) -> Result<&'a Function> {
    let found = functions.iter().find(|function| function.name == name).copied();
    Ok(found.ok_or_else(|| {
        let known: Vec<&str> = functions.iter().map(|function| function.name).collect();
        format!("no function is called {name}; there are {}", known.join(", "))
    })?)
}

/// Launches of a prepared call.
pub fn launches<F: Family<'static>>(device: &Device, call: Call<'static, F>) -> Result<Run<'static>> {
    let (device, mut prepared) = (device.clone(), call.prepare()?);
    println!("plan {}", prepared.plan());
    Ok(Box::new(move |count| samples(&device, count, &mut || prepared.launch())))
}

/// An error with a text, unless a result is right.
pub fn check(is_right: bool, wrong: impl FnOnce() -> String) -> Result<()> {
    if is_right { Ok(()) } else { Err(wrong().into()) }
}

/// Memory for the rest of the process, which ends with its last function.
pub fn kept<T: GpuType>(buffer: Buffer<T>) -> &'static mut Buffer<T> {
    Box::leak(Box::new(buffer))
}

/// A number of [-1, 1) for an index, on the host and in kernels; the peers have the same.
#[allow(dead_code, reason = "each bench has its own")]
#[gpu_fn]
pub fn hashed(i: usize) -> f32 {
    let mut h = (i as u32).wrapping_mul(2_654_435_761);
    h ^= h >> 15;
    h = h.wrapping_mul(2_246_822_519);
    h ^= h >> 13;
    (h >> 8) as f32 / 8_388_608.0 - 1.0
}

/// Any 32 bits; the peers have the same.
#[allow(dead_code, reason = "each bench has its own")]
pub fn word(i: usize) -> u32 {
    let mut h = (i as u32).wrapping_add(1).wrapping_mul(2_654_435_761);
    h ^= h >> 15;
    h = h.wrapping_mul(2_246_822_519);
    h ^= h >> 13;
    h = h.wrapping_mul(3_266_489_917);
    h ^ h >> 16
}

/// A setting of the environment, if it is there and valid.
#[allow(dead_code, reason = "each bench has its own")]
pub fn setting<T: FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}
