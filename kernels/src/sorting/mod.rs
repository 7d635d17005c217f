//! Sorting: radix sorts of keys, and of keys with a value each; sorts of segments; the largest or smallest keys of rows.
//!
//! A pass sorts by eight bits of the keys, lowest first, and is stable, except the first pass if there are no values. A pass reads and
//! writes every key once: a tile of keys is sorted in shared memory, and finds the destinations of its runs of equal digits by looking back
//! at earlier tiles (A. Adinets and D. Merrill, *Onesweep: A Faster Least Significant Digit Radix Sort for GPUs*, 2022).
//!
//! Segments are sorted in shared memory, as many at once as fit, by a network of comparisons; longer ones are sorted in tiles and merged.

mod call;
mod count;
mod key;
mod look_back;
mod merging;
mod network;
mod pass;
mod ranges;
mod room;
mod segment_network;
mod segmented;
mod segmented_call;
mod top_k;
mod top_k_call;
mod warp_search;

pub use call::{Sort, sort, sort_in_place, sort_pairs, sort_pairs_in_place};
pub use count::{digit_counts, digit_starts};
pub use key::{Key, Value, Word};
pub use merging::merge_segments;
pub use pass::{Pass, radix_pass};
pub use segmented::sort_segments;
pub use segmented_call::{SegmentedSort, segmented_sort, segmented_sort_pairs};
pub use top_k::{TopRows, top_rows};
pub use top_k_call::{TopK, top_k};
