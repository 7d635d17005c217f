//! The threads that run: what each has done and knows, and what meetings, fences and copies tell them.

use std::collections::HashMap;

use super::clock::{Clock, Group, Key};
use crate::simulator::{Expected, Meeting, MemoryScope};

/// Marks a number that is not a thread's but of a copy that goes on beside them.
const COPY: Key = 1 << 63;

/// A thread that has not ended, or whose block has not.
#[derive(Clone, Default)]
pub(super) struct Agent {
    /// What it does now belongs to this epoch; the next one begins with whatever others can know.
    pub epoch: u32,
    /// What is ordered before it.
    pub clock: Clock,
    ended: bool,
    ordering: Option<Box<Ordering>>,
}

/// What a thread needs that uses fences, and flags without an ordering.
#[derive(Clone, Default)]
struct Ordering {
    /// What its last fence of each scope orders before its next stores.
    fences: [Option<Clock>; 4],
    /// What relaxed loads have seen released, by the scope that a fence needs to order it before it.
    seen: [Clock; 3],
    /// What it has released by an ordering, by first byte and number of bytes: its later stores there release it too.
    released: HashMap<(usize, u32), Vec<(MemoryScope, Clock)>>,
}

/// Threads that meet.
#[derive(Default)]
struct Gathering {
    /// What any of them knew on arrival.
    known: Clock,
    /// Who arrived, in which epoch.
    who: Vec<(Key, u32)>,
    /// Those that have not left.
    waiting: u32,
    /// What each of them knows when it leaves, and its epoch.
    result: Option<(Clock, u32)>,
}

/// An asynchronous copy.
struct Copy {
    /// Who started it.
    by: Key,
    /// The epoch in which that thread had waited for it.
    waited: Option<u32>,
}

/// The threads of the blocks that run, and the copies of all.
#[derive(Default)]
pub(super) struct Threads {
    /// By the number of the first thread of the block.
    blocks: HashMap<Key, Vec<Agent>>,
    gatherings: HashMap<u64, Gathering>,
    copies: Vec<Copy>,
    /// The positions in `copies` of those under way.
    under_way: HashMap<u64, usize>,
    /// Whether a thread has ended since the last block began.
    over: bool,
}

impl Agent {
    /// What is ordered before all that it does from now on, itself included.
    pub fn release(&mut self, own: Key) -> Clock {
        let mut clock = self.clock.clone();
        clock.raise(own, Group::Thread, self.epoch);
        self.epoch += 1;
        clock
    }

    /// Knows more from now on.
    pub fn acquire(&mut self, clock: &Clock) {
        self.clock.join(clock);
        self.epoch += 1;
    }

    /// A fence: what it has seen released it now knows, and its next stores release what it knows.
    pub fn fence(&mut self, own: Key, scope: MemoryScope) {
        let mut ordering = self.ordering.take().unwrap_or_default();
        ordering.seen[..=narrowed(scope)].iter().for_each(|seen| self.clock.join(seen));
        ordering.fences[scope as usize] = Some(self.release(own));
        self.ordering = Some(ordering);
    }

    /// A relaxed load has seen what needs a fence of this scope.
    pub fn see(&mut self, scope: MemoryScope, clock: &Clock) {
        self.ordering.get_or_insert_default().seen[narrowed(scope)].join(clock);
    }

    /// A store that releases, of this place: what it releases.
    pub fn release_at(&mut self, own: Key, place: (usize, u32), scope: MemoryScope) {
        let clock = self.release(own);
        let released = self.ordering.get_or_insert_default().released.entry(place).or_default();
        released.retain(|(known, _)| *known != scope);
        released.push((scope, clock));
    }

    /// What its releases to a place order before a store there, with their scopes.
    pub fn released_at(&self, place: (usize, u32)) -> impl Iterator<Item = &(MemoryScope, Clock)> {
        self.ordering.iter().filter_map(move |ordering| ordering.released.get(&place)).flatten()
    }

    /// What its fences order before a store, with their scopes.
    pub fn fences(&self) -> impl Iterator<Item = (MemoryScope, &Clock)> {
        let scopes = [MemoryScope::Block, MemoryScope::Cluster, MemoryScope::Device, MemoryScope::System];
        let fences = self.ordering.iter().flat_map(|ordering| &ordering.fences);
        scopes.into_iter().zip(fences).filter_map(|(scope, clock)| Some((scope, clock.as_ref()?)))
    }
}

/// The scope as a position: all that is wider than a device is one.
fn narrowed(scope: MemoryScope) -> usize {
    (scope as usize).min(MemoryScope::Device as usize)
}

impl Threads {
    /// A block begins. Blocks of one cluster begin together, when no thread of an earlier one is left.
    pub fn begin(&mut self, first: Key, threads: u32, start: &Clock) {
        if std::mem::take(&mut self.over) {
            self.blocks.clear();
            self.gatherings.clear();
        }
        let agent = Agent { epoch: 1, clock: start.clone(), ..Agent::default() };
        self.blocks.insert(first, vec![agent; threads as usize]);
    }

    /// A thread, if its block runs.
    pub fn agent(&mut self, key: Key) -> Option<&mut Agent> {
        self.blocks.get_mut(&block(key))?.get_mut(linear(key))
    }

    /// A thread has returned; it counts as having arrived wherever its block or warp meets.
    pub fn end(&mut self, key: Key) {
        self.over = true;
        if let Some(agent) = self.agent(key) {
            agent.ended = true;
        }
    }

    pub fn arrive(&mut self, key: Key, meeting: &Meeting) {
        let Some(agent) = self.blocks.get_mut(&block(key)).and_then(|block| block.get_mut(linear(key)))
        else {
            return;
        };
        let gathering = self.gatherings.entry(meeting.number).or_default();
        gathering.known.join(&agent.clock);
        gathering.who.push((key, agent.epoch));
        gathering.waiting += u32::from(meeting.waits);
        agent.epoch += 1;
    }

    pub fn leave(&mut self, key: Key, meeting: &Meeting) {
        let Some(mut gathering) = self.gatherings.remove(&meeting.number) else { return };
        let (clock, epoch) = gathering.result.get_or_insert_with(|| {
            self.returned(key, meeting.of, &mut gathering.who);
            self.outcome(&mut gathering.who, &gathering.known)
        });
        if let Some(agent) = self.blocks.get_mut(&block(key)).and_then(|block| block.get_mut(linear(key))) {
            agent.clock.join(clock);
            agent.epoch = (agent.epoch + 1).max(*epoch);
        }
        gathering.waiting -= 1;
        if gathering.waiting > 0 {
            self.gatherings.insert(meeting.number, gathering);
        }
    }

    /// Adds those that have returned from the kernel and count as having arrived where this thread meets others.
    ///
    /// They do nothing any more, so that the epoch of the others is as good as their own.
    fn returned(&self, key: Key, expected: Expected, who: &mut Vec<(Key, u32)>) {
        if !self.over {
            return;
        }
        let lowest = who.iter().map(|(_, epoch)| *epoch).min().unwrap_or(0);
        let mut add = |first: Key, agents: &[Agent], mask: u32| {
            let ended =
                (first..).zip(agents).filter(|(thread, agent)| agent.ended && mask >> (thread & 31) & 1 == 1);
            who.extend(ended.map(|(thread, agent)| (thread, agent.epoch.max(lowest))));
        };
        match expected {
            Expected::Count => {}
            Expected::Cluster => self.blocks.iter().for_each(|(first, agents)| add(*first, agents, u32::MAX)),
            Expected::Block => {
                self.blocks.get(&block(key)).into_iter().for_each(|all| add(block(key), all, u32::MAX))
            }
            Expected::Lanes(mask) => {
                let Some(agents) = self.blocks.get(&block(key)) else { return };
                let first = linear(key) & !31;
                add(key & !31, &agents[first..(first + 32).min(agents.len())], mask);
            }
        }
    }

    /// What all that met know afterwards, and the epoch in which they go on.
    fn outcome(&self, who: &mut [(Key, u32)], known: &Clock) -> (Clock, u32) {
        who.sort_unstable();
        let mut clock = known.clone();
        for members in who.chunk_by(|a, b| block(a.0) == block(b.0)) {
            let threads = self.blocks.get(&block(members[0].0)).map_or(0, Vec::len);
            if raise_all(&mut clock, Group::Block, members, threads) {
                continue;
            }
            for members in members.chunk_by(|a, b| a.0 >> 5 == b.0 >> 5) {
                let lanes = threads.saturating_sub(linear(members[0].0) & !31).min(32);
                if !raise_all(&mut clock, Group::Warp, members, lanes) {
                    members.iter().for_each(|(key, epoch)| clock.raise(*key, Group::Thread, *epoch));
                }
            }
        }
        (clock, who.iter().map(|(_, epoch)| epoch + 1).max().unwrap_or(1))
    }

    /// A thread starts a copy; the number by which its accesses are known.
    pub fn start_copy(&mut self, by: Key, copy: u64) -> Key {
        let position = self.copies.len();
        self.under_way.insert(copy, position);
        self.copies.push(Copy { by, waited: None });
        COPY | (position as u64) << 5
    }

    /// The thread itself, or the one that started a copy.
    pub fn owner(&self, key: Key) -> Key {
        if is_copy(key) { self.copies[copy_position(key)].by } else { key }
    }

    /// Its thread has waited for a copy.
    pub fn end_copy(&mut self, key: Key, copy: u64) {
        let Some(position) = self.under_way.remove(&copy) else { return };
        let epoch = self.agent(key).map(|agent| {
            agent.epoch += 1;
            agent.epoch
        });
        self.copies[position].waited = epoch;
    }

    /// Whether what was done under this number in this epoch is ordered before what the thread does now.
    pub fn ordered(&self, (by, epoch): (Key, u32), thread: Key, clock: &Clock) -> bool {
        if by & COPY == 0 {
            return by == thread || clock.get(by) >= epoch;
        }
        let copy = &self.copies[copy_position(by)];
        copy.waited.is_some_and(|epoch| self.ordered((copy.by, epoch), thread, clock))
    }
}

/// Whether a number is a copy's.
pub(super) fn is_copy(key: Key) -> bool {
    key & COPY != 0
}

fn copy_position(key: Key) -> usize {
    ((key & !COPY) >> 5) as usize
}

/// Makes a whole group known if all of its threads are members; whether it could.
fn raise_all(clock: &mut Clock, group: Group, members: &[(Key, u32)], threads: usize) -> bool {
    if members.len() != threads {
        return false;
    }
    let lowest = members.iter().map(|(_, epoch)| *epoch).min().unwrap_or(0);
    clock.raise(members[0].0, group, lowest);
    let later = members.iter().filter(|(_, epoch)| *epoch > lowest);
    later.for_each(|(key, epoch)| clock.raise(*key, Group::Thread, *epoch));
    true
}

/// The number of the first thread of the block.
fn block(key: Key) -> Key {
    key & !1023
}

fn linear(key: Key) -> usize {
    (key & 1023) as usize
}
