//! The costs of a line and the remedies, in words for a reader who sees them for the first time.

use super::counts::{Atomics, Banks, Branches, Counts, Traffic};

/// Something that costs more than it need, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Advice {
    /// The figure.
    pub what: String,
    /// The remedy.
    pub help: &'static str,
}

/// The uncoalesced accesses of a line.
#[doc(hidden)]
pub fn coalescing(counts: &Counts) -> Vec<Advice> {
    let sides = [("loads", &counts.loads), ("stores", &counts.stores), ("copies", &counts.copies)];
    sides.into_iter().filter_map(|(what, of)| traffic(what, of)).collect()
}

fn traffic(what: &str, of: &Traffic) -> Option<Advice> {
    (of.sectors > of.ideal_sectors).then(|| Advice {
        what: format!(
            "its {what} touch {} sectors of 32 bytes where the bytes that are used fill {} ({:.1} % of what is \
             moved is used, {:.1} sectors a request)",
            of.sectors,
            of.ideal_sectors,
            of.efficiency(),
            of.sectors_per_request()
        ),
        help: "let neighbouring lanes (`thread_idx().x`) take neighbouring elements, starting at a multiple of 32 \
               bytes; where the order must change, go through a `shared!` tile; instead of an array of structs \
               take an array for each field, or a vector type",
    })
}

/// The bank conflicts of a line.
#[doc(hidden)]
pub fn conflicts(counts: &Counts) -> Vec<Advice> {
    let sides = [
        ("loads of shared memory", &counts.shared_loads, PAD),
        ("stores of shared memory", &counts.shared_stores, PAD),
        ("copies of shared memory", &counts.shared_copies, PAD),
        ("loads of matrices", &counts.matrix_loads, SWIZZLE),
        ("stores of matrices", &counts.matrix_stores, SWIZZLE),
    ];
    sides.into_iter().filter_map(|(what, of, help)| banks(what, of, help)).collect()
}

fn banks(what: &str, of: &Banks, help: &'static str) -> Option<Advice> {
    (of.conflicts() > 0).then(|| Advice {
        what: format!(
            "its {what} take {} wavefronts where {} would do ({:.1} a request): lanes of one warp \
             want different words of one bank",
            of.wavefronts,
            of.ideal_wavefronts,
            of.wavefronts_per_request()
        ),
        help,
    })
}

/// Advice against bank conflicts between the accesses of lanes.
const PAD: &str = "pad the rows by one element (`shared!([[f32; N + 1]; M])`), swizzle the index (`tile::Swizzled`), or \
                   let neighbouring lanes take neighbouring words";
/// Advice against bank conflicts between the rows of matrices.
const SWIZZLE: &str = "give the `Tile` the swizzle of its row's bytes (`Swizzle128` of 128, `Swizzle64` of 64): eight rows \
                       below each other then lie in different banks";

/// The divergent branches of a line.
#[doc(hidden)]
pub fn divergence(counts: &Counts) -> Option<Advice> {
    let Branches { executed, divergent, .. } = counts.branches;
    (divergent > 0).then(|| Advice {
        what: format!("lanes of one warp go both ways at {divergent} of {executed} branches"),
        help: "decide by what whole warps share, such as `thread_idx().x / 32`, or compute both sides and select",
    })
}

/// The contended atomics of a line.
#[doc(hidden)]
pub fn contention(counts: &Counts) -> Option<Advice> {
    let worst = |a: Atomics, b: Atomics| if a.contention >= b.contention { a } else { b };
    let of = worst(counts.atomics, counts.shared_atomics);
    (of.contention > 1).then(|| Advice {
        what: format!(
            "up to {} lanes of a warp meet at one address of its atomics ({:.1} on average)",
            of.contention,
            of.turns_per_request()
        ),
        help: "reduce within the warp first (`reduce_add_sync`, `warp_tile::<32>().sum(…)`) and let one lane add, or give each block its \
               own copy in shared memory",
    })
}
