//! Arrays that are put side by side.

use warpsmith::args::SliceMutArg;
use warpsmith::driver::Limits;
use warpsmith::prelude::{Device, GpuType, U32x4};

use super::call::{accesses, word};
use super::concat_kernel::{PARTS, Parts, concat_rows};
use super::kernels::THREADS;
use super::plan::{VALUES, lanes_of};
use crate::argument::{Array, Input, Output, elements, length};
use crate::call::{Call, Family, MOST_BLOCKS, Plan, Step, Target, short_name, step};
use crate::error::KernelError;
use crate::pack::PACK_BYTES;

/// Puts arrays side by side along an axis: `y` has the parts one after another.
///
/// There is at least one part. Parts have the same extents except along `axis`, where `y` has the sum of theirs. Elements may have any
/// size; they are copied as bits, up to eight parts that have elements in a launch.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::array;
/// use warpsmith_kernels::movement::concat;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// let (a, b) = (gpu.upload(&[1u8, 2, 3, 4])?, gpu.upload(&[7u8, 8])?);
/// let mut y = gpu.alloc_zeroed::<u8>(6)?;
/// concat(&gpu, [array(&a, &[2, 2])?, array(&b, &[2, 1])?], 1, &mut y).run()?;
/// assert_eq!(gpu.download(&y)?, [1, 2, 7, 3, 4, 8]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if there is no part, no such axis, or extents or the length of `y` do not fit;
/// [`KernelError::Overlap`] if `y` shares memory with a part.
pub fn concat<'a, T: GpuType>(
    device: &Device,
    parts: impl IntoIterator<Item = Array<'a, T>>,
    axis: usize,
    y: impl SliceMutArg<'a, T>,
) -> Call<'a, Concat<'a, T>> {
    let parts = parts.into_iter().collect();
    Call::new(device, Concat { parts, axis, y: Output::new(y) })
}

/// Arrays to put side by side.
pub struct Concat<'a, T> {
    parts: Vec<Array<'a, T>>,
    axis: usize,
    y: Output<'a, T>,
}

impl<'a, T: GpuType> Concat<'a, T> {
    fn check(&self) -> Result<(), KernelError> {
        let shape = |what, expected, got, way_out| KernelError::Shape { what, expected, got, way_out };
        let Some(first) = self.parts.first() else {
            let expected = "at least one".to_owned();
            return Err(shape("parts", expected, "no array".to_owned(), "pass arrays that `array` makes"));
        };
        let axes = first.extents().len();
        if self.axis >= axes {
            let expected = format!("a value below {axes}, the number of extents");
            return Err(shape(
                "axis",
                expected,
                format!("the value {}", self.axis),
                "axes are counted from zero",
            ));
        }
        let others = |part: &Array<'_, T>| {
            let mut extents = part.extents().to_vec();
            extents.get_mut(self.axis).map(|extent| *extent = 1).map(|()| extents)
        };
        for (k, part) in self.parts.iter().enumerate() {
            if others(part) != others(first) {
                let expected =
                    format!("those of part 0, {:?}, except along axis {}", first.extents(), self.axis);
                let got = format!("the extents {:?} of part {k}", part.extents());
                return Err(shape("parts", expected, got, "pass arrays that differ along one axis alone"));
            }
            self.y.apart_from("y", part.memory(), "parts")?;
        }
        let sum = self.parts.iter().map(|part| self.row_of(part)).fold(0usize, usize::saturating_add);
        length("y", self.y.len(), self.rows().saturating_mul(sum), "the elements of all parts")
    }

    /// Elements of a part that lie side by side in `y`.
    fn row_of(&self, part: &Array<'_, T>) -> usize {
        elements(&part.extents()[self.axis..]).unwrap_or(usize::MAX)
    }

    /// Rows of such elements.
    fn rows(&self) -> usize {
        self.parts.first().map_or(0, |part| elements(&part.extents()[..self.axis]).unwrap_or(usize::MAX))
    }

    /// The parts that have elements, and the words of a row of `y`.
    fn placed(&self) -> (Vec<Placed<'a, T>>, usize) {
        let words = size_of::<T>() / word::<T>();
        let (mut placed, mut end) = (Vec::new(), 0);
        for part in &self.parts {
            let cols = self.row_of(part) * words;
            if cols > 0 {
                placed.push(Placed { x: part.memory().clone(), cols, before: end });
            }
            end += cols;
        }
        (placed, end)
    }

    /// The launches, of up to `PARTS` parts each.
    fn joins(&self) -> Vec<Join<'a, T>> {
        if self.y.is_empty() || word::<T>() == 0 {
            return Vec::new();
        }
        let (placed, stride) = self.placed();
        let pack = PACK_BYTES / word::<T>();
        let is_whole =
            |Placed { x, cols, .. }: &Placed<'_, T>| x.misalignment() == Some(0) && cols.is_multiple_of(pack);
        let in_packs = self.y.misalignment() == Some(0) && placed.iter().all(is_whole);
        let pack = if in_packs { pack } else { 1 };
        placed.chunks(PARTS).map(|parts| Join::new(parts, self.rows(), stride, pack)).collect()
    }
}

/// A part that has elements.
struct Placed<'a, T> {
    x: Input<'a, T>,
    /// Words of a row of it.
    cols: usize,
    /// Words of a row of `y` before these.
    before: usize,
}

/// A launch.
struct Join<'a, T> {
    x: Vec<Input<'a, T>>,
    of: Parts,
    /// Words of an access.
    pack: usize,
    lanes: u32,
    grid: u32,
}

impl<'a, T: GpuType> Join<'a, T> {
    /// The launch for parts of `rows` rows each, in accesses of `pack` words; a row of `y` has `stride` words.
    fn new(parts: &[Placed<'a, T>], rows: usize, stride: usize, pack: usize) -> Self {
        let longest = parts.iter().map(|part| part.cols / pack).max().unwrap_or(0);
        let lanes = lanes_of(longest, pack * word::<T>(), VALUES);
        let chunk = lanes * VALUES;
        let [ends, cols, before] = [[0; PARTS]; 3];
        let mut of = Parts { ends, cols, before, stride: stride / pack, chunk };
        let mut pieces = 0usize;
        for k in 0..PARTS {
            if let Some(part) = parts.get(k) {
                (of.cols[k], of.before[k]) = (part.cols / pack, part.before / pack);
                pieces = pieces.saturating_add(rows.saturating_mul(of.cols[k].div_ceil(chunk)));
            }
            of.ends[k] = pieces;
        }
        let grid = pieces.div_ceil(THREADS as usize / lanes).min(MOST_BLOCKS) as u32;
        Self { x: parts.iter().map(|part| part.x.clone()).collect(), of, pack, lanes: lanes as u32, grid }
    }

    /// The launch with values of type `V`.
    fn step<V: GpuType + 'static>(
        self,
        mut y: Output<'a, V>,
        target: &Target,
    ) -> Result<Step<'a>, KernelError> {
        let Self { x, of, lanes, grid, .. } = self;
        let nothing = y.read().nothing();
        let x: [Input<'a, V>; PARTS] =
            std::array::from_fn(|k| x.get(k).map_or_else(|| nothing.clone(), Input::values));
        Ok(step!(
            target,
            (grid, THREADS),
            concat_rows::<V>(&x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7], &mut y, of, lanes)
        ))
    }
}

impl<'a, T: GpuType> Family<'a> for Concat<'a, T> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let (joins, types) = (self.joins(), short_name::<T>());
        let parts: usize = joins.iter().map(|join| join.x.len()).sum();
        let Some(largest) = joins.iter().max_by_key(|join| join.grid) else {
            return Ok(Plan::nothing(types, "there are no elements"));
        };
        Ok(Plan {
            kernel: "concat_rows",
            types,
            tile: largest.of.chunk * largest.pack * (THREADS / largest.lanes) as usize,
            grid: largest.grid,
            block: THREADS,
            shared: 0,
            workspace: 0,
            why: format!(
                "{parts} parts in {} of up to {PARTS}; {}",
                if joins.len() == 1 { "a launch".to_owned() } else { format!("{} launches", joins.len()) },
                accesses(largest.pack, word::<T>()),
            ),
        })
    }

    fn steps(self, _plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        let joins = self.joins();
        let mut y = self.y;
        joins
            .into_iter()
            .map(|join| match (join.pack, word::<T>()) {
                (1, 1) => join.step(y.again().into_values::<u8>(), target),
                (1, 2) => join.step(y.again().into_values::<u16>(), target),
                (1, 4) => join.step(y.again().into_values::<u32>(), target),
                (1, _) => join.step(y.again().into_values::<u64>(), target),
                _ => join.step(y.again().into_values::<U32x4>(), target),
            })
            .collect()
    }
}
