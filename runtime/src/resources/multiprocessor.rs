//! The resources of a multiprocessor, by compute capability.

use crate::error::ReportError;

/// The resources that the blocks on a multiprocessor share. Shared memory is in bytes.
///
/// Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; the units of
/// allocation are those of the toolkit's occupancy calculator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Multiprocessor {
    /// Compute capability.
    pub compute: (u32, u32),
    /// Threads.
    pub threads: u32,
    /// Blocks.
    pub blocks: u32,
    /// Threads of one block.
    pub threads_per_block: u32,
    /// Registers of 32 bits.
    pub registers: u32,
    /// Registers of one block.
    pub registers_per_block: u32,
    /// Registers that a warp takes are a multiple of this.
    pub register_unit: u32,
    /// Registers of one thread.
    pub registers_per_thread: u32,
    /// Parts that the registers and warps are divided among.
    pub partitions: u32,
    /// Shared memory.
    pub shared: u32,
    /// Shared memory of one block, opt-in.
    pub shared_per_block: u32,
    /// Shared memory that the system takes of each block.
    pub shared_reserved: u32,
    /// Shared memory that a block takes is a multiple of this.
    pub shared_unit: u32,
}

/// Lanes of a warp.
pub(super) const WARP: u32 = crate::limits::WARP;

/// Compute capability, resident blocks and warps, KiB of shared memory.
type Row = ((u32, u32), u32, u32, u32);

const TABLE: [Row; 14] = [
    ((7, 0), 32, 64, 96),
    ((7, 2), 32, 64, 96),
    ((7, 5), 16, 32, 64),
    ((8, 0), 32, 64, 164),
    ((8, 6), 16, 48, 100),
    ((8, 7), 16, 48, 164),
    ((8, 9), 24, 48, 100),
    ((9, 0), 32, 64, 228),
    ((10, 0), 32, 64, 228),
    ((10, 3), 32, 64, 228),
    ((10, 1), 24, 48, 228),
    ((11, 0), 24, 48, 228),
    ((12, 0), 24, 48, 100),
    ((12, 1), 24, 48, 100),
];

impl Multiprocessor {
    /// The multiprocessor of a compute capability, from the table.
    ///
    /// # Errors
    /// [`ReportError::Compute`] if it is not in the table: a guess would look like a figure.
    pub fn of(compute: (u32, u32)) -> Result<Self, ReportError> {
        let row = TABLE.iter().find(|(known, ..)| *known == compute);
        let (_, blocks, warps, shared) = row.ok_or(ReportError::Compute { compute })?;
        let reserved = if compute >= (8, 0) { 1 << 10 } else { 0 };
        Ok(Self {
            compute,
            threads: warps * WARP,
            blocks: *blocks,
            threads_per_block: crate::limits::BLOCK_THREADS,
            registers: 1 << 16,
            registers_per_block: 1 << 16,
            register_unit: 256,
            registers_per_thread: crate::limits::REGISTERS,
            partitions: 4,
            shared: shared << 10,
            shared_per_block: (shared << 10) - reserved,
            shared_reserved: reserved,
            shared_unit: shared_unit(compute),
        })
    }

    /// The compute capabilities of the table.
    #[cfg(test)]
    pub(crate) fn capabilities() -> impl Iterator<Item = (u32, u32)> {
        TABLE.iter().map(|(compute, ..)| *compute)
    }

    /// Registers that a warp takes.
    pub(super) fn registers_of_warp(&self, registers: u32) -> u32 {
        (registers * WARP).next_multiple_of(self.register_unit)
    }

    /// The number of resident warps with this number of registers a thread; they are spread evenly over the parts.
    pub(super) fn warps_by_registers(&self, registers: u32) -> u32 {
        match self.registers_of_warp(registers) {
            0 => u32::MAX,
            warp => self.registers / self.partitions / warp * self.partitions,
        }
    }

    /// Threads of the largest block with this number of registers a thread.
    pub(super) fn largest_block(&self, registers: u32) -> u32 {
        let warps = match self.registers_of_warp(registers) {
            0 => u32::MAX / WARP,
            warp => self.registers_per_block / self.partitions / warp * self.partitions,
        };
        self.threads_per_block.min(warps * WARP)
    }

    /// Shared memory that a block takes.
    pub(super) fn shared_of_block(&self, bytes: u32) -> u32 {
        bytes
            .saturating_add(self.shared_reserved)
            .checked_next_multiple_of(self.shared_unit)
            .unwrap_or(u32::MAX)
    }
}

pub(crate) fn shared_unit(compute: (u32, u32)) -> u32 {
    if compute >= (8, 0) { 128 } else { 256 }
}

/// The driver's own figures of a device; only the units of allocation are from the table.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_capability_once_and_no_other() {
        for (i, (compute, ..)) in TABLE.iter().enumerate() {
            assert!(TABLE[..i].iter().all(|(other, ..)| other != compute), "{compute:?} twice");
        }
        let refused = Multiprocessor::of((6, 1)).expect_err("not in the table").to_string();
        assert!(refused.contains("compute capability 6.1; the table has 7.0 to 12.1"), "{refused}");
    }
}
