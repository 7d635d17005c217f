//! Passes: rewrites of a valid module, in a fixed order, each of which preserves its meaning.
//!
//! The recorder folds constant branches. [`elide`] leaves out the bounds checks that the kernel's text proves; [`lift`]
//! lists the conditions of a launch that would prove others. The ranges of values come from `ranges`.

mod calls;
mod closures;
mod coarsen;
mod counter;
mod elements;
mod elide;
mod exits;
mod explain;
mod explained_loops;
mod field_vars;
mod given;
mod heads;
mod invariant;
mod left;
mod lengths;
mod loops;
mod meeting;
mod narrow;
mod need;
mod orders;
mod outcomes;
mod pairs;
mod passed;
mod read_only;
mod rolled;
mod wording;

pub use explain::{Finding, explain};
pub use explained_loops::{Iterations, LoopFinding, explain_loops};

pub(crate) use lengths::no_longer;

pub use coarsen::{CoarsenRefusal, MOST_ELEMENTS, NotCoarsened};

use crate::deep_stack;
use crate::ir::CoarsenFactor;
use crate::validate::ValidModule;

/// Leaves out the bounds checks that guards, loop bounds and kinds of values prove.
pub fn elide(module: ValidModule) -> ValidModule {
    module.rewrite(elide::elide)
}

/// Says which launches prove checks, and by which conditions.
pub fn lift(module: ValidModule) -> ValidModule {
    module.rewrite(|module| {
        elide::lift(module);
        module.fits = narrow::wanted(module);
    })
}

/// Makes index arithmetic that of `int`, where the launches that fulfil these of [`Module::fits`](crate::ir::Module::fits), a
/// bit each, show that nothing overflows; the last pass.
pub fn narrow(module: &ValidModule, fulfilled: u64) -> ValidModule {
    deep_stack::run(|| module.clone().rewrite(|module| narrow::narrow(module, fulfilled)))
}

/// The slice parameters that nothing writes while the kernel runs if they overlap no slice that it has mutably, a bit for each
/// position.
pub fn read_only(module: &ValidModule) -> u64 {
    read_only::candidates(module.module())
}

/// Marks slice parameters, a bit for each position, as ones that nothing writes while the kernel runs.
pub fn mark_read_only(module: ValidModule, positions: u64) -> ValidModule {
    let positions = positions & read_only(&module);
    module.rewrite(|module| module.read_only = positions)
}

/// Makes each thread do several elements, with wide loads and stores; the last pass.
///
/// # Errors
/// Why the kernel is not elementwise, with the Rust line.
pub fn coarsen(module: &ValidModule, factor: CoarsenFactor) -> Result<ValidModule, NotCoarsened> {
    let coarsened = coarsen::coarsen(module.module(), factor)?;
    Ok(module.clone().rewrite(|module| *module = coarsened))
}

/// Makes the index arithmetic of a coarsened kernel that of `int`, under conditions that its needs then list.
pub fn narrow_coarsened(module: ValidModule) -> ValidModule {
    deep_stack::run(|| module.rewrite(narrow::narrow_coarsened))
}

/// Asks for every loop that it is not unrolled. The text shows what compilers make of loops that they leave as they are.
pub fn rolled(module: ValidModule) -> ValidModule {
    module.rewrite(rolled::rolled)
}

#[cfg(test)]
mod tests;
