//! Products of elements that are multiplied only where those along `k` lie side by side: floats and integers of eight bits, and `f32`
//! as `tf32`. Tiles for elements of `c` of 32 bits, and what is refused.

use warpsmith::prelude::*;
use warpsmith::tensor::Swizzle128;

use super::super::Epilogue;
use super::super::element::{Launching, Request};
use super::super::problem::Task;
use super::super::scales::{Kind, Scales};
use super::super::tiles::{Chosen, Tile};
use super::boxes::{self, below, by_warpgroups};
use super::call::{OF_WARPS, Operand};
use super::element::Stored;
use super::warpgroups::{self, Lines};
use crate::call::Step;
use crate::error::KernelError;

/// Bytes of the rows of a part of `c` that a warpgroup stores at a time.
const OUT: usize = 128;

/// Tiles of clusters of two blocks below each other.
pub(super) const TILES: [Tile; 3] = [below(256, 1.0), below(128, 0.9), OF_WARPS[0]];

/// Those of sums that are scaled step by step.
pub(super) const OF_BLOCKS: [Tile; 2] = [TILES[0], TILES[1]];

/// Types of `c`, with the tiles of warpgroups for them.
pub trait Output: Stored {
    /// The launch of the kernel of warpgroups.
    #[doc(hidden)]
    fn step<'a, T: Operand, E: Epilogue, const UNIT: usize, const DEPTH: usize>(
        of: Launching<'a, '_, T, Self, E>,
    ) -> Result<Step<'a>, KernelError>;
}

macro_rules! outputs {
    ($($c:ty: $($step:ident)::+;)+) => {$(
        impl Output for $c {
            fn step<'a, T: Operand, E: Epilogue, const UNIT: usize, const DEPTH: usize>(
                of: Launching<'a, '_, T, Self, E>,
            ) -> Result<Step<'a>, KernelError> {
                $($step)::+::<T, Self, E, UNIT, DEPTH>(of)
            }
        }
    )+};
}

outputs! {
    bf16: boxes::step;
    f16: boxes::step;
    f32: step;
    i32: step;
}

/// The launch for elements of `c` of 32 bits.
fn step<'a, T: Operand, C: Output, E: Epilogue, const UNIT: usize, const DEPTH: usize>(
    of: Launching<'a, '_, T, C, E>,
) -> Result<Step<'a>, KernelError> {
    macro_rules! launch {
        ($cols:literal, $box:literal) => {
            by_warpgroups::<
                T,
                C,
                E,
                Lines<T>,
                Swizzle128<4>,
                UNIT,
                DEPTH,
                128,
                $cols,
                $cols,
                32,
                $box,
                { warpgroups::stages(128, $cols, OUT) },
                2,
            >(of, false)
        };
    }
    match of.plan.tile / TILES[0].rows {
        256 => launch!(256, 128),
        _ => launch!(128, 64),
    }
}

/// Blocks, threads, bytes of shared memory and of workspace.
pub(super) fn plan(chosen: &Chosen, multiprocessors: u32) -> (u32, u32, usize, usize) {
    boxes::plan_clusters(chosen, [chosen.tile.rows, 2], OUT, multiprocessors)
}

/// Refuses operands that are not multiplied, and factors that they do not have.
pub(super) fn check<T: Operand, C: Stored, E: Epilogue>(
    of: &Request<'_, '_, T, C, E>,
) -> Result<(), KernelError> {
    let (task, problem) = (&of.task, of.problem);
    if C::IS_SUM && !problem.is_plain() {
        return Err(KernelError::Shape {
            what: "c",
            expected: "elements of `f32` or `bf16`, where sums are scaled, added to or changed".to_owned(),
            got: "elements of `i32`, which are sums as they are".to_owned(),
            way_out: "leave these settings out, or pass another `c`",
        });
    }
    let name = |is_left: bool| if is_left == task.how.is_turned { "b" } else { "a" };
    match (T::IS_HALF, task) {
        (false, Task { a_beside: true, .. }) => return Err(across(name(true))),
        (false, Task { b_beside: true, .. }) => return Err(across(name(false))),
        _ => {}
    }
    match problem.scales.as_ref().map(Scales::kind) {
        Some(_) if size_of::<T>() != 1 => Err(KernelError::Shape {
            what: "scales",
            expected: "elements of eight bits".to_owned(),
            got: format!("elements of {} bits", 8 * size_of::<T>()),
            way_out: "scale all sums by `alpha`",
        }),
        Some(Kind::Blocks) if T::FLOATS.is_none() => Err(KernelError::Shape {
            what: "scales",
            expected: "floats of eight bits, for factors of blocks".to_owned(),
            got: "integers".to_owned(),
            way_out: "pass factors of lines",
        }),
        Some(Kind::Blocks) if task.how.is_turned => Err(KernelError::Shape {
            what: "c",
            expected: "rows whose elements lie side by side, for factors of blocks".to_owned(),
            got: "columns whose elements do".to_owned(),
            way_out: "pass a `c` row after row",
        }),
        _ => Ok(()),
    }
}

/// Elements along `k` do not lie side by side.
fn across(what: &'static str) -> KernelError {
    let [needed, got] = if what == "a" { ["rows", "columns"] } else { ["columns", "rows"] };
    KernelError::Shape {
        what,
        expected: format!(
            "{needed} whose elements do: tensor cores multiply only floats of 16 bits in any order"
        ),
        got: format!("{got} whose elements lie side by side"),
        way_out: "transpose it first, with `movement::transpose`, and pass the result with `.t()`",
    }
}
