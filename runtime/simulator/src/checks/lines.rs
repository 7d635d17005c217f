//! Lines of the source by number.

use rustc_hash::FxHashMap;

use crate::simulator::Line;

/// Lines that are found again without a search, a power of two.
const RECENT: usize = 256;

/// Every line that was told of.
pub(super) struct Lines {
    list: Vec<Line>,
    numbers: FxHashMap<Line, u32>,
    recent: [u32; RECENT],
}

impl Default for Lines {
    fn default() -> Self {
        Self { list: Vec::new(), numbers: FxHashMap::default(), recent: [0; RECENT] }
    }
}

impl Lines {
    /// The number of a line.
    #[inline]
    pub fn number(&mut self, line: Line) -> u32 {
        let place = (line.line as usize).wrapping_mul(5) % RECENT;
        let recent = self.recent[place];
        if self.list.get(recent as usize) == Some(&line) { recent } else { self.look_up(line, place) }
    }

    #[cold]
    fn look_up(&mut self, line: Line, place: usize) -> u32 {
        let next = self.list.len() as u32;
        let number = *self.numbers.entry(line).or_insert(next);
        if number == next {
            self.list.push(line);
        }
        self.recent[place] = number;
        number
    }

    /// The line of a number.
    pub fn of(&self, number: u32) -> Line {
        self.list[number as usize]
    }
}
