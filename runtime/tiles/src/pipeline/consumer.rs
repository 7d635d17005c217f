//! The warpgroups that empty the stages of a pipeline.

use core::mem::{offset_of, size_of};

use warpsmith_macros::gpu_impl;

use super::{Pipeline, StageTiles, Turn, over_a_pipeline};
use crate::device_api::index::thread_rank;
use crate::device_api::number::Num;
use crate::ir::{FieldType, StructType, Type};
use crate::tensor::Chain;
use crate::types::DeviceType;

/// Empties the stages of a [`Pipeline`] in turn. Each thread of a consuming warpgroup has its own.
#[derive(Debug)]
#[repr(C)]
pub struct Consumer<'a, S, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32> {
    pub(super) pipeline: Pipeline<'a, S, STAGES, CONSUMERS, BLOCKS>,
    pub(super) turn: Turn,
    /// The stage that a product in flight still reads, or `STAGES`.
    pub(super) held: u32,
}

/// A stage that is full.
#[derive(Debug)]
#[repr(C)]
#[must_use = "a stage that is not released is never filled again"]
pub struct Loaded<'a, S, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32> {
    pipeline: Pipeline<'a, S, STAGES, CONSUMERS, BLOCKS>,
    stage: u32,
}

over_a_pipeline! {
    Consumer { pipeline: Pipeline<'a, S, STAGES, CONSUMERS, BLOCKS>, turn: Turn, held: u32 }
    Loaded { pipeline: Pipeline<'a, S, STAGES, CONSUMERS, BLOCKS>, stage: u32 }
}

#[gpu_impl]
impl<'a, S: StageTiles, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32>
    Consumer<'a, S, STAGES, CONSUMERS, BLOCKS>
{
    /// Waits until the next stage is full.
    #[track_caller]
    pub fn wait(&mut self) -> Loaded<'a, S, STAGES, CONSUMERS, BLOCKS> {
        let stage = self.turn.stage;
        self.pipeline.full(stage).wait_for(self.turn.phase);
        self.turn.advance(STAGES as u32);
        Loaded { pipeline: self.pipeline, stage }
    }

    /// Releases a stage. The warpgroup's products of its tiles must be done.
    ///
    /// One thread of the warpgroup arrives at each block's barrier. If threads have read tiles by themselves, the warpgroup
    /// meets first, by `named_barrier_sync`.
    #[track_caller]
    pub fn release(&mut self, filled: Loaded<'a, S, STAGES, CONSUMERS, BLOCKS>) {
        self.give_back(filled.stage);
    }

    /// Holds a stage while the last product started reads it, and releases the stage that was held before, whose product is
    /// done.
    ///
    /// Each stage is read by one product. [`finish`](Self::finish) releases the last stage.
    #[track_caller]
    pub fn release_behind<D: Num, const N: usize>(
        &mut self,
        chain: &mut Chain<D, N>,
        filled: Loaded<'a, S, STAGES, CONSUMERS, BLOCKS>,
    ) {
        chain.wait::<1>();
        self.hold(filled);
    }

    /// Holds a stage, and gives back the stage that was held before, whose products are done.
    ///
    /// It waits for nothing. [`release_held`](Self::release_held) gives back the last stage.
    #[track_caller]
    pub fn hold(&mut self, filled: Loaded<'a, S, STAGES, CONSUMERS, BLOCKS>) {
        self.release_held();
        self.held = filled.stage;
    }

    /// Gives back the stage that is held, if there is one. The warpgroup's products of its tiles are done.
    #[track_caller]
    pub fn release_held(&mut self) {
        if self.held < STAGES as u32 {
            self.give_back(self.held);
        }
        self.held = STAGES as u32;
    }

    /// Waits for all products, which ends the chain, and releases the stage that was held.
    #[track_caller]
    pub fn finish<D: Num, const N: usize>(&mut self, chain: Chain<D, N>) {
        chain.finish();
        self.release_held();
    }

    /// Arrives at each block's barrier for a stage that the warpgroup no longer reads.
    #[track_caller]
    fn give_back(&self, stage: u32) {
        let place = thread_rank() % 128;
        if BLOCKS == 1 {
            if place == 0 {
                self.pipeline.empty(stage).arrive();
            }
        } else if place < BLOCKS {
            self.pipeline.empty(stage).arrive_at(place);
        }
    }
}

#[gpu_impl]
impl<'a, S: StageTiles, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32>
    Loaded<'a, S, STAGES, CONSUMERS, BLOCKS>
{
    /// The tiles of the stage, until it is released.
    pub fn tiles(&self) -> S::At<'_> {
        S::at(self.pipeline.memory(self.stage))
    }
}
