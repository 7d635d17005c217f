//! The language, item by item: each kernel runs on the simulator, is compiled by NVRTC where that is
//! present, runs on a GPU where there is one, and is compared with the same computation on the host.

// Kernels exercise the construct that they are a test of, also where Rust has a shorter one.
#![allow(
    clippy::eq_op,
    clippy::iter_out_of_bounds,
    clippy::manual_range_contains,
    clippy::multiple_bound_locations,
    clippy::op_ref,
    clippy::or_then_unwrap,
    clippy::partialeq_to_none,
    clippy::reversed_empty_ranges,
    clippy::swap_with_temporary,
    clippy::upper_case_acronyms,
    clippy::redundant_closure,
    clippy::unnecessary_literal_unwrap,
    clippy::unnecessary_map_on_constructor,
    clippy::needless_range_loop
)]
#![allow(clippy::manual_is_multiple_of)]

mod abstraction;
mod bounds;
mod bytes;
mod closures;
mod deep;
mod emptied;
mod enums;
mod equality;
mod escape;
mod evaluation;
mod everyday;
mod failures;
mod fragments;
mod globals;
mod handles;
mod hostile_names;
mod instances;
mod iteration;
mod lent;
mod lifetimes;
mod limits;
mod macro_rules;
mod mixed_operators;
mod names;
mod operators;
mod options;
mod parameters;
mod patterns;
#[macro_use]
mod plain;
mod plain_constants;
mod plain_methods;
mod ranges;
mod reuse;
mod shadows;
mod shared_memory;
mod slices;
mod spelling;
mod static_memory;
mod tables;
mod talk;
mod turbofish;
mod units;
mod vectors;
mod views;

use evaluation::run;
use harness::{compiles, everywhere, written};
