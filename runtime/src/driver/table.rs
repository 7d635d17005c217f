//! The kernels of one device, found without a lock.
//!
//! Entries are only ever added, so a reader follows the list of its bucket while others add to it.
//! Knows nothing of how a kernel is compiled.

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::codegen::Checks;
use crate::ir::CoarsenFactor;
use warpsmith_lang::kernel::AnyKernel;

const BUCKETS: usize = 256;

/// One of the texts of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Version {
    pub checks: Checks,
    /// The number of elements that each thread does, if more than one.
    pub coarsen: Option<CoarsenFactor>,
    /// The facts that the launch shows, for a kernel that is printed for launches and not for reading.
    pub shown: Option<Shown>,
}

/// The facts that a launch shows about a kernel's arithmetic and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shown {
    /// The conditions of the kernel's narrow arithmetic that it fulfils, a bit each.
    pub fits: u64,
    /// The slice parameters that overlap none that is written, a bit for each position.
    pub read_only: u64,
}

impl Shown {
    /// The facts that most launches show: all that the kernel has conditions and slices for.
    pub const ALL: Self = Self { fits: u64::MAX, read_only: u64::MAX };
    /// The facts that every launch shows.
    pub const NOTHING: Self = Self { fits: 0, read_only: 0 };

    /// The same for a kernel with this number of conditions and these slices.
    pub fn of(self, fits: usize, read_only: u64) -> Self {
        let most = if fits == 0 { 0 } else { u64::MAX >> 64usize.saturating_sub(fits) };
        Self { fits: self.fits & most, read_only: self.read_only & read_only }
    }

    /// Returns whether this shows all that another does.
    pub fn includes(self, other: Self) -> bool {
        other.fits & !self.fits == 0 && other.read_only & !self.read_only == 0
    }
}

impl Version {
    /// Returns whether it is one of some launches alone.
    pub fn rests_on_launch(&self) -> bool {
        matches!(self.checks, Checks::Lifted(_)) || self.shown.is_some_and(|shown| shown != Shown::NOTHING)
    }

    /// The variant that every launch with the same comptime values can run.
    pub fn for_any_launch(self) -> Self {
        let checks = if let Checks::Lifted(_) = self.checks { Checks::All } else { self.checks };
        Self { checks, coarsen: None, shown: self.shown.map(|_| Shown::NOTHING) }
    }

    /// The variant for a launch that is not coarsened.
    pub fn of_launch(checks: Checks, shown: Shown) -> Self {
        Self { checks, coarsen: None, shown: Some(shown) }
    }

    /// The variants for a launch that is coarsened: with index arithmetic that fits `int` in most launches, and in all. The
    /// needs of the text say which launches these are.
    pub fn coarsened(checks: Checks, factor: CoarsenFactor) -> [Self; 2] {
        let shown = [Shown { read_only: 0, ..Shown::ALL }, Shown::NOTHING];
        shown.map(|shown| Self { checks, coarsen: Some(factor), shown: Some(shown) })
    }
}

impl From<Checks> for Version {
    fn from(checks: Checks) -> Self {
        Self { checks, coarsen: None, shown: None }
    }
}

/// Values by kernel type, comptime values and version.
pub(crate) struct Table<V> {
    buckets: [AtomicPtr<Entry<V>>; BUCKETS],
    adding: Mutex<()>,
}

struct Entry<V> {
    hash: u64,
    kernel: Box<dyn AnyKernel>,
    version: Version,
    value: V,
    next: *mut Entry<V>,
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Self { buckets: [const { AtomicPtr::new(ptr::null_mut()) }; BUCKETS], adding: Mutex::default() }
    }
}

// SAFETY: the values are `Send` and `Sync`, so are kernels, and `next` is not changed once it is seen.
unsafe impl<V: Send + Sync> Send for Table<V> {}
// SAFETY: as above.
unsafe impl<V: Send + Sync> Sync for Table<V> {}

impl<V> Table<V> {
    /// The value of a kernel, if it has one.
    pub fn find(&self, kernel: &dyn AnyKernel, version: impl Into<Version>) -> Option<&V> {
        let version = version.into();
        self.entry(hash(kernel, version), kernel, version)
    }

    /// Adds a value; the one that is there if another thread was first.
    pub fn add(&self, kernel: &dyn AnyKernel, version: impl Into<Version>, value: V) -> &V {
        let version = version.into();
        let _adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = hash(kernel, version);
        if let Some(known) = self.entry(hash, kernel, version) {
            return known;
        }
        let head = &self.buckets[hash as usize % BUCKETS];
        let entry = Box::into_raw(Box::new(Entry {
            hash,
            kernel: kernel.boxed(),
            version,
            value,
            next: head.load(Ordering::Relaxed),
        }));
        head.store(entry, Ordering::Release);
        // SAFETY: entries live as long as the table.
        unsafe { &(*entry).value }
    }

    /// All values.
    pub fn iter(&self) -> impl Iterator<Item = &V> {
        self.buckets.iter().flat_map(|head| list(head).map(|entry| &entry.value))
    }

    fn entry(&self, hash: u64, kernel: &dyn AnyKernel, version: Version) -> Option<&V> {
        let same = |entry: &&Entry<V>| {
            entry.hash == hash && entry.version == version && kernel.is(&*entry.kernel as &dyn Any)
        };
        list(&self.buckets[hash as usize % BUCKETS]).find(same).map(|entry| &entry.value)
    }
}

/// The entries of a bucket.
fn list<V>(head: &AtomicPtr<Entry<V>>) -> impl Iterator<Item = &Entry<V>> {
    let mut next = head.load(Ordering::Acquire);
    std::iter::from_fn(move || {
        // SAFETY: null, or an entry that lives as long as the table, complete before it was seen.
        let entry = unsafe { next.as_ref() }?;
        next = entry.next;
        Some(entry)
    })
}

impl<V> Drop for Table<V> {
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

/// A hash that takes a few cycles, of a type's number and a few integers.
fn hash(kernel: &dyn AnyKernel, version: Version) -> u64 {
    let mut mix = Mix(0);
    version.hash(&mut mix);
    kernel.hash(&mut mix);
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
