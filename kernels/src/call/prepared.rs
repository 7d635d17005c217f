//! Prepared calls: their kernels are compiled, and their memory is allocated.

use super::Plan;
use crate::error::KernelError;

/// One launch of a call, with its compiled kernel, its arguments and its share of the workspace.
pub struct Step<'a>(Box<dyn FnMut() -> Result<(), KernelError> + 'a>);

impl<'a> Step<'a> {
    /// A step that a function carries out.
    pub fn new(launch: impl FnMut() -> Result<(), KernelError> + 'a) -> Self {
        Self(Box::new(launch))
    }
}

/// A call that is compiled, checked and has its workspace; it can be launched many times.
///
/// Launching allocates nothing. Launches follow each other on the call's stream.
#[must_use = "a prepared call does nothing until `.launch()`"]
pub struct Prepared<'a> {
    plan: Plan,
    steps: Vec<Step<'a>>,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(plan: Plan, steps: Vec<Step<'a>>) -> Self {
        Self { plan, steps }
    }

    /// The plan that each launch carries out.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Launches once more, with the contents that the arguments' memory has then.
    ///
    /// # Errors
    /// On the simulator a fault of a kernel; on a GPU an error of the driver, or a fault of an earlier launch.
    pub fn launch(&mut self) -> Result<(), KernelError> {
        self.steps.iter_mut().try_for_each(|Step(launch)| launch())
    }
}
