//! Copies of boxes of tensors, which threads give the copy engine piece by piece.
//!
//! Knows no maps: who asks says where each piece lies in shared and in global memory.

use super::current::current;
use super::facts::{Line, Space, TransferKind};
use super::machine::Machine;
use super::problem::BulkProblem;
use super::transfer::{Join, Piece, Transfer};

/// Which memory a copy of a box reads and writes.
#[derive(Clone, Copy, Debug)]
pub enum BoxCopy {
    /// From global to shared memory; a barrier counts the bytes.
    Load,
    /// The same into each block of the cluster whose bit is set, with a barrier of each.
    Multicast {
        /// A bit for each rank.
        blocks: u16,
    },
    /// From shared to global memory, in the thread's group.
    Store,
    /// From shared memory into what global memory holds, likewise.
    Reduce {
        /// How.
        join: Join,
        /// Bytes of an element.
        element: usize,
    },
}

impl BoxCopy {
    /// Returns whether it goes from shared memory to the matrix.
    fn writes_the_matrix(self) -> bool {
        matches!(self, BoxCopy::Store | BoxCopy::Reduce { .. })
    }
}

/// Where a box lies in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct SharedBox {
    /// Its first byte.
    pub start: *mut u8,
    /// What that address is a multiple of.
    pub align: usize,
}

/// Bytes side by side of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxPiece {
    /// The first of them, from the start of the box in shared memory.
    pub at: usize,
    /// Their address in the matrix; `None` outside of it.
    pub matrix: Option<usize>,
    /// How many.
    pub bytes: usize,
}

/// Starts a copy of the pieces of a box; those outside of the matrix are filled with a byte, or not stored. Their bytes
/// count.
///
/// The last numbers are the row that the box begins in, and the bytes before it in that row. The box and `barrier` are in this block's shared memory, also of a copy to others.
#[track_caller]
pub fn box_copy(
    operation: &'static str,
    copy: BoxCopy,
    shared: SharedBox,
    (pieces, fill, [row, before]): (&[BoxPiece], u8, [i64; 2]),
    barrier: *const u8,
) {
    let machine = current(operation);
    let at = machine.line(Line::caller());
    check(machine, operation, copy, shared, at);
    if before % 16 != 0 {
        machine.raise_misuse(operation, BulkProblem::Column { bytes: before }, at);
    }
    if copy.writes_the_matrix() && (row < 0 || before < 0) {
        machine.raise_misuse(operation, BulkProblem::Outside { row, bytes: before }, at);
    }
    let load = |kind, start: *mut u8, barrier: *const u8| {
        let bytes = pieces.iter().map(|piece| piece.bytes).sum();
        let moved = pieces.iter().map(|piece| loaded(piece, start)).collect();
        let mut transfer = Transfer::new((operation, kind), moved, vec![(barrier.addr(), bytes)], at);
        transfer.fill = fill;
        machine.start_transfer(transfer);
    };
    let store = |kind, join| {
        let moved: Vec<Piece> = pieces.iter().filter_map(|piece| stored(piece, shared.start)).collect();
        if !moved.is_empty() {
            let mut transfer = Transfer::new((operation, kind), moved, Vec::new(), at);
            transfer.join = join;
            machine.start_transfer(transfer);
        }
    };
    match copy {
        BoxCopy::Load => load(TransferKind::Load, shared.start, barrier),
        // Each block's part is a transfer of its own, which that block's barrier counts.
        BoxCopy::Multicast { blocks } => {
            let mut kind = TransferKind::Load;
            for rank in (0..16).filter(|rank| blocks >> rank & 1 == 1) {
                let start = machine.map_shared_rank(shared.start, rank, at);
                load(kind, start, machine.map_shared_rank(barrier, rank, at));
                kind = TransferKind::Repeat;
            }
        }
        BoxCopy::Store => store(TransferKind::Store, None),
        BoxCopy::Reduce { join, element } => store(TransferKind::Reduction, Some((join, element))),
    }
}

fn loaded(piece: &BoxPiece, start: *mut u8) -> Piece {
    let from = piece.matrix.map(std::ptr::with_exposed_provenance);
    Piece { to: start.wrapping_add(piece.at), from, bytes: piece.bytes }
}

fn stored(piece: &BoxPiece, start: *mut u8) -> Option<Piece> {
    let to = std::ptr::with_exposed_provenance_mut(piece.matrix?);
    Some(Piece { to, from: Some(start.wrapping_add(piece.at)), bytes: piece.bytes })
}

/// What hardware asks of the box in shared memory; the host has checked the matrix.
///
/// Source: PTX ISA, `cp.async.bulk.tensor`, and its swizzling modes.
fn check(machine: &Machine<'_>, operation: &'static str, copy: BoxCopy, shared: SharedBox, at: Line) {
    let written = matches!(copy, BoxCopy::Load | BoxCopy::Multicast { .. });
    if !matches!(machine.space_of(shared.start.addr()), Space::Shared { .. }) {
        machine.raise_misuse(operation, BulkProblem::Memory { written, shared: true }, at);
    }
    if !shared.start.addr().is_multiple_of(shared.align) {
        let (beyond, align) = (shared.start.addr() % shared.align, shared.align);
        machine.raise_misuse(operation, BulkProblem::MisalignedTile { beyond, align }, at);
    }
}
