//! Runs kernels on the CPU: every CUDA thread for itself, with the barriers, warp
//! operations, clusters and shared memory of a GPU.
//!
//! A [`SimLaunch`] and a closure that runs one thread come in; a [`SimReport`] or a [`SimFault`]
//! goes out. A launch uses one OS thread, on which its schedule is always the same. A kernel
//! without any rendezvous runs as a plain loop; else each of its threads runs on a fiber that gives
//! way when it waits. Blocks of one cluster run at once, clusters one after the other. Knows
//! neither CUDA nor the IR, and nothing of a kernel but the closure.

mod arena;
mod barrier;
mod boxes;
mod bulk;
#[doc(hidden)]
pub mod context;
mod current;
#[doc(hidden)]
pub mod declared;
mod events;
mod facts;
mod fault;
mod fiber;
#[doc(hidden)]
pub mod global;
mod groups;
mod hook;
mod host;
mod index;
mod launch;
mod left_out;
mod machine;
mod matrix_descriptor;
mod matrix_row;
mod mbarrier;
mod meeting;
mod memory;
mod nested;
mod observer;
mod position;
mod problem;
mod product;
mod race;
mod raise;
mod refused;
mod registers;
mod rendezvous;
mod rows;
mod run;
mod scheduler;
mod seeded;
mod settings;
mod shape;
mod spins;
mod stall;
mod statics;
mod sums;
mod synchronisation;
mod tensor_sums;
mod transfer;
mod unwritten;
mod waiting;
mod warp;
mod wgmma;

#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use events::interests;
pub use facts::{
    Access, AccessKind, Branch, ChildOrder, Expected, Instruction, Line, MbarrierEvent, MbarrierUse, Meeting,
    MemoryScope, Operation, ProxyFence, Space, Thread, TransferEvent, TransferKind,
};
pub use fault::SimFault;
#[doc(hidden)]
pub use global::{GlobalMemory, NoMemory};
#[doc(hidden)]
pub use host::limit as host_limit;
#[doc(hidden)]
pub use index::triple;
pub use launch::{Prints, SimLaunch, SimReport};
pub use matrix_row::MatrixRow;
#[doc(hidden)]
pub use nested::set_pending_limit;
pub use observer::{Interests, Observer};
pub use problem::{
    Absence, BarrierProblem, BulkProblem, MaskProblem, MbarrierProblem, Misuse, RankProblem, RegisterProblem,
    WgmmaProblem,
};
#[doc(hidden)]
pub use race::memory_name;
pub use race::{DataRace, Doing, Party};
#[doc(hidden)]
pub use raise::FaultSite;
pub use refused::Refused;
pub use run::run;
pub use settings::{Executor, Sanitizers, Settings, SimChecks};
#[doc(hidden)]
pub use statics::{Statics, current as current_statics};
pub use synchronisation::{Synchronisation, SynchronisationKind, Without};
pub use tensor_sums::TensorCores;
pub use unwritten::UnwrittenMemory;
pub use waiting::{MbarrierState, Missing, PhaseStep, RegisterState, Unstarted, Waiting};
