//! The sixth set: kernels of language models, scenes, texts and searches, ported by somebody who had only read the book, after the five
//! others had been looked at. Half of them are written as a Rust programmer would: with iterators, options, matches, methods and
//! closures.

pub mod models;
pub mod networks;
pub mod scenes;
pub mod searches;
pub mod texts;
