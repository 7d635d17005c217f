//! Rows that no block can hold: as matrices, whose columns are transformed by one launch, and then their rows by another one.

use warpsmith::driver::Limits;

use super::sequences::{Sequences, Span};
use super::ways::{OF_BLOCK, Tiles};

/// Matrices of `2^columns.log` rows and `2^rows.log` columns.
///
/// Element `(i, k)` is number `i * 2^rows.log + k` of a row and of the workspace, and number `i + k * 2^columns.log` of the spectrum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrices {
    /// The launch that transforms columns.
    pub columns: Tiles,
    /// The launch that transforms rows.
    pub rows: Tiles,
}

/// Which launch of real rows takes a column or a row together with the one as far from the other end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum InPairs {
    /// The first, which splits halves of spectra.
    Columns,
    /// The second, which joins them.
    Rows,
}

impl Matrices {
    /// Those of `batch` rows of `2^log` elements.
    pub fn new(log: u32, batch: usize, limits: &Limits) -> Self {
        let (down, along) = (log / 2, log - log / 2);
        // Of long sequences, as many neighbouring ones as fill sectors of memory.
        let side = |log, other, spare| side(log, batch << other, spare, log >= 10, limits);
        Self { columns: side(down, along, 0), rows: side(along, down, 1) }
    }

    /// Those of complex rows that stand for real ones. A block has two groups of neighbouring sequences in the launch that takes pairs, so
    /// that one's are the shorter ones.
    pub fn of_real(log: u32, batch: usize, pairs: InPairs, limits: &Limits) -> Self {
        let (short, long) = (log / 2, log - log / 2);
        let [down, along] = if pairs == InPairs::Columns { [short, long] } else { [long, short] };
        let side =
            |log, other, spare, own| side(log, batch << other, spare, own == pairs || log >= 10, limits);
        Self { columns: side(down, along, 0, InPairs::Columns), rows: side(along, down, 1, InPairs::Rows) }
    }

    /// Elements of a matrix.
    fn len(&self) -> usize {
        1 << (self.columns.log + self.rows.log)
    }
}

/// `count` sequences of `2^log` elements, and `spare` elements of shared memory for each of their rows. The blocks are wide ones if they should
/// be, and have the memory.
fn side(log: u32, count: usize, spare: usize, is_wide: bool, limits: &Limits) -> Tiles {
    let wide = Tiles::new(log, count, 2 * OF_BLOCK, spare);
    if is_wide && wide.shared <= limits.shared_opt_in {
        wide
    } else {
        Tiles::new(log, count, OF_BLOCK, spare)
    }
}

/// What both launches do with some rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passes {
    pub matrices: Matrices,
    /// Elements from one row to the next.
    pub from: usize,
    /// Elements from one spectrum to the next.
    pub to: usize,
    /// What each element of a spectrum is multiplied by.
    pub scale: f32,
}

impl Passes {
    /// The columns of `count` rows from `row` on, and where they go in the workspace.
    pub fn first(&self, row: usize, count: usize) -> Sequences {
        let Matrices { columns, rows } = self.matrices;
        let (len, width) = (self.matrices.len(), 1 << rows.log);
        let column = |base, outer| Span { base, shift: rows.log, outer, inner: 1, step: width };
        let (from, to) = (column(row * self.from, self.from), column(0, len));
        columns.sequences(count * width, 1.0, 2.0 / len as f32, from, to)
    }

    /// The rows of the matrices in the workspace, and where they go in the spectra of `count` rows from `row` on.
    pub fn second(&self, row: usize, count: usize) -> Sequences {
        let Matrices { columns, rows } = self.matrices;
        let (len, width, height) = (self.matrices.len(), 1 << rows.log, 1 << columns.log);
        let from = Span { base: 0, shift: columns.log, outer: len, inner: width, step: 1 };
        let to = Span { base: row * self.to, shift: columns.log, outer: self.to, inner: 1, step: height };
        rows.sequences(count * height, self.scale, 0.0, from, to)
    }
}

/// Two launches for as many rows as have room in the workspace: `$down` for the columns of their matrices, and `$across` for the rows of these.
macro_rules! in_two_launches {
    ($target:expr, $passes:expr, $batch:expr, $at_once:expr, $first:ident => $down:expr, $second:ident => $across:expr $(,)?) => {{
        let (passes, batch, at_once) = ($passes, $batch, $at_once);
        let $first = passes.first(0, at_once);
        let by_columns = passes.matrices.columns.prepare($target, $down)?;
        let $second = passes.second(0, at_once);
        let by_rows = passes.matrices.rows.prepare($target, $across)?;
        crate::call::Step::new(move || {
            for row in (0..batch).step_by(at_once) {
                let count = at_once.min(batch - row);
                let $first = passes.first(row, count);
                by_columns.launch($down)?;
                let $second = passes.second(row, count);
                by_rows.launch($across)?;
            }
            Ok(())
        })
    }};
}
pub(super) use in_two_launches;
