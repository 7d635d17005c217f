//! Axes of a movement: extents with the strides of both sides, joined into as few axes as possible.

use warpsmith::prelude::*;

/// The most axes around those that a block moves along.
pub const OUTER: usize = 6;

/// An axis: its extent, and its strides in the input and in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
pub struct Axis {
    /// Number of indices.
    pub extent: usize,
    /// Elements from one index to the next in the input.
    pub x_stride: usize,
    /// Elements from one index to the next in the output.
    pub y_stride: usize,
}

/// The axes around what a block moves, the first the slowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
pub struct Outer {
    /// The axes. Unused ones have one index.
    pub axes: [Axis; OUTER],
}

/// A place: its distance from the first element.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Place {
    /// In the input.
    pub x: usize,
    /// In the output.
    pub y: usize,
}

#[gpu_impl]
impl Outer {
    /// The place with a number. The last axis is the fastest.
    pub fn place(&self, number: usize) -> Place {
        let mut rest = number;
        let mut place = Place { x: 0, y: 0 };
        #[unroll]
        for k in 0..OUTER {
            let axis = self.axes[OUTER - 1 - k];
            if axis.extent > 1 {
                let index = rest % axis.extent;
                rest /= axis.extent;
                place.x += index * axis.x_stride;
                place.y += index * axis.y_stride;
            }
        }
        place
    }
}

impl Axis {
    /// An axis of one index.
    pub const ONE: Self = Self { extent: 1, x_stride: 0, y_stride: 0 };

    /// Returns whether this axis and the one inside it are one axis on both sides.
    fn continues(&self, inner: &Self) -> bool {
        self.x_stride == inner.extent * inner.x_stride && self.y_stride == inner.extent * inner.y_stride
    }

    /// The same axis in units of `unit` elements, for one whose extent or strides are multiples.
    pub fn by(self, extent: usize, stride: usize) -> Self {
        let Self { extent: e, x_stride, y_stride } = self;
        Self { extent: e / extent, x_stride: x_stride / stride, y_stride: y_stride / stride }
    }
}

impl Outer {
    /// These axes, at most `OUTER`.
    pub fn new(axes: &[Axis]) -> Self {
        let mut all = [Axis::ONE; OUTER];
        let first = OUTER.saturating_sub(axes.len());
        for (place, axis) in all[first..].iter_mut().zip(axes) {
            *place = *axis;
        }
        Self { axes: all }
    }

    /// Number of indices of all axes together.
    pub fn count(axes: &[Axis]) -> usize {
        axes.iter().map(|axis| axis.extent).product()
    }
}

/// The same movement in as few axes as possible, in the order of the output.
pub fn collapsed(mut axes: Vec<Axis>) -> Vec<Axis> {
    axes.retain(|axis| axis.extent != 1);
    axes.sort_by_key(|axis| std::cmp::Reverse((axis.y_stride, axis.x_stride)));
    let mut fewest: Vec<Axis> = Vec::new();
    for axis in axes {
        match fewest.last_mut() {
            Some(last) if last.continues(&axis) => {
                *last = Axis { extent: last.extent * axis.extent, ..axis };
            }
            _ => fewest.push(axis),
        }
    }
    fewest
}
