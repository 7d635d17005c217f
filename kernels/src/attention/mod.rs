//! Attention: the values of tokens, weighted by the softmax of scores.
//!
//! [`attention`] takes all queries of sequences, and [`paged_attention`] the last of each, whose keys and values lie in pages. Scores,
//! weights and sums are `f32`; tensor cores multiply `bf16` or `f16`.

mod call;
pub mod forward;
mod heads;
pub mod pages;
mod pages_call;
pub mod shape;
mod softmax;

pub use call::{Attention, attention};
pub use heads::{Heads, HeadsMut, Places, heads, heads_mut};
pub use pages_call::{PagedAttention, paged_attention};
