//! What a case is, how it runs, and what is said of it.

use warpsmith::checks::BarrierLog;
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings, SimChecks, SimFault};
use warpsmith::{Error, Result};

/// Orders of blocks and warps in which each case runs.
const SEEDS: [u64; 4] = [0, 1, 7, 1234];

/// Elements of each of the two buffers.
const LEN: usize = 4096;

/// Launches a kernel on two buffers: which mistake it makes, and the schedule's seed.
type Launcher = fn(&Device, &mut Buffer<u32>, &mut Buffer<u32>, u32, u64) -> Result<()>;

/// A kernel of the suite.
#[derive(Clone)]
pub struct Case {
    pub name: &'static str,
    /// The text of the file that it is in.
    pub source: &'static str,
    /// Values of `how` that are right.
    pub clean: &'static [u32],
    /// Values of `how` that are mistakes.
    pub racy: &'static [u32],
    /// Launches it on fresh buffers.
    pub launch: Launcher,
}

/// What came of a case.
pub struct Verdict {
    case: String,
    pub expected: bool,
    /// The lines that may be named.
    marked: Vec<u32>,
    /// What each order of the schedule ended with.
    outcomes: Vec<Result<()>>,
}

/// The cases of a file: each kernel with its grid, its block, what else the launch says, and what is expected.
macro_rules! cases {
    ($file:literal; $($name:ident($grid:expr, $block:expr $(, $method:ident($($arg:expr)?))*)
        clean [$($clean:literal)*] racy [$($racy:literal)*];)+) => {
        pub fn cases() -> Vec<crate::suite::Case> {
            vec![$(crate::suite::Case {
                name: stringify!($name),
                source: include_str!($file),
                clean: &[$($clean),*],
                racy: &[$($racy),*],
                launch: |device, x, y, how, seed| {
                    $name(x, y, how).grid($grid).block($block)$(.$method($($arg)?))*.seed(seed).launch(device)
                },
            }),+]
        }
    };
}

pub(crate) use cases;

/// Every access is told to the check for races.
fn settings() -> Settings {
    // A read that comes too early is an uninitialised one in some orders; here it is to be a race in all.
    let checks = SimChecks { initialisation: false, ..SimChecks::ALL };
    Settings {
        checks,
        executor: Executor::Interpreter,
        overflow: false,
        atomic_budget: 1 << 20,
        ..Settings::default()
    }
}

impl Case {
    /// A verdict for each value of `how`.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let clean = self.clean.iter().map(|how| self.verdict(*how, false));
        clean.chain(self.racy.iter().map(|how| self.verdict(*how, true))).collect()
    }

    fn verdict(&self, how: u32, expected: bool) -> Verdict {
        let outcomes = SEEDS.iter().map(|seed| self.observe(how, *seed)).collect();
        Verdict { case: format!("{} {how}", self.name), expected, marked: self.marked(how), outcomes }
    }

    fn observe(&self, how: u32, seed: u64) -> Result<()> {
        self.run(&Device::simulator_with(settings()), how, seed)
    }

    /// Finds out what each barrier of the right kernels is for.
    pub fn judge(&self, log: &BarrierLog) -> Result<()> {
        let device = Device::simulator_with_barrier_log(settings(), log);
        self.clean.iter().try_for_each(|how| self.run(&device, *how, 0))
    }

    fn run(&self, device: &Device, how: u32, seed: u64) -> Result<()> {
        let zeros = vec![0u32; LEN];
        let (mut x, mut y) = (device.upload(&zeros)?, device.upload(&zeros)?);
        (self.launch)(device, &mut x, &mut y, how, seed)
    }

    /// The lines of the kernel that are marked for a mistake, from 1.
    fn marked(&self, how: u32) -> Vec<u32> {
        let start = format!("fn {}(", self.name);
        let lines = self.source.lines().zip(1..);
        let launched = lines.clone().filter(|(text, _)| text.ends_with("// child"));
        let body = lines.skip_while(|(text, _)| !text.contains(&start)).take_while(|(text, _)| *text != "}");
        let marked = body.filter(|(text, _)| {
            text.split_once("// race").is_some_and(|(_, numbers)| {
                let mut numbers = numbers.split_whitespace().map(|n| n.parse::<u32>().expect("a number"));
                numbers.clone().next().is_none() || numbers.any(|n| n == how)
            })
        });
        marked.chain(launched).map(|(_, line)| line).collect()
    }
}

impl Verdict {
    /// The lines of the race of each schedule that found one.
    fn races(&self) -> impl Iterator<Item = (u32, u32)> {
        self.outcomes.iter().filter_map(|outcome| match outcome {
            Err(Error::Simulator(fault)) => match fault.found() {
                SimFault::DataRace(race) => Some(race.lines()),
                _ => None,
            },
            _ => None,
        })
    }

    pub fn is_missed(&self) -> bool {
        self.expected && self.races().count() < SEEDS.len()
    }

    pub fn is_false_alarm(&self) -> bool {
        !self.expected && self.races().next().is_some()
    }

    /// Returns whether a race was found, at lines that are not marked.
    pub fn is_elsewhere(&self) -> bool {
        let fits = |(a, b): (u32, u32)| self.marked.contains(&a) && self.marked.contains(&b);
        self.expected && !self.races().all(fits)
    }

    /// What is wrong, if anything is.
    pub fn complaint(&self) -> Option<String> {
        let Self { case, marked, outcomes, .. } = self;
        let strange = outcomes.len() != outcomes.iter().filter(|o| o.is_ok()).count() + self.races().count();
        let found = outcomes.iter().find_map(|outcome| outcome.as_ref().err().map(ToString::to_string));
        match () {
            () if strange => Some(format!("{case}: {}", found?)),
            () if self.is_missed() => {
                let lines: Vec<_> = self.races().collect();
                Some(format!("{case}: missed; found {lines:?}"))
            }
            () if self.is_false_alarm() => Some(format!("{case}: false alarm: {}", found?)),
            () if self.is_elsewhere() => Some(format!("{case}: not at {marked:?}: {}", found?)),
            () => None,
        }
    }
}
