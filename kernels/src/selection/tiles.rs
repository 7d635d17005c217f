//! What the calls of this family share: the checks of their arguments, the sizes of tiles, and empty inputs.

use super::kernel::zero_count;
use super::ranks::MOST;
use crate::argument::{Input, Output, length};
use crate::call::{Plan, Step, Target, grid_of, step};
use crate::error::KernelError;
use crate::pack::PACK_BYTES;
use crate::scan::place::tiles;
use crate::scan::tiles::{LANES, THREADS, WARPS};
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

/// The elements of a thread: packs, and elements of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Elements of a pack.
    pub n: usize,
    /// Packs of a thread.
    pub rounds: usize,
}

impl Shape {
    /// The shape for elements of `size` bytes, if a thread has `bytes` bytes of small ones, and [`MOST`] elements at most.
    pub const fn of(size: usize, bytes: usize) -> Self {
        let n = match size {
            1 => 16,
            2 => 8,
            4 => 4,
            8 => 2,
            _ => 1,
        };
        let rounds = if size > PACK_BYTES { 1 } else { bytes / PACK_BYTES };
        Self { n, rounds: if rounds * n > MOST { MOST / n } else { rounds } }
    }

    /// Returns whether a thread has `rounds` packs of `n` elements.
    pub const fn is(&self, n: usize, rounds: usize) -> bool {
        self.n == n && self.rounds == rounds
    }
}

/// The step of a call's `launch` for the shape of its elements, of which a thread has at most `$bytes` bytes.
///
/// The conditions are constants: rustc compiles the kernels of one branch only.
macro_rules! step_by_shape {
    ($call:ident, $element:ty, $bytes:ident, $plan:ident, $target:ident: $($n:literal by $rounds:literal),+) => {
        $(if const { $crate::selection::tiles::Shape::of(size_of::<$element>(), $bytes).is($n, $rounds) } {
            $call.launch::<$n, $rounds>($plan, $target)?
        } else)+ {
            $call.launch::<1, 1>($plan, $target)?
        }
    };
}
pub(super) use step_by_shape;

/// A number of elements in tiles.
pub struct Tiling {
    /// The elements of a thread.
    pub shape: Shape,
    /// Elements before the first pack, if there are packs.
    pub head: Option<usize>,
    /// Number of tiles.
    pub grid: u32,
}

impl Tiling {
    /// The tiles of elements, of which a thread has at most `bytes` bytes.
    pub fn of<T>(x: &Input<'_, T>, bytes: usize) -> Self {
        let shape = Shape::of(size_of::<T>(), bytes);
        let head = x.misalignment().filter(|head| size_of::<T>() * shape.n == PACK_BYTES && *head <= x.len());
        let grid = tiles(x.len(), head.unwrap_or(0), shape.n, shape.rounds);
        Self { shape, head, grid: grid_of(grid) }
    }

    /// The plan of a kernel that keeps `staged` bytes of shared memory for each element, and whose tiles have sums of type `W`.
    pub fn plan<W: Word>(&self, kernel: &'static str, types: String, staged: usize, why: &str) -> Plan {
        let tile = LANES * self.shape.n * self.shape.rounds;
        let by = if self.head.is_some() { "in packs of 16 bytes" } else { "one by one" };
        Plan {
            kernel,
            types,
            tile,
            grid: self.grid,
            block: THREADS,
            shared: tile * staged + WARPS * size_of::<u32>() + size_of::<W>() + size_of::<u32>(),
            workspace: Exchange::bytes::<W>(self.grid),
            why: format!("one pass over the elements, {by}{why}"),
        }
    }
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
