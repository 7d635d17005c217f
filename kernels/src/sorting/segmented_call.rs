//! Sorts of segments, as functions.

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::{Buffer, Device};

use super::call::check_pairs;
use super::key::{Key, Value};
use super::merging::{self, merge_segments};
use super::ranges::{RANGE, ROOM, THREADS, passes};
use super::room::SLOTS;
use super::segmented::sort_segments;
use crate::argument::{Input, Output};
use crate::call::{Call, Family, Plan, Step, Target, short_name};
use crate::error::KernelError;

/// Blocks for each multiprocessor, if there are enough ranges: several times as many as it runs at once, since some take longer.
const BLOCKS: usize = 16;

/// Offsets of a call: blocks count them, with their threads, in 32 bits.
const MOST_OFFSETS: usize = 1 << 31;

/// Sorts the keys of each segment in ascending order.
///
/// Segment `s` has the keys from `offsets[s]` up to and without `offsets[s + 1]`, as many as may be, none included. `x` and `y` have the
/// same length, at most `u32::MAX`. Keys before the first offset and behind the last are in no segment, and `y` does not change there.
/// Floats are in the order of [`sort`](super::sort). The offsets stay on the device: a prepared call can sort other segments at each
/// launch. Offsets that decrease, or exceed the number of keys, end the launch with a fault.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::sorting::segmented_sort;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// let x = gpu.upload(&[3.0f32, 1.0, 2.0, 9.0, 8.0])?;
/// let offsets = gpu.upload(&[0u32, 3, 3, 5])?;
/// let mut y = gpu.alloc_zeroed::<f32>(5)?;
/// segmented_sort(&gpu, &x, &offsets, &mut y).run()?;
/// assert_eq!(gpu.download(&y)?, [1.0, 2.0, 3.0, 8.0, 9.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] unless `y` is as long as `x` and there are 1 to 2^31 offsets, [`KernelError::Overlap`] if `y`
/// shares memory with another argument.
pub fn segmented_sort<'a, K: Key>(
    device: &Device,
    x: impl SliceArg<'a, K>,
    offsets: impl SliceArg<'a, u32>,
    y: impl SliceMutArg<'a, K>,
) -> Call<'a, SegmentedSort<'a, K>> {
    let (x, offsets, y) = (Input::new(x), Input::new(offsets), Output::new(y));
    Call::new(device, SegmentedSort { x, offsets, y, values: None, is_descending: false })
}

/// Sorts the keys of each segment as [`segmented_sort`] does, and writes the value of each key to the same place of `y_values`.
///
/// `x`, `x_values`, `y`, `y_values`: equally many. Values of equal keys stay in their order.
///
/// # Errors
/// Those of [`segmented_sort`], for the values too.
pub fn segmented_sort_pairs<'a, K: Key, V: Value>(
    device: &Device,
    x: impl SliceArg<'a, K>,
    x_values: impl SliceArg<'a, V>,
    offsets: impl SliceArg<'a, u32>,
    y: impl SliceMutArg<'a, K>,
    y_values: impl SliceMutArg<'a, V>,
) -> Call<'a, SegmentedSort<'a, K, V>> {
    let (x, offsets, y) = (Input::new(x), Input::new(offsets), Output::new(y));
    let values = Some((Input::new(x_values), Output::new(y_values)));
    Call::new(device, SegmentedSort { x, offsets, y, values, is_descending: false })
}

/// A sort of segments with its arguments.
pub struct SegmentedSort<'a, K, V = u32> {
    x: Input<'a, K>,
    offsets: Input<'a, u32>,
    y: Output<'a, K>,
    values: Option<(Input<'a, V>, Output<'a, V>)>,
    is_descending: bool,
}

impl<'a, K: Key, V: Value> Call<'a, SegmentedSort<'a, K, V>> {
    /// Sorts in descending order. Values of equal keys stay in their order.
    pub fn descending(self) -> Self {
        self.map(|sort| SegmentedSort { is_descending: true, ..sort })
    }
}

impl<K: Key, V: Value> SegmentedSort<'_, K, V> {
    fn check(&self) -> Result<(), KernelError> {
        let shape = |what, expected: &str, got, way_out| {
            Err(KernelError::Shape { what, expected: expected.to_owned(), got, way_out })
        };
        let len = self.x.len();
        if u32::try_from(len).is_err() {
            let way_out = "offsets are `u32`: sort parts of the segments";
            return shape("x", "at most u32::MAX", format!("{len} elements"), way_out);
        }
        if self.offsets.is_empty() {
            let expected = "one for each segment and one behind the last";
            return shape("offsets", expected, "0 elements".to_owned(), "without segments, pass a zero");
        }
        if self.offsets.len() > MOST_OFFSETS {
            let (expected, got) =
                (format!("at most {MOST_OFFSETS}"), format!("{} elements", self.offsets.len()));
            return shape(
                "offsets",
                &expected,
                got,
                "leave out empty segments, or sort parts of the segments",
            );
        }
        check_pairs(&self.x, &self.y, self.values.as_ref(), false)?;
        self.y.apart_from("y", &self.offsets, "offsets")?;
        let Some((_, y_values)) = &self.values else { return Ok(()) };
        y_values.apart_from("y_values", &self.offsets, "offsets")
    }

    /// Keys of the workspace: as many as the input has, if a segment may have more than a tile.
    fn spare(&self) -> usize {
        if self.passes() > 0 { self.x.len() } else { 0 }
    }

    /// Passes that merge, if one segment has all keys.
    fn passes(&self) -> u32 {
        passes(self.x.len())
    }

    fn ranges(&self) -> usize {
        self.x.len().div_ceil(RANGE)
    }
}

impl<'a, K: Key, V: Value> Family<'a> for SegmentedSort<'a, K, V> {
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let (keys, values) = (short_name::<K>(), short_name::<V>());
        let types = if self.values.is_some() { format!("{keys}, {values}") } else { keys };
        if self.x.is_empty() || self.offsets.len() == 1 {
            return Ok(Plan::nothing(types, "there are no keys"));
        }
        let value = if self.values.is_some() { size_of::<V>() } else { 0 };
        let blocks = limits.multiprocessors.max(1) as usize * BLOCKS;
        Ok(Plan {
            kernel: "sort_segments",
            types,
            tile: RANGE,
            grid: self.ranges().div_ceil(self.ranges().div_ceil(blocks)) as u32,
            block: THREADS,
            shared: SLOTS * (size_of::<K>() + if value > 0 { size_of::<u16>() } else { 0 }),
            workspace: self.spare() * (size_of::<K>() + value) + size_of::<u32>(),
            why: format!(
                "segments of up to {ROOM} keys are sorted with their neighbours, longer ones in tiles of so many; \
                 up to {} launches of merge_segments merge the tiles, where segments have several",
                self.passes()
            ),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let (grid, descending, ranges) = (plan.grid, self.is_descending, self.ranges());
        let each = ranges.div_ceil(grid as usize);
        let (passes, spare) = (self.passes(), self.spare());
        let Self { x, offsets, mut y, values, .. } = self;
        let has_values = values.is_some();
        let (x_values, mut y_values) =
            values.unwrap_or_else(|| (x.nothing().values(), y.nothing().into_values()));
        let device = &target.device;
        let mut spare_values: Buffer<V> = device.alloc_zeroed(if has_values { spare } else { 0 })?;
        let mut spare: Buffer<K> = device.alloc_zeroed(spare)?;
        // It never falls: where a launch has shorter segments than one before, some merges find nothing to do.
        let mut longest: Buffer<u32> = device.alloc_zeroed(1)?;
        macro_rules! sort {
            () => {
                sort_segments::<K, V>(
                    &x,
                    &x_values,
                    &offsets,
                    &mut y,
                    &mut y_values,
                    &mut spare,
                    &mut spare_values,
                    &mut longest,
                    each * RANGE,
                    has_values,
                    descending,
                )
            };
        }
        macro_rules! merge {
            ($pass:expr) => {
                merge_segments::<K, V>(
                    &offsets,
                    &mut y,
                    &mut y_values,
                    &mut spare,
                    &mut spare_values,
                    &longest,
                    $pass,
                    ranges,
                    each,
                    has_values,
                    descending,
                )
            };
        }
        let sort = target.prepare(sort!().grid(grid).block(THREADS))?;
        let merge = target.prepare(merge!(0).grid(grid).block(merging::THREADS))?;
        Ok(vec![Step::new(move || {
            sort.launch(sort!())?;
            for pass in 0..passes {
                merge.launch(merge!(pass))?;
            }
            Ok(())
        })])
    }
}
