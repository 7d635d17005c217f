//! Threads that go on and on: a note on the terminal after many iterations of loops, and the end of the launch at the budget.

use std::sync::Mutex;

use super::execute::RunningThread;
use super::program::Site;
use crate::simulator::{Line, SimFault, context, triple};

/// Iterations of a thread after which the note is printed: some seconds of an optimised build.
const MANY: u64 = 1 << 28;

/// The iterations that a thread may make before [`RunningThread::pause`] is called.
pub(super) fn first_stop(budget: u64) -> u64 {
    budget.min(MANY)
}

impl RunningThread<'_> {
    /// The thread has made all iterations up to a stop: the note's, or the last one. Returns how many it may still make.
    #[cold]
    pub(super) fn pause(&mut self, site: Site) -> u64 {
        let (budget, at) = (self.rules.steps, self.program.sites[site as usize]);
        if budget > MANY && !std::mem::replace(&mut self.noted, true) {
            note(at, budget);
            return budget - MANY;
        }
        context::fault_at(at, |at| SimFault::Endless {
            kernel: at.kernel,
            steps: budget,
            file: at.file,
            line: at.line,
            block: at.block,
            thread: at.thread,
        })
    }
}

/// Prints which loop is still running, once for each loop after another.
fn note(at: Line, budget: u64) {
    static LAST: Mutex<Option<(&'static str, u32)>> = Mutex::new(None);
    let Ok(mut last) = LAST.lock() else { return };
    if last.replace((at.file, at.line)) != Some((at.file, at.line)) {
        let place = context::fault_place(at);
        eprintln!(
            "warpsmith: thread {} of block {} of kernel `{}` has run {MANY} loop iterations; the loop at {}:{} is still running, and the \
             launch ends with an error at {budget} (`step_budget`)",
            triple(&place.thread),
            triple(&place.block),
            place.kernel,
            place.file,
            place.line
        );
    }
}
