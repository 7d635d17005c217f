//! The barriers that a launch needs: it is repeated from the same memory, each time without one of them.

use std::collections::BTreeMap;

use super::Simulation;
use super::writable::{self, Writable};
use crate::argument::KernelArg;
use crate::checks::{Barrier, Barriers, Checkers, Races, Reached, Verdict};
use crate::compile::kernel::{AnyKernel, Kernel};
use crate::error::Result;
use crate::host::device::Device;
use crate::interpreter::InterpretedLaunch;
use crate::launch::Launch;
use crate::simulator::{
    self, Observer, Settings, SimChecks, SimFault, SimLaunch, SimReport, Synchronisation, Without,
};

/// Orders of blocks and warps, besides the launch's own, in which a launch runs that may tell them apart.
const SEEDS: [u64; 2] = [1, 7];

/// Iterations of loops that a thread may make in a launch that does without a barrier, and atomics that may spin.
const BUDGET: u64 = 1 << 22;

impl<K: Kernel> Launch<'_, K> {
    /// Determines which of its barriers, fences, waits and memory orderings this launch needs.
    ///
    /// The kernel is launched on the simulator's interpreter unchanged, whose results are kept, and then without each of
    /// them in turn:
    ///
    /// - first the barrier orders nothing: two accesses that only it orders are then a data race;
    /// - if there is no race, and the barrier is a whole one without a result, its call is removed: this finds other faults
    ///   and different results.
    ///
    /// If the results may depend on the order of blocks and warps, all of this is done in several orders.
    ///
    /// ```
    /// use warpsmith::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn doubled(x: &[u32], y: &mut [u32]) {
    ///     let mut tile = shared!([u32; 64]);
    ///     let t = thread_idx().x;
    ///     tile[t] = x[t];
    ///     sync_threads();
    ///     let other = tile[63 - t];
    ///     sync_threads(); // nothing is written afterwards that was read before
    ///     y[t] = 2 * other;
    /// }
    ///
    /// # fn main() -> warpsmith::Result<()> {
    /// let device = Device::simulator();
    /// let x = device.upload(&(0..64).collect::<Vec<u32>>())?;
    /// let mut y = device.upload(&[0u32; 64])?;
    /// let barriers = doubled(&x, &mut y).grid(1).block(64).barriers(&device)?;
    /// println!("{barriers}");
    /// let needed: Vec<bool> = barriers.list.iter().map(|barrier| barrier.verdict.is_needed()).collect();
    /// assert_eq!(needed, [true, false]);
    /// assert_eq!(device.download(&y)?[0], 126);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The errors of [`Launch::launch_observed`], and any fault of the unchanged launch.
    pub fn barriers(self, device: &Device) -> Result<Barriers> {
        let (simulation, launch) = (self.any().simulation(device)?, self.any());
        simulation.statics().enter(|| simulation.barriers(launch.kernel, launch.args))
    }
}

/// A launch, and its kernel as a program.
struct Trial<'t> {
    launch: SimLaunch<'t>,
    program: InterpretedLaunch,
}

/// A launch that runs again and again.
struct Trials<'t> {
    /// The launch with all of its barriers.
    whole: Trial<'t>,
    /// The same launch, which gives up sooner: without a barrier it may go on forever.
    short: Trial<'t>,
    /// The memory that it may write.
    memory: Vec<Writable>,
    /// The contents of that memory before.
    before: Vec<Vec<u8>>,
    /// The orders of the schedule in which it runs, and what each leaves; the first is its own.
    after: Vec<(u64, Vec<Vec<u8>>)>,
}

impl Simulation {
    /// The report of [`Launch::barriers`].
    pub(super) fn barriers(&self, kernel: &dyn AnyKernel, args: &[KernelArg]) -> Result<Barriers> {
        let (races, reached) = (Races::new(), Reached::default());
        let watched: [&dyn Observer; 2] = [&races, &reached];
        let launch = self.launch(kernel, args, &watched)?;
        let settings = Settings {
            step_budget: BUDGET.min(launch.settings.step_budget),
            atomic_budget: BUDGET.min(launch.settings.atomic_budget),
            ..launch.settings.clone()
        };
        let hasty = SimLaunch { settings, ..launch.clone() };
        let program = |launch: &SimLaunch<'_>| self.prepare(kernel, launch, args);
        let memory = writable::of_launch(self.module().module(), args, kernel.params());
        let mut trials = Trials {
            whole: Trial { launch: launch.clone(), program: program(&launch)? },
            short: Trial { launch: hasty.clone(), program: program(&hasty)? },
            before: saved(&memory),
            memory,
            after: Vec::new(),
        };
        let report = trials.report();
        if !launch.settings.checks.initialisation {
            self.assume_written(kernel, args);
        }
        Ok(report?)
    }
}

impl Trials<'_> {
    /// The purpose of each synchronisation; the memory is then as one launch leaves it.
    fn report(&mut self) -> std::result::Result<Barriers, SimFault> {
        let reached = self.as_written()?;
        let mut report = Barriers::new(self.whole.launch.kernel);
        for unreached in self.whole.program.synchronisations() {
            report.add(Barrier::new(unreached, 0, Verdict::NotReached));
        }
        for (which, count) in reached {
            report.add(Barrier::new(which, count, self.without(which)));
        }
        restore(&self.memory, &self.after[0].1);
        Ok(report)
    }

    /// Runs the launch as it is; how often threads came to each synchronisation in its own order.
    ///
    /// Threads that race with none, and neither use atomics nor look at the clock, cannot tell one order from
    /// another: then one is enough.
    fn as_written(&mut self) -> std::result::Result<BTreeMap<Synchronisation, u64>, SimFault> {
        let (own, reached) = (self.whole.launch.settings.seed, Reached::default());
        let report = self.run(&self.whole, own, None, &reached)?;
        self.after.push((own, saved(&self.memory)));
        for seed in SEEDS.into_iter().filter(|_| report.atomics > 0) {
            self.run(&self.whole, seed, None, &Reached::default())?;
            self.after.push((seed, saved(&self.memory)));
        }
        Ok(reached.counts())
    }

    /// The result of the launch without one of its synchronisations.
    fn without(&self, which: Synchronisation) -> Verdict {
        let mut trials = self.after.iter().map(|(seed, _)| (&self.whole, *seed, Without::Order(which)));
        let unordered = trials.find_map(|(launch, seed, without)| self.fault(launch, seed, without));
        if let Some(fault) = unordered {
            return fault.into();
        }
        if which.is_for_atomics() && self.after.len() > 1 {
            return Verdict::Unseen;
        }
        if !which.is_whole() {
            return Verdict::Redundant;
        }
        let left_out = |(seed, after): &(u64, Vec<Vec<u8>>)| {
            let fault = self.fault(&self.short, *seed, Without::Call(which));
            fault.map(Verdict::from).or_else(|| self.other_result(after).map(Verdict::OtherResult))
        };
        self.after.iter().find_map(left_out).unwrap_or(Verdict::Redundant)
    }

    fn fault(&self, trial: &Trial<'_>, seed: u64, without: Without) -> Option<SimFault> {
        self.run(trial, seed, Some(without), &Reached::default()).err()
    }

    /// Runs the launch from the memory before it, with the checks that show the purpose of a barrier.
    fn run(
        &self,
        Trial { launch, program }: &Trial<'_>,
        seed: u64,
        without: Option<Without>,
        reached: &Reached,
    ) -> std::result::Result<SimReport, SimFault> {
        restore(&self.memory, &self.before);
        let settings = Settings { seed, ..launch.settings.clone() };
        let checkers = Checkers::new(&SimChecks { races: true, ..settings.checks });
        let observers: Vec<&dyn Observer> = checkers.observers().chain([reached as &dyn Observer]).collect();
        let launch = SimLaunch { settings, without, observers: &observers, ..launch.clone() };
        simulator::run(&launch, &|| program.thread())
    }

    /// The first byte that is another one than the launch leaves in this order of its threads. Bytes that
    /// depend on the order say nothing.
    fn other_result(&self, after: &[Vec<u8>]) -> Option<String> {
        self.memory.iter().enumerate().find_map(|(i, region)| {
            let (expected, found) = (&after[i], region.saved());
            let agreed = |byte: usize| self.after.iter().all(|(_, other)| other[i][byte] == expected[byte]);
            let byte = region.difference(expected, &found, agreed)?;
            let (what, wrong, right) = (&region.what, found[byte], expected[byte]);
            Some(format!("byte {byte} of {what} is {wrong:#04x} instead of {right:#04x}"))
        })
    }
}

fn saved(memory: &[Writable]) -> Vec<Vec<u8>> {
    memory.iter().map(Writable::saved).collect()
}

fn restore(memory: &[Writable], saved: &[Vec<u8>]) {
    memory.iter().zip(saved).for_each(|(region, saved)| region.restore(saved));
}
