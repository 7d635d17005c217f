//! Shared memory: one arena a block, filled from the front, the same layout in all blocks.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::ptr::NonNull;

use super::facts::POISON;
use super::facts::{Line, SharedSite};
use super::fault::SimFault;
use super::machine::Machine;
use super::problem::RankProblem;

/// Alignment of a block's shared memory, in bytes, as bulk copies with a 128-byte swizzle need it.
const ALIGN: usize = 1024;

/// The largest arena, in bytes, whatever the settings say: a thousand times what GPUs have.
pub(super) const LARGEST: usize = 256 << 20;

/// Arenas that an OS thread keeps for its next launch.
const POOLED: usize = 16;

thread_local! {
    static POOL: RefCell<Vec<Arena>> = const { RefCell::new(Vec::new()) };
}

/// The shared memory of the blocks of one cluster.
pub(super) struct SharedMemory {
    arenas: Vec<Arena>,
    sites: RefCell<Vec<Site>>,
    /// Bytes handed out so far; dynamic shared memory comes first.
    used: Cell<usize>,
    dynamic: usize,
    limit: usize,
}

struct Site {
    at: SharedSite,
    offset: usize,
    bytes: usize,
}

/// Uninitialised bytes that never move.
struct Arena {
    start: NonNull<u8>,
    layout: Layout,
}

impl SharedMemory {
    /// Memory for `blocks` blocks of at most `limit` bytes each, `dynamic` of them taken.
    pub fn new(blocks: u32, limit: usize, dynamic: usize) -> Self {
        let arenas = (0..blocks).map(|_| Arena::take(limit)).collect();
        Self { arenas, sites: RefCell::new(Vec::new()), used: Cell::new(dynamic), dynamic, limit }
    }

    /// Makes the memory of all blocks fresh.
    pub fn reset(&self) {
        self.poison(0, self.used.get());
    }

    fn poison(&self, offset: usize, bytes: usize) {
        for arena in &self.arenas {
            // SAFETY: `used` never exceeds the arena's size, and `offset + bytes` never exceeds `used`.
            unsafe { arena.start.add(offset).write_bytes(POISON, bytes) };
        }
    }

    fn at(&self, rank: u32, offset: usize) -> *mut u8 {
        // SAFETY: `offset` is at most `used`, which is at most the arena's size.
        unsafe { self.arenas[rank as usize].start.as_ptr().add(offset) }
    }

    /// The rank of the block that holds `address`; `rank` is tried first.
    #[inline]
    pub fn rank_of(&self, address: usize, rank: u32) -> Option<u32> {
        let used = self.used.get();
        if used == 0 {
            return None;
        }
        let holds = |rank: &u32| {
            let start = self.arenas[*rank as usize].start.as_ptr() as usize;
            address.wrapping_sub(start) < used
        };
        Some(rank).filter(holds).or_else(|| (0..self.arenas.len() as u32).find(holds))
    }

    /// The number of the element of this size that an address is, in the array that holds it.
    pub fn element_of(&self, address: usize, size: usize) -> usize {
        let Some(offset) = self.offset_of(address, 0) else { return 0 };
        let sites = self.sites.borrow();
        let site = sites.iter().find(|site| (site.offset..site.offset + site.bytes).contains(&offset));
        site.map_or(0, |site| (offset - site.offset) / size)
    }

    /// The addresses of the shared memory of the block that holds an address; `rank` is tried first.
    pub fn around(&self, address: usize, rank: u32) -> Option<Range<usize>> {
        let start = self.at(self.rank_of(address, rank)?, 0).addr();
        Some(start..start + self.used.get())
    }

    /// Whether bytes from `address` on are all in one array of this block, or in its dynamic memory.
    pub fn is_in_one_array(&self, address: usize, bytes: usize, rank: u32) -> bool {
        let offset = address.wrapping_sub(self.arenas[rank as usize].start.as_ptr().addr());
        let ends_in = |end: usize| offset.checked_add(bytes).is_some_and(|last| last <= end);
        let in_site = |site: &Site| site.offset <= offset && ends_in(site.offset + site.bytes);
        ends_in(self.dynamic) || self.sites.borrow().iter().any(in_site)
    }

    /// Offset of `address` in the block that holds it; that of `rank` is tried first.
    fn offset_of(&self, address: usize, rank: u32) -> Option<usize> {
        let own = &self.arenas[rank as usize];
        let inside = |arena: &Arena| {
            let offset = address.wrapping_sub(arena.start.as_ptr() as usize);
            (offset <= self.used.get()).then_some(offset)
        };
        inside(own).or_else(|| self.arenas.iter().find_map(inside))
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // While an OS thread ends, its pool may be gone: then the arenas are freed.
        let _ = POOL.try_with(|pool| {
            let mut pool = pool.borrow_mut();
            pool.extend(self.arenas.drain(..));
            pool.truncate(POOLED);
        });
    }
}

impl Arena {
    fn take(bytes: usize) -> Self {
        let pooled = POOL.with_borrow_mut(|pool| {
            let fits = pool.iter().position(|arena| arena.layout.size() >= bytes);
            fits.map(|i| pool.swap_remove(i))
        });
        pooled.unwrap_or_else(|| Self::new(bytes))
    }

    fn new(bytes: usize) -> Self {
        let size = bytes.max(1).next_multiple_of(ALIGN);
        let layout = Layout::from_size_align(size, ALIGN);
        let layout = layout.unwrap_or_else(|_| handle_alloc_error(Layout::new::<u8>()));
        // SAFETY: the layout's size is not 0.
        let Some(start) = NonNull::new(unsafe { alloc(layout) }) else { handle_alloc_error(layout) };
        Self { start, layout }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

impl Machine<'_> {
    /// The current block's memory of one `shared!`.
    pub(super) fn shared_alloc(&self, at: SharedSite, bytes: usize, align: usize) -> *mut u8 {
        let known =
            self.shared.sites.borrow().iter().find(|site| same(site.at, at)).map(|s| (s.offset, s.bytes));
        let offset = match known {
            Some((offset, first)) if first == bytes => offset,
            Some((_, first)) => self.raise_size(at, bytes, first),
            None => self.add_site(at, bytes, align),
        };
        self.shared.at(self.here.get().rank, offset)
    }

    /// The current block's dynamic shared memory and its size in bytes.
    pub(super) fn dynamic_shared(&self) -> (*mut u8, usize) {
        (self.shared.at(self.here.get().rank, 0), self.shared.dynamic)
    }

    /// The counterpart of `address` of the current block in the block of this rank.
    pub(super) fn map_shared_rank(&self, address: *const u8, rank: u32, at: Line) -> *mut u8 {
        let size = self.shape.cluster_blocks;
        if rank >= size {
            self.raise_rank(rank, at, RankProblem::Beyond { size });
        }
        match self.shared.offset_of(address as usize, self.here.get().rank) {
            Some(offset) => self.shared.at(rank, offset),
            None => self.raise_rank(rank, at, RankProblem::NotShared),
        }
    }

    #[cold]
    fn add_site(&self, at: SharedSite, bytes: usize, align: usize) -> usize {
        let (memory, limit) = (&self.shared, self.shared.limit);
        let offset = memory.used.get().next_multiple_of(align.max(1));
        let end = offset.saturating_add(bytes);
        if end > limit {
            self.raise(SimFault::SharedMemory { kernel: self.kernel(), bytes: end, limit });
        }
        memory.used.set(end);
        memory.poison(offset, bytes);
        memory.sites.borrow_mut().push(Site { at, offset, bytes });
        offset
    }

    #[cold]
    fn raise_size(&self, SharedSite { file, line, .. }: SharedSite, bytes: usize, first: usize) -> ! {
        let (file, here) = (file.to_owned(), self.here.get());
        let (block, thread) = (here.block_idx, here.thread_idx);
        self.raise(SimFault::SharedSize { kernel: self.kernel(), file, line, bytes, first, block, thread })
    }

    #[cold]
    fn raise_rank(&self, rank: u32, at: Line, problem: RankProblem) -> ! {
        let (file, line, here) = (at.file.to_owned(), at.line, self.here.get());
        let (block, thread) = (here.block_idx, here.thread_idx);
        self.raise(SimFault::SharedRank { kernel: self.kernel(), rank, file, line, block, thread, problem })
    }
}

/// Whether two sites are one; numbers first, they differ more often.
fn same(a: SharedSite, b: SharedSite) -> bool {
    (a.line, a.column, a.instance) == (b.line, b.column, b.instance)
        && (std::ptr::eq(a.file, b.file) || a.file == b.file)
}
