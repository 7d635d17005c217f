//! Which sectors of global memory a launch touches at all.

use rustc_hash::FxHashMap;

use super::SECTOR;

/// Sectors that are read and written, a bit each; 64 in a row have one entry.
#[derive(Default)]
pub(super) struct Footprint {
    rows: FxHashMap<u64, [u64; 2]>,
}

impl Footprint {
    /// Notes a sector by its number.
    pub fn touch(&mut self, sector: u64, reads: bool, writes: bool) {
        let row = self.rows.entry(sector / 64).or_default();
        row[0] |= u64::from(reads) << (sector % 64);
        row[1] |= u64::from(writes) << (sector % 64);
    }

    /// Bytes of the sectors that are read and of those that are written.
    pub fn bytes(&self) -> [u64; 2] {
        let sum =
            |which: usize| self.rows.values().map(|row| u64::from(row[which].count_ones())).sum::<u64>();
        [sum(0) * SECTOR, sum(1) * SECTOR]
    }
}
