//! What may be wrong with a copy by the copy engine.

use std::fmt;

use crate::simulator::index::triple;

/// What is wrong with a bulk copy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BulkProblem {
    /// One of its places is in the other kind of memory.
    Memory {
        /// Whether it is the place that is written.
        written: bool,
        /// Whether it should be in shared memory.
        shared: bool,
    },
    /// The two places have different lengths.
    Lengths {
        /// Bytes of the place that is written.
        to: usize,
        /// Bytes of the place that is read.
        from: usize,
    },
    /// No multiple of sixteen bytes.
    Size {
        /// The bytes.
        bytes: usize,
    },
    /// A tile at an address where its swizzle would be another.
    MisalignedTile {
        /// Bytes past a multiple.
        beyond: usize,
        /// What it is a multiple of.
        align: usize,
    },
    /// A box whose first column is not a multiple of sixteen bytes from the tensor's first.
    Column {
        /// The bytes before it in its row.
        bytes: i64,
    },
    /// A stored box that begins before the tensor.
    Outside {
        /// The coordinates of its first element, the outermost first.
        first: Vec<i64>,
    },
    /// An address that is not a multiple of sixteen.
    Misaligned {
        /// Whether it is the place that is written.
        written: bool,
        /// The rest of the address.
        beyond: usize,
    },
    /// The thread returns while the copy may still read shared memory.
    NotWaitedFor,
    /// The block ends, and no thread has waited for the copy into its memory.
    NobodyWaited {
        /// The block.
        block: [u32; 3],
    },
}

impl fmt::Display for BulkProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |written: &bool| if *written { "writes" } else { "reads" };
        match self {
            Self::Memory { written, shared } => {
                let (is, should) = if *shared { ("global", "shared") } else { ("shared", "global") };
                write!(f, "{} {is} memory; it takes a part of {should} memory there", place(written))
            }
            Self::Lengths { to, from } => {
                write!(f, "copies {from} bytes to a place of {to}; give it two parts of the same length")
            }
            Self::Size { bytes } => write!(
                f,
                "copies {bytes} bytes; a bulk copy takes a multiple of 16: copy the rest by plain loads and stores"
            ),
            Self::Misaligned { written, beyond } => write!(
                f,
                "{} from an address that is {beyond} bytes beyond a multiple of 16; declare shared memory with `align = 16`, and let rows begin at multiples of 16 bytes",
                place(written)
            ),
            Self::MisalignedTile { beyond, align } => write!(
                f,
                "takes a tile that is {beyond} bytes beyond a multiple of {align}; declare it by `shared!(Tile<…>)` with its layout, which aligns it"
            ),
            Self::Outside { first } => write!(
                f,
                "stores a box that begins at {first:?} of the tensor; on a GPU the launch ends with an illegal instruction: only loads have coordinates below zero, stores may end behind it"
            ),
            Self::Column { bytes } => write!(
                f,
                "takes a box that begins {bytes} bytes from the first column; on a GPU columns of boxes begin at multiples of 16 bytes, or the launch ends with an illegal instruction: take a part of the tensor that begins there"
            ),
            Self::NotWaitedFor => write!(
                f,
                "may still read shared memory when its thread returns; call `bulk_commit()` and `bulk_wait_read::<0>()` before"
            ),
            Self::NobodyWaited { block } => write!(
                f,
                "may still write the shared memory of block {} when that has ended: no thread has waited for its barrier; wait for it before the block returns",
                triple(block)
            ),
        }
    }
}
