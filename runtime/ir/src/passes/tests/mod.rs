//! Tests of the passes on kernels that are written at random.

mod idioms;
mod proofs;
mod random_kernel;
mod rings;
