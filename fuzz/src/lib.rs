//! Random kernels, each run as a Rust twin on the simulator and as CUDA on a GPU, compared bit for bit.
//!
//! The build script writes the kernels (see `generate/`); [`programs`] holds them, [`inputs`] what
//! they read, [`mod@compare`] runs one of them twice, [`shrink`] makes a difference small. Without a
//! GPU the CUDA is compiled, and without NVRTC the simulator alone runs.
//! The simulator runs each kernel by its twin and by the interpreter, which must agree.

pub mod compare;
pub mod generate;
pub mod inputs;
pub mod programs;
pub mod random;
pub mod settings;
pub mod shrink;
pub mod support;

/// The seed that this build's kernels were written from.
pub const SEED: &str = env!("WARPSMITH_FUZZ_BUILT_SEED");
