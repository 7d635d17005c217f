//! The machine that an OS thread runs.

use std::cell::Cell;
use std::ptr;

use super::machine::Machine;
use crate::on_host;

thread_local! {
    /// The machine that this OS thread runs, or null.
    static CURRENT: Cell<*const Machine<'static>> = const { Cell::new(ptr::null()) };
}

/// While it lives, this OS thread runs the machine it was made for.
pub(super) struct Entered;

/// Makes `machine` the one that this OS thread runs, unless it runs one already.
pub(super) fn enter(machine: &Machine<'_>) -> Option<Entered> {
    if !CURRENT.get().is_null() {
        return None;
    }
    CURRENT.set(ptr::from_ref(machine).cast());
    Some(Entered)
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(ptr::null());
    }
}

/// Calls `f` with the machine that this OS thread runs; `false` if it runs none.
#[inline]
pub(super) fn with_current(f: impl FnOnce(&Machine<'_>)) -> bool {
    let machine = CURRENT.get();
    if machine.is_null() {
        return false;
    }
    // SAFETY: not null, so an `Entered` lives, and it lives no longer than its machine.
    f(unsafe { &*machine });
    true
}

/// The machine that this OS thread runs; `caller` is named if it runs none.
#[inline]
#[track_caller]
pub(super) fn current<'a>(caller: &str) -> &'a Machine<'a> {
    let machine = CURRENT.get();
    if machine.is_null() {
        on_host::no_thread(caller);
    }
    // SAFETY: not null, so an `Entered` lives, and it lives no longer than its machine. Callers in
    // this folder drop the reference before they return to the kernel.
    unsafe { &*machine }
}
