//! The simulator's texels: addressing and filtering as the hardware does them.
//!
//! Coordinates, address modes and weights are those of the CUDA C++ Programming Guide, appendix "Texture
//! Fetching": the fraction of a coordinate between two texels is rounded to 8 bits, and the rest is exact until
//! the result is rounded to `f32`.

use super::sampler::{AddressMode, Filter, Sampler};
use super::texel::Format;

/// Steps of the weight between two texels.
const STEPS: f64 = 256.0;
/// No texel is as far out as this.
const FAR: f64 = 1e12;

/// Texels in the host's memory, which the simulator's kernels read and write.
#[derive(Clone, Copy, Debug)]
pub struct Texels {
    /// Address of the first byte.
    pub base: usize,
    /// Width, height, and depth or layers.
    pub extents: [usize; 3],
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// How each is stored.
    pub format: Format,
    /// The number of dimensions of coordinates; the others choose a layer, or are absent.
    pub rank: usize,
    /// Whether integers are read as floats of at most 1.
    pub normalizes: bool,
}

impl Texels {
    /// Bytes of all texels, and of what lies between rows.
    pub fn bytes(&self) -> usize {
        self.pitch * self.extents[1] * self.extents[2]
    }

    /// The address of a texel; `None` outside the image.
    pub fn at(&self, index: [usize; 3]) -> Option<*mut u8> {
        let [x, y, z] = index;
        let inside = (0..3).all(|axis| index[axis] < self.extents[axis]);
        let offset = || (z * self.extents[1] + y) * self.pitch + x * self.format.bytes();
        inside.then(|| (self.base + offset()) as *mut u8)
    }

    /// The components of a texel; zeros outside the image.
    pub fn fetch(&self, index: [usize; 3]) -> [f64; 4] {
        match self.at(index) {
            // SAFETY: a texel of this format, in memory that the handle of the texels borrows.
            Some(texel) => unsafe { self.format.load(texel, self.normalizes) },
            None => [0.0; 4],
        }
    }

    /// The sample of a texture at coordinates; `layer` chooses a plane of layers, and is clamped to the last one.
    pub fn sample(&self, sampler: &Sampler, coordinates: [f32; 3], layer: u32) -> [f64; 4] {
        let mut taps = [[Tap { index: 0, weight: 1.0 }, Tap::NONE]; 3];
        for axis in 0..self.rank {
            taps[axis] = self.taps(sampler, axis, coordinates[axis]);
        }
        if self.rank == 2 {
            taps[2][0].index = (layer as usize).min(self.extents[2] - 1) as i64;
        }
        let mut sum = [0.0; 4];
        for [z, y, x] in combinations(&taps) {
            let weight = x.weight * y.weight * z.weight;
            let texel = self.addressed(sampler, [x.index, y.index, z.index]);
            for (sum, component) in sum.iter_mut().zip(texel) {
                *sum += if weight == 1.0 { component } else { weight * component };
            }
        }
        sum
    }

    /// The texels of one dimension that a coordinate is between, with their weights.
    fn taps(&self, sampler: &Sampler, axis: usize, coordinate: f32) -> [Tap; 2] {
        let x = located(coordinate, self.extents[axis], sampler, axis);
        if sampler.filter == Filter::Point {
            return [Tap { index: x.floor() as i64, weight: 1.0 }, Tap::NONE];
        }
        let steps = ((x - 0.5) * STEPS).round_ties_even();
        let index = (steps / STEPS).floor();
        let weight = (steps - index * STEPS) / STEPS;
        [Tap { index: index as i64, weight: 1.0 - weight }, Tap { index: index as i64 + 1, weight }]
    }

    /// The texel that an index stands for by its address mode, or the border.
    fn addressed(&self, sampler: &Sampler, index: [i64; 3]) -> [f64; 4] {
        let mut inside = [0; 3];
        for axis in 0..3 {
            let mode = if axis < self.rank { sampler.address[axis] } else { AddressMode::Clamp };
            match address(mode, index[axis], self.extents[axis] as i64) {
                Some(index) => inside[axis] = index as usize,
                None => return sampler.border.map(f64::from),
            }
        }
        self.fetch(inside)
    }
}

/// One texel of one dimension, and its share of the sample.
#[derive(Clone, Copy, Debug)]
struct Tap {
    index: i64,
    weight: f64,
}

impl Tap {
    const NONE: Self = Self { index: 0, weight: 0.0 };
}

/// Every choice of one tap a dimension whose share is not zero, as z, y, x.
fn combinations(taps: &[[Tap; 2]; 3]) -> impl Iterator<Item = [Tap; 3]> {
    let [x, y, z] = *taps;
    let all = (0..8).map(move |i| [z[i >> 2], y[(i >> 1) & 1], x[i & 1]]);
    all.filter(|taps| taps.iter().all(|tap| tap.weight != 0.0))
}

/// The position of a coordinate in texels, after the address modes that repeat the image.
fn located(coordinate: f32, extent: usize, sampler: &Sampler, axis: usize) -> f64 {
    let x = if coordinate.is_nan() { 0.0 } else { coordinate };
    if !sampler.normalized {
        return f64::from(x).clamp(-FAR, FAR);
    }
    let whole = x.floor();
    let x = match sampler.address[axis] {
        AddressMode::Clamp | AddressMode::Border => x,
        _ if x.is_infinite() => 0.0,
        AddressMode::Mirror if whole.rem_euclid(2.0) == 1.0 => 1.0 - (x - whole),
        AddressMode::Wrap | AddressMode::Mirror => x - whole,
    };
    f64::from(x * extent as f32).clamp(-FAR, FAR)
}

/// The index inside the image that an index stands for; `None` is the border.
fn address(mode: AddressMode, index: i64, extent: i64) -> Option<i64> {
    match mode {
        AddressMode::Clamp => Some(index.clamp(0, extent - 1)),
        AddressMode::Wrap => Some(index.rem_euclid(extent)),
        AddressMode::Mirror => {
            let index = index.rem_euclid(2 * extent);
            Some(if index < extent { index } else { 2 * extent - 1 - index })
        }
        AddressMode::Border => (0..extent).contains(&index).then_some(index),
    }
}
