//! Matrices in device memory whose rows begin at aligned addresses.

use std::marker::PhantomData;

use crate::buffer::Memory;
use crate::device::{Backend, Device};
use crate::driver::DriverError;
use crate::error::Result;
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
    /// Out of memory, or an error of the driver.
    ///
    /// Source: CUDA Driver API, `cuMemAllocPitch`.
    pub fn alloc_pitched<T: AnyBits>(&self, rows: usize, cols: usize) -> Result<Pitched2<T>> {
        let size = size_of::<T>();
        let too_large = || DriverError::TooLarge { elements: rows.saturating_mul(cols) };
        let row = cols.checked_mul(size).ok_or_else(too_large)?;
        let own = row.checked_next_multiple_of(common_multiple(ALIGN, size)).ok_or_else(too_large)?;
        let bytes = own.checked_mul(rows).ok_or_else(too_large)?;
        let (memory, pitch) = match self.backend() {
            Backend::Gpu(gpu) if ALIGN.is_multiple_of(size.max(1)) && bytes > 0 => {
                let (memory, pitch) = gpu.alloc_pitched(rows, row, size)?;
                (Memory::Gpu(memory), pitch)
            }
            Backend::Gpu(gpu) => (Memory::Gpu(gpu.alloc_zeroed(bytes)?), own),
            Backend::Simulator => (Memory::simulator(bytes), own),
        };
        Ok(Pitched2 { memory, rows, cols, pitch, _elements: PhantomData })
    }
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

    fn row_bytes(&self) -> usize {
        self.cols * size_of::<T>()
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

    /// Copies a dense matrix, row after row, from the host.
    ///
    /// # Errors
    /// Another number of elements, or an error of the driver.
    ///
    /// Source: CUDA Driver API, `cuMemcpy2D`.
    pub fn write(&mut self, dense: &[T]) -> Result<()> {
        self.check_len(dense.len())?;
        let row = self.row_bytes();
        let from = dense.as_ptr().cast::<u8>();
        match &self.memory {
            // SAFETY: the slice has that many rows of that many bytes.
            Memory::Gpu(memory) => unsafe { memory.write_rows(from, self.rows, row, self.pitch)? },
            Memory::Simulator(_) => {
                let to = self.memory.address() as *mut u8;
                for i in 0..self.rows {
                    // SAFETY: both sides have that row; the matrix is borrowed mutably.
                    unsafe { std::ptr::copy_nonoverlapping(from.add(i * row), to.add(i * self.pitch), row) };
                }
            }
        }
        Ok(())
    }

    /// Copies the matrix to the host, dense, row after row; waits for everything that writes it.
    ///
    /// # Errors
    /// A fault of a kernel launched before, or an error of the driver.
    ///
    /// Source: CUDA Driver API, `cuMemcpy2D`.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let (len, row) = (self.rows * self.cols, self.row_bytes());
        let mut dense: Vec<T> = Vec::with_capacity(len);
        let to = dense.as_mut_ptr().cast::<u8>();
        match &self.memory {
            Memory::Gpu(memory) => {
                // SAFETY: the vector has room for that many rows of that many bytes.
                unsafe { memory.read_rows(to, self.rows, row, self.pitch) }?;
                memory.take_fault()?;
            }
            Memory::Simulator(_) => {
                let from = self.memory.address() as *const u8;
                for i in 0..self.rows {
                    // SAFETY: both sides have that row.
                    unsafe { std::ptr::copy_nonoverlapping(from.add(i * self.pitch), to.add(i * row), row) };
                }
            }
        }
        // SAFETY: every element was written, with bytes that the device wrote as `T`.
        unsafe { dense.set_len(len) };
        Ok(dense)
    }

    fn check_len(&self, host: usize) -> Result<()> {
        let buffer = self.rows * self.cols;
        if buffer == host { Ok(()) } else { Err(DriverError::Length { buffer, host }.into()) }
    }
}
