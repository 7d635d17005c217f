//! The host's side of a device: the device itself, and its streams and events.
//!
//! Each is a GPU's or the simulator's. Knows no memory object and no kernel.

pub mod device;
#[cfg_attr(not(feature = "simulator"), path = "unsimulated.rs")]
mod simulated;
pub mod stream;
