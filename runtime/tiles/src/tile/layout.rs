//! Layouts of tiles: which element of shared memory holds the one of a row and a column.

use warpsmith_macros::{gpu_impl, gpu_trait};

/// The order in which a tile keeps its elements in shared memory.
///
/// The 32 banks of shared memory are four bytes wide. Threads of a warp that read one column of a
/// [`RowMajor`] tile whose rows are a multiple of 128 bytes all meet in one bank; [`Padded`] and
/// [`Swizzled`] rows keep them apart.
#[gpu_trait]
pub trait Layout: Copy + 'static {
    /// Elements between the end of a row and the start of the next.
    const PAD: usize;

    /// Elements that stay together, side by side and aligned: no access is wider.
    const GROUP: usize;

    /// Alignment of a tile in shared memory, in bytes: a power of two, from 16 to 1024.
    const ALIGN: u32 = 16;

    /// Whether groups change places within the whole row, whose number of groups is then a power of two.
    const WHOLE_ROW: bool = false;

    /// The place of the element at (`row`, `col`) of a tile with `cols` columns.
    fn place(row: usize, col: usize, cols: usize) -> usize;
}

/// Row after row.
#[derive(Clone, Copy, Debug)]
pub struct RowMajor;

#[gpu_impl]
impl Layout for RowMajor {
    const PAD: usize = 0;
    const GROUP: usize = 16;

    fn place(row: usize, col: usize, cols: usize) -> usize {
        row * cols + col
    }
}

/// Row after row, with `PAD` unused elements after each.
///
/// One element of four bytes keeps the columns of a tile free of bank conflicts; a multiple of 16 bytes
/// leaves the widest accesses legal.
#[derive(Clone, Copy, Debug)]
pub struct Padded<const PAD: usize = 1>;

#[gpu_impl]
impl<const PAD: usize> Layout for Padded<PAD> {
    const PAD: usize = PAD;
    const GROUP: usize = 16;

    fn place(row: usize, col: usize, cols: usize) -> usize {
        row * (cols + PAD) + col
    }
}

/// Groups of `GROUP` columns change places from row to row, by exclusive or with the row's number.
///
/// Takes no more memory than [`RowMajor`]. Groups of 16 bytes leave the widest accesses legal; a group
/// of one element of four bytes keeps columns free of bank conflicts. The number of groups in a row
/// is a power of two.
#[derive(Clone, Copy, Debug)]
pub struct Swizzled<const GROUP: usize = 1>;

#[gpu_impl]
impl<const GROUP: usize> Layout for Swizzled<GROUP> {
    const PAD: usize = 0;
    const GROUP: usize = GROUP;
    const WHOLE_ROW: bool = true;

    fn place(row: usize, col: usize, cols: usize) -> usize {
        let group = (col / GROUP) ^ (row & (cols / GROUP - 1) & 31);
        row * cols + group * GROUP + col % GROUP
    }
}

/// Units of 16 bytes change places by the swizzle that copy engine and tensor cores share, within spans of `SPAN` bytes.
///
/// Bits of a unit's number in its span are combined, by exclusive or, with those of the span's number among 128 bytes, as in
/// `CU_TENSOR_MAP_SWIZZLE_128B` and its siblings. `GROUP` elements are 16 bytes: 8 of `f16`. Rows of `SPAN` bytes are read
/// by `ldmatrix` without conflicts.
///
/// Source: CUDA Driver API, `CUtensorMapSwizzle`; PTX ISA, swizzling modes.
#[derive(Clone, Copy, Debug)]
pub struct Swizzle<const SPAN: usize, const GROUP: usize = 8>;

/// The [`Swizzle`] of 32 bytes.
pub type Swizzle32<const GROUP: usize = 8> = Swizzle<32, GROUP>;
/// The [`Swizzle`] of 64 bytes.
pub type Swizzle64<const GROUP: usize = 8> = Swizzle<64, GROUP>;
/// The [`Swizzle`] of 128 bytes.
pub type Swizzle128<const GROUP: usize = 8> = Swizzle<128, GROUP>;

impl<const SPAN: usize, const GROUP: usize> Swizzle<SPAN, GROUP> {
    /// The bits of a unit's number that change.
    const BITS: usize = {
        assert!(SPAN == 32 || SPAN == 64 || SPAN == 128, "a swizzle is of 32, 64 or 128 bytes");
        SPAN / 16 - 1
    };
}

#[gpu_impl]
impl<const SPAN: usize, const GROUP: usize> Layout for Swizzle<SPAN, GROUP> {
    const PAD: usize = 0;
    const GROUP: usize = GROUP;
    const ALIGN: u32 = SPAN as u32 * 8;

    fn place(row: usize, col: usize, cols: usize) -> usize {
        let unit = (row * cols + col) / GROUP;
        (unit ^ ((unit / 8) & Self::BITS)) * GROUP + col % GROUP
    }
}

/// Panels of 128 bytes of each of `ROWS` rows, one after another, each as [`Swizzle128`]: tiles that are wider than a swizzle.
///
/// The copy engine fills a panel at a time ([`Tile::panel`](super::Tile::panel)), and a warpgroup multiplies all of them.
/// `GROUP` elements are 16 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Panels<const ROWS: usize, const GROUP: usize = 8>;

#[gpu_impl]
impl<const ROWS: usize, const GROUP: usize> Layout for Panels<ROWS, GROUP> {
    const PAD: usize = 0;
    const GROUP: usize = GROUP;
    const ALIGN: u32 = 1024;

    fn place(row: usize, col: usize, _cols: usize) -> usize {
        let unit = col / GROUP;
        (unit / 8 * ROWS + row) * 8 * GROUP + ((unit % 8) ^ (row % 8)) * GROUP + col % GROUP
    }
}

/// Layouts that a warpgroup can multiply: rows of 128 bytes as [`Swizzle128`], alone or in [`Panels`].
#[gpu_trait]
#[diagnostic::on_unimplemented(
    message = "a warpgroup does not multiply tiles that are `{Self}`",
    note = "it multiplies `Swizzle128` tiles with rows of 128 bytes, and `Panels` of them: `Tile<bf16, 64, 64, Swizzle128>`, \
            `Tile<bf16, 64, 256, Panels<64>>`"
)]
pub trait Canonical: Layout {
    /// Bytes from one panel to the next; 0 for a single panel.
    const PANEL: usize;
}

#[gpu_impl]
impl<const GROUP: usize> Canonical for Swizzle<128, GROUP> {
    const PANEL: usize = 0;
}

#[gpu_impl]
impl<const ROWS: usize, const GROUP: usize> Canonical for Panels<ROWS, GROUP> {
    const PANEL: usize = ROWS * 128;
}

/// Row after row, at an address that the copy engine takes: a multiple of 128 bytes.
///
/// The layout of boxes that are copied without a swizzle.
#[derive(Clone, Copy, Debug)]
pub struct Unswizzled;

#[gpu_impl]
impl Layout for Unswizzled {
    const PAD: usize = 0;
    const GROUP: usize = 16;
    const ALIGN: u32 = 128;

    fn place(row: usize, col: usize, cols: usize) -> usize {
        row * cols + col
    }
}
