//! The order in which a kernel loads the boxes of a convolution, and the taps of filters that it multiplies in each.

use warpsmith::prelude::*;

/// Channels of a step: 128 bytes of each pixel.
pub const CHANNELS: usize = 64;

/// The extents of a convolution by boxes, and the order of its steps.
///
/// A tile has `tile` images, rows and columns of results. For each step of [`CHANNELS`] channels, `loads` boxes of pixels are loaded. In box
/// `r`, `s` lie the pixels of every `loads[0]`-th row of the filters' taps from row `r` on, and of every `loads[1]`-th column from `s` on.
///
/// Filters that move by several pixels see images of every `stride`-th row and column, of which there are several: a box has pixels of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, GpuType)]
#[repr(C)]
pub struct Walk {
    /// Images, rows and columns of results.
    pub extents: [u32; 3],
    /// Number of filters.
    pub filters: u32,
    /// Images, rows and columns of a tile.
    pub tile: [u32; 3],
    /// Tiles along images, rows and columns.
    pub tiles: [u32; 3],
    /// Steps along the channels.
    pub steps: u32,
    /// Boxes of a step, along the rows and the columns of the filters.
    pub loads: [u32; 2],
    /// Rows and columns of a filter.
    pub taps: [u32; 2],
    /// Pixels from the ones of a result to those of the next, down and across.
    pub stride: [i32; 2],
    /// Pixels from one tap to the next, down and across.
    pub dilation: [i32; 2],
    /// Rows above and columns before each image, which are zeros.
    pub padding: [i32; 2],
}

/// The tile of a block: its first image, row, column and filter.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Spot {
    /// First image.
    pub image: u32,
    /// First row of results.
    pub row: u32,
    /// First column of results.
    pub col: u32,
    /// First filter.
    pub filter: u32,
}

#[gpu_impl]
impl Walk {
    /// Number of tiles of a cluster of `blocks` blocks, whose tiles follow each other and have the same `filters` filters.
    pub fn count(self, blocks: u32, filters: u32) -> u32 {
        let [images, rows, cols] = self.tiles;
        (images * rows * cols).div_ceil(blocks) * self.filters.div_ceil(filters)
    }

    /// The tile of block `rank` in tile `i` of a cluster. Tiles of the same pixels follow each other.
    pub fn spot(self, i: u32, rank: u32, blocks: u32, filters: u32) -> Spot {
        let across = self.filters.div_ceil(filters);
        let place = i / across * blocks + rank;
        let [_, rows, cols] = self.tiles;
        Spot {
            image: place / (rows * cols) * self.tile[0],
            row: place / cols % rows * self.tile[1],
            col: place % cols * self.tile[2],
            filter: i % across * filters,
        }
    }

    /// Rows of taps in the boxes of row `r`.
    pub fn taps_down(self, r: u32) -> u32 {
        (self.taps[0] - r).div_ceil(self.loads[0])
    }

    /// Columns of taps in the boxes of column `s`.
    pub fn taps_across(self, s: u32) -> u32 {
        (self.taps[1] - s).div_ceil(self.loads[1])
    }

    /// The number of the tap at row `down` and column `across` of those in box `r`, `s`.
    pub fn tap(self, [r, s]: [u32; 2], [down, across]: [u32; 2]) -> u32 {
        (r + down * self.loads[0]) * self.taps[1] + s + across * self.loads[1]
    }

    /// Of box `r`, `s` of a tile, the number of its image of every `stride`-th row and column, and its first row and column there.
    pub fn corner(self, spot: Spot, r: u32, s: u32) -> (i32, [i32; 2]) {
        let down = r as i32 * self.dilation[0] - self.padding[0];
        let across = s as i32 * self.dilation[1] - self.padding[1];
        let [of_rows, of_cols] = self.stride;
        let image = down.rem_euclid(of_rows) * of_cols + across.rem_euclid(of_cols);
        (image, [spot.row as i32 + down.div_euclid(of_rows), spot.col as i32 + across.div_euclid(of_cols)])
    }

    /// The number of the result of an image at a row and column.
    pub fn number(self, image: u32, row: u32, col: u32) -> usize {
        (image as usize * self.extents[1] as usize + row as usize) * self.extents[2] as usize + col as usize
    }

    /// Number of results of all images, for each filter.
    pub fn results(self) -> usize {
        self.number(self.extents[0], 0, 0)
    }
}
