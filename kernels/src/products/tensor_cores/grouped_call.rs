//! `grouped_gemm`: the call, and which kernel takes it.

use std::any::TypeId;

use warpsmith::args::SliceArg;
use warpsmith::driver::Limits;
use warpsmith::prelude::*;
use warpsmith::tensor::Swizzle128;

use super::super::finish::Finish;
use super::super::shape::Shape;
use super::super::{Epilogue, Unchanged};
use super::call::{MOST_EXTENT, TensorCoreElement, is_in_units};
use super::element::Stored;
use super::grouped::{OUT, grouped_warpgroups, grouped_warps};
use super::warpgroups;
use super::warps::{self, Along, TILE};
use crate::argument::{Input, Matrix, MatrixMut, extents, length, side_by_side};
use crate::call::{Call, Family, MOST_BLOCKS, Plan, Step, Target, short_name, step};
use crate::error::KernelError;
use crate::segments::numbers;

const WARPGROUPS: &str = "grouped_warpgroups";
const WARPS: &str = "grouped_warps";

/// Elements whose groups are multiplied: `bf16` and `f16`.
pub trait GroupedElement: TensorCoreElement + Stored + warpsmith::types::DeviceType<Erased = Self> {}

impl<T: TensorCoreElement + Stored + warpsmith::types::DeviceType<Erased = T>> GroupedElement for T {}

/// Products of groups of rows, each with a right operand of its own, in one launch: the layers of a mixture of experts.
///
/// The rows of group `g` are those of `a` and `c` from `offsets[g]` up to the one before `offsets[g + 1]`, and they are multiplied by its
/// part of `b`. `a`: `[rows of all groups, k]`; `b`: `[groups * n, k]`, the transposed right operands below each other, as layers store their
/// weights; `offsets`: one more than groups; `c`: `[rows of all groups, n]`. Sums are `f32`. Groups may be empty. Rows before the first
/// group and behind the last are left as they are.
///
/// | setting | elements become |
/// |---|---|
/// | [`alpha(x)`](Call::alpha) | `x` times the sum |
/// | [`bias(&v)`](Call::bias) | that plus `v[g * n + column]` |
/// | [`epilogue(f)`](Call::epilogue) | `f` of that |
///
/// Only the device reads the offsets, so a prepared call, or a graph, takes others at each launch. Offsets that decrease, or go beyond the
/// rows, end the launch with a fault; nothing outside the arguments is read or written.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::{matrix, matrix_mut};
/// use warpsmith_kernels::products::grouped_gemm;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// // Two rows for the first of three experts, none for the second, one for the third.
/// let offsets = gpu.upload(&[0u32, 2, 2, 3])?;
/// let x = gpu.upload(&[bf16::from_f32(1.0); 3 * 16])?;
/// let weights: Vec<bf16> = (0..3 * 8 * 16).map(|i| bf16::from_f32((i / (8 * 16)) as f32)).collect();
/// let (w, mut y) = (gpu.upload(&weights)?, gpu.alloc_zeroed::<bf16>(3 * 8)?);
/// grouped_gemm(&gpu, matrix(&x, 3, 16)?, matrix(&w, 3 * 8, 16)?, &offsets, matrix_mut(&mut y, 3, 8)?).run()?;
/// let first: Vec<f32> = gpu.download(&y)?.chunks(8).map(|row| row[0].to_f32()).collect();
/// assert_eq!(first, [0.0, 0.0, 32.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if the arguments do not fit together, or the elements of a row do not lie side by
/// side; [`KernelError::Overlap`] if `c` shares memory with another argument; [`KernelError::Device`] below compute capability 8.0.
pub fn grouped_gemm<'a, T: GroupedElement>(
    device: &Device,
    a: Matrix<'a, T>,
    b: Matrix<'a, T>,
    offsets: impl SliceArg<'a, u32>,
    c: MatrixMut<'a, T>,
) -> Call<'a, GroupedGemm<'a, T, Unchanged>> {
    let offsets = Input::new(offsets);
    Call::new(device, GroupedGemm { a, b, c, offsets, alpha: 1.0, bias: None, epilogue: Unchanged })
}

/// Products of groups of rows with their arguments.
pub struct GroupedGemm<'a, T, E> {
    a: Matrix<'a, T>,
    b: Matrix<'a, T>,
    c: MatrixMut<'a, T>,
    offsets: Input<'a, u32>,
    alpha: f32,
    bias: Option<Input<'a, T>>,
    epilogue: E,
}

impl<'a, T: GroupedElement, E: Epilogue> Call<'a, GroupedGemm<'a, T, E>> {
    /// Multiplies the sums by `alpha`. Default: 1.
    pub fn alpha(self, alpha: f32) -> Self {
        self.map(|of| GroupedGemm { alpha, ..of })
    }

    /// Adds an element of `bias` to each column of each group: `[groups * n]`.
    pub fn bias(self, bias: impl SliceArg<'a, T>) -> Self {
        self.map(|of| GroupedGemm { bias: Some(Input::new(bias)), ..of })
    }

    /// Applies a function to each element: [`Gelu`](struct@super::super::Gelu), [`Silu`](struct@super::super::Silu), or one of your own.
    pub fn epilogue<F: Epilogue>(self, epilogue: F) -> Call<'a, GroupedGemm<'a, T, F>> {
        self.replace(|GroupedGemm { a, b, c, offsets, alpha, bias, .. }| GroupedGemm {
            a,
            b,
            c,
            offsets,
            alpha,
            bias,
            epilogue,
        })
    }
}

/// Columns of all tiles of warpgroups.
const COLS: usize = 256;
/// Rows of the tiles of one block, and of those of clusters of two, which take as many rows as half of them as fast.
const FEW_ROWS: usize = 64;
const ROWS: usize = 256;
/// The most rows of an average group for tiles of one block.
const MOST_OF_FEW: usize = 40;

impl<T: GroupedElement, E: Epilogue> GroupedGemm<'_, T, E> {
    fn groups(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    fn check(&self) -> Result<(), KernelError> {
        let (a, b, c) = (self.a.layout(), self.b.layout(), self.c.layout());
        if self.offsets.is_empty() {
            return Err(KernelError::Shape {
                what: "offsets",
                expected: "one more than groups".to_owned(),
                got: "no elements".to_owned(),
                way_out: "an offset is the number of rows of all groups before; the last offset is the number of all rows",
            });
        }
        let lines = self.groups().saturating_mul(c.cols);
        extents("b", b, [lines, a.cols], "those of `c` for each group, and the columns of `a`")?;
        extents("c", c, [a.rows, c.cols], "the rows of `a`")?;
        side_by_side("a", a)?;
        side_by_side("b", b)?;
        side_by_side("c", c)?;
        if let Some(bias) = &self.bias {
            length("bias", bias.len(), lines, "one for each column of each group")?;
        }
        if numbers(self.groups(), a.rows, 1) >= MOST_EXTENT {
            return Err(KernelError::Shape {
                what: "a",
                expected: format!("fewer than {MOST_EXTENT} rows and groups together"),
                got: format!("{} rows and {} groups", a.rows, self.groups()),
                way_out: "multiply some of the groups after the others",
            });
        }
        self.check_overlap()
    }

    fn check_overlap(&self) -> Result<(), KernelError> {
        let c = self.c.memory();
        c.apart_from("c", self.a.memory(), "a")?;
        c.apart_from("c", self.b.memory(), "b")?;
        c.apart_from("c", &self.offsets, "offsets")?;
        match &self.bias {
            Some(bias) => c.apart_from("c", bias, "bias"),
            None => Ok(()),
        }
    }

    /// Why warpgroups and the copy engine do not multiply these, if they do not.
    fn unfit(&self, limits: &Limits) -> Option<&'static str> {
        let (a, b, c) = (self.a.layout(), self.b.layout(), self.c.layout());
        let starts =
            [self.a.memory().misalignment(), self.b.memory().misalignment(), self.c.memory().misalignment()];
        let strides = [a.row_stride, b.row_stride, c.row_stride];
        if limits.compute != (9, 0) {
            Some("only the copy engine of compute capability 9.0 is used")
        } else if starts != [Some(0); 3] || !strides.into_iter().all(is_in_units::<T>) {
            Some("not all rows begin at multiples of 16 bytes")
        } else if [a.rows, b.rows, a.cols].into_iter().any(|extent| extent > MOST_EXTENT) {
            Some("an extent is above 2^31, and the copy engine counts with 32 bits and a sign")
        } else if a.cols == 0 {
            Some("there is nothing to add")
        } else {
            None
        }
    }

    /// Rows of the tiles of warpgroups, and the blocks that compute one. Where groups have few rows, reading the right operands takes
    /// longest.
    fn rows(&self) -> (usize, u32) {
        let average = self.a.layout().rows / self.groups().max(1);
        if average <= MOST_OF_FEW { (FEW_ROWS, 1) } else { (ROWS, 2) }
    }

    /// Tiles of an extent, of which some may not be there.
    fn tiles(&self, [rows, cols]: [usize; 2]) -> usize {
        let (a, c) = (self.a.layout(), self.c.layout());
        numbers(self.groups(), a.rows, rows).saturating_mul(c.cols.div_ceil(cols))
    }

    /// Extents as the kernels have them, with tiles of `rows`.
    fn shape(&self, rows: usize) -> Shape {
        let (a, b, c) = (self.a.layout(), self.b.layout(), self.c.layout());
        Shape {
            m: numbers(self.groups(), a.rows, rows) * rows,
            n: c.cols,
            k: a.cols,
            a_stride: a.row_stride,
            b_stride: b.row_stride,
            batch: [0; 3],
        }
    }

    fn finish(&self) -> Finish {
        Finish {
            alpha: self.alpha,
            c_stride: self.c.layout().row_stride,
            has_bias: self.bias.is_some(),
            ..Finish::default()
        }
    }

    fn is_plain(&self) -> bool {
        self.alpha == 1.0 && self.bias.is_none() && TypeId::of::<E>() == TypeId::of::<Unchanged>()
    }
}

impl<'a, T: GroupedElement, E: Epilogue> Family<'a> for GroupedGemm<'a, T, E> {
    const NEEDS: (u32, u32) = (8, 0);

    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let types = format!("{}, {}", short_name::<T>(), short_name::<E>());
        let c = self.c.layout();
        if c.rows == 0 || c.cols == 0 || self.groups() == 0 {
            return Ok(Plan::nothing(types, "`c` has no elements"));
        }
        let unfit = self.unfit(limits);
        let ((rows, blocks), cols) = match unfit {
            None => (self.rows(), COLS),
            Some(_) => ((TILE, 1), TILE),
        };
        let tiles = self.tiles([rows, cols]);
        if tiles > MOST_BLOCKS {
            return Err(KernelError::Shape {
                what: "c",
                expected: format!("at most {MOST_BLOCKS} tiles"),
                got: format!("{tiles} tiles of {rows} × {cols}"),
                way_out: "multiply some of the groups, or of the columns, after the others",
            });
        }
        let multiprocessors = limits.multiprocessors.max(2);
        let (kernel, grid, block, shared, why) = match unfit {
            None => (
                WARPGROUPS,
                (tiles as u32).saturating_mul(blocks).min(multiprocessors / blocks * blocks),
                warpgroups::THREADS,
                warpgroups::shared(rows / blocks as usize, cols, 2 * OUT),
                format!("up to {tiles} tiles of {rows} × {cols}, for groups of that many rows on average"),
            ),
            Some(unfit) => (
                WARPS,
                tiles as u32,
                warps::THREADS,
                warps::rings(size_of::<T>()) * size_of::<T>(),
                format!("up to {tiles} tiles of {rows} × {cols}; no copy engine, as {unfit}"),
            ),
        };
        Ok(Plan { kernel, types, tile: rows * cols, grid, block, shared, workspace: 0, why })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        Ok(vec![match (plan.kernel, plan.tile / COLS) {
            (WARPS, _) => self.by_warps(plan, target)?,
            (_, ROWS) => self.by_warpgroups::<128, 256, 128, { stages(128) }, 2>(plan, target)?,
            _ => self.by_warpgroups::<64, 128, 256, { stages(64) }, 1>(plan, target)?,
        }])
    }
}

/// Stages of a block with these rows.
const fn stages(rows: usize) -> usize {
    warpgroups::stages(rows, COLS, 2 * OUT)
}

impl<'a, T: GroupedElement, E: Epilogue> GroupedGemm<'a, T, E> {
    /// Launches the kernel of warpgroups, with these rows of a block, columns of a warpgroup, and rows of a box of `b`. The blocks of a
    /// cluster share 128 columns each of a tile that is half full.
    fn by_warpgroups<
        const ROWS: usize,
        const OWN: usize,
        const PART: usize,
        const STAGES: usize,
        const BLOCKS: u32,
    >(
        self,
        plan: &Plan,
        target: &Target,
    ) -> Result<Step<'a>, KernelError> {
        let (shape, how, is_plain) = (self.shape(ROWS * BLOCKS as usize), self.finish(), self.is_plain());
        let (rows, of_b) = (self.a.layout().rows, self.b.layout().rows);
        let Self { a, b, c, offsets, bias, epilogue, .. } = self;
        let has_bias = bias.is_some();
        let bias = bias.unwrap_or_else(|| a.memory().nothing());
        let device = &target.device;
        let a: TensorMap<'a, T, ROWS, 64, Swizzle128> =
            device.tensor_map(a.into_memory(), [rows, shape.k], shape.a_stride)?;
        let b: TensorMap<'a, T, PART, 64, Swizzle128> =
            device.tensor_map(b.into_memory(), [of_b, shape.k], shape.b_stride)?;
        let mut c = c.into_memory();
        let rows = rows as u32;
        Ok(step!(
            target,
            early(plan.grid, plan.block, BLOCKS),
            grouped_warpgroups::<T, E, ROWS, COLS, OWN, 128, PART, STAGES, BLOCKS>(
                &a, &b, &mut c, &bias, &offsets, shape, rows, how, epilogue, is_plain, has_bias
            )
        ))
    }

    fn by_warps(self, plan: &Plan, target: &Target) -> Result<Step<'a>, KernelError> {
        let (shape, how) = (self.shape(TILE), self.finish());
        let rows = self.a.layout().rows as u32;
        let Self { a, b, c, offsets, bias, epilogue, .. } = self;
        let has_bias = bias.is_some();
        let bias = bias.unwrap_or_else(|| a.memory().nothing());
        let (a, b, mut c) = (a.into_memory(), b.into_memory(), c.into_memory());
        Ok(step!(
            target,
            (plan.grid, plan.block),
            grouped_warps::<T, E, Along<T, 32, 8>, 32, { warps::rings(2) }>(
                &a, &b, &mut c, &bias, &offsets, shape, rows, how, epilogue, has_bias
            )
        ))
    }
}
