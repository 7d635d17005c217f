//! How rows are transformed: by warps, by blocks, or as matrices.

use warpsmith::driver::Limits;
use warpsmith::{Kernel, Launch};

use super::Complex32;
use super::matrices::Matrices;
use super::radix::ELEMENTS;
use super::sequences::{Sequences, Span};
use super::short::{self, OF_WARP};
use crate::argument::Layout;
use crate::call::{Plan, Ready, Target, grid_of};
use crate::error::KernelError;

/// Bits of the longest rows that one block transforms, where it has the shared memory.
const MOST_BITS_OF_BLOCK: u32 = 14;
/// Elements of a thread where a block transforms a long row: there are fewer passes, and no more threads than have the registers.
pub(super) const MANY: usize = 32;
/// Bits of the shortest rows that are long enough for that, and of those whose spectra are split first.
pub(super) const MANY_FROM: u32 = 13;
pub(super) const MANY_OF_SPLIT_FROM: u32 = 14;
/// Elements of a block, unless its sequences are long.
pub(super) const OF_BLOCK: usize = 4096;

/// A launch: the lengths of its sequences, their blocks and their shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles {
    /// Bits of the lengths of sequences.
    pub log: u32,
    /// Sequences of a block.
    pub of_block: usize,
    /// Elements of a thread.
    pub each: usize,
    /// Threads of a block.
    pub threads: u32,
    /// Blocks.
    pub grid: u32,
    /// Shared memory of a block, in bytes.
    pub shared: usize,
}

impl Tiles {
    /// `count` sequences of `2^log` elements; `spare` elements of shared memory for each row of columns.
    pub fn new(log: u32, count: usize, elements: usize, spare: usize) -> Self {
        let group = (1usize << log).max(ELEMENTS);
        let of_block = (elements / group).max(1);
        let groups = count.div_ceil(group >> log);
        let grid = grid_of(groups.div_ceil(of_block));
        let exchanged = (group + group / 16) * (of_block + spare);
        let threads = (of_block * group / ELEMENTS) as u32;
        let shared = exchanged * size_of::<Complex32>();
        Self { log, of_block, each: ELEMENTS, threads, grid, shared }
    }

    /// `count` rows of `2^log` elements, if a block can transform whole ones. Threads have [`MANY`] elements of rows of `2^many_from` or more.
    pub fn of_rows(log: u32, count: usize, many_from: u32, limits: &Limits) -> Option<Self> {
        let mut tiles = Self::new(log, count, OF_BLOCK, 0);
        if log >= many_from {
            tiles.threads = tiles.threads * ELEMENTS as u32 / MANY as u32;
            tiles.each = MANY;
        }
        (log <= MOST_BITS_OF_BLOCK && tiles.shared <= limits.shared_opt_in).then_some(tiles)
    }

    /// The plan of a launch of this kernel.
    pub fn plan(self, kernel: &'static str, workspace: usize, why: String) -> Plan {
        Plan {
            kernel,
            types: "Complex32".to_owned(),
            tile: self.threads as usize * self.each,
            grid: self.grid,
            block: self.threads,
            shared: self.shared,
            workspace,
            why,
        }
    }

    /// Compiles and checks the launch.
    pub fn prepare<K: Kernel>(
        &self,
        target: &Target,
        launch: Launch<'_, K>,
    ) -> Result<Ready<K>, KernelError> {
        target.prepare(launch.grid(self.grid).block(self.threads).dynamic_shared(self.shared))
    }

    /// The kernel's arguments.
    pub fn sequences(&self, count: usize, factor: f32, turn: f32, from: Span, to: Span) -> Sequences {
        Sequences { count, of_block: self.of_block.ilog2(), factor, turn, from, to }
    }
}

/// `$launch`, in which the constant `$n` is the number of elements that each thread has in `$tiles`.
macro_rules! of_each {
    ($tiles:expr, $n:ident => $launch:expr) => {
        if $tiles.each == crate::fft::ways::MANY {
            const $n: usize = crate::fft::ways::MANY;
            $launch
        } else {
            const $n: usize = crate::fft::radix::ELEMENTS;
            $launch
        }
    };
}
pub(super) use of_each;

/// How rows are transformed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// There are no elements.
    Nothing,
    /// Warps take whole rows, two numbers at a time.
    Short { grid: u32 },
    /// Blocks take whole rows.
    Rows(Tiles),
    /// A row is a matrix, whose columns and then rows are transformed.
    Matrices(Matrices),
}

/// The rows of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    /// Their number.
    pub batch: usize,
    /// Their elements.
    pub len: usize,
    /// Whether rows and spectra are packs of two elements.
    pub in_packs: bool,
    /// Bytes between two launches.
    pub workspace: Option<usize>,
}

impl Rows {
    pub fn way(&self, limits: &Limits) -> Way {
        let Self { batch, len, .. } = *self;
        let log = len.max(1).ilog2();
        if batch == 0 || len == 0 {
            return Way::Nothing;
        }
        if self.in_packs && (1..=short::MOST_BITS).contains(&log) {
            let of_block = short::THREADS as usize / 32 * (OF_WARP >> log);
            return Way::Short { grid: grid_of(batch.div_ceil(of_block)) };
        }
        if let Some(tiles) = Tiles::of_rows(log, batch, MANY_FROM, limits) {
            return Way::Rows(tiles);
        }
        Way::Matrices(Matrices::new(log, self.at_once(), limits))
    }

    /// Rows that have room in the workspace.
    pub fn at_once(&self) -> usize {
        let row = self.len.max(1) * size_of::<Complex32>();
        self.workspace.map_or(self.batch, |bytes| (bytes / row).clamp(1, self.batch.max(1)))
    }

    /// Bytes of the workspace.
    pub fn workspace(&self, limits: &Limits) -> usize {
        match self.way(limits) {
            Way::Matrices(_) => self.at_once() * self.len * size_of::<Complex32>(),
            _ => 0,
        }
    }
}

/// Returns whether rows of even length are packs of two elements, with these elements before the first pack.
pub(super) fn in_packs(head: Option<usize>, layout: Layout) -> bool {
    head == Some(0) && (layout.rows <= 1 || layout.row_stride.is_multiple_of(2))
}
