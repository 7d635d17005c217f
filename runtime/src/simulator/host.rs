//! The host's memory, of which the simulator's global memory is a part.
//!
//! Linux promises more memory than there is and ends the process that touches it. All simulated memory together is
//! therefore held to what the machine, or the control group, has. Allocates nothing itself.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The host has no such memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoMemory {
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
fn limit() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| physical().min(granted()))
}

/// Bytes of memory in the machine; those of an address space where the system does not say.
#[cfg(unix)]
fn physical() -> usize {
    // SAFETY: both only read numbers of the system.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    match (usize::try_from(pages), usize::try_from(size)) {
        (Ok(pages @ 1..), Ok(size @ 1..)) => pages.saturating_mul(size),
        _ => isize::MAX as usize,
    }
}

/// Bytes of memory in the machine, which this system is not asked for.
#[cfg(not(unix))]
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

#[cfg(test)]
mod tests {
    use super::limit;
    use crate::Device;
    use crate::host_memory::Pinned;

    /// The errors of every function that allocates `bytes` bytes.
    fn refusals(bytes: usize) -> Vec<String> {
        let device = Device::simulator();
        let square = 1usize << (bytes.ilog2() / 2);
        let refused = [
            device.alloc_zeroed::<u8>(bytes).map(|_| ()),
            device.alloc_uninit::<u8>(bytes).map(|_| ()),
            device.alloc_zeroed::<u64>(bytes).map(|_| ()),
            device.alloc_uninit::<u64>(bytes / 2).map(|_| ()),
            device.alloc_pinned::<u8>(bytes, Pinned::default()).map(|_| ()),
            device.alloc_managed::<u8>(bytes).map(|_| ()),
            device.alloc_pitched::<u8>(bytes >> 8, 1 << 8).map(|_| ()),
            device.alloc_pitched_uninit::<u64>(bytes >> 8, 1 << 8).map(|_| ()),
            device.alloc_pitched_3d::<u8>(square, (bytes / square) >> 8, 1 << 8).map(|_| ()),
            device.alloc_pitched_3d_uninit::<u8>(square, (bytes / square) >> 8, 1 << 8).map(|_| ()),
        ];
        refused.into_iter().map(|refused| refused.expect_err("too much").to_string()).collect()
    }

    #[test]
    fn more_than_the_host_has_is_an_error_that_names_the_size_and_the_limit() {
        for bytes in [1 << 44, 1 << 60, usize::MAX / 2, usize::MAX] {
            for said in refusals(bytes) {
                let named = said.contains(&format!("{} bytes", limit()));
                assert!(named || said.contains("more than memory can hold"), "{bytes}: {said}");
            }
        }
        let said = refusals(1 << 44);
        assert!(said[0].starts_with("the simulator cannot allocate 17592186044416 bytes"), "{}", said[0]);
    }

    #[test]
    fn memory_that_is_freed_can_be_allocated_again() {
        let device = Device::simulator();
        // Nothing touches it: the system gives no pages.
        let most = limit() / 4 * 3;
        for _ in 0..3 {
            match device.alloc_zeroed::<u8>(most) {
                Ok(buffer) => assert_eq!(buffer.len(), most),
                Err(no) => println!("the system gives no {most} bytes: {no}"),
            }
        }
        let small = device.alloc_zeroed::<u8>(1 << 20).expect("a megabyte");
        assert_eq!(device.download(&small).expect("memory"), vec![0; 1 << 20]);
    }
}
