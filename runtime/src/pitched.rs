//! Matrices in device memory whose rows begin at aligned addresses.

use std::marker::PhantomData;
use std::ops::RangeBounds;

use crate::buffer::Memory;
use crate::device::{Backend, Device};
use crate::driver::DriverError;
use crate::error::Result;
use crate::region::{Part3, PartMut3, Region};
use crate::types::{AnyBits, GpuType, View2, ViewMut2};

/// What rows are aligned to where the driver does not choose, in bytes.
const ALIGN: usize = 512;

/// `rows` × `cols` elements, row after row; each row is padded to the pitch.
///
/// ```
/// use warpsmith::prelude::*;
///
/// # fn main() -> warpsmith::Result<()> {
/// let mut m = Device::simulator().alloc_pitched::<f32>(2, 3)?;
/// m.write(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!(m.pitch() % 512, 0);
/// assert_eq!(m.to_vec()?[4], 5.0);
/// # Ok(()) }
/// ```
///
/// Source: CUDA Driver API, `cuMemAllocPitch`.
#[derive(Debug)]
pub struct Pitched2<T> {
    memory: Memory,
    rows: usize,
    cols: usize,
    /// Bytes from one row to the next.
    pitch: usize,
    _elements: PhantomData<T>,
}

impl Device {
    /// A matrix of `rows` × `cols` elements, every byte zero, with rows at aligned addresses.
    ///
    /// # Errors
    /// Out of memory, [`DriverError::Pitch`] for rows that no copy can take, or an error of the driver.
    ///
    /// Source: CUDA Driver API, `cuMemAllocPitch`.
    pub fn alloc_pitched<T: AnyBits>(&self, rows: usize, cols: usize) -> Result<Pitched2<T>> {
        let (memory, pitch) = pitched_memory::<T>(self, rows, cols)?;
        Ok(Pitched2 { memory, rows, cols, pitch, _elements: PhantomData })
    }
}

/// Zeroed memory of so many rows, and the bytes from one row to the next: whole elements.
pub(crate) fn pitched_memory<T>(device: &Device, rows: usize, cols: usize) -> Result<(Memory, usize)> {
    let size = size_of::<T>();
    let too_large = || DriverError::TooLarge { elements: rows.saturating_mul(cols) };
    let row = cols.checked_mul(size).ok_or_else(too_large)?;
    let own = row.checked_next_multiple_of(common_multiple(ALIGN, size)).ok_or_else(too_large)?;
    let bytes = own.checked_mul(rows).ok_or_else(too_large)?;
    let limit = device.limits().pitch;
    if own > limit {
        return Err(DriverError::Pitch { bytes: own, limit }.into());
    }
    Ok(match device.backend() {
        Backend::Gpu(gpu) if ALIGN.is_multiple_of(size.max(1)) && bytes > 0 => {
            let (memory, pitch) = gpu.alloc_pitched(rows, row, size)?;
            (Memory::Gpu(memory), pitch)
        }
        Backend::Gpu(gpu) => (Memory::Gpu(gpu.alloc_zeroed(bytes)?), own),
        Backend::Simulator => (Memory::simulator(bytes), own),
    })
}

/// The least number that both divide.
fn common_multiple(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b.max(1));
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b.max(1)
}

impl<T: GpuType> Pitched2<T> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Bytes from one row to the next.
    pub fn pitch(&self) -> usize {
        self.pitch
    }

    fn stride(&self) -> usize {
        self.pitch / size_of::<T>().max(1)
    }

    /// The matrix as a kernel's argument, to be read.
    pub fn view2(&self) -> View2<'_, T> {
        let address = self.memory.escaping() as *const T;
        // SAFETY: the matrix' own memory, borrowed for as long as the view.
        unsafe { View2::from_raw_parts(address, self.rows, self.cols, self.stride()) }
    }

    /// The matrix as a kernel's argument, to be written.
    pub fn view2_mut(&mut self) -> ViewMut2<'_, T> {
        let address = self.memory.escaping() as *mut T;
        // SAFETY: as in `view2`, borrowed mutably.
        unsafe { ViewMut2::from_raw_parts(address, self.rows, self.cols, self.stride()) }
    }

    /// Some rows and columns, to be read: one plane of a box.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond the matrix.
    pub fn part(&self, rows: impl RangeBounds<usize>, cols: impl RangeBounds<usize>) -> Result<Part3<'_, T>> {
        Part3::new(self.region()).part(.., rows, cols)
    }

    /// Some rows and columns, to be written.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond the matrix.
    pub fn part_mut(
        &mut self,
        rows: impl RangeBounds<usize>,
        cols: impl RangeBounds<usize>,
    ) -> Result<PartMut3<'_, T>> {
        PartMut3::new(self.region()).part_mut(.., rows, cols)
    }

    /// Copies a dense matrix, row after row, from the host.
    ///
    /// # Errors
    /// Another number of elements, or an error of the driver.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3D`.
    pub fn write(&mut self, dense: &[T]) -> Result<()> {
        PartMut3::new(self.region()).write(dense)
    }

    /// Copies the matrix to the host, dense, row after row; waits for everything that writes it.
    ///
    /// # Errors
    /// A fault of a kernel launched before, or an error of the driver.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3D`.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        Part3::new(self.region()).to_vec()
    }

    fn region(&self) -> Region<'_, T> {
        Region::of(&self.memory, [1, self.rows, self.cols], self.pitch)
    }
}

impl<'a, T: GpuType> From<&'a Pitched2<T>> for Part3<'a, T> {
    fn from(matrix: &'a Pitched2<T>) -> Self {
        Part3::new(matrix.region())
    }
}

impl<'a, T: GpuType> From<&'a mut Pitched2<T>> for PartMut3<'a, T> {
    fn from(matrix: &'a mut Pitched2<T>) -> Self {
        PartMut3::new(matrix.region())
    }
}
