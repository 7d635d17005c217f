//! How much a run compares, from the environment.

use std::env;
use std::path::PathBuf;

use warpsmith::printed::Sanitizers;

use crate::compare::Runner;

/// How much a run compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Comptime variants of each program: `WARPSMITH_FUZZ_VARIANTS`, default: 4.
    pub variants: usize,
    /// The first variant; a later run starts where an earlier one ended: `WARPSMITH_FUZZ_FIRST`, default: 0.
    pub first: usize,
    /// Keeps every n-th statement, for many small kernels: `WARPSMITH_FUZZ_DENSITY`; default: a quarter, a half or
    /// three quarters of them.
    pub density: Option<usize>,
    /// This process's part of the programs, and the number of parts: `WARPSMITH_FUZZ_SHARD=3/14`.
    pub shard: (usize, usize),
    /// Seconds after which no further program is begun: `WARPSMITH_FUZZ_SECONDS`.
    pub seconds: Option<u64>,
    /// One program alone, `k7` or `k9::<4>`: `WARPSMITH_FUZZ_ONLY`.
    pub only: Option<String>,
    /// Texts in one call of the host's C++ compiler: `WARPSMITH_FUZZ_BATCH`, default: 16.
    pub batch: usize,
    /// The sanitizers of the printed text: `WARPSMITH_FUZZ_SANITIZERS=1` for addresses and undefined behaviour.
    pub sanitizers: Sanitizers,
    /// The executors to compare with the twin: `WARPSMITH_FUZZ_RUNNERS=interpreter,printed,gpu`, default: all.
    pub runners: Option<Vec<Runner>>,
    /// Failures that are made small and printed in full, the others being one line each:
    /// `WARPSMITH_FUZZ_REPORTS`, default: 8.
    pub reports: usize,
    /// Failures after which the run ends: `WARPSMITH_FUZZ_STOP`.
    pub stop: Option<usize>,
    /// Programs that are left out: `WARPSMITH_FUZZ_EXCEPT=k7,k9::<4>`.
    pub except: Vec<String>,
    /// Launches of loops that may fail: `WARPSMITH_FUZZ_FAILING`, default: 640.
    pub failing: usize,
    /// A file that holds the program at work, for when NVRTC or the driver takes the process down
    /// with it: `WARPSMITH_FUZZ_LAST`.
    pub last: Option<PathBuf>,
}

impl Settings {
    /// The settings that the environment asks for.
    ///
    /// # Panics
    /// If a variable cannot be read.
    pub fn from_env() -> Self {
        let shard = env::var("WARPSMITH_FUZZ_SHARD").map_or((0, 1), |text| {
            shard(&text).unwrap_or_else(|| panic!("WARPSMITH_FUZZ_SHARD must be like 3/14, not `{text}`"))
        });
        let sanitizers = match env::var_os("WARPSMITH_FUZZ_SANITIZERS").is_some_and(|value| value != "0") {
            true => Sanitizers::ALL,
            false => Sanitizers::NONE,
        };
        let except = env::var("WARPSMITH_FUZZ_EXCEPT").unwrap_or_default();
        Self {
            variants: number("WARPSMITH_FUZZ_VARIANTS").unwrap_or(4),
            first: number("WARPSMITH_FUZZ_FIRST").unwrap_or(0),
            density: number("WARPSMITH_FUZZ_DENSITY").filter(|n| *n > 0),
            shard,
            seconds: number("WARPSMITH_FUZZ_SECONDS").map(|n| n as u64),
            only: env::var("WARPSMITH_FUZZ_ONLY").ok(),
            batch: number("WARPSMITH_FUZZ_BATCH").unwrap_or(16).max(1),
            sanitizers,
            runners: env::var("WARPSMITH_FUZZ_RUNNERS").ok().map(|text| runners(&text)),
            reports: number("WARPSMITH_FUZZ_REPORTS").unwrap_or(8),
            stop: number("WARPSMITH_FUZZ_STOP"),
            except: except.split(',').map(str::to_owned).collect(),
            failing: number("WARPSMITH_FUZZ_FAILING").unwrap_or(640),
            last: env::var_os("WARPSMITH_FUZZ_LAST").map(PathBuf::from),
        }
    }

    /// Returns whether this process compares program `index`.
    ///
    /// All variants of a function go to one process, which then knows which are printed alike.
    pub fn takes(&self, index: usize, name: &str) -> bool {
        match &self.only {
            Some(only) => only == name,
            None => index % self.shard.1 == self.shard.0 && !self.except.iter().any(|other| other == name),
        }
    }
}

fn number(name: &str) -> Option<usize> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} must be a number, not `{text}`")))
}

fn runners(text: &str) -> Vec<Runner> {
    let one = |name: &str| match name.trim() {
        "interpreter" => Runner::Interpreter,
        "printed" => Runner::Printed,
        "gpu" => Runner::Gpu,
        other => panic!("WARPSMITH_FUZZ_RUNNERS is a list of interpreter, printed and gpu, not `{other}`"),
    };
    text.split(',').map(one).collect()
}

fn shard(text: &str) -> Option<(usize, usize)> {
    let (part, parts) = text.split_once('/')?;
    let (part, parts) = (part.parse().ok()?, parts.parse().ok()?);
    (part < parts).then_some((part, parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_below_their_number() {
        assert_eq!(
            ["0/1", "13/14", "14/14", "1", "-1/2", "a/b"].map(shard),
            [Some((0, 1)), Some((13, 14)), None, None, None, None]
        );
    }

    #[test]
    fn shards_take_every_program_once() {
        for index in 0..30 {
            let takers = (0..4).filter(|part| {
                Settings { shard: (*part, 4), only: None, ..Settings::from_env() }.takes(index, "k0")
            });
            assert_eq!(takers.count(), 1);
        }
    }
}
