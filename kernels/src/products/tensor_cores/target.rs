//! What sums of tensor cores become: elements of `c`.

use warpsmith::prelude::*;

use super::super::Epilogue;
use super::super::finish::Finisher;
use super::super::scales::{BY_LINE, BY_TENSOR, Factors};
use super::super::shape::Shape;
use super::element::{Stored, Total};

/// How the sums of a product of `m` × `n` become elements of `c`.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Target<'a, C, E> {
    finisher: Finisher<'a, C, E>,
    factors: Factors<'a>,
    /// Whether factors are those of rows and columns.
    by_line: bool,
    m: usize,
    n: usize,
}

#[gpu_impl]
impl<'a, C: Stored, E: Epilogue> Target<'a, C, E> {
    /// The target of a product with this finisher. A factor of all sums becomes a part of `alpha`.
    pub fn new(
        finisher: Finisher<'a, C, E>,
        factors: Factors<'a>,
        scaling: u32,
        shape: Shape,
    ) -> Target<'a, C, E> {
        let finisher = if scaling == BY_TENSOR { finisher.times(factors.at(0, 0)) } else { finisher };
        Target { finisher, factors, by_line: scaling == BY_LINE, m: shape.m, n: shape.n }
    }

    /// The factors of the rows `row` and `row + 8`.
    pub fn of_rows(self, row: usize) -> [f32; 2] {
        if self.by_line { self.factors.of_rows(row) } else { [1.0; 2] }
    }

    /// The sum at (`row`, `col`) as a finished float. `of_row` is the factor of its row; there is no `beta`.
    pub fn finished<D: Total>(self, sum: D, of_row: f32, row: usize, col: usize) -> D {
        let mut sum = sum.cast::<f32>();
        if self.by_line {
            sum *= of_row * self.factors.of_col(col);
        }
        D::keep(self.finisher.inside(sum, row, col, self.m, self.n))
    }

    /// The same, with the element of `c`, which begins at `c`.
    pub fn finished_in_place<D: Total>(self, sum: D, row: usize, col: usize, c: *const C) -> D {
        let mut sum = sum.cast::<f32>();
        if self.by_line {
            sum *= self.factors.at(row, col);
        }
        D::keep(self.finisher.in_place(sum, row, col, c, self.m, self.n))
    }

    /// Stores the element of `c` at (`row`, `col`) for its sum, if there is one.
    pub fn store<D: Total>(self, c: &mut [C], sum: D, row: usize, col: usize) {
        if row < self.m && col < self.n {
            let to = c.as_mut_ptr().wrapping_add(self.finisher.place(row, col));
            let old = if self.finisher.adds() { unsafe { *to }.cast::<f32>() } else { 0.0 };
            let new = if self.by_line {
                let sum = sum.cast::<f32>() * self.factors.at(row, col);
                C::finished::<f32, E>(self.finisher, sum, old, row, col)
            } else {
                C::finished::<D, E>(self.finisher, sum, old, row, col)
            };
            unsafe { *to = new }
        }
    }
}
