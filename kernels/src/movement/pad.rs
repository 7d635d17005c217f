//! Arrays with elements around them.

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::prelude::{Device, GpuType};

use super::axes::OUTER;
use super::kernels::THREADS;
use super::pad_kernels::{Margin, Margins, Pieces, pad_elements, pad_packs};
use super::plan::{VALUES, lanes_of};
use crate::argument::{Input, Output, elements};
use crate::border::Border;
use crate::call::{Call, Family, MOST_BLOCKS, Plan, Step, Target, short_name, step};
use crate::error::KernelError;
use crate::pack::{PACK_BYTES, Pack};

/// An array with as many values keeps every multiprocessor busy, even if each thread writes several.
const MANY: usize = 1 << 20;

/// Surrounds an array with elements: `y` has `margins[k][0]` indices before those of `x` along axis `k`, and `margins[k][1]` behind them.
///
/// `x`: an array of `extents`, at most six of them, the last axis the fastest; `y`: as many elements as the extents with their margins
/// make up. The elements around `x` are zero bits, unless [`value`](Call::value) or [`border`](Call::border) sets others. Margins may
/// be longer than the array.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::images::Border;
/// use warpsmith_kernels::movement::pad;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// let x = gpu.upload(&[1u16, 2, 3, 4])?; // two rows of two
/// let mut y = gpu.alloc_zeroed::<u16>(8)?;
/// pad(&gpu, &x, &[2, 2], &[[0, 0], [1, 1]], &mut y).border(Border::Clamp).run()?;
/// assert_eq!(gpu.download(&y)?, [1, 1, 2, 2, 3, 3, 4, 4]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if there are more than six axes, not two margins for each, lengths that do not fit,
/// a margin along an axis without elements that has no value, or [`Border::Untouched`]; [`KernelError::Overlap`] if the arrays share
/// memory.
pub fn pad<'a, T: GpuType + 'static>(
    device: &Device,
    x: impl SliceArg<'a, T>,
    extents: &[usize],
    margins: &[[usize; 2]],
    y: impl SliceMutArg<'a, T>,
) -> Call<'a, Pad<'a, T>> {
    let (extents, margins) = (extents.to_vec(), margins.to_vec());
    let (x, y) = (Input::new(x), Output::new(y));
    Call::new(device, Pad { x, extents, margins, y, border: Border::Zero, value: None })
}

/// An array to surround with elements.
pub struct Pad<'a, T> {
    x: Input<'a, T>,
    extents: Vec<usize>,
    margins: Vec<[usize; 2]>,
    y: Output<'a, T>,
    border: Border,
    value: Option<T>,
}

impl<'a, T: GpuType + 'static> Call<'a, Pad<'a, T>> {
    /// Sets all elements around the array to a value.
    pub fn value(self, value: T) -> Self {
        self.map(|pad| Pad { border: Border::Zero, value: Some(value), ..pad })
    }

    /// Takes the elements around the array from the array. Default: [`Border::Zero`].
    pub fn border(self, border: Border) -> Self {
        self.map(|pad| Pad { border, value: None, ..pad })
    }
}

/// The accesses of a launch.
struct Accesses {
    /// Whether `y` is written in packs.
    is_packed: bool,
    /// Whether `x` is read in packs.
    is_aligned: bool,
    margins: Margins,
    pieces: Pieces,
    lanes: u32,
    grid: u32,
}

impl<T: GpuType> Pad<'_, T> {
    fn check(&self) -> Result<(), KernelError> {
        let shape = |what, expected, got, way_out| Err(KernelError::Shape { what, expected, got, way_out });
        let axes = self.extents.len();
        if axes > OUTER {
            let way_out = "join axes that have no margins and stay side by side";
            return shape("extents", format!("at most {OUTER}"), format!("{axes} axes"), way_out);
        }
        if self.margins.len() != axes {
            let expected = format!("{axes}, one for each axis");
            let way_out = "an axis without margins has `[0, 0]`";
            return shape("margins", expected, format!("{} pairs", self.margins.len()), way_out);
        }
        if self.border == Border::Untouched {
            let (expected, got) = ("another border".to_owned(), "the value `Untouched`".to_owned());
            return shape("border", expected, got, "copy the array to a part of `y` with `movement::copy`");
        }
        let padded = self
            .extents
            .iter()
            .zip(&self.margins)
            .map(|(extent, [before, behind])| extent.checked_add(*before)?.checked_add(*behind));
        let of_y: Option<Vec<usize>> = padded.collect();
        for (what, len, needed) in [
            ("x", self.x.len(), elements(&self.extents)),
            ("y", self.y.len(), of_y.as_deref().and_then(elements)),
        ] {
            if needed != Some(len) {
                let needed = needed.map_or_else(|| "more than there can be".to_owned(), |n| n.to_string());
                let expected =
                    format!("{needed}, for the extents {:?} and margins {:?}", self.extents, self.margins);
                return shape(
                    what,
                    expected,
                    format!("{len} elements"),
                    "pass a part of that length, or other extents",
                );
            }
        }
        if self.x.is_empty() && !self.y.is_empty() && self.border != Border::Zero {
            let (expected, got) = ("at least one, to fill the margins".to_owned(), "no element".to_owned());
            return shape("x", expected, got, "fill them with a value, by `.value(v)`");
        }
        self.y.apart_from("y", &self.x, "x")
    }

    /// The axes in as few as possible; the last one is the row.
    ///
    /// An axis is joined with the one inside it if that has no margins, and either it has none itself, or margins have one value.
    fn margins(&self) -> Margins {
        let mut axes: Vec<Margin> = Vec::new();
        for (inside, [before, behind]) in self.extents.iter().zip(&self.margins) {
            let axis =
                Margin { extent: inside + before + behind, inside: *inside, before: *before, x_stride: 1 };
            for outer in &mut axes {
                outer.x_stride *= inside;
            }
            match axes.last_mut() {
                Some(last)
                    if axis.extent == axis.inside
                        && (last.extent == last.inside || self.border == Border::Zero) =>
                {
                    let [extent, inside, before] =
                        [last.extent, last.inside, last.before].map(|indices| indices * axis.inside);
                    *last = Margin { extent, inside, before, x_stride: 1 };
                }
                _ => axes.push(axis),
            }
        }
        let one = Margin { extent: 1, inside: 1, before: 0, x_stride: 1 };
        let row = axes.pop().unwrap_or(one);
        let mut outer = [one; OUTER];
        outer[OUTER - axes.len()..].copy_from_slice(&axes);
        Margins { outer, row }
    }

    fn accesses(&self) -> Accesses {
        let margins = self.margins();
        let (row, size) = (margins.row, size_of::<T>());
        let pack = if size > 0 && PACK_BYTES.is_multiple_of(size) { PACK_BYTES / size } else { 1 };
        let is_packed = pack > 1 && self.y.misalignment() == Some(0) && row.extent.is_multiple_of(pack);
        let is_aligned = self.x.misalignment() == Some(0)
            && row.before.is_multiple_of(pack)
            && row.inside.is_multiple_of(pack);
        let of_row = if is_packed { row.extent / pack } else { row.extent };
        let bytes = if is_packed { PACK_BYTES } else { size.clamp(1, PACK_BYTES) };
        let rows = margins.outer.iter().map(|axis| axis.extent).product::<usize>();
        // Finding its row costs a thread as much as copying several values.
        let each = if rows.saturating_mul(of_row) >= MANY { 4 * VALUES } else { VALUES };
        let lanes = lanes_of(of_row, bytes, each);
        let chunk = lanes * each;
        let pieces = Pieces { row: of_row, chunk, count: of_row.div_ceil(chunk).saturating_mul(rows) };
        let grid = pieces.count.div_ceil(THREADS as usize / lanes).min(MOST_BLOCKS) as u32;
        Accesses { is_packed, is_aligned, margins, pieces, lanes: lanes as u32, grid }
    }

    fn fill(&self) -> T {
        // SAFETY: a `GpuType` is plain data that a device may write, so zero bits are a value of it, as in zeroed buffers.
        self.value.unwrap_or_else(|| unsafe { std::mem::zeroed() })
    }
}

impl<'a, T: GpuType + 'static> Family<'a> for Pad<'a, T> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        if self.y.is_empty() || size_of::<T>() == 0 {
            return Ok(Plan::nothing(short_name::<T>(), "there are no elements"));
        }
        let Accesses { is_packed, is_aligned, pieces, lanes, grid, .. } = self.accesses();
        let size = size_of::<T>();
        let (kernel, elements, why) = match (is_packed, is_aligned) {
            (true, true) => ("pad_packs", PACK_BYTES / size, format!("accesses of {PACK_BYTES} bytes")),
            (true, false) => (
                "pad_packs",
                PACK_BYTES / size,
                format!(
                    "y is written by {PACK_BYTES} bytes; x is read by {size}, as a margin, a row or an address is no multiple of these"
                ),
            ),
            (false, _) => (
                "pad_elements",
                1,
                format!(
                    "accesses of {size} bytes, as a row or the address of y is no multiple of {PACK_BYTES} bytes"
                ),
            ),
        };
        Ok(Plan {
            kernel,
            types: short_name::<T>(),
            tile: pieces.chunk * elements * (THREADS / lanes) as usize,
            grid,
            block: THREADS,
            shared: 0,
            workspace: 0,
            why,
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let accesses = self.accesses();
        // The conditions are constants: rustc compiles the kernels of one branch only.
        Ok(vec![match size_of::<T>() {
            1 if const { size_of::<T>() == 1 } && accesses.is_packed => {
                packs::<T, 16>(self, accesses, target)?
            }
            2 if const { size_of::<T>() == 2 } && accesses.is_packed => {
                packs::<T, 8>(self, accesses, target)?
            }
            4 if const { size_of::<T>() == 4 } && accesses.is_packed => {
                packs::<T, 4>(self, accesses, target)?
            }
            8 if const { size_of::<T>() == 8 } && accesses.is_packed => {
                packs::<T, 2>(self, accesses, target)?
            }
            _ => {
                let (value, border) = (self.fill(), self.border);
                let Self { x, mut y, .. } = self;
                let Accesses { margins, pieces, lanes, grid, .. } = accesses;
                step!(
                    target,
                    (grid, THREADS),
                    pad_elements::<T>(&x, &mut y, margins, value, pieces, lanes, border)
                )
            }
        }])
    }
}

/// The launch that writes packs.
fn packs<'a, T: GpuType + 'static, const N: usize>(
    pad: Pad<'a, T>,
    Accesses { is_aligned, margins, pieces, lanes, grid, .. }: Accesses,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let (value, border) = (pad.fill(), pad.border);
    let Pad { x, y, .. } = pad;
    // Packs of `x` are read only if all of them are aligned.
    let x_packs: Input<'a, Pack<T, N>> = if is_aligned { x.values() } else { x.nothing().values() };
    let mut y = y.into_values::<Pack<T, N>>();
    Ok(step!(
        target,
        (grid, THREADS),
        pad_packs::<T, N>(&x, &x_packs, &mut y, margins, value, pieces, lanes, border, is_aligned)
    ))
}
