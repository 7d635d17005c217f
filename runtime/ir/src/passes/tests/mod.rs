//! Tests of the passes on kernels that are written at random.

mod blocks;
mod cursors;
mod flattened;
mod idioms;
mod interpreted;
mod marks;
mod options;
mod proofs;
mod random_kernel;
mod relations;
mod rings;
mod states;
mod walks;
mod windows;
