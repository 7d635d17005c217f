//! What device code and the host say to the simulator: lines, ways of access, shared arrays, launches by kernels.
//!
//! Knows nothing of how any of it is simulated; a build without the simulator has these words too.

use std::any::TypeId;

/// A place in the user's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Line {
    /// The path as `file!()` gives it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 where only the line is known.
    pub column: u32,
}

impl Line {
    /// Where the function was called that calls this.
    #[track_caller]
    pub fn caller() -> Self {
        let at = std::panic::Location::caller();
        Self { file: at.file(), line: at.line(), column: at.column() }
    }
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The threads for which an atomic operation or a fence counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryScope {
    /// Those of the block.
    Block,
    /// Those of the cluster.
    Cluster,
    /// Those of the device.
    Device,
    /// Those of all devices, and the host.
    System,
}

/// How an access reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// A plain load.
    Read,
    /// A plain store.
    Write,
    /// Relaxed and of system scope, by `volatile`.
    Volatile {
        /// Whether it stores.
        writes: bool,
    },
    /// An atomic operation.
    Atomic {
        /// Whether it loads.
        reads: bool,
        /// Whether it stores.
        writes: bool,
        /// Its ordering.
        order: std::sync::atomic::Ordering,
        /// Its scope.
        scope: MemoryScope,
    },
}

impl AccessKind {
    /// Whether it loads.
    pub fn reads(self) -> bool {
        match self {
            AccessKind::Read => true,
            AccessKind::Write => false,
            AccessKind::Volatile { writes } => !writes,
            AccessKind::Atomic { reads, .. } => reads,
        }
    }

    /// Whether it stores.
    pub fn writes(self) -> bool {
        match self {
            AccessKind::Read => false,
            AccessKind::Write => true,
            AccessKind::Volatile { writes } | AccessKind::Atomic { writes, .. } => writes,
        }
    }
}

/// Which array of a block's shared memory is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedSite {
    /// The line of the `shared!`.
    pub line: u32,
    /// Its column, or another number that tells it apart in its file.
    pub column: u32,
    /// The instance of the function around it, if that has several.
    pub instance: Option<TypeId>,
    /// The file.
    pub file: &'static str,
}

/// What fresh shared memory holds in every byte: visibly not zero.
pub const POISON: u8 = 0xa5;

/// When a grid that a kernel launches may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChildOrder {
    /// After the earlier launches of the same block.
    Block,
    /// After the whole grid that launches it, and all else that this has launched.
    Tail,
    /// At any time from its launch on.
    Free,
}

/// A launch that waits for the end of its parent.
#[doc(hidden)]
pub struct Child {
    pub kernel: &'static str,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: usize,
    /// When it may run.
    pub order: ChildOrder,
    /// Its number for observers; the machine gives it.
    pub number: u64,
    /// Runs one of its threads.
    pub thread: Box<dyn Fn()>,
}
