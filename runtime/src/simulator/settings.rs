//! How a launch is simulated: stack sizes, schedule, limits.

use super::SimFault;
use crate::printed::Sanitizers;
use crate::settings::{self, SettingError};

/// How a launch is simulated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Stack of one simulated thread, in bytes, at least 16 KiB; a guard page is added. 64 KiB unless set.
    ///
    /// A kernel that overruns it dies with a segmentation fault.
    pub stack_bytes: usize,
    /// 0 runs blocks, and warps in a block, in the order of their indices; any other value in a
    /// pseudo-random order that it determines.
    pub seed: u64,
    /// Atomics that threads may do while no thread starts, returns or passes a barrier, before they are taken to spin for
    /// ever; default: 2^28. Threads that find nothing new in memory are so long before. [`u64::MAX`]: never.
    pub atomic_budget: u64,
    /// Shared memory of one block, static and dynamic, in bytes. 227 KiB unless set, as an H100
    /// has; never more than 256 MiB.
    pub shared_limit: usize,
    /// Whether a thread that has returned counts as having reached every barrier of its block and cluster, and
    /// left every mask, as GPUs of compute capability 7.0 and later do it; true unless set. If not, a barrier
    /// or mask that misses such a thread is a fault. `grid_sync` must be reached by all either way.
    pub returned_threads_pass: bool,
    /// What the interpreter checks of every access; all unless set.
    pub checks: SimChecks,
    /// What runs a kernel; default: the interpreter, and the twin to compare.
    pub executor: Executor,
    /// What printed CUDA is compiled with to find mistakes while it runs; nothing unless set.
    pub sanitizers: Sanitizers,
    /// Iterations of loops that a thread of the interpreter may make. 2^32 unless set.
    pub step_budget: u64,
    /// Whether the interpreter ends a launch where integers overflow, or a shift is past the width, as the
    /// twin of a debug build does; true unless set. If not, they wrap as on a GPU.
    pub overflow: bool,
    /// Whether the interpreter ends a launch where a float becomes an integer that cannot hold it.
    pub float_to_int: bool,
    /// Whether the interpreter ends a launch where a conversion in an index changes the value.
    pub index_casts: bool,
    /// Whether the interpreter ends a launch where an operation on numbers gives NaN.
    pub nan: bool,
}

/// What runs the threads of a simulated kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Executor {
    /// The kernel's Rust code as rustc compiled it: fast in a release build, and seen by debuggers and coverage. Nothing
    /// tells of its plain accesses, so that [`SimChecks`] do not apply.
    Twin,
    /// The kernel's IR, line by line: tells checks and observers of every access. What it cannot run, the twin
    /// runs unchecked, and stderr says so once.
    Interpreter,
    /// The interpreter with its checks, and if that finds no fault, the twin from the same memory: if what they write or
    /// print is not the same, that is [`SimFault::ExecutorsDiffer`].
    ///
    /// The launch leaves what the interpreter wrote. A kernel that cannot run twice, as one with addresses of memory that
    /// the launch does not name, runs by the interpreter alone, and stderr says so once, with the reason.
    #[default]
    Both,
    /// The CUDA text that a GPU would be given, compiled by the host's C++ compiler: what the printer made of the kernel.
    /// Needs a C++ compiler ([`printed`](crate::printed)); has the text's bounds checks, and no others.
    Printed,
    /// What `Both` runs, and then the printed CUDA from the same memory: if its results are not theirs, that is a fault.
    All,
}

/// What is checked while a kernel runs on the simulator; all of it unless set.
///
/// What is off costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimChecks {
    /// Data races in shared and global memory.
    pub races: bool,
    /// Reads of shared memory, and of memory of [`alloc_uninit`](crate::Device::alloc_uninit), that nobody has written.
    pub initialisation: bool,
    /// Accesses at addresses that their type does not allow.
    pub alignment: bool,
}

impl Default for SimChecks {
    fn default() -> Self {
        Self::ALL
    }
}

impl SimChecks {
    /// Everything is checked.
    pub const ALL: Self = Self { races: true, initialisation: true, alignment: true };

    /// Nothing is checked.
    pub const NONE: Self = Self { races: false, initialisation: false, alignment: false };

    /// Whether anything is checked.
    pub fn any(self) -> bool {
        self != Self::NONE
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            stack_bytes: 64 << 10,
            seed: 0,
            atomic_budget: 1 << 28,
            shared_limit: 227 << 10,
            returned_threads_pass: true,
            checks: SimChecks::ALL,
            executor: Executor::Both,
            sanitizers: Sanitizers::NONE,
            step_budget: 1 << 32,
            overflow: true,
            float_to_int: false,
            index_casts: false,
            nan: false,
        }
    }
}

impl Settings {
    /// The defaults, with `WARPSMITH_SIM` (the executor), `WARPSMITH_SIM_STACK` (KiB of one thread's stack),
    /// `WARPSMITH_SIM_SEED`, `WARPSMITH_SIM_CHECKS` and `WARPSMITH_SIM_SANITIZERS` from the environment where they are set.
    ///
    /// # Errors
    /// [`SimFault::Setting`] if one of them is not what it may be.
    pub fn from_env() -> Result<Self, SimFault> {
        let mut settings = Self::default();
        let refused =
            |e: SettingError| SimFault::Setting { name: e.name, value: e.value, expected: e.allowed };
        if let Some(kib) = settings::simulator_stack().map_err(refused)? {
            settings.stack_bytes = (kib as usize) << 10;
        }
        if let Some(executor) = settings::simulator_executor().map_err(refused)? {
            settings.executor = executor;
        }
        if let Some(sanitizers) = settings::simulator_sanitizers().map_err(refused)? {
            settings.sanitizers = sanitizers;
        }
        if let Some(seed) = settings::simulator_seed().map_err(refused)? {
            settings.seed = seed;
        }
        if let Some(checks) = settings::simulator_checks().map_err(refused)? {
            settings.checks = checks;
        }
        Ok(settings)
    }
}
