//! Passes: rewrites of a valid module, in a fixed order, each of which keeps its meaning.
//!
//! Constant branches are folded while recording. [`elide`] leaves out the bounds checks that the kernel's text
//! proves; [`lift`] those that hold of a launch, which is asked for what that takes.

mod elide;
mod known;
mod range;

use crate::validate::ValidModule;

/// Leaves out the bounds checks that guards, loop bounds and kinds of values prove.
pub fn elide(module: ValidModule) -> ValidModule {
    module.rewrite(elide::elide)
}

/// Leaves out the checks that a launch can prove: it must fulfil the module's conditions.
pub fn lift(module: ValidModule) -> ValidModule {
    module.rewrite(elide::lift)
}

#[cfg(test)]
mod tests;
