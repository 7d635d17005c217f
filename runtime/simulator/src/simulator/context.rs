//! The operations of a simulated thread, on which the Rust meaning of builtins is based.
//!
//! Outside a launch every function here panics. Functions that wait let other threads of the
//! cluster run. None knows CUDA or the IR.

pub use super::boxes::{BoxCopy, BoxPart, BoxPiece, SharedBox, box_copy};
pub use super::bulk::{
    BulkCopy, PhaseOf, bulk_commit, bulk_copy, bulk_wait, copy_async, copy_async_commit, copy_async_wait,
    cp_async_mbarrier_arrive, mbarrier_arrive, mbarrier_arrive_at, mbarrier_expect, mbarrier_init,
    mbarrier_inval, mbarrier_test_wait, mbarrier_try_wait, mbarrier_wait, proxy_fence,
};
use super::current::{current, with_current};
pub use super::facts::POISON;
use super::facts::{Access, AccessKind, Branch, Instruction, Line, MemoryScope, Operation, Space};
#[doc(hidden)]
pub use super::facts::{Child, SharedSite};
use super::observer::Interests;
pub use super::position::{
    block_dim, block_idx, block_idx_in_cluster, cluster_dim, cluster_idx, cluster_rank, cluster_size,
    grid_dim, lane_id, thread_idx, warp_id,
};
pub use super::product::{WgmmaLeft, WgmmaProduct};
pub use super::registers::{RegisterChange, set_registers};
pub use super::rendezvous::{
    active_lanes, cluster_arrive, cluster_sync, cluster_wait, grid_sync, named_barrier, read_row,
    sync_threads, sync_vote, sync_warp, warp_exchange, warp_exchange_wide, write_row,
};
pub use super::tensor_sums::{
    FloatFormat, TensorCores, TensorSum, TensorUnit, add_product, cut, fused, nearest_half,
};
pub use super::transfer::Join;
pub use super::warp::WarpView;
pub use super::wgmma::{
    described_place, has_products_in_flight, touch, wgmma, wgmma_commit, wgmma_fence, wgmma_wait,
};
use super::{FaultSite, Prints, SimFault, Synchronisation};
use crate::on_host;

/// How tensor cores add floats in this launch.
pub fn tensor_cores() -> TensorCores {
    current("mma").launch.settings.tensor_cores
}

/// A number that grows as the launch goes on: its atomics, barriers and threads.
#[inline]
pub fn clock() -> u64 {
    let machine = current("clock");
    let report = machine.report();
    machine.counters.ticks.update(|n| n + 1);
    machine.counters.ticks.get() + report.atomics + report.barriers + report.exchanges + report.threads
}

/// The block's `bytes` bytes of shared memory for this site, filled with [`POISON`] at the block's start.
///
/// The same address for all threads of the block and all calls; the same offset in all blocks of a
/// cluster. Valid until the cluster ends.
#[inline]
pub fn shared_alloc(site: SharedSite, bytes: usize, align: usize) -> *mut u8 {
    current("shared").shared_alloc(site, bytes, align)
}

/// The block's dynamic shared memory, 1024-byte aligned, and its size in bytes.
///
/// Filled with [`POISON`] at the block's start; valid until the cluster ends.
#[inline]
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
    let mut place: *mut T = std::ptr::null_mut();
    if !with_current(|machine| place = machine.arena.take().cast()) {
        return Box::leak(Box::new(descriptor));
    }
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
#[inline]
#[doc(hidden)]
pub fn set_instruction(instruction: Option<Instruction>) {
    current("instruction").instruction.set(instruction);
}

/// The line that the running thread is at, as [`set_instruction`] said it.
#[inline]
#[track_caller]
#[doc(hidden)]
pub fn here() -> Line {
    current("line").line(Line::caller())
}

/// The running thread comes to a synchronisation of a launch that may do without it; whether it executes it.
#[inline]
#[doc(hidden)]
pub fn synchronise(which: &Synchronisation) -> bool {
    current("synchronisation").synchronise(which)
}

/// The running thread is past the synchronisation that it came to.
#[inline]
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
#[inline]
#[doc(hidden)]
pub unsafe fn tell_access(access: &Access) {
    // SAFETY: the caller's word.
    unsafe { current("access").tell_access(access) };
}

/// Tells which way a branch goes.
#[inline]
#[doc(hidden)]
pub fn tell_branch(branch: &Branch) {
    let machine = current("branch");
    let by = machine.running();
    machine.notify(|observer| observer.on_branch(&by, branch));
}

/// Tells of an operation.
#[inline]
#[doc(hidden)]
pub fn tell_work(work: Operation, instruction: &Instruction) {
    let machine = current("work");
    let by = machine.running();
    machine.notify(|observer| observer.on_work(&by, work, instruction));
}

/// Whose memory an address is in, for what is not a variable of a thread.
#[inline]
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

/// Where the running thread is, at a line.
#[doc(hidden)]
pub fn fault_place(at: Line) -> FaultSite {
    current("the thread's place").fault_place(at)
}

/// The running thread knows that the launch before this one has ended.
pub fn grid_dependency_wait() {
    let machine = current("grid_dependency_wait");
    if machine.is_watched() && !machine.unordered.get() {
        let by = machine.running();
        machine.notify(|observer| observer.on_dependency_wait(&by));
    }
}

/// The events that the launch's observers want.
#[inline]
pub fn interests() -> Interests {
    current("interests").interests
}

/// Called before each access of memory that a builtin makes; outside a launch, no observer hears of it.
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
    on_host::out_of_bounds(index, len)
}

/// Ends the launch with [`SimFault::Range`] at the caller's line.
#[cold]
#[track_caller]
pub fn fault_range(bound: i64, limit: usize) -> ! {
    let at = Line::caller();
    with_current(|machine| machine.raise_range(bound, limit, machine.line(at)));
    on_host::range_out_of_bounds(bound, limit)
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
