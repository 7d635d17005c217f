//! Volumes in device memory whose rows begin at aligned addresses.

use std::ops::RangeBounds;

#[cfg(doc)]
use crate::driver::DriverError;
use crate::error::Result;
use crate::host::device::Device;
use crate::memory::pitched_rows::PitchedRows;
use crate::memory::region::{Part3, PartMut3};
use crate::types::{AnyBits, GpuType, View3, ViewMut3};

/// `planes` × `rows` × `cols` elements, plane after plane, row after row; each row is padded to the pitch.
///
/// ```
/// use warpsmith::prelude::*;
///
/// #[gpu_kernel]
/// fn add_plane(mut v: ViewMut3<'_, f32>, plane: u32, value: f32) {
///     let (row, col) = (block_idx().x as usize, thread_idx().x as usize);
///     if row < v.rows() && col < v.cols() {
///         v[(plane as usize, row, col)] += value;
///     }
/// }
///
/// # fn main() -> warpsmith::Result<()> {
/// let device = Device::simulator();
/// let mut v = device.alloc_pitched_3d::<f32>(2, 3, 5)?;
/// v.part_mut(1.., 0..2, ..)?.write(&[1.0; 10])?;
/// add_plane(v.view3_mut(), 1, 0.5).grid(3).block(32).launch(&device)?;
/// assert_eq!(v.part(.., 1..3, 4..)?.to_vec()?, [0.0, 0.0, 1.5, 0.5]);
/// # Ok(()) }
/// ```
///
/// Source: CUDA Driver API, `cuMemAllocPitch`; CUDA Runtime API, `cudaMalloc3D`.
#[derive(Debug)]
pub struct Pitched3<T> {
    rows: PitchedRows<T>,
}

impl Device {
    /// A volume of `planes` × `rows` × `cols` elements, every byte zero, with rows at aligned addresses.
    ///
    /// # Errors
    /// Out of memory, [`DriverError::Pitch`] for rows that no copy can take, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemAllocPitch`.
    pub fn alloc_pitched_3d<T: AnyBits>(
        &self,
        planes: usize,
        rows: usize,
        cols: usize,
    ) -> Result<Pitched3<T>> {
        Ok(Pitched3 { rows: PitchedRows::zeroed(self, [planes, rows, cols])? })
    }

    /// Like [`Device::alloc_pitched_3d`], but the contents of the elements are unspecified, as with
    /// [`Device::alloc_uninit`].
    ///
    /// # Errors
    /// The errors of [`Device::alloc_pitched_3d`].
    ///
    /// Source: CUDA Driver API, `cuMemAllocPitch`.
    pub fn alloc_pitched_3d_uninit<T: AnyBits>(
        &self,
        planes: usize,
        rows: usize,
        cols: usize,
    ) -> Result<Pitched3<T>> {
        const { T::FILLED };
        Ok(Pitched3 { rows: PitchedRows::unwritten(self, [planes, rows, cols])? })
    }
}

impl<T: GpuType> Pitched3<T> {
    /// Number of planes.
    pub fn planes(&self) -> usize {
        self.rows.extents[0]
    }

    /// Number of rows of a plane.
    pub fn rows(&self) -> usize {
        self.rows.extents[1]
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.rows.extents[2]
    }

    /// Bytes from one row to the next. A plane takes this many bytes for each of its rows.
    pub fn pitch(&self) -> usize {
        self.rows.pitch
    }

    /// The volume as a kernel's argument, for reading.
    pub fn view3(&self) -> View3<'_, T> {
        let ([planes, rows, cols], stride) = (self.rows.extents, self.rows.stride());
        let address = self.rows.memory.escaping() as *const T;
        // SAFETY: the volume's own memory, borrowed for as long as the view.
        unsafe { View3::from_raw_parts(address, planes, rows, cols, stride * rows, stride) }
    }

    /// The volume as a kernel's argument, for writing.
    pub fn view3_mut(&mut self) -> ViewMut3<'_, T> {
        let ([planes, rows, cols], stride) = (self.rows.extents, self.rows.stride());
        let address = self.rows.memory.escaping() as *mut T;
        // SAFETY: as in `view3`, borrowed mutably.
        unsafe { ViewMut3::from_raw_parts(address, planes, rows, cols, stride * rows, stride) }
    }

    /// A box of the volume, for reading: some planes, rows and columns.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond the volume.
    pub fn part(
        &self,
        planes: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        cols: impl RangeBounds<usize>,
    ) -> Result<Part3<'_, T>> {
        Part3::from(self).part(planes, rows, cols)
    }

    /// A box of the volume, for writing.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond the volume.
    pub fn part_mut(
        &mut self,
        planes: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        cols: impl RangeBounds<usize>,
    ) -> Result<PartMut3<'_, T>> {
        PartMut3::from(self).part_mut(planes, rows, cols)
    }

    /// Copies a dense volume, plane after plane, row after row, from the host.
    ///
    /// # Errors
    /// A different number of elements, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3D`.
    pub fn write(&mut self, dense: &[T]) -> Result<()> {
        PartMut3::from(self).write(dense)
    }

    /// Copies the volume to the host, dense; waits for everything that writes it.
    ///
    /// # Errors
    /// A fault of a kernel launched before, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3D`.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        Part3::from(self).to_vec()
    }
}

impl<'a, T: GpuType> From<&'a Pitched3<T>> for Part3<'a, T> {
    fn from(volume: &'a Pitched3<T>) -> Self {
        Part3::new(volume.rows.region())
    }
}

impl<'a, T: GpuType> From<&'a mut Pitched3<T>> for PartMut3<'a, T> {
    fn from(volume: &'a mut Pitched3<T>) -> Self {
        PartMut3::new(volume.rows.region())
    }
}
