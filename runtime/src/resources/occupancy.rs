//! The number of blocks that are resident on a multiprocessor, the limit that keeps it there, and the change that would
//! raise it.

use std::fmt;

use super::multiprocessor::WARP;
use super::{Multiprocessor, Resources};
use crate::error::ReportError;
use crate::shape::Dim3;

/// The blocks of a kernel that are resident on one multiprocessor.
///
/// Source: CUDA Driver API, `cuOccupancyMaxActiveBlocksPerMultiprocessor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occupancy {
    /// Threads of a block.
    pub threads: u32,
    /// Blocks that are resident; zero if one does not fit.
    pub blocks: u32,
    /// Blocks that each resource would allow alone.
    pub allowed: Allowed,
    /// Clusters that are resident on the whole device, as the driver reports; `None` without clusters or GPU.
    pub clusters: Option<u32>,
    registers: u32,
    shared: u32,
    multiprocessor: Multiprocessor,
}

/// Blocks that each resource would allow alone; `u32::MAX` where a kernel takes none of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Allowed {
    /// The limit by the blocks of a multiprocessor.
    pub blocks: u32,
    /// The limit by its threads.
    pub threads: u32,
    /// The limit by its registers.
    pub registers: u32,
    /// The limit by its shared memory.
    pub shared: u32,
}

/// The limit that keeps more blocks from being resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limiter {
    /// The blocks of a multiprocessor.
    Blocks,
    /// Its threads.
    Threads,
    /// Its registers.
    Registers,
    /// Its shared memory.
    Shared,
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limiter::Blocks => "resident blocks",
            Limiter::Threads => "threads",
            Limiter::Registers => "registers",
            Limiter::Shared => "shared memory",
        })
    }
}

impl Occupancy {
    /// The occupancy of blocks of a shape on a multiprocessor.
    ///
    /// # Errors
    /// [`ReportError::Block`] for a block that no device can launch.
    pub fn new(
        resources: &Resources,
        multiprocessor: &Multiprocessor,
        block: impl Into<Dim3>,
    ) -> Result<Self, ReportError> {
        let threads: u64 = block.into().0.iter().map(|extent| u64::from(*extent)).product();
        let limit = multiprocessor.threads_per_block;
        let fits = u32::try_from(threads).ok().filter(|threads| (1..=limit).contains(threads));
        let threads = fits.ok_or(ReportError::Block { threads, limit })?;
        let shared = resources.static_shared.saturating_add(resources.dynamic_shared);
        let mut allowed = Allowed {
            blocks: multiprocessor.blocks,
            threads: multiprocessor.threads / (threads.div_ceil(WARP) * WARP),
            registers: by_registers(multiprocessor, resources.registers, threads),
            shared: by_shared(multiprocessor, shared),
        };
        if threads > resources.max_threads {
            // The launch bounds, or the registers, allow no such block.
            allowed.threads = 0;
        }
        let blocks = allowed.blocks.min(allowed.threads).min(allowed.registers).min(allowed.shared);
        let (registers, multiprocessor) = (resources.registers, *multiprocessor);
        Ok(Self { threads, blocks, allowed, clusters: None, registers, shared, multiprocessor })
    }

    /// The block size with the most resident threads; the largest of several.
    pub(super) fn best(
        resources: &Resources,
        multiprocessor: &Multiprocessor,
    ) -> Result<(u32, Self), ReportError> {
        let largest = resources.max_threads.min(multiprocessor.threads_per_block).max(1);
        let mut best = Self::new(resources, multiprocessor, largest)?;
        for threads in (1..largest.div_ceil(WARP)).rev().map(|warps| warps * WARP) {
            let other = Self::new(resources, multiprocessor, threads)?;
            if other.blocks * other.threads > best.blocks * best.threads {
                best = other;
            }
        }
        Ok((best.threads, best))
    }

    /// Resident warps of a multiprocessor.
    pub fn warps(&self) -> u32 {
        self.blocks * self.threads.div_ceil(WARP)
    }

    /// Warps that a multiprocessor can hold.
    pub fn max_warps(&self) -> u32 {
        self.multiprocessor.threads / WARP
    }

    /// Resident warps as a part of all that a multiprocessor can hold, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        f64::from(self.warps()) / f64::from(self.max_warps())
    }

    /// The resources that limit the resident blocks; at least one, and all of them if several limit equally.
    pub fn limiters(&self) -> Vec<Limiter> {
        let Allowed { blocks, threads, registers, shared } = self.allowed;
        let all = [
            (Limiter::Blocks, blocks),
            (Limiter::Threads, threads),
            (Limiter::Registers, registers),
            (Limiter::Shared, shared),
        ];
        all.into_iter().filter(|(_, allows)| *allows == self.blocks).map(|(limiter, _)| limiter).collect()
    }

    /// The greatest number of registers of a thread with which `blocks` blocks are resident, as far as registers go.
    pub fn registers_for(&self, blocks: u32) -> Option<u32> {
        let fits = |registers: &u32| by_registers(&self.multiprocessor, *registers, self.threads) >= blocks;
        (1..=self.multiprocessor.registers_per_thread).rev().find(fits)
    }

    /// The greatest shared memory of a block, in bytes, with which `blocks` blocks are resident, as far as shared memory
    /// goes.
    pub fn shared_for(&self, blocks: u32) -> Option<u32> {
        let of = &self.multiprocessor;
        let each = of.shared.checked_div(blocks)? / of.shared_unit * of.shared_unit;
        each.checked_sub(of.shared_reserved).map(|bytes| bytes.min(of.shared_per_block))
    }

    /// The change that would allow more blocks; `None` if the multiprocessor already holds all the warps it can.
    pub fn advice(&self) -> Option<String> {
        if self.warps() == self.max_warps() {
            return None;
        }
        let limiters = self.limiters();
        if limiters.contains(&Limiter::Threads) || limiters.contains(&Limiter::Blocks) {
            return Some(self.other_block());
        }
        let blocks = self.blocks + 1;
        let mut steps = Vec::new();
        for limiter in limiters {
            steps.push(match limiter {
                Limiter::Registers => match self.registers_for(blocks) {
                    Some(fewer) => format!("{fewer} registers a thread instead of {}", self.registers),
                    None => return Some(self.other_block()),
                },
                Limiter::Shared => match self.shared_for(blocks) {
                    Some(less) => format!("{less} bytes of shared memory a block instead of {}", self.shared),
                    None => return Some(self.other_block()),
                },
                Limiter::Blocks | Limiter::Threads => continue,
            });
        }
        let s = if blocks == 1 { "" } else { "s" };
        Some(format!("{} would allow {blocks} block{s}", steps.join(" and ")))
    }

    fn other_block(&self) -> String {
        if self.blocks == self.allowed.blocks {
            return "larger blocks would allow more warps".into();
        }
        if self.blocks == 0 {
            return "the kernel's registers or launch bounds allow smaller blocks only".into();
        }
        "blocks of another size would leave fewer threads unused".into()
    }
}

/// Blocks that the registers allow.
fn by_registers(multiprocessor: &Multiprocessor, registers: u32, threads: u32) -> u32 {
    let warps = threads.div_ceil(WARP);
    let warp = multiprocessor.registers_of_warp(registers);
    let block = u64::from(warp) * u64::from(warps.next_multiple_of(multiprocessor.partitions));
    if registers > multiprocessor.registers_per_thread
        || block > u64::from(multiprocessor.registers_per_block)
    {
        return 0;
    }
    match multiprocessor.warps_by_registers(registers) {
        u32::MAX => u32::MAX,
        resident => resident / warps,
    }
}

/// Blocks that the shared memory allows.
fn by_shared(multiprocessor: &Multiprocessor, bytes: u32) -> u32 {
    if bytes > multiprocessor.shared_per_block {
        return 0;
    }
    multiprocessor.shared.checked_div(multiprocessor.shared_of_block(bytes)).unwrap_or(u32::MAX)
}

impl fmt::Display for Occupancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (warps, all) = (self.warps(), self.max_warps());
        let percent = self.fraction() * 100.0;
        writeln!(f, "occupancy {percent:.1} %: {warps} of {all} warps of a multiprocessor")?;
        let s = if self.blocks == 1 { "" } else { "s" };
        let limiters = self.limiters().iter().map(Limiter::to_string).collect::<Vec<_>>().join(" and ");
        write!(f, "  {} block{s} of {} threads; limited by {limiters}", self.blocks, self.threads)?;
        if let Some(clusters) = self.clusters {
            write!(f, "\n  {clusters} clusters on the device")?;
        }
        self.advice().map_or(Ok(()), |advice| write!(f, "\n  {advice}"))
    }
}

#[cfg(test)]
#[path = "occupancy_tests.rs"]
mod tests;
