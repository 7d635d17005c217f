//! Random kernels, each run as a Rust twin, by the interpreter, as printed CUDA on the host, and on a GPU, compared
//! bit for bit.
//!
//! The build script writes the kernels (see [`generate`]); [`programs`] holds them, [`inputs`] what they read,
//! [`mod@compare`] runs one of them everywhere, [`mod@report`] makes a difference small. [`failing`] and
//! [`related`] have loops that fail. A run says which of the C++ compiler, the GPU and NVRTC it did without.

pub mod compare;
pub mod failing;
pub mod generate;
pub mod inputs;
pub mod programs;
pub mod random;
pub mod related;
pub mod report;
pub mod settings;
pub mod shrink;
pub mod simplify;
pub mod support;

/// The seed that this build's kernels were written from.
pub const SEED: &str = env!("WARPSMITH_FUZZ_BUILT_SEED");
