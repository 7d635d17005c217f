//! A row of a matrix in shared memory that is not where an instruction of a warp can load or store it.

use std::fmt;

use super::index::triple;

/// Bytes of a row, and the alignment that it needs.
pub(super) const ROW: u32 = 16;

/// A row of a matrix that is not where it can be loaded from or stored to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixRow {
    /// The kernel.
    pub kernel: String,
    /// The function.
    pub operation: &'static str,
    /// Rust file of the call.
    pub file: String,
    /// Line of the call, from 1.
    pub line: u32,
    /// Block of the thread.
    pub block: [u32; 3],
    /// The thread in its block.
    pub thread: [u32; 3],
    /// Whether the row begins in an array of the block's shared memory, and ends outside.
    pub begins_inside: bool,
}

impl fmt::Display for MatrixRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, operation, file, line, block, thread, begins_inside } = self;
        let (block, thread) = (triple(block), triple(thread));
        write!(
            f,
            "`{operation}` at {file}:{line}, in block {block}, thread {thread} of kernel `{kernel}`, "
        )?;
        match begins_inside {
            true => write!(f, "is given a row of {ROW} bytes that ends outside its shared array"),
            false => write!(
                f,
                "is given an address outside the block's shared memory; pass a place in a `shared!` array"
            ),
        }
    }
}
