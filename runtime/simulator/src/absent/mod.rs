//! The part of the simulator that a build without it needs: the names that device code and the memory of the host use.
//!
//! No device is a simulator then, and nothing is run on the CPU.

pub mod context;
#[path = "../simulator/facts.rs"]
mod facts;
#[doc(hidden)]
#[path = "../simulator/global.rs"]
pub mod global;
#[path = "../simulator/host.rs"]
mod host;
#[path = "../simulator/statics.rs"]
mod statics;
#[path = "../simulator/tensor_sums.rs"]
mod tensor_sums;

pub use facts::*;
#[doc(hidden)]
pub use global::{GlobalMemory, NoMemory};
#[doc(hidden)]
pub use statics::{Statics, current as current_statics};

/// The fault of a simulated launch; there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimFault {}

impl std::error::Error for SimFault {}

impl std::fmt::Display for SimFault {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

/// Does nothing: kernels that launch kernels do so on a GPU.
#[doc(hidden)]
pub fn set_pending_limit(_: usize) {}

/// The functions that report memory accesses of device bodies; no observer receives them.
#[doc(hidden)]
pub mod declared {
    /// Does nothing.
    pub fn reads<T>(_: *const T, _: usize, _: usize) {}

    /// Does nothing.
    pub fn writes<T>(_: *const T, _: usize, _: usize) {}

    /// Does nothing.
    pub fn hides<T: ?Sized>(_: *const T) {}
}
