//! Requests of one warp that lanes may still join.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;

use super::LANES;
use super::address::Addresses;
use crate::simulator::{Instruction, Operation};

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Class {
    Load,
    Store,
    Copy,
    SharedLoad,
    SharedStore,
    SharedCopy,
    MatrixLoad,
    MatrixStore,
    Atomic,
    SharedAtomic,
    Remote,
    Constant,
    Branch,
    /// Of a phase of a barrier.
    Wait,
    Work(Operation),
}

/// The properties that the lanes of one request share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub by: Instruction,
    pub class: Class,
    /// Bytes of a lane; 0 of what has no address.
    pub bytes: u32,
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The site and the line tell nearly all places apart.
        (self.by.at.line, self.by.site, self.by.instance, self.class, self.bytes).hash(state);
    }
}

/// A request and the lanes that have joined it.
struct Open {
    key: Key,
    addresses: Addresses,
    /// It has been counted.
    done: bool,
    /// The next request with the same key, which lanes make that repeat it.
    next: Option<u64>,
}

/// The open requests of a warp, oldest first.
pub(super) struct Warp {
    exists: u32,
    ended: u32,
    /// The number of the first of `open`.
    first: u64,
    open: VecDeque<Open>,
    /// The first and the last open request of each key.
    of_key: FxHashMap<Key, (u64, u64)>,
    /// Where each lane is likely to go on: after the request that it joined last.
    cursors: [u64; LANES],
    /// The meeting at which each lane waits.
    waits: [Option<u64>; LANES],
}

impl Warp {
    /// A warp of the lanes of a mask.
    pub fn new(exists: u32) -> Self {
        Self {
            exists,
            ended: 0,
            first: 0,
            open: VecDeque::new(),
            of_key: FxHashMap::default(),
            cursors: [0; LANES],
            waits: [None; LANES],
        }
    }

    /// How many requests are open.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// A lane joins the request of this key; `finish` is called for what no lane can join any more.
    pub fn join(&mut self, lane: u32, key: Key, value: u64, finish: &mut impl FnMut(&Key, &Addresses)) {
        let number = self.place(lane, &key);
        self.cursors[lane as usize] = number + 1;
        self.waits[lane as usize] = None;
        let request = &mut self.open[(number - self.first) as usize];
        request.addresses.push(lane, value);
        if (request.addresses.mask | self.ended) & self.exists == self.exists {
            finish(&request.key, &request.addresses);
            request.done = true;
            request.addresses.forget();
            self.drop_done();
        }
    }

    /// The number of the request that the lane joins: the first of the key without it, or a new one.
    fn place(&mut self, lane: u32, key: &Key) -> u64 {
        let without = |request: &Open| request.addresses.mask >> lane & 1 == 0;
        let hint = self.cursors[lane as usize].max(self.first);
        if let Some(request) = self.open.get((hint - self.first) as usize)
            && request.key == *key
            && without(request)
        {
            return hint;
        }
        let new = self.first + self.open.len() as u64;
        let Some((first, last)) = self.of_key.get(key).copied() else {
            self.of_key.insert(*key, (new, new));
            self.push(*key);
            return new;
        };
        let mut at = if without(&self.open[(last - self.first) as usize]) { Some(first) } else { None };
        while let Some(number) = at {
            let request = &self.open[(number - self.first) as usize];
            if without(request) {
                return number;
            }
            at = request.next;
        }
        self.open[(last - self.first) as usize].next = Some(new);
        self.of_key.insert(*key, (first, new));
        self.push(*key);
        new
    }

    fn push(&mut self, key: Key) {
        self.open.push_back(Open { key, addresses: Addresses::default(), done: false, next: None });
    }

    /// Forgets the oldest requests, as far as they are counted.
    fn drop_done(&mut self) {
        while self.open.front().is_some_and(|request| request.done) {
            self.pop();
        }
    }

    fn pop(&mut self) -> Option<Open> {
        let request = self.open.pop_front()?;
        self.first += 1;
        match (request.next, self.of_key.get_mut(&request.key)) {
            (Some(next), Some(range)) => range.0 = next,
            _ => drop(self.of_key.remove(&request.key)),
        }
        Some(request)
    }

    /// A lane waits at a meeting. Once all do that are left, no open request can be joined.
    pub fn wait(&mut self, lane: u32, meeting: u64, finish: &mut impl FnMut(&Key, &Addresses)) {
        self.waits[lane as usize] = Some(meeting);
        let present = self.exists & !self.ended;
        let mut others = (0..LANES).filter(|lane| present >> lane & 1 == 1);
        if others.all(|lane| self.waits[lane] == Some(meeting)) {
            self.finish_all(finish);
        }
    }

    /// A lane has returned; whether it was the last.
    pub fn end(&mut self, lane: u32, finish: &mut impl FnMut(&Key, &Addresses)) -> bool {
        self.ended |= 1 << lane;
        let last = self.ended & self.exists == self.exists;
        if last {
            self.finish_all(finish);
        }
        last
    }

    /// Counts all that is open.
    pub fn finish_all(&mut self, finish: &mut impl FnMut(&Key, &Addresses)) {
        for request in self.open.iter().filter(|request| !request.done) {
            finish(&request.key, &request.addresses);
        }
        self.first += self.open.len() as u64;
        self.open.clear();
        self.of_key.clear();
    }

    /// Counts the older half of what is open as it is; how many requests lanes could still have joined.
    pub fn finish_half(&mut self, finish: &mut impl FnMut(&Key, &Addresses)) -> u64 {
        let mut forced = 0;
        for _ in 0..self.open.len().div_ceil(2) {
            if let Some(request) = self.pop()
                && !request.done
            {
                finish(&request.key, &request.addresses);
                forced += 1;
            }
        }
        forced
    }
}
