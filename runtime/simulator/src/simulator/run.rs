//! Runs a launch, and then what its threads have launched.

use std::cell::Cell;

use super::facts::Child;
use super::machine::Machine;
use super::nested::{self, Nesting};
use super::{SimFault, SimLaunch, SimReport, current, hook, scheduler};

/// Runs a launch: `thread` is called once for each CUDA thread.
///
/// Faults unwind: in a program built with `panic = "abort"` a fault ends the process. A thread that
/// loops for ever without a barrier, warp operation or atomic is not noticed.
///
/// # Errors
/// The first fault of any thread. The calling OS thread can run further launches after it.
///
/// Launches by kernels run after the grid that launches them: in the order of the launches, each with all that it launches
/// itself, tail launches last. The report counts it.
pub fn run(launch: &SimLaunch<'_>, thread: &dyn Fn()) -> Result<SimReport, SimFault> {
    hook::install();
    let (pending, numbers) = (Cell::new(0), Cell::new(0));
    let outcome = grid(launch, thread, Nesting::outermost(&pending, &numbers));
    outcome.map_err(|fault| fault.under(launch.settings.seed))
}

/// Runs one grid and then what it launched.
fn grid(launch: &SimLaunch<'_>, thread: &dyn Fn(), nesting: Nesting<'_>) -> Result<SimReport, SimFault> {
    let machine = Machine::new(launch, thread, nesting)?;
    let Some(entered) = current::enter(&machine) else {
        return Err(SimFault::Nested { kernel: launch.kernel.to_owned() });
    };
    machine.notify(|observer| observer.on_launch(launch));
    let outcome = scheduler::run(&machine);
    drop(entered);
    outcome?;
    let mut report = machine.report();
    launch.observers.iter().try_for_each(|observer| observer.on_finish(&report))?;
    for child in nested::in_order(machine.children.take()) {
        report.add(&run_child(&child, launch, nesting)?);
    }
    Ok(report)
}

/// Runs a launch that has waited, as a grid of its own.
fn run_child(child: &Child, parent: &SimLaunch<'_>, nesting: Nesting<'_>) -> Result<SimReport, SimFault> {
    let launch = SimLaunch {
        kernel: child.kernel,
        grid: child.grid,
        block: child.block,
        cluster: [1; 3],
        dynamic_shared: child.dynamic_shared,
        // The parent's module holds the child, so it says whether either waits.
        rendezvous: parent.rendezvous,
        cooperative: false,
        registers: None,
        overlaps: false,
        settings: parent.settings.clone(),
        without: parent.without,
        prints: parent.prints,
        observers: parent.observers,
        slices: parent.slices.clone(),
    };
    parent.observers.iter().for_each(|observer| observer.on_child_begin(child.number));
    let report = grid(&launch, &child.thread, nesting.inner())?;
    nesting.end();
    parent.observers.iter().for_each(|observer| observer.on_child_end(child.number));
    Ok(report)
}
