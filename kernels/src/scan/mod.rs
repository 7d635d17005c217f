//! Scans (prefix sums): each element becomes the reduction of all elements up to it, [`inclusive_scan`], or before it,
//! [`exclusive_scan`].
//!
//! A scan takes a [`Reduction`](crate::reduction::Reduction) whose partial results are [`Word`]s: numbers, and other values of up to
//! 16 bytes. Its `join` need not be commutative. The elements are read and written once (D. Merrill and M. Garland, *Single-pass Parallel
//! Prefix Scan with Decoupled Look-back*, 2016). [`inclusive_scan_by_key`] and [`exclusive_scan_by_key`] restart at each run of equal
//! keys.
//!
//! Integer scans give the same bits every time. In float scans, the last bits may differ from launch to launch: a tile combines the tiles
//! before it in groups that depend on which of them are ready.

mod by_key;
mod by_key_call;
mod call;
mod exchange;
mod kernel;
mod look_back;
pub(crate) mod place;
pub(crate) mod tiles;
mod word;

pub use by_key::{Segment, Segments, scan_by_key_kernel};
pub use by_key_call::{ScanByKey, exclusive_scan_by_key, inclusive_scan_by_key};
pub use call::{Scan, exclusive_scan, exclusive_scan_in_place, inclusive_scan, inclusive_scan_in_place};
pub(crate) use exchange::Exchange;
pub use kernel::{Tiles, scan_kernel};
pub(crate) use look_back::{announce, before_tile, before_warp, take_tile, warp_inclusive};
pub use word::{MOST_HALVES, Word};
