//! Indices of blocks and threads in messages.

#[doc(hidden)]
pub use warpsmith_ir::fault::triple;
