//! Stages of tiles, which one thread fills with the copy engine, and warpgroups empty in turn.
//!
//! Written in the kernel language itself, on [`Barrier`]s and tensor copies. Only this module handles phases, arrivals and byte
//! counts. A kernel handles guards, which are consumed.

mod consumer;
mod producer;
mod stage;

use core::marker::PhantomData;
use core::mem::{offset_of, size_of};

use warpsmith_macros::{GpuType, gpu_impl};

use crate::device_api::barrier::{Barrier, Phase};
use crate::device_api::cluster::cluster_sync;
use crate::device_api::index::thread_rank;
use crate::device_api::mbarrier::fence_mbarrier_init;
use crate::device_api::sync::sync_threads;
use crate::ir::{FieldType, StructType, Type};
use crate::types::{DeviceType, GpuType, InShared};

pub use crate::tile::tile_at;
pub use consumer::{Consumer, Loaded};
pub use producer::{Producer, Slot};
pub use stage::{StagePart, StageTiles, largest};

/// `STAGES` stages of tiles in the block's shared memory. One thread fills them, and `CONSUMERS` warpgroups in each of
/// `BLOCKS` blocks of a cluster empty them.
///
/// `shared!(Pipeline<S, STAGES, CONSUMERS, BLOCKS>)` declares it and initialises its barriers; all threads of the block, or of the
/// cluster, must reach it. One thread of each block calls [`producer`](Self::producer), and all threads of each consuming warpgroup
/// call [`consumer`](Self::consumer). `BLOCKS` is more than 1 if blocks of a cluster fill each other's stages by
/// [`Slot::load_multicast`]. A stage is then free when the consumers of all these blocks have released it. Compute capability 9.0.
#[derive(Debug)]
#[repr(C)]
pub struct Pipeline<'a, S, const STAGES: usize, const CONSUMERS: u32 = 1, const BLOCKS: u32 = 1> {
    /// The stages, then the barriers of full stages, then the barriers of empty stages.
    words: *mut u64,
    memory: PhantomData<(&'a u64, S)>,
}

impl<S, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32> Clone
    for Pipeline<'_, S, STAGES, CONSUMERS, BLOCKS>
{
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32> Copy
    for Pipeline<'_, S, STAGES, CONSUMERS, BLOCKS>
{
}

/// The turn of a producer or a consumer: its stage, and the phase that it waits for there.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Turn {
    stage: u32,
    phase: Phase,
}

#[gpu_impl]
impl Turn {
    /// Advances to the next stage; after the last of `stages`, to the first one in the next phase.
    fn advance(&mut self, stages: u32) {
        self.stage += 1;
        if self.stage == stages {
            self.stage = 0;
            self.phase = self.phase.next();
        }
    }
}

/// Implements `DeviceType` for structs over a pipeline, with their fields as declared.
macro_rules! over_a_pipeline {
    ($($name:ident { $($field:ident: $ty:ty),+ })+) => {$(
        impl<'a, S: DeviceType, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32> DeviceType
            for $name<'a, S, STAGES, CONSUMERS, BLOCKS>
        {
            type Erased = $name<'static, S::Erased, STAGES, CONSUMERS, BLOCKS>;

            fn ty() -> Type {
                let fields = vec![$(
                    FieldType { name: stringify!($field), ty: <$ty>::ty(), offset: offset_of!(Self, $field) }
                ),+];
                let name = format!(
                    concat!(stringify!($name), "_{}_{}_{}_{}"),
                    S::ty().suffix(), STAGES, CONSUMERS, BLOCKS
                );
                let (size, align) = (size_of::<Self>(), align_of::<Self>());
                Type::Struct(StructType::new(name, fields, size, align).into())
            }
        }
    )+};
}
use over_a_pipeline;

over_a_pipeline! { Pipeline { words: *mut u64 } }

// SAFETY: an address; what it is of is a type alone.
unsafe impl<S: DeviceType, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32> GpuType
    for Pipeline<'_, S, STAGES, CONSUMERS, BLOCKS>
{
}

impl<S: StageTiles, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32>
    Pipeline<'_, S, STAGES, CONSUMERS, BLOCKS>
{
    /// Words of a stage.
    const WORDS: usize = {
        assert!(STAGES >= 1 && STAGES <= 64, "a pipeline has 1 to 64 stages");
        assert!(CONSUMERS >= 1 && CONSUMERS <= 8, "a pipeline has 1 to 8 warpgroups that consume");
        assert!(BLOCKS >= 1 && BLOCKS <= 16, "a pipeline is of 1 to 16 blocks of a cluster");
        assert!(
            STAGES * S::SIZE + 16 * STAGES <= 232_448,
            "a pipeline takes at most 227 KiB of shared memory: declare fewer stages, or smaller tiles"
        );
        S::SIZE / 8
    };
    /// Arrivals that make a stage free.
    const RELEASES: u32 = CONSUMERS * BLOCKS;
}

impl<S: StageTiles, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32> InShared
    for Pipeline<'_, S, STAGES, CONSUMERS, BLOCKS>
{
    type Element = u64;
    const LEN: usize = STAGES * (Self::WORDS + 2);
    const ALIGN: u32 = S::ALIGN;
}

#[gpu_impl]
impl<'a, S: StageTiles, const STAGES: usize, const CONSUMERS: u32, const BLOCKS: u32>
    Pipeline<'a, S, STAGES, CONSUMERS, BLOCKS>
{
    /// The pipeline in `memory`, which is shared, aligned as [`InShared::ALIGN`] says and of [`LEN`](InShared::LEN) words; all threads
    /// meet.
    #[track_caller]
    pub fn new(memory: &'a mut [u64]) -> Pipeline<'a, S, STAGES, CONSUMERS, BLOCKS> {
        debug_assert!(memory.len() == Self::LEN, "the memory of a pipeline has another length");
        let pipeline = Pipeline { words: memory.as_mut_ptr(), memory: PhantomData };
        pipeline.init();
        pipeline
    }

    /// Makes the barriers.
    #[track_caller]
    fn init(self) {
        if thread_rank() == 0 {
            for stage in 0..STAGES as u32 {
                self.full(stage).init(1);
                self.empty(stage).init(Self::RELEASES);
            }
            fence_mbarrier_init();
        }
        if BLOCKS > 1 {
            cluster_sync();
        } else {
            sync_threads();
        }
    }

    /// The producer, which begins with the first stage. One thread of the block calls this.
    pub fn producer(self) -> Producer<'a, S, STAGES, CONSUMERS, BLOCKS> {
        Producer { pipeline: self, turn: Turn { stage: 0, phase: Phase::passed() } }
    }

    /// A consumer, which begins with the first stage. All threads of each consuming warpgroup call this.
    pub fn consumer(self) -> Consumer<'a, S, STAGES, CONSUMERS, BLOCKS> {
        Consumer { pipeline: self, turn: Turn { stage: 0, phase: Phase::first() }, held: STAGES as u32 }
    }

    /// The barrier whose phase completes when a stage is full.
    fn full(self, stage: u32) -> &'a Barrier {
        unsafe { &*(self.words.wrapping_add(STAGES * Self::WORDS + stage as usize) as *const Barrier) }
    }

    /// The barrier whose phase completes when a stage is empty.
    fn empty(self, stage: u32) -> &'a Barrier {
        unsafe { &*(self.words.wrapping_add(STAGES * (Self::WORDS + 1) + stage as usize) as *const Barrier) }
    }

    /// The memory of a stage.
    fn memory(self, stage: u32) -> *mut u64 {
        self.words.wrapping_add(stage as usize * Self::WORDS)
    }
}
