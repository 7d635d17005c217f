//! What may be wrong with the arguments of an operation in which threads meet, in words.

use std::fmt;

use super::waiting::Waiting;

/// What is wrong with the mask of a warp operation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaskProblem {
    /// It does not name the calling lane.
    CallerMissing {
        /// The caller's lane.
        lane: u32,
    },
    /// It names a lane that has returned from the kernel.
    LaneLeft {
        /// The lane.
        lane: u32,
    },
    /// It names a lane that waits at another warp operation.
    LaneElsewhere {
        /// The lane.
        lane: u32,
        /// Where that lane waits.
        at: Box<Waiting>,
        /// The mask of that operation.
        mask: u32,
    },
}

/// Why a lane has no value to give to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Absence {
    /// It has returned from the kernel.
    Returned,
    /// The mask does not name it.
    Unnamed {
        /// The mask of the operation.
        mask: u32,
    },
    /// The block ends before it.
    Beyond {
        /// Threads of the block.
        threads: u32,
    },
}

/// What is wrong with the arguments of `map_shared_rank`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RankProblem {
    /// The cluster has no such block.
    Beyond {
        /// Blocks in the cluster.
        size: u32,
    },
    /// The pointer is not to shared memory of the cluster.
    NotShared,
}

/// What is wrong with the use of a named barrier, or of half of a cluster's barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BarrierProblem {
    /// The hardware has no such barrier for it.
    Number {
        /// The number asked for.
        number: u32,
    },
    /// No whole warps.
    Count {
        /// The threads asked for.
        threads: u32,
    },
    /// More than there are.
    Beyond {
        /// The threads asked for.
        threads: u32,
        /// Threads of the block.
        block: u32,
    },
    /// Threads that have arrived there said another number.
    Differs {
        /// The threads asked for.
        threads: u32,
        /// What the others asked for.
        others: u32,
    },
    /// The thread has arrived already, and has not waited.
    ArrivedTwice,
    /// The thread has not arrived.
    NotArrived,
}

/// What is wrong with the use of a barrier that counts arrivals and bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MbarrierProblem {
    /// It has not been made.
    NotMade,
    /// It is made again while it is in use.
    MadeTwice {
        /// Rust file where it was made first.
        file: String,
        /// Line there, from 1.
        line: u32,
    },
    /// Its use ends while threads wait.
    Awaited,
    /// No number of arrivals that hardware counts.
    Count {
        /// The arrivals asked for.
        count: u32,
    },
    /// More arrivals than the phase misses.
    Arrivals {
        /// Arrivals of this call.
        count: u32,
        /// Arrivals that the phase misses.
        pending: u32,
        /// Arrivals of a phase.
        all: u32,
        /// The phase, from 0.
        phase: u64,
    },
    /// More bytes than hardware counts.
    Bytes {
        /// Bytes that would be missing.
        missing: i64,
    },
    /// A thread waits for a phase that is not the one before the barrier's or the barrier's own: of the two that hardware
    /// can tell apart, it would take another one for it.
    Aliased {
        /// The lower bits of the number of the phase that it waits for.
        awaited: u32,
        /// The phase that is not complete.
        phase: u64,
    },
    /// Its bytes are accessed as data.
    AsData,
    /// It lies elsewhere than in shared memory.
    NotShared,
    /// It lies at no multiple of eight bytes.
    Misaligned,
}

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
    /// A box whose first column is no multiple of sixteen bytes from the matrix's first.
    Column {
        /// The bytes before it in its row.
        bytes: i64,
    },
    /// An address that is no multiple of sixteen.
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

impl fmt::Display for MbarrierProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotMade => {
                write!(
                    f,
                    "uses a barrier that is not there; one thread makes it by `init` before all meet and use it"
                )
            }
            Self::MadeTwice { file, line } => write!(
                f,
                "makes a barrier that was made at {file}:{line} and is in use; make it once, or end its use by `inval` before"
            ),
            Self::Awaited => write!(f, "ends the use of a barrier that threads wait for"),
            Self::Count { count } => write!(f, "makes a barrier of {count} arrivals; it counts 1 to 1048575"),
            Self::Arrivals { count, pending: 0, all, phase } => write!(
                f,
                "arrives {} too often in phase {phase}, at which all of {all} arrivals are there and bytes are missing; make the barrier for as many as arrive, or wait before the next arrival",
                times(*count)
            ),
            Self::Arrivals { count, pending, all, phase } => write!(
                f,
                "arrives {} in phase {phase}, which misses {pending} of {all} arrivals; make the barrier for as many as arrive",
                times(*count)
            ),
            Self::Bytes { missing } => {
                write!(f, "leaves {missing} bytes to come; a barrier counts less than 1048576 at a time")
            }
            Self::Aliased { awaited, phase } => write!(
                f,
                "waits for phase {} of a barrier that is in phase {phase}: hardware sees one bit of that and takes another phase for it; a thread waits for each phase once, in order, and the barrier must not go on by two",
                *awaited as i32
            ),
            Self::AsData => {
                write!(f, "touches the bytes of a barrier that is in use; they are nobody's data")
            }
            Self::NotShared => {
                write!(f, "takes a barrier outside of shared memory; declare it by `shared!(Barrier)`")
            }
            Self::Misaligned => write!(f, "takes a barrier at an address that is no multiple of 8"),
        }
    }
}

fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        n => format!("{n} times"),
    }
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
            Self::Column { bytes } => write!(
                f,
                "takes a box that begins {bytes} bytes from the first column; on a GPU columns of boxes begin at multiples of 16 bytes, or the launch ends with an illegal instruction: take a part of the matrix that begins there"
            ),
            Self::NotWaitedFor => write!(
                f,
                "may still read shared memory when its thread returns; call `bulk_commit()` and `bulk_wait_read::<0>()` before"
            ),
            Self::NobodyWaited { block } => write!(
                f,
                "may still write the shared memory of block {} when that has ended: no thread has waited for its barrier; wait for it before the block returns",
                super::index::triple(block)
            ),
        }
    }
}

impl fmt::Display for MaskProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CallerMissing { lane } => {
                write!(f, "does not name the calling lane {lane}; add it to the mask")
            }
            Self::LaneLeft { lane } => {
                write!(f, "names lane {lane}, which has returned; keep the lane, or take it out of the mask")
            }
            Self::LaneElsewhere { lane, at, mask } => {
                write!(
                    f,
                    "names lane {lane}, but {at} with mask {mask:#010x}; lanes of a mask must make the same call"
                )
            }
        }
    }
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returned => {
                write!(f, "which has returned; let it stay until the others have its value")
            }
            Self::Unnamed { mask } => write!(
                f,
                "which the mask {mask:#010x} does not name; name it, or pass a `width` that ends before it"
            ),
            Self::Beyond { threads } => write!(
                f,
                "which a block of {threads} threads does not have; launch whole warps, or pass a `width` that ends before it"
            ),
        }
    }
}

impl fmt::Display for RankProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Beyond { size } => {
                write!(f, "names a block beyond the cluster's {size}; ranks are below `cluster_size()`")
            }
            Self::NotShared => write!(f, "got an address outside shared memory; pass a shared array"),
        }
    }
}

impl fmt::Display for BarrierProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { number } => {
                write!(f, "names barrier {number}; use 1 to 15, since 0 is that of `sync_threads`")
            }
            Self::Count { threads } => {
                write!(
                    f,
                    "is for {threads} threads; a named barrier is for whole warps: a multiple of 32, and not 0"
                )
            }
            Self::Beyond { threads, block } => {
                write!(f, "is for {threads} threads, but the block has {block}; nobody would go on")
            }
            Self::Differs { threads, others } => write!(
                f,
                "is for {threads} threads, but others have arrived there for {others}; all must say the same number"
            ),
            Self::ArrivedTwice => {
                write!(f, "arrives again before it has waited; call `cluster_wait` between the two")
            }
            Self::NotArrived => {
                write!(f, "waits without having arrived; call `cluster_arrive` before it")
            }
        }
    }
}

/// What is wrong with a product of a warpgroup.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WgmmaProblem {
    /// The block ends within the thread's warpgroup.
    Threads {
        /// Threads of the block.
        threads: u32,
    },
    /// A thread of the warpgroup has returned.
    Returned {
        /// The thread, by its number in the warpgroup.
        thread: u32,
    },
    /// Threads of the warpgroup are at different products.
    Elsewhere {
        /// Rust file of the other one.
        file: String,
        /// Its line, from 1.
        line: u32,
        /// The thread that is there, by its number in the warpgroup.
        thread: u32,
    },
    /// Threads of the warpgroup give one product different operands.
    Differs {
        /// What differs.
        what: &'static str,
        /// The other thread, by its number in the warpgroup.
        thread: u32,
    },
    /// Nothing orders what the thread did to the registers before the product.
    NotFenced,
    /// A register was written while a product computed it.
    Written {
        /// The register's number.
        register: usize,
    },
    /// The sums are in flight with another number of columns.
    OtherShape,
    /// An operand is not in one array of the block's shared memory.
    Outside {
        /// Whether it is the left one.
        is_left: bool,
    },
    /// A place outside of shared memory is described.
    NotShared,
}

impl fmt::Display for WgmmaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Threads { threads } => write!(
                f,
                "is in a block of {threads} threads that ends within the thread's warpgroup; a warpgroup has 128 threads, and all of them make the call"
            ),
            Self::Returned { thread } => write!(
                f,
                "misses thread {thread} of its warpgroup, which has returned; all 128 threads make the call"
            ),
            Self::Elsewhere { file, line, thread } => write!(
                f,
                "is reached while thread {thread} of its warpgroup waits at {file}:{line}; all 128 threads make the same call"
            ),
            Self::Differs { what, thread } => write!(
                f,
                "differs in {what} from the call of thread {thread} of its warpgroup; all 128 threads say the same"
            ),
            Self::NotFenced => write!(
                f,
                "computes sums whose registers the thread may have touched since it last waited; call `wgmma_fence()` before"
            ),
            Self::Written { register } => write!(
                f,
                "finds register {register} of the sums written, or the sums elsewhere, though a product was computing them; leave them alone from the product to the `wgmma_wait` of its group"
            ),
            Self::OtherShape => write!(
                f,
                "computes a part of sums that another product is computing; only products of the same shape follow each other without `wgmma_wait`"
            ),
            Self::Outside { is_left } => write!(
                f,
                "reads the operand `{}` outside of a shared array; see that start, distances and swizzle of its descriptor fit the array",
                if *is_left { "a" } else { "b" }
            ),
            Self::NotShared => write!(
                f,
                "is given an address outside the block's shared memory; pass a place in a `shared!` array"
            ),
        }
    }
}
