//! Threads that wait and cannot go on: where, and for whom.

use std::fmt;

use super::index::triple;

/// Blocks that start when those that run have ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unstarted {
    /// How many.
    pub count: u64,
    /// The one that would be next.
    pub next: [u32; 3],
}

/// The thread that a barrier misses.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// It returned from the kernel.
    Left {
        /// Its block.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
        /// How many threads have returned.
        count: u32,
    },
    /// It waits somewhere else.
    Elsewhere(Box<Waiting>),
}

/// Threads of one block that wait at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waiting {
    /// The function that waits.
    pub operation: &'static str,
    /// Rust file of the call.
    pub file: String,
    /// Line of the call, from 1.
    pub line: u32,
    /// How many threads wait there.
    pub count: u32,
    /// Their block.
    pub block: [u32; 3],
    /// One of them.
    pub thread: [u32; 3],
    /// The barrier that they wait for, if it counts arrivals and bytes.
    pub barrier: Option<MbarrierState>,
    /// The registers that they wait for, if any.
    pub registers: Option<RegisterState>,
}

/// Registers that a thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegisterState {
    /// The registers that it has.
    pub held: u32,
    /// The registers that it asks for.
    pub wanted: u32,
    /// Registers that threads of the block have given back and no thread has taken.
    pub free: u32,
}

/// The missing arrivals and bytes of a barrier that counts them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MbarrierState {
    /// Rust file where it was made.
    pub file: String,
    /// Line there, from 1.
    pub line: u32,
    /// Its place among the barriers of one `shared!`.
    pub number: usize,
    /// The phase that is not complete, from 0.
    pub phase: u64,
    /// The lower bits of the number of the phase that the thread waits for, where it is known.
    pub awaited: Option<u32>,
    /// Arrivals that it misses.
    pub pending: u32,
    /// Arrivals of a phase.
    pub count: u32,
    /// Bytes that are expected and have not come; below 0, bytes that have come and nobody expects.
    pub missing: i64,
    /// Bytes of the copies that were started for the phase.
    pub asked: u64,
    /// The last lines at which threads arrived in the phase, expected bytes of it and started copies for it.
    pub steps: Vec<PhaseStep>,
}

/// An operation of a thread for a phase of a barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PhaseStep {
    /// The function.
    pub operation: &'static str,
    /// Rust file of the call.
    pub file: String,
    /// Line of the call, from 1.
    pub line: u32,
}

impl fmt::Display for MbarrierState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, number, phase, pending, count, missing, asked, steps, .. } = self;
        write!(f, " for phase {phase} of barrier {number}, made at {file}:{line}: ")?;
        match pending {
            0 => write!(f, "all of {count} arrivals are there")?,
            _ => write!(f, "{pending} of {count} arrivals are missing")?,
        }
        match missing {
            0 => Ok(()),
            1.. => write!(f, ", and {missing} expected bytes (copies of {asked} bytes were started)"),
            _ => write!(f, ", and {} bytes have come that nobody expects", -missing),
        }?;
        steps.iter().enumerate().try_for_each(|(i, step)| {
            let separator = if i == 0 { "; last in this phase: " } else { ", " };
            write!(f, "{separator}`{}` at {}:{}", step.operation, step.file, step.line)
        })
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Left { block, thread, count: 1 } => {
                write!(f, "thread {} of block {} has returned", triple(thread), triple(block))
            }
            Self::Left { block, thread, count } => {
                write!(
                    f,
                    "{count} have returned, thread {} of block {} among them",
                    triple(thread),
                    triple(block)
                )
            }
            Self::Elsewhere(waiting) => write!(f, "{waiting}"),
        }
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, file, line, count, block, thread, barrier, registers } = self;
        let (block, thread) = (triple(block), triple(thread));
        match count {
            1 => write!(f, "thread {thread} of block {block} waits at `{operation}` ({file}:{line})"),
            _ => write!(
                f,
                "{count} threads of block {block}, thread {thread} among them, wait at `{operation}` ({file}:{line})"
            ),
        }?;
        barrier.iter().try_for_each(|barrier| write!(f, "{barrier}"))?;
        registers.iter().try_for_each(|registers| write!(f, "{registers}"))
    }
}

impl fmt::Display for RegisterState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { held, wanted, free } = self;
        write!(
            f,
            " for {wanted} registers each, of which they have {held}: {free} of those that the block's threads have given back are free"
        )
    }
}

/// The text about blocks that have not started, for which the threads may be waiting.
pub(super) fn to_start(blocks: &Option<Unstarted>) -> String {
    let Some(Unstarted { count, next }) = blocks else { return String::new() };
    let more = match count {
        1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    format!(
        "; block {}{more} have not started, as blocks run one after the other without `.cooperative()`: add it to the launch if blocks wait for each other",
        triple(next)
    )
}

pub(super) fn list(waiting: &[Waiting]) -> String {
    waiting.iter().map(Waiting::to_string).collect::<Vec<_>>().join("; ")
}
