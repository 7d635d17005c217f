//! Which tile of `c` a block computes: the one by which the device is done first.

use warpsmith::driver::Limits;

use super::problem::Task;
use crate::error::KernelError;

/// Rows and columns of `c` that a block computes.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// The kernel.
    pub kernel: &'static str,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
    /// Tiles that a multiprocessor works on at a time.
    pub blocks: f64,
    /// The time that a multiprocessor needs for one, relative to the other tiles of a list.
    pub time: f64,
}

impl Tile {
    /// A tile that takes as long as its multiplications do. `speed` is that on a busy device, where the fastest tile has 1.
    pub const fn of_products(
        kernel: &'static str,
        [rows, cols]: [usize; 2],
        blocks: f64,
        speed: f64,
    ) -> Self {
        Tile { kernel, rows, cols, blocks, time: (rows * cols) as f64 * blocks / speed }
    }

    /// A tile that takes as long as loading its rows and columns does, of which each of its blocks loads `share`.
    pub const fn of_loads(kernel: &'static str, [rows, cols]: [usize; 2], blocks: f64, share: f64) -> Self {
        Tile { kernel, rows, cols, blocks, time: (rows + cols) as f64 * share }
    }
}

/// A tile that was chosen.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The tile.
    pub tile: Tile,
    /// Blocks of all products.
    pub grid: u32,
    /// Why this one.
    pub why: String,
}

/// The tile of `tiles` by which a task takes the least time, or the one that the caller asks for.
pub fn choose(
    tiles: &[Tile],
    asked: Option<[usize; 2]>,
    task: &Task,
    limits: &Limits,
) -> Result<Chosen, KernelError> {
    let time = |tile: &Tile| {
        let at_once = f64::from(limits.multiprocessors.max(1)) * tile.blocks;
        (blocks(tile, task) / at_once).ceil() * tile.time
    };
    let may_be = |tile: &&Tile| asked.is_none_or(|asked| [tile.rows, tile.cols] == asked);
    let found = tiles.iter().filter(may_be).min_by(|x, y| time(x).total_cmp(&time(y)));
    let Some(tile) = found else { return Err(unknown(tiles, asked.unwrap_or([0; 2]))) };
    let grid = blocks(tile, task);
    if grid > f64::from(limits.grid[0]) {
        return Err(KernelError::Shape {
            what: "c",
            expected: format!("at most {}, the blocks of a grid", limits.grid[0]),
            got: format!("{grid} tiles of {} × {}", tile.rows, tile.cols),
            way_out: "multiply parts of the rows or of the batch one after another",
        });
    }
    let rounds = grid / (f64::from(limits.multiprocessors.max(1)) * tile.blocks);
    let why = format!("tiles of {} × {} keep the device busy for {rounds:.2} rounds", tile.rows, tile.cols);
    Ok(Chosen { tile: *tile, grid: grid as u32, why })
}

/// Blocks of a task, as a number that does not overflow.
fn blocks(tile: &Tile, task: &Task) -> f64 {
    let of = |extent: usize, tile: usize| extent.div_ceil(tile) as f64;
    of(task.shape.m, tile.rows) * of(task.shape.n, tile.cols) * task.count as f64
}

fn unknown(tiles: &[Tile], asked: [usize; 2]) -> KernelError {
    let mut known: Vec<String> = Vec::new();
    for tile in tiles.iter().map(|tile| format!("{} × {}", tile.rows, tile.cols)) {
        // Several kernels may have tiles of one extent.
        if !known.contains(&tile) {
            known.push(tile);
        }
    }
    KernelError::Shape {
        what: "tile",
        expected: format!("one of {}", known.join(", ")),
        got: format!("{} × {}", asked[0], asked[1]),
        way_out: "leave it out, and the plan chooses one",
    }
}
