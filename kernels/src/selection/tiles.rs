//! What the calls of this family share: the checks of their arguments, and empty inputs.

use super::kernel::zero_count;
use crate::argument::{Input, Output};
use crate::call::{Plan, Step, Target, step};
use crate::error::KernelError;
use crate::scan::tiles::length;

/// The most bytes of an element: a block keeps one for each thread in shared memory.
const MOST_BYTES: usize = 128;

/// Refuses elements that are too large, a count of another length, and one that overlaps the input.
pub fn check<T>(x: &Input<'_, T>, count: &Output<'_, u64>) -> Result<(), KernelError> {
    let size = size_of::<T>();
    if size > MOST_BYTES {
        return Err(KernelError::Shape {
            what: "x",
            expected: format!("elements of at most {MOST_BYTES} bytes"),
            got: format!("elements of {size} bytes"),
            way_out: "select their indices instead",
        });
    }
    length("count", count.len(), 1, "the result")?;
    count.apart_from("count", x, "x")
}

/// The plan for an empty input.
pub fn empty(types: String) -> Plan {
    let mut plan = Plan::nothing(types, "there are no elements");
    (plan.kernel, plan.grid, plan.block) = ("zero_count", 1, 32);
    plan
}

/// The launch for an empty input.
pub fn nothing<'a>(mut count: Output<'a, u64>, target: &Target) -> Result<Step<'a>, KernelError> {
    Ok(step!(target, (1, 32), zero_count(&mut count)))
}
