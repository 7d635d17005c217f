//! Passes: rewrites of a valid module, in a fixed order, each of which keeps its meaning.
//!
//! Constant branches are folded while recording. [`elide`] leaves out the bounds checks that the kernel's text
//! proves; [`lift`] says what a launch would have to fulfil to prove others. What values never leave, `ranges` knows.

mod calls;
mod counter;
mod elide;
mod explain;
mod invariant;
mod loops;
mod need;
mod wording;

pub use explain::{Finding, explain};

use crate::validate::ValidModule;

/// Leaves out the bounds checks that guards, loop bounds and kinds of values prove.
pub fn elide(module: ValidModule) -> ValidModule {
    module.rewrite(elide::elide)
}

/// Says which launches prove checks, and by which conditions.
pub fn lift(module: ValidModule) -> ValidModule {
    module.rewrite(elide::lift)
}

#[cfg(test)]
mod tests;
