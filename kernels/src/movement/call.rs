//! Transposes, permutations and copies.

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::prelude::{Device, GpuType, Num, U32x4};

use super::axes::{Axis, OUTER};
use super::kernels::{THREADS, copy_rows, transpose_bytes, transpose_elements, transpose_packs};
use super::plan::{BAND, Copy, Request, Turn, Way, edge};
use crate::argument::{Input, Layout, Matrix, MatrixMut, Output, elements};
use crate::call::{Call, Family, Plan, Step, Target, short_name, step};
use crate::error::KernelError;
use crate::pack::{PACK_BYTES, Pack};

/// `y = xᵀ`: element `(c, r)` of `y` is element `(r, c)` of `x`.
///
/// `x`: `[m, n]`, `y`: `[n, m]`, with any stride and order, and elements of any size.
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if the extents do not fit, [`KernelError::Overlap`] if the matrices share memory.
pub fn transpose<'a, T: GpuType>(
    device: &Device,
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
) -> Call<'a, Movement<'a, T>> {
    copy(device, x.t(), y)
}

/// `y = x`: a copy of a matrix to one of the same extents, and of any stride and order.
///
/// # Errors
/// Those of [`transpose`].
pub fn copy<'a, T: GpuType>(
    device: &Device,
    x: Matrix<'a, T>,
    y: MatrixMut<'a, T>,
) -> Call<'a, Movement<'a, T>> {
    let (x_layout, y_layout) = (x.layout(), y.layout());
    let shape = Shape::Matrices(x_layout, y_layout);
    Call::new(device, Movement { x: x.into_memory(), y: y.into_memory(), shape, band: BAND, span: None })
}

/// Changes the order of the axes of a dense array: axis `k` of `y` is axis `axes[k]` of `x`.
///
/// `x`: an array of `extents`, at most six of them, the last axis the fastest; `y`: as many elements. With `[0, 2, 1]`, each matrix of
/// a batch is transposed.
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if `axes` does not name each axis once, if there are more than six, or if `x` or `y`
/// has another number of elements than `extents` make up; [`KernelError::Overlap`] if the arrays share memory.
pub fn permute<'a, T: GpuType>(
    device: &Device,
    x: impl SliceArg<'a, T>,
    extents: &[usize],
    axes: &[usize],
    y: impl SliceMutArg<'a, T>,
) -> Call<'a, Movement<'a, T>> {
    let shape = Shape::Array { extents: extents.to_vec(), order: axes.to_vec() };
    Call::new(device, Movement { x: Input::new(x), y: Output::new(y), shape, band: BAND, span: None })
}

/// A movement of elements.
pub struct Movement<'a, T> {
    x: Input<'a, T>,
    y: Output<'a, T>,
    shape: Shape,
    band: u32,
    span: Option<usize>,
}

/// The shape that a caller passes.
enum Shape {
    Matrices(Layout, Layout),
    Array { extents: Vec<usize>, order: Vec<usize> },
}

impl<'a, T: GpuType> Call<'a, Movement<'a, T>> {
    /// Sets how many tiles of a transpose are taken down the rows before moving to the next columns, at least one. Default: 64.
    pub fn band(self, tiles: u32) -> Self {
        self.map(|movement| Movement { band: tiles, ..movement })
    }

    /// The side of the tiles of a transpose in units of 256 bytes, 1 or 2. Default: 2 for elements of four and eight bytes. Elements
    /// of one and two bytes have tiles of one size alone.
    pub fn span(self, units: usize) -> Self {
        self.map(|movement| Movement { span: Some(units), ..movement })
    }
}

impl Shape {
    /// The axes of both sides, in elements.
    fn axes(&self) -> Result<Vec<Axis>, KernelError> {
        match self {
            Self::Matrices(x, y) if (x.rows, x.cols) == (y.rows, y.cols) => Ok(vec![
                Axis { extent: x.rows, x_stride: x.row_stride, y_stride: y.row_stride },
                Axis { extent: x.cols, x_stride: x.col_stride, y_stride: y.col_stride },
            ]),
            Self::Matrices(x, y) => Err(KernelError::Shape {
                what: "y",
                expected: format!("{} rows and {} columns", x.rows, x.cols),
                got: format!("{} rows and {} columns", y.rows, y.cols),
                way_out: "a copy has the extents of `x`, a transpose those of `x.t()`",
            }),
            Self::Array { extents, order } => permuted(extents, order),
        }
    }

    /// The number of elements of each side, for shapes that do not imply it.
    fn elements(&self) -> Option<Option<usize>> {
        match self {
            Self::Matrices(..) => None,
            Self::Array { extents, .. } => Some(elements(extents)),
        }
    }
}

/// The axes of an array of `extents` whose axis `order[k]` becomes axis `k`.
fn permuted(extents: &[usize], order: &[usize]) -> Result<Vec<Axis>, KernelError> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if extents.len() > OUTER || !sorted.iter().copied().eq(0..extents.len()) {
        return Err(KernelError::Shape {
            what: "axes",
            expected: format!("each axis of {extents:?} once, of at most {OUTER}"),
            got: format!("the value {order:?}"),
            way_out: "axes are counted from zero; join axes that stay side by side",
        });
    }
    let dense = |extents: &[usize]| {
        let mut strides = vec![1usize; extents.len()];
        for k in (1..extents.len()).rev() {
            strides[k - 1] = strides[k].saturating_mul(extents[k]);
        }
        strides
    };
    let x_strides = dense(extents);
    let new_extents: Vec<usize> = order.iter().map(|axis| extents[*axis]).collect();
    let y_strides = dense(&new_extents);
    let axis = |(k, axis): (usize, &usize)| Axis {
        extent: extents[*axis],
        x_stride: x_strides[*axis],
        y_stride: y_strides[k],
    };
    Ok(order.iter().enumerate().map(axis).collect())
}

impl<T: GpuType> Movement<'_, T> {
    fn check(&self) -> Result<(), KernelError> {
        if let Some(elements) = self.shape.elements() {
            for (what, len) in [("x", self.x.len()), ("y", self.y.len())] {
                if elements != Some(len) {
                    return Err(KernelError::Shape {
                        what,
                        expected: "as many as the extents make up".to_owned(),
                        got: format!("{len} elements"),
                        way_out: "pass the extents of the array, or a part of the memory",
                    });
                }
            }
        }
        self.y.apart_from("y", &self.x, "x")
    }

    fn way(&self) -> Result<Way, KernelError> {
        let mut axes = self.shape.axes()?;
        let size = size_of::<T>();
        let word = word::<T>();
        if word == 0 {
            return Ok(Way::Nothing);
        }
        if size != word {
            // Larger elements are rows of words.
            let words = size / word;
            for axis in &mut axes {
                (axis.x_stride, axis.y_stride) =
                    (axis.x_stride.saturating_mul(words), axis.y_stride.saturating_mul(words));
            }
            axes.push(Axis { extent: words, x_stride: 1, y_stride: 1 });
        }
        let is_aligned = self.x.misalignment() == Some(0) && self.y.misalignment() == Some(0);
        Ok(Request { axes, word, is_aligned, band: self.band, span: self.span }.way())
    }
}

/// What a plan says of accesses of `pack` words of `word` bytes.
pub(super) fn accesses(pack: usize, word: usize) -> String {
    match pack {
        1 => {
            format!(
                "accesses of {word} bytes, as an extent, a stride or an address is no multiple of 16 bytes"
            )
        }
        _ => format!("accesses of {PACK_BYTES} bytes"),
    }
}

/// The largest power of two, up to eight, of which the size of an element is a multiple: the bytes that are moved at once.
pub const fn word<T>() -> usize {
    let size = size_of::<T>();
    let lowest = size & size.wrapping_neg();
    if lowest > 8 { 8 } else { lowest }
}

impl<'a, T: GpuType> Family<'a> for Movement<'a, T> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let word = word::<T>();
        let types = short_name::<T>();
        let access = |pack: usize| accesses(pack, word);
        Ok(match self.way()? {
            Way::Nothing => Plan::nothing(types, "there are no elements"),
            Way::Turn(Turn { pack, edge: side, grid, batch, .. }) => {
                let padding = if pack == 1 { edge(word).1 } else { 0 };
                Plan {
                    kernel: match pack {
                        1 => "transpose_elements",
                        PACK_BYTES => "transpose_bytes",
                        _ => "transpose_packs",
                    },
                    types,
                    tile: side * side,
                    grid,
                    block: THREADS,
                    shared: side * (side + padding) * word,
                    workspace: 0,
                    why: format!("the fastest axis of x is another one than that of y; {}", access(pack))
                        + &(if batch > 1 { format!("; {batch} matrices") } else { String::new() }),
                }
            }
            Way::Copy(Copy { pack, chunk, lanes, grid, is_dense, .. }) => Plan {
                kernel: "copy_rows",
                types,
                tile: chunk * pack * (THREADS / lanes) as usize,
                grid,
                block: THREADS,
                shared: 0,
                workspace: 0,
                why: match is_dense {
                    true => format!("x and y have the same fastest axis; {}", access(pack)),
                    false => {
                        format!("no tile has elements side by side on both sides; accesses of {word} bytes")
                    }
                },
            },
        })
    }

    fn steps(self, _plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        let way = self.way()?;
        let Self { x, y, .. } = self;
        Ok(match word::<T>() {
            1 => moved::<u8, 16, 128, 4>(x.values(), y.into_values(), way, target)?,
            2 => moved::<u16, 8, 64, 2>(x.values(), y.into_values(), way, target)?,
            4 => moved::<u32, 4, 32, 1>(x.values(), y.into_values(), way, target)?,
            _ => moved::<u64, 2, 32, 1>(x.values(), y.into_values(), way, target)?,
        })
    }
}

/// The launch for words of one size.
fn moved<'a, W: Num, const N: usize, const EDGE: usize, const PAD: usize>(
    x: Input<'a, W>,
    mut y: Output<'a, W>,
    way: Way,
    target: &Target,
) -> Result<Vec<Step<'a>>, KernelError> {
    Ok(vec![match way {
        Way::Nothing => return Ok(Vec::new()),
        Way::Turn(Turn { pack: 1, of, batch, outer, grid, .. }) => {
            let is_batched = batch > 1;
            step!(
                target,
                (grid, THREADS),
                transpose_elements::<W, EDGE, PAD>(&x, &mut y, of, outer, is_batched)
            )
        }
        Way::Turn(Turn { of, batch, outer, grid, .. }) if const { N == PACK_BYTES } => {
            let (x, mut y) = (x.values::<U32x4>(), y.into_values::<U32x4>());
            let is_batched = batch > 1;
            step!(target, (grid, THREADS), transpose_bytes(&x, &mut y, of, outer, is_batched))
        }
        Way::Turn(Turn { of, batch, outer, grid, span, .. }) => {
            let (x, mut y) = (x.values::<Pack<W, N>>(), y.into_values::<Pack<W, N>>());
            let is_batched = batch > 1;
            step!(target, (grid, THREADS), transpose_packs::<W, N>(&x, &mut y, of, outer, span, is_batched))
        }
        Way::Copy(Copy { pack: 1, inner, outer, chunk, pieces, lanes, is_dense, has_outer, grid }) => {
            step!(
                target,
                (grid, THREADS),
                copy_rows::<W>(&x, &mut y, inner, outer, chunk, pieces, lanes, is_dense, has_outer)
            )
        }
        Way::Copy(Copy { inner, outer, chunk, pieces, lanes, has_outer, grid, .. }) => {
            let (x, mut y) = (x.values::<Pack<W, N>>(), y.into_values::<Pack<W, N>>());
            step!(
                target,
                (grid, THREADS),
                copy_rows::<Pack<W, N>>(&x, &mut y, inner, outer, chunk, pieces, lanes, true, has_outer)
            )
        }
    }])
}
