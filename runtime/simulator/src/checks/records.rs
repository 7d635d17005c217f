//! Plain accesses by number: what a warp does at a line in an epoch is one record, whichever lanes do it.

use super::clock::Key;
use super::history::{Class, Mark};

/// Records that are found again without a search, a power of two.
const RECENT: usize = 1024;

/// The accesses of a warp at a line in an epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Record {
    pub warp: Key,
    pub epoch: u32,
    pub line: u32,
}

/// A plain access: a lane of a record.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Event {
    pub record: u32,
    pub lane: u8,
}

/// All records of a memory.
pub(super) struct Records {
    list: Vec<Record>,
    recent: Box<[u32; RECENT]>,
}

impl Default for Records {
    fn default() -> Self {
        Self { list: Vec::new(), recent: Box::new([0; RECENT]) }
    }
}

impl Record {
    /// The thread of a lane.
    #[inline]
    pub fn key(&self, lane: u8) -> Key {
        self.warp << 5 | Key::from(lane)
    }

    pub fn mark(&self, lane: u8, class: Class) -> Mark {
        Mark { key: self.key(lane), epoch: self.epoch, line: self.line, class }
    }
}

impl Records {
    pub fn clear(&mut self) {
        self.list.clear();
    }

    #[inline]
    pub fn of(&self, number: u32) -> &Record {
        &self.list[number as usize]
    }

    /// Whether a warp has one of a line.
    pub fn has(&self, warp: Key, line: u32) -> bool {
        self.list.iter().any(|record| (record.warp, record.line) == (warp, line))
    }

    /// The event that an access is; its record is made if there is none.
    #[inline]
    pub fn event(&mut self, mark: &Mark) -> Event {
        let record = Record { warp: mark.key >> 5, epoch: mark.epoch, line: mark.line };
        let lane = (mark.key & 31) as u8;
        let place = (record.warp as usize).wrapping_mul(67) ^ record.line as usize;
        let recent = &mut self.recent[place % RECENT];
        if self.list.get(*recent as usize) != Some(&record) {
            *recent = self.list.len() as u32;
            self.list.push(record);
        }
        Event { record: *recent, lane }
    }
}
