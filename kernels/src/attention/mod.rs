//! Attention: the values of tokens, weighted by the softmax of scores.
//!
//! [`attention`] takes all queries of sequences of the same length, [`varlen_attention`] those of sequences of any lengths, and
//! [`paged_attention`] the last of each, whose keys and values lie in pages. Scores, weights and sums are `f32`; tensor cores multiply
//! `bf16` or `f16`.

pub mod backward;
mod call;
pub mod forward;
mod heads;
pub mod pages;
mod pages_call;
mod settings;
pub mod shape;
mod softmax;
pub mod varlen;
mod varlen_call;

pub use backward::{AttentionBackward, attention_backward};
pub use call::{Attention, attention};
pub use heads::{Heads, HeadsMut, Places, heads, heads_mut, packed, packed_mut};
pub use pages_call::{PagedAttention, paged_attention};
pub use varlen_call::{VarlenAttention, varlen_attention};
