//! The statistics of a cache: counts, and its difficulties.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Remarks that are kept at most.
const REMARKS: usize = 32;

/// The statistics of a cache since the process began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Cubins that were in memory.
    pub from_memory: u64,
    /// Cubins that came from a registered bundle.
    pub from_bundle: u64,
    /// Cubins that came from disk.
    pub from_disk: u64,
    /// Kernels that were compiled.
    pub compiled: u64,
    /// Cubins that were compiled and could not be stored.
    pub not_stored: u64,
    /// Why a cubin was not used, or not stored; the newest 32.
    pub remarks: VecDeque<String>,
}

/// Statistics that threads share.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    stats: Mutex<Stats>,
    /// Whether everything is also said on stderr.
    pub log: bool,
}

impl Recorder {
    pub fn stats(&self) -> Stats {
        self.stats.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts one event of a kernel.
    pub fn count(&self, kernel: &str, what: &str, field: impl FnOnce(&mut Stats) -> &mut u64) {
        *field(&mut self.stats.lock().unwrap_or_else(PoisonError::into_inner)) += 1;
        self.say(kernel, what);
    }

    /// Keeps a reason.
    pub fn remark(&self, kernel: &str, reason: &str) {
        let mut stats = self.stats.lock().unwrap_or_else(PoisonError::into_inner);
        if stats.remarks.len() == REMARKS {
            stats.remarks.pop_front();
        }
        stats.remarks.push_back(format!("kernel `{kernel}`: {reason}"));
        drop(stats);
        self.say(kernel, reason);
    }

    fn say(&self, kernel: &str, what: &str) {
        if self.log {
            eprintln!("warpsmith: kernel `{kernel}`: {what}");
        }
    }
}
