//! What the calls of this family share: their tiles, their plans, and the checks of their arguments.

use super::kernel::{LANES, THREADS, WARPS, rounds, zero_count};
use crate::argument::{Input, Output};
use crate::call::{Plan, Step, Target, step};
use crate::error::KernelError;
use crate::scan::{Exchange, Word};

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

/// Refuses an argument of another length than `expected`, which is explained by `why`.
pub fn length(what: &'static str, len: usize, expected: usize, why: &str) -> Result<(), KernelError> {
    if len == expected {
        return Ok(());
    }
    Err(KernelError::Shape {
        what,
        expected: format!("{expected}, {why}"),
        got: format!("{len} elements"),
        way_out: "pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`",
    })
}

/// The plan of a kernel whose tiles have sums of type `W`, and `staged` bytes of shared memory for each element.
pub fn plan<T, W: Word>(kernel: &'static str, types: String, len: usize, staged: usize, why: &str) -> Plan {
    let tile = LANES * rounds(size_of::<T>());
    let grid = u32::try_from(len.div_ceil(tile)).unwrap_or(u32::MAX);
    let mut plan = Plan::nothing(types, "there are no elements");
    plan.grid = 1;
    plan.block = 32;
    plan.kernel = "zero_count";
    if len > 0 {
        plan = Plan {
            kernel,
            tile,
            grid,
            block: THREADS,
            shared: tile * staged + (WARPS + 1) * size_of::<W>() + size_of::<u32>(),
            workspace: Exchange::bytes::<W>(grid),
            why: why.to_owned(),
            ..plan
        };
    }
    plan
}

/// The launch for an empty input.
pub fn nothing<'a>(mut count: Output<'a, u64>, target: &Target) -> Result<Step<'a>, KernelError> {
    Ok(step!(target, (1, 32), zero_count(&mut count)))
}
