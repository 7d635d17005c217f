//! Kernels whose threads each do the work of several.

use super::{Condition, Expr, LoopId};

/// The number of elements that a thread of a coarsened kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoarsenFactor {
    /// The number that makes the accesses of the widest elements 16 bytes.
    Widest,
    /// 2, 4, 8 or 16.
    Times(u32),
}

/// A coarsened kernel, as the printer and launches know it.
///
/// Its last parameter is the number of threads that the launch asked for, each of which does one element. The grid has that
/// number divided by the factor.
#[derive(Clone, Debug)]
pub struct Coarsened {
    /// The loops over a thread's elements, each with the number of the element from zero on.
    pub loops: Vec<(LoopId, Expr)>,
    /// The requirements on launches.
    pub needs: CoarsenNeeds,
}

/// The requirements on a launch of a coarsened kernel, besides one dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoarsenNeeds {
    /// Elements of a thread.
    pub factor: u32,
    /// The slices that are accessed several elements at once.
    pub aligned: Vec<WideArgument>,
    /// The most threads that the launch may ask for: their numbers fit the types that the kernel has them in.
    pub most_threads: u64,
    /// The threads of a block, where a number in the kernel stands for them.
    pub block: Option<u32>,
    /// The conditions under which index arithmetic fits `int`, of the grid that starts: a thread of it does several elements.
    /// The parameter after the arguments is the number of threads that the launch asked for.
    pub fits: Vec<Condition>,
}

/// A slice that is accessed several elements at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WideArgument {
    /// The argument.
    pub position: usize,
    /// The offset of the address in a value's bytes; a slice is its own.
    pub offset: usize,
    /// The alignment that the address needs.
    pub align: u32,
}
