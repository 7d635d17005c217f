//! The history of every byte of a memory.
//!
//! A cell stands for a word of four bytes, or for one byte of pages that are accessed in other pieces. It is the
//! only plain store or load that counts, where there is one such; else it names a history, which cells
//! with the same one share.

use super::clock::Key;
use super::history::{Class, History, Mark};
use super::pages::{PAGE, Pages};
use super::records::{Event, Records};
use super::view::View;

/// Pages and histories whose memory is kept for the next launch or block.
const KEPT_PAGES: usize = 1 << 12;
const KEPT_SLOTS: usize = 1 << 16;

/// Loads that all histories keep beyond one a byte; what else is loaded then is not remembered.
const MOST_LOADS: usize = 1 << 27;

/// The histories of bytes, by address.
#[derive(Default)]
pub(super) struct Shadow {
    pages: Pages<Page>,
    records: Records,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Loads that histories keep beyond one a byte.
    loads: usize,
}

struct Page {
    cells: Vec<Cell>,
    /// Bytes of a cell, as a power of two.
    shift: u32,
}

#[derive(Default)]
struct Slot {
    history: History,
    /// Bytes that have it.
    bytes: usize,
}

/// The content of a cell: its kind in the two highest bits, and its number below them.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Cell(u32);

/// The meaning of a cell.
enum Content {
    Nothing,
    Write(Event),
    Read(Event),
    Slot(u32),
}

const WRITE: u32 = 1;
const READ: u32 = 2;
const SLOT: u32 = 3;

/// Bits below those that say what a cell holds.
const NUMBER: u32 = 30;

impl Cell {
    /// An event as a cell; nothing if its number is too large.
    fn of(what: u32, event: Event) -> Option<Self> {
        let number = event.record << 5 | u32::from(event.lane);
        (event.record < 1 << (NUMBER - 5)).then_some(Self(what << NUMBER | number))
    }

    fn slot(position: u32) -> Self {
        Self(SLOT << NUMBER | position)
    }

    #[inline]
    fn content(self) -> Content {
        let number = self.0 & ((1 << NUMBER) - 1);
        let event = Event { record: number >> 5, lane: (number & 31) as u8 };
        match self.0 >> NUMBER {
            WRITE => Content::Write(event),
            READ => Content::Read(event),
            SLOT => Content::Slot(number),
            _ => Content::Nothing,
        }
    }
}

impl Shadow {
    /// Forgets everything; keeps the memory of a few pages and histories.
    pub fn clear(&mut self) {
        if self.pages.len() > KEPT_PAGES || self.slots.len() > KEPT_SLOTS {
            *self = Self::default();
            return;
        }
        self.pages.iter_mut().for_each(|page| page.cells.fill(Cell::default()));
        self.records.clear();
        self.slots.iter_mut().for_each(|slot| slot.history.clear());
        self.free.clear();
        self.free.extend((0..self.slots.len() as u32).rev());
        self.loads = 0;
    }

    /// Whether there were more loads than are remembered.
    pub fn is_full(&self) -> bool {
        self.loads >= MOST_LOADS
    }

    /// Whether a warp has accessed memory plainly at a line.
    pub fn has_record(&self, warp: Key, line: u32) -> bool {
        self.records.has(warp, line)
    }

    /// An access of these bytes; the earlier one that it conflicts with, or whether it is a plain store that an atomic
    /// one was before.
    #[inline]
    pub fn access(&mut self, start: usize, bytes: usize, mark: &Mark, view: &View<'_>) -> Result<bool, Mark> {
        let event = match mark.class {
            Class::Strong(_) => Event::default(),
            _ => self.records.event(mark),
        };
        let (mut at, end, mut strong) = (start, start + bytes, false);
        while at < end {
            let page = self.pages.position(at / PAGE, Page::new);
            let first = at % PAGE;
            let here = (end - at).min(PAGE - first);
            strong |= self.access_page(page, first, here, event, mark, view)?;
            at += here;
        }
        Ok(strong)
    }

    /// An access of bytes of one page.
    fn access_page(
        &mut self,
        page: usize,
        start: usize,
        bytes: usize,
        event: Event,
        mark: &Mark,
        view: &View<'_>,
    ) -> Result<bool, Mark> {
        let mut shift = self.pages.at(page).shift;
        if (start | bytes) & ((1 << shift) - 1) != 0 {
            shift = 0;
            self.pages.at(page).split();
        }
        let (mut at, end, mut strong) = (start >> shift, (start + bytes) >> shift, false);
        while at < end {
            let cells = &self.pages.at(page).cells[at..end];
            let (old, run) = match cells {
                [only] => (*only, 1),
                _ => (cells[0], cells.iter().take_while(|cell| **cell == cells[0]).count()),
            };
            strong |= mark.class == Class::Write && self.stored_strongly(old);
            let next = self.next(old, run << shift, event, mark, view)?;
            if next != old {
                self.pages.at(page).cells[at..at + run].fill(next);
            }
            at += run;
        }
        Ok(strong)
    }

    fn stored_strongly(&self, cell: Cell) -> bool {
        matches!(cell.content(), Content::Slot(slot) if self.slots[slot as usize].history.stored_strongly())
    }

    /// What follows `old` in a number of bytes.
    fn next(
        &mut self,
        old: Cell,
        bytes: usize,
        event: Event,
        mark: &Mark,
        view: &View<'_>,
    ) -> Result<Cell, Mark> {
        let what = match mark.class {
            Class::Read => READ,
            Class::Write => WRITE,
            Class::Strong(_) => return self.next_slot(old, bytes, event, mark, view),
        };
        let (earlier, class) = match old.content() {
            Content::Slot(_) => return self.next_slot(old, bytes, event, mark, view),
            Content::Nothing => return self.alone(what, event, bytes),
            Content::Write(earlier) => (earlier, Class::Write),
            Content::Read(earlier) => (earlier, Class::Read),
        };
        if (earlier, class) == (event, mark.class) {
            return Ok(old);
        }
        let record = self.records.of(earlier.record);
        let (key, epoch) = (record.key(earlier.lane), record.epoch);
        let is_ordered = match (class, mark.class) {
            (Class::Read, Class::Write) => view.load_is_ordered(key, epoch),
            (Class::Write, _) => view.write_is_ordered(key, epoch, mark.class == Class::Write),
            _ => view.ordered(key, epoch),
        };
        match (class, mark.class, is_ordered) {
            // An access that is ordered after the store is after this load too.
            (Class::Write, Class::Read, true) if (key, epoch) == (mark.key, mark.epoch) => Ok(old),
            (Class::Write, Class::Read, true) | (Class::Read, Class::Read, false) => {
                self.next_slot(old, bytes, event, mark, view)
            }
            (_, _, true) => self.alone(what, event, bytes),
            (_, _, false) => Err(record.mark(earlier.lane, class)),
        }
    }

    /// The only access that counts.
    #[inline]
    fn alone(&mut self, what: u32, event: Event, bytes: usize) -> Result<Cell, Mark> {
        if let Some(cell) = Cell::of(what, event) {
            return Ok(cell);
        }
        let slot = self.take(bytes);
        let history = &mut self.slots[slot as usize].history;
        history.begin(what == WRITE, event);
        Ok(Cell::slot(slot))
    }

    /// As [`Self::next`], where more than one access counts.
    fn next_slot(
        &mut self,
        old: Cell,
        bytes: usize,
        event: Event,
        mark: &Mark,
        view: &View<'_>,
    ) -> Result<Cell, Mark> {
        let slot = self.owned(old, bytes);
        let history = &mut self.slots[slot as usize].history;
        if let Some(earlier) = history.conflict(mark, &self.records, view) {
            return Err(earlier);
        }
        match mark.class {
            Class::Write => {
                self.release(slot);
                return self.alone(WRITE, event, bytes);
            }
            Class::Read if self.loads < MOST_LOADS => {
                self.loads += history.add_load(event, &self.records, view);
            }
            Class::Read => {}
            Class::Strong(_) => history.add_strong(mark, view),
        }
        Ok(Cell::slot(slot))
    }

    /// A slot for these bytes alone, with the history that the cell stands for.
    fn owned(&mut self, old: Cell, bytes: usize) -> u32 {
        let shared = match old.content() {
            Content::Slot(slot) => slot,
            single => {
                let slot = self.take(bytes);
                let history = &mut self.slots[slot as usize].history;
                match single {
                    Content::Write(event) => history.begin(true, event),
                    Content::Read(event) => history.begin(false, event),
                    Content::Nothing | Content::Slot(_) => {}
                }
                return slot;
            }
        };
        if self.slots[shared as usize].bytes == bytes {
            return shared;
        }
        self.slots[shared as usize].bytes -= bytes;
        let slot = self.take(bytes);
        self.slots[slot as usize].history = self.slots[shared as usize].history.clone();
        slot
    }

    /// An empty slot.
    fn take(&mut self, bytes: usize) -> u32 {
        let position = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        });
        self.slots[position as usize].bytes = bytes;
        position
    }

    fn release(&mut self, slot: u32) {
        self.slots[slot as usize].history.clear();
        self.free.push(slot);
    }
}

impl Page {
    fn new() -> Self {
        Self { cells: vec![Cell::default(); PAGE / 4], shift: 2 }
    }

    /// Gives every byte a cell of its own.
    #[cold]
    fn split(&mut self) {
        self.cells = self.cells.iter().flat_map(|cell| [*cell; 4]).collect();
        self.shift = 0;
    }
}
