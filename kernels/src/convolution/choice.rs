//! The tiles of convolutions by warpgroups, and which one a call has.

use warpsmith::driver::Limits;

use super::geometry::{Geometry, Moves};
use super::walk::{CHANNELS, Walk};
use super::warpgroups::{BLOCKS, STORED, shared};
use crate::error::KernelError;

/// A tile of a block: the only table of the kernel. Its pixels lie in a box, with those around them for the taps of filters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Images, rows and columns of results, and filters.
    pub tile: [usize; 4],
    /// Whether all taps of a row of filters, or of whole filters, lie in a box; otherwise each tap has a box of its own.
    pub halo: bool,
    /// Boxes in shared memory.
    pub boxes: usize,
    /// The speed on a busy device, where the fastest tile has 1.
    speed: f64,
}

const fn choice(tile: [usize; 4], halo: bool, boxes: usize, speed: f64) -> Choice {
    Choice { tile, halo, boxes, speed }
}

/// The rows and columns of the largest filters whose taps lie in a box.
const HALO: usize = 3;

/// The speeds are those of an H200, of layers whose extents the tiles divide.
const CHOICES: [Choice; 8] = [
    choice([8, 4, 8, 128], true, 2, 1.0),
    choice([8, 4, 8, 64], true, 2, 0.94),
    choice([8, 2, 8, 128], true, 2, 0.97),
    choice([8, 2, 8, 64], true, 2, 0.75),
    choice([1, 32, 8, 128], true, 3, 1.0),
    choice([1, 16, 8, 128], true, 4, 0.96),
    choice([1, 16, 8, 64], true, 4, 0.73),
    choice([1, 16, 8, 128], false, 5, 0.7),
];

/// The time in which a pixel is loaded, where a pixel is multiplied by a tap of 128 filters in 1. Loads and products overlap.
const LOAD: f64 = 1.4;

impl Choice {
    /// Whether the images of a pixel lie side by side in a box, and not its neighbours.
    pub fn is_inside(&self) -> bool {
        self.tile[0] > 1
    }

    /// Pixels of results.
    fn pixels(&self) -> usize {
        self.tile[..3].iter().product()
    }

    /// Images, rows and columns of a box.
    fn reach(&self) -> [usize; 3] {
        let [images, rows, cols, _] = self.tile;
        let more = if self.halo { HALO - 1 } else { 0 };
        [images, rows + more, cols + if self.is_inside() { more } else { 0 }]
    }

    /// Bytes of shared memory of a block.
    pub fn shared(&self) -> usize {
        shared(self.reach().iter().product(), self.boxes, self.tile[3], STORED)
    }

    /// Elements of results that a block computes.
    pub fn elements(&self) -> usize {
        self.pixels() * self.tile[3]
    }

    /// Whether the box has the pixels of the taps.
    fn takes(&self, of: &Geometry) -> bool {
        let Moves { dilation: [down, across], .. } = of.moves;
        let rows = of.w[1] == 1 || down == 1 && of.w[1] <= HALO;
        let cols = of.w[2] == 1 || across == 1 && of.w[2] <= HALO;
        !self.halo || rows && (cols || !self.is_inside())
    }

    /// Boxes of a step, along the rows and the columns of the filters: a box has the taps of one image of every `stride`-th row and column.
    fn loads(&self, of: &Geometry) -> [usize; 2] {
        let ([down, across], [_, rows, cols, _]) = (of.moves.stride, of.w);
        let apart = match (self.halo, self.is_inside()) {
            (true, true) => [down, across],
            (true, false) => [down, cols],
            _ => [rows, cols],
        };
        [apart[0].min(rows), apart[1].min(cols)]
    }

    /// The extents and the order of the steps.
    pub fn walk(&self, of: &Geometry) -> Walk {
        let [images, rows, cols, filters] = of.y.map(|extent| extent as u32);
        let [_, down, across, channels] = of.w.map(|extent| extent as u32);
        let tile = [self.tile[0], self.tile[1], self.tile[2]].map(|extent| extent as u32);
        Walk {
            extents: [images, rows, cols],
            filters,
            tile,
            tiles: [images.div_ceil(tile[0]), rows.div_ceil(tile[1]), cols.div_ceil(tile[2])],
            steps: channels.div_ceil(CHANNELS as u32),
            loads: self.loads(of).map(|boxes| boxes as u32),
            taps: [down, across],
            stride: of.moves.stride.map(|pixels| pixels as i32),
            dilation: of.moves.dilation.map(|pixels| pixels as i32),
            padding: of.moves.padding.map(|pixels| pixels as i32),
        }
    }

    /// Tiles of clusters, as a number that does not overflow.
    fn clusters(&self, of: &Geometry) -> f64 {
        let along = |d: usize| of.y[d].div_ceil(self.tile[d]) as f64;
        (along(0) * along(1) * along(2) / f64::from(BLOCKS)).ceil() * along(3)
    }

    /// The time of all tiles on a device.
    fn time(&self, of: &Geometry, limits: &Limits) -> f64 {
        let at_once = f64::from((limits.multiprocessors / BLOCKS).max(1));
        let loaded = self.loads(of).iter().chain(&self.reach()).product::<usize>() as f64;
        let multiplied = (of.w[1] * of.w[2] * self.elements()) as f64 / 128.0;
        let waits = (LOAD * loaded / multiplied).max(1.0);
        (self.clusters(of) / at_once).ceil() * self.elements() as f64 / self.speed * waits
    }
}

/// The tile by which a convolution takes the least time, or the one that the caller asks for, with the blocks of its grid and why.
pub(super) fn choose(
    of: &Geometry,
    asked: Option<[usize; 4]>,
    limits: &Limits,
) -> Result<(Choice, u32, String), KernelError> {
    let fits = CHOICES.iter().filter(|choice| choice.takes(of));
    let may_be = |choice: &&Choice| asked.is_none_or(|asked| choice.tile == asked);
    let found = fits.clone().filter(may_be).min_by(|a, b| a.time(of, limits).total_cmp(&b.time(of, limits)));
    let Some(choice) = found else {
        let mut known: Vec<_> = fits.map(|choice| format!("{:?}", choice.tile)).collect();
        known.dedup();
        return Err(unknown(asked, format!("one of {}", known.join(", "))));
    };
    let clusters = choice.clusters(of);
    let at_once = (limits.multiprocessors / BLOCKS).max(1);
    let [images, rows, cols, filters] = choice.tile;
    let why = format!(
        "tiles of {images} × {rows} × {cols} results for {filters} filters keep the device busy for {:.2} rounds; {}",
        clusters / f64::from(at_once),
        if choice.halo { "a box has the pixels of several taps" } else { "each tap has a box of its own" },
    );
    Ok((*choice, BLOCKS * clusters.min(f64::from(at_once)) as u32, why))
}

fn unknown(asked: Option<[usize; 4]>, expected: String) -> KernelError {
    KernelError::Shape {
        what: "tile",
        expected,
        got: format!("the value {:?}", asked.unwrap_or_default()),
        way_out: "leave it out, and the plan chooses one",
    }
}

/// Whether 32 bits count all tiles, by the smallest ones.
pub(super) fn are_counted(of: &Geometry) -> bool {
    CHOICES.iter().all(|choice| choice.clusters(of) * f64::from(BLOCKS) < f64::from(u32::MAX))
}
