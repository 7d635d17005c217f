//! The functions of the family.

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::{Buffer, Device};

use super::count::{COUNT_THREADS, START_THREADS, digit_counts, digit_starts};
use super::key::{DIGIT_BITS, Key, RADIX, Value};
use super::look_back::MOST_KEYS;
use super::pass::{Pass, radix_pass};
use crate::argument::{Input, Output, Packs, length};
use crate::call::{Call, Family, Plan, Step, Target, short_name};
use crate::error::KernelError;

/// Blocks that count, for each multiprocessor.
const COUNTING: usize = 4;

/// Writes the keys of `x` to `y` in ascending order.
///
/// `x` and `y` have the same length. Floats are ordered by `total_cmp`: -0.0 before 0.0, negative NaNs first, positive NaNs
/// last.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::sorting::sort;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// let gpu = Device::simulator();
/// let x = gpu.upload(&[3.0f32, -1.0, 2.0])?;
/// let mut y = gpu.alloc_zeroed::<f32>(3)?;
/// sort(&gpu, &x, &mut y).run()?;
/// assert_eq!(gpu.download(&y)?, [-1.0, 2.0, 3.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] unless `y` is as long as `x`, [`KernelError::Overlap`] if they share memory.
pub fn sort<'a, K: Key>(
    device: &Device,
    x: impl SliceArg<'a, K>,
    y: impl SliceMutArg<'a, K>,
) -> Call<'a, Sort<'a, K>> {
    Call::new(
        device,
        Sort { x: Input::new(x), y: Output::new(y), values: None, is_descending: false, in_place: false },
    )
}

/// Sorts the keys of `y` in ascending order, as [`sort`] does.
pub fn sort_in_place<'a, K: Key>(device: &Device, y: impl SliceMutArg<'a, K>) -> Call<'a, Sort<'a, K>> {
    let y = Output::new(y);
    Call::new(device, Sort { x: y.read(), y, values: None, is_descending: false, in_place: true })
}

/// Writes the keys of `x` to `y` in ascending order, and the value of each key to the same place of `y_values`.
///
/// `x`, `x_values`, `y`, `y_values`: equally many. Values of equal keys stay in their order.
///
/// # Errors
/// Those of [`sort`], for the values too.
pub fn sort_pairs<'a, K: Key, V: Value>(
    device: &Device,
    x: impl SliceArg<'a, K>,
    x_values: impl SliceArg<'a, V>,
    y: impl SliceMutArg<'a, K>,
    y_values: impl SliceMutArg<'a, V>,
) -> Call<'a, Sort<'a, K, V>> {
    let values = Some((Input::new(x_values), Output::new(y_values)));
    Call::new(
        device,
        Sort { x: Input::new(x), y: Output::new(y), values, is_descending: false, in_place: false },
    )
}

/// Sorts the keys of `y` in ascending order, and `values` with them.
///
/// # Errors
/// Those of [`sort_pairs`].
pub fn sort_pairs_in_place<'a, K: Key, V: Value>(
    device: &Device,
    y: impl SliceMutArg<'a, K>,
    values: impl SliceMutArg<'a, V>,
) -> Call<'a, Sort<'a, K, V>> {
    let (y, values) = (Output::new(y), Output::new(values));
    let (x, values) = (y.read(), Some((values.read(), values)));
    Call::new(device, Sort { x, y, values, is_descending: false, in_place: true })
}

/// A sort with its arguments.
pub struct Sort<'a, K, V = u32> {
    x: Input<'a, K>,
    y: Output<'a, K>,
    values: Option<(Input<'a, V>, Output<'a, V>)>,
    is_descending: bool,
    in_place: bool,
}

impl<'a, K: Key, V: Value> Call<'a, Sort<'a, K, V>> {
    /// Sorts in descending order. Values of equal keys stay in their order.
    pub fn descending(self) -> Self {
        self.map(|sort| Sort { is_descending: true, ..sort })
    }
}

/// Refuses keys and values of other lengths than `x`, and outputs that share memory with what is read, unless the sort is in place, or
/// with each other.
pub(super) fn check_pairs<K, V>(
    x: &Input<'_, K>,
    y: &Output<'_, K>,
    values: Option<&(Input<'_, V>, Output<'_, V>)>,
    in_place: bool,
) -> Result<(), KernelError> {
    let fits = |what, len| length(what, len, x.len(), "as many as `x`");
    fits("y", y.len())?;
    if !in_place {
        y.apart_from("y", x, "x")?;
    }
    let Some((x_values, y_values)) = values else { return Ok(()) };
    fits("x_values", x_values.len())?;
    fits("y_values", y_values.len())?;
    if !in_place {
        y_values.apart_from("y_values", x_values, "x_values")?;
        y.apart_from("y", x_values, "x_values")?;
        y_values.apart_from("y_values", x, "x")?;
    }
    y.apart_from("y", &y_values.read(), "y_values")
}

impl<K: Key, V: Value> Sort<'_, K, V> {
    fn check(&self) -> Result<(), KernelError> {
        check_pairs(&self.x, &self.y, self.values.as_ref(), self.in_place)
    }

    /// Bytes of a value; zero of keys alone.
    fn value_bytes(&self) -> usize {
        if self.values.is_some() { size_of::<V>() } else { 0 }
    }

    /// Keys of a tile.
    fn tile(&self) -> usize {
        let Block { threads, items, .. } = self.block();
        threads * items
    }

    fn block(&self) -> Block {
        block(size_of::<K>(), self.value_bytes())
    }

    fn tiles(&self) -> usize {
        self.x.len().div_ceil(self.tile())
    }
}

/// A block of a pass: threads, keys of a thread, and blocks that share a multiprocessor.
struct Block {
    threads: usize,
    items: usize,
    resident: usize,
}

/// The fastest block on an H200 for keys and values of these sizes in bytes.
///
/// A larger tile has longer runs of equal digits. Too large a tile takes registers or shared memory from other blocks.
const fn block(key: usize, value: usize) -> Block {
    let (threads, items, resident) = match (key, value) {
        (4, 0) => (384, 23, 3),
        (4, 4) => (384, 20, 2),
        (4, _) => (384, 14, 2),
        (_, 0) => (256, 16, 4),
        _ => (384, 12, 2),
    };
    Block { threads, items, resident }
}

impl<'a, K: Key, V: Value> Family<'a> for Sort<'a, K, V> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let has_values = self.values.is_some();
        let (keys, values) = (short_name::<K>(), short_name::<V>());
        let types = if has_values { format!("{keys}, {values}") } else { keys };
        if self.x.is_empty() {
            return Ok(Plan::nothing(types, "there are no keys"));
        }
        let (tile, value) = (self.tile(), self.value_bytes());
        let tables = Tables::new(K::DIGITS, self.tiles(), tile);
        let threads = self.block().threads;
        let words = threads / 32 * RADIX + RADIX / 32 + 1;
        Ok(Plan {
            kernel: "radix_pass",
            types,
            tile,
            grid: tables.grid as u32,
            block: threads as u32,
            shared: tile * (size_of::<K>() + value) + words * size_of::<u32>() + RADIX * size_of::<u64>(),
            workspace: self.x.len() * (size_of::<K>() + value) + tables.bytes(),
            why: format!(
                "{} passes, one for each {DIGIT_BITS} bits of a key, after one that counts",
                K::DIGITS
            ),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        macro_rules! launches {
            ($key:literal, $value:literal, $per_pack:literal) => {{
                const BLOCK: Block = block($key, $value);
                launches::<K, V, $per_pack, $key, { BLOCK.threads }, { BLOCK.items }, { BLOCK.resident }>(
                    self, target,
                )?
            }};
        }
        // The conditions are constants: rustc compiles the kernels of one branch only.
        let step = match self.value_bytes() {
            0 if const { size_of::<K>() == 4 } => launches!(4, 0, 4),
            4 if const { size_of::<K>() == 4 } => launches!(4, 4, 4),
            _ if const { size_of::<K>() == 4 } => launches!(4, 8, 4),
            0 => launches!(8, 0, 2),
            _ => launches!(8, 8, 2),
        };
        Ok(vec![step])
    }
}

/// How long the tables of a sort are: counts and starts of digits, and words of tiles.
struct Tables {
    places: usize,
    tiles: usize,
    /// Tiles of a launch.
    grid: usize,
}

impl Tables {
    fn new(places: usize, tiles: usize, tile: usize) -> Self {
        Self { places, tiles, grid: tiles.min(MOST_KEYS / tile) }
    }

    /// Launches of a pass.
    fn launches(&self) -> usize {
        self.tiles.div_ceil(self.grid)
    }

    /// Starts of a place: one for each digit and launch, and those behind the last.
    fn starts(&self) -> usize {
        (self.launches() + 1) * RADIX
    }

    fn bytes(&self) -> usize {
        let starts = self.places * (RADIX + self.starts()) * size_of::<u64>();
        starts + (self.tiles * RADIX + 1) * size_of::<u32>()
    }

    /// The launch of a number for a place.
    fn pass(&self, place: usize, number: usize) -> Pass {
        let first_tile = number * self.grid;
        Pass {
            shift: place as u32 * DIGIT_BITS,
            through: 1 - place as u32 % 2,
            tiles: (self.tiles - first_tile).min(self.grid) as u32,
            first_tile,
            first_start: place * self.starts() + number * RADIX,
        }
    }
}

/// The launches of a sort: they count the digits, and then sort by one after the other.
///
/// Keys go from `x` to memory of the call, from there to `y`, and back, so `x` and `y` may be the same.
fn launches<
    'a,
    K: Key,
    V: Value,
    const N: usize,
    const PLACES: usize,
    const THREADS: usize,
    const ITEMS: usize,
    const BLOCKS: usize,
>(
    call: Sort<'a, K, V>,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let tables = Tables::new(PLACES, call.tiles(), call.tile());
    let Sort { x, mut y, values, is_descending, .. } = call;
    let has_values = values.is_some();
    let (x_values, mut y_values) =
        values.unwrap_or_else(|| (x.nothing().values(), y.nothing().into_values()));
    let device = &target.device;
    let mut spare: Buffer<K> = device.alloc_zeroed(x.len())?;
    let mut spare_values: Buffer<V> = device.alloc_zeroed(x_values.len())?;
    let mut counts: Buffer<u64> = device.alloc_zeroed(PLACES * RADIX)?;
    let mut starts: Buffer<u64> = device.alloc_zeroed(PLACES * tables.starts())?;
    let mut words: Buffer<u32> = device.alloc_zeroed(tables.tiles * RADIX)?;
    let mut next_tile: Buffer<u32> = device.alloc_zeroed(1)?;
    let Packs { head, packs } = x.packs::<N>();
    let counting = (device.limits().multiprocessors.max(1) as usize * COUNTING)
        .min(x.len().div_ceil(COUNT_THREADS as usize * N)) as u32;
    // A thread that has no values has registers for more.
    let is_narrow = has_values && u32::try_from(x.len()).is_ok();
    macro_rules! count {
        () => {
            digit_counts::<K, N, PLACES>(&x, &packs, head, &mut counts, is_descending)
        };
    }
    macro_rules! start {
        () => {
            digit_starts(&mut counts, &mut starts, tables.starts())
        };
    }
    macro_rules! pass {
        ($at:expr, $keys:expr, $values:expr, $to:expr, $values_to:expr, $is_stable:expr) => {
            radix_pass::<K, V, THREADS, ITEMS, BLOCKS>(
                $keys,
                $values,
                $to,
                $values_to,
                &mut starts,
                &mut words,
                &mut next_tile,
                $at,
                has_values,
                is_descending,
                $is_stable,
                is_narrow,
            )
        };
    }
    let count = target.prepare(count!().grid(counting).block(COUNT_THREADS))?;
    let start = target.prepare(start!().grid(PLACES as u32).block(START_THREADS))?;
    // The first pass finds keys of equal digits in any order, unless they have values.
    let first = pass!(tables.pass(0, 0), &x, &x_values, &mut spare, &mut spare_values, has_values);
    let first = target.prepare(first.grid(tables.grid as u32).block(THREADS as u32))?;
    let next = pass!(tables.pass(0, 0), &x, &x_values, &mut spare, &mut spare_values, true);
    let next = target.prepare(next.grid(tables.grid as u32).block(THREADS as u32))?;
    Ok(Step::new(move || {
        count.launch(count!())?;
        start.launch(start!())?;
        for place in 0..PLACES {
            for number in 0..tables.launches() {
                let at = tables.pass(place, number);
                match place {
                    0 => first.launch(pass!(at, &x, &x_values, &mut spare, &mut spare_values, has_values))?,
                    _ if place % 2 == 1 => {
                        next.launch(pass!(at, &spare, &spare_values, &mut y, &mut y_values, true))?;
                    }
                    _ => {
                        let (from, values) = (y.read(), y_values.read());
                        next.launch(pass!(at, &from, &values, &mut spare, &mut spare_values, true))?;
                    }
                }
            }
        }
        Ok(())
    }))
}
