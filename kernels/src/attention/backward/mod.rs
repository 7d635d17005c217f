//! The gradients of attention: of queries, keys and values, from those of results.

mod call;
pub mod kernel;
pub mod rows;

pub use call::{AttentionBackward, attention_backward};
