//! The memory that a static has on one device, as an argument of kernels and a side of copies.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::Arc;

use crate::argument::KernelArg;
#[cfg(doc)]
use crate::driver::DriverError;
use crate::driver::GpuMemory;
use crate::error::Result;
use crate::memory::args::{SliceArg, SliceMutArg};
use crate::memory::part::{Part, PartMut};
use crate::memory::start::Start;
use crate::simulator::Statics;
use crate::types::GpuType;

/// The memory of a static's elements.
#[derive(Clone)]
pub(crate) enum Held {
    /// On a GPU.
    Gpu(Arc<GpuMemory>),
    /// At this address of the host, for as long as the simulated device's statics live.
    Simulator { address: *mut u8, _statics: Arc<Statics> },
}

// SAFETY: plain memory, which host and kernels reach through parts; those order their uses.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

impl Held {
    fn start<T>(&self) -> Start<'_, T> {
        match self {
            Held::Gpu(memory) => Start::of_gpu(memory),
            Held::Simulator { address, .. } => Start::here_at(address.cast_const().cast()),
        }
    }
}

macro_rules! static_memory {
    ($name:ident) => {
        impl<T: GpuType> $name<T> {
            pub(crate) fn new(held: Held, len: usize) -> Self {
                Self { held, len, _elements: PhantomData }
            }

            /// Number of elements.
            pub fn len(&self) -> usize {
                self.len
            }

            /// Returns whether there are no elements.
            pub fn is_empty(&self) -> bool {
                self.len == 0
            }

            /// Address of the first element, on the device.
            ///
            /// Source: CUDA Runtime API, `cudaGetSymbolAddress`.
            pub fn address(&self) -> u64 {
                self.held.start::<T>().address
            }

            /// Some of the elements, for a kernel or a copy.
            ///
            /// # Errors
            /// [`DriverError::Range`] beyond the end.
            pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Part<'_, T>> {
                Part::from(self).slice(range)
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("len", &self.len).finish_non_exhaustive()
            }
        }

        impl<'a, T: GpuType> From<&'a $name<T>> for Part<'a, T> {
            fn from(from: &'a $name<T>) -> Self {
                Part::from_start(from.held.start(), from.len)
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: memory that is held for the lifetime, with its usage.
        unsafe impl<'a, T: GpuType> SliceArg<'a, T> for &'a $name<T> {
            fn into_arg(self) -> KernelArg {
                Part::from(self).into_arg()
            }
        }
    };
}

/// The memory of a `#[gpu_static]` on one device: [`GpuStatic::elements`](crate::GpuStatic::elements).
///
/// Another kernel takes it as a slice, and parts of it are copied either way.
///
/// ```
/// use warpsmith::prelude::*;
///
/// #[gpu_static]
/// static BINS: [u32; 8] = [0; 8];
///
/// #[gpu_kernel]
/// fn halve(bins: &mut [u32]) {
///     let i = global_id();
///     if i < bins.len() {
///         bins[i] /= 2;
///     }
/// }
///
/// # fn main() -> warpsmith::Result<()> {
/// let gpu = Device::simulator();
/// let mut bins = BINS.elements(&gpu)?;
/// bins.slice_mut(2..5)?.write(&[10, 20, 30])?;
/// halve(&mut bins).over(8).block(32).launch(&gpu)?;
/// assert_eq!(bins.slice(3..6)?.to_vec()?, [10, 15, 0]);
/// assert_eq!(BINS.read(&gpu)?, [0, 0, 5, 10, 15, 0, 0, 0]);
/// # Ok(()) }
/// ```
pub struct StaticMemory<T> {
    held: Held,
    len: usize,
    _elements: PhantomData<T>,
}

/// Device memory with the value of a `#[gpu_const]`: [`GpuConst::elements`](crate::GpuConst::elements).
///
/// Kernels that name the constant read it in constant memory, where each kernel has its own copy. Other kernels take this
/// memory as a slice. It holds the value at the time of the call.
pub struct ConstMemory<T> {
    held: Held,
    len: usize,
    _elements: PhantomData<T>,
}

static_memory! { StaticMemory }
static_memory! { ConstMemory }

impl<T: GpuType> StaticMemory<T> {
    /// Some of the elements, for writing.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond the end.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<PartMut<'_, T>> {
        Ok(PartMut::from_part(Part::from(&*self).slice(range)?))
    }
}

impl<'a, T: GpuType> From<&'a mut StaticMemory<T>> for PartMut<'a, T> {
    fn from(from: &'a mut StaticMemory<T>) -> Self {
        PartMut::from_part(Part::from(&*from))
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: memory that is held for the lifetime, with its usage, and borrowed mutably.
unsafe impl<'a, T: GpuType> SliceMutArg<'a, T> for &'a mut StaticMemory<T> {
    fn into_arg(self) -> KernelArg {
        SliceMutArg::into_arg(PartMut::from(self))
    }
}
