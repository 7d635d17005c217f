//! Records about memory, page by page, by address.

use rustc_hash::FxHashMap;

/// Bytes of a page.
pub(super) const PAGE: usize = 4096;

/// Pages that are found again without a search, a power of two.
const RECENT: usize = 64;

/// Pages by their numbers, which are addresses divided by [`PAGE`].
pub(super) struct Pages<T> {
    list: Vec<T>,
    positions: FxHashMap<usize, u32>,
    /// Numbers and positions.
    recent: [(usize, u32); RECENT],
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Self { list: Vec::new(), positions: FxHashMap::default(), recent: [(usize::MAX, 0); RECENT] }
    }
}

impl<T> Pages<T> {
    /// The position of a page, which is made if there is none.
    #[inline]
    pub fn position(&mut self, number: usize, make: impl FnOnce() -> T) -> usize {
        let recent = &mut self.recent[(number ^ number >> 6) % RECENT];
        if recent.0 != number {
            let position = *self.positions.entry(number).or_insert(self.list.len() as u32);
            if position as usize == self.list.len() {
                self.list.push(make());
            }
            *recent = (number, position);
        }
        recent.1 as usize
    }

    /// The page at a position.
    #[inline]
    pub fn at(&mut self, position: usize) -> &mut T {
        &mut self.list[position]
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.list.iter_mut()
    }
}
