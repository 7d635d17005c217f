//! Passes: rewrites of a valid module, in a fixed order, each of which keeps its meaning.
//!
//! Constant branches are folded while recording. Narrowing of 64-bit indices, where a pass proves
//! that they fit, belongs here.

mod elide;

use crate::validate::ValidModule;

/// Which passes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether bounds checks that a guard or a loop bound proves are left out.
    pub elide_checks: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { elide_checks: true }
    }
}

/// Runs the passes.
pub fn run(module: ValidModule, options: &Options) -> ValidModule {
    if !options.elide_checks {
        return module;
    }
    module.rewrite(|module| {
        for function in &mut module.functions {
            elide::function(function);
        }
        for kernel in &mut module.launched {
            elide::function(&mut kernel.function);
        }
        elide::function(&mut module.kernel);
    })
}

#[cfg(test)]
mod tests;
