//! The cases of the suite: their definition, their runs, and the verdicts.

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
    /// Values of `how` that race.
    pub racy: &'static [u32],
    /// Values of `how` that end with another fault, in every order, and words of its report.
    pub faults: &'static [(u32, &'static str)],
    /// Launches it on fresh buffers.
    pub launch: Launcher,
}

/// The expected verdict on a case.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    Clean,
    Race,
    /// A fault whose report contains these words. Without words, a race may be reported before it.
    Fault(&'static str),
}

/// The outcome of a case.
pub struct Verdict {
    case: String,
    pub expected: Expected,
    /// The lines that may be named.
    marked: Vec<u32>,
    /// The end of each order of the schedule.
    outcomes: Vec<Result<()>>,
}

/// The cases of a file: each kernel with its grid, its block, what else the launch says, its arguments if they are not the two
/// buffers, and what is expected.
macro_rules! cases {
    ($file:literal; $($name:ident($grid:expr, $block:expr $(, $method:ident($($arg:expr)?))*)
        $(by |$x:ident, $y:ident| ($($of:expr),+))?
        clean [$($clean:literal)*] racy [$($racy:literal)*] $(faults [$($fault:literal: $words:literal),+])?;)+) => {
        pub fn cases() -> Vec<crate::suite::Case> {
            vec![$(crate::suite::Case {
                name: stringify!($name),
                source: include_str!($file),
                clean: &[$($clean),*],
                racy: &[$($racy),*],
                faults: &[$($(($fault, $words)),+)?],
                launch: cases!(@launch $name($grid, $block $(, $method($($arg)?))*) $(by |$x, $y| ($($of),+))?),
            }),+]
        }
    };
    (@launch $name:ident($grid:expr, $block:expr $(, $method:ident($($arg:expr)?))*)) => {
        |device, x, y, how, seed| {
            $name(x, y, how).grid($grid).block($block)$(.$method($($arg)?))*.seed(seed).launch(device)
        }
    };
    (@launch $name:ident($grid:expr, $block:expr $(, $method:ident($($arg:expr)?))*)
        by |$x:ident, $y:ident| ($($of:expr),+)) => {
        |device, $x, $y, how, seed| {
            $name($($of),+, how).grid($grid).block($block)$(.$method($($arg)?))*.seed(seed).launch(device)
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
        let clean = self.clean.iter().map(|how| self.verdict(*how, Expected::Clean));
        let racy = self.racy.iter().map(|how| self.verdict(*how, Expected::Race));
        let faults = self.faults.iter().map(|(how, words)| self.verdict(*how, Expected::Fault(words)));
        clean.chain(racy).chain(faults).collect()
    }

    fn verdict(&self, how: u32, expected: Expected) -> Verdict {
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

    /// The reports of the schedules that ended with a fault.
    fn reports(&self) -> impl Iterator<Item = String> {
        self.outcomes.iter().filter_map(|outcome| outcome.as_ref().err().map(ToString::to_string))
    }

    pub fn is_mistake(&self) -> bool {
        self.expected != Expected::Clean
    }

    pub fn is_missed(&self) -> bool {
        match self.expected {
            Expected::Clean => false,
            Expected::Race => self.races().count() < SEEDS.len(),
            Expected::Fault(words) => {
                self.reports().filter(|report| report.contains(words)).count() < SEEDS.len()
            }
        }
    }

    pub fn is_false_alarm(&self) -> bool {
        self.expected == Expected::Clean && self.reports().next().is_some()
    }

    /// Returns whether a race was found, at lines that are not marked.
    pub fn is_elsewhere(&self) -> bool {
        let fits = |(a, b): (u32, u32)| self.marked.contains(&a) && self.marked.contains(&b);
        self.expected == Expected::Race && !self.races().all(fits)
    }

    /// The mistake in the outcome, if any.
    pub fn complaint(&self) -> Option<String> {
        let Self { case, marked, .. } = self;
        let found = || self.reports().next().unwrap_or_else(|| "nothing".to_owned());
        match () {
            () if self.is_missed() => {
                Some(format!("{case}: missed; found {:?} {}", self.races().collect::<Vec<_>>(), found()))
            }
            () if self.is_false_alarm() => Some(format!("{case}: false alarm: {}", found())),
            () if self.is_elsewhere() => Some(format!("{case}: not at {marked:?}: {}", found())),
            () => None,
        }
    }
}
