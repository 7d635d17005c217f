//! Raw pointers in kernels: for code that computes addresses itself, in `unsafe` as in Rust.

use super::{DeviceType, GpuType};
use crate::ir::Type;

impl<T: DeviceType> DeviceType for *const T {
    type Erased = *const T::Erased;
    fn ty() -> Type {
        Type::Ptr { to: T::ty().into(), mutable: false }
    }
}

impl<T: DeviceType> DeviceType for *mut T {
    type Erased = *mut T::Erased;
    fn ty() -> Type {
        Type::Ptr { to: T::ty().into(), mutable: true }
    }
}

// SAFETY: eight bytes of address; what it points to is the author's promise at each `unsafe` use.
unsafe impl<T: GpuType> GpuType for *const T {}
// SAFETY: as above.
unsafe impl<T: GpuType> GpuType for *mut T {}
