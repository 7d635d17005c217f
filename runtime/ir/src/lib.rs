//! The IR of a kernel, from its recorded form to CUDA C++.
//!
//! An [`ir::Module`] comes in, which `warpsmith` records. [`validate`] checks it, [`passes`] remove the bounds checks that
//! range analysis proves redundant, and [`codegen`] prints it. CUDA C++ goes out, with the facts that a launch needs.
//!
//! This crate is independent of CUDA calls, GPUs, the simulator and users' Rust types: a builtin is its CUDA text and its
//! facts. It has no state, and the same module and options print the same bytes. Use it through `warpsmith`, which re-exports
//! all of it; its own API may change in any version.

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
