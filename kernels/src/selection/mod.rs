//! Selections: the elements that meet a condition, compacted in their order.
//!
//! | function | gives |
//! |---|---|
//! | [`select`] [`select_if`] | the elements with a true flag, or those that meet a [`Predicate`] |
//! | [`partition`] [`partition_if`] | these from the front, and all others from the back |
//! | [`unique`] | the first of each run of equal elements |
//! | [`run_length_encode`] | the same, and the lengths of the runs |
//!
//! Each reads the elements once. Tiles find their place in the output with the decoupled look-back of a [scan](crate::scan). The
//! results have the same bits every time.

mod call;
mod kernel;
mod ranks;
mod run_call;
mod runs;
mod selectors;
mod tiles;

pub use call::{Select, partition, partition_if, select, select_if, unique};
pub use kernel::select_kernel;
pub use run_call::{Runs, run_length_encode};
pub use runs::{OpenRun, encode_kernel};
pub use selectors::{Distinct, Flagged, Matching, Predicate, Selector};
