//! The tiles of a product: how many there are, and what they leave for the kernel that joins rows.

use warpsmith::driver::Limits;
use warpsmith::prelude::*;
use warpsmith::{Kernel, Launch};

use super::Csr;
use super::cut::Parts;
use super::tiles::{Start, THREADS};
use crate::call::{Target, grid_of};
use crate::error::KernelError;

/// The tiles of a matrix, for an output of `cols` columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiling {
    /// Items of a tile.
    pub tile: usize,
    /// Number of tiles.
    pub tiles: usize,
    cols: usize,
}

/// Memory of a call: where tiles begin, and their parts of rows that they share.
pub(super) struct Workspace<S> {
    pub starts: Buffer<Start>,
    pub heads: Buffer<S>,
    pub tails: Buffer<S>,
}

impl Tiling {
    pub fn new<T, I, C>(a: &Csr<'_, T, I, C>, tile: usize, cols: usize) -> Self {
        Self { tile, tiles: (a.rows() + a.nonzeros()).div_ceil(tile), cols }
    }

    /// Blocks of the kernel that finds the tiles.
    pub fn finding(&self) -> u32 {
        grid_of((self.tiles + 1).div_ceil(THREADS as usize))
    }

    /// Blocks of the kernel that joins the parts of rows.
    pub fn joining(&self) -> u32 {
        grid_of(self.shared_elements().div_ceil(THREADS as usize))
    }

    /// The tiles as the kernel that joins the parts sees them; rows of the output are `stride` elements apart.
    pub fn parts(&self, stride: usize) -> Parts {
        Parts { tile: self.tile, cols: self.cols, stride }
    }

    /// Bytes of the workspace for sums of type `S`.
    pub fn bytes<S>(&self) -> usize {
        (self.tiles + 1) * size_of::<Start>() + 2 * self.shared_elements() * size_of::<S>()
    }

    /// The workspace.
    pub fn workspace<S: GpuType>(&self, target: &Target) -> Result<Workspace<S>, KernelError> {
        let device = &target.device;
        Ok(Workspace {
            starts: device.alloc_zeroed(self.tiles + 1)?,
            heads: device.alloc_zeroed(self.shared_elements())?,
            tails: device.alloc_zeroed(self.shared_elements())?,
        })
    }

    fn shared_elements(&self) -> usize {
        self.tiles.saturating_mul(self.cols)
    }
}

/// Launches that begin before the one before has ended, where kernels can wait for it.
pub(super) fn early<'a, K: Kernel>(launch: Launch<'a, K>, limits: &Limits) -> Launch<'a, K> {
    if is_early(limits) { launch.programmatic_serialization() } else { launch }
}

/// Returns whether kernels can wait for the one before by themselves.
pub(super) fn is_early(limits: &Limits) -> bool {
    limits.compute >= (9, 0)
}
