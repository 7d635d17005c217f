//! Mistakes in the use of a barrier that counts arrivals and bytes.

use std::fmt;

/// A mistake in the use of a barrier that counts arrivals and bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MbarrierProblem {
    /// It has not been initialised.
    NotMade,
    /// It is initialised again while it is in use.
    MadeTwice {
        /// The Rust file where it was initialised first.
        file: String,
        /// Line there, from 1.
        line: u32,
    },
    /// Its use ends while threads wait.
    Awaited,
    /// A number of arrivals that hardware cannot count.
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
    /// More bytes than hardware can count.
    Bytes {
        /// Bytes that would be missing.
        missing: i64,
    },
    /// A thread waits for a phase that is neither the barrier's current one nor the one before. Hardware tells only these
    /// two apart, and would take one of them for it.
    Aliased {
        /// The lower bits of the number of the phase that it waits for.
        awaited: u32,
        /// The phase that is not complete.
        phase: u64,
    },
    /// Its bytes are accessed as data.
    AsData,
    /// It is not in shared memory.
    NotShared,
    /// Its address is not a multiple of eight bytes.
    Misaligned,
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
