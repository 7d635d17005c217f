//! A product with its arguments: checked, and turned to have the rows of `c` side by side.

use crate::argument::{Input, Layout, Matrix, MatrixMut, Output};
use crate::error::KernelError;

use super::epilogue::is_unchanged;
use super::finish::Finish;
use super::scales::{Kind, ScaleStrides, Scales};
use super::shape::Shape;

/// The arguments of a product.
pub struct Problem<'a, T, C, E> {
    pub(super) a: Matrix<'a, T>,
    pub(super) b: Matrix<'a, T>,
    pub(super) c: MatrixMut<'a, C>,
    pub(super) alpha: f32,
    pub(super) beta: f32,
    pub(super) bias: Option<Input<'a, C>>,
    pub(super) residual: Option<Matrix<'a, C>>,
    pub(super) scales: Option<Scales<'a>>,
    pub(super) epilogue: E,
    pub(super) batch: Batch,
    pub(super) tile: Option<[usize; 2]>,
    pub(super) precision: Precision,
}

/// How `f32` elements are multiplied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// By all of their digits, on CUDA cores.
    #[default]
    Full,
    /// As `tf32`, on tensor cores: the lowest 13 of the 23 bits of a mantissa are cut off, an error of up to 2^-10 of each element.
    TensorFloat32,
}

/// Products of matrices of equal extents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    /// Number of products.
    pub count: usize,
    /// Elements from one matrix to the next: of `a`, `b` and `c`.
    pub strides: [usize; 3],
}

/// What the kernels get: extents, and which operands lie in which way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// Extents and strides.
    pub shape: Shape,
    /// How sums become elements.
    pub how: Finish,
    /// Number of products.
    pub count: usize,
    /// Whether `a` has columns that lie `a_stride` apart, with the elements of a column side by side.
    pub a_beside: bool,
    /// Whether `b` has rows that lie `b_stride` apart, with the elements of a row side by side.
    pub b_beside: bool,
    /// Whether there are blocks along `k` whose products have factors.
    pub by_blocks: bool,
}

/// The memory of a task's operands, in its order.
pub struct Memory<'a, T, C> {
    pub(super) a: Input<'a, T>,
    pub(super) b: Input<'a, T>,
    pub(super) c: Output<'a, C>,
    pub(super) bias: Input<'a, C>,
    pub(super) residual: Input<'a, C>,
    /// The factors of `a` and `b`.
    pub(super) scales: [Input<'a, f32>; 2],
    pub(super) strides: ScaleStrides,
}

impl<'a, T, C, E> Problem<'a, T, C, E> {
    /// Refuses arguments that do not fit together.
    pub(super) fn check(&self) -> Result<(), KernelError> {
        let (a, b, c) = (self.a.layout(), self.b.layout(), self.c.layout());
        extents("b", b, [a.cols, b.cols], "as many rows as `a` has columns: they are summed over together")?;
        extents("c", c, [a.rows, b.cols], "the rows of `a` and the columns of `b`")?;
        if let Some(bias) = &self.bias
            && bias.len() != c.cols
        {
            return Err(KernelError::Shape {
                what: "bias",
                expected: format!("{}, one for each column of `c`", c.cols),
                got: format!("{} elements", bias.len()),
                way_out: "pass a part of that length",
            });
        }
        if let Some(residual) = &self.residual {
            extents("residual", residual.layout(), [c.rows, c.cols], "the extents of `c`")?;
        }
        if let Some(scales) = &self.scales {
            scales.check([c.rows, c.cols, a.cols])?;
        }
        self.check_batch()?;
        self.check_overlap()
    }

    /// Refuses batches that reach beyond their memory, and products that share elements of `c`.
    fn check_batch(&self) -> Result<(), KernelError> {
        let Batch { count, strides: [of_a, of_b, of_c] } = self.batch;
        let (a, b, c) = (self.a.layout(), self.b.layout(), self.c.layout());
        in_memory("a", a, self.a.memory().len(), count, of_a)?;
        in_memory("b", b, self.b.memory().len(), count, of_b)?;
        in_memory("c", c, self.c.memory().len(), count, of_c)?;
        if let Some(residual) = &self.residual {
            in_memory("residual", residual.layout(), residual.memory().len(), count, of_c)?;
        }
        if count > 1 && of_c < extent(c).unwrap_or(usize::MAX) {
            return Err(KernelError::Shape {
                what: "c",
                expected: format!(
                    "at least {}, the elements of one product",
                    extent(c).unwrap_or(usize::MAX)
                ),
                got: format!("a distance of {of_c} elements from one product to the next"),
                way_out: "products must not overlap",
            });
        }
        Ok(())
    }

    fn check_overlap(&self) -> Result<(), KernelError> {
        let c = self.c.memory();
        c.apart_from("c", self.a.memory(), "a")?;
        c.apart_from("c", self.b.memory(), "b")?;
        if let Some(bias) = &self.bias {
            c.apart_from("c", bias, "bias")?;
        }
        if let Some(residual) = &self.residual {
            c.apart_from("c", residual.memory(), "residual")?;
        }
        if let Some(scales) = &self.scales {
            let [of_a, of_b] = scales.memory();
            c.apart_from("c", of_a, "scales.a")?;
            c.apart_from("c", of_b, "scales.b")?;
        }
        Ok(())
    }

    /// What the kernels compute: this product, or the transposed one if the columns of `c` lie side by side.
    pub(super) fn task(&self) -> Task {
        let (a, b, c) = (self.a.layout(), self.b.layout(), self.c.layout());
        let [of_a, of_b, of_c] = self.batch.strides;
        let is_turned = c.col_stride != 1 && c.cols > 1;
        let ((a, of_a), (b, of_b), c) = if is_turned {
            ((b.transposed(), of_b), (a.transposed(), of_a), c.transposed())
        } else {
            ((a, of_a), (b, of_b), c)
        };
        // A single element along `k` has no neighbour.
        let (a_beside, b_beside) = (a.col_stride != 1 && a.cols > 1, b.row_stride != 1 && b.rows > 1);
        let residual = self.residual.as_ref().map(Matrix::layout);
        Task {
            shape: Shape {
                m: c.rows,
                n: c.cols,
                k: a.cols,
                a_stride: if a_beside { a.col_stride } else { a.row_stride },
                b_stride: if b_beside { b.row_stride } else { b.col_stride },
                batch: [of_a, of_b, of_c],
            },
            how: Finish {
                alpha: self.alpha,
                beta: self.beta,
                c_stride: c.row_stride,
                residual_strides: residual.map_or([0; 2], |of| [of.row_stride, of.col_stride]),
                residual_batch: of_c,
                is_turned,
                has_bias: self.bias.is_some(),
                has_residual: residual.is_some(),
            },
            count: self.batch.count,
            a_beside,
            b_beside,
            // An empty sum has no blocks.
            by_blocks: a.cols > 0 && self.scales.as_ref().is_some_and(|scales| scales.kind() == Kind::Blocks),
        }
    }

    /// Elements before the first of `a` and of `b`, as the task has them, that begins at a multiple of 16 bytes, if any does.
    pub(super) fn misalignments(&self, task: &Task) -> [Option<usize>; 2] {
        let [a, b] = [&self.a, &self.b].map(|matrix| matrix.memory().misalignment());
        if task.how.is_turned { [b, a] } else { [a, b] }
    }

    /// Whether elements of `c` are sums as they are, times the block factors.
    pub(super) fn is_plain(&self) -> bool
    where
        E: 'static,
    {
        self.alpha == 1.0
            && self.beta == 0.0
            && self.bias.is_none()
            && self.residual.is_none()
            && self.scales.as_ref().is_none_or(|scales| scales.kind() == Kind::Blocks)
            && is_unchanged::<E>()
    }

    /// The memory of a task of this product.
    pub(super) fn memory(self, task: &Task) -> (Memory<'a, T, C>, E) {
        let (a, b, c) = (self.a.into_memory(), self.b.into_memory(), self.c.into_memory());
        let none = || c.read().nothing();
        let bias = self.bias.unwrap_or_else(none);
        let residual = self.residual.map_or_else(none, Matrix::into_memory);
        let nothing = || ([a.nothing().values(), b.nothing().values()], ScaleStrides::default());
        let (scales, strides) =
            self.scales.map_or_else(nothing, |scales| scales.into_memory(task.how.is_turned));
        let (a, b) = if task.how.is_turned { (b, a) } else { (a, b) };
        (Memory { a, b, c, bias, residual, scales, strides }, self.epilogue)
    }
}

impl Task {
    /// Whether the elements that lie side by side, and each line of them, begin at multiples of `unit` elements.
    pub fn in_units(&self, unit: usize, misalignments: [Option<usize>; 2]) -> bool {
        let Shape { m, n, k, a_stride, b_stride, batch: [of_a, of_b, _] } = self.shape;
        let of = |extent: usize, stride: usize, apart: usize| {
            [extent, stride, if self.count > 1 { apart } else { 0 }].iter().all(|n| n.is_multiple_of(unit))
        };
        of(if self.a_beside { m } else { k }, a_stride, of_a)
            && of(if self.b_beside { n } else { k }, b_stride, of_b)
            && misalignments == [Some(0); 2]
    }
}

/// Elements from the first of a matrix to behind its last.
fn extent(layout: Layout) -> Option<usize> {
    let Layout { rows, cols, row_stride, col_stride } = layout;
    if rows == 0 || cols == 0 {
        return Some(0);
    }
    (rows - 1).checked_mul(row_stride)?.checked_add((cols - 1).checked_mul(col_stride)?)?.checked_add(1)
}

fn extents(what: &'static str, has: Layout, needs: [usize; 2], why: &str) -> Result<(), KernelError> {
    if [has.rows, has.cols] == needs {
        return Ok(());
    }
    Err(KernelError::Shape {
        what,
        expected: format!("{} rows and {} columns, {why}", needs[0], needs[1]),
        got: format!("{} rows and {} columns", has.rows, has.cols),
        way_out: "`.t()` transposes a matrix for free",
    })
}

fn in_memory(
    what: &'static str,
    layout: Layout,
    len: usize,
    count: usize,
    stride: usize,
) -> Result<(), KernelError> {
    let needed = extent(layout)
        .and_then(|extent| count.saturating_sub(1).checked_mul(stride)?.checked_add(extent))
        .filter(|_| count > 0);
    match needed {
        _ if count == 0 => Ok(()),
        Some(needed) if needed <= len => Ok(()),
        needed => Err(KernelError::Shape {
            what,
            expected: needed.map_or_else(
                || "more elements than there can be".to_owned(),
                |needed| format!("{needed}, for {count} matrices {stride} elements apart"),
            ),
            got: format!("{len} elements"),
            way_out: "pass more memory, or fewer matrices",
        }),
    }
}
