//! cudarc's memory as kernel arguments.

use cudarc::driver::{CudaSlice, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice};

use super::order;
use crate::args::Order;
use crate::args::{KernelArg, Place, SliceArg, SliceMutArg};

/// Memory of elements of `T` on a GPU.
fn arg<T>(ptr: u64, len: usize, ordinal: usize, (mutable, order): (bool, Order)) -> KernelArg {
    let bytes = (len * size_of::<T>()) as u64;
    KernelArg::Slice { ptr, len: len as u64, bytes, place: Place::Gpu(ordinal), mutable, order }
}

// SAFETY: the lifetime borrows the memory, and its order with other uses is cudarc's and its stream's.
unsafe impl<'a, T> SliceArg<'a, T> for &'a CudaSlice<T> {
    fn into_arg(self) -> KernelArg {
        let ptr = self.device_ptr(self.stream()).0;
        arg::<T>(ptr, self.len(), self.ordinal(), (false, order::of_slice(self)))
    }
}

// SAFETY: as above.
unsafe impl<'a, T> SliceMutArg<'a, T> for &'a mut CudaSlice<T> {
    fn into_arg(self) -> KernelArg {
        let stream = self.stream().clone();
        let ptr = self.device_ptr_mut(&stream).0;
        arg::<T>(ptr, self.len(), self.ordinal(), (true, order::of_slice_mut(self)))
    }
}

// SAFETY: as above.
unsafe impl<'a, T> SliceArg<'a, T> for &'a CudaView<'_, T> {
    fn into_arg(self) -> KernelArg {
        let ptr = self.device_ptr(self.stream()).0;
        arg::<T>(ptr, self.len(), self.stream().context().ordinal(), (false, order::of_view(self)))
    }
}

// SAFETY: as above.
unsafe impl<'a, T> SliceMutArg<'a, T> for &'a mut CudaViewMut<'_, T> {
    fn into_arg(self) -> KernelArg {
        let stream = self.stream().clone();
        let ptr = self.device_ptr_mut(&stream).0;
        arg::<T>(ptr, self.len(), stream.context().ordinal(), (true, order::of_view_mut(self)))
    }
}
