//! Scans: each element becomes the reduction of all up to it, [`inclusive_scan`], or of all before it, [`exclusive_scan`].
//!
//! A scan takes a [`Reduction`](crate::reduction::Reduction) whose partial results are [`Word`]s: numbers of up to eight bytes. The
//! elements are read and written once (D. Merrill and M. Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back*, 2016).
//!
//! Scans of integers give the same bits every time. The last bits of those of floats may differ from launch to launch: a tile joins
//! the tiles before it in groups that depend on which of them are ready.

mod call;
mod kernel;
mod look_back;
mod word;

pub use call::{Scan, exclusive_scan, exclusive_scan_in_place, inclusive_scan, inclusive_scan_in_place};
pub use kernel::{Tiles, scan_kernel};
pub use word::Word;
