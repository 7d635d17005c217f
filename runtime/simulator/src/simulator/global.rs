//! Global memory: the buffers of the simulator, and which of their bytes are unwritten.
//!
//! An address says which allocation it is in, whatever part, view or pointer it came from. Bytes become unwritten
//! by [`GlobalMemory::unwritten`] and by copies of unwritten bytes; accesses, copies and the host write them.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::facts::POISON;
use super::host;

#[doc(hidden)]
pub use super::host::NoMemory;

/// Bytes of a line: the alignment of CUDA's allocations.
const LINE: usize = 256;

/// Alignment of simulator memory.
#[derive(Clone, Copy, Debug)]
#[repr(align(256))]
struct Line(#[allow(dead_code, reason = "only its address is used")] [u8; LINE]);

/// Host memory of one buffer, in lines, which align every element type.
#[derive(Debug)]
#[doc(hidden)]
pub struct GlobalMemory {
    start: NonNull<Line>,
    lines: usize,
    /// The allocation, which has one line more, because its first line may begin anywhere.
    block: NonNull<u8>,
    /// The host memory that was taken for it, to be given back.
    taken: usize,
}

// SAFETY: it owns plain bytes, reached through `&mut` or by addresses whose users order themselves.
unsafe impl Send for GlobalMemory {}
// SAFETY: as above.
unsafe impl Sync for GlobalMemory {}

/// An allocation, as an address finds it.
struct Allocation {
    bytes: usize,
    /// Whether a view of it was made, which may stand where no launch sees it.
    escaped: AtomicBool,
    unwritten: Option<Unwritten>,
}

/// A bit for each byte of an allocation that is unwritten.
struct Unwritten {
    words: Box<[AtomicU64]>,
    /// How many bits are set.
    left: AtomicUsize,
}

/// Every allocation, by its first address.
type Allocations = BTreeMap<usize, Allocation>;

static ALLOCATIONS: RwLock<Allocations> = RwLock::new(BTreeMap::new());

/// Allocations with unwritten bytes; while there are none, launches pay nothing for them.
static INCOMPLETE: AtomicUsize = AtomicUsize::new(0);

impl GlobalMemory {
    /// Memory of a number of bytes, zeroed.
    ///
    /// # Errors
    /// [`NoMemory`] where the host has less.
    pub fn zeroed(bytes: usize) -> Result<Self, NoMemory> {
        Self::new(bytes, 0)
    }

    /// Memory that holds anything, visibly not zero, until it is written.
    ///
    /// # Errors
    /// [`NoMemory`] where the host has less, with a bit for each byte.
    pub fn unwritten(bytes: usize) -> Result<Self, NoMemory> {
        let mut memory = Self::new(bytes, bytes.div_ceil(8))?;
        // SAFETY: it has that many bytes.
        unsafe { memory.as_mut_ptr().write_bytes(POISON, memory.size()) };
        if let Some(allocation) = writing().get_mut(&memory.address()) {
            allocation.unwritten().set(0..bytes, true);
        }
        Ok(memory)
    }

    /// Zeroed memory of a number of bytes, which the host's system gives when they are touched, and room for what
    /// is known of them.
    fn new(bytes: usize, beside: usize) -> Result<Self, NoMemory> {
        let lines = bytes.div_ceil(LINE);
        let all = lines.saturating_mul(LINE).saturating_add(beside);
        let taken = host::take(all).ok_or_else(|| host::none(bytes))?;
        let mut memory = Self { start: NonNull::dangling(), lines: 0, block: NonNull::dangling(), taken };
        if lines > 0 {
            let layout = layout(lines).ok_or_else(|| host::none(bytes))?;
            // SAFETY: the layout's size is not 0.
            let block = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(|| host::none(bytes))?;
            // SAFETY: less than a line further, and the block is a line more than is needed.
            let start = unsafe { block.add(block.align_offset(LINE)) }.cast();
            (memory.start, memory.lines, memory.block) = (start, lines, block);
        }
        if bytes > 0 {
            let (start, escaped) = (memory.address(), AtomicBool::new(false));
            writing().insert(start, Allocation { bytes, escaped, unwritten: None });
        }
        Ok(memory)
    }

    /// Its bytes, whole lines.
    fn size(&self) -> usize {
        self.lines * LINE
    }

    /// Address of the first byte.
    pub fn address(&self) -> usize {
        self.start.as_ptr() as usize
    }

    /// The first byte.
    pub fn as_ptr(&self) -> *const u8 {
        self.start.as_ptr().cast_const().cast()
    }

    /// The first byte, to be written.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.start.as_ptr().cast()
    }

    /// All of its bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        written(self.address(), self.size());
        // SAFETY: the lines are bytes without gaps, borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), self.size()) }
    }

    /// A view of the memory may stand where no launch sees it.
    pub fn escape(&self) {
        if let Some(allocation) = reading().get(&self.address()) {
            allocation.escaped.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for GlobalMemory {
    fn drop(&mut self) {
        use_by_host();
        if let Some(Allocation { unwritten: Some(unwritten), .. }) = writing().remove(&self.address()) {
            unwritten.set(0..unwritten.words.len() * 64, false);
        }
        if let (Some(layout), 1..) = (layout(self.lines), self.lines) {
            // SAFETY: allocated in `new` with this layout.
            unsafe { dealloc(self.block.as_ptr(), layout) };
        }
        host::give_back(self.taken);
    }
}

/// How lines are allocated: with the alignment of the system's allocator, which then leaves zeroed pages untouched.
fn layout(lines: usize) -> Option<Layout> {
    let bytes = lines.checked_add(1)?.checked_mul(LINE)?;
    Layout::from_size_align(bytes, align_of::<u64>()).ok()
}

impl Allocation {
    /// Its unwritten bytes, none of them at first.
    fn unwritten(&mut self) -> &Unwritten {
        let words = self.bytes.div_ceil(64);
        self.unwritten.get_or_insert_with(|| Unwritten {
            words: (0..words).map(|_| AtomicU64::new(0)).collect(),
            left: AtomicUsize::new(0),
        })
    }
}

impl Unwritten {
    /// Marks bytes as unwritten, or as written.
    fn set(&self, bytes: Range<usize>, unwritten: bool) {
        let mut changed = 0;
        for (word, mask) in masks(bytes) {
            let Some(word) = self.words.get(word) else { break };
            if unwritten {
                changed += (mask & !word.fetch_or(mask, Ordering::Relaxed)).count_ones();
            } else if word.load(Ordering::Relaxed) & mask != 0 {
                changed += (mask & word.fetch_and(!mask, Ordering::Relaxed)).count_ones();
            }
        }
        self.count(changed as usize, unwritten);
    }

    /// Adds `changed` bytes to the number of unwritten ones, or subtracts them.
    fn count(&self, changed: usize, unwritten: bool) {
        if changed == 0 {
            return;
        }
        if unwritten {
            if self.left.fetch_add(changed, Ordering::Relaxed) == 0 {
                INCOMPLETE.fetch_add(1, Ordering::Relaxed);
            }
        } else if self.left.fetch_sub(changed, Ordering::Relaxed) == changed {
            INCOMPLETE.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// The first of some bytes that is unwritten, or that is written.
    fn first(&self, bytes: Range<usize>, unwritten: bool) -> Option<usize> {
        masks(bytes).find_map(|(word, mask)| {
            let bits = self.words.get(word)?.load(Ordering::Relaxed);
            let wanted = mask & if unwritten { bits } else { !bits };
            (wanted != 0).then(|| word * 64 + wanted.trailing_zeros() as usize)
        })
    }
}

/// The words that hold the bits of some bytes, each with a mask of those.
fn masks(bytes: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
    let words = if bytes.is_empty() { 0..0 } else { bytes.start / 64..bytes.end.div_ceil(64) };
    words.map(move |word| {
        let (first, last) = (bytes.start.saturating_sub(word * 64), (bytes.end - word * 64).min(64));
        (word, u64::MAX << first & u64::MAX >> (64 - last))
    })
}

thread_local! {
    /// How often this OS thread has used global memory as the host, for which it waits for all launches before.
    static HOST_USES: Cell<u64> = const { Cell::new(0) };
}

/// This OS thread uses global memory as the host.
#[doc(hidden)]
pub fn use_by_host() {
    HOST_USES.set(uses_by_host() + 1);
}

/// How often this OS thread has used global memory as the host, or given some back.
///
/// Other threads' uses do not count: they may belong to other programs, such as the tests beside this one.
#[doc(hidden)]
pub fn uses_by_host() -> u64 {
    HOST_USES.get()
}

/// Whether an allocation holds all of these bytes.
#[doc(hidden)]
pub fn holds(address: usize, bytes: usize) -> bool {
    around(&reading(), address).is_some_and(|(start, allocation)| address - start + bytes <= allocation.bytes)
}

/// Whether there are no unwritten bytes at all.
#[doc(hidden)]
pub fn is_all_written() -> bool {
    INCOMPLETE.load(Ordering::Relaxed) == 0
}

/// The position of the first unwritten byte among these.
#[inline]
#[doc(hidden)]
pub fn first_unwritten(address: usize, bytes: usize) -> Option<usize> {
    if is_all_written() { None } else { find(&reading(), address, bytes, true) }
}

/// Some bytes are written.
#[inline]
#[doc(hidden)]
pub fn written(address: usize, bytes: usize) {
    if !is_all_written() {
        mark_written(&reading(), address, bytes);
    }
}

/// Bytes are copied: copies of unwritten bytes are unwritten.
#[doc(hidden)]
pub fn copied(from: usize, to: usize, bytes: usize) {
    if is_all_written() {
        return;
    }
    mark_written(&reading(), to, bytes);
    let mut allocations = writing();
    let mut done = 0;
    while let Some(first) = find(&allocations, from + done, bytes - done, true) {
        let start = done + first;
        let run = find(&allocations, from + start, bytes - start, false).unwrap_or(bytes - start);
        if let Some((base, allocation)) = around_mut(&mut allocations, to + start) {
            let place = to + start - base;
            allocation.unwritten().set(place..place + run, true);
        }
        done = start + run;
    }
}

/// A launch without observers may have written these, and if it has more addresses, any memory of which there are
/// views.
#[doc(hidden)]
pub fn assume_written(memory: impl Iterator<Item = Range<usize>>, escaped: bool) {
    let allocations = reading();
    memory.for_each(|range| mark_written(&allocations, range.start, range.len()));
    let escaped = allocations.values().filter(|of| escaped && of.escaped.load(Ordering::Relaxed));
    escaped.filter_map(|of| Some((of.bytes, of.unwritten.as_ref()?))).for_each(|(bytes, unwritten)| {
        unwritten.set(0..bytes, false);
    });
}

/// Code that tells no observer may have written the allocation that holds an address.
#[doc(hidden)]
pub fn assume_written_around(address: usize) {
    if let Some((_, Allocation { bytes, unwritten: Some(unwritten), .. })) = around(&reading(), address) {
        unwritten.set(0..*bytes, false);
    }
}

/// The first of some bytes that is unwritten, or that is written, counted from the first of them.
fn find(allocations: &Allocations, address: usize, bytes: usize, unwritten: bool) -> Option<usize> {
    let (start, allocation) = around(allocations, address)?;
    let place = address - start;
    let first = allocation.unwritten.as_ref()?.first(place..place + bytes, unwritten)?;
    Some(first - place)
}

fn mark_written(allocations: &Allocations, address: usize, bytes: usize) {
    if let Some((start, Allocation { unwritten: Some(unwritten), .. })) = around(allocations, address) {
        unwritten.set(address - start..address - start + bytes, false);
    }
}

/// The allocation that holds an address, and where it starts.
fn around(allocations: &Allocations, address: usize) -> Option<(usize, &Allocation)> {
    let (start, allocation) = allocations.range(..=address).next_back()?;
    (address - start < allocation.bytes).then_some((*start, allocation))
}

fn around_mut(allocations: &mut Allocations, address: usize) -> Option<(usize, &mut Allocation)> {
    let (start, allocation) = allocations.range_mut(..=address).next_back()?;
    (address - start < allocation.bytes).then_some((*start, allocation))
}

fn reading() -> RwLockReadGuard<'static, Allocations> {
    ALLOCATIONS.read().unwrap_or_else(PoisonError::into_inner)
}

fn writing() -> RwLockWriteGuard<'static, Allocations> {
    ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unwritten_bytes(bytes: usize) -> GlobalMemory {
        GlobalMemory::unwritten(bytes).expect("a few bytes")
    }

    fn zeroed_bytes(bytes: usize) -> GlobalMemory {
        GlobalMemory::zeroed(bytes).expect("a few bytes")
    }

    fn unwritten(memory: &GlobalMemory, bytes: usize) -> Vec<usize> {
        (0..bytes).filter(|byte| first_unwritten(memory.address() + byte, 1).is_some()).collect()
    }

    #[test]
    fn bytes_are_unwritten_until_they_are_written() {
        let memory = unwritten_bytes(200);
        let at = memory.address();
        assert_eq!(unwritten(&memory, 200).len(), 200);
        written(at, 60);
        written(at + 66, 134);
        assert_eq!(unwritten(&memory, 200), [60, 61, 62, 63, 64, 65]);
        assert_eq!([first_unwritten(at + 56, 8), first_unwritten(at + 66, 100)], [Some(4), None]);
        written(at + 60, 6);
        assert_eq!(first_unwritten(at, 200), None);
    }

    #[test]
    fn a_copy_carries_what_nobody_wrote() {
        let (from, to) = (unwritten_bytes(300), zeroed_bytes(300));
        written(from.address() + 100, 100);
        copied(from.address() + 90, to.address() + 10, 120);
        let expected: Vec<usize> = (10..20).chain(120..130).collect();
        assert_eq!(unwritten(&to, 300), expected);
        let zeros = zeroed_bytes(300);
        copied(zeros.address(), to.address(), 300);
        assert_eq!(unwritten(&to, 300), []);
    }

    #[test]
    fn memory_of_which_there_are_views_is_written_by_who_has_views() {
        let (hidden, own, other) = (unwritten_bytes(8), unwritten_bytes(8), unwritten_bytes(8));
        hidden.escape();
        let memory = own.address()..own.address() + 4;
        assume_written([memory.clone()].into_iter(), false);
        assert_eq!([&hidden, &own, &other].map(|memory| unwritten(memory, 8).len()), [8, 4, 8]);
        assume_written([memory].into_iter(), true);
        assert_eq!([&hidden, &own, &other].map(|memory| unwritten(memory, 8).len()), [0, 4, 8]);
    }

    #[test]
    fn a_new_allocation_at_an_old_address_knows_nothing_of_it() {
        let old = unwritten_bytes(256).address();
        let new: Vec<_> = (0..64).map(|_| zeroed_bytes(256)).collect();
        println!("the old address is used again: {}", new.iter().any(|memory| memory.address() == old));
        assert!(new.iter().all(|memory| first_unwritten(memory.address(), 256).is_none()));
    }
}
