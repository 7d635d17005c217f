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
        let Self { operation, file, line, count, block, thread } = self;
        let (block, thread) = (triple(block), triple(thread));
        match count {
            1 => write!(f, "thread {thread} of block {block} waits at `{operation}` ({file}:{line})"),
            _ => write!(
                f,
                "{count} threads of block {block}, thread {thread} among them, wait at `{operation}` ({file}:{line})"
            ),
        }
    }
}

/// What those who wait may be waiting for.
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
