//! What a device function does with the variances that a call gives it.
//!
//! Every rule of the analysis takes the greatest of some variances. What several arguments do together is
//! therefore the most of what each does alone: a function is summarised by one walk for each parameter, and what
//! is checked for two calls holds for a call that varies as either does. Knows no barrier.

use super::{Analysis, Control, Variance};
use crate::ir::{Function, Module};

/// How the result of a device function varies.
pub(super) struct Summary {
    /// With arguments that do not.
    own: Variance,
    /// For each parameter, whether the result varies as its argument does.
    carries: Vec<bool>,
}

impl Summary {
    /// Variance of the result of a call.
    pub fn result(&self, args: impl Iterator<Item = Variance>) -> Variance {
        let carried = self.carries.iter().zip(args).filter(|(carries, _)| **carries);
        carried.map(|(_, variance)| variance).fold(self.own, Variance::max)
    }
}

/// The summaries of a module's device functions, each of which comes after those that it calls.
pub(super) fn of(module: &Module) -> Vec<Summary> {
    let mut summaries = Vec::new();
    for function in &module.functions {
        let summary = summarise(module, function, &summaries);
        summaries.push(summary);
    }
    summaries
}

fn summarise(module: &Module, function: &Function, before: &[Summary]) -> Summary {
    let params = function.params.len();
    // What a body in CUDA does is unknown; it can be as varied as what it is given.
    if function.foreign.is_some() {
        return Summary { own: Variance::Uniform, carries: vec![true; params] };
    }
    let mut args = vec![Variance::Uniform; params];
    let own = result(module, function, before, &args);
    let mut carries = vec![false; params];
    for param in 0..params {
        args[param] = Variance::PerThread;
        carries[param] = own < Variance::PerThread && result(module, function, before, &args) > own;
        args[param] = Variance::Uniform;
    }
    Summary { own, carries }
}

fn result(module: &Module, function: &Function, before: &[Summary], args: &[Variance]) -> Variance {
    let settled = Analysis::new(module, before).settled(function, args, &Control::default());
    settled.map_or(Variance::PerThread, |frame| frame.result)
}

/// What a call gives the function that it calls.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub args: Vec<Variance>,
    /// Of the branches around the call.
    pub control: Variance,
    /// Whether lanes of one warp certainly part before it.
    pub parts: bool,
}

impl Context {
    /// Whether another call varies by no more, in any respect.
    pub fn covers(&self, other: &Context) -> bool {
        let args = self.args.iter().zip(&other.args).all(|(most, arg)| most >= arg);
        args && self.control >= other.control && self.parts >= other.parts
    }

    /// Varies as much as another call does too.
    pub fn join(&mut self, other: &Context) {
        self.args.iter_mut().zip(&other.args).for_each(|(most, arg)| *most = (*most).max(*arg));
        self.control = self.control.max(other.control);
        self.parts |= other.parts;
    }
}
