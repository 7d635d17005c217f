//! What a simulated thread can ask and do: the base of the builtins' Rust meaning.
//!
//! Outside a launch every function here panics. Functions that wait let other threads of the
//! cluster run. None knows CUDA or the IR.

use std::cell::Cell;
use std::ptr;

pub use super::boxes::{BoxCopy, BoxPiece, SharedBox, box_copy};
pub use super::bulk::{
    BulkCopy, PhaseOf, bulk_commit, bulk_copy, bulk_wait, copy_async, copy_async_commit, copy_async_wait,
    cp_async_mbarrier_arrive, mbarrier_arrive, mbarrier_arrive_at, mbarrier_expect, mbarrier_init,
    mbarrier_inval, mbarrier_test_wait, mbarrier_try_wait, mbarrier_wait, proxy_fence,
};
pub use super::facts::POISON;
use super::facts::{Access, AccessKind, Branch, Instruction, Line, MemoryScope, Operation, Space};
#[doc(hidden)]
pub use super::facts::{Child, SharedSite};
use super::machine::Machine;
use super::observer::Interests;
pub use super::product::{WgmmaLeft, WgmmaProduct};
pub use super::transfer::Join;
use super::warp::SYNC_WARP;
pub use super::warp::WarpView;
pub use super::wgmma::{described_place, wgmma, wgmma_commit, wgmma_fence, wgmma_wait};
use super::{FaultSite, Prints, SimFault, Synchronisation};

thread_local! {
    /// The machine that this OS thread runs, or null.
    static CURRENT: Cell<*const Machine<'static>> = const { Cell::new(ptr::null()) };
}

/// Index of the thread in its block.
#[inline]
pub fn thread_idx() -> [u32; 3] {
    current("thread_idx").here.get().thread_idx
}

/// Index of the block in the grid.
#[inline]
pub fn block_idx() -> [u32; 3] {
    current("block_idx").here.get().block_idx
}

/// Threads in a block, in each dimension.
#[inline]
pub fn block_dim() -> [u32; 3] {
    current("block_dim").launch.block
}

/// Blocks in the grid, in each dimension.
#[inline]
pub fn grid_dim() -> [u32; 3] {
    current("grid_dim").launch.grid
}

/// Index of the thread in its warp, below 32.
#[inline]
pub fn lane_id() -> u32 {
    current("lane_id").here.get().linear % 32
}

/// Index of the thread's warp in its block.
#[inline]
pub fn warp_id() -> u32 {
    current("warp_id").here.get().linear / 32
}

/// Rank of the block in its cluster, `x` fastest.
#[inline]
pub fn cluster_rank() -> u32 {
    let machine = current("cluster_rank");
    if machine.launch.cooperative { 0 } else { machine.here.get().rank }
}

/// Blocks in a cluster; 1 in a launch without clusters.
#[inline]
pub fn cluster_size() -> u32 {
    let machine = current("cluster_size");
    if machine.launch.cooperative { 1 } else { machine.shape.cluster_blocks }
}

/// Blocks in a cluster, in each dimension.
#[inline]
pub fn cluster_dim() -> [u32; 3] {
    current("cluster_dim").launch.cluster
}

/// Index of the block in its cluster.
#[inline]
pub fn block_idx_in_cluster() -> [u32; 3] {
    let machine = current("block_idx_in_cluster");
    let (block, cluster) = (machine.here.get().block_idx, machine.launch.cluster);
    std::array::from_fn(|i| block[i] % cluster[i])
}

/// Index of the cluster in the grid of clusters.
#[inline]
pub fn cluster_idx() -> [u32; 3] {
    let machine = current("cluster_idx");
    let (block, cluster) = (machine.here.get().block_idx, machine.launch.cluster);
    std::array::from_fn(|i| block[i] / cluster[i])
}

/// Waits for all threads of the block.
#[inline]
#[track_caller]
pub fn sync_threads() {
    let machine = current("sync_threads");
    machine.block_barrier(machine.line(Line::caller()));
}

/// Waits for the lanes of `mask`, bit `i` for lane `i`.
#[inline]
#[track_caller]
pub fn sync_warp(mask: u32) {
    let machine = current(SYNC_WARP);
    machine.exchange(SYNC_WARP, mask, [0; 16], machine.line(Line::caller()));
}

/// Waits for all threads of the cluster.
#[inline]
#[track_caller]
pub fn cluster_sync() {
    let machine = current("cluster_sync");
    machine.cluster_barrier(machine.line(Line::caller()));
}

/// Waits for all threads of the grid, which a cooperative launch has resident at once.
#[inline]
#[track_caller]
pub fn grid_sync() {
    let machine = current("grid_sync");
    assert!(
        machine.launch.cooperative,
        "`grid_sync` needs a cooperative launch: add `.cooperative()` before `.launch(…)`"
    );
    machine.wide_barrier(machine.line(Line::caller()));
}

/// Waits for all threads of the block; how many of them voted yes.
#[track_caller]
pub fn sync_vote(yes: bool) -> u32 {
    let machine = current("sync_threads_count");
    machine.block_vote(yes, machine.line(Line::caller()))
}

/// Arrives at barrier `number` of the block, and waits there for `threads` threads if told to.
#[track_caller]
pub fn named_barrier(number: u32, threads: u32, wait: bool) {
    let machine = current("named_barrier");
    machine.named_barrier(number, threads, wait, machine.line(Line::caller()));
}

/// The first half of the barrier of the cluster.
#[track_caller]
pub fn cluster_arrive() {
    let machine = current("cluster_arrive");
    machine.cluster_arrive(machine.line(Line::caller()));
}

/// The second half of the barrier of the cluster.
#[track_caller]
pub fn cluster_wait() {
    let machine = current("cluster_wait");
    machine.cluster_wait(machine.line(Line::caller()));
}

/// The lanes of the warp that are together at the caller's place.
#[track_caller]
pub fn active_lanes() -> u32 {
    let machine = current("active_mask");
    machine.active_lanes(machine.line(Line::caller()))
}

/// A number that grows as the launch goes on: its atomics, barriers and threads.
pub fn clock() -> u64 {
    let machine = current("clock");
    let report = machine.report();
    machine.counters.ticks.update(|n| n + 1);
    machine.counters.ticks.get() + report.atomics + report.barriers + report.exchanges + report.threads
}

/// Waits for the lanes of `mask`, which must make the same call; what each of them brought.
///
/// `kind` is the operation's name for faults. Lanes that the block does not have take no part.
#[inline]
#[track_caller]
pub fn warp_exchange(mask: u32, kind: &'static str, payload: [u8; 16]) -> WarpView {
    let machine = current(kind);
    machine.exchange(kind, mask, payload, machine.line(Line::caller()))
}

/// As [`warp_exchange`], of values of any size, sixteen bytes a piece; every lane brings as many.
#[track_caller]
pub fn warp_exchange_wide(mask: u32, kind: &'static str, pieces: &[[u8; 16]]) -> WarpView {
    let machine = current(kind);
    machine.exchange_all(kind, mask, pieces, machine.line(Line::caller()))
}

/// Reads sixteen bytes of the block's shared memory, the row of a matrix that `kind` is given.
///
/// Ends the launch with [`SimFault::MatrixRow`] where they are not in one array of it.
#[track_caller]
pub fn read_row(kind: &'static str, place: *const u8) -> [u8; 16] {
    let machine = current(kind);
    machine.check_row(kind, place, AccessKind::Read, machine.line(Line::caller()));
    // SAFETY: the bytes lie in an array of the block's shared memory.
    unsafe { place.cast::<[u8; 16]>().read() }
}

/// Writes sixteen bytes of the block's shared memory, as [`read_row`] reads them.
#[track_caller]
pub fn write_row(kind: &'static str, place: *mut u8, row: [u8; 16]) {
    let machine = current(kind);
    machine.check_row(kind, place, AccessKind::Write, machine.line(Line::caller()));
    // SAFETY: as in `read_row`.
    unsafe { place.cast::<[u8; 16]>().write(row) }
}

/// The block's `bytes` bytes of shared memory for this site, filled with [`POISON`] at the block's start.
///
/// The same address for all threads of the block and all calls; the same offset in all blocks of a
/// cluster. Valid until the cluster ends.
pub fn shared_alloc(site: SharedSite, bytes: usize, align: usize) -> *mut u8 {
    current("shared").shared_alloc(site, bytes, align)
}

/// The block's dynamic shared memory, 1024-byte aligned, and its size in bytes.
///
/// Filled with [`POISON`] at the block's start; valid until the cluster ends.
pub fn dynamic_shared() -> (*mut u8, usize) {
    current("dynamic_shared").dynamic_shared()
}

/// The address, in block `rank` of the cluster, of what `ptr` is in this block's shared memory.
#[track_caller]
pub fn map_shared_rank(ptr: *const u8, rank: u32) -> *mut u8 {
    let machine = current("map_shared_rank");
    machine.map_shared_rank(ptr, rank, machine.line(Line::caller()))
}

/// Keeps a descriptor of three words at most for as long as the thread may name it.
///
/// Outside a launch it is kept for ever.
#[doc(hidden)]
pub fn keep<'a, T>(descriptor: T) -> &'a mut T {
    const { assert!(size_of::<T>() <= 24 && align_of::<T>() <= 8 && !std::mem::needs_drop::<T>()) };
    let machine = CURRENT.get();
    if machine.is_null() {
        return Box::leak(Box::new(descriptor));
    }
    // SAFETY: not null, so an `Entered` lives, and it lives no longer than its machine.
    let place = unsafe { &*machine }.arena.take().cast::<T>();
    // SAFETY: twenty-four bytes, aligned to eight, given to nobody else until the thread has ended.
    unsafe {
        place.write(descriptor);
        &mut *place
    }
}

/// Called before each atomic: counts it, and lets other threads run now and then.
#[inline]
#[track_caller]
pub fn on_atomic() {
    let machine = current("atomics");
    machine.count_atomic(machine.line(Line::caller()));
}

/// Called after each atomic, with what the place held before and holds now: a thread that finds the same again and again
/// may be waiting for another.
#[inline]
#[doc(hidden)]
pub fn on_found<T: Copy>(place: &T, old: &T) {
    let bytes = |value: &T| {
        // SAFETY: atomics are of numbers and vectors, without padding.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast::<u8>(), size_of::<T>()) }
    };
    let (address, changed) = (std::ptr::from_ref(place).addr(), bytes(old) != bytes(place));
    with_current(|machine| machine.note_found(address, bytes(old), changed));
}

/// Says which instruction the running thread executes, for as long as the interpreter runs it.
#[doc(hidden)]
pub fn set_instruction(instruction: Option<Instruction>) {
    current("instruction").instruction.set(instruction);
}

/// The line that the running thread is at, as [`set_instruction`] said it.
#[track_caller]
#[doc(hidden)]
pub fn here() -> Line {
    current("line").line(Line::caller())
}

/// The running thread comes to a synchronisation of a launch that may do without it; whether it executes it.
#[doc(hidden)]
pub fn synchronise(which: &Synchronisation) -> bool {
    current("synchronisation").synchronise(which)
}

/// The running thread is past the synchronisation that it came to.
#[doc(hidden)]
pub fn synchronised() {
    current("synchronisation").synchronised();
}

/// Ends the launch if the running lane has read one that takes no part in an operation.
#[cold]
#[track_caller]
#[doc(hidden)]
pub fn fault_source(kind: &'static str, mask: u32, lane: u32) {
    let machine = current(kind);
    machine.raise_source(kind, mask, lane, machine.line(Line::caller()));
}

/// Tells of an access that the interpreter is about to make.
///
/// # Safety
/// The bytes can be read, unless the address is misaligned.
#[doc(hidden)]
pub unsafe fn tell_access(access: &Access) {
    // SAFETY: the caller's word.
    unsafe { current("access").tell_access(access) };
}

/// Tells which way a branch goes.
#[doc(hidden)]
pub fn tell_branch(branch: &Branch) {
    let machine = current("branch");
    let by = machine.running();
    machine.notify(|observer| observer.on_branch(&by, branch));
}

/// Tells of an operation.
#[doc(hidden)]
pub fn tell_work(work: Operation, instruction: &Instruction) {
    let machine = current("work");
    let by = machine.running();
    machine.notify(|observer| observer.on_work(&by, work, instruction));
}

/// Whose memory an address is in, for what is not a variable of a thread.
#[doc(hidden)]
pub fn space_of(address: usize) -> Space {
    current("memory").space_of(address)
}

/// Ends the launch with a fault of the running thread at a line.
#[cold]
#[doc(hidden)]
pub fn fault_at(at: Line, fault: impl FnOnce(FaultSite) -> SimFault) -> ! {
    let machine = current("fault");
    machine.raise(fault(machine.fault_place(at)))
}

/// What the launch's observers want to be told.
#[inline]
pub fn interests() -> Interests {
    current("interests").interests
}

/// Called before each access of memory that a builtin makes; outside a launch nobody is told.
#[inline]
#[track_caller]
#[doc(hidden)]
pub fn on_access<T>(place: &T, kind: AccessKind) {
    // SAFETY: a reference can be read; what builtins access are numbers and vectors, without padding.
    unsafe { on_access_at(place, kind) };
}

/// As [`on_access`], of a place that nobody has a reference to.
///
/// # Safety
/// It can be read.
#[inline]
#[track_caller]
#[doc(hidden)]
pub unsafe fn on_access_at<T>(place: *const T, kind: AccessKind) {
    let at = Line::caller();
    with_current(|machine| {
        if machine.interests.accesses {
            let (address, by) = (place.expose_provenance(), machine.instruction(at));
            let (bytes, align) = (size_of::<T>() as u32, align_of::<T>() as u32);
            let kind = machine.kind(kind);
            let access = Access { address, bytes, align, space: machine.space_of(address), kind, by };
            // SAFETY: the caller's word.
            unsafe { machine.tell_access(&access) };
        }
    });
}

/// A fence of the running thread.
#[inline]
#[track_caller]
pub fn fence(scope: MemoryScope) {
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    let at = Line::caller();
    with_current(|machine| {
        if machine.is_watched() && !machine.unordered.get() {
            machine.tell_fence(scope, at);
        }
    });
}

/// Ends the launch with [`SimFault::OutOfBounds`] at the caller's line.
#[cold]
#[track_caller]
pub fn fault_bounds(index: i64, len: usize) -> ! {
    let at = Line::caller();
    with_current(|machine| machine.raise_bounds(index, len, machine.line(at)));
    panic!("index {index} is out of bounds for length {len}");
}

/// Ends the launch with [`SimFault::Range`] at the caller's line.
#[cold]
#[track_caller]
pub fn fault_range(bound: i64, limit: usize) -> ! {
    let at = Line::caller();
    with_current(|machine| machine.raise_range(bound, limit, machine.line(at)));
    panic!("range bound {bound} is beyond {limit}");
}

/// Queues a launch of the running thread; the device's limits end the launch of the kernel with a fault.
#[doc(hidden)]
pub fn launch(child: Child, at: Line) {
    current("launch").launch_child(child, at);
}

/// Ends the launch with [`SimFault::Launch`](super::SimFault::Launch).
#[cold]
#[doc(hidden)]
pub fn fault_launch(kernel: &str, why: String, at: Line) -> ! {
    current("launch").raise_launch(kernel, why, at)
}

/// Prints the text of a kernel's `println!`, with a line feed at its end, or of its `print!`.
pub fn print(text: String, newline: bool) {
    let mut shown = true;
    with_current(|machine| {
        let kept = match machine.launch.prints {
            Prints::Shown => return,
            Prints::Kept(kept) => {
                shown = false;
                kept
            }
            Prints::ShownAndKept(kept) => kept,
        };
        kept.borrow_mut().extend([text.as_str(), if newline { "\n" } else { "" }]);
    });
    match newline {
        _ if !shown => {}
        true => println!("{text}"),
        false => print!("{text}"),
    }
}

/// While it lives, this OS thread runs the machine it was made for.
pub(super) struct Entered;

/// Makes `machine` the one that this OS thread runs, unless it runs one already.
pub(super) fn enter(machine: &Machine<'_>) -> Option<Entered> {
    if !CURRENT.get().is_null() {
        return None;
    }
    CURRENT.set(ptr::from_ref(machine).cast());
    Some(Entered)
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(ptr::null());
    }
}

/// Calls `f` with the machine that this OS thread runs; `false` if it runs none.
#[inline]
pub(super) fn with_current(f: impl FnOnce(&Machine<'_>)) -> bool {
    let machine = CURRENT.get();
    if machine.is_null() {
        return false;
    }
    // SAFETY: not null, so an `Entered` lives, and it lives no longer than its machine.
    f(unsafe { &*machine });
    true
}

/// The machine that this OS thread runs; `caller` is named if it runs none.
#[inline]
#[track_caller]
pub(super) fn current<'a>(caller: &str) -> &'a Machine<'a> {
    let machine = CURRENT.get();
    if machine.is_null() {
        outside(caller);
    }
    // SAFETY: not null, so an `Entered` lives, and it lives no longer than its machine. Callers in
    // this file and `bulk.rs` drop the reference before they return to the kernel.
    unsafe { &*machine }
}

#[cold]
#[track_caller]
fn outside(caller: &str) -> ! {
    panic!(
        "`{caller}` can only be used in a kernel, and this code was called from the host: launch the kernel instead"
    );
}
