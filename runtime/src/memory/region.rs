//! Boxes of elements in matrices and volumes: the two sides of a copy between them, or with the host.

use std::marker::PhantomData;
use std::ops::RangeBounds;

use crate::argument::MemoryPlace;
use crate::driver::{DriverError, GpuBox, GpuStream};
use crate::error::Result;
use crate::memory::part::within;
use crate::memory::start::Start;
use crate::simulator::global;
use crate::types::GpuType;

/// The position of a box.
#[derive(Debug)]
pub(crate) struct Region<'a, T> {
    start: Start<'a, T>,
    /// Planes, rows, columns.
    extents: [usize; 3],
    /// Bytes from one row to the next.
    pitch: usize,
    /// Rows from one plane to the next.
    height: usize,
}

impl<T> Clone for Region<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Region<'_, T> {}

/// A box of elements, for reading: `volume.part(1.., ..4, 2..5)?`.
///
/// A side of [`Stream::copy_box`](crate::Stream::copy_box).
#[derive(Debug)]
pub struct Part3<'a, T> {
    region: Region<'a, T>,
}

/// A box of elements, for writing: `volume.part_mut(1.., ..4, 2..5)?`.
#[derive(Debug)]
pub struct PartMut3<'a, T> {
    region: Region<'a, T>,
    _mutable: PhantomData<&'a mut T>,
}

impl<T> Clone for Part3<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Part3<'_, T> {}

impl<'a, T: GpuType> Region<'a, T> {
    /// A box whose planes follow each other.
    pub(crate) fn new(start: Start<'a, T>, extents: [usize; 3], pitch: usize) -> Self {
        Self { start, extents, pitch, height: extents[1] }
    }

    fn part(
        self,
        planes: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        cols: impl RangeBounds<usize>,
    ) -> Result<Self> {
        let [all_planes, all_rows, all_cols] = self.extents;
        let (planes, rows) = (within(planes, all_planes)?, within(rows, all_rows)?);
        let cols = within(cols, all_cols)?;
        let first = self.offset(planes.start, rows.start) + cols.start * size_of::<T>();
        let extents = [planes.len(), rows.len(), cols.len()];
        Ok(Self { start: self.start.plus(first), extents, ..self })
    }

    /// Bytes from the first element to the first of a row.
    fn offset(&self, plane: usize, row: usize) -> usize {
        (plane * self.height + row) * self.pitch
    }

    fn row_bytes(&self) -> usize {
        self.extents[2] * size_of::<T>()
    }

    fn len(&self) -> usize {
        self.extents.iter().product()
    }

    fn placed(&self) -> (Start<'a, T>, [usize; 3], [usize; 3]) {
        (self.start, self.extents, [self.offset(1, 0), self.pitch, size_of::<T>()])
    }

    /// The same for dense memory of the host with the same rows.
    fn dense(&self, host: *const T) -> Self {
        Self::new(Start::here_at(host), self.extents, self.row_bytes())
    }

    /// The box as the driver's copies take it; `None` on the simulator.
    fn on_gpu(&self) -> Option<GpuBox<'a>> {
        let (memory, start) = self.start.in_gpu()?;
        let [planes, rows, _] = self.extents;
        let last = self.offset(planes.saturating_sub(1), rows.saturating_sub(1)) + self.row_bytes();
        let bytes = if self.len() == 0 { start..start } else { start..start + last };
        Some(GpuBox { memory, bytes, pitch: self.pitch, height: self.height })
    }

    /// Planes, rows, and bytes of a row.
    fn shape(&self) -> [usize; 3] {
        [self.extents[0], self.extents[1], self.row_bytes()]
    }

    /// Copies row by row, on the host.
    ///
    /// # Safety
    /// Both are the host's memory, of equal extents; nothing else uses `to`.
    unsafe fn copy_here(&self, to: &Self) {
        for plane in 0..self.extents[0] {
            for row in 0..self.extents[1] {
                let from = self.start.address as usize + self.offset(plane, row);
                let to = to.start.address as usize + to.offset(plane, row);
                // SAFETY: as promised, both sides have that row.
                unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, self.row_bytes()) };
                global::copied(from, to, self.row_bytes());
            }
        }
    }
}

impl<'a, T: GpuType> Part3<'a, T> {
    /// Its beginning, its planes, rows and columns, and the bytes between each of them.
    pub(crate) fn placed(&self) -> (Start<'a, T>, [usize; 3], [usize; 3]) {
        self.region.placed()
    }

    pub(crate) fn new(region: Region<'a, T>) -> Self {
        Self { region }
    }

    /// Planes, rows and columns.
    pub fn extents(&self) -> [usize; 3] {
        self.region.extents
    }

    /// A box within this box.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond its extents.
    pub fn part(
        self,
        planes: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        cols: impl RangeBounds<usize>,
    ) -> Result<Part3<'a, T>> {
        Ok(Self::new(self.region.part(planes, rows, cols)?))
    }

    /// Copies the box to the host, dense, plane after plane, row after row; waits for everything
    /// that writes it.
    ///
    /// # Errors
    /// A fault of a kernel launched before, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3D`.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut dense: Vec<T> = Vec::with_capacity(self.region.len());
        match self.region.on_gpu() {
            Some(from) => {
                // SAFETY: the vector has room for these rows.
                unsafe { from.read(dense.as_mut_ptr().cast(), self.region.shape()) }?;
                from.memory.take_fault()?;
            }
            // SAFETY: the simulator's memory is the host's, and the vector has room for the rows.
            None => unsafe { self.region.copy_here(&self.region.dense(dense.as_mut_ptr())) },
        }
        // SAFETY: every element was written, with bytes that the device wrote as `T`.
        unsafe { dense.set_len(self.region.len()) };
        Ok(dense)
    }
}

impl<'a, T: GpuType> PartMut3<'a, T> {
    /// Its beginning, its planes, rows and columns, and the bytes between each of them.
    pub(crate) fn placed(&self) -> (Start<'a, T>, [usize; 3], [usize; 3]) {
        self.region.placed()
    }

    pub(crate) fn new(region: Region<'a, T>) -> Self {
        Self { region, _mutable: PhantomData }
    }

    /// Planes, rows and columns.
    pub fn extents(&self) -> [usize; 3] {
        self.region.extents
    }

    /// A box within this box.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond its extents.
    pub fn part_mut(
        self,
        planes: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        cols: impl RangeBounds<usize>,
    ) -> Result<PartMut3<'a, T>> {
        Ok(Self::new(self.region.part(planes, rows, cols)?))
    }

    /// Copies dense elements, plane after plane, row after row, from the host to the box.
    ///
    /// # Errors
    /// A different number of elements, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3D`.
    pub fn write(self, dense: &[T]) -> Result<()> {
        let (buffer, host) = (self.region.len(), dense.len());
        if buffer != host {
            return Err(DriverError::Length { buffer, host }.into());
        }
        match self.region.on_gpu() {
            // SAFETY: the slice has these rows.
            Some(to) => unsafe { to.write(dense.as_ptr().cast(), self.region.shape())? },
            // SAFETY: the simulator's memory is the host's, and the box is borrowed mutably.
            None => unsafe { self.region.dense(dense.as_ptr()).copy_here(&self.region) },
        }
        Ok(())
    }

    fn check(&self, from: &Part3<'_, T>) -> Result<()> {
        let (from, to) = (from.extents(), self.extents());
        if from == to { Ok(()) } else { Err(DriverError::Extents { from, to }.into()) }
    }

    pub(crate) fn copy_on(self, stream: &GpuStream, from: &Part3<'_, T>) -> Result<()> {
        self.check(from)?;
        let device = MemoryPlace::Gpu(stream.gpu.ordinal());
        let (Some(source), Some(target)) = (from.region.on_gpu(), self.region.on_gpu()) else {
            return Err(DriverError::WrongDevice { memory: MemoryPlace::Simulator, device }.into());
        };
        Ok(stream.gpu.copy_box(&stream.stream, source, target, self.region.shape())?)
    }

    pub(crate) fn copy_here(self, from: &Part3<'_, T>) -> Result<()> {
        self.check(from)?;
        from.region.start.here()?;
        self.region.start.here()?;
        // SAFETY: both are the simulator's memory, one of them borrowed mutably.
        unsafe { from.region.copy_here(&self.region) };
        Ok(())
    }
}
