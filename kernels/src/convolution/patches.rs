//! Patches: the pixels under each position of a filter as a row of a matrix.

use warpsmith::prelude::*;

use crate::pack::Pack;

/// Threads of a block.
pub const THREADS: u32 = 256;

/// The patches of images, by integers that count all packs of patches and all cells of an image.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Patches<I> {
    /// Rows, columns and cells of a pixel of an image.
    pub image: [I; 3],
    /// Columns of a filter, and cells of a patch.
    pub filter: [I; 2],
    /// Patches down and across an image.
    pub extents: [I; 2],
    /// Pixels from one patch to the next.
    pub stride: [I; 2],
    /// Rows and columns of zeros before an image.
    pub padding: [I; 2],
    /// Pixels from one tap to the next.
    pub dilation: [I; 2],
    /// Number of patches.
    pub count: I,
    /// Packs of a patch in the copy.
    pub packs: I,
}

/// Copies patches of `x`, `[images, rows, columns, cells]`, to `patches`, `[count, packs * N]`, which begins at a multiple of 16 bytes. Cells
/// outside of the images, and those that fill up the last pack of a patch, are `zero`.
#[gpu_kernel(launch_bounds(THREADS, 4))]
pub fn conv2d_patches<U: AnyBits + GpuType + 'static, const N: usize, I: Int>(
    x: &[U],
    patches: &mut [U],
    of: Patches<I>,
    zero: U,
) {
    let [rows, cols, cells] = of.image;
    let mut at = global_id().cast::<I>();
    while at < of.count * of.packs {
        let (patch, first) = (at / of.packs, at % of.packs * N.cast::<I>());
        let (line, col) = (patch / of.extents[1], patch % of.extents[1]);
        let (image, row) = (line / of.extents[0], line % of.extents[0]);
        let start = image.cast::<usize>() * (rows * cols * cells).cast::<usize>();
        // The cell of a pixel, and the tap.
        let (mut cell, tap) = (first % cells, first / cells);
        let (mut down, mut across) = (tap / of.filter[0], tap % of.filter[0]);
        let mut pack = Pack([zero; N]);
        #[unroll]
        for k in 0..N {
            let y = row * of.stride[0] + down * of.dilation[0];
            let z = col * of.stride[1] + across * of.dilation[1];
            let is_below = y >= of.padding[0] && y - of.padding[0] < rows;
            let is_beside = z >= of.padding[1] && z - of.padding[1] < cols;
            if is_below && is_beside && first + k.cast::<I>() < of.filter[1] {
                let pixel = (y - of.padding[0]) * cols + z - of.padding[1];
                let source = start + (pixel * cells + cell).cast::<usize>();
                assume(source < x.len());
                pack.0[k] = x[source];
            }
            cell += I::ONE;
            if cell == cells {
                cell = I::ZERO;
                across += I::ONE;
            }
            if across == of.filter[0] {
                across = I::ZERO;
                down += I::ONE;
            }
        }
        let to = patches.as_mut_ptr().wrapping_add(at.cast::<usize>() * N) as *mut Pack<U, N>;
        // SAFETY: the copy has all packs, and its memory begins at a multiple of their bytes.
        unsafe { *to = pack };
        at += global_size().cast::<I>();
    }
}
