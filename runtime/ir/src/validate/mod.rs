//! Turns a recorded [`Module`] into a [`ValidModule`], or says what is wrong with it.
//!
//! Checks: that arrays have elements; the total size of static shared memory; what a kernel passes to a kernel that it launches; that
//! no operand observes the effect of another; that what is asked for its length has one; that numbers have the types of the
//! parameters that they are given to; barriers in control flow that depends on the thread; full-mask warp
//! operations where lanes of a warp provably part; registers that contradict the roles of warpgroups. Warns of a `return` that depends on the thread before a barrier.
//! Independent of CUDA text.

mod arguments;
mod empty;
mod error;
mod lanes;
mod launches;
mod lengths;
mod order;
mod roles;
mod shared;
mod spins;
mod uniformity;

pub use error::{ValidateError, Warning};

use crate::ir::{Effect, ExprKind, Form, Module, visit};

/// A module that passed every check.
#[derive(Clone, Debug)]
pub struct ValidModule {
    module: Module,
    warnings: Vec<Warning>,
}

/// Checks a module.
///
/// # Errors
/// The first mistake, with its Rust line.
pub fn validate(module: Module) -> Result<ValidModule, ValidateError> {
    empty::check(&module)?;
    shared::check(&module)?;
    launches::check(&module)?;
    order::check(&module)?;
    lengths::check(&module)?;
    arguments::check(&module)?;
    roles::check(&module)?;
    let warnings = uniformity::check(&module)?;
    Ok(ValidModule { module, warnings })
}

impl ValidModule {
    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The warnings for the author.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns whether a thread can wait for another: the simulator then needs fibers.
    pub fn uses_rendezvous(&self) -> bool {
        let mut found = false;
        for function in self.module.all_functions() {
            visit::exprs(&function.body, &mut |e| {
                if let ExprKind::Builtin { op, .. } = &e.kind {
                    found |= matches!(op.effect, Effect::Sync(_)) || op.facts.rendezvous;
                    found |= op.facts.form == Form::OtherBlock;
                }
            });
        }
        found || spins::any(&self.module)
    }

    /// Rewrites the module by a pass, which keeps it valid.
    #[doc(hidden)]
    pub fn rewrite(mut self, pass: impl FnOnce(&mut Module)) -> Self {
        pass(&mut self.module);
        self
    }
}
