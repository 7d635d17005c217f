//! Passes: rewrites of a valid module, in a fixed order, each of which keeps its meaning.
//!
//! Constant branches are folded while recording. [`elide`] leaves out the bounds checks that the kernel's text
//! proves; [`lift`] says what a launch would have to fulfil to prove others. What values never leave, `ranges` knows.

mod calls;
mod coarsen;
mod counter;
mod elide;
mod explain;
mod invariant;
mod loops;
mod need;
mod wording;

pub use explain::{Finding, explain};

pub use coarsen::{CoarsenRefusal, MOST_ELEMENTS, NotCoarsened};

use crate::ir::CoarsenFactor;
use crate::validate::ValidModule;

/// Leaves out the bounds checks that guards, loop bounds and kinds of values prove.
pub fn elide(module: ValidModule) -> ValidModule {
    module.rewrite(elide::elide)
}

/// Says which launches prove checks, and by which conditions.
pub fn lift(module: ValidModule) -> ValidModule {
    module.rewrite(elide::lift)
}

/// Makes each thread do several elements, with wide loads and stores; the last pass.
///
/// # Errors
/// Why the kernel is not elementwise, with the Rust line.
pub fn coarsen(module: &ValidModule, factor: CoarsenFactor) -> Result<ValidModule, NotCoarsened> {
    let coarsened = coarsen::coarsen(module.module(), factor)?;
    Ok(module.clone().rewrite(|module| *module = coarsened))
}

#[cfg(test)]
mod tests;
