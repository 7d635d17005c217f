//! Arrays that are put side by side.

use warpsmith::args::SliceMutArg;
use warpsmith::driver::Limits;
use warpsmith::prelude::{Device, GpuType};

use super::call::Movement;
use crate::argument::{Array, Layout, Output, elements, length};
use crate::call::{Call, Family, Plan, Step, Target, short_name};
use crate::error::KernelError;

/// Puts arrays side by side along an axis: `y` has the parts one after another.
///
/// There is at least one part. Parts have the same extents except along `axis`, where `y` has the sum of theirs. Elements may have any
/// size; they are copied as bits, one launch for each part that has elements.
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

    /// The copies of the parts, as matrices whose rows lie side by side, but those without elements.
    fn copies(&self) -> Vec<Movement<'a, T>> {
        let rows = self.rows();
        if self.y.is_empty() {
            return Vec::new();
        }
        let stride = self.parts.iter().map(|part| self.row_of(part)).sum();
        let mut first = 0;
        let mut copies = Vec::new();
        for part in &self.parts {
            let cols = self.row_of(part);
            let layout = |row_stride| Layout { rows, cols, row_stride, col_stride: 1 };
            if cols > 0 {
                let to = self.y.planned().behind(first);
                copies.push(Movement::copy((part.memory().clone(), layout(cols)), (to, layout(stride))));
            }
            first += cols;
        }
        copies
    }
}

impl<'a, T: GpuType> Family<'a> for Concat<'a, T> {
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let copies = self.copies();
        let plans = copies.iter().map(|copy| copy.plan(limits)).collect::<Result<Vec<_>, _>>()?;
        let largest = plans.into_iter().max_by_key(|plan| u64::from(plan.grid) * plan.tile as u64);
        Ok(match largest {
            None => Plan::nothing(short_name::<T>(), "there are no elements"),
            Some(plan) => {
                let why =
                    format!("a launch for each of {} parts, the largest with {}", copies.len(), plan.why);
                Plan { why, ..plan }
            }
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        let mut steps = Vec::new();
        for copy in self.copies() {
            steps.extend(copy.steps(plan, target)?);
        }
        Ok(steps)
    }
}
