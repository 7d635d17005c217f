//! The memory in which the tiles of a launch exchange sums, made on the host.

use warpsmith::Buffer;

use super::Word;
use super::word::MOST_HALVES;
use crate::call::Target;
use crate::error::KernelError;

/// Words of tiles, the counter from which blocks take tiles, and the number of the next launch.
pub struct Exchange {
    pub words: Buffer<u64>,
    pub next_tile: Buffer<u32>,
    pub launch: u32,
}

impl Exchange {
    /// The memory for `tiles` tiles with sums of type `W`.
    ///
    /// # Errors
    /// Those of allocating.
    pub fn new<W: Word>(tiles: u32, target: &Target) -> Result<Self, KernelError> {
        const { assert!(1 <= W::HALVES && W::HALVES <= MOST_HALVES, "a `Word` has one to four halves") };
        Ok(Self {
            words: target.device.alloc_zeroed(tiles as usize * W::HALVES)?,
            next_tile: target.device.alloc_zeroed(1)?,
            launch: 1,
        })
    }

    /// Bytes of this memory.
    pub fn bytes<W: Word>(tiles: u32) -> usize {
        tiles as usize * W::HALVES * size_of::<u64>() + size_of::<u32>()
    }

    /// Numbers the next launch. A failed launch has used its number.
    pub fn advance(&mut self) {
        // Words have 31 bits for the number, and zero is the number of no launch.
        self.launch = self.launch % (u32::MAX / 2) + 1;
    }
}
