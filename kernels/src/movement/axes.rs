//! Axes of a movement: extents with the strides of both sides, in the fewest axes that say the same.

use warpsmith::prelude::*;

/// The most axes that a kernel walks beside those that it has an order of its own for.
pub const OUTER: usize = 6;

/// An axis: its extent, and the elements from one index to the next where elements are read and where they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
pub struct Axis {
    /// Number of indices.
    pub extent: usize,
    /// Elements from one index to the next in what is read.
    pub x_stride: usize,
    /// Elements from one index to the next in what is written.
    pub y_stride: usize,
}

/// The axes around what a block moves, the first the slowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
pub struct Outer {
    /// The axes; those that are not there have one index.
    pub axes: [Axis; OUTER],
}

/// Where something lies: elements from the first one on.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Place {
    /// In what is read.
    pub x: usize,
    /// In what is written.
    pub y: usize,
}

#[gpu_impl]
impl Outer {
    /// The place of what has a number, counted with the last axis as the fastest.
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

    /// Whether indices of this axis and of the one inside of it count on, on both sides.
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

/// The same movement in the fewest axes, in the order of what is written.
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
