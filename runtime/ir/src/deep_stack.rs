//! A stack for work whose depth is that of the user's code.
//!
//! Work that goes down a tree comes in: recording, validating, printing and lowering. It runs on a stack of `BYTES`,
//! because a test's thread has 2 MiB, and an emitter of hundreds of arms needs more of it in a build without optimisation.
//! This module knows nothing of kernels.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::thread::{self, Builder};

/// Address space of the stack; the system gives memory to the pages that are used.
const BYTES: usize = 256 << 20;

thread_local! {
    /// Whether this thread has such a stack.
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// Runs work on a large stack, which is that of a thread of its own; where the system has no room for one, on that of this thread.
pub fn run<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    if WITHIN.get() {
        return work();
    }
    // The work is given to the thread only once there is one.
    let mut work = Some(work);
    let given = &mut work;
    let done = thread::scope(|scope| {
        let deep = move || {
            WITHIN.set(true);
            given.take().map(|work| work())
        };
        // Messages of panics name the thread.
        let name = thread::current().name().unwrap_or_default().to_owned();
        let started = Builder::new().name(name).stack_size(BYTES).spawn_scoped(scope, deep);
        started.ok().map(|thread| thread.join())
    });
    match (done, work) {
        (Some(Ok(Some(result))), _) => result,
        (Some(Err(panic)), _) => resume_unwind(panic),
        (_, Some(work)) => work(),
        (_, None) => unreachable!("a thread that took the work has a result of it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nests `depth` calls, each of which uses some memory, and counts them.
    fn down(depth: usize) -> usize {
        let room = std::hint::black_box([depth; 64]);
        if depth == 0 { 0 } else { room[0] - depth + 1 + down(depth - 1) }
    }

    #[test]
    fn deeper_than_a_thread_of_a_test() {
        assert_eq!(run(|| down(100_000)), 100_000);
        assert_eq!(run(|| run(|| down(100_000))), 100_000);
    }

    #[test]
    fn a_panic_comes_through() {
        let caught = std::panic::catch_unwind(|| run(|| panic!("deep down")));
        assert!(caught.is_err());
        assert_eq!(run(|| down(10)), 10);
    }
}
