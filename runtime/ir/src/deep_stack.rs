//! A stack for work whose depth is that of the user's code.
//!
//! Work that goes down a tree comes in: recording, validating, printing and lowering. It runs on a stack of `BYTES`,
//! because a test's thread has 2 MiB, and an emitter of hundreds of arms needs more of it in a build without optimisation.
//! This module knows nothing of kernels.

use std::cell::Cell;

use corosensei::on_stack;
use corosensei::stack::DefaultStack;

/// Address space of the stack; the system gives memory to the pages that are used.
const BYTES: usize = 256 << 20;

thread_local! {
    /// The stack of this thread, while no work runs on it.
    static SPARE: Cell<Option<DefaultStack>> = const { Cell::new(None) };
    /// Whether this thread is on such a stack already.
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// Runs work on a large stack; where the system has no room for one, on that of the thread.
pub fn run<R>(work: impl FnOnce() -> R) -> R {
    if WITHIN.get() {
        return work();
    }
    let Some(mut stack) = SPARE.take().or_else(|| DefaultStack::new(BYTES).ok()) else { return work() };
    let _inside = Inside::enter();
    let result = on_stack(&mut stack, work);
    SPARE.set(Some(stack));
    result
}

/// Notes that the thread is on a large stack, until it is dropped: by a panic too.
struct Inside;

impl Inside {
    fn enter() -> Self {
        WITHIN.set(true);
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        WITHIN.set(false);
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
