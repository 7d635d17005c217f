//! The history of every byte of a memory. Bytes with one history share it.
//!
//! What a thread does to a row of elements that had one history leaves them with one again: the last
//! such steps are remembered, so that the histories of a row stay as few as its different readers.

use std::collections::HashMap;

use super::clock::Key;
use super::history::{Class, History, Mark};
use crate::simulator::MemoryScope;

/// Bytes of a page.
const PAGE: usize = 4096;

/// Steps that are remembered.
const STEPS: usize = 256;

/// The histories of bytes, by address.
pub(super) struct Shadow {
    /// Positions in `slots`, byte by byte.
    pages: Vec<Box<[u32; PAGE]>>,
    index: HashMap<usize, usize>,
    /// The page that was used last, and its position.
    last: (usize, usize),
    /// The first is that of bytes nobody has touched.
    slots: Vec<Slot>,
    free: Vec<u32>,
    steps: Box<[Option<Step>; STEPS]>,
}

#[derive(Default)]
struct Slot {
    history: History,
    /// Bytes that have it.
    bytes: usize,
    /// Counts what has been in the slot.
    version: u32,
}

/// From one history to the next.
#[derive(Clone, Copy)]
struct Step {
    from: (u32, u32),
    mark: Mark,
    to: (u32, u32),
}

/// What is ordered before a new access, and who is how far from it.
pub(super) struct View<'a> {
    pub ordered: &'a dyn Fn((Key, u32)) -> bool,
    pub between: &'a dyn Fn(Key) -> MemoryScope,
}

impl Default for Shadow {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            index: HashMap::new(),
            last: (usize::MAX, 0),
            slots: vec![Slot::default()],
            free: Vec::new(),
            steps: Box::new([None; STEPS]),
        }
    }
}

impl Shadow {
    /// Forgets everything; keeps the memory of a few pages.
    pub fn clear(&mut self) {
        self.pages.iter_mut().for_each(|page| page.fill(0));
        self.slots.truncate(1);
        self.free.clear();
        self.steps.fill(None);
    }

    /// An access of these bytes; the earlier one that it conflicts with, or whether an atomic store was here before it.
    pub fn access(&mut self, start: usize, bytes: usize, mark: &Mark, view: &View<'_>) -> Result<bool, Mark> {
        let (mut at, end, mut strong) = (start, start + bytes, false);
        while at < end {
            let page = self.page(at / PAGE);
            let cells = &self.pages[page][at % PAGE..PAGE.min(at % PAGE + (end - at))];
            let old = cells[0];
            let run = cells.iter().take_while(|cell| **cell == old).count();
            strong |= self.slots[old as usize].history.stored_strongly();
            let new = self.step(old, run, mark, view)?;
            if new != old {
                self.pages[page][at % PAGE..at % PAGE + run].fill(new);
            }
            at += run;
        }
        Ok(strong)
    }

    /// Gives `run` bytes with this history the one that follows it.
    fn step(&mut self, old: u32, run: usize, mark: &Mark, view: &View<'_>) -> Result<u32, Mark> {
        let from = (old, self.slots[old as usize].version);
        let remembered = step_place(from, mark);
        if let Some(step) = self.steps[remembered]
            && (step.from, step.mark) == (from, *mark)
            && self.slots[step.to.0 as usize].version == step.to.1
        {
            self.give(old, step.to.0, run);
            return Ok(step.to.0);
        }
        let history = &self.slots[old as usize].history;
        if history.holds(mark) {
            return Ok(old);
        }
        if let Some(earlier) = history.conflict(mark, view.ordered, view.between) {
            return Err(earlier);
        }
        if old != 0 && self.slots[old as usize].bytes == run {
            let slot = &mut self.slots[old as usize];
            slot.history.add(mark, view.ordered);
            slot.version += 1;
            return Ok(old);
        }
        let mut history = match mark.class {
            Class::Write => History::default(),
            _ => history.clone(),
        };
        history.add(mark, view.ordered);
        let new = self.take(history);
        self.give(old, new, run);
        self.steps[remembered] =
            Some(Step { from, mark: *mark, to: (new, self.slots[new as usize].version) });
        Ok(new)
    }

    /// A slot for a new history.
    fn take(&mut self, history: History) -> u32 {
        let position = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[position as usize];
        slot.history = history;
        slot.version += 1;
        position
    }

    /// Moves bytes from one history to another.
    fn give(&mut self, from: u32, to: u32, bytes: usize) {
        self.slots[to as usize].bytes += bytes;
        if from == 0 {
            return;
        }
        let slot = &mut self.slots[from as usize];
        slot.bytes -= bytes;
        if slot.bytes == 0 {
            slot.history = History::default();
            slot.version += 1;
            self.free.push(from);
        }
    }

    /// The position of a page, which is made if need be.
    fn page(&mut self, number: usize) -> usize {
        if self.last.0 != number {
            let new = self.pages.len();
            let position = *self.index.entry(number).or_insert(new);
            if position == new {
                self.pages.push(Box::new([0; PAGE]));
            }
            self.last = (number, position);
        }
        self.last.1
    }
}

/// Where a step is remembered.
fn step_place(from: (u32, u32), mark: &Mark) -> usize {
    let mixed = u64::from(from.0).wrapping_mul(0x9e37_79b9) ^ mark.key ^ u64::from(mark.line) << 7;
    (mixed ^ mixed >> 15) as usize % STEPS
}
