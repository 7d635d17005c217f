//! The language, item by item: each kernel runs on the simulator, is compiled by NVRTC where that is
//! present, runs on a GPU where there is one, and is compared with the same computation on the host.

// Kernels exercise the construct that they are a test of, also where Rust has a shorter one.
#![allow(
    clippy::eq_op,
    clippy::implicit_saturating_sub,
    clippy::multiple_bound_locations,
    clippy::op_ref,
    clippy::or_then_unwrap,
    clippy::partialeq_to_none,
    clippy::swap_with_temporary,
    clippy::upper_case_acronyms,
    clippy::redundant_closure,
    clippy::unnecessary_map_on_constructor,
    clippy::needless_late_init,
    clippy::needless_range_loop
)]
#![allow(clippy::manual_is_multiple_of)]

mod abstraction;
mod arrays_as_slices;
mod bounds;
mod butterflies;
mod closures;
mod const_blocks;
mod deep;
mod enums;
mod equality;
mod escape;
mod failures;
mod flattened;
mod fragments;
mod generic_numbers;
mod globals;
mod handles;
mod hostile_names;
mod hygiene;
mod inferred;
mod instances;
mod lent;
mod lent_results;
mod lifetimes;
mod limits;
mod macro_rules;
mod messages;
mod mixed_operators;
mod names;
mod operators;
mod own_names;
mod parameters;
mod patterns;
#[macro_use]
mod plain;
mod plain_blocks;
mod plain_bytes;
mod plain_conditions;
mod plain_constants;
mod plain_cursors;
mod plain_derived;
mod plain_flat;
mod plain_found;
mod plain_gotten;
mod plain_indices;
mod plain_items;
mod plain_iterators;
mod plain_left;
mod plain_library;
mod plain_loaded;
mod plain_merged;
mod plain_methods;
mod plain_nested;
mod plain_ordered;
mod plain_orders;
mod plain_parts;
mod plain_paths;
mod plain_ranges;
mod plain_read;
mod plain_reversed;
mod plain_slices;
mod plain_stacks;
mod plain_structs;
mod plain_taken;
mod plain_text;
mod plain_tried;
mod plain_wrapping;
mod proven;
mod rest_patterns;
mod reuse;
mod shadows;
mod shared_as_arrays;
mod shared_memory;
mod slice_patterns;
mod spelling;
mod static_memory;
mod tables;
mod talk;
mod turbofish;
mod units;

use harness::{compiles, everywhere, written};
