//! Finds reads of memory that nobody has written, byte by byte: of shared memory since the block began, of
//! global memory since it was allocated.
//!
//! Of global memory the simulator keeps for each allocation what is written, as launches and the host share it.
//! Variables have always been written, by rustc.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use crate::simulator::{
    Access, Interests, Observer, SimFault, SimLaunch, Space, Thread, UnwrittenMemory, global,
};

/// Bytes of a page.
const PAGE: usize = 4096;

/// Ends a launch with [`SimFault::Uninitialised`] at the first read of a byte that nobody has written.
///
/// One observer may watch any number of launches, one after the other.
#[derive(Default)]
pub struct Initialisation(RefCell<State>);

#[derive(Default)]
struct State {
    kernel: String,
    /// The names of slices, with their addresses.
    slices: Vec<(String, Range<usize>)>,
    /// Of each page of shared memory, which bytes have been written, a bit for each.
    pages: HashMap<usize, Box<[u64; PAGE / 64]>>,
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
            state.pages.values_mut().for_each(|page| page.fill(0));
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
            && let Some(first) = bytes.clone().find(|byte| !state.is_written(*byte))
        {
            return Err(state.fault(by, access, first - access.address, UnwrittenMemory::Shared));
        }
        if access.kind.writes() {
            bytes.for_each(|byte| state.write(byte));
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
    fn is_written(&self, byte: usize) -> bool {
        let bit = byte % PAGE;
        self.pages.get(&(byte / PAGE)).is_some_and(|page| page[bit / 64] >> (bit % 64) & 1 == 1)
    }

    fn write(&mut self, byte: usize) {
        let bit = byte % PAGE;
        let page = self.pages.entry(byte / PAGE).or_insert_with(|| Box::new([0; PAGE / 64]));
        page[bit / 64] |= 1 << (bit % 64);
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
