//! Matrices of tests: random elements, at any distance of rows and any alignment.

use warpsmith::prelude::*;
use warpsmith_kernels::argument::{Matrix, MatrixMut, matrix, matrix_mut};

/// An element that references compute with.
pub trait Real: GpuType + PartialEq + std::fmt::Debug {
    fn of(x: f64) -> Self;
    fn exact(self) -> f64;
    /// Half of the distance from 1 to the next element.
    const ROUNDING: f64;
}

macro_rules! reals {
    ($($t:ty: $of:expr, $exact:expr, $bits:literal;)+) => {$(
        impl Real for $t {
            fn of(x: f64) -> Self {
                $of(x)
            }
            fn exact(self) -> f64 {
                $exact(self)
            }
            const ROUNDING: f64 = 1.0 / (1u64 << $bits) as f64;
        }
    )+};
}

reals! {
    f32: |x| x as f32, f64::from, 24;
    f16: f16::from_f64, f16::to_f64, 11;
    bf16: bf16::from_f64, bf16::to_f64, 8;
    f64: |x| x, |x| x, 53;
    // From 0 to 1 it is half of a step.
    u8: |x: f64| x.round_ties_even() as u8, f64::from, 1;
}

/// A matrix in the memory of a device: rows at a distance, behind some other elements.
pub struct Placed<T> {
    buffer: Buffer<T>,
    rows: usize,
    cols: usize,
    stride: usize,
    offset: usize,
}

/// Extents, the elements between the rows, and the elements before the first.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub rows: usize,
    pub cols: usize,
    pub gap: usize,
    pub offset: usize,
}

impl<T: GpuType + PartialEq + std::fmt::Debug> Placed<T> {
    /// A matrix of `elements`, row after row, with `padding` around the rows.
    pub fn new(device: &Device, place: Place, elements: &[T], padding: T) -> Self {
        let Place { rows, cols, gap, offset } = place;
        let stride = cols + gap;
        let mut all = vec![padding; offset + rows * stride];
        for r in 0..rows {
            let start = offset + r * stride;
            all[start..start + cols].copy_from_slice(&elements[r * cols..(r + 1) * cols]);
        }
        Self { buffer: device.upload(&all).expect("device memory"), rows, cols, stride, offset }
    }

    pub fn matrix(&self) -> Matrix<'_, T> {
        let part = self.buffer.slice(self.offset..).expect("a part");
        matrix(part, self.rows, self.cols).expect("it fits").stride(self.stride).expect("it fits")
    }

    pub fn matrix_mut(&mut self) -> MatrixMut<'_, T> {
        let part = self.buffer.slice_mut(self.offset..).expect("a part");
        matrix_mut(part, self.rows, self.cols).expect("it fits").stride(self.stride).expect("it fits")
    }

    /// The elements row after row; those around them must be `padding` still.
    pub fn read(&self, device: &Device, padding: T) -> Vec<T> {
        let all = device.download(&self.buffer).expect("no fault");
        let mut elements = Vec::new();
        for (i, x) in all.into_iter().enumerate() {
            let at = i.checked_sub(self.offset).map(|i| (i / self.stride, i % self.stride));
            match at {
                Some((row, col)) if row < self.rows && col < self.cols => elements.push(x),
                _ => assert_eq!(x, padding, "element {i} around the rows"),
            }
        }
        elements
    }
}
