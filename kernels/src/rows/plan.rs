//! The choice of the kernel for rows of a shape, and of its threads.

use super::lanes::MOST_THREADS;
use crate::argument::Layout;
use crate::call::MOST_BLOCKS;
use crate::pack::PACK_BYTES;

/// Packs of a row that a thread has in registers, at most: 128 bytes.
pub const PACKED_SLOTS: usize = 8;
/// Elements of a row that a thread has in registers, at most, where they do not come in packs.
pub const SINGLE_SLOTS: usize = 32;
/// Threads of a block whose rows are shared by fewer.
const BLOCK: u32 = 256;
/// Packs of the widest row that a small block reads twice.
const WIDE: usize = 2048;

/// Threads that share a row. The first number that holds a row with few registers in each thread is taken.
const LANES: [u32; 6] = [4, 32, 128, 256, 512, MOST_THREADS];
/// Few elements that do not come in packs. Few packs are as many as a pack has elements: on an H200, rows of halves are fastest with
/// twice as many packs in a thread as rows of `f32`.
const FEW: usize = 16;

/// The shape of a call.
pub struct Shape {
    /// The layouts of the matrices. Their extents are the same.
    pub layouts: Vec<Layout>,
    /// Bytes of an element.
    pub element: usize,
    /// True if all arguments begin at multiples of 16 bytes.
    pub is_aligned: bool,
    /// Threads that share a row, if the caller sets them.
    pub threads: Option<u32>,
}

/// The kernel for rows, and its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Elements that one instruction loads.
    pub pack: usize,
    /// Threads that share a row.
    pub lanes: u32,
    /// Packs of a row that each of them has in registers; `None` where rows are read twice.
    pub slots: Option<u32>,
    /// Threads of a block.
    pub block: u32,
    /// Blocks of the grid.
    pub grid: u32,
    /// Why elements come in packs or do not.
    pub why: &'static str,
}

impl Shape {
    /// The way for this shape: the only table of the family.
    pub fn way(&self) -> Way {
        let (pack, why) = self.access();
        let (rows, cols) = self.extents();
        let (few, most) = if pack > 1 { (pack, PACKED_SLOTS) } else { (FEW, SINGLE_SLOTS) };
        let packs = cols.div_ceil(pack);
        let by_table = LANES.into_iter().find(|lanes| packs <= *lanes as usize * few).unwrap_or(MOST_THREADS);
        let lanes =
            self.threads.map_or(by_table, |threads| threads.clamp(1, MOST_THREADS).next_power_of_two());
        let slots = packs.div_ceil(lanes as usize).max(1);
        if slots > most {
            return self.read_twice();
        }
        // Several warps that share a row are a block.
        let block = if lanes > 32 { lanes } else { BLOCK };
        let grid = rows.div_ceil((block / lanes) as usize).min(MOST_BLOCKS) as u32;
        Way { pack, lanes, slots: Some(slots as u32), block, grid, why }
    }

    /// The way for rows that no registers hold: a block a row.
    pub fn read_twice(&self) -> Way {
        let (pack, why) = self.access();
        let (rows, cols) = self.extents();
        let by_table = if cols.div_ceil(pack) > WIDE { MOST_THREADS } else { BLOCK };
        // Two warps at least: the threads of a block are joined through shared memory.
        let lanes =
            self.threads.map_or(by_table, |threads| threads.clamp(2 * 32, MOST_THREADS).next_power_of_two());
        Way { pack, lanes, slots: None, block: lanes, grid: rows.min(MOST_BLOCKS) as u32, why }
    }

    /// Rows and columns.
    fn extents(&self) -> (usize, usize) {
        self.layouts.first().map_or((0, 0), |layout| (layout.rows, layout.cols))
    }

    /// Elements of an access, and why not more.
    fn access(&self) -> (usize, &'static str) {
        let (rows, cols) = self.extents();
        let per_pack = PACK_BYTES / self.element;
        let in_packs = |elements: usize| elements.is_multiple_of(per_pack);
        if !self.is_aligned {
            (1, "loads of one element, as an argument does not begin at a multiple of 16 bytes")
        } else if !in_packs(cols) {
            (1, "loads of one element, as a row is no multiple of 16 bytes")
        } else if rows > 1 && !self.layouts.iter().all(|layout| in_packs(layout.row_stride)) {
            (1, "loads of one element, as a row stride is no multiple of 16 bytes")
        } else {
            (per_pack, "loads of 16 bytes")
        }
    }
}

impl Way {
    /// Rows that a block does at once.
    pub fn teams(&self) -> usize {
        (self.block / self.lanes) as usize
    }
}
