//! The threads that run: what each has done and knows, and what meetings, fences and copies tell them.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::clock::{Asks, Clock, Group, Key, Known};
use crate::simulator::{Expected, Meeting, MemoryScope};

/// Marks a number that is not a thread's but of a copy that goes on beside them.
const COPY: Key = 1 << 63;

/// A thread that has not ended, or whose block has not.
#[derive(Clone, Default)]
pub(super) struct Agent {
    /// The current epoch of its accesses. The next epoch begins with the next action that others can know of.
    pub epoch: u32,
    /// The accesses that are ordered before it.
    pub clock: Clock,
    /// The part of them that is about its own block and warp.
    pub known: Known,
    ended: bool,
    ordering: Option<Box<Ordering>>,
}

/// The state of a thread that uses fences, and flags without an ordering.
#[derive(Clone, Default)]
struct Ordering {
    /// The accesses that its last fence of each scope orders before its next stores.
    fences: [Option<Clock>; 4],
    /// Released accesses that relaxed loads have seen, by the scope that a fence needs to order them before it.
    seen: [Clock; 3],
    /// The unreleased accesses of threads of other blocks, at their arrivals at barriers that the thread has waited for.
    heard: Clock,
    /// The accesses that it has released by an ordering, by first byte and number of bytes. Its later stores there release
    /// them too.
    released: FxHashMap<(usize, u32), Vec<(MemoryScope, Clock)>>,
}

/// Threads that meet.
#[derive(Default)]
struct Gathering {
    /// The joined knowledge of all of them on arrival.
    known: Clock,
    /// The threads that arrived, each with its epoch.
    who: Vec<(Key, u32)>,
    /// Those that have not left.
    waiting: u32,
    /// The knowledge of each of them when it leaves, and its epoch.
    result: Option<(Clock, u32)>,
    /// The knowledge of the last thread that left, before and after.
    last: Option<(Clock, Clock)>,
}

/// The unit that moves the bytes of a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mover {
    /// The thread itself, later.
    Thread,
    /// The copy engine.
    Engine,
    /// The tensor cores, which see memory as the copy engine does.
    TensorCores,
}

/// An asynchronous copy.
struct Copy {
    /// The thread that started it.
    by: Key,
    mover: Mover,
    /// A thread that knows this number up to this epoch knows that it is over. The number is that of a thread that has
    /// waited for it, or of the barrier that has counted it.
    over: Option<(Key, u32)>,
}

/// The blocks that run.
#[derive(Default)]
struct Blocks {
    /// Each with the number of its first thread.
    list: Vec<(Key, Vec<Agent>)>,
    /// Their positions by that number, and the one that was asked for last.
    positions: FxHashMap<Key, usize>,
    last: Cell<usize>,
    /// Memory of blocks that have ended.
    spare: Vec<Vec<Agent>>,
}

/// The threads of the blocks that run, and the copies of all.
#[derive(Default)]
pub(super) struct Threads {
    blocks: Blocks,
    gatherings: FxHashMap<u64, Gathering>,
    copies: Vec<Copy>,
    /// The positions in `copies` of those under way.
    under_way: FxHashMap<u64, usize>,
    /// Whether a thread has ended since the last block began.
    over: bool,
}

impl Agent {
    /// The accesses that are ordered before its next ones, including its own.
    pub fn release(&mut self, own: Key) -> Clock {
        let mut clock = self.clock.clone();
        clock.raise(own, Group::Thread, self.epoch);
        self.epoch += 1;
        clock
    }

    /// Knows more from now on.
    pub fn acquire(&mut self, own: Key, clock: &Clock) {
        self.clock.join(clock);
        self.known = self.clock.known(own);
        self.epoch += 1;
    }

    /// A fence: what it has seen released it now knows, and its next stores release what it knows.
    pub fn fence(&mut self, own: Key, scope: MemoryScope) {
        let mut ordering = self.ordering.take().unwrap_or_default();
        ordering.seen[..=narrowed(scope)].iter().for_each(|seen| self.clock.join(seen));
        self.known = self.clock.known(own);
        ordering.fences[scope as usize] = Some(self.release(own));
        self.ordering = Some(ordering);
    }

    /// The thread has waited for a barrier at which threads of other blocks had arrived after these accesses.
    pub fn hear(&mut self, clock: &Clock) {
        if !clock.is_empty() {
            self.ordering.get_or_insert_default().heard.join(clock);
        }
    }

    /// The epochs of threads of other blocks when they arrived at barriers that it has waited for.
    pub fn heard(&self) -> Option<&Clock> {
        self.ordering.as_ref().map(|ordering| &ordering.heard)
    }

    /// Returns whether it has waited for a barrier at which the thread of this number, or a thread that knew of the epoch,
    /// arrived after this epoch.
    pub fn has_heard(&self, by: Key, epoch: u32) -> bool {
        self.ordering.as_ref().is_some_and(|ordering| ordering.heard.get(by) >= epoch)
    }

    /// A fence between a thread's accesses and those of the copy engine.
    pub fn fence_proxy(&mut self, own: Key, global: bool) {
        let clock = self.release(own);
        self.clock.publish(&clock, global);
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

    /// The accesses that its releases to a place order before a store there, with their scopes.
    pub fn released_at(&self, place: (usize, u32)) -> impl Iterator<Item = &(MemoryScope, Clock)> {
        self.ordering.iter().filter_map(move |ordering| ordering.released.get(&place)).flatten()
    }

    /// The accesses that its fences order before a store, with their scopes.
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
        let agent = Agent { epoch: 1, clock: start.clone(), known: start.known(first), ..Agent::default() };
        self.blocks.begin(first, threads, agent);
    }

    /// A thread, if its block runs.
    #[inline]
    pub fn agent(&self, key: Key) -> Option<&Agent> {
        self.blocks.agents(key)?.get(linear(key))
    }

    /// The same, to be changed.
    #[inline]
    pub fn agent_mut(&mut self, key: Key) -> Option<&mut Agent> {
        let block = self.blocks.position(key)?;
        self.blocks.list[block].1.get_mut(linear(key))
    }

    /// A thread has returned; it counts as having arrived wherever its block or warp meets.
    #[inline]
    pub fn end(&mut self, key: Key) {
        self.over = true;
        if let Some(agent) = self.agent_mut(key) {
            agent.ended = true;
        }
    }

    pub fn arrive(&mut self, key: Key, meeting: &Meeting) {
        let Some(block) = self.blocks.position(key) else { return };
        let Some(agent) = self.blocks.list[block].1.get_mut(linear(key)) else { return };
        let gathering = self.gatherings.entry(meeting.number).or_default();
        gathering.known.join(&agent.clock);
        gathering.who.push((key, agent.epoch));
        gathering.waiting += u32::from(meeting.waits);
        agent.epoch += 1;
    }

    pub fn leave(&mut self, key: Key, meeting: &Meeting) {
        let block = self.blocks.position(key);
        let Some(gathering) = self.gatherings.get_mut(&meeting.number) else { return };
        if gathering.result.is_none() {
            if self.over {
                self.blocks.returned(key, meeting.of, &mut gathering.who);
            }
            if !gathering.who.is_sorted() {
                gathering.who.sort_unstable();
            }
            gathering.result = Some(self.blocks.outcome(&gathering.who, &gathering.known));
        }
        let agent = block.and_then(|block| self.blocks.list[block].1.get_mut(linear(key)));
        if let (Some(agent), Some((clock, epoch))) = (agent, &gathering.result) {
            match &gathering.last {
                Some((before, after)) if before.is(&agent.clock) => agent.clock = after.clone(),
                _ => {
                    let before = agent.clock.clone();
                    agent.clock.join(clock);
                    gathering.last = Some((before, agent.clock.clone()));
                }
            }
            agent.known = agent.clock.known(key);
            agent.epoch = (agent.epoch + 1).max(*epoch);
        }
        gathering.waiting -= 1;
        if gathering.waiting == 0 {
            self.gatherings.remove(&meeting.number);
        }
    }

    /// Another launch by the host begins, with blocks, copies and meetings of its own.
    pub fn next_launch(&mut self) {
        self.blocks.clear();
        self.gatherings.clear();
        self.under_way.clear();
    }

    /// A thread starts a copy; the number by which its accesses are known.
    pub fn start_copy(&mut self, by: Key, copy: u64, mover: Mover) -> Key {
        let position = self.copies.len();
        self.under_way.insert(copy, position);
        self.copies.push(Copy { by, mover, over: None });
        COPY | (position as u64) << 5
    }

    /// The thread itself, or the one that started a copy.
    pub fn owner(&self, key: Key) -> Key {
        if is_copy(key) { self.copies[copy_position(key)].by } else { key }
    }

    /// Who makes the accesses of a number.
    pub fn mover(&self, key: Key) -> Mover {
        if is_copy(key) { self.copies[copy_position(key)].mover } else { Mover::Thread }
    }

    /// Whether a number is that of a copy by the copy engine, or of a product by the tensor cores.
    pub fn is_engine(&self, key: Key) -> bool {
        self.mover(key) != Mover::Thread
    }

    /// Its thread has waited for a copy.
    pub fn end_copy(&mut self, key: Key, copy: u64) {
        let Some(position) = self.under_way.remove(&copy) else { return };
        let epoch = self.agent_mut(key).map(|agent| {
            agent.epoch += 1;
            agent.epoch
        });
        self.copies[position].over = epoch.map(|epoch| (key, epoch));
    }

    /// A thread has waited for a product of its warpgroup: it is over for threads that know the warpgroup's number up to this
    /// count, as the thread does now.
    pub fn end_product(&mut self, key: Key, warpgroup: Key, count: u32, copies: [u64; 2]) {
        for copy in copies {
            self.count_copy(warpgroup, count, copy);
        }
        if let Some(agent) = self.agent_mut(key) {
            agent.clock.raise(warpgroup, Group::Thread, count);
        }
    }

    /// A barrier has counted a copy: it is over for threads that know the barrier's number up to this epoch.
    pub fn count_copy(&mut self, barrier: Key, epoch: u32, copy: u64) {
        if let Some(position) = self.under_way.remove(&copy) {
            self.copies[position].over = Some((barrier, epoch));
        }
    }

    /// A thread of a block that has seen released what was done under this number in this epoch, and has not acquired it,
    /// with the scope that a fence needs; the given thread before others.
    pub fn seen_release(&self, by: Key, epoch: u32, thread: Key) -> Option<(Key, MemoryScope)> {
        let seen = |key: Key, agent: &Agent| {
            let scope = agent.ordering.as_ref()?.seen.iter().position(|seen| seen.get(by) >= epoch)?;
            let scopes = [MemoryScope::Block, MemoryScope::Cluster, MemoryScope::Device];
            (agent.clock.get(by) < epoch).then_some((key, scopes[scope]))
        };
        let agents = self.blocks.agents(thread).filter(|_| !is_copy(by))?;
        let first = (thread & !1023..).zip(agents).filter(|(key, _)| *key == thread);
        let others = (thread & !1023..).zip(agents).filter(|(key, _)| *key != thread);
        first.chain(others).find_map(|(key, agent)| seen(key, agent))
    }

    /// Whether what was done under this number in this epoch is ordered before what the thread does now, or the copy
    /// engine for it.
    pub fn ordered(&self, by: Key, epoch: u32, thread: Key, clock: &Clock, asks: Asks) -> bool {
        if by & COPY == 0 {
            let is_own = by == thread && matches!(asks, Asks::Thread | Asks::ThreadAfterLoad);
            return is_own || clock.ordered(by, asks) >= epoch;
        }
        let copy = &self.copies[copy_position(by)];
        // The copy engine's accesses are visible to itself and to threads alike.
        let asks = match asks {
            Asks::Engine { .. } if copy.mover != Mover::Thread => Asks::Thread,
            Asks::EngineAfterLoad { .. } if copy.mover != Mover::Thread => Asks::ThreadAfterLoad,
            asks => asks,
        };
        copy.over.is_some_and(|(by, epoch)| self.ordered(by, epoch, thread, clock, asks))
    }
}

impl Blocks {
    fn clear(&mut self) {
        self.spare.extend(self.list.drain(..).map(|(_, agents)| agents));
        self.positions.clear();
    }

    /// A block of threads that are all alike.
    fn begin(&mut self, first: Key, threads: u32, agent: Agent) {
        let mut agents = self.spare.pop().unwrap_or_default();
        agents.clear();
        agents.resize(threads as usize, agent);
        self.positions.insert(first, self.list.len());
        self.list.push((first, agents));
    }

    /// The position of a thread's block, if it runs.
    #[inline]
    fn position(&self, key: Key) -> Option<usize> {
        let (first, last) = (block(key), self.last.get());
        if self.list.get(last).is_some_and(|(known, _)| *known == first) {
            return Some(last);
        }
        let position = *self.positions.get(&first)?;
        self.last.set(position);
        Some(position)
    }

    /// The threads of a thread's block.
    #[inline]
    fn agents(&self, key: Key) -> Option<&[Agent]> {
        Some(&self.list[self.position(key)?].1)
    }

    /// Adds those that have returned from the kernel and count as having arrived where this thread meets others.
    ///
    /// They do nothing more, so the epoch of the others applies to them.
    fn returned(&self, key: Key, expected: Expected, who: &mut Vec<(Key, u32)>) {
        let lowest = who.iter().map(|(_, epoch)| *epoch).min().unwrap_or(0);
        let mut add = |first: Key, agents: &[Agent], mask: u32| {
            let ended =
                (first..).zip(agents).filter(|(thread, agent)| agent.ended && mask >> (thread & 31) & 1 == 1);
            who.extend(ended.map(|(thread, agent)| (thread, agent.epoch.max(lowest))));
        };
        match expected {
            Expected::Count => {}
            Expected::Cluster => self.list.iter().for_each(|(first, agents)| add(*first, agents, u32::MAX)),
            Expected::Block => {
                self.agents(key).into_iter().for_each(|agents| add(block(key), agents, u32::MAX))
            }
            Expected::Lanes(mask) => {
                let Some(agents) = self.agents(key) else { return };
                let first = linear(key) & !31;
                add(key & !31, &agents[first..(first + 32).min(agents.len())], mask);
            }
        }
    }

    /// The knowledge of all threads that met, and their next epoch.
    fn outcome(&self, who: &[(Key, u32)], known: &Clock) -> (Clock, u32) {
        let mut clock = known.clone();
        for members in who.chunk_by(|a, b| block(a.0) == block(b.0)) {
            let threads = self.agents(members[0].0).map_or(0, <[Agent]>::len);
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
