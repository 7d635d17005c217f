//! The host's arguments of a kernel's slice parameters.

use crate::memory::buffer::Buffer;
use crate::types::{GpuType, Slice};

pub use crate::argument::{ImageArg, KernelArg, MemoryPlace, Order};

/// The arguments of a parameter `&[T]`: `&Buffer<T>`, `&CudaSlice<T>`, `&CudaView<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for a kernel's `&[{T}]`",
    label = "not device memory of `{T}`",
    note = "pass `&Buffer<{T}>` (from `device.upload`), or cudarc's `&CudaSlice<{T}>` or `&CudaView<{T}>`",
    note = "a kernel passes parts of its own slices to a kernel that it launches; shared memory and locals end with their block"
)]
///
/// # Safety
/// For `'a` the argument addresses initialised memory of `T` that nothing writes but kernels of
/// the streams that its `order` knows, and what `order` refers to is alive.
pub unsafe trait SliceArg<'a, T> {
    /// The argument.
    fn into_arg(self) -> KernelArg;
}

/// The arguments of a parameter `&mut [T]`: `&mut Buffer<T>`, `&mut CudaSlice<T>`, `&mut CudaViewMut<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for a kernel's `&mut [{T}]`",
    label = "not writable device memory of `{T}`",
    note = "pass `&mut Buffer<{T}>` (from `device.upload`), or cudarc's `&mut CudaSlice<{T}>` or `&mut CudaViewMut<{T}>`",
    note = "a kernel passes parts of its own slices to a kernel that it launches; shared memory and locals end with their block"
)]
///
/// # Safety
/// The contract of [`SliceArg`]; also, for `'a` nothing else reads or writes the memory.
pub unsafe trait SliceMutArg<'a, T> {
    /// The argument.
    fn into_arg(self) -> KernelArg;
}

// SAFETY: the buffer's own memory and usage, borrowed for the lifetime.
unsafe impl<'a, T: GpuType> SliceArg<'a, T> for &'a Buffer<T> {
    fn into_arg(self) -> KernelArg {
        self.arg(false)
    }
}

// SAFETY: the buffer's own memory and usage, borrowed for the lifetime.
unsafe impl<'a, T: GpuType> SliceArg<'a, T> for &'a mut Buffer<T> {
    fn into_arg(self) -> KernelArg {
        self.arg(false)
    }
}

// SAFETY: the buffer's own memory and usage, borrowed for the lifetime.
unsafe impl<'a, T: GpuType> SliceMutArg<'a, T> for &'a mut Buffer<T> {
    fn into_arg(self) -> KernelArg {
        self.arg(true)
    }
}

// A slice that a simulated kernel passes to a kernel that it launches. SAFETY: memory of the launching kernel, which
// outlives the launch.
unsafe impl<'a, T> SliceArg<'a, T> for &'a Slice<T> {
    fn into_arg(self) -> KernelArg {
        KernelArg::of_simulated(self, false)
    }
}

// SAFETY: never gives an argument.
#[diagnostic::do_not_recommend]
unsafe impl<'a, T> SliceArg<'a, T> for &'a mut Slice<T> {
    fn into_arg(self) -> KernelArg {
        KernelArg::of_simulated(self, false)
    }
}

// SAFETY: never gives an argument.
#[diagnostic::do_not_recommend]
unsafe impl<'a, T> SliceMutArg<'a, T> for &'a mut Slice<T> {
    fn into_arg(self) -> KernelArg {
        KernelArg::of_simulated(self, true)
    }
}
