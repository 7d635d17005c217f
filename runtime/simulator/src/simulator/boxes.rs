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
    /// Returns whether it goes from shared memory to the tensor.
    fn writes_the_tensor(self) -> bool {
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
    /// Their address in the tensor; `None` outside it.
    pub tensor: Option<usize>,
    /// How many.
    pub bytes: usize,
}

/// A box of a tensor.
#[derive(Clone, Copy, Debug)]
pub struct BoxPart<'a> {
    /// Its bytes.
    pub pieces: &'a [BoxPiece],
    /// The byte that those outside the tensor are filled with.
    pub fill: u8,
    /// Bytes of an element.
    pub element: usize,
    /// The coordinates of its first element, the outermost first.
    pub at: &'a [i64],
}

/// Starts a copy of a box; bytes outside the tensor are filled, or not stored. All of them count.
///
/// `shared` and `barrier` are in this block's shared memory, also of a copy to others.
#[track_caller]
pub fn box_copy(
    operation: &'static str,
    copy: BoxCopy,
    shared: SharedBox,
    part: BoxPart<'_>,
    barrier: *const u8,
) {
    let machine = current(operation);
    let at = machine.line(Line::caller());
    check(machine, operation, copy, shared, at);
    check_start(machine, operation, copy, part, at);
    let pieces = part.pieces;
    let load = |kind, start: *mut u8, barrier: *const u8| {
        let bytes = pieces.iter().map(|piece| piece.bytes).sum();
        let moved = pieces.iter().map(|piece| loaded(piece, start)).collect();
        let mut transfer = Transfer::new((operation, kind), moved, vec![(barrier.addr(), bytes)], at);
        transfer.fill = part.fill;
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
    let from = piece.tensor.map(std::ptr::with_exposed_provenance);
    Piece { to: start.wrapping_add(piece.at), from, bytes: piece.bytes }
}

fn stored(piece: &BoxPiece, start: *mut u8) -> Option<Piece> {
    let to = std::ptr::with_exposed_provenance_mut(piece.tensor?);
    Some(Piece { to, from: Some(start.wrapping_add(piece.at)), bytes: piece.bytes })
}

/// What hardware asks of the coordinates: it stops with an illegal instruction at others.
fn check_start(
    machine: &Machine<'_>,
    operation: &'static str,
    copy: BoxCopy,
    BoxPart { at: first, element, .. }: BoxPart<'_>,
    at: Line,
) {
    let bytes = first.last().map_or(0, |column| column * element as i64);
    if bytes % 16 != 0 {
        machine.raise_misuse(operation, BulkProblem::Column { bytes }, at);
    }
    if copy.writes_the_tensor() && first.iter().any(|i| *i < 0) {
        machine.raise_misuse(operation, BulkProblem::Outside { first: first.into() }, at);
    }
}

/// What hardware asks of the box in shared memory; the host has checked the tensor.
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
