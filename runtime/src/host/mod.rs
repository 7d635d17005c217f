//! The host's side of a device: the device itself, and its streams and events.
//!
//! Each belongs to a GPU or to the simulator. Independent of memory objects and kernels.

pub(crate) mod ahead;
pub mod device;
#[cfg_attr(not(feature = "simulator"), path = "unsimulated.rs")]
mod simulated;
pub mod stream;
