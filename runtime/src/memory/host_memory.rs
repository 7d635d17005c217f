//! Host memory that a GPU can reach: page-locked, registered and managed.
//!
//! Kernels take it like buffers, and streams copy to and from it without staging. The host accesses it
//! through `host()` and `host_mut()`, which first wait for the streams that use it. So no borrow on the host
//! can overlap a copy or a kernel in flight, even if a handle was dropped or forgotten.

use std::ops::RangeBounds;

use crate::argument::KernelArg;
use crate::driver::DriverError;
pub use crate::driver::{Advice, Pinned};
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::host::stream::Stream;
use crate::memory::args::{SliceArg, SliceMutArg};
use crate::memory::buffer::Memory;
use crate::memory::part::{Part, PartMut};
use crate::simulator::global;
use crate::types::{AnyBits, GpuType};

/// Memory and where the host sees it.
#[derive(Debug)]
struct Visible<T> {
    memory: Memory,
    host: *mut T,
    len: usize,
}

// SAFETY: plain data, reached on the host through `&self` to be read and `&mut self` to be written.
unsafe impl<T: GpuType + Send> Send for Visible<T> {}
// SAFETY: as above.
unsafe impl<T: GpuType + Sync> Sync for Visible<T> {}

impl<T: GpuType> Visible<T> {
    fn simulated(len: usize, bytes: usize) -> Result<Self> {
        let memory = Memory::simulator(bytes)?;
        let host = memory.address() as *mut T;
        Ok(Self { memory, host, len })
    }

    fn wait(&self, write: bool) -> Result<()> {
        if let Memory::Gpu(memory) = &self.memory {
            memory.wait_on_host(write)?;
        }
        Ok(())
    }
}

macro_rules! visible {
    ($name:ident $(<$l:lifetime>)?) => {
        impl<$($l,)? T: GpuType> $name<$($l,)? T> {
            /// Number of elements.
            pub fn len(&self) -> usize {
                self.visible.len
            }

            /// Returns whether there are no elements.
            pub fn is_empty(&self) -> bool {
                self.visible.len == 0
            }

            /// The elements. Waits until no stream writes them any more.
            ///
            /// # Errors
            /// A driver error.
            pub fn host(&self) -> Result<&[T]> {
                self.visible.wait(false)?;
                // SAFETY: initialised memory of that length; who writes it next borrows it mutably.
                Ok(unsafe { std::slice::from_raw_parts(self.visible.host, self.visible.len) })
            }

            /// The elements, for writing. Waits until no stream uses them any more.
            ///
            /// # Errors
            /// A driver error.
            pub fn host_mut(&mut self) -> Result<&mut [T]> {
                self.visible.wait(true)?;
                // On a GPU the address is in no memory of the simulator.
                global::written(self.visible.host as usize, self.visible.len * size_of::<T>());
                // SAFETY: as in `host`, borrowed mutably.
                Ok(unsafe { std::slice::from_raw_parts_mut(self.visible.host, self.visible.len) })
            }

            /// Some of the elements, for a kernel or a copy.
            ///
            /// # Errors
            /// [`DriverError::Range`] beyond the end.
            pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Part<'_, T>> {
                Part::from(self).slice(range)
            }

            /// All elements, for a kernel or a copy that writes them.
            pub fn part_mut(&mut self) -> PartMut<'_, T> {
                PartMut::from(self)
            }
        }

        impl<'a, $($l,)? T: GpuType> From<&'a $name<$($l,)? T>> for Part<'a, T> {
            fn from(from: &'a $name<$($l,)? T>) -> Self {
                Part::new(&from.visible.memory, from.visible.len)
            }
        }

        impl<'a, $($l,)? T: GpuType> From<&'a mut $name<$($l,)? T>> for PartMut<'a, T> {
            fn from(from: &'a mut $name<$($l,)? T>) -> Self {
                PartMut::new(&mut from.visible.memory, from.visible.len)
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: memory that is borrowed for the lifetime, with its usage.
        unsafe impl<'a, $($l,)? T: GpuType> SliceArg<'a, T> for &'a $name<$($l,)? T> {
            fn into_arg(self) -> KernelArg {
                Part::from(self).into_arg()
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: as above, borrowed mutably.
        unsafe impl<'a, $($l,)? T: GpuType> SliceMutArg<'a, T> for &'a mut $name<$($l,)? T> {
            fn into_arg(self) -> KernelArg {
                SliceMutArg::into_arg(PartMut::from(self))
            }
        }
    };
}

/// Page-locked host memory. Copies from and to it are asynchronous, and kernels can take it.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith::host_memory::Pinned;
///
/// # fn main() -> warpsmith::Result<()> {
/// let device = Device::simulator();
/// let stream = device.stream()?;
/// let mut staging = device.alloc_pinned::<f32>(4, Pinned::default())?;
/// staging.host_mut()?.copy_from_slice(&[1.0, 2.0, 3.0, 4.0]);
/// let mut x = device.alloc_zeroed::<f32>(4)?;
/// stream.copy(&staging, &mut x)?; // returns at once
/// staging.host_mut()?[0] = 9.0; // waits until the copy has read the memory
/// assert_eq!(device.download(&x)?, [1.0, 2.0, 3.0, 4.0]);
/// # Ok(()) }
/// ```
///
/// Source: CUDA Driver API, `cuMemHostAlloc`.
#[derive(Debug)]
pub struct PinnedBuffer<T> {
    visible: Visible<T>,
}

/// A vector whose memory is page-locked: memory that was allocated elsewhere can take part in asynchronous
/// copies and launches. [`Registered::into_vec`] returns the vector.
///
/// Source: CUDA Driver API, `cuMemHostRegister`.
#[derive(Debug)]
pub struct Registered<T> {
    // Declared first: it is unlocked before the vector is freed.
    visible: Visible<T>,
    elements: Vec<T>,
}

/// Memory that host and GPU access at the same address. Its pages migrate to the side that uses them.
///
/// Source: CUDA Driver API, `cuMemAllocManaged`.
#[derive(Debug)]
pub struct ManagedBuffer<T> {
    visible: Visible<T>,
}

visible! { PinnedBuffer }
visible! { Registered }
visible! { ManagedBuffer }

impl Device {
    /// Page-locked memory of `len` elements, every byte zero.
    ///
    /// # Errors
    /// Out of memory, or a driver error.
    pub fn alloc_pinned<T: AnyBits>(&self, len: usize, how: Pinned) -> Result<PinnedBuffer<T>> {
        let bytes = size_of_elements::<T>(len)?;
        let visible = match self.backend() {
            Backend::Gpu(gpu) => {
                let (memory, host) = gpu.alloc_pinned(bytes, how)?;
                // SAFETY: the allocation has that many bytes.
                unsafe { host.write_bytes(0, bytes) };
                Visible { memory: Memory::Gpu(memory), host: host.cast(), len }
            }
            Backend::Simulator => Visible::simulated(len, bytes)?,
        };
        Ok(PinnedBuffer { visible })
    }

    /// Makes a vector's memory page-locked.
    ///
    /// # Errors
    /// A driver error: for example, memory that it cannot lock.
    pub fn register<T: GpuType>(&self, mut elements: Vec<T>) -> Result<Registered<T>> {
        let (len, bytes) = (elements.len(), size_of_val(elements.as_slice()));
        let visible = match self.backend() {
            Backend::Gpu(gpu) if bytes > 0 => {
                let host = elements.as_mut_ptr();
                // SAFETY: the vector is kept beside the registration and reached through it only.
                let memory = unsafe { gpu.register(host.cast(), bytes) }?;
                Visible { memory: Memory::Gpu(memory), host, len }
            }
            Backend::Gpu(gpu) => {
                let host = elements.as_mut_ptr();
                Visible { memory: Memory::Gpu(gpu.alloc(0)?), host, len }
            }
            Backend::Simulator => {
                let visible = Visible::simulated(len, bytes)?;
                // SAFETY: the memory has room for the elements.
                unsafe { std::ptr::copy_nonoverlapping(elements.as_ptr(), visible.host, len) };
                visible
            }
        };
        Ok(Registered { visible, elements })
    }

    /// Managed memory of `len` elements, every byte zero.
    ///
    /// # Errors
    /// [`DriverError::Unavailable`] where host and GPU cannot use it at the same time; out of
    /// memory, or a driver error.
    pub fn alloc_managed<T: AnyBits>(&self, len: usize) -> Result<ManagedBuffer<T>> {
        let bytes = size_of_elements::<T>(len)?;
        let visible = match self.backend() {
            Backend::Gpu(gpu) => {
                let memory = gpu.alloc_managed(bytes)?;
                let host = memory.address() as *mut T;
                // SAFETY: the allocation has that many bytes, at this address on the host too.
                unsafe { host.cast::<u8>().write_bytes(0, bytes) };
                Visible { memory: Memory::Gpu(memory), host, len }
            }
            Backend::Simulator => Visible::simulated(len, bytes)?,
        };
        Ok(ManagedBuffer { visible })
    }

    /// Free and total bytes of the device's memory; `None` on the simulator, which has the host's.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuMemGetInfo`.
    pub fn mem_info(&self) -> Result<Option<(usize, usize)>> {
        match self.backend() {
            Backend::Gpu(gpu) => Ok(Some(gpu.mem_info()?)),
            Backend::Simulator => Ok(None),
        }
    }

    /// Waits for the device, then returns freed memory to the system, except for `keep` bytes.
    ///
    /// Buffers come from a pool, which keeps freed memory for later buffers. Does nothing on the simulator.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuMemPoolTrimTo`.
    pub fn trim(&self, keep: usize) -> Result<()> {
        match self.backend() {
            Backend::Gpu(gpu) => Ok(gpu.trim(keep)?),
            Backend::Simulator => Ok(()),
        }
    }
}

impl<T: GpuType> Registered<T> {
    /// Returns the vector once no stream uses it; its memory is no longer page-locked.
    ///
    /// # Errors
    /// A driver error.
    pub fn into_vec(self) -> Result<Vec<T>> {
        self.visible.wait(true)?;
        let Self { visible, mut elements } = self;
        if matches!(visible.memory, Memory::Simulator(_)) {
            // SAFETY: the simulator's memory holds that many elements.
            unsafe { std::ptr::copy_nonoverlapping(visible.host, elements.as_mut_ptr(), elements.len()) };
        }
        Ok(elements)
    }
}

impl<T: GpuType> ManagedBuffer<T> {
    /// Moves the memory to the stream's device, in the order of the stream.
    ///
    /// # Errors
    /// Memory of another device, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemPrefetchAsync`.
    pub fn prefetch_to_device(&self, stream: &Stream) -> Result<()> {
        stream.prefetch(&self.visible.memory, false)
    }

    /// Moves the memory to the host, in the order of the stream.
    ///
    /// # Errors
    /// Memory of another device, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemPrefetchAsync`.
    pub fn prefetch_to_host(&self, stream: &Stream) -> Result<()> {
        stream.prefetch(&self.visible.memory, true)
    }

    /// Tells the driver how the memory will be used. Does nothing on the simulator.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuMemAdvise`.
    pub fn advise(&self, advice: Advice) -> Result<()> {
        match &self.visible.memory {
            Memory::Gpu(memory) => Ok(memory.advise(advice)?),
            Memory::Simulator(_) => Ok(()),
        }
    }
}

fn size_of_elements<T>(len: usize) -> Result<usize> {
    Ok(len.checked_mul(size_of::<T>()).ok_or(DriverError::TooLarge { elements: len })?)
}
