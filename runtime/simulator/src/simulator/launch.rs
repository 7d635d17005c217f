//! A launch on the simulator, and its outcome.

use std::cell::RefCell;
use std::ops::Range;

use super::observer::Observer;
use super::settings::Settings;
use super::synchronisation::Without;

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
    /// Whether all blocks are resident at once, as `grid_sync` needs it.
    pub cooperative: bool,
    /// Registers of each thread when it begins, where launch bounds say so.
    pub registers: Option<u32>,
    /// Whether it may begin before the launch has ended that its observers watched last.
    pub overlaps: bool,
    /// Stacks, schedule, limits.
    pub settings: Settings,
    /// The synchronisation that it leaves out, to find out its purpose; usually none.
    pub without: Option<Without>,
    /// Where what its kernels print goes.
    pub prints: Prints<'a>,
    /// The observers.
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
            registers: None,
            overlaps: false,
            settings: Settings::default(),
            without: None,
            prints: Prints::Shown,
            observers: &[],
            slices: Vec::new(),
        }
    }
}

/// The outcome of a launch.
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
    pub(super) fn add(&mut self, other: &SimReport) {
        self.clusters += other.clusters;
        self.threads += other.threads;
        self.barriers += other.barriers;
        self.exchanges += other.exchanges;
        self.atomics += other.atomics;
        self.fibers = self.fibers.max(other.fibers);
    }
}
