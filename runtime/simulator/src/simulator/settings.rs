//! How a launch is simulated: stack sizes, schedule, limits.

use warpsmith_env::{Lookup, SettingError, all_or_list, choice, number, variable};

use super::SimFault;
use super::tensor_sums::TensorCores;

/// How a launch is simulated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Stack of one simulated thread, in bytes, at least 16 KiB; a guard page is added. Default: 64 KiB.
    ///
    /// A kernel that overruns it dies with a segmentation fault.
    pub stack_bytes: usize,
    /// 0 runs blocks, and warps in a block, in the order of their indices; any other value in a
    /// pseudo-random order that it determines.
    pub seed: u64,
    /// Atomics that threads may do while no thread starts, returns or passes a barrier, before they are taken to spin for
    /// ever; default: 2^28. Threads that find nothing new in memory are so long before. [`u64::MAX`]: never.
    pub atomic_budget: u64,
    /// Shared memory of one block, static and dynamic, in bytes. Default: 227 KiB, as an H100
    /// has; never more than 256 MiB.
    pub shared_limit: usize,
    /// Whether a thread that has returned counts as having reached every barrier of its block and cluster, and
    /// left every mask, as GPUs of compute capability 7.0 and later do it; default: true. If not, a barrier
    /// or mask that misses such a thread is a fault. `grid_sync` must be reached by all either way.
    pub returned_threads_pass: bool,
    /// Whether an arrival at a barrier of another block, by `arrive_at`, orders nothing, as in PTX's memory model; default:
    /// false. If false, the arrival orders the thread's earlier loads. Kernels rely on that: hardware does so, and the
    /// arrival that the model requires costs a fence of the device.
    pub strict_arrivals: bool,
    /// Whether a launch with `.programmatic_serialization()` begins before the launch before it has ended, as it may on a
    /// GPU. The simulator then reports accesses that race with those of the earlier launch, as long as a thread has not
    /// called `grid_dependency_wait`. Default: false, because the check keeps the accesses of a launch until the next one.
    pub overlap_launches: bool,
    /// The interpreter's checks of every access; default: all.
    pub checks: SimChecks,
    /// The executor of kernels; default: the interpreter, and the twin for comparison.
    pub executor: Executor,
    /// The sanitizers that printed CUDA is compiled with; default: none.
    pub sanitizers: Sanitizers,
    /// How the simulator adds the tensor-core products; default: exactly.
    pub tensor_cores: TensorCores,
    /// Iterations of loops that a thread of the interpreter may make. Default: 2^32.
    pub step_budget: u64,
    /// Whether the interpreter ends a launch where integers overflow, or a shift is past the width, as the
    /// twin of a debug build does; default: true. If not, they wrap as on a GPU.
    pub overflow: bool,
    /// Whether the interpreter ends a launch where a float becomes an integer that cannot hold it.
    pub float_to_int: bool,
    /// Whether the interpreter ends a launch where a conversion in an index changes the value.
    pub index_casts: bool,
    /// Whether the interpreter ends a launch where an operation on numbers gives NaN.
    pub nan: bool,
}

/// The executor of a simulated kernel's threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Executor {
    /// The kernel's Rust code as rustc compiled it: fast in a release build, and seen by debuggers and coverage. Nothing
    /// tells of its plain accesses, so [`SimChecks`] do not apply.
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
    /// Needs a C++ compiler; has the text's bounds checks, and no others.
    Printed,
    /// Like `Both`, and then the printed CUDA from the same memory. It is a fault if the results differ.
    All,
}

impl TensorCores {
    /// `WARPSMITH_SIM_TENSOR_CORES`.
    fn read(get: Lookup<'_>) -> Result<Option<Self>, SettingError> {
        let choices = [("exact", Self::Exact), ("hopper", Self::Hopper)];
        choice(get, "WARPSMITH_SIM_TENSOR_CORES", "exact, hopper", &choices)
    }
}

impl Executor {
    /// `WARPSMITH_SIM`.
    fn read(get: Lookup<'_>) -> Result<Option<Self>, SettingError> {
        let choices = [
            ("twin", Executor::Twin),
            ("interpreter", Executor::Interpreter),
            ("both", Executor::Both),
            ("printed", Executor::Printed),
            ("all", Executor::All),
        ];
        choice(get, "WARPSMITH_SIM", "twin, interpreter, both, printed, all", &choices)
    }
}

/// The sanitizers of the C++ compiler, which find mistakes of printed CUDA at run time.
///
/// A mistake that they find is a fault of the launch, like any other. The handlers are part of the shim, so the compiler's own
/// libraries are not needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sanitizers {
    /// C++ that means nothing: overflow of signed integers, shifts past the width, indices beyond an array, null and
    /// misaligned pointers, a value that its type does not have.
    pub undefined: bool,
    /// Every access is within a buffer, the block's shared memory, the thread's stack or the text's own data.
    pub address: bool,
}

impl Sanitizers {
    /// Both.
    pub const ALL: Self = Self { undefined: true, address: true };
    /// Neither.
    pub const NONE: Self = Self { undefined: false, address: false };

    /// `WARPSMITH_SIM_SANITIZERS`.
    fn read(get: Lookup<'_>) -> Result<Option<Self>, SettingError> {
        let one = Self::NONE;
        let known =
            [("address", Self { address: true, ..one }), ("undefined", Self { undefined: true, ..one })];
        let allowed = "all, off, or a list of address, undefined";
        all_or_list(get, "WARPSMITH_SIM_SANITIZERS", allowed, [one, Self::ALL], &known, |a, b| Self {
            undefined: a.undefined | b.undefined,
            address: a.address | b.address,
        })
    }
}

/// The checks while a kernel runs on the simulator; default: all.
///
/// Checks that are off cost nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimChecks {
    /// Data races in shared and global memory.
    pub races: bool,
    /// Reads of unwritten shared memory, and of unwritten memory of `Device::alloc_uninit`.
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

    /// `WARPSMITH_SIM_CHECKS`.
    fn read(get: Lookup<'_>) -> Result<Option<Self>, SettingError> {
        let one = Self::NONE;
        let known = [
            ("races", Self { races: true, ..one }),
            ("initialisation", Self { initialisation: true, ..one }),
            ("alignment", Self { alignment: true, ..one }),
        ];
        let allowed = "all, off, or a list of races, initialisation, alignment";
        all_or_list(get, "WARPSMITH_SIM_CHECKS", allowed, [one, Self::ALL], &known, |a, b| Self {
            races: a.races | b.races,
            initialisation: a.initialisation | b.initialisation,
            alignment: a.alignment | b.alignment,
        })
    }

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
            strict_arrivals: false,
            overlap_launches: false,
            checks: SimChecks::ALL,
            executor: Executor::Both,
            sanitizers: Sanitizers::NONE,
            tensor_cores: TensorCores::Exact,
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
    /// `WARPSMITH_SIM_SEED`, `WARPSMITH_SIM_CHECKS`, `WARPSMITH_SIM_SANITIZERS` and `WARPSMITH_SIM_TENSOR_CORES` from the environment where they are set.
    ///
    /// # Errors
    /// [`SimFault::Setting`] if one of them is not what it may be.
    pub fn from_env() -> Result<Self, SimFault> {
        Self::read(&variable).map_err(|e| SimFault::Setting {
            name: e.name,
            value: e.value,
            expected: e.allowed,
        })
    }

    fn read(get: Lookup<'_>) -> Result<Self, SettingError> {
        const KIB: &str = "a number of KiB from 16 to 1048576";
        let mut settings = Self::default();
        if let Some(kib) = number(get, "WARPSMITH_SIM_STACK", KIB, 16..=1 << 20)? {
            settings.stack_bytes = (kib as usize) << 10;
        }
        if let Some(seed) = number(get, "WARPSMITH_SIM_SEED", "a number of 64 bits", 0..=u64::MAX)? {
            settings.seed = seed;
        }
        if let Some(executor) = Executor::read(get)? {
            settings.executor = executor;
        }
        if let Some(sanitizers) = Sanitizers::read(get)? {
            settings.sanitizers = sanitizers;
        }
        if let Some(checks) = SimChecks::read(get)? {
            settings.checks = checks;
        }
        if let Some(cores) = TensorCores::read(get)? {
            settings.tensor_cores = cores;
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_a_list_or_all_or_none() {
        let read = |text: &str| SimChecks::read(&|_| Some(text.to_owned())).ok().flatten();
        assert_eq!([read("all"), read(" off ")], [Some(SimChecks::ALL), Some(SimChecks::NONE)]);
        let two = SimChecks { races: false, ..SimChecks::ALL };
        assert_eq!(read("alignment, initialisation"), Some(two));
        assert_eq!([read("race"), read("races,all")], [None, None]);
        assert_eq!(SimChecks::read(&|_| None), Ok(None));
    }

    #[test]
    fn every_variable_is_read() {
        let set = [
            ("WARPSMITH_SIM", "all"),
            ("WARPSMITH_SIM_STACK", "32"),
            ("WARPSMITH_SIM_SEED", "7"),
            ("WARPSMITH_SIM_CHECKS", "off"),
            ("WARPSMITH_SIM_SANITIZERS", "undefined"),
            ("WARPSMITH_SIM_TENSOR_CORES", "hopper"),
        ];
        let get = |name: &str| set.iter().find(|of| of.0 == name).map(|of| of.1.to_owned());
        let wanted = Settings {
            executor: Executor::All,
            stack_bytes: 32 << 10,
            seed: 7,
            checks: SimChecks::NONE,
            sanitizers: Sanitizers { undefined: true, address: false },
            tensor_cores: TensorCores::Hopper,
            ..Settings::default()
        };
        assert_eq!(Settings::read(&get), Ok(wanted));
        assert_eq!(Settings::read(&|_| None), Ok(Settings::default()));
        for (name, _) in set {
            let refused = Settings::read(&|of| (of == name).then(|| "-".to_owned())).expect_err(name);
            assert_eq!((refused.name, refused.value.as_str()), (name, "-"));
        }
    }
}
