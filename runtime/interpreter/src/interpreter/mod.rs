//! Runs a kernel's IR on the simulator: the executor that tells what each line does.
//!
//! A [`ValidModule`] comes in, and is lowered once for each set of wishes to a [`Program`]. A simulated thread then runs
//! that program instead of the twin, on the same machine: the barriers, warps and memory are the simulator's, and a builtin
//! calls the same function as the twin. Values have the IR's layout. The program contains only the checks and events that a
//! launch asked for, so the others cost nothing. This module judges nothing: observers report races, uninitialised memory
//! and metrics.

mod execute;
mod long_loop;
mod lower;
mod nested;
mod numeric;
mod print;
mod program;
mod refuse;
mod run;
mod units;

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

pub use lower::Unsupported;
pub use nested::{AskedShape, ChildShape};
pub use program::Program;
pub use run::{Argument, InterpretedLaunch, Rules};

use crate::deep_stack;
use crate::kernel::AnyKernel;
use crate::kernel_map::KernelMap;
use crate::simulator::{Interests, Settings};
use crate::validate::ValidModule;

/// The events and checks that a launch asks of an interpreted kernel, besides its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LowerOptions {
    /// The events that observers want.
    pub watch: Interests,
    /// The checks that end a launch, besides wrong accesses.
    pub checks: ValueChecks,
    /// The folders of sources whose device functions are the library's: faults within one have the line of its call.
    pub library: &'static [&'static str],
}

/// The checks that end a launch with a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueChecks {
    /// Integers that overflow.
    pub overflow: bool,
    /// Floats that do not fit the integer that they are cast to.
    pub float_to_int: bool,
    /// Casts that change an index.
    pub index_casts: bool,
    /// Results that are not a number.
    pub nan: bool,
}

impl LowerOptions {
    /// The wishes of a launch with these settings, and the folders of the library.
    pub fn of(settings: &Settings, watch: Interests, library: &'static [&'static str]) -> Self {
        let checks = ValueChecks {
            overflow: settings.overflow,
            float_to_int: settings.float_to_int,
            index_casts: settings.index_casts,
            nan: settings.nan,
        };
        Self { watch, checks, library }
    }
}

type Lowered = Result<Arc<Program>, Unsupported>;

/// The program of a kernel, lowered at its first launch with these wishes.
pub fn program(kernel: &dyn AnyKernel, module: &ValidModule, options: LowerOptions) -> Lowered {
    static KNOWN: LazyLock<Mutex<KernelMap<LowerOptions, Lowered>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(lowered) = known.get(kernel, &options) {
        return lowered.clone();
    }
    let lowered = deep_stack::run(|| lower::lower(module, options)).map(Arc::new);
    known.add(kernel, options, lowered).clone()
}
