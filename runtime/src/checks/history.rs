//! What was done to a byte: as much of it as a later access can conflict with.
//!
//! A plain store that conflicts with nothing ends the history before it: whatever is not ordered after
//! what was there is not ordered after the store either. Reads and atomic operations are sets of
//! lanes by warp, epoch and line.

use super::clock::Key;
use crate::simulator::{AccessKind, MemoryScope};

/// Plain reads that are compared with a new one, to forget what it is ordered after.
const FORGOTTEN: usize = 4;

/// One access as a history keeps it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    pub key: Key,
    pub epoch: u32,
    /// The position of its line in the table of lines.
    pub line: u32,
    pub class: Class,
}

/// What an access is to others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Read,
    Write,
    Strong(Strong),
}

/// An access that may happen at the same time as others of its kind: an atomic or a volatile one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Strong {
    pub reads: bool,
    pub writes: bool,
    pub scope: MemoryScope,
    pub volatile: bool,
    /// First byte and number of bytes: operations are atomic to each other only on all of the same ones.
    pub extent: (usize, u32),
}

/// Lanes of one warp in one epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Lanes {
    warp: Key,
    epoch: u32,
    mask: u32,
}

/// Accesses of one class at one line.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Set {
    class: Class,
    line: u32,
    /// By warp.
    lanes: Vec<Lanes>,
}

/// What a later access of a byte can conflict with.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct History {
    write: Option<Mark>,
    sets: Vec<Set>,
}

impl Class {
    pub fn new(kind: AccessKind, extent: (usize, u32)) -> Self {
        let (reads, writes) = (kind.reads(), kind.writes());
        match kind {
            AccessKind::Read => Class::Read,
            AccessKind::Write => Class::Write,
            AccessKind::Volatile { .. } => {
                Class::Strong(Strong { reads, writes, scope: MemoryScope::System, volatile: true, extent })
            }
            AccessKind::Atomic { scope, .. } => {
                Class::Strong(Strong { reads, writes, scope, volatile: false, extent })
            }
        }
    }

    pub fn writes(self) -> bool {
        match self {
            Class::Read => false,
            Class::Write => true,
            Class::Strong(strong) => strong.writes,
        }
    }
}

impl History {
    /// The first access that conflicts with a new one, by what is ordered before it and who is in scope of whom.
    pub fn conflict(
        &self,
        new: &Mark,
        ordered: impl Fn((Key, u32)) -> bool,
        between: impl Fn(Key) -> MemoryScope,
    ) -> Option<Mark> {
        if let Some(write) = self.write.filter(|write| !ordered((write.key, write.epoch))) {
            return Some(write);
        }
        for set in &self.sets {
            if !set.class.writes() && !new.class.writes() {
                continue;
            }
            let together = shared_scope(set.class, new.class);
            if together >= Some(MemoryScope::Device) {
                continue;
            }
            let conflicts = |mark: &Mark| {
                !ordered((mark.key, mark.epoch)) && together.is_none_or(|scope| between(mark.key) > scope)
            };
            if let Some(mark) = set.marks().find(conflicts) {
                return Some(mark);
            }
        }
        None
    }

    /// Whether adding an access changes nothing.
    pub fn holds(&self, new: &Mark) -> bool {
        match new.class {
            Class::Write => self.sets.is_empty() && self.write == Some(*new),
            _ => self.sets.iter().any(|set| set.is_of(new) && set.holds(new)),
        }
    }

    /// Adds an access that conflicts with nothing.
    pub fn add(&mut self, new: &Mark, ordered: impl Fn((Key, u32)) -> bool) {
        if new.class == Class::Write {
            self.sets.clear();
            self.write = Some(*new);
            return;
        }
        if new.class == Class::Read {
            self.sets.retain(|set| !set.is_forgotten(&ordered));
        }
        match self.sets.iter_mut().find(|set| set.is_of(new)) {
            Some(set) => set.add(new),
            None => {
                let lanes = Vec::with_capacity(1);
                let mut set = Set { class: new.class, line: new.line, lanes };
                set.add(new);
                self.sets.push(set);
            }
        }
    }

    /// Whether an atomic or volatile operation has stored here since the last plain store.
    pub fn stored_strongly(&self) -> bool {
        self.sets.iter().any(|set| set.class.writes())
    }
}

/// The scope within which two accesses of the same bytes may happen at once; `None` if they may not anywhere.
///
/// Source: PTX ISA, memory consistency model, morally strong operations.
fn shared_scope(a: Class, b: Class) -> Option<MemoryScope> {
    match (a, b) {
        (Class::Strong(a), Class::Strong(b)) if a.extent == b.extent => Some(a.scope.min(b.scope)),
        _ => None,
    }
}

impl Set {
    fn is_of(&self, mark: &Mark) -> bool {
        (self.class, self.line) == (mark.class, mark.line)
    }

    /// Where the lanes of a warp begin.
    fn start(&self, warp: Key) -> usize {
        self.lanes.partition_point(|lanes| lanes.warp < warp)
    }

    fn holds(&self, mark: &Mark) -> bool {
        let (warp, bit) = (mark.key >> 5, 1 << (mark.key & 31));
        let of_warp = self.lanes[self.start(warp)..].iter().take_while(|lanes| lanes.warp == warp);
        of_warp.into_iter().any(|lanes| lanes.epoch == mark.epoch && lanes.mask & bit != 0)
    }

    /// Whether these are a few plain reads that a new one is ordered after: who conflicts with them conflicts with it.
    fn is_forgotten(&self, ordered: impl Fn((Key, u32)) -> bool) -> bool {
        self.class == Class::Read
            && self.lanes.len() <= FORGOTTEN
            && self.marks().all(|mark| ordered((mark.key, mark.epoch)))
    }

    /// Adds a lane in place of what it did before.
    fn add(&mut self, mark: &Mark) {
        let (warp, bit) = (mark.key >> 5, 1 << (mark.key & 31));
        let mut at = self.start(warp);
        let mut found = false;
        while let Some(lanes) = self.lanes.get_mut(at).filter(|lanes| lanes.warp == warp) {
            lanes.mask &= !bit;
            if lanes.epoch == mark.epoch {
                lanes.mask |= bit;
                found = true;
            }
            if lanes.mask == 0 {
                self.lanes.remove(at);
            } else {
                at += 1;
            }
        }
        if !found {
            self.lanes.insert(at, Lanes { warp, epoch: mark.epoch, mask: bit });
        }
    }

    fn marks(&self) -> impl Iterator<Item = Mark> {
        let Set { class, line, .. } = *self;
        self.lanes.iter().flat_map(move |lanes| {
            let Lanes { warp, epoch, mask } = *lanes;
            let set = (0..32).filter(move |lane| mask >> lane & 1 == 1);
            set.map(move |lane| Mark { key: warp << 5 | lane, epoch, line, class })
        })
    }
}
