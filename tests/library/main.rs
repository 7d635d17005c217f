//! What kernels use of Rust's library and of ours, method by method: options, iterators, slices, ranges, vectors and views.
//!
//! As in `tests/language`, each kernel runs on the simulator, is compiled by NVRTC where that is present, runs on a GPU where
//! there is one, and is compared with the same computation on the host.

// Kernels exercise the construct that they are a test of, also where Rust has a shorter one.
#![allow(
    clippy::iter_out_of_bounds,
    clippy::iter_skip_next,
    clippy::manual_range_contains,
    clippy::or_then_unwrap,
    clippy::partialeq_to_none,
    clippy::reversed_empty_ranges,
    clippy::redundant_closure,
    clippy::unnecessary_literal_unwrap,
    clippy::needless_range_loop
)]
#![allow(clippy::manual_is_multiple_of)]

mod behind;
mod byte_strings;
mod bytes;
mod chains;
mod emptied;
mod ends;
mod everyday;
mod iteration;
mod options;
mod orders;
mod own_parts;
mod ranges;
mod slices;
mod vectors;
mod views;

use harness::{everywhere, written};
