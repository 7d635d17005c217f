//! The generated kernels, and a table of them.

#[cfg(not(test))]
use warpsmith::Kernel;
use warpsmith::codegen::{CudaSource, PrintOptions};
use warpsmith::{Buffer, Device};

use crate::inputs::Comptime;
#[cfg(not(test))]
use crate::inputs::{BLOCK, GRID};
use crate::support::Body;

/// A kernel, or one instance of a generic one.
pub struct Program {
    /// Its name with its const generic: `k7`, `k9::<4>`.
    pub name: &'static str,
    /// How many statements a bit of `mask` guards.
    pub statements: usize,
    /// How many expressions a bit of `cut` replaces.
    pub expressions: usize,
    /// Its CUDA.
    pub print: fn(&Comptime, &PrintOptions) -> warpsmith::Result<CudaSource>,
    /// Launches it on a device.
    pub launch: Launch,
}

/// How a program is launched.
pub type Launch = fn(&Device, &Comptime, &mut Memory) -> warpsmith::Result<()>;

/// The buffers of a launch.
pub struct Memory {
    /// Integers that are read.
    pub xs: Buffer<u32>,
    /// Floats that are read.
    pub fs: Buffer<f32>,
    /// Eight words of each thread.
    pub ys: Buffer<u64>,
    /// Two structs of each thread.
    pub bs: Buffer<Body>,
    /// Changed by atomics of all threads.
    pub counts: Buffer<u32>,
    /// A hash of each thread.
    pub out: Buffer<u64>,
}

impl Program {
    /// The name of its Rust function.
    pub fn function(&self) -> &'static str {
        self.name.split("::").next().unwrap_or(self.name)
    }

    /// Its Rust source, with the device functions that it calls.
    pub fn source(&self) -> &'static str {
        let start = SOURCE.find(&format!("// kernel {}\n", self.function())).unwrap_or(0);
        let text = &SOURCE[start..];
        &text[..text.find("// end\n").unwrap_or(text.len())]
    }
}

const SOURCE: &str = include_str!(concat!(env!("OUT_DIR"), "/programs.rs"));

#[cfg(not(test))]
fn print<K: Kernel<Comptime = Comptime>>(
    comptime: &Comptime,
    options: &PrintOptions,
) -> warpsmith::Result<CudaSource> {
    K::print(comptime, options)
}

#[cfg(not(test))]
macro_rules! program {
    ($kernel:ident $(::<$n:literal>)?, $statements:literal, $expressions:literal) => {
        Program {
            name: concat!(stringify!($kernel) $(, "::<", $n, ">")?),
            statements: $statements,
            expressions: $expressions,
            print: print::<$kernel $(::<$n>)?>,
            launch: |device, comptime, memory| {
                let (a, b, pick, mask, cut) = *comptime;
                let Memory { xs, fs, ys, bs, counts, out } = memory;
                $kernel $(::<$n>)? (xs, fs, ys, bs, counts, out, a, b, pick, mask, cut)
                    .grid(GRID)
                    .block(BLOCK)
                    .launch(device)
            },
        }
    };
}

#[cfg(not(test))]
pub use generated::PROGRAMS;

/// The output of the build script. The unit tests do without: it is nearly all that is compiled here.
#[cfg(not(test))]
#[allow(missing_docs, warnings, arithmetic_overflow, unconditional_panic, overflowing_literals, clippy::all)]
mod generated {
    use super::{BLOCK, Comptime, GRID, Memory, Program, print};
    use crate::support::*;
    use warpsmith::prelude::*;

    include!(concat!(env!("OUT_DIR"), "/programs.rs"));
}
