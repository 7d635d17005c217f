//! The IR of a kernel, from its recorded form to CUDA C++.
//!
//! An [`ir::Module`] comes in, which `warpsmith` records. [`validate`] makes a proof of it, [`passes`] drop the bounds checks
//! that ranges make needless, and [`codegen`] prints it. A text goes out, with the facts that a launch needs.
//!
//! This crate knows no CUDA call, no GPU, no simulator and no Rust type of a user's: a builtin is its CUDA text and its facts.
//! It has no state, and the same module and options print the same bytes. Use it through `warpsmith`, which has all of it
//! under the same paths; on its own it promises nothing between versions.

#![deny(missing_docs)]

pub mod codegen;
#[doc(hidden)]
pub mod deep_stack;
pub mod fault;
pub mod half;
pub mod ir;
pub mod limits;
pub mod passes;
mod ranges;
pub mod validate;
