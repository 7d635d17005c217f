//! The host's memory, of which the simulator's global memory is a part.
//!
//! Linux promises more memory than there is and ends the process that touches it. All simulated memory together is
//! therefore held to what the machine, or the control group, has. Allocates nothing itself.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The host has no such memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct NoMemory {
    /// Bytes that were asked for.
    pub bytes: usize,
    /// Bytes that simulated memory has already.
    pub taken: usize,
    /// Bytes of the host.
    pub limit: usize,
}

static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// Counts bytes as taken, if the host has them; their number, to be given back.
pub(super) fn take(bytes: usize) -> Option<usize> {
    let fits = |taken: usize| taken.checked_add(bytes).filter(|all| *all <= limit());
    TAKEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok().then_some(bytes)
}

/// Counts bytes as free.
pub(super) fn give_back(bytes: usize) {
    TAKEN.fetch_sub(bytes, Ordering::Relaxed);
}

/// The error of an allocation.
pub(super) fn none(bytes: usize) -> NoMemory {
    NoMemory { bytes, taken: TAKEN.load(Ordering::Relaxed), limit: limit() }
}

/// Bytes that all simulated memory may have together: the machine's, or the control group's where that has less.
#[doc(hidden)]
pub fn limit() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| physical().min(granted()))
}

/// Bytes of memory in the machine; those of an address space where the system does not say.
#[cfg(all(unix, feature = "machine"))]
fn physical() -> usize {
    // SAFETY: both only read numbers of the system.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    match (usize::try_from(pages), usize::try_from(size)) {
        (Ok(pages @ 1..), Ok(size @ 1..)) => pages.saturating_mul(size),
        _ => isize::MAX as usize,
    }
}

/// Bytes of memory in the machine, for which this system is not asked, nor one on which nothing is simulated.
#[cfg(not(all(unix, feature = "machine")))]
fn physical() -> usize {
    isize::MAX as usize
}

/// Bytes that the control group has, where there is one with a limit.
///
/// Source: Linux, Control Group v2, `memory.max`; v1, `memory.limit_in_bytes`.
fn granted() -> usize {
    let files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let read = |file: &&str| std::fs::read_to_string(file).ok()?.trim().parse().ok();
    files.iter().filter_map(read).min().unwrap_or(usize::MAX)
}
