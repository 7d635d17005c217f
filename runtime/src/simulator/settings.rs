//! How a launch is simulated: stack sizes, schedule, limits.

use std::env;
use std::ops::RangeInclusive;

use super::SimFault;

const STACK: &str = "WARPSMITH_SIM_STACK";
const SEED: &str = "WARPSMITH_SIM_SEED";

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
    /// Atomics that threads may do while no thread starts, returns or passes a barrier, before
    /// they are taken to spin for ever. 2^28 unless set.
    pub atomic_budget: u64,
    /// Shared memory of one block, static and dynamic, in bytes. 227 KiB unless set, as an H100
    /// has; never more than 256 MiB.
    pub shared_limit: usize,
    /// Whether a thread that has returned counts as having reached every barrier and left every
    /// mask, as GPUs of compute capability 7.0 and later do it; true unless set. If not, a barrier or
    /// mask that misses such a thread is a fault.
    pub returned_threads_pass: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            stack_bytes: 64 << 10,
            seed: 0,
            atomic_budget: 1 << 28,
            shared_limit: 227 << 10,
            returned_threads_pass: true,
        }
    }
}

impl Settings {
    /// The defaults, with `WARPSMITH_SIM_STACK` (KiB of one thread's stack) and
    /// `WARPSMITH_SIM_SEED` from the environment where they are set.
    ///
    /// # Errors
    /// [`SimFault::Setting`] if one of them is not a number.
    pub fn from_env() -> Result<Self, SimFault> {
        let mut settings = Self::default();
        if let Some(value) = env::var_os(STACK) {
            let kib =
                number(STACK, &value.to_string_lossy(), "a number of KiB from 16 to 1048576", 16..=1 << 20)?;
            settings.stack_bytes = (kib as usize) << 10;
        }
        if let Some(value) = env::var_os(SEED) {
            settings.seed = number(SEED, &value.to_string_lossy(), "a number of 64 bits", 0..=u64::MAX)?;
        }
        Ok(settings)
    }
}

fn number(
    name: &'static str,
    value: &str,
    expected: &'static str,
    range: RangeInclusive<u64>,
) -> Result<u64, SimFault> {
    match value.trim().parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(SimFault::Setting { name, value: value.to_owned(), expected }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_must_hold_a_number_in_range() {
        let check = |value| number(STACK, value, "a number", 16..=64).ok();
        assert_eq!(
            [" 32 ", "64", "15", "-1", "1e1", ""].map(check),
            [Some(32), Some(64), None, None, None, None]
        );
    }
}
