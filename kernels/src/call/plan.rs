//! Plans of calls.

use std::fmt;

/// The most blocks of a grid. Source: CUDA Programming Guide, compute capabilities, maximum x-dimension of a grid.
pub(crate) const MOST_BLOCKS: usize = i32::MAX as usize;

/// Which kernel a call runs, on how many threads, with how much memory, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The kernel; `nothing` where no kernel has to run.
    pub kernel: &'static str,
    /// The types that the kernel is compiled for.
    pub types: String,
    /// Elements of the input that a block handles.
    pub tile: usize,
    /// Blocks in the grid.
    pub grid: u32,
    /// Threads in a block.
    pub block: u32,
    /// Shared memory of a block, in bytes.
    pub shared: usize,
    /// Device memory that the call needs beside its arguments, in bytes.
    pub workspace: usize,
    /// Why this kernel and not another.
    pub why: String,
}

impl Plan {
    /// A plan in which no kernel runs.
    pub fn nothing(types: String, why: &str) -> Self {
        let why = why.to_owned();
        Self { kernel: "nothing", types, tile: 0, grid: 0, block: 0, shared: 0, workspace: 0, why }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, types, tile, grid, block, shared, workspace, why } = self;
        write!(f, "{kernel}<{types}>: {grid} blocks of {block} threads, {tile} elements a block, ")?;
        write!(f, "{shared} bytes of shared memory, {workspace} bytes of workspace; {why}")
    }
}

/// A type's name without its path: `f32`, `Sum<bf16>`.
pub fn short_name<T: ?Sized>() -> String {
    let name = std::any::type_name::<T>();
    let mut short = String::new();
    for part in name.split_inclusive(['<', '>', ',', ' ', '[', ']', ';', '(', ')']) {
        short.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    short
}
