//! Hints for the compiler from the kernel's author.

use super::text::fixed;
use crate::ir::{Effect, Facts};

builtin! {
    /// Promises the compiler that a condition holds; the simulator verifies it.
    ///
    /// If the condition does not hold, the behaviour of the kernel on a GPU is undefined.
    pub fn assume(condition: bool) { cuda: fixed("__builtin_assume({0})"), effect: Effect::Writes, facts: Facts::ASSUMES } {
        assert!(condition, "`assume` of a condition that does not hold");
    }

    /// [`assume`], under the name of `core::hint::assert_unchecked`.
    pub fn assert_unchecked(condition: bool) { cuda: fixed("__builtin_assume({0})"), effect: Effect::Writes, facts: Facts::ASSUMES } {
        assert!(condition, "`assert_unchecked` of a condition that does not hold");
    }

    /// Returns the condition, and hints that it is nearly always true.
    pub fn likely(condition: bool) -> bool { cuda: fixed("(__builtin_expect({0}, 1) != 0)") } {
        condition
    }

    /// Returns the condition, and hints that it is nearly always false.
    pub fn unlikely(condition: bool) -> bool { cuda: fixed("(__builtin_expect({0}, 0) != 0)") } {
        condition
    }
}
