//! Chooses the kernel and the grid from the shape, the type of the elements and the device.

use warpsmith::driver::Limits;

use super::block::THREADS;
use super::columns::Columns;
use crate::argument::Layout;
use crate::call::grid_of;
use crate::error::KernelError;
use crate::pack::PACK_BYTES;

/// Blocks for each multiprocessor that keep the memory busy. They are more than run at once, which evens out their ends.
const BLOCKS_PER_MULTIPROCESSOR: usize = 16;
/// Bytes that keep a block busy.
const BYTES_PER_BLOCK: usize = 64 << 10;
/// The most packs of a row that one, four, eight and 32 lanes take.
const PACKS_FOR_LANES: [usize; 4] = [2, 16, 64, 512];

/// An array of three axes, whose middle one is reduced. Element `(o, k, i)` is number `o * outer_stride + k * axis_stride + i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub outer: usize,
    pub n: usize,
    pub inner: usize,
    pub outer_stride: usize,
    pub axis_stride: usize,
}

/// Size and alignment of the elements.
#[derive(Clone, Copy, Debug)]
pub struct Elements {
    /// Bytes of an element.
    pub size: usize,
    /// Number of elements before the first multiple of 16 bytes, if an element begins at one.
    pub misalignment: Option<usize>,
}

/// A kernel with its grid.
#[derive(Clone, Copy, Debug)]
pub enum Choice {
    /// There is no output.
    Nothing,
    /// `lanes` lanes take a row.
    Lanes { lanes: u32, grid: u32 },
    /// `splits` blocks share a row.
    Blocks { splits: u32, grid: u32 },
    /// Neighbouring threads take neighbouring columns.
    Columns(ByColumns),
}

/// A grid whose neighbouring threads take neighbouring columns, in packs or one by one.
#[derive(Clone, Copy, Debug)]
pub struct ByColumns {
    /// The array, and how blocks share it.
    pub at: Columns,
    /// Whether a thread takes a pack of columns.
    pub in_packs: bool,
    /// Number of blocks.
    pub grid: u32,
}

impl ByColumns {
    /// Number of partial results and of counters in the workspace for `outputs` results.
    pub fn workspace(&self, outputs: usize) -> (usize, usize) {
        if self.at.splits > 1 {
            (outputs * self.at.splits as usize, (self.grid / self.at.splits) as usize)
        } else {
            (0, 0)
        }
    }
}

impl Shape {
    /// All of `len` elements.
    pub fn whole(len: usize) -> Self {
        Self { outer: 1, n: len, inner: 1, outer_stride: len, axis_stride: 1 }
    }

    /// One axis of a dense array with the extents `dims`.
    ///
    /// # Errors
    /// [`KernelError::Shape`] if the product of `dims` is not `len`, or if there is no such axis.
    pub fn axis(dims: &[usize], axis: usize, len: usize) -> Result<Self, KernelError> {
        let Some(&n) = dims.get(axis) else {
            return Err(KernelError::Shape {
                what: "axis",
                expected: format!("to be below {}, the number of extents", dims.len()),
                got: format!("the value {axis}"),
                way_out: "axes are counted from zero",
            });
        };
        let product = |dims: &[usize]| {
            if dims.contains(&0) {
                Some(0)
            } else {
                dims.iter().try_fold(1usize, |all, n| all.checked_mul(*n))
            }
        };
        if product(dims) != Some(len) {
            return Err(KernelError::Shape {
                what: "x",
                expected: format!("as many as the extents {dims:?} make up"),
                got: format!("{len} elements"),
                way_out: "pass the extents of the array, or a part of the memory",
            });
        }
        // An empty array may have extents whose product overflows; then nothing is addressed by strides.
        let part = |dims: &[usize]| product(dims).unwrap_or(0);
        let (outer, inner) = (part(&dims[..axis]), part(&dims[axis + 1..]));
        Ok(Self { outer, n, inner, outer_stride: n.saturating_mul(inner), axis_stride: inner })
    }

    /// The rows of a matrix.
    pub fn rows(layout: Layout) -> Self {
        let Layout { rows, cols, row_stride, col_stride } = layout;
        if col_stride == 1 {
            Self { outer: rows, n: cols, inner: 1, outer_stride: row_stride, axis_stride: 1 }
        } else {
            Self { outer: 1, n: cols, inner: rows, outer_stride: 0, axis_stride: col_stride }
        }
    }

    /// Number of results.
    pub fn outputs(&self) -> usize {
        self.outer.saturating_mul(self.inner)
    }

    /// The kernel for this shape on a device, with `blocks` blocks for each result if the call sets their number.
    pub fn choose(&self, elements: Elements, limits: &Limits, blocks: Option<u32>) -> Choice {
        let busy = limits.multiprocessors as usize * BLOCKS_PER_MULTIPROCESSOR;
        if self.outputs() == 0 {
            Choice::Nothing
        } else if self.inner == 1 && (self.axis_stride == 1 || self.n <= 1) {
            self.by_rows(elements, busy, limits, blocks)
        } else {
            Choice::Columns(self.by_columns(elements, busy / 2, limits, blocks))
        }
    }

    fn by_rows(&self, elements: Elements, busy: usize, limits: &Limits, blocks: Option<u32>) -> Choice {
        let bytes = self.n.saturating_mul(elements.size);
        let packs = bytes.div_ceil(PACK_BYTES);
        let splits = blocks
            .map_or((busy / self.outer).clamp(1, bytes.div_ceil(BYTES_PER_BLOCK).max(1)), |n| n as usize);
        let grid = self.outer.saturating_mul(splits);
        let lanes = [1, 4, 8, 32]
            .into_iter()
            .zip(PACKS_FOR_LANES)
            .find(|(_, most)| packs <= *most)
            .map(|(lanes, _)| lanes);
        // A few long rows get a block each, since a warp each would leave multiprocessors idle.
        let few = self.outer.saturating_mul(32) < busy * THREADS as usize / 4 && packs >= THREADS as usize;
        let all_at_once = grid <= limits.grid[0] as usize;
        match lanes {
            _ if !all_at_once => self.by_lanes(32, busy),
            Some(lanes) if blocks.is_none() && !few && self.outer > 1 => self.by_lanes(lanes, busy),
            _ => Choice::Blocks { splits: splits as u32, grid: grid as u32 },
        }
    }

    fn by_lanes(&self, lanes: u32, busy: usize) -> Choice {
        let rows_per_block = (THREADS / lanes) as usize;
        // With more rows, a block takes several: this grid fits every device.
        let grid = self.outer.div_ceil(rows_per_block).min(busy * 64);
        Choice::Lanes { lanes, grid: grid as u32 }
    }

    /// The grid for columns: `busy` blocks keep the device busy, or `blocks` share each column.
    pub fn by_columns(
        &self,
        elements: Elements,
        busy: usize,
        limits: &Limits,
        blocks: Option<u32>,
    ) -> ByColumns {
        let per_pack = PACK_BYTES / elements.size.clamp(1, PACK_BYTES);
        let divides = |n: usize| n.is_multiple_of(per_pack);
        let aligned = elements.misalignment == Some(0) && PACK_BYTES.is_multiple_of(elements.size.max(1));
        let in_packs = per_pack > 1
            && aligned
            && divides(self.inner)
            && divides(self.axis_stride)
            && (self.outer == 1 || divides(self.outer_stride));
        let per_thread = if in_packs { per_pack } else { 1 };
        let columns = self.inner.div_ceil(per_thread);
        let width = columns.min(32).next_power_of_two();
        let lines = THREADS as usize / width;
        let tiles = columns.div_ceil(width);
        let blocks_of_one = self.outer.saturating_mul(tiles);
        let most = self.n.div_ceil(lines * 16).max(1);
        let splits = blocks.map_or((busy / blocks_of_one.max(1)).clamp(1, most), |n| n as usize);
        let grid = blocks_of_one.saturating_mul(splits);
        let (splits, grid) =
            if grid <= limits.grid[0] as usize { (splits, grid) } else { (1, blocks_of_one) };
        let at = Columns {
            n: self.n,
            inner: self.inner,
            outer_stride: self.outer_stride,
            axis_stride: self.axis_stride,
            tiles,
            width: width as u32,
            splits: splits as u32,
        };
        ByColumns { at, in_packs, grid: grid_of(grid) }
    }
}

impl Choice {
    /// Blocks in the grid.
    pub fn grid(&self) -> u32 {
        match *self {
            Choice::Nothing => 0,
            Choice::Lanes { grid, .. } | Choice::Blocks { grid, .. } => grid,
            Choice::Columns(columns) => columns.grid,
        }
    }

    /// Number of partial results and of counters in the workspace for `outputs` results.
    pub fn workspace(&self, outputs: usize) -> (usize, usize) {
        match self {
            Choice::Blocks { splits, grid } if *splits > 1 => (*grid as usize, outputs),
            Choice::Columns(columns) => columns.workspace(outputs),
            _ => (0, 0),
        }
    }
}
