//! The thread that fills the stages of a pipeline.

use core::mem::{offset_of, size_of};

use warpsmith_macros::gpu_impl;

use super::{Pipeline, StageTiles, Turn, over_a_pipeline};
use crate::ir::{FieldType, StructType, Type};
use crate::tensor_map::copies::{
    CachePolicy, tma_load, tma_load_hint, tma_load_multicast, tma_load_multicast_hint,
};
use crate::tensor_map::{BoxLayout, LoadMap, MappedElement};
use crate::tile::Tile;
use crate::types::{DeviceType, IndexInteger};

/// Fills the stages of a [`Pipeline`] in turn. One thread of a block has it.
#[derive(Debug)]
#[repr(C)]
pub struct Producer<'a, S, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32> {
    pub(super) pipeline: Pipeline<'a, S, STAGES, CONSUMERS, BLOCKS>,
    pub(super) turn: Turn,
}

/// A free stage, which the producer fills.
#[derive(Debug)]
#[repr(C)]
#[must_use = "a stage that is not committed is never full, and its consumers wait for ever"]
pub struct Slot<'a, S, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32> {
    pipeline: Pipeline<'a, S, STAGES, CONSUMERS, BLOCKS>,
    stage: u32,
}

over_a_pipeline! {
    Producer { pipeline: Pipeline<'a, S, STAGES, CONSUMERS, BLOCKS>, turn: Turn }
    Slot { pipeline: Pipeline<'a, S, STAGES, CONSUMERS, BLOCKS>, stage: u32 }
}

#[gpu_impl]
impl<'a, S: StageTiles, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32>
    Producer<'a, S, STAGES, CONSUMERS, BLOCKS>
{
    /// Waits until the next stage is free.
    #[track_caller]
    pub fn acquire(&mut self) -> Slot<'a, S, STAGES, CONSUMERS, BLOCKS> {
        let stage = self.turn.stage;
        self.pipeline.empty(stage).wait_for(self.turn.phase);
        self.turn.advance(STAGES as u32);
        Slot { pipeline: self.pipeline, stage }
    }

    /// Hands a stage over to the consumers, which wait for the copies of all its tiles.
    #[track_caller]
    pub fn commit(&mut self, slot: Slot<'a, S, STAGES, CONSUMERS, BLOCKS>) {
        self.pipeline.full(slot.stage).expect(S::BYTES);
    }

    /// Waits until the consumers of all blocks have released every committed stage. No other block arrives at this block's
    /// barriers afterwards, so the block may exit.
    #[track_caller]
    pub fn drain(mut self) {
        for _ in 0..STAGES {
            self.pipeline.empty(self.turn.stage).wait_for(self.turn.phase);
            self.turn.advance(STAGES as u32);
        }
    }
}

#[gpu_impl]
impl<'a, S: StageTiles, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32>
    Slot<'a, S, STAGES, CONSUMERS, BLOCKS>
{
    /// The tiles of the stage, until it is committed.
    pub fn tiles(&self) -> S::At<'_> {
        S::at(self.pipeline.memory(self.stage))
    }
}

#[gpu_impl]
impl<'a, S: StageTiles, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32>
    Slot<'a, S, STAGES, CONSUMERS, BLOCKS>
{
    /// Starts the copy of a box into a tile of the stage. The box begins at these coordinates, `[row, col]` in a matrix.
    #[track_caller]
    pub fn load<
        T: MappedElement,
        const ROWS: usize,
        const COLS: usize,
        L: BoxLayout,
        M: LoadMap<T, ROWS, COLS, L, RANK>,
        const RANK: usize,
        I: IndexInteger,
    >(
        &self,
        tile: Tile<T, ROWS, COLS, L>,
        map: &M,
        at: [I; RANK],
    ) {
        tma_load(tile, map, at, self.pipeline.full(self.stage));
    }

    /// Starts the copy of a box into the same tile of each block of the cluster whose bit is set in `blocks`. The stage of each
    /// of these blocks waits for it.
    #[track_caller]
    pub fn load_multicast<
        T: MappedElement,
        const ROWS: usize,
        const COLS: usize,
        L: BoxLayout,
        M: LoadMap<T, ROWS, COLS, L, RANK>,
        const RANK: usize,
        I: IndexInteger,
    >(
        &self,
        tile: Tile<T, ROWS, COLS, L>,
        map: &M,
        at: [I; RANK],
        blocks: u16,
    ) {
        tma_load_multicast(tile, map, at, self.pipeline.full(self.stage), blocks);
    }

    /// Like [`load`](Self::load), with a policy for how long the L2 cache keeps the box.
    #[track_caller]
    pub fn load_hint<
        T: MappedElement,
        const ROWS: usize,
        const COLS: usize,
        L: BoxLayout,
        M: LoadMap<T, ROWS, COLS, L, RANK>,
        const RANK: usize,
        I: IndexInteger,
    >(
        &self,
        tile: Tile<T, ROWS, COLS, L>,
        map: &M,
        at: [I; RANK],
        policy: CachePolicy,
    ) {
        tma_load_hint(tile, map, at, self.pipeline.full(self.stage), policy);
    }

    /// Like [`load_multicast`](Self::load_multicast), with a policy for how long the L2 cache keeps the box.
    #[track_caller]
    pub fn load_multicast_hint<
        T: MappedElement,
        const ROWS: usize,
        const COLS: usize,
        L: BoxLayout,
        M: LoadMap<T, ROWS, COLS, L, RANK>,
        const RANK: usize,
        I: IndexInteger,
    >(
        &self,
        tile: Tile<T, ROWS, COLS, L>,
        map: &M,
        at: [I; RANK],
        blocks: u16,
        policy: CachePolicy,
    ) {
        tma_load_multicast_hint(tile, map, at, self.pipeline.full(self.stage), blocks, policy);
    }
}
