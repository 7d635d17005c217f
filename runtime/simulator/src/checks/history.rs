//! The history of a byte: the accesses that a later access can conflict with.
//!
//! A plain store that conflicts with nothing ends the history before it: whatever is not ordered after
//! what was there is not ordered after the store either. For the same reason a plain load takes the place of
//! those that are ordered before it. Loads and atomic operations are sets of lanes by warp, epoch and line.

use std::cmp::Reverse;

use super::chain::{Chain, Seen};
use super::clock::Key;
use super::records::{Event, Record, Records};
use super::view::View;
use crate::simulator::{AccessKind, MemoryScope};

/// Sets of plain loads that a history keeps before it looks for those that it need not keep.
const FEW: u32 = 4;

/// One access as a history keeps it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    pub key: Key,
    pub epoch: u32,
    /// The position of its line in the table of lines.
    pub line: u32,
    pub class: Class,
}

/// The kind of an access, for conflicts with others.
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

/// Plain loads of one record.
#[derive(Clone, Copy, Default, Debug)]
struct Loads {
    record: u32,
    /// The lanes; none if there are no such loads.
    mask: u32,
}

/// Lanes of one warp in one epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Lanes {
    warp: Key,
    epoch: u32,
    mask: u32,
    /// What they had observed after it.
    seen: Seen,
}

/// Atomic and volatile accesses of one class at one line.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Set {
    class: Class,
    line: u32,
    /// By warp.
    lanes: Vec<Lanes>,
}

/// The accesses of a byte that a later access can conflict with.
#[derive(Clone, Default, Debug)]
pub(super) struct History {
    write: Option<Event>,
    /// The first loads; most bytes have no others.
    first: Loads,
    rest: Option<Box<Rest>>,
}

/// The part of a history that few bytes need.
#[derive(Clone, Default, Debug)]
struct Rest {
    loads: Vec<Loads>,
    /// How many loads there may be before those that need not be kept are looked for.
    limit: u32,
    strong: Vec<Set>,
    chain: Chain,
}

impl Class {
    #[inline]
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
    /// Forgets everything, but keeps its memory for another byte.
    pub fn clear(&mut self) {
        (self.write, self.first) = (None, Loads::default());
        if let Some(rest) = &mut self.rest {
            rest.loads.clear();
            rest.strong.clear();
            rest.chain = Chain::default();
        }
    }

    /// Adds a plain store or load to an empty history.
    pub fn begin(&mut self, stores: bool, event: Event) {
        match stores {
            true => self.write = Some(event),
            false => self.first = Loads { record: event.record, mask: 1 << event.lane },
        }
    }

    /// The first access that conflicts with a new one.
    pub fn conflict(&self, new: &Mark, records: &Records, view: &View<'_>) -> Option<Mark> {
        if let Some(event) = self.write {
            let record = records.of(event.record);
            if !view.write_is_ordered(record.key(event.lane), record.epoch, new.class.writes()) {
                return Some(record.mark(event.lane, Class::Write));
            }
        }
        if new.class.writes() {
            let stores = |by, epoch| view.load_is_ordered(by, epoch);
            let loads = self.loads().find_map(|loads| loads.conflict(records.of(loads.record), view, stores));
            if loads.is_some() {
                return loads;
            }
        }
        let rest = self.rest.as_ref()?;
        let mut marks = rest.strong.iter().flat_map(|set| set.conflicts(new, view));
        let is_open = |(mark, seen): &(Mark, Seen)| !(mark.class.writes() && rest.observed(*seen, view));
        marks.find(is_open).map(|(mark, _)| mark)
    }

    /// Adds a plain load that conflicts with nothing; how many more sets of loads there are then.
    pub fn add_load(&mut self, event: Event, records: &Records, view: &View<'_>) -> usize {
        let bit = 1 << event.lane;
        if self.first.mask == 0 || self.first.record == event.record {
            self.first = Loads { record: event.record, mask: self.first.mask | bit };
            return 0;
        }
        let rest = self.rest.get_or_insert_default();
        if let Some(last) = rest.loads.last_mut().filter(|last| last.record == event.record) {
            last.mask |= bit;
            return 0;
        }
        let before = rest.loads.len();
        if before as u32 >= rest.limit {
            rest.forget(records, view);
        }
        if self.first.is_ordered(records.of(self.first.record), view) {
            self.first = rest.loads.pop().unwrap_or_default();
        }
        let new = Loads { record: event.record, mask: bit };
        if self.first.mask == 0 {
            self.first = new
        } else {
            rest.loads.push(new)
        }
        rest.loads.len().saturating_sub(before)
    }

    /// Adds an atomic or volatile access that conflicts with nothing.
    pub fn add_strong(&mut self, new: &Mark, view: &View<'_>) {
        let Class::Strong(strong) = new.class else { return };
        let rest = self.rest.get_or_insert_default();
        let seen = rest.chain.add(new.key, strong, view);
        let sets = &mut rest.strong;
        match sets.iter_mut().find(|set| (set.class, set.line) == (new.class, new.line)) {
            Some(set) => set.add(new, seen),
            None => {
                let mut set = Set { class: new.class, line: new.line, lanes: Vec::with_capacity(1) };
                set.add(new, seen);
                sets.push(set);
            }
        }
    }

    /// Whether an atomic or volatile operation has stored here since the last plain store.
    pub fn stored_strongly(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| rest.strong.iter().any(|set| set.class.writes()))
    }

    fn loads(&self) -> impl Iterator<Item = &Loads> {
        let rest = self.rest.iter().flat_map(|rest| &rest.loads);
        std::iter::once(&self.first).filter(|first| first.mask != 0).chain(rest)
    }
}

impl Rest {
    /// Whether a store is ordered before a new access since somebody who is has observed it.
    fn observed(&self, store: Seen, view: &View<'_>) -> bool {
        self.strong.iter().any(|set| set.has_observed(store, view))
    }

    /// Forgets loads that are ordered before a new one, and those that their thread has done again.
    fn forget(&mut self, records: &Records, view: &View<'_>) {
        self.loads.retain(|loads| !loads.is_ordered(records.of(loads.record), view));
        self.loads.sort_unstable_by_key(|loads| {
            let record = records.of(loads.record);
            (record.warp, Reverse(record.epoch))
        });
        let (mut of, mut seen) = (0, 0);
        self.loads.retain_mut(|loads| {
            let warp = records.of(loads.record).warp;
            if warp != of {
                (of, seen) = (warp, 0);
            }
            loads.mask &= !seen;
            seen |= loads.mask;
            loads.mask != 0
        });
        self.limit = FEW.max(2 * self.loads.len() as u32);
    }
}

impl Loads {
    /// The first of them that is not ordered before a new access.
    fn conflict(
        &self,
        record: &Record,
        view: &View<'_>,
        is_ordered: impl Fn(Key, u32) -> bool,
    ) -> Option<Mark> {
        let key = |lane| record.key(lane as u8);
        if view.warp_is_ordered(record.warp, record.epoch) {
            return None;
        }
        let lane = lanes(self.mask).find(|lane| !is_ordered(key(*lane), record.epoch))?;
        Some(record.mark(lane as u8, Class::Read))
    }

    fn is_ordered(&self, record: &Record, view: &View<'_>) -> bool {
        self.conflict(record, view, |by, epoch| view.ordered(by, epoch)).is_none()
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
    /// Those of its accesses that conflict with a new one and are not ordered before it by what threads know, with what
    /// was observed after each.
    fn conflicts(&self, new: &Mark, view: &View<'_>) -> impl Iterator<Item = (Mark, Seen)> {
        let together = shared_scope(self.class, new.class);
        let never = !self.class.writes() && !new.class.writes() || together >= Some(MemoryScope::Device);
        let marks = (!never).then(|| self.marks()).into_iter().flatten();
        marks.filter(move |(mark, _)| {
            let apart = |scope| view.between(mark.key) > scope;
            !view.ordered(mark.key, mark.epoch) && together.is_none_or(apart)
        })
    }

    /// Whether one of its accesses that is ordered before a new one has observed a store.
    ///
    /// Causality order has this besides what synchronises: whatever the observer is ordered before, the stores that it
    /// has observed are ordered before too, though nothing else of their threads is.
    ///
    /// Source: PTX ISA, memory consistency model, observation order; causality order, rule 2.
    fn has_observed(&self, store: Seen, view: &View<'_>) -> bool {
        if !matches!(self.class, Class::Strong(Strong { reads: true, .. })) {
            return false;
        }
        let mut observers = self.lanes.iter().filter(|of| of.seen.contains(store));
        observers.any(|of| lanes(of.mask).any(|lane| view.ordered(of.warp << 5 | lane, of.epoch)))
    }

    /// Where the lanes of a warp begin.
    fn start(&self, warp: Key) -> usize {
        self.lanes.partition_point(|lanes| lanes.warp < warp)
    }

    /// Adds a lane in place of what it did before.
    ///
    /// Lanes whose updates continue one chain are kept together, as if each had been the last of them: an update that
    /// nobody has observed is a conflict itself. A load that observed the same before stays, since more is ordered
    /// after it.
    fn add(&mut self, mark: &Mark, seen: Seen) {
        let (warp, bit) = (mark.key >> 5, 1 << (mark.key & 31));
        let updates = matches!(self.class, Class::Strong(Strong { reads: true, writes: true, .. }));
        let mut at = self.start(warp);
        let (mut found, mut earlier) = (false, !self.class.writes());
        while let Some(lanes) = self.lanes.get_mut(at).filter(|lanes| lanes.warp == warp) {
            let alike = lanes.seen == seen || updates && lanes.seen.chain == seen.chain;
            if lanes.epoch == mark.epoch && alike {
                lanes.mask |= bit;
                lanes.seen = seen;
                found = true;
            } else if lanes.mask & bit != 0 && !(std::mem::take(&mut earlier) && lanes.seen == seen) {
                lanes.mask &= !bit;
            }
            if lanes.mask == 0 {
                self.lanes.remove(at);
            } else {
                at += 1;
            }
        }
        if !found {
            self.lanes.insert(at, Lanes { warp, epoch: mark.epoch, mask: bit, seen });
        }
    }

    fn marks(&self) -> impl Iterator<Item = (Mark, Seen)> {
        let Set { class, line, .. } = *self;
        self.lanes.iter().flat_map(move |Lanes { warp, epoch, mask, seen }| {
            lanes(*mask).map(move |lane| (Mark { key: warp << 5 | lane, epoch: *epoch, line, class }, *seen))
        })
    }
}

/// The lanes of a mask.
fn lanes(mask: u32) -> impl Iterator<Item = u64> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}
