//! cudarc's memory as kernel arguments.

use crate::driver::{
    CudaSlice, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice, of_slice, of_slice_mut, of_view,
    of_view_mut,
};

use crate::argument::Order;
use crate::argument::{KernelArg, MemoryPlace};
use crate::memory::args::{SliceArg, SliceMutArg};

/// Memory of elements of `T` on a GPU.
fn arg<T>(ptr: u64, len: usize, ordinal: usize, mutable: bool, order: Order) -> KernelArg {
    let bytes = (len * size_of::<T>()) as u64;
    KernelArg::Slice { ptr, len: len as u64, bytes, place: MemoryPlace::Gpu(ordinal), mutable, order }
}

// SAFETY: the lifetime borrows the memory, and its order with other uses is cudarc's and its stream's.
unsafe impl<'a, T> SliceArg<'a, T> for &'a CudaSlice<T> {
    fn into_arg(self) -> KernelArg {
        let ptr = self.device_ptr(self.stream()).0;
        arg::<T>(ptr, self.len(), self.ordinal(), false, of_slice(self))
    }
}

// SAFETY: as above.
unsafe impl<'a, T> SliceMutArg<'a, T> for &'a mut CudaSlice<T> {
    fn into_arg(self) -> KernelArg {
        let stream = self.stream().clone();
        let ptr = self.device_ptr_mut(&stream).0;
        arg::<T>(ptr, self.len(), self.ordinal(), true, of_slice_mut(self))
    }
}

// SAFETY: as above.
unsafe impl<'a, T> SliceArg<'a, T> for &'a CudaView<'_, T> {
    fn into_arg(self) -> KernelArg {
        let ptr = self.device_ptr(self.stream()).0;
        arg::<T>(ptr, self.len(), self.stream().context().ordinal(), false, of_view(self))
    }
}

// SAFETY: as above.
unsafe impl<'a, T> SliceMutArg<'a, T> for &'a mut CudaViewMut<'_, T> {
    fn into_arg(self) -> KernelArg {
        let stream = self.stream().clone();
        let ptr = self.device_ptr_mut(&stream).0;
        arg::<T>(ptr, self.len(), stream.context().ordinal(), true, of_view_mut(self))
    }
}
