//! cudarc's memory as kernel arguments.

use cudarc::driver::{CudaSlice, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice};

use super::Order;
use crate::args::{KernelArg, Place, SliceArg, SliceMutArg};

// SAFETY: the lifetime borrows the memory, and its order with other uses is cudarc's and its stream's.
unsafe impl<'a, T> SliceArg<'a, T> for &'a CudaSlice<T> {
    fn into_arg(self) -> KernelArg {
        let (ptr, _tracked) = self.device_ptr(self.stream());
        KernelArg::Slice {
            ptr,
            len: self.len() as u64,
            bytes: (self.len() * size_of::<T>()) as u64,
            place: Place::Gpu(self.ordinal()),
            mutable: false,
            order: Order::slice(self),
        }
    }
}

// SAFETY: the lifetime borrows the memory, and its order with other uses is cudarc's and its stream's.
unsafe impl<'a, T> SliceMutArg<'a, T> for &'a mut CudaSlice<T> {
    fn into_arg(self) -> KernelArg {
        let (len, place, stream) = (self.len() as u64, Place::Gpu(self.ordinal()), self.stream().clone());
        let ptr = self.device_ptr_mut(&stream).0;
        KernelArg::Slice {
            ptr,
            len,
            bytes: len * size_of::<T>() as u64,
            place,
            mutable: true,
            order: Order::slice_mut(self),
        }
    }
}

// SAFETY: the lifetime borrows the memory, and its order with other uses is cudarc's and its stream's.
unsafe impl<'a, T> SliceArg<'a, T> for &'a CudaView<'_, T> {
    fn into_arg(self) -> KernelArg {
        let (ptr, _tracked) = self.device_ptr(self.stream());
        let place = Place::Gpu(self.stream().context().ordinal());
        KernelArg::Slice {
            ptr,
            len: self.len() as u64,
            bytes: (self.len() * size_of::<T>()) as u64,
            place,
            mutable: false,
            order: Order::view(self),
        }
    }
}

// SAFETY: the lifetime borrows the memory, and its order with other uses is cudarc's and its stream's.
unsafe impl<'a, T> SliceMutArg<'a, T> for &'a mut CudaViewMut<'_, T> {
    fn into_arg(self) -> KernelArg {
        let stream = self.stream().clone();
        let (len, place) = (self.len() as u64, Place::Gpu(stream.context().ordinal()));
        let ptr = self.device_ptr_mut(&stream).0;
        KernelArg::Slice {
            ptr,
            len,
            bytes: len * size_of::<T>() as u64,
            place,
            mutable: true,
            order: Order::view_mut(self),
        }
    }
}
