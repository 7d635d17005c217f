//! Rows of matrices in shared memory, sixteen bytes each, as instructions of a warp load and store them.

use std::fmt;

use super::context::with_current;
use super::facts::{Access, AccessKind, Line, Space};
use super::fault::SimFault;
use super::index::triple;
use super::machine::Machine;
use super::raise::FaultSite;

/// Bytes of a row, and the alignment that it needs.
const ROW: u32 = 16;

/// A row of a matrix that is not where it can be loaded from or stored to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixRow {
    /// The kernel.
    pub kernel: String,
    /// The function.
    pub operation: &'static str,
    /// Rust file of the call.
    pub file: String,
    /// Line of the call, from 1.
    pub line: u32,
    /// Block of the thread.
    pub block: [u32; 3],
    /// The thread in its block.
    pub thread: [u32; 3],
    /// Whether the row begins in an array of the block's shared memory, and ends outside.
    pub begins_inside: bool,
}

impl fmt::Display for MatrixRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, operation, file, line, block, thread, begins_inside } = self;
        let (block, thread) = (triple(block), triple(thread));
        write!(
            f,
            "`{operation}` at {file}:{line}, in block {block}, thread {thread} of kernel `{kernel}`, "
        )?;
        match begins_inside {
            true => write!(f, "is given a row of {ROW} bytes that ends outside its shared array"),
            false => write!(
                f,
                "is given an address outside the block's shared memory; pass a place in a `shared!` array"
            ),
        }
    }
}

/// Reads sixteen bytes of the block's shared memory, the row of a matrix that `kind` is given.
///
/// Ends the launch with [`SimFault::MatrixRow`] where they are not in one array of it.
#[track_caller]
pub fn read_row(kind: &'static str, place: *const u8) -> [u8; ROW as usize] {
    let at = Line::caller();
    with_current(|machine| machine.check_row(kind, place, AccessKind::Read, machine.line(at)));
    // SAFETY: the bytes lie in an array of the block's shared memory.
    unsafe { place.cast::<[u8; ROW as usize]>().read() }
}

/// Writes sixteen bytes of the block's shared memory, as [`read_row`] reads them.
#[track_caller]
pub fn write_row(kind: &'static str, place: *mut u8, row: [u8; ROW as usize]) {
    let at = Line::caller();
    with_current(|machine| machine.check_row(kind, place, AccessKind::Write, machine.line(at)));
    // SAFETY: as in `read_row`.
    unsafe { place.cast::<[u8; ROW as usize]>().write(row) }
}

impl Machine<'_> {
    /// Tells of the access to a row, and ends the launch if it is not in one array of the block's shared memory.
    fn check_row(&self, operation: &'static str, place: *const u8, kind: AccessKind, at: Line) {
        let (address, rank) = (place.expose_provenance(), self.here.get().rank);
        if !self.shared.is_in_one_array(address, ROW as usize, rank) {
            let FaultSite { kernel, file, line, block, thread } = self.fault_place(at);
            let begins_inside = self.shared.is_in_one_array(address, 1, rank);
            let row = MatrixRow { kernel, operation, file, line, block, thread, begins_inside };
            self.raise(SimFault::MatrixRow(Box::new(row)));
        }
        if self.interests.accesses {
            let (space, by) = (Space::Shared { rank }, self.instruction(at));
            let access = Access { address, bytes: ROW, align: ROW, space, kind: self.kind(kind), by };
            // SAFETY: the bytes lie in one array of shared memory.
            unsafe { self.tell_access(&access) };
        }
    }
}
