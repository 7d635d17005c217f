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
        let recent = &mut self.recent[(line.line as usize).wrapping_mul(5) % RECENT];
        if !self.list.get(*recent as usize).is_some_and(|known| is_plainly(known, &line)) {
            *recent = *self.numbers.entry(line).or_insert(self.list.len() as u32);
            if *recent == self.list.len() as u32 {
                self.list.push(line);
            }
        }
        *recent
    }

    /// The line of a number.
    pub fn of(&self, number: u32) -> Line {
        self.list[number as usize]
    }
}

/// Whether two lines are one, without a look at the letters of their files.
fn is_plainly(a: &Line, b: &Line) -> bool {
    (a.line, a.column) == (b.line, b.column) && std::ptr::eq(a.file, b.file)
}
