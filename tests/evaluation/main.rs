//! The moment of evaluation: loop heads, operands, places behind patterns and references, captures.
//!
//! Each kernel is run by every executor, which must agree: the twin is rustc's own code of the same lines. As in
//! `tests/language`, it runs on a GPU too where there is one.

// Kernels are written as what they test asks, also where Rust has a shorter form.
#![allow(
    clippy::borrow_deref_ref,
    clippy::clone_on_copy,
    clippy::explicit_auto_deref,
    clippy::explicit_counter_loop,
    clippy::match_single_binding,
    clippy::mut_range_bound,
    clippy::needless_borrow,
    clippy::needless_late_init,
    clippy::needless_lifetimes,
    clippy::never_loop,
    clippy::precedence,
    clippy::redundant_closure_call,
    clippy::swap_with_temporary,
    clippy::unnecessary_fold,
    clippy::unnecessary_literal_unwrap
)]

mod capitals;
mod captures;
mod counts;
mod edges;
mod given;
mod halves;
mod indexed;
mod inferred;
mod moments;
mod nothing;
mod operands;
mod operators;
mod places;
mod statics;
mod swaps;
mod values;

use harness::agree;
