//! Operations that simulated threads do together: barriers, votes and operations of warps.

use super::current::current;
use super::facts::{AccessKind, Line};
use super::warp::{SYNC_WARP, WarpView};

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

/// Waits for all threads of the block, and returns how many of them voted yes.
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

/// Waits for the lanes of `mask`, which must make the same call, and returns the value of each.
///
/// `kind` is the operation's name for faults. Lanes that the block does not have take no part.
#[inline]
#[track_caller]
pub fn warp_exchange(mask: u32, kind: &'static str, payload: [u8; 16]) -> WarpView {
    let machine = current(kind);
    machine.exchange(kind, mask, payload, machine.line(Line::caller()))
}

/// Like [`warp_exchange`], for values of any size in pieces of sixteen bytes. All lanes pass the same number of pieces.
#[track_caller]
pub fn warp_exchange_wide(mask: u32, kind: &'static str, pieces: &[[u8; 16]]) -> WarpView {
    let machine = current(kind);
    machine.exchange_all(kind, mask, pieces, machine.line(Line::caller()))
}

/// Reads sixteen bytes of the block's shared memory, the row of a matrix for the operation `kind`.
///
/// Ends the launch with [`SimFault::MatrixRow`](super::SimFault::MatrixRow) where they are not in one array of it.
#[track_caller]
pub fn read_row(kind: &'static str, place: *const u8) -> [u8; 16] {
    let machine = current(kind);
    machine.check_row(kind, place, AccessKind::Read, machine.line(Line::caller()));
    // SAFETY: the bytes lie in an array of the block's shared memory.
    unsafe { place.cast::<[u8; 16]>().read() }
}

/// Writes sixteen bytes of the block's shared memory, with the rules of [`read_row`].
#[track_caller]
pub fn write_row(kind: &'static str, place: *mut u8, row: [u8; 16]) {
    let machine = current(kind);
    machine.check_row(kind, place, AccessKind::Write, machine.line(Line::caller()));
    // SAFETY: as in `read_row`.
    unsafe { place.cast::<[u8; 16]>().write(row) }
}
