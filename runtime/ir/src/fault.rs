//! What a check finds while a kernel runs, in the words that the simulator and a GPU share.
//!
//! The simulator fills these from its machine, the driver from the record that a kernel wrote. Knows neither.

use std::fmt;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure<'a> {
    /// An index at or beyond a length, both in elements.
    Index {
        /// The index.
        index: i64,
        /// The length.
        len: u64,
    },
    /// The start or the end of a range beyond the end or the length.
    Range {
        /// The bound.
        bound: i64,
        /// What it is beyond.
        limit: u64,
    },
    /// An address that its type does not allow.
    Misaligned {
        /// The address.
        address: u64,
        /// What it must be a multiple of, in bytes.
        align: u64,
    },
    /// An assertion that does not hold, with its message.
    Assertion(&'a str),
}

impl Failure<'_> {
    /// Of an index and a length, as an error has them.
    pub fn index(index: &i64, len: &usize) -> Self {
        Failure::Index { index: *index, len: *len as u64 }
    }
}

impl fmt::Display for Failure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Index { index, len } => write!(f, "index {index} is out of bounds for length {len}"),
            Failure::Range { bound, limit } => write!(f, "range bound {bound} is beyond {limit}"),
            Failure::Misaligned { address, align } => {
                write!(f, "memory at {address:#x} is not aligned to {align} bytes")
            }
            Failure::Assertion(message) => f.write_str(message),
        }
    }
}

/// Where it went wrong: `at saxpy.rs:7, in block (0, 0, 0), thread (5, 0, 0) of kernel `saxpy``.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultPlace<'a> {
    /// The kernel.
    pub kernel: &'a str,
    /// The Rust file.
    pub file: &'a str,
    /// The line, from 1.
    pub line: u32,
    /// The block.
    pub block: [u32; 3],
    /// The thread in it.
    pub thread: [u32; 3],
}

impl<'a> FaultPlace<'a> {
    /// Of the parts, as an error has them.
    pub fn of(kernel: &'a str, file: &'a str, line: &u32, block: &[u32; 3], thread: &[u32; 3]) -> Self {
        Self { kernel, file, line: *line, block: *block, thread: *thread }
    }
}

impl fmt::Display for FaultPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, file, line, block, thread } = self;
        write!(
            f,
            "at {file}:{line}, in block {}, thread {} of kernel `{kernel}`",
            triple(block),
            triple(thread)
        )
    }
}

/// An index as CUDA programmers write it, `(x, y, z)`.
pub fn triple([x, y, z]: &[u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

/// What to do about a read of memory that nobody has written.
pub fn unwritten_way_out(is_shared: bool) -> &'static str {
    match is_shared {
        true => {
            "shared memory holds anything when a block begins: write it first, and put a barrier between the write and the \
             read"
        }
        false => {
            "memory of `alloc_uninit` holds anything until it is written: write it first, by a kernel, a copy or \
             `device.write`, or allocate it by `alloc_zeroed`"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_says_what_and_where() {
        let place = FaultPlace::of("saxpy", "saxpy.rs", &7, &[1, 0, 0], &[5, 2, 0]);
        let fault = format!("{} {place}", Failure::index(&9, &8));
        let said = "index 9 is out of bounds for length 8 at saxpy.rs:7, in block (1, 0, 0), thread (5, 2, 0) of kernel `saxpy`";
        assert_eq!(fault, said);
    }
}
