//! The counts so far: each request is counted at its line, once all its lanes are known.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::SECTOR;
use super::address::Addresses;
use super::counts::{Atomics, Banks, Branches, Bulk, Counts, Executed, Traffic, Waits};
use super::footprint::Footprint;
use super::pattern::{BankMap, Cost, Pattern, PatternKind};
use super::requests;
use super::warp::{Class, Key};
use crate::simulator::{Access, Line, Space, TransferEvent, TransferKind};

#[derive(Default)]
pub(super) struct Counted {
    pub lines: FxHashMap<Line, Counts>,
    pub patterns: BTreeMap<(Line, PatternKind), Pattern>,
    pub banks: BTreeMap<(Line, PatternKind), BankMap>,
    pub footprint: Footprint,
    /// Requests that were counted before it was certain that no lane joins them.
    pub forced: u64,
}

impl Counted {
    /// Counts a request.
    pub fn request(&mut self, key: &Key, addresses: &Addresses) {
        let counts = self.lines.entry(key.by.at).or_default();
        let bytes = key.bytes;
        let cost = match key.class {
            Class::Load => traffic(&mut counts.loads, &mut self.footprint, addresses, bytes, [true, false]),
            Class::Copy => traffic(&mut counts.copies, &mut self.footprint, addresses, bytes, [true, false]),
            Class::Store => traffic(&mut counts.stores, &mut self.footprint, addresses, bytes, [false, true]),
            Class::SharedLoad => banks(&mut counts.shared_loads, addresses, bytes, PatternKind::SharedLoad),
            Class::SharedStore => {
                banks(&mut counts.shared_stores, addresses, bytes, PatternKind::SharedStore)
            }
            Class::SharedCopy => banks(&mut counts.shared_copies, addresses, bytes, PatternKind::SharedStore),
            Class::MatrixLoad => banks(&mut counts.matrix_loads, addresses, bytes, PatternKind::MatrixLoad),
            Class::MatrixStore => {
                banks(&mut counts.matrix_stores, addresses, bytes, PatternKind::MatrixStore)
            }
            Class::Atomic => {
                touch(&mut self.footprint, addresses, bytes, [true, true]);
                return counts.atomics += atomics(addresses, requests::sectors_in_turns(addresses, bytes));
            }
            Class::SharedAtomic => return counts.shared_atomics += atomics(addresses, 0),
            Class::Remote => return counts.remote += executed(addresses),
            Class::Constant => return counts.constants += executed(addresses),
            Class::Branch => return counts.branches += branch(addresses),
            Class::Wait => return counts.waits += waits(addresses),
            Class::Work(work) => return *counts.work.entry(work).or_default() += executed(addresses),
        };
        self.show(key, addresses, cost);
    }

    /// Counts a transfer by the copy engine, which one thread starts.
    pub fn transfer(&mut self, transfer: &TransferEvent<'_>) {
        // The tensor cores read what the copy engine has brought.
        let Some(first) = transfer.writes.first() else { return };
        let counts = self.lines.entry(first.by.at).or_default();
        const NONE: [&[Access]; 2] = [&[], &[]];
        let (sum, moved) = match transfer.kind {
            TransferKind::Load => (&mut counts.bulk_loads, [transfer.reads, &[]]),
            TransferKind::Repeat => (&mut counts.bulk_loads, NONE),
            TransferKind::Store => (&mut counts.bulk_stores, [&[], transfer.writes]),
            TransferKind::Reduction => (&mut counts.bulk_reductions, [transfer.writes; 2]),
            TransferKind::Send => (&mut counts.bulk_sends, NONE),
            TransferKind::Product => return,
        };
        let mut sectors: Vec<u64> = Vec::new();
        for (accesses, is_read) in moved.into_iter().zip([true, false]) {
            for sector in accesses.iter().filter(|access| access.space == Space::Global).flat_map(sectors_of)
            {
                self.footprint.touch(sector, is_read, !is_read);
                sectors.push(sector);
            }
        }
        sectors.sort_unstable();
        sectors.dedup();
        let bytes = transfer.writes.iter().map(|access| u64::from(access.bytes)).sum();
        let requests = u64::from(transfer.kind != TransferKind::Repeat);
        *sum += Bulk { requests, bytes, sectors: sectors.len() as u64 };
    }

    /// Keeps the facts about a request that the pictures show: whether it is the most expensive one of its line, and its
    /// banks.
    fn show(&mut self, key: &Key, addresses: &Addresses, cost: Cost) {
        let Some(kind) = PatternKind::of(key.class) else { return };
        let at = (Line { column: 0, ..key.by.at }, kind);
        if self.patterns.get(&at).is_none_or(|known| known.cost < cost.paid) {
            self.patterns.insert(at, Pattern::new(key, kind, addresses, cost));
        }
        if kind.is_shared() {
            let map = self.banks.entry(at).or_insert_with(|| BankMap::new(key, kind));
            map.add(addresses, key.bytes);
        }
    }
}

fn lanes(addresses: &Addresses) -> u64 {
    u64::from(addresses.mask.count_ones())
}

fn executed(addresses: &Addresses) -> Executed {
    Executed { warps: 1, threads: lanes(addresses) }
}

/// Notes the sectors of a request; how many they are.
fn touch(footprint: &mut Footprint, addresses: &Addresses, width: u32, [reads, writes]: [bool; 2]) -> u64 {
    let sectors = requests::sectors(addresses, width);
    sectors.iter().for_each(|sector| footprint.touch(*sector, reads, writes));
    sectors.len() as u64
}

/// Counts a request of global memory; its sectors, and the ideal.
fn traffic(
    sum: &mut Traffic,
    footprint: &mut Footprint,
    addresses: &Addresses,
    width: u32,
    reads_writes: [bool; 2],
) -> Cost {
    let sectors = touch(footprint, addresses, width, reads_writes);
    let bytes = requests::distinct_bytes(addresses, width);
    let ideal_sectors = bytes.div_ceil(SECTOR);
    *sum += Traffic { requests: 1, lanes: lanes(addresses), sectors, ideal_sectors, bytes };
    Cost { paid: sectors, ideal: ideal_sectors }
}

/// Counts a request of shared memory; its wavefronts, and the ideal.
fn banks(sum: &mut Banks, addresses: &Addresses, width: u32, kind: PatternKind) -> Cost {
    let wavefronts = requests::wavefronts(addresses, width, kind);
    let bytes = requests::distinct_bytes(addresses, width);
    let ideal_wavefronts = requests::ideal_wavefronts(addresses, width, kind);
    *sum += Banks { requests: 1, lanes: lanes(addresses), wavefronts, ideal_wavefronts, bytes };
    Cost { paid: wavefronts, ideal: ideal_wavefronts }
}

fn atomics(addresses: &Addresses, sectors: u64) -> Atomics {
    let turns = requests::contention(addresses);
    Atomics { requests: 1, lanes: lanes(addresses), sectors, turns, contention: turns }
}

/// The sectors that lie under an access, as their numbers.
fn sectors_of(access: &Access) -> std::ops::RangeInclusive<u64> {
    let first = access.address as u64;
    first / SECTOR..=(first + u64::from(access.bytes.max(1)) - 1) / SECTOR
}

fn waits(addresses: &Addresses) -> Waits {
    let delayed = u64::from(addresses.lanes().any(|(_, delayed)| delayed != 0));
    Waits { executed: 1, lanes: lanes(addresses), delayed }
}

fn branch(addresses: &Addresses) -> Branches {
    let taken = addresses.lanes().filter(|(_, taken)| *taken != 0).count() as u64;
    let lanes = lanes(addresses);
    Branches { executed: 1, divergent: u64::from(taken != 0 && taken != lanes), lanes }
}
