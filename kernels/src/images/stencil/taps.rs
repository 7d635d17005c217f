//! The neighbours that a stencil adds up, with their weights.

use std::collections::BTreeMap;

/// The neighbours that a stencil adds up, with a weight each: offsets are planes, rows and columns, as many of them as there are axes.
///
/// ```
/// use warpsmith_kernels::images::Taps;
///
/// // The Laplace operator, in two ways.
/// let laplace = Taps::<2>::star(-4.0, &[1.0]);
/// let same = Taps::from([([0, 0], -4.0), ([-1, 0], 1.0), ([1, 0], 1.0), ([0, -1], 1.0), ([0, 1], 1.0)]);
/// assert_eq!(laplace, same);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Taps<const AXES: usize> {
    taps: BTreeMap<[i32; AXES], f64>,
}

impl<const AXES: usize> Taps<AXES> {
    /// A star: the weight of the centre, and those of both neighbours along each axis, by their distance from 1 on.
    pub fn star(centre: f64, weights: &[f64]) -> Self {
        let mut taps = BTreeMap::from([([0; AXES], centre)]);
        for axis in 0..AXES {
            for (distance, weight) in (1..).zip(weights) {
                for offset in [-distance, distance] {
                    let mut place = [0; AXES];
                    place[axis] = offset;
                    taps.insert(place, *weight);
                }
            }
        }
        Self { taps }
    }

    /// A box: a weight for each offset up to `radius` along every axis, that of the last axis the fastest. Missing weights are zero.
    pub fn dense(radius: u32, weights: &[f64]) -> Self {
        let (radius, side) = (radius as i32, 2 * radius as usize + 1);
        let place = |i: usize| {
            std::array::from_fn(|axis| (i / side.pow((AXES - 1 - axis) as u32) % side) as i32 - radius)
        };
        (0..side.pow(AXES as u32)).map(|i| (place(i), weights.get(i).copied().unwrap_or(0.0))).collect()
    }

    /// The offsets and weights in the order in which they are added: by planes, rows and columns.
    pub fn iter(&self) -> impl Iterator<Item = ([i32; AXES], f64)> + '_ {
        self.taps.iter().map(|(place, weight)| (*place, *weight))
    }
}

impl<const AXES: usize> FromIterator<([i32; AXES], f64)> for Taps<AXES> {
    /// Weights of the same offset are added.
    fn from_iter<I: IntoIterator<Item = ([i32; AXES], f64)>>(taps: I) -> Self {
        let mut sums = BTreeMap::new();
        for (place, weight) in taps {
            *sums.entry(place).or_insert(0.0) += weight;
        }
        Self { taps: sums }
    }
}

impl<const AXES: usize, const N: usize> From<[([i32; AXES], f64); N]> for Taps<AXES> {
    fn from(taps: [([i32; AXES], f64); N]) -> Self {
        taps.into_iter().collect()
    }
}
