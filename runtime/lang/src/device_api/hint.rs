//! Hints that tell the compiler what the kernel's author knows.

use super::text::fixed;
use crate::ir::{Effect, Facts};

builtin! {
    /// Tells the compiler that a condition holds; the simulator checks it.
    ///
    /// On a GPU a condition that does not hold makes the rest of the kernel undefined.
    pub fn assume(condition: bool) { cuda: fixed("__builtin_assume({0})"), effect: Effect::Writes, facts: Facts::ASSUMES } {
        assert!(condition, "`assume` of a condition that does not hold");
    }

    /// [`assume`], by the name of `core::hint::assert_unchecked`.
    pub fn assert_unchecked(condition: bool) { cuda: fixed("__builtin_assume({0})"), effect: Effect::Writes, facts: Facts::ASSUMES } {
        assert!(condition, "`assert_unchecked` of a condition that does not hold");
    }

    /// The condition, which is nearly always true.
    pub fn likely(condition: bool) -> bool { cuda: fixed("(__builtin_expect({0}, 1) != 0)") } {
        condition
    }

    /// The condition, which is nearly always false.
    pub fn unlikely(condition: bool) -> bool { cuda: fixed("(__builtin_expect({0}, 0) != 0)") } {
        condition
    }
}
