//! Patches: the pixels under each position of a filter as a row of a matrix.

use warpsmith::prelude::*;

/// Threads of a block.
pub const THREADS: u32 = 256;

/// The patches of images.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Patches {
    /// Rows, columns and cells of a pixel of an image.
    pub image: [usize; 3],
    /// Columns of a filter, and cells of a patch.
    pub filter: [usize; 2],
    /// Patches down and across an image.
    pub extents: [usize; 2],
    /// Pixels from one patch to the next.
    pub stride: [usize; 2],
    /// Rows and columns of zeros before an image.
    pub padding: [usize; 2],
    /// Pixels from one tap to the next.
    pub dilation: [usize; 2],
    /// Number of patches.
    pub count: usize,
    /// Cells from one patch to the next in the copy.
    pub apart: usize,
}

#[gpu_impl]
impl Patches {
    /// The number of the cell of `x` that is cell `i` of patch `patch`, or `usize::MAX` outside of the image.
    pub fn source(self, patch: usize, i: usize) -> usize {
        let [rows, cols, cells] = self.image;
        let (tap, cell) = (i / cells, i % cells);
        let (down, across) = (tap / self.filter[0], tap % self.filter[0]);
        let (line, col) = (patch / self.extents[1], patch % self.extents[1]);
        let (image, row) = (line / self.extents[0], line % self.extents[0]);
        // Above and before the image, a difference wraps around to a large number.
        let row = (row * self.stride[0] + down * self.dilation[0]).wrapping_sub(self.padding[0]);
        let col = (col * self.stride[1] + across * self.dilation[1]).wrapping_sub(self.padding[1]);
        if row < rows && col < cols { ((image * rows + row) * cols + col) * cells + cell } else { usize::MAX }
    }
}

/// Copies patches of `x`, `[images, rows, columns, cells]`, to `patches`, `[count, apart]`; cells outside of the images are `zero`. Nothing
/// is written between patches.
#[gpu_kernel(launch_bounds(THREADS, 4))]
pub fn conv2d_patches<U: AnyBits + GpuType + 'static>(x: &[U], patches: &mut [U], of: Patches, zero: U) {
    let cells = of.filter[1];
    for at in (global_id()..of.count * cells).step_by(global_size()) {
        let (patch, i) = (at / cells, at % cells);
        let source = of.source(patch, i);
        patches[patch * of.apart + i] = if source < x.len() { x[source] } else { zero };
    }
}
