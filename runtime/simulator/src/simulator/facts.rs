//! The facts that the simulator receives and passes to observers: accesses of bytes, meetings of threads, and their lines.
//!
//! This module does not know how they are simulated. A build without the simulator has these types too.

use std::any::TypeId;
use std::hash::{Hash, Hasher};

// A build without the machine has no IR beside it, and nothing that computes.
#[cfg(feature = "machine")]
use warpsmith_ir::ir::TensorFormat;

/// A place in the user's source.
#[derive(Clone, Copy, Debug, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The path as `file!()` gives it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 where only the line is known.
    pub column: u32,
}

impl PartialEq for Line {
    /// Looks at the letters of a path only where it stands at another address.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        (self.line, self.column) == (other.line, other.column)
            && (std::ptr::eq(self.file, other.file) || self.file == other.file)
    }
}

impl Hash for Line {
    /// A path need not be hashed: equality compares it.
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.line, self.column).hash(state);
    }
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

/// A thread of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Index of its block in the grid.
    pub block_idx: [u32; 3],
    /// Linear index of its block in the grid, `x` fastest.
    pub block: u64,
    /// Rank of its block in the cluster.
    pub rank: u32,
    /// Index in its block.
    pub thread_idx: [u32; 3],
    /// Linear index in its block; its warp is `linear / 32`, its lane `linear % 32`.
    pub linear: u32,
}

/// Which instruction of the program does something, and which time that it is done.
///
/// Lanes of a warp with equal instructions execute them together, as a GPU that joins diverged
/// lanes where their control flow meets does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// Where it was written.
    pub at: Line,
    /// Its number in the program, the same in all threads.
    pub site: u32,
    /// Equal for lanes of a warp that are at the same iteration of every loop and call around it, where an observer
    /// asks for [`Interests::instances`](super::Interests::instances).
    pub instance: u64,
}

/// Whose memory an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Buffers, device statics, everything that is none of the others.
    Global,
    /// The shared memory of the block of this rank in the cluster.
    Shared {
        /// Rank of the block that owns it.
        rank: u32,
    },
    /// Constant memory.
    Constant,
    /// The thread's own variables.
    Local,
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

/// One access of one thread. It is reported before it happens.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The first byte, as an address of the host.
    pub address: usize,
    /// How many bytes.
    pub bytes: u32,
    /// The alignment that the access needs, in bytes.
    pub align: u32,
    /// Whose memory it is.
    pub space: Space,
    /// Load, store or atomic.
    pub kind: AccessKind,
    /// The instruction that does it.
    pub by: Instruction,
}

/// The threads that a meeting waits for. Threads that have returned from the kernel count as arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expected {
    /// The threads of the block.
    Block,
    /// The threads of the cluster; of a cooperative launch, those of the grid.
    Cluster,
    /// These lanes of the warp, bit `i` for lane `i`.
    Lanes(u32),
    /// A number of arrivals, by any threads; those that have returned do not count.
    Count,
}

/// Something at which threads wait for each other; each use of it has its own number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Meeting {
    /// Unique in the launch.
    pub number: u64,
    /// Its name: `sync_threads`, `shuffle`, …
    pub name: &'static str,
    /// The threads that it waits for.
    pub of: Expected,
    /// Whether what was written before it is visible to all that leave it, and for whom.
    pub orders: Option<MemoryScope>,
    /// Whether the thread that is told of leaves it too, or only arrives.
    pub waits: bool,
}

/// A use of a barrier in shared memory that counts arrivals and bytes, by a thread or the copy engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MbarrierEvent {
    /// Its first byte, as an address of the host.
    pub address: usize,
    /// Rank of the block whose shared memory it is in.
    pub rank: u32,
    /// The kind of use.
    pub does: MbarrierUse,
}

/// The kind of use of a barrier that counts arrivals and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MbarrierUse {
    /// A thread makes it.
    Init,
    /// A thread ends its use.
    Inval,
    /// A thread arrives, and releases what it did to the threads of a scope.
    Arrive(Option<MemoryScope>),
    /// A thread of another block arrives: its loads are over, and nothing is released.
    ArriveAfterLoads {
        /// Whether its loads are ordered before what waiters do then.
        orders: bool,
    },
    /// A thread says how many bytes are to come.
    Expect,
    /// A thread looks, and does not find the phase complete.
    Look,
    /// A thread has found a phase complete, and acquires what the threads of a scope released in it.
    Wait(Option<MemoryScope>),
    /// The phase of this number is complete.
    Complete(u64),
}

/// For which memory a fence makes earlier accesses visible to the copy engine and the tensor cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProxyFence {
    /// Shared memory.
    Shared,
    /// Global memory.
    Global,
    /// The barriers that the thread has made, and nothing else.
    MbarrierInit,
}

/// A copy by the copy engine. It is reported before it begins.
#[derive(Clone, Copy, Debug)]
pub struct TransferEvent<'a> {
    /// Unique in the launch.
    pub number: u64,
    /// Where it moves bytes.
    pub kind: TransferKind,
    /// What it reads.
    pub reads: &'a [Access],
    /// What it writes.
    pub writes: &'a [Access],
    /// The addresses of the barriers that count its bytes; none if the thread waits for a group of copies.
    pub barriers: &'a [usize],
}

/// Where the copy engine, or the tensor cores, move bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransferKind {
    /// From global to shared memory.
    Load,
    /// The same, another block's part of one that is multicast: its bytes are read once for all blocks.
    Repeat,
    /// From shared to global memory.
    Store,
    /// From shared memory into elements of global memory, which change by it.
    Reduction,
    /// From shared memory to that of another block of the cluster.
    Send,
    /// From shared memory to the tensor cores, which multiply.
    Product,
}

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

/// The decision of a branch for one thread.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// Which way it went; of a loop, whether there is another iteration.
    pub taken: bool,
    /// The instruction that decided.
    pub by: Instruction,
}

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Operation {
    /// An addition, subtraction or comparison of floats of this many bits.
    FloatAdd(u8),
    /// A multiplication.
    FloatMul(u8),
    /// A fused multiply-add: two operations.
    FloatFma(u8),
    /// A division, root or function of floats.
    FloatSpecial(u8),
    /// Arithmetic or logic on integers and booleans.
    Integer,
    /// A conversion between types.
    Convert,
    /// A thread's part of a product by the tensor cores.
    #[cfg(feature = "machine")]
    Tensor {
        /// Multiply-adds.
        each: u16,
        /// The elements that are multiplied.
        of: TensorFormat,
    },
}

/// The value of every byte of fresh shared memory, which is visibly not zero.
pub const POISON: u8 = 0xa5;

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
