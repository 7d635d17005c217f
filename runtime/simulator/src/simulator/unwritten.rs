//! Unwritten memory that was read, as a fault reports it.

use std::fmt;

use warpsmith_ir::fault::{GLOBAL, SHARED};

/// Memory that holds anything until it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnwrittenMemory {
    /// The block's shared memory, when the block begins.
    Shared,
    /// Memory of `Device::alloc_uninit`, or copied from there.
    Global {
        /// The argument that it came by; unknown for what views and pointers reach.
        buffer: Option<String>,
    },
}

impl fmt::Display for UnwrittenMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared => f.write_str(SHARED),
            Self::Global { buffer: Some(name) } => write!(f, "{GLOBAL}, of `{name}`,"),
            Self::Global { buffer: None } => f.write_str(GLOBAL),
        }
    }
}
