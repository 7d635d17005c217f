//! Two accesses that nothing orders, as a fault reports them.

use std::fmt;

use super::facts::{MemoryScope, Space};
use super::index::triple;

/// Two accesses of the same bytes, one of them a store, that nothing orders and that are not atomic to each other.
///
/// Whether the two do harm depends on the schedule; that they race does not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataRace {
    /// `shared` or `global`.
    pub memory: &'static str,
    /// How many bytes the second access touches.
    pub bytes: u32,
    /// The access that the simulator made first. A GPU may make it second.
    pub first: Party,
    /// The other one.
    pub second: Party,
    /// The value of the bytes between the two: the one that the first stored or loaded. Empty if unknown.
    pub held: Vec<u8>,
    /// A way to order the two, or to make them atomic to each other.
    pub hint: String,
}

/// One of two accesses that race.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Party {
    /// The kind of access.
    pub does: Doing,
    /// The kernel.
    pub kernel: String,
    /// Rust file of the access.
    pub file: String,
    /// Line of the access, from 1.
    pub line: u32,
    /// Block of the thread.
    pub block: [u32; 3],
    /// The thread in its block.
    pub thread: [u32; 3],
}

/// The kind of one of two accesses that race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doing {
    /// A plain load.
    Read,
    /// A plain store.
    Write,
    /// A volatile load or store.
    Volatile {
        /// Whether it stores.
        writes: bool,
    },
    /// An atomic operation.
    Atomic {
        /// Whether it stores.
        writes: bool,
        /// The threads for which it is atomic.
        scope: MemoryScope,
    },
    /// The load of an asynchronous copy that has not been waited for.
    CopyRead,
    /// The store of an asynchronous copy that has not been waited for.
    CopyWrite,
    /// The load of a copy by the copy engine.
    BulkRead,
    /// The store of a copy by the copy engine.
    BulkWrite,
    /// The load of a product's operand by the tensor cores.
    ProductRead,
    /// It makes a barrier that counts arrivals and bytes.
    MakesBarrier,
    /// It uses such a barrier.
    UsesBarrier,
}

impl fmt::Display for DataRace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { memory, bytes, first, second, held, hint } = self;
        write!(
            f,
            "data race on {bytes} {} of {memory} memory: ",
            if *bytes == 1 { "byte" } else { "bytes" }
        )?;
        write!(f, "{first}, {second}, and nothing orders the two")?;
        if let Some(value) = value(held) {
            write!(f, "; in between they held {value}")?;
        }
        write!(f, "; {hint}")
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { does, kernel, file, line, block, thread } = self;
        let (block, thread) = (triple(block), triple(thread));
        write!(f, "thread {thread} of block {block} of kernel `{kernel}` {does} at {file}:{line}")
    }
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doing::Read => write!(f, "reads"),
            Doing::Write => write!(f, "writes"),
            Doing::Volatile { writes: false } => write!(f, "reads (volatile)"),
            Doing::Volatile { writes: true } => write!(f, "writes (volatile)"),
            Doing::Atomic { writes: false, scope } => write!(f, "reads (atomic, {})", scope_name(*scope)),
            Doing::Atomic { writes: true, scope } => write!(f, "writes (atomic, {})", scope_name(*scope)),
            Doing::CopyRead => write!(f, "reads (asynchronous copy)"),
            Doing::CopyWrite => write!(f, "writes (asynchronous copy)"),
            Doing::BulkRead => write!(f, "reads (bulk copy)"),
            Doing::BulkWrite => write!(f, "writes (bulk copy)"),
            Doing::ProductRead => write!(f, "reads (tensor cores)"),
            Doing::MakesBarrier => write!(f, "makes a barrier"),
            Doing::UsesBarrier => write!(f, "uses it"),
        }
    }
}

impl DataRace {
    /// Whether the order of the two matters less than that they are the same: the lines, the smaller first.
    pub fn lines(&self) -> (u32, u32) {
        let (a, b) = (self.first.line, self.second.line);
        (a.min(b), a.max(b))
    }
}

impl Doing {
    /// Whether it is atomic or volatile.
    #[doc(hidden)]
    pub fn is_strong(self) -> bool {
        matches!(self, Doing::Volatile { .. } | Doing::Atomic { .. })
    }

    /// Whether the copy engine or the tensor cores access the memory.
    #[doc(hidden)]
    pub fn is_bulk(self) -> bool {
        matches!(self, Doing::BulkRead | Doing::BulkWrite | Doing::ProductRead)
    }

    /// Whether it is of a copy.
    #[doc(hidden)]
    pub fn is_copy(self) -> bool {
        matches!(self, Doing::CopyRead | Doing::CopyWrite)
    }
}

/// A scope as the documentation calls it.
#[doc(hidden)]
pub fn scope_name(scope: MemoryScope) -> &'static str {
    match scope {
        MemoryScope::Block => "block scope",
        MemoryScope::Cluster => "cluster scope",
        MemoryScope::Device => "device scope",
        MemoryScope::System => "system scope",
    }
}

/// A memory as the documentation calls it.
#[doc(hidden)]
pub fn memory_name(space: Space) -> &'static str {
    match space {
        Space::Global => "global",
        Space::Shared { .. } => "shared",
        Space::Constant => "constant",
        Space::Local => "local",
    }
}

/// Bytes as a number, and as the float that they might be.
fn value(bytes: &[u8]) -> Option<String> {
    match *bytes {
        [] => None,
        [a, b, c, d] => {
            let word = u32::from_le_bytes([a, b, c, d]);
            Some(format!("{word:#010x} ({word} as u32, {:?} as f32)", f32::from_bits(word)))
        }
        [a, b, c, d, e, f, g, h] => {
            let word = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
            Some(format!("{word:#018x} ({word} as u64, {:?} as f64)", f64::from_bits(word)))
        }
        ref other => {
            let digits: String = other.iter().rev().map(|byte| format!("{byte:02x}")).collect();
            Some(format!("0x{digits}"))
        }
    }
}
