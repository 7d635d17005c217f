//! The fourth set: each kernel had a check that its text or its launch proves, or other machine code than its original, when the set was
//! frozen, but for two (`rle_expand`, `huffman`), whose checks only memory can answer.

pub mod cursors;
pub mod trees;
