//! Scale factors for the elements of both operands, which 8-bit floats need: per matrix, per line, or per block.

use warpsmith::args::SliceArg;
use warpsmith::prelude::*;

use crate::argument::{Input, Layout, Matrix};
use crate::error::KernelError;

/// Elements along `k` that share a factor, and columns of `b`.
pub const BLOCK: usize = 128;

/// Factors of the elements of `a` and `b`: the value of an element is what it holds, times its factor.
#[derive(Clone, Debug)]
pub struct Scales<'a> {
    kind: Kind,
    a: Factor<'a>,
    b: Factor<'a>,
}

/// Sums without factors, as kernels are told.
pub const UNSCALED: u32 = 0;
/// All sums have one factor.
pub const BY_TENSOR: u32 = 1;
/// The factors of a sum are those of its row and its column.
pub const BY_LINE: u32 = 2;
/// The products of each step have factors.
pub const BY_BLOCK: u32 = 3;

/// The elements that share a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// All of a matrix.
    Tensors = BY_TENSOR as isize,
    /// Those of a row of `a`, and of a column of `b`.
    Lines = BY_LINE as isize,
    /// [`BLOCK`] elements of a row of `a`, and [`BLOCK`] × [`BLOCK`] elements of `b`.
    Blocks = BY_BLOCK as isize,
}

/// The factors of one operand.
#[derive(Clone, Debug)]
struct Factor<'a> {
    memory: Input<'a, f32>,
    extents: [usize; 2],
    strides: [usize; 2],
}

impl<'a> Scales<'a> {
    /// One factor for all elements of `a`, and one for all those of `b`.
    pub fn of_tensors(a: impl SliceArg<'a, f32>, b: impl SliceArg<'a, f32>) -> Self {
        let of = |memory: Input<'a, f32>| Factor { extents: [1, memory.len()], memory, strides: [0; 2] };
        Self { kind: Kind::Tensors, a: of(Input::new(a)), b: of(Input::new(b)) }
    }

    /// A factor for each row of `a`, and one for each column of `b`.
    pub fn of_lines(a: impl SliceArg<'a, f32>, b: impl SliceArg<'a, f32>) -> Self {
        let of = |memory: Input<'a, f32>| Factor { extents: [1, memory.len()], memory, strides: [1, 0] };
        Self { kind: Kind::Lines, a: of(Input::new(a)), b: of(Input::new(b)) }
    }

    /// A factor for each [`BLOCK`] elements of a row of `a`, and one for each [`BLOCK`] × [`BLOCK`] elements of `b`.
    ///
    /// `a`: `[m, k / BLOCK]`, `b`: `[k / BLOCK, n / BLOCK]`, rounded up, of any stride and order.
    pub fn of_blocks(a: Matrix<'a, f32>, b: Matrix<'a, f32>) -> Self {
        let of = |of: Matrix<'a, f32>, turned: bool| {
            let Layout { rows, cols, row_stride, col_stride } = of.layout();
            let strides = if turned { [col_stride, row_stride] } else { [row_stride, col_stride] };
            Factor { extents: [rows, cols], strides, memory: of.into_memory() }
        };
        Self { kind: Kind::Blocks, a: of(a, false), b: of(b, true) }
    }

    /// Refuses factors of other extents than a product of these has.
    pub(super) fn check(&self, [m, n, k]: [usize; 3]) -> Result<(), KernelError> {
        let (a, b, why) = match self.kind {
            Kind::Tensors => ([1, 1], [1, 1], "for the whole matrix"),
            Kind::Lines => ([1, m], [1, n], "one for each row of `a`, or column of `b`"),
            Kind::Blocks => (
                [m, k.div_ceil(BLOCK)],
                [k.div_ceil(BLOCK), n.div_ceil(BLOCK)],
                "one for each 128 elements of a row of `a`, or each 128 × 128 elements of `b`",
            ),
        };
        self.a.check("scales.a", a, why)?;
        self.b.check("scales.b", b, why)
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) fn memory(&self) -> [&Input<'a, f32>; 2] {
        [&self.a.memory, &self.b.memory]
    }

    /// The memory of both factors, and where they lie, for operands that have changed places if `is_turned`.
    pub(super) fn into_memory(self, is_turned: bool) -> ([Input<'a, f32>; 2], ScaleStrides) {
        let (a, b) = if is_turned { (self.b, self.a) } else { (self.a, self.b) };
        ([a.memory, b.memory], ScaleStrides { a: a.strides, b: b.strides })
    }
}

impl Factor<'_> {
    fn check(&self, what: &'static str, needs: [usize; 2], why: &str) -> Result<(), KernelError> {
        if self.extents == needs {
            return Ok(());
        }
        let text = |[rows, cols]: [usize; 2]| format!("{rows} × {cols} factors");
        Err(KernelError::Shape {
            what,
            expected: format!("{}, {why}", text(needs)),
            got: text(self.extents),
            way_out: "pass a part of that length, or a matrix of these extents",
        })
    }
}

/// Factors from one line of an operand to the next, and from one block along `k` to the next. A line is a row of `a`, a column of `b`, or
/// [`BLOCK`] columns of `b`.
#[derive(Clone, Copy, Debug, Default, PartialEq, GpuType)]
#[repr(C)]
pub struct ScaleStrides {
    /// Of the factors of `a`.
    pub a: [usize; 2],
    /// Of those of `b`.
    pub b: [usize; 2],
}

/// How a kernel scales: the number of the factors' kind.
pub(super) fn scaling(scales: Option<&Scales<'_>>) -> u32 {
    scales.map_or(UNSCALED, |scales| scales.kind as u32)
}

/// The factors as a kernel sees them.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Factors<'a> {
    a: View<'a, f32>,
    b: View<'a, f32>,
    strides: ScaleStrides,
    m: usize,
    n: usize,
}

/// The factors of a thread's two rows and of two neighbouring blocks of columns, step by step.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct BlockFactors<'a> {
    rows: [View<'a, f32>; 2],
    cols: [View<'a, f32>; 2],
    apart: [usize; 2],
}

/// Those of one step.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct StepFactors {
    rows: [f32; 2],
    cols: [f32; 2],
}

/// The factors from number `from` on.
#[gpu_fn]
fn beginning<'a>(all: View<'a, f32>, from: usize) -> View<'a, f32> {
    unsafe { View::from_raw_parts(all.as_ptr().wrapping_add(from), 1) }
}

#[gpu_impl]
impl<'a> Factors<'a> {
    /// The factors of a product of `m` × `n`.
    pub fn new(a: &'a [f32], b: &'a [f32], strides: ScaleStrides, m: usize, n: usize) -> Factors<'a> {
        let a = unsafe { View::from_raw_parts(a.as_ptr(), a.len()) };
        let b = unsafe { View::from_raw_parts(b.as_ptr(), b.len()) };
        Factors { a, b, strides, m, n }
    }

    /// The factor of the sum at (`row`, `col`). That of a sum outside the product is one of its last row or column.
    ///
    /// A call's arguments fit together, so all of these factors exist.
    pub fn at(self, row: usize, col: usize) -> f32 {
        let (row, col) = (row.min(self.m - 1), col.min(self.n - 1));
        let (a, b) = (
            self.a.as_ptr().wrapping_add(row * self.strides.a[0]),
            self.b.as_ptr().wrapping_add(col * self.strides.b[0]),
        );
        unsafe { *a * *b }
    }

    /// The factors of the rows `row` and `row + 8`.
    pub fn of_rows(self, row: usize) -> [f32; 2] {
        let (first, second) = (row.min(self.m - 1), (row + 8).min(self.m - 1));
        let (a, apart) = (self.a.as_ptr(), self.strides.a[0]);
        unsafe { [*a.wrapping_add(first * apart), *a.wrapping_add(second * apart)] }
    }

    /// The factor of a column, of which each has one of its own. That of a column outside the product is the last one.
    pub fn of_col(self, col: usize) -> f32 {
        // 32 bits, as the copy engine counts.
        let col = (col as u32).min(self.n as u32 - 1);
        unsafe { *self.b.as_ptr().wrapping_add(col as usize) }
    }

    /// The factor of the elements of a row at block `k` along it. That of a row outside the product is one of its last row.
    pub fn of_row_at(self, row: usize, k: u32) -> f32 {
        let [down, along] = self.strides.a;
        unsafe { *self.a.as_ptr().wrapping_add(row.min(self.m - 1) * down + k as usize * along) }
    }

    /// The factor of the block of a column at block `k` along it.
    pub fn of_block_at(self, col: usize, k: u32) -> f32 {
        let [across, along] = self.strides.b;
        let block = col.min(self.n - 1) / BLOCK;
        unsafe { *self.b.as_ptr().wrapping_add(block * across + k as usize * along) }
    }

    /// The factors of the rows `row` and `row + 8`, and of the block of column `col` and the one beside it, for each block along `k`.
    pub fn of_blocks(self, row: usize, col: usize) -> BlockFactors<'a> {
        let (m, block, last, strides) = (self.m - 1, col / BLOCK, (self.n - 1) / BLOCK, self.strides);
        let rows = [
            beginning(self.a, row.min(m) * strides.a[0]),
            beginning(self.a, (row + 8).min(m) * strides.a[0]),
        ];
        let cols = [
            beginning(self.b, block.min(last) * strides.b[0]),
            beginning(self.b, (block + 1).min(last) * strides.b[0]),
        ];
        BlockFactors { rows, cols, apart: [strides.a[1], strides.b[1]] }
    }
}

#[gpu_impl]
impl BlockFactors<'_> {
    /// The factors at block `k` along the rows and columns.
    pub fn of_step(self, k: u32) -> StepFactors {
        let (of_a, of_b) = (k as usize * self.apart[0], k as usize * self.apart[1]);
        let ([first, second], [left, right]) = (self.rows, self.cols);
        unsafe {
            StepFactors {
                rows: [*first.as_ptr().wrapping_add(of_a), *second.as_ptr().wrapping_add(of_a)],
                cols: [*left.as_ptr().wrapping_add(of_b), *right.as_ptr().wrapping_add(of_b)],
            }
        }
    }
}

#[gpu_impl]
impl StepFactors {
    /// The factors of products of both rows and of a block of columns, the first or the second.
    pub fn of_block(self, block: usize) -> [f32; 2] {
        let ([first, second], of_cols) = (self.rows, self.cols[block]);
        [first * of_cols, second * of_cols]
    }
}
