//! The content of a stage of a pipeline: tiles, whose types determine its bytes.

use core::mem::size_of;

use warpsmith_macros::gpu_trait;

use crate::tensor_map::MappedElement;
use crate::tile::{Layout, Tile};
use crate::types::{DeviceType, InShared};

/// The content of a stage of a [`Pipeline`](super::Pipeline). `#[derive(Stage)]` implements it for a struct of tiles with
/// one lifetime.
#[gpu_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no stage of a pipeline",
    note = "write `#[derive(Stage)]` above a struct of tiles: `struct Ab<'a> {{ a: Tile<'a, bf16, 128, 64, Swizzle128> }}`"
)]
pub trait StageTiles: DeviceType {
    /// The same tiles with the lifetime of a held stage.
    type At<'s>: DeviceType<Erased = Self::Erased>;

    /// Bytes of all tiles, which copies write in one turn.
    const BYTES: u32;
    /// Alignment of its memory in bytes.
    const ALIGN: u32;
    /// Bytes from one stage to the next.
    const SIZE: usize;

    /// The tiles in this memory.
    #[doc(hidden)]
    fn at<'s>(memory: *mut u64) -> Self::At<'s>;
}

/// A part of a stage: a [`Tile`] that the copy engine fills, at once or by [`Panels`](crate::tile::Panels).
#[diagnostic::on_unimplemented(
    message = "a stage holds no `{Self}`",
    label = "no tile",
    note = "a stage is a struct of tiles: `struct Ab<'a> {{ a: Tile<'a, bf16, 128, 64, Swizzle128> }}`"
)]
pub trait StagePart {
    /// Bytes that copies write in one turn.
    const BYTES: u32;
    /// Alignment in bytes.
    const ALIGN: u32;
    /// Bytes of memory.
    const SIZE: usize;
}

impl<T: MappedElement, const ROWS: usize, const COLS: usize, L: Layout> StagePart
    for Tile<'_, T, ROWS, COLS, L>
{
    const BYTES: u32 = {
        assert!(L::PAD == 0, "the copy engine leaves no padding between the rows of a tile");
        Self::SIZE
    };
    const ALIGN: u32 = <Self as InShared>::ALIGN;
    const SIZE: usize = <Self as InShared>::LEN * size_of::<T>();
}

/// The largest of these alignments, and at least 16.
#[doc(hidden)]
pub const fn largest(aligns: &[u32]) -> u32 {
    let (mut most, mut i) = (16, 0);
    while i < aligns.len() {
        if aligns[i] > most {
            most = aligns[i];
        }
        i += 1;
    }
    most
}
