//! The faults that checks find while a kernel runs, in the words that the simulator and a GPU share.
//!
//! The simulator fills these from its machine, the driver from the record that a kernel wrote. This module
//! depends on neither.

use std::borrow::Cow;
use std::fmt;

use crate::limits::NESTED_LAUNCHES;

/// The kind of fault.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        /// The limit that it exceeds.
        limit: u64,
    },
    /// An address that its type does not allow.
    Misaligned {
        /// Bytes from the last address that it allows.
        beyond: u64,
        /// The alignment that the access needs, in bytes.
        align: u64,
    },
    /// A read of memory that no thread has written.
    Unwritten {
        /// Whose memory it is: `shared memory`, `memory of x`.
        memory: &'a str,
        /// The size of the read, in bytes.
        bytes: u64,
        /// The first of them that is not written.
        byte: u32,
    },
    /// An assertion that does not hold, with its message.
    Assertion(&'a str),
    /// A launch by a kernel that is refused.
    Launch {
        /// The kernel that is launched.
        child: &'a str,
        /// What is wrong, with the way out.
        why: Cow<'a, str>,
    },
}

impl Failure<'_> {
    /// An index with its length, from the references that an error holds.
    pub fn index(index: &i64, len: &usize) -> Self {
        Failure::Index { index: *index, len: *len as u64 }
    }

    /// A bound with the limit that it exceeds, from the references that an error holds.
    pub fn range(bound: &i64, limit: &usize) -> Self {
        Failure::Range { bound: *bound, limit: *limit as u64 }
    }

    /// The failure of a refused launch: the kernel, and the reason.
    pub fn launch<'a>(child: &'a str, why: &'a str) -> Failure<'a> {
        Failure::Launch { child, why: Cow::Borrowed(why) }
    }

    /// A way out; the message of an assertion says it itself.
    pub fn way_out(&self) -> Option<&'static str> {
        match self {
            Failure::Index { .. } => Some("guard the access with a comparison to `.len()`"),
            Failure::Range { .. } => Some("compare the bounds with each other and with `.len()` before"),
            Failure::Misaligned { .. } => Some("begin the access at such a multiple"),
            Failure::Unwritten { memory: SHARED, .. } => Some(UNWRITTEN_SHARED),
            Failure::Unwritten { .. } => Some(UNWRITTEN_GLOBAL),
            Failure::Assertion(_) | Failure::Launch { .. } => None,
        }
    }
}

/// The memory of a block, as [`Failure::Unwritten`] names it.
pub const SHARED: &str = "shared memory";

/// The memory of a device, as [`Failure::Unwritten`] names it.
pub const GLOBAL: &str = "global memory";

const UNWRITTEN_SHARED: &str = "shared memory holds anything when a block begins: write it first, and put a barrier between \
     the write and the read";

const UNWRITTEN_GLOBAL: &str = "memory of `alloc_uninit` holds anything until it is written: write it first, by a kernel, a \
     copy or `device.write`, or allocate it by `alloc_zeroed`";

impl fmt::Display for Failure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Index { index, len } => write!(f, "index {index} is out of bounds for length {len}"),
            Failure::Range { bound, limit } => write!(f, "range bound {bound} is beyond {limit}"),
            Failure::Misaligned { beyond, align } => {
                write!(f, "an access of memory is {beyond} bytes beyond a multiple of {align}")
            }
            Failure::Unwritten { memory, bytes, byte } => {
                write!(f, "a read of {bytes} bytes of {memory} finds byte {byte} of them unwritten")
            }
            Failure::Assertion(message) => f.write_str(message),
            Failure::Launch { child, why } => write!(f, "the launch of kernel `{child}` is refused: {why}"),
        }
    }
}

/// The place of a fault: `at saxpy.rs:7, in block (0, 0, 0), thread (5, 0, 0) of kernel `saxpy``.
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
    /// A place from the references that an error holds.
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

/// The message: the fault, its place, and a way out.
pub fn told(failure: &Failure<'_>, place: &FaultPlace<'_>) -> String {
    match failure.way_out() {
        Some(way_out) => format!("{failure} {place}; {way_out}"),
        None => format!("{failure} {place}"),
    }
}

/// Why a launch by a kernel fails that is nested deeper than launches may be.
pub fn nested_too_deep() -> String {
    format!(
        "launches are nested deeper than the limit of {NESTED_LAUNCHES}; loop instead, or launch from the host"
    )
}

/// Why a launch by a kernel fails while as many wait as may; a GPU does not say how many these are.
pub fn too_many_wait(limit: Option<usize>) -> String {
    let many =
        limit.map_or_else(|| "too many launches".to_owned(), |limit| format!("more than {limit} launches"));
    format!(
        "{many} wait at once; raise the limit by `Device::set_pending_launches`, or launch fewer and larger grids"
    )
}

/// What CUDA's device runtime says of a launch that it refuses, and the way out, by the number of its error.
pub fn refused_by_device(code: u64) -> String {
    match code {
        2 => "there is no memory left for its arguments (cudaErrorMemoryAllocation)".to_owned(),
        9 => {
            "an extent is zero, or above a limit of the device or of its launch bounds (cudaErrorInvalidConfiguration)"
                .to_owned()
        }
        65 => nested_too_deep(),
        69 => too_many_wait(None),
        701 => {
            "a block needs more registers or shared memory than there is (cudaErrorLaunchOutOfResources)".to_owned()
        }
        other => format!("CUDA's error {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_says_what_and_where() {
        let place = FaultPlace::of("saxpy", "saxpy.rs", &7, &[1, 0, 0], &[5, 2, 0]);
        let fault = told(&Failure::index(&9, &8), &place);
        let said = "index 9 is out of bounds for length 8 at saxpy.rs:7, in block (1, 0, 0), thread (5, 2, 0) of kernel \
            `saxpy`; guard the access with a comparison to `.len()`";
        assert_eq!(fault, said);
        assert!(told(&Failure::Assertion("no"), &place).starts_with("no at saxpy.rs:7, "));
        let ways = [
            Failure::Unwritten { memory: SHARED, bytes: 4, byte: 0 },
            Failure::Unwritten { memory: "memory of `x`", bytes: 4, byte: 0 },
        ];
        assert_ne!(ways[0].way_out(), ways[1].way_out());
    }
}
