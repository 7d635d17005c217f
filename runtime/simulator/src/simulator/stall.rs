//! Finds the fault when no thread of a cluster can go on.

use super::facts::Line;
use super::fault::SimFault;
use super::machine::{Machine, Wait, WaitKind};
use super::problem::{MaskProblem, MbarrierProblem};
use super::shape::WARP;
use super::waiting::{Missing, RegisterState, Unstarted, Waiting};

/// Places that a deadlock's report names.
const LISTED: usize = 8;

impl Machine<'_> {
    /// Where each fiber with a thread waits.
    pub(super) fn waiting(&self) -> Vec<Wait> {
        self.waits.borrow().iter().filter(|wait| wait.kind != WaitKind::Nothing).copied().collect()
    }

    /// The fault of a cluster whose threads all wait.
    #[cold]
    pub(super) fn stalled(&self) -> SimFault {
        let waits = self.waiting();
        let unmade = waits.iter().filter(|wait| matches!(wait.kind, WaitKind::Unmade { .. }));
        if let Some(first) = unmade.min_by_key(|wait| (wait.rank, wait.linear)) {
            return self.not_made(first);
        }
        let split_mask = waits.iter().find_map(|wait| self.split_mask(wait, &waits));
        split_mask.or_else(|| self.split_barrier(&waits)).unwrap_or_else(|| self.deadlock(&waits))
    }

    /// A thread that uses a barrier which no thread has made.
    fn not_made(&self, wait: &Wait) -> SimFault {
        SimFault::Misuse {
            kernel: self.kernel(),
            operation: wait.kind.name(),
            file: wait.at.file.to_owned(),
            line: wait.at.line,
            block: self.blocks[wait.rank as usize].idx.get(),
            thread: self.shape.coords[wait.linear as usize],
            problem: Box::new(MbarrierProblem::NotMade.into()),
        }
    }

    /// A lane that waits for one that waits at another operation of the warp.
    fn split_mask(&self, wait: &Wait, waits: &[Wait]) -> Option<SimFault> {
        let WaitKind::Warp { operation, mask } = wait.kind else { return None };
        let (lane_of, warp_of) = (|w: &Wait| w.linear % WARP, |w: &Wait| (w.rank, w.linear / WARP));
        let elsewhere = waits.iter().find_map(|other| match other.kind {
            WaitKind::Warp { mask: theirs, .. } => {
                let parted =
                    warp_of(other) == warp_of(wait) && theirs != mask && mask >> lane_of(other) & 1 == 1;
                parted.then_some((other, theirs))
            }
            _ => None,
        });
        let (other, theirs) = elsewhere?;
        let problem = MaskProblem::LaneElsewhere {
            lane: lane_of(other),
            at: Box::new(self.describe(other, 1)),
            mask: theirs,
        };
        Some(SimFault::ShuffleMask {
            kernel: self.kernel(),
            operation,
            mask,
            file: wait.at.file.to_owned(),
            line: wait.at.line,
            block: self.blocks[wait.rank as usize].idx.get(),
            thread: self.shape.coords[wait.linear as usize],
            problem,
        })
    }

    /// Threads at a block's barrier while others of the block wait at a wider one.
    fn split_barrier(&self, waits: &[Wait]) -> Option<SimFault> {
        let is_wider =
            |wait: &Wait| matches!(wait.kind, WaitKind::Cluster | WaitKind::Grid | WaitKind::Halves);
        if waits.iter().any(|wait| wait.kind != WaitKind::Block && !is_wider(wait)) {
            return None;
        }
        let first = waits.iter().find(|wait| wait.kind == WaitKind::Block)?;
        let here = waits.iter().filter(|w| w.rank == first.rank && w.kind == WaitKind::Block).count();
        let wider: Vec<&Wait> = waits.iter().filter(|w| w.rank == first.rank && is_wider(w)).collect();
        let other = Missing::Elsewhere(Box::new(self.describe(wider.first()?, wider.len() as u32)));
        let block = self.blocks[first.rank as usize].idx.get();
        Some(self.not_reached(first.kind.name(), first.at, here as u32, block, other))
    }

    /// The waiting threads, by operation, place and block.
    pub(super) fn deadlock(&self, waits: &[Wait]) -> SimFault {
        let mut groups: Vec<(&Wait, u32)> = Vec::new();
        for wait in waits {
            let alike = |other: &Wait| {
                let of = |wait: &Wait| match wait.kind {
                    WaitKind::Mbarrier { address, .. } => address,
                    _ => 0,
                };
                let kinds = (other.kind.name(), of(other)) == (wait.kind.name(), of(wait));
                kinds && other.at == wait.at && other.rank == wait.rank
            };
            match groups.iter_mut().find(|(other, _)| alike(other)) {
                Some((_, count)) => *count += 1,
                None => groups.push((wait, 1)),
            }
        }
        let waiting = groups.iter().take(LISTED).map(|(wait, count)| self.describe(wait, *count)).collect();
        SimFault::Deadlock { kernel: self.kernel(), waiting, unstarted: self.unstarted(waits) }
    }

    /// The blocks that have not started, if a thread may be spinning for them: barriers wait for nobody else's threads.
    fn unstarted(&self, waits: &[Wait]) -> Option<Unstarted> {
        let (begun, all) = (self.counters.clusters.get(), self.shape.cluster_count());
        if begun >= all || waits.iter().all(|wait| wait.kind != WaitKind::Spin) {
            return None;
        }
        let count = (all - begun) * u64::from(self.shape.cluster_blocks);
        Some(Unstarted { count, next: self.shape.cluster_at(begun) })
    }

    fn describe(&self, wait: &Wait, count: u32) -> Waiting {
        Waiting {
            operation: wait.kind.name(),
            file: wait.at.file.to_owned(),
            line: wait.at.line,
            count,
            block: self.blocks[wait.rank as usize].idx.get(),
            thread: self.shape.coords[wait.linear as usize],
            barrier: match wait.kind {
                WaitKind::Mbarrier { address, awaited, .. } => self.mbarrier_state(address, awaited),
                _ => None,
            },
            registers: match wait.kind {
                WaitKind::Registers { held, wanted, free, .. } => Some(RegisterState { held, wanted, free }),
                _ => None,
            },
        }
    }
}

impl Wait {
    /// A fiber that runs or is idle.
    pub const NOTHING: Self =
        Self { kind: WaitKind::Nothing, at: Line { file: "", line: 0, column: 0 }, rank: 0, linear: 0 };
}

impl WaitKind {
    /// The function that waits, as kernels call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Block => "sync_threads",
            Self::Cluster => "cluster_sync",
            Self::Grid => "grid_sync",
            Self::Halves => "cluster_wait",
            Self::Warp { operation, .. }
            | Self::Warpgroup { operation }
            | Self::Registers { operation, .. }
            | Self::Unmade { operation }
            | Self::Mbarrier { operation, .. } => operation,
            Self::Named => "named_barrier_sync",
            Self::Together => "active_mask",
            Self::Spin => "a loop of atomics",
        }
    }
}
