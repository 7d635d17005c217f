//! Kernels that one device has loaded, found without a lock.
//!
//! Entries are only ever added, so a reader follows the list of its bucket while others add to it.
//! Knows nothing of how a kernel is compiled.

use std::any::{Any, TypeId};
use std::hash::{Hash, Hasher};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Loaded;
use crate::kernel::Kernel;

const BUCKETS: usize = 256;

/// Loaded kernels by type, comptime values and whether they check.
pub(super) struct Table {
    buckets: [AtomicPtr<Entry>; BUCKETS],
    adding: Mutex<()>,
}

struct Entry {
    hash: u64,
    kernel: TypeId,
    checks: bool,
    comptime: Box<dyn Any + Send + Sync>,
    loaded: Arc<Loaded>,
    next: *mut Entry,
}

impl Default for Table {
    fn default() -> Self {
        Self { buckets: [const { AtomicPtr::new(ptr::null_mut()) }; BUCKETS], adding: Mutex::default() }
    }
}

// SAFETY: `Loaded` is `Send` and `Sync`, so are comptime values, and `next` is not changed once it is seen.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

impl Table {
    /// The kernel, if it was loaded.
    pub fn find<K: Kernel>(&self, comptime: &K::Comptime, checks: bool) -> Option<&Arc<Loaded>> {
        self.entry::<K>(hash::<K>(comptime, checks), comptime, checks)
    }

    /// Adds a kernel; the one that is there if another thread was first.
    pub fn add<K: Kernel>(&self, comptime: &K::Comptime, checks: bool, loaded: Loaded) -> &Arc<Loaded> {
        let _adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = hash::<K>(comptime, checks);
        if let Some(known) = self.entry::<K>(hash, comptime, checks) {
            return known;
        }
        let head = &self.buckets[hash as usize % BUCKETS];
        let entry = Box::into_raw(Box::new(Entry {
            hash,
            kernel: TypeId::of::<K>(),
            checks,
            comptime: Box::new(comptime.clone()),
            loaded: Arc::new(loaded),
            next: head.load(Ordering::Relaxed),
        }));
        head.store(entry, Ordering::Release);
        // SAFETY: entries live as long as the table.
        unsafe { &(*entry).loaded }
    }

    /// All kernels.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Loaded>> {
        self.buckets.iter().flat_map(|head| list(head).map(|entry| &entry.loaded))
    }

    fn entry<K: Kernel>(&self, hash: u64, comptime: &K::Comptime, checks: bool) -> Option<&Arc<Loaded>> {
        let same = |entry: &&Entry| {
            entry.hash == hash
                && entry.checks == checks
                && entry.kernel == TypeId::of::<K>()
                && entry.comptime.downcast_ref() == Some(comptime)
        };
        list(&self.buckets[hash as usize % BUCKETS]).find(same).map(|entry| &entry.loaded)
    }
}

/// The entries of a bucket.
fn list(head: &AtomicPtr<Entry>) -> impl Iterator<Item = &Entry> {
    let mut next = head.load(Ordering::Acquire);
    std::iter::from_fn(move || {
        // SAFETY: null, or an entry that lives as long as the table, complete before it was seen.
        let entry = unsafe { next.as_ref() }?;
        next = entry.next;
        Some(entry)
    })
}

impl Drop for Table {
    fn drop(&mut self) {
        for head in &mut self.buckets {
            let mut next = *head.get_mut();
            while !next.is_null() {
                // SAFETY: made by `Box::into_raw`, and no one else holds the table.
                next = unsafe { Box::from_raw(next) }.next;
            }
        }
    }
}

/// A hash that takes a few cycles: what it is of is a type's number and a few integers.
fn hash<K: Kernel>(comptime: &K::Comptime, checks: bool) -> u64 {
    let mut mix = Mix(u64::from(checks));
    TypeId::of::<K>().hash(&mut mix);
    comptime.hash(&mut mix);
    mix.finish()
}

struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
