//! Rows of matrices in shared memory, sixteen bytes each, as instructions of a warp load and store them.

use super::facts::{Access, AccessKind, Line, Space};
use super::fault::SimFault;
use super::machine::Machine;
use super::matrix_row::{MatrixRow, ROW};
use super::raise::FaultSite;

impl Machine<'_> {
    /// Tells of the access to a row, and ends the launch if it is not in one array of the block's shared memory.
    pub(super) fn check_row(&self, operation: &'static str, place: *const u8, kind: AccessKind, at: Line) {
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
            unsafe { self.tell_row(&access) };
        }
    }
}
