//! Memory that devices allocate, and copies: between host and device, and in the order of streams.

use super::buffer::{Buffer, Memory};
use super::part::{Part, PartMut};
use super::region::{Part3, PartMut3};
use crate::argument::MemoryPlace;
use crate::driver::DriverError;
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::host::stream::Stream;
use crate::simulator::global;
use crate::types::{AnyBits, GpuType};

impl Device {
    /// Copies elements to new device memory.
    ///
    /// # Errors
    /// Out of memory, or a driver error.
    pub fn upload<T: GpuType>(&self, elements: &[T]) -> Result<Buffer<T>> {
        let bytes = size_of_val(elements);
        let memory = match self.backend() {
            Backend::Gpu(gpu) => Memory::Gpu(gpu.alloc(bytes)?),
            Backend::Simulator => Memory::simulator(bytes)?,
        };
        let mut buffer = Buffer::new(memory, elements.len());
        self.write(&mut buffer, elements)?;
        Ok(buffer)
    }

    /// New device memory of `len` elements, every byte zero.
    ///
    /// # Errors
    /// Out of memory, or a driver error.
    pub fn alloc_zeroed<T: GpuType>(&self, len: usize) -> Result<Buffer<T>> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or(DriverError::TooLarge { elements: len })?;
        Ok(Buffer::new(self.zeroed_memory(bytes)?, len))
    }

    pub(crate) fn zeroed_memory(&self, bytes: usize) -> Result<Memory> {
        Ok(match self.backend() {
            Backend::Gpu(gpu) => Memory::Gpu(gpu.alloc_zeroed(bytes)?),
            Backend::Simulator => Memory::simulator(bytes)?,
        })
    }

    /// New device memory of `len` elements with unspecified contents. This saves the time for zeroing memory that a
    /// kernel overwrites anyway.
    ///
    /// On the simulator, a kernel that reads an unwritten byte ends with
    /// [`SimFault::Uninitialised`](crate::simulator::SimFault::Uninitialised). A download is not checked; see
    /// [`Device::first_unwritten`].
    ///
    /// ```
    /// use warpsmith::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn squares(y: &mut [u32]) {
    ///     let i = global_id();
    ///     if i < y.len() {
    ///         y[i] = (i * i) as u32;
    ///     }
    /// }
    ///
    /// # fn main() -> warpsmith::Result<()> {
    /// let device = Device::open()?;
    /// let mut y = device.alloc_uninit::<u32>(100)?;
    /// squares(&mut y).over(100).launch(&device)?;
    /// assert_eq!(device.download(&y)?[99], 9801);
    /// # Ok(()) }
    /// ```
    ///
    /// Any bit pattern must be a valid element:
    ///
    /// ```compile_fail,E0277
    /// let flags = warpsmith::Device::simulator().alloc_uninit::<bool>(4);
    /// ```
    ///
    /// # Errors
    /// Out of memory, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemAllocAsync`, `cuMemAlloc`.
    pub fn alloc_uninit<T: AnyBits>(&self, len: usize) -> Result<Buffer<T>> {
        const { T::FILLED };
        let bytes = len.checked_mul(size_of::<T>()).ok_or(DriverError::TooLarge { elements: len })?;
        Ok(Buffer::new(self.unwritten_memory(bytes)?, len))
    }

    pub(crate) fn unwritten_memory(&self, bytes: usize) -> Result<Memory> {
        Ok(match self.backend() {
            Backend::Gpu(gpu) if self.gpu_checks()?.initialisation => Memory::Gpu(gpu.alloc_shadowed(bytes)?),
            Backend::Gpu(gpu) => Memory::Gpu(gpu.alloc(bytes)?),
            // Nothing runs that could read it, so its pages need not be touched.
            Backend::Simulator if self.ahead().is_some() => Memory::simulator(bytes)?,
            Backend::Simulator => Memory::unwritten(bytes)?,
        })
    }

    /// The index of the first element that is not completely written; `None` if all are.
    ///
    /// The writes of a kernel are known if the simulator's interpreter runs it, or if it is launched on a GPU with
    /// [`GpuChecks::initialisation`](crate::launch::GpuChecks). Any other launch counts as writing everything that it
    /// may write. Waits for everything that uses the buffer.
    ///
    /// # Errors
    /// [`DriverError::Unavailable`] for memory of a GPU that was allocated without that check, memory of another
    /// device, or an error of the driver.
    pub fn first_unwritten<T: GpuType>(&self, buffer: &Buffer<T>) -> Result<Option<usize>> {
        self.check_owner(buffer.place())?;
        let known = match (self.backend(), &buffer.memory) {
            (Backend::Gpu(gpu), Memory::Gpu(memory)) => gpu.first_unwritten(memory)?,
            (_, Memory::Simulator(memory)) => {
                Some(global::first_unwritten(memory.address(), buffer.len() * size_of::<T>()))
            }
            (Backend::Simulator, Memory::Gpu(_)) => None,
        };
        let Some(byte) = known else {
            let what = "asking what nobody has written";
            let why = "no record of it is kept; allocate by `alloc_uninit` on a device with `GpuChecks::initialisation`";
            return Err(DriverError::Unavailable { what, place: self.place(), why }.into());
        };
        Ok(byte.map(|byte| byte / size_of::<T>().max(1)))
    }

    /// Copies elements into existing device memory of the same length.
    ///
    /// # Errors
    /// A different length, memory of another device, or a driver error.
    pub fn write<T: GpuType>(&self, buffer: &mut Buffer<T>, elements: &[T]) -> Result<()> {
        self.check_owner(buffer.place())?;
        PartMut::from(buffer).write(elements)
    }

    /// Copies device memory to the host, after everything launched before.
    ///
    /// # Errors
    /// A fault of a kernel launched before, memory of another device, or a driver error.
    pub fn download<T: GpuType>(&self, buffer: &Buffer<T>) -> Result<Vec<T>> {
        self.check_owner(buffer.place())?;
        Part::from(buffer).to_vec()
    }

    fn check_owner(&self, place: MemoryPlace) -> Result<()> {
        if place == self.place() {
            return Ok(());
        }
        Err(DriverError::WrongDevice { memory: place, device: self.place() }.into())
    }
}

impl Stream {
    /// Copies between device, page-locked and managed memory, or parts of them, in the order of
    /// this stream; returns at once.
    ///
    /// Later uses of either side, on a stream or on the host, wait as needed.
    ///
    /// # Errors
    /// Different lengths, memory of the simulator on a GPU or the reverse, or an error of the driver.
    ///
    /// Source: CUDA Driver API, `cuMemcpyAsync`; between two GPUs `cuMemcpyPeerAsync`.
    pub fn copy<'a, 'b, T: GpuType + 'a + 'b>(
        &self,
        from: impl Into<Part<'a, T>>,
        to: impl Into<PartMut<'b, T>>,
    ) -> Result<()> {
        let (from, to) = (from.into(), to.into());
        if from.len() != to.len() {
            return Err(DriverError::Length { buffer: to.len(), host: from.len() }.into());
        }
        match self.on_gpu() {
            Some(stream) => to.copy_on(stream, &from),
            None => to.copy_here(&from),
        }
    }

    /// Copies a box of elements to another, in the order of this stream; returns at once.
    ///
    /// A side is a [`Pitched3`](crate::Pitched3), a [`Pitched2`](crate::Pitched2), a part of them, or a
    /// dense volume in a buffer or in page-locked memory: `part.volume(planes, rows, cols)?`. Later uses of
    /// either side wait as needed.
    ///
    /// # Errors
    /// [`DriverError::Extents`] for different extents, memory of the simulator on a GPU or the reverse,
    /// or an error of the driver.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3DAsync`; between two GPUs `cuMemcpy3DPeerAsync`.
    pub fn copy_box<'a, 'b, T: GpuType + 'a + 'b>(
        &self,
        from: impl Into<Part3<'a, T>>,
        to: impl Into<PartMut3<'b, T>>,
    ) -> Result<()> {
        let (from, to) = (from.into(), to.into());
        match self.on_gpu() {
            Some(stream) => to.copy_on(stream, &from),
            None => to.copy_here(&from),
        }
    }

    /// Moves managed memory.
    pub(crate) fn prefetch(&self, memory: &Memory, to_host: bool) -> Result<()> {
        match (self.on_gpu(), memory) {
            (Some(stream), Memory::Gpu(memory)) if stream.gpu.ordinal() == memory.ordinal() => {
                Ok(stream.gpu.prefetch(&stream.stream, memory, to_host)?)
            }
            (None, Memory::Simulator(_)) => Ok(()),
            (..) => {
                let memory = memory.place();
                Err(DriverError::WrongDevice { memory, device: self.place() }.into())
            }
        }
    }
}
