//! Work that threads start and wait for in groups: their own copies, and work of the copy engine.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// A thread, by its block and its linear index in that.
pub(super) type Owner = ([u32; 3], u32);

/// The work of every thread.
pub(super) struct Groups<T>(FxHashMap<Owner, Pending<T>>);

/// The work of one thread.
struct Pending<T> {
    /// Since the last group was closed.
    open: Vec<T>,
    /// Closed groups, oldest first.
    closed: VecDeque<Vec<T>>,
}

impl<T> Default for Groups<T> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<T> Groups<T> {
    /// Forgets all work.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds something to the open group of a thread.
    pub fn start(&mut self, of: Owner, work: T) {
        self.pending(of).open.push(work);
    }

    /// Closes the open group of a thread.
    pub fn commit(&mut self, of: Owner) {
        let pending = self.pending(of);
        let group = std::mem::take(&mut pending.open);
        pending.closed.push_back(group);
    }

    /// The work in a thread's closed groups, except for the last `left` groups.
    pub fn closed(&mut self, of: Owner, left: usize) -> impl Iterator<Item = &mut T> {
        let closed = &mut self.pending(of).closed;
        let count = closed.len().saturating_sub(left);
        closed.iter_mut().take(count).flatten()
    }

    /// Takes a thread's closed groups, except for the last `left`.
    pub fn take(&mut self, of: Owner, left: usize) -> Vec<T> {
        let closed = &mut self.pending(of).closed;
        let count = closed.len().saturating_sub(left);
        closed.drain(..count).flatten().collect()
    }

    /// Takes all work that a thread has started.
    pub fn take_all(&mut self, of: Owner) -> Vec<T> {
        let pending = self.0.remove(&of);
        pending
            .into_iter()
            .flat_map(|pending| pending.closed.into_iter().flatten().chain(pending.open))
            .collect()
    }

    fn pending(&mut self, of: Owner) -> &mut Pending<T> {
        let new = || Pending { open: Vec::new(), closed: VecDeque::new() };
        self.0.entry(of).or_insert_with(new)
    }
}
