//! Parts of device memory: arguments of launches and sides of copies.

use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds};

use crate::argument::{KernelArg, MemoryPlace};
use crate::driver::{DriverError, GpuPart, GpuStream};
use crate::error::Result;
use crate::memory::args::{SliceArg, SliceMutArg};
use crate::memory::buffer::{Buffer, Memory};
use crate::memory::region::{Part3, PartMut3, Region};
use crate::memory::start::Start;
use crate::simulator::global;
use crate::types::GpuType;

/// The memory that a part belongs to.
#[derive(Debug)]
struct Span<'a, T> {
    start: Start<'a, T>,
    len: usize,
}

impl<T> Clone for Span<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Span<'_, T> {}

/// Some elements of a buffer, for reading: `buffer.slice(2..10)?`. An argument for `&[T]`.
#[derive(Debug)]
pub struct Part<'a, T> {
    extent: Span<'a, T>,
}

/// Some elements of a buffer, for writing: `buffer.slice_mut(2..10)?`. An argument for `&mut [T]`.
///
/// Launches that use disjoint parts of one buffer on different streams run at the same time.
#[derive(Debug)]
pub struct PartMut<'a, T> {
    extent: Span<'a, T>,
    _mutable: PhantomData<&'a mut T>,
}

impl<T> Clone for Part<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Part<'_, T> {}

impl<'a, T: GpuType> Span<'a, T> {
    fn new(memory: &'a Memory, len: usize) -> Self {
        Self { start: Start::of(memory), len }
    }

    fn sub(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let Range { start, end } = within(range, self.len)?;
        Ok(Self { start: self.start.plus(start * size_of::<T>()), len: end - start })
    }

    fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    fn volume(self, extents: [usize; 3]) -> Result<Region<'a, T>> {
        let end = extents.iter().try_fold(1usize, |all, extent| all.checked_mul(*extent));
        within(..end.unwrap_or(usize::MAX), self.len)?;
        Ok(Region::new(self.start, extents, extents[2] * size_of::<T>()))
    }

    /// There is one element, for a static.
    fn one(&self) -> Result<()> {
        if self.len == 1 { Ok(()) } else { Err(DriverError::Length { buffer: 1, host: self.len }.into()) }
    }

    fn arg(self, mutable: bool) -> KernelArg {
        let (start, len, bytes) = (self.start, self.len as u64, self.bytes() as u64);
        KernelArg::Slice {
            ptr: start.address,
            len,
            bytes,
            place: start.place(),
            mutable,
            order: start.order(),
        }
    }

    /// The GPU's memory, and which of its bytes these are.
    fn on_gpu(&self, device: MemoryPlace) -> Result<GpuPart<'a>> {
        let Some((memory, start)) = self.start.in_gpu() else {
            return Err(DriverError::WrongDevice { memory: MemoryPlace::Simulator, device }.into());
        };
        Ok(GpuPart { memory, bytes: start..start + self.bytes() })
    }
}

impl<'a, T: GpuType> Part<'a, T> {
    pub(crate) fn new(memory: &'a Memory, len: usize) -> Self {
        Self { extent: Span::new(memory, len) }
    }

    /// The elements from an index on.
    pub(crate) fn from_start(start: Start<'a, T>, len: usize) -> Self {
        Self { extent: Span { start, len } }
    }

    /// Copies the elements to the host; waits for everything that writes them.
    ///
    /// # Errors
    /// A fault of a kernel launched before, or a driver error.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut elements: Vec<T> = Vec::new();
        let room = elements.try_reserve_exact(self.len());
        room.map_err(|_| DriverError::TooLarge { elements: self.len() })?;
        let (target, bytes) = (elements.as_mut_ptr().cast::<u8>(), self.extent.bytes());
        match self.extent.start.in_gpu() {
            Some((memory, at)) => {
                // SAFETY: the vector's capacity is that many bytes; any bytes may be written to it.
                let host = unsafe { std::slice::from_raw_parts_mut(target, bytes) };
                memory.read(at..at + bytes, host)?;
                memory.take_fault()?;
            }
            // SAFETY: the simulator's memory is the host's, and both sides hold that many bytes.
            None => unsafe {
                std::ptr::copy_nonoverlapping(self.extent.start.here()?.cast_const().cast(), target, bytes);
            },
        }
        // SAFETY: every element was written, with bytes that the device wrote as `T`.
        unsafe { elements.set_len(self.len()) };
        Ok(elements)
    }

    /// The place of its first element.
    pub(crate) fn start(&self) -> Start<'a, T> {
        self.extent.start
    }

    /// Its only element, on a GPU.
    pub(crate) fn one_on_gpu(&self, device: MemoryPlace) -> Result<GpuPart<'a>> {
        self.extent.one()?;
        self.extent.on_gpu(device)
    }

    /// The value of its only element, on the simulator.
    pub(crate) fn one_here(&self) -> Result<T> {
        self.extent.one()?;
        // SAFETY: an initialised element of the simulator's memory, borrowed.
        Ok(unsafe { *self.extent.start.here()? })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.extent.len
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.extent.len == 0
    }

    /// A part of this part.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond its end.
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<Part<'a, T>> {
        Ok(Part { extent: self.extent.sub(range)? })
    }

    /// Its first elements as a dense volume, plane after plane, row after row: a side of
    /// [`Stream::copy_box`](crate::Stream::copy_box).
    ///
    /// # Errors
    /// [`DriverError::Range`] for more elements than there are.
    pub fn volume(self, planes: usize, rows: usize, cols: usize) -> Result<Part3<'a, T>> {
        Ok(Part3::new(self.extent.volume([planes, rows, cols])?))
    }
}

impl<'a, T: GpuType> PartMut<'a, T> {
    /// The place of its first element.
    pub(crate) fn start(&self) -> Start<'a, T> {
        self.extent.start
    }

    pub(crate) fn new(memory: &'a mut Memory, len: usize) -> Self {
        Self { extent: Span::new(memory, len), _mutable: PhantomData }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.extent.len
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.extent.len == 0
    }

    /// The elements before `mid`, and the rest.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond its end.
    pub fn split_at_mut(self, mid: usize) -> Result<(PartMut<'a, T>, PartMut<'a, T>)> {
        let (left, right) = (self.extent.sub(..mid)?, self.extent.sub(mid..)?);
        Ok((
            PartMut { extent: left, _mutable: PhantomData },
            PartMut { extent: right, _mutable: PhantomData },
        ))
    }

    /// A part of this part.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond its end.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<PartMut<'_, T>> {
        Ok(PartMut { extent: self.extent.sub(range)?, _mutable: PhantomData })
    }

    /// Its first elements as a dense volume, for writing.
    ///
    /// # Errors
    /// [`DriverError::Range`] for more elements than there are.
    pub fn volume(self, planes: usize, rows: usize, cols: usize) -> Result<PartMut3<'a, T>> {
        Ok(PartMut3::new(self.extent.volume([planes, rows, cols])?))
    }

    /// The same elements, for writing: the caller has borrowed them mutably.
    pub(crate) fn from_part(part: Part<'a, T>) -> Self {
        Self { extent: part.extent, _mutable: PhantomData }
    }

    /// Copies elements from the host to these; waits for everything that uses them.
    ///
    /// # Errors
    /// [`DriverError::Length`] for a different number of elements, or a driver error.
    pub fn write(self, elements: &[T]) -> Result<()> {
        let (buffer, host) = (self.len(), elements.len());
        if buffer != host {
            return Err(DriverError::Length { buffer, host }.into());
        }
        let (source, bytes) = (elements.as_ptr().cast::<u8>(), self.extent.bytes());
        match self.extent.start.in_gpu() {
            Some((memory, at)) => {
                // SAFETY: plain data may be read as bytes; padding is copied and never interpreted.
                let host = unsafe { std::slice::from_raw_parts(source, bytes) };
                memory.write(at..at + bytes, host)?;
            }
            None => {
                let target = self.extent.start.here()?.cast::<u8>();
                // SAFETY: the simulator's memory is the host's, borrowed mutably, and both sides hold that many bytes.
                unsafe { std::ptr::copy_nonoverlapping(source, target, bytes) };
                global::written(target as usize, bytes);
            }
        }
        Ok(())
    }

    /// Its only element, on a GPU.
    pub(crate) fn one_on_gpu(&self, device: MemoryPlace) -> Result<GpuPart<'a>> {
        self.extent.one()?;
        self.extent.on_gpu(device)
    }

    /// Sets its only element, on the simulator.
    pub(crate) fn set_here(self, value: T) -> Result<()> {
        self.extent.one()?;
        let place = self.extent.start.here()?;
        // SAFETY: an element of the simulator's memory, borrowed mutably.
        unsafe { place.write(value) };
        global::written(place as usize, size_of::<T>());
        Ok(())
    }

    pub(crate) fn copy_on(self, stream: &GpuStream, from: &Part<'_, T>) -> Result<()> {
        let device = MemoryPlace::Gpu(stream.gpu.ordinal());
        let (from, to) = (from.extent.on_gpu(device)?, self.extent.on_gpu(device)?);
        Ok(stream.gpu.copy(&stream.stream, from, to)?)
    }

    pub(crate) fn copy_here(self, from: &Part<'_, T>) -> Result<()> {
        let (from, to, bytes) = (from.extent.start.here()?, self.extent.start.here()?, self.extent.bytes());
        // SAFETY: both are host memory of equal length, one borrowed mutably.
        unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast::<u8>(), bytes) };
        global::copied(from as usize, to as usize, bytes);
        Ok(())
    }
}

/// The range as first element and end, if it is within `len` elements.
pub(crate) fn within(range: impl RangeBounds<usize>, len: usize) -> Result<Range<usize>> {
    let start = match range.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(start) => start.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(end) => end.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => len,
    };
    if start > end || end > len {
        return Err(DriverError::Range { start, end, len }.into());
    }
    Ok(start..end)
}

impl<T: GpuType> Buffer<T> {
    /// Some of its elements: an argument for `&[T]`, or a side of a copy.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond its end.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Part<'_, T>> {
        Part::from(self).slice(range)
    }

    /// Some of its elements, for writing.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond its end.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<PartMut<'_, T>> {
        let PartMut { extent, .. } = PartMut::from(self);
        Ok(PartMut { extent: extent.sub(range)?, _mutable: PhantomData })
    }

    /// The elements before `mid`, and the rest: two arguments that may be used on two streams at once.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond its end.
    pub fn split_at_mut(&mut self, mid: usize) -> Result<(PartMut<'_, T>, PartMut<'_, T>)> {
        PartMut::from(self).split_at_mut(mid)
    }
}

impl<'a, T: GpuType> From<&'a Buffer<T>> for Part<'a, T> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        Part::new(&buffer.memory, buffer.len())
    }
}

impl<'a, T: GpuType> From<&'a mut Buffer<T>> for PartMut<'a, T> {
    fn from(buffer: &'a mut Buffer<T>) -> Self {
        let len = buffer.len();
        PartMut::new(&mut buffer.memory, len)
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: memory that is borrowed for the lifetime, with its usage.
unsafe impl<'a, T: GpuType> SliceArg<'a, T> for Part<'a, T> {
    fn into_arg(self) -> KernelArg {
        self.extent.arg(false)
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: as above, borrowed mutably.
unsafe impl<'a, T: GpuType> SliceMutArg<'a, T> for PartMut<'a, T> {
    fn into_arg(self) -> KernelArg {
        self.extent.arg(true)
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: as above; the part itself is borrowed, so it is used by one launch at a time.
unsafe impl<'a, T: GpuType> SliceMutArg<'a, T> for &'a mut PartMut<'_, T> {
    fn into_arg(self) -> KernelArg {
        self.extent.arg(true)
    }
}
