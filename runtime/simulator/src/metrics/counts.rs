//! Counts of a line or of a launch, and what follows from them.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use warpsmith_ir::ir::TensorFormat;

use super::SECTOR;
use crate::simulator::Operation;

/// Loads, stores or copies of global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Traffic {
    /// Instructions, each counted once for its warp.
    pub requests: u64,
    /// Lanes that took part.
    pub lanes: u64,
    /// Sectors of 32 bytes, each counted once for each request that touches it.
    pub sectors: u64,
    /// Sectors that the same bytes fill if they lie side by side.
    pub ideal_sectors: u64,
    /// Bytes that lanes asked for, each counted once for each request.
    pub bytes: u64,
}

impl Traffic {
    /// Bytes used of each sector that is moved, in percent; 100 without any.
    pub fn efficiency(&self) -> f64 {
        percent(self.bytes, self.sectors * SECTOR)
    }

    /// Sectors of a request, on average.
    pub fn sectors_per_request(&self) -> f64 {
        ratio(self.sectors, self.requests)
    }
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.lanes += other.lanes;
        self.sectors += other.sectors;
        self.ideal_sectors += other.ideal_sectors;
        self.bytes += other.bytes;
    }
}

/// Loads, stores or copies of the block's own shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Banks {
    /// Instructions, each counted once for its warp.
    pub requests: u64,
    /// Lanes that took part.
    pub lanes: u64,
    /// Passes through the banks.
    pub wavefronts: u64,
    /// Passes that accesses of this width need if no two words share a bank: up to 32 bits a lane one, of 64 bits
    /// one for each half of the warp, of 128 bits one for each quarter; half of that where the warp loads in pairs.
    pub ideal_wavefronts: u64,
    /// Bytes that lanes asked for, each counted once for each request.
    pub bytes: u64,
}

impl Banks {
    /// Wavefronts beyond the ideal: what conflicts of banks cost.
    pub fn conflicts(&self) -> u64 {
        self.wavefronts.saturating_sub(self.ideal_wavefronts)
    }

    /// Wavefronts of a request, on average.
    pub fn wavefronts_per_request(&self) -> f64 {
        ratio(self.wavefronts, self.requests)
    }
}

impl AddAssign for Banks {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.lanes += other.lanes;
        self.wavefronts += other.wavefronts;
        self.ideal_wavefronts += other.ideal_wavefronts;
        self.bytes += other.bytes;
    }
}

/// Atomic operations on global or shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Atomics {
    /// Instructions, each counted once for its warp.
    pub requests: u64,
    /// Lanes that took part.
    pub lanes: u64,
    /// Sectors of 32 bytes, anew for each turn that lanes of one address take.
    pub sectors: u64,
    /// The turns that lanes take: for each request, the largest number of lanes at one address, added up.
    pub turns: u64,
    /// The most lanes that met at one address in any request.
    pub contention: u64,
}

impl Atomics {
    /// Lanes that meet at the busiest address of a request, on average; 1 without contention.
    pub fn turns_per_request(&self) -> f64 {
        ratio(self.turns, self.requests)
    }
}

impl AddAssign for Atomics {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.lanes += other.lanes;
        self.sectors += other.sectors;
        self.turns += other.turns;
        self.contention = self.contention.max(other.contention);
    }
}

/// Copies that the copy engine does: each is one request, of one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bulk {
    /// Copies, of a box or of bytes side by side; one that is multicast is one.
    pub requests: u64,
    /// Bytes that they write: in each block of a multicast, and with those that a load fills outside a matrix.
    pub bytes: u64,
    /// Sectors of 32 bytes of global memory, each counted once for each copy that touches it.
    pub sectors: u64,
}

impl Bulk {
    /// Bytes of a copy, on average.
    pub fn bytes_per_request(&self) -> f64 {
        ratio(self.bytes, self.requests)
    }
}

impl AddAssign for Bulk {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.sectors += other.sectors;
    }
}

/// Waits for phases of barriers that count arrivals and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waits {
    /// Phases that were found complete, each counted once for its warp.
    pub executed: u64,
    /// Lanes that took part.
    pub lanes: u64,
    /// Those of `executed` at which some lane had found the phase incomplete before.
    ///
    /// On the simulator a thread runs until it must wait, and the copy engine moves bytes as late as it may: a wait that is
    /// not delayed needs nothing that the launch still has to do. How long a GPU waits, no simulator knows.
    pub delayed: u64,
}

impl AddAssign for Waits {
    fn add_assign(&mut self, other: Self) {
        self.executed += other.executed;
        self.lanes += other.lanes;
        self.delayed += other.delayed;
    }
}

/// Branches: conditions of `if`, of loops, of `&&` and `||`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Branches {
    /// Executed, each counted once for its warp.
    pub executed: u64,
    /// Those at which lanes of one warp went both ways.
    pub divergent: u64,
    /// Lanes that took part.
    pub lanes: u64,
}

impl Branches {
    /// Branches at which all active lanes of a warp went one way, in percent; 100 without any.
    pub fn efficiency(&self) -> f64 {
        percent(self.executed - self.divergent, self.executed)
    }
}

impl AddAssign for Branches {
    fn add_assign(&mut self, other: Self) {
        self.executed += other.executed;
        self.divergent += other.divergent;
        self.lanes += other.lanes;
    }
}

/// How often something was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Executed {
    /// By warps.
    pub warps: u64,
    /// By threads.
    pub threads: u64,
}

impl AddAssign for Executed {
    fn add_assign(&mut self, other: Self) {
        self.warps += other.warps;
        self.threads += other.threads;
    }
}

/// All counts of a Rust line, or of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Loads of global memory.
    pub loads: Traffic,
    /// Stores to global memory.
    pub stores: Traffic,
    /// Reads of global memory by asynchronous copies.
    pub copies: Traffic,
    /// Loads of the block's own shared memory.
    pub shared_loads: Banks,
    /// Stores to the block's own shared memory.
    pub shared_stores: Banks,
    /// Writes to shared memory by asynchronous copies.
    pub shared_copies: Banks,
    /// Loads of matrices from the block's shared memory: rows of 16 bytes, eight at once.
    pub matrix_loads: Banks,
    /// Stores of matrices to the block's shared memory.
    pub matrix_stores: Banks,
    /// Copies by the copy engine from global memory.
    pub bulk_loads: Bulk,
    /// Copies by the copy engine to global memory.
    pub bulk_stores: Bulk,
    /// Reductions by the copy engine into global memory.
    pub bulk_reductions: Bulk,
    /// Copies by the copy engine to other blocks of the cluster.
    pub bulk_sends: Bulk,
    /// Waits for phases of barriers.
    pub waits: Waits,
    /// Atomics on global memory.
    pub atomics: Atomics,
    /// Atomics on the block's own shared memory.
    pub shared_atomics: Atomics,
    /// Accesses of the shared memory of other blocks of the cluster.
    pub remote: Executed,
    /// Loads of constant memory.
    pub constants: Executed,
    /// Branches.
    pub branches: Branches,
    /// Operations by kind.
    pub work: BTreeMap<Operation, Executed>,
}

impl AddAssign<&Counts> for Counts {
    fn add_assign(&mut self, other: &Counts) {
        self.loads += other.loads;
        self.stores += other.stores;
        self.copies += other.copies;
        self.shared_loads += other.shared_loads;
        self.shared_stores += other.shared_stores;
        self.shared_copies += other.shared_copies;
        self.matrix_loads += other.matrix_loads;
        self.matrix_stores += other.matrix_stores;
        self.bulk_loads += other.bulk_loads;
        self.bulk_stores += other.bulk_stores;
        self.bulk_reductions += other.bulk_reductions;
        self.bulk_sends += other.bulk_sends;
        self.waits += other.waits;
        self.atomics += other.atomics;
        self.shared_atomics += other.shared_atomics;
        self.remote += other.remote;
        self.constants += other.constants;
        self.branches += other.branches;
        for (work, executed) in &other.work {
            *self.work.entry(*work).or_default() += *executed;
        }
    }
}

impl Counts {
    /// Instructions that were told of: memory, branches and operations.
    ///
    /// Address arithmetic that Rust does not spell, moves, synchronisation and the compiler's own work are not among them.
    pub fn instructions(&self) -> Executed {
        let mut all = Executed::default();
        let mut add = |warps, threads| all += Executed { warps, threads };
        [self.loads, self.stores, self.copies].iter().for_each(|t| add(t.requests, t.lanes));
        // The instruction that reads for a copy also writes for it.
        let banks = [self.shared_loads, self.shared_stores, self.matrix_loads, self.matrix_stores];
        banks.iter().for_each(|b| add(b.requests, b.lanes));
        self.bulk().iter().for_each(|bulk| add(bulk.requests, bulk.requests));
        [self.atomics, self.shared_atomics].iter().for_each(|a| add(a.requests, a.lanes));
        add(self.branches.executed, self.branches.lanes);
        [self.remote, self.constants].iter().chain(self.work.values()).for_each(|e| add(e.warps, e.threads));
        all
    }

    /// Lanes that were active in an instruction, on average, of 32.
    pub fn active_lanes(&self) -> f64 {
        let all = self.instructions();
        ratio(all.threads, all.warps)
    }

    /// Floating-point operations of all threads; a fused multiply-add is two, a division or root one.
    ///
    /// Those of the tensor cores are counted by [`tensor_operations`](Self::tensor_operations).
    pub fn flops(&self) -> u64 {
        let each = |(work, executed): (&Operation, &Executed)| match work {
            Operation::FloatAdd(_) | Operation::FloatMul(_) | Operation::FloatSpecial(_) => executed.threads,
            Operation::FloatFma(_) => 2 * executed.threads,
            Operation::Integer | Operation::Convert | Operation::Tensor { .. } => 0,
        };
        self.work.iter().map(each).sum()
    }

    /// Operations of the tensor cores on all elements; a multiply-add is two.
    pub fn tensor_operations(&self) -> u64 {
        TensorFormat::ALL.into_iter().map(|format| self.tensor_operations_of(format)).sum()
    }

    /// Operations of the tensor cores on elements of a format.
    pub fn tensor_operations_of(&self, format: TensorFormat) -> u64 {
        let each = |(work, executed): (&Operation, &Executed)| match work {
            Operation::Tensor { each, of } if *of == format => 2 * u64::from(*each) * executed.threads,
            _ => 0,
        };
        self.work.iter().map(each).sum()
    }

    /// All copies by the copy engine: loads, stores, reductions, and copies to other blocks.
    pub(super) fn bulk(&self) -> [Bulk; 4] {
        [self.bulk_loads, self.bulk_stores, self.bulk_reductions, self.bulk_sends]
    }

    /// What goes through the banks of the block's shared memory: loads, stores, copies, loads and stores of matrices.
    pub(super) fn banks(&self) -> [Banks; 5] {
        [self.shared_loads, self.shared_stores, self.shared_copies, self.matrix_loads, self.matrix_stores]
    }

    /// Sectors of global memory of all requests, those of the copy engine included; atomics count as loads and stores do.
    pub fn sectors(&self) -> u64 {
        let bulk: u64 = self.bulk().iter().map(|bulk| bulk.sectors).sum();
        self.loads.sectors + self.stores.sectors + self.copies.sectors + self.atomics.sectors + bulk
    }

    /// Bytes between the multiprocessors and what lies behind them, if no cache helps: all sectors of all requests.
    pub fn sector_bytes(&self) -> u64 {
        self.sectors() * SECTOR
    }

    /// Wavefronts of shared memory.
    pub fn wavefronts(&self) -> u64 {
        self.banks().iter().map(|banks| banks.wavefronts).sum()
    }

    /// Wavefronts of shared memory beyond the ideal.
    pub fn conflicts(&self) -> u64 {
        self.banks().iter().map(|banks| banks.conflicts()).sum()
    }
}

/// A part of a whole, in percent; 100 of nothing.
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// The ratio of two counts; 0 if the second is 0.
fn ratio(of: u64, each: u64) -> f64 {
    if each == 0 { 0.0 } else { of as f64 / each as f64 }
}
