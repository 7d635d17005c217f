//! Finds reads of unwritten memory, byte by byte: of shared memory since the block began, of
//! global memory since it was allocated.
//!
//! For global memory, the simulator itself keeps the written bytes of each allocation, because launches and the host share
//! it. Variables have always been written, by rustc.

use std::cell::RefCell;
use std::ops::Range;

use super::pages::{PAGE, Pages};
use crate::simulator::{
    Access, Interests, Observer, SimFault, SimLaunch, Space, Thread, TransferEvent, UnwrittenMemory, global,
};

/// Ends a launch with [`SimFault::Uninitialised`] at the first read of an unwritten byte.
///
/// One observer may watch any number of launches, one after the other.
#[derive(Default)]
pub struct Initialisation(RefCell<State>);

#[derive(Default)]
struct State {
    kernel: String,
    /// The names of slices, with their addresses.
    slices: Vec<(String, Range<usize>)>,
    /// The written bytes of each page of shared memory, one bit for each byte.
    pages: Pages<[u64; PAGE / 64]>,
    /// Whether a block has begun and no thread of it has done anything.
    fresh: bool,
}

impl Initialisation {
    /// A check that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Observer for Initialisation {
    fn interests(&self) -> Interests {
        Interests { accesses: true, ..Interests::default() }
    }

    fn on_launch(&self, launch: &SimLaunch<'_>) {
        let mut state = self.0.borrow_mut();
        launch.kernel.clone_into(&mut state.kernel);
        state.slices =
            launch.slices.iter().map(|(name, range)| ((*name).to_owned(), range.clone())).collect();
        state.fresh = false;
    }

    fn on_block(&self, _block: [u32; 3]) {
        let mut state = self.0.borrow_mut();
        if !std::mem::replace(&mut state.fresh, true) {
            state.pages.iter_mut().for_each(|page| page.fill(0));
        }
    }

    fn on_thread_end(&self, _by: &Thread) {
        self.0.borrow_mut().fresh = false;
    }

    fn on_access(&self, by: &Thread, access: &Access) -> Result<(), SimFault> {
        match access.space {
            Space::Shared { .. } => self.shared(by, access),
            Space::Global => self.global(by, access),
            Space::Constant | Space::Local => Ok(()),
        }
    }

    fn on_hidden(&self, _by: &Thread, memory: &Range<usize>) {
        self.0.borrow_mut().write(memory.clone());
    }

    fn on_transfer_start(&self, by: &Thread, transfer: &TransferEvent<'_>) -> Result<(), SimFault> {
        transfer.reads.iter().chain(transfer.writes).try_for_each(|access| self.on_access(by, access))
    }

    fn on_copy_start(&self, by: &Thread, _copy: u64, from: &Access, to: &Access) -> Result<(), SimFault> {
        self.on_access(by, from)?;
        self.on_access(by, to)
    }
}

impl Initialisation {
    fn shared(&self, by: &Thread, access: &Access) -> Result<(), SimFault> {
        let mut state = self.0.borrow_mut();
        state.fresh = false;
        let bytes = access.address..access.address + access.bytes as usize;
        if access.kind.reads()
            && let Some(first) = state.first_unwritten(bytes.clone())
        {
            return Err(state.fault(by, access, first - access.address, UnwrittenMemory::Shared));
        }
        if access.kind.writes() {
            state.write(bytes);
        }
        Ok(())
    }

    fn global(&self, by: &Thread, access: &Access) -> Result<(), SimFault> {
        let (address, bytes) = (access.address, access.bytes as usize);
        if access.kind.reads()
            && let Some(first) = global::first_unwritten(address, bytes)
        {
            let state = self.0.borrow();
            let memory = UnwrittenMemory::Global { buffer: state.slice(address + first) };
            return Err(state.fault(by, access, first, memory));
        }
        if access.kind.writes() {
            global::written(address, bytes);
        }
        Ok(())
    }
}

impl State {
    fn first_unwritten(&mut self, bytes: Range<usize>) -> Option<usize> {
        words(bytes).find_map(|(first, mask)| {
            let missing = mask & !*self.word(first);
            (missing != 0).then(|| first / 64 * 64 + missing.trailing_zeros() as usize)
        })
    }

    fn write(&mut self, bytes: Range<usize>) {
        words(bytes).for_each(|(first, mask)| *self.word(first) |= mask);
    }

    /// The word that holds the bit of a byte.
    #[inline]
    fn word(&mut self, byte: usize) -> &mut u64 {
        let page = self.pages.position(byte / PAGE, || [0; PAGE / 64]);
        &mut self.pages.at(page)[byte % PAGE / 64]
    }

    /// The argument that an address is in.
    fn slice(&self, address: usize) -> Option<String> {
        self.slices.iter().find(|(_, range)| range.contains(&address)).map(|(name, _)| name.clone())
    }

    #[cold]
    fn fault(&self, by: &Thread, access: &Access, byte: usize, memory: UnwrittenMemory) -> SimFault {
        SimFault::Uninitialised {
            kernel: self.kernel.clone(),
            memory,
            bytes: access.bytes,
            byte: byte as u32,
            file: access.by.at.file.to_owned(),
            line: access.by.at.line,
            block: by.block_idx,
            thread: by.thread_idx,
        }
    }
}

/// The first bytes of the words that hold the bits of some bytes, each with a mask of those.
fn words(bytes: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
    let mut at = bytes.start;
    std::iter::from_fn(move || {
        let (first, end) = (at, bytes.end.min(at / 64 * 64 + 64));
        at = end;
        (first < end).then(|| (first, u64::MAX >> (64 - (end - first)) << (first % 64)))
    })
}
