//! The choice and the launches of the kernels for weights and edges.

use warpsmith::driver::Limits;

use super::binned::Bounded;
use super::call::{COPIED, Histogram, stride_of};
use super::kernels::{BLOCK_THREADS, clear_bins};
use super::sums::{Room, Weight, sums_by_blocks, sums_in_memory};
use crate::argument::Input;
use crate::call::{Step, Target, step};
use crate::error::KernelError;

/// Where counters and edges are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// In `bytes` bytes of a block's shared memory.
    Block { room: Room, bytes: usize },
    /// In global memory.
    Memory,
}

impl Place {
    /// The place for a number of bins, and of edges.
    pub(super) fn of<T, W>(bins: usize, edges: usize, limits: &Limits) -> Self {
        let copies = (COPIED / (bins * size_of::<W>())).clamp(1, 32);
        let stride = stride_of(copies, bins);
        let first_edge = (copies * stride * size_of::<W>()).div_ceil(size_of::<T>());
        let bytes = (first_edge + edges) * size_of::<T>();
        if bytes > limits.shared_opt_in {
            return Place::Memory;
        }
        let (copies, stride, first_edge) = (copies as u32, stride as u32, first_edge as u32);
        Place::Block { room: Room { copies, stride, first_edge }, bytes }
    }

    /// The kernel, its shared memory, and why it was chosen.
    pub(super) fn plan(self, by_edges: bool) -> (&'static str, usize, String) {
        let edges = if by_edges { " and the edges" } else { "" };
        match self {
            Place::Block { room, bytes } => {
                let copies = room.copies;
                let why = format!("the lanes of a block share {copies} copies of the counters{edges}");
                ("sums_by_blocks", bytes, why)
            }
            Place::Memory => ("sums_in_memory", 0, format!("the counters{edges} outgrow shared memory")),
        }
    }
}

/// The launches that add weights, or count between edges.
pub(super) fn steps<'a, T: Bounded, W: Weight>(
    call: Histogram<'a, T, W>,
    grid: u32,
    target: &Target,
) -> Result<Vec<Step<'a>>, KernelError> {
    let bounds = call.bounds()?;
    let (by_edges, is_weighted) = (call.edges().is_some(), call.weights.is_some());
    let edges = call.edges().cloned().unwrap_or_else(|| call.x.nothing());
    let Histogram { x, weights, mut bins, is_clamped, .. } = call;
    let weights: Input<'a, W> = weights.unwrap_or_else(|| x.nothing().values());
    let mut cleared = bins.again();
    let clearing = (bins.len() as u32).div_ceil(BLOCK_THREADS).min(grid.max(64));
    let clear = step!(target, (clearing, BLOCK_THREADS), clear_bins::<W>(&mut cleared));
    let add = match Place::of::<T, W>(bins.len(), edges.len(), target.device.limits()) {
        Place::Block { room, bytes } => step!(
            target,
            shared(grid, BLOCK_THREADS, bytes),
            sums_by_blocks::<T, W>(
                &x,
                &weights,
                &edges,
                bounds,
                room,
                &mut bins,
                by_edges,
                is_weighted,
                is_clamped,
            )
        ),
        Place::Memory => step!(
            target,
            (grid, BLOCK_THREADS),
            sums_in_memory::<T, W>(
                &x,
                &weights,
                &edges,
                bounds,
                &mut bins,
                by_edges,
                is_weighted,
                is_clamped
            )
        ),
    };
    Ok(vec![clear, add])
}
