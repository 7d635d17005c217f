//! Memory of devices: buffers, parts of them, padded rows, images, statics, and the host's page-locked memory.
//!
//! Each object owns or borrows memory of one device, can be an argument of launches, and can be copied from or to
//! by [`transfers`]. Independent of kernels and launches.

pub mod args;
pub mod buffer;
mod cudarc_args;
pub mod global;
pub mod host_memory;
pub mod image;
pub mod part;
pub mod pitched;
mod pitched_rows;
pub mod region;
mod start;
pub mod static_memory;
pub mod tensor_map;
mod transfers;
pub mod volume;
