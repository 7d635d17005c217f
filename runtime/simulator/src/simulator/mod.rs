//! Runs kernels on the CPU: every CUDA thread for itself, with the barriers, warp
//! operations, clusters and shared memory of a GPU.
//!
//! A [`SimLaunch`] and a closure that runs one thread come in; a [`SimReport`] or a [`SimFault`]
//! goes out. A launch uses one OS thread, on which its schedule is always the same. A kernel
//! without any rendezvous runs as a plain loop; else each of its threads runs on a fiber that gives
//! way when it waits. Blocks of one cluster run at once, clusters one after the other. Knows
//! neither CUDA nor the IR, and nothing of a kernel but the closure.

mod arena;
mod barrier;
pub mod context;
mod copies;
#[doc(hidden)]
pub mod declared;
mod events;
mod fault;
mod fiber;
#[doc(hidden)]
pub mod global;
mod hook;
mod host;
mod index;
mod machine;
mod meeting;
mod memory;
mod nested;
mod observer;
mod problem;
mod race;
mod raise;
mod scheduler;
mod seeded;
mod settings;
mod shape;
mod spins;
mod stall;
mod statics;
mod synchronisation;
mod unwritten;
mod vocabulary;
mod waiting;
mod warp;

#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use events::interests;
pub use fault::{Refused, SimFault};
#[doc(hidden)]
pub use global::{GlobalMemory, NoMemory};
#[doc(hidden)]
pub use host::limit as host_limit;
#[doc(hidden)]
pub use index::triple;
pub use observer::{
    Access, Branch, Expected, Instruction, Interests, Meeting, Observer, Operation, Space, Thread,
};
pub use problem::{Absence, BarrierProblem, MaskProblem, RankProblem};
#[doc(hidden)]
pub use race::memory_name;
pub use race::{DataRace, Doing, Party};
#[doc(hidden)]
pub use raise::FaultSite;
pub use settings::{Executor, Sanitizers, Settings, SimChecks};
#[doc(hidden)]
pub use statics::{Statics, current as current_statics};
pub use synchronisation::{Synchronisation, SynchronisationKind, Without};
pub use unwritten::UnwrittenMemory;
pub use vocabulary::{AccessKind, ChildOrder, Line, MemoryScope};
pub use waiting::{Missing, Unstarted, Waiting};

use std::cell::{Cell, RefCell};
use std::ops::Range;

use machine::Machine;
use nested::Nesting;
#[doc(hidden)]
pub use nested::set_pending_limit;

/// A launch on the simulator.
#[derive(Clone)]
pub struct SimLaunch<'a> {
    /// The kernel's name, for faults.
    pub kernel: &'a str,
    /// Blocks in the grid, in each dimension.
    pub grid: [u32; 3],
    /// Threads in a block, in each dimension; at most 1024 in all.
    pub block: [u32; 3],
    /// Blocks in a cluster, in each dimension; at most 16 in all, and they divide the grid's.
    pub cluster: [u32; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub dynamic_shared: usize,
    /// Whether the kernel may wait: at a barrier, or in a warp operation.
    pub rendezvous: bool,
    /// Whether all blocks are resident at once, so that `grid_sync` can join them.
    pub cooperative: bool,
    /// Stacks, schedule, limits.
    pub settings: Settings,
    /// What it does without; nothing unless it is to be seen what that is for.
    pub without: Option<Without>,
    /// Where what its kernels print goes.
    pub prints: Prints<'a>,
    /// Who watches.
    pub observers: &'a [&'a dyn Observer],
    /// The names of slices that are arguments, with their addresses, for faults.
    pub slices: Vec<(&'a str, Range<usize>)>,
}

/// Where what kernels print goes.
#[derive(Clone, Copy, Default)]
pub enum Prints<'a> {
    /// To the standard output.
    #[default]
    Shown,
    /// Into a text.
    Kept(&'a RefCell<String>),
    /// To both.
    ShownAndKept(&'a RefCell<String>),
}

impl<'a> SimLaunch<'a> {
    /// A launch with a rendezvous, without clusters, dynamic shared memory or observers.
    pub fn new(kernel: &'a str, grid: [u32; 3], block: [u32; 3]) -> Self {
        Self {
            kernel,
            grid,
            block,
            cluster: [1; 3],
            dynamic_shared: 0,
            rendezvous: true,
            cooperative: false,
            settings: Settings::default(),
            without: None,
            prints: Prints::Shown,
            observers: &[],
            slices: Vec::new(),
        }
    }
}

/// What a launch did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimReport {
    /// Clusters run; a launch without clusters counts its blocks.
    pub clusters: u64,
    /// Threads run.
    pub threads: u64,
    /// Barriers passed, each counted once for its block or cluster.
    pub barriers: u64,
    /// Warp operations, each counted once for its lanes.
    pub exchanges: u64,
    /// Atomics of all threads.
    pub atomics: u64,
    /// Fibers that were needed; 0 for a plain loop.
    pub fibers: usize,
}

impl SimReport {
    /// Adds what a launched kernel did.
    fn add(&mut self, other: &SimReport) {
        self.clusters += other.clusters;
        self.threads += other.threads;
        self.barriers += other.barriers;
        self.exchanges += other.exchanges;
        self.atomics += other.atomics;
        self.fibers = self.fibers.max(other.fibers);
    }
}

/// Runs a launch: `thread` is called once for each CUDA thread.
///
/// Faults unwind: in a program built with `panic = "abort"` a fault ends the process. A thread that
/// loops for ever without a barrier, warp operation or atomic is not noticed.
///
/// # Errors
/// The first fault of any thread. The calling OS thread can run further launches after it.
///
/// What kernels launch runs after the grid that launches it: in the order of the launches, each with all that
/// it launches itself, tail launches last. The report counts it.
pub fn run(launch: &SimLaunch<'_>, thread: &dyn Fn()) -> Result<SimReport, SimFault> {
    hook::install();
    let (pending, numbers) = (Cell::new(0), Cell::new(0));
    let outcome = grid(launch, thread, Nesting::outermost(&pending, &numbers));
    outcome.map_err(|fault| fault.under(launch.settings.seed))
}

/// Runs one grid and then what it launched.
fn grid(launch: &SimLaunch<'_>, thread: &dyn Fn(), nesting: Nesting<'_>) -> Result<SimReport, SimFault> {
    let machine = Machine::new(launch, thread, nesting)?;
    let Some(entered) = context::enter(&machine) else {
        return Err(SimFault::Nested { kernel: launch.kernel.to_owned() });
    };
    machine.notify(|observer| observer.on_launch(launch));
    let outcome = scheduler::run(&machine);
    drop(entered);
    outcome?;
    let mut report = machine.report();
    launch.observers.iter().try_for_each(|observer| observer.on_finish(&report))?;
    for child in nested::in_order(machine.children.take()) {
        report.add(&nested::run(&child, launch, nesting)?);
    }
    Ok(report)
}
