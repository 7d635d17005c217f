//! The generated kernels, and a table of them.

use warpsmith::codegen::{CudaSource, Options};
use warpsmith::{Buffer, Device, Kernel};

use crate::inputs::{BLOCK, Comptime, GRID};

/// A kernel, or one instance of a generic one.
pub struct Program {
    /// Its name with its const generic: `k7`, `k9::<4>`.
    pub name: &'static str,
    /// How many statements a bit of `mask` guards.
    pub statements: usize,
    /// Its CUDA.
    pub print: fn(&Comptime, &Options) -> warpsmith::Result<CudaSource>,
    /// Launches it on a device.
    pub launch: Launch,
}

/// How a program is launched.
pub type Launch =
    fn(&Device, &Comptime, &Buffer<u32>, &Buffer<f32>, &mut Buffer<u64>) -> warpsmith::Result<()>;

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

fn print<K: Kernel<Comptime = Comptime>>(
    comptime: &Comptime,
    options: &Options,
) -> warpsmith::Result<CudaSource> {
    K::print(comptime, options)
}

macro_rules! program {
    ($kernel:ident $(::<$n:literal>)?, $statements:literal) => {
        Program {
            name: concat!(stringify!($kernel) $(, "::<", $n, ">")?),
            statements: $statements,
            print: print::<$kernel $(::<$n>)?>,
            launch: |device, comptime, xs, fs, out| {
                let (a, b, pick, mask) = *comptime;
                $kernel $(::<$n>)? (xs, fs, out, a, b, pick, mask).grid(GRID).block(BLOCK).launch(device)
            },
        }
    };
}

pub use generated::PROGRAMS;

/// What the build script wrote.
#[allow(missing_docs, warnings, arithmetic_overflow, unconditional_panic, overflowing_literals, clippy::all)]
mod generated {
    use super::{BLOCK, Comptime, GRID, Program, print};
    use crate::support::*;
    use warpsmith::prelude::*;

    include!(concat!(env!("OUT_DIR"), "/programs.rs"));
}
