//! Sparse matrices of five shapes, by the numbers of their rows; `kernels/benches/sparse.py` makes the same.

use crate::function::{hashed, word};

/// A matrix on the host.
pub struct Host {
    pub rows: usize,
    pub offsets: Vec<u32>,
    pub columns: Vec<u32>,
}

/// A shape: the lengths of rows, and the column of non-zero `k` of a row, which is number `i` of all.
pub struct Shape {
    length: fn(n: usize, row: usize) -> usize,
    column: fn(n: usize, row: usize, k: usize, i: usize) -> usize,
}

/// 16 non-zeros around the diagonal.
pub const BANDED: Shape = Shape { length: |_, _| 16, column: |n, row, k, _| (row + k + n - 8) % n };

/// 16 non-zeros in random columns, in order.
pub const UNIFORM: Shape =
    Shape { length: |_, _| 16, column: |n, _, k, i| k * (n / 16) + word(i) as usize % (n / 16) };

/// Lengths by a power law, random columns.
pub const POWER: Shape = Shape {
    length: |n, row| {
        let x = 4_294_967_296.0 / (f64::from(word(row)) + 1.0);
        ((4.0 * x.sqrt() * x.sqrt().sqrt()) as usize).min(n)
    },
    column: |n, _, _, i| word(i) as usize % n,
};

/// 8 non-zeros in random columns, and 16 rows in which every column has one.
pub const BLOCK: Shape = Shape {
    length: |n, row| if is_dense(n, row) { n } else { 8 },
    column: |n, row, k, i| if is_dense(n, row) { k } else { k * (n / 8) + word(i) as usize % (n / 8) },
};

/// The five-point stencil of a square grid.
pub const LAPLACIAN: Shape = Shape {
    length: |n, row| neighbours(n, row).count(),
    column: |n, row, k, _| neighbours(n, row).nth(k).unwrap_or(row),
};

impl Shape {
    /// The number of non-zeros of a matrix with `n` rows.
    pub fn nonzeros(&self, n: usize) -> usize {
        (0..n).map(|row| (self.length)(n, row)).sum()
    }

    /// The matrix with `n` rows and columns.
    pub fn matrix(&self, n: usize) -> Host {
        let (mut offsets, mut columns) = (vec![0], Vec::new());
        for row in 0..n {
            for k in 0..(self.length)(n, row) {
                columns.push((self.column)(n, row, k, columns.len()) as u32);
            }
            offsets.push(columns.len() as u32);
        }
        Host { rows: n, offsets, columns }
    }
}

impl Host {
    /// The exact product of a row with a vector. Value number `i` is `hashed(i)`.
    pub fn row_times(&self, row: usize, x: impl Fn(usize) -> f32) -> f64 {
        let range = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        range.map(|i| f64::from(hashed(i)) * f64::from(x(self.columns[i] as usize))).sum()
    }
}

fn is_dense(n: usize, row: usize) -> bool {
    row / 16 == n / 32
}

fn neighbours(n: usize, row: usize) -> impl Iterator<Item = usize> {
    let side = n.isqrt();
    let (above, before) = (row.checked_sub(side), (!row.is_multiple_of(side)).then(|| row - 1));
    let (after, below) = ((row + 1).is_multiple_of(side), row + side);
    [above, before, Some(row), (!after).then_some(row + 1), (below < n).then_some(below)]
        .into_iter()
        .flatten()
}
