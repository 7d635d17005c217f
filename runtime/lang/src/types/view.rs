//! Views: a pointer and a length by value, for structs and sub-ranges.

use core::marker::PhantomData;

use super::{DeviceType, Elements, ElementsMut, GpuType, Slice, Sliceable, SliceableMut};
use crate::ir::Type;
use crate::simulator::context;

/// The common trait of views of every rank: copyable values whose elements are places.
///
/// The type has a method `at` that gives the checked address of an element.
macro_rules! place {
    ($name:ident[$at:ty], $mutable:literal, rank $rank:literal) => {
        impl<T> Clone for $name<'_, T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<'_, T> {}

        impl<T> core::ops::Index<$at> for $name<'_, T> {
            type Output = T;

            #[inline]
            #[track_caller]
            fn index(&self, at: $at) -> &T {
                // SAFETY: in bounds; threads of a launch run on one OS thread.
                unsafe { &*self.at(at) }
            }
        }

        impl<T: DeviceType> DeviceType for $name<'_, T> {
            type Erased = $name<'static, T::Erased>;
            fn ty() -> Type {
                Type::View { elem: T::ty().into(), mutable: $mutable, rank: $rank }
            }
        }

        // SAFETY: a pointer and extents of 8 bytes, which is what the CUDA side declares.
        unsafe impl<T: GpuType> GpuType for $name<'_, T> {}
    };
}

/// The elements of a mutable view can be written.
macro_rules! mutable_place {
    ($name:ident[$at:ty]) => {
        impl<T> core::ops::IndexMut<$at> for $name<'_, T> {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, at: $at) -> &mut T {
                // SAFETY: in bounds; the reference lives for one access of one thread.
                unsafe { &mut *self.at(at) }
            }
        }
    };
}

pub(super) use {mutable_place, place};

macro_rules! view {
    ($(#[$doc:meta])* $name:ident, $ptr:ty, $mutable:literal) => {
        $(#[$doc])*
        #[derive(Debug)]
        #[repr(C)]
        pub struct $name<'a, T> {
            ptr: $ptr,
            len: u64,
            _buffer: PhantomData<&'a T>,
        }

        impl<T> $name<'_, T> {
            /// A view of `len` elements at a device address (a host address on the simulator).
            ///
            /// # Safety
            /// `ptr` addresses `len` initialised elements for as long as the lifetime says.
            pub unsafe fn from_raw_parts(ptr: $ptr, len: usize) -> Self {
                Self { ptr, len: len as u64, _buffer: PhantomData }
            }

            #[doc(hidden)]
            #[allow(clippy::missing_safety_doc)]
            pub unsafe fn from_raw_parts_in_kernels(
                _ptr: $ptr,
                _len: usize,
                _probe: &crate::witness::FnProbe<super::matrix::RawParts<2>>,
            ) -> Self {
                crate::witness::never_called()
            }

            /// Number of elements.
            pub fn len(&self) -> usize {
                self.len as usize
            }

            /// Returns whether there are no elements.
            pub fn is_empty(&self) -> bool {
                self.len == 0
            }

            /// The elements from `start` on.
            ///
            /// In a kernel only; a `start` beyond the end is a fault of the launch.
            #[track_caller]
            pub fn offset(self, start: impl super::IndexInteger) -> Self {
                let start = start.to_index();
                if start > self.len as usize {
                    context::fault_range(start as i64, self.len as usize);
                }
                // SAFETY: `start` is at most the length, so the address is inside or one past the end.
                Self { ptr: unsafe { self.ptr.add(start) }, len: self.len - start as u64, _buffer: PhantomData }
            }

            #[inline]
            #[track_caller]
            fn at(&self, index: usize) -> $ptr {
                if index >= self.len as usize {
                    context::fault_bounds(index as i64, self.len as usize);
                }
                // SAFETY: the index is below the length that `from_raw_parts` was promised.
                unsafe { self.ptr.add(index) }
            }
        }

        impl<'a, T> $name<'a, T> {
            /// The elements in order.
            pub fn iter(&self) -> Elements<'a, T> {
                Slice::walk(self.extent())
            }
        }

        impl<'a, T> IntoIterator for &$name<'a, T> {
            type Item = &'a T;
            type IntoIter = Elements<'a, T>;
            fn into_iter(self) -> Elements<'a, T> {
                self.iter()
            }
        }

        impl<T> Sliceable for $name<'_, T> {
            type Element = T;
            fn extent(&self) -> (*const T, usize) {
                (self.ptr, self.len as usize)
            }
        }

        place! { $name[usize], $mutable, rank 1 }
    };
}

view! {
    /// Read-only elements in global memory, by value: `Copy`, 16 bytes, can be a field of a struct.
    View, *const T, false
}

view! {
    /// Elements in global or shared memory, by value: `Copy`, 16 bytes, can be a field of a struct.
    ///
    /// Copies of one `ViewMut` address the same elements, as pointers do in CUDA.
    ViewMut, *mut T, true
}

impl<'a, T> IntoIterator for View<'a, T> {
    type Item = &'a T;
    type IntoIter = Elements<'a, T>;
    fn into_iter(self) -> Elements<'a, T> {
        self.iter()
    }
}

impl<'a, T> ViewMut<'a, T> {
    /// The elements in order, to be written.
    pub fn iter_mut(&mut self) -> ElementsMut<'a, T> {
        Slice::walk_mut(self.extent_mut())
    }
}

impl<'a, T> IntoIterator for &mut ViewMut<'a, T> {
    type Item = &'a mut T;
    type IntoIter = ElementsMut<'a, T>;
    fn into_iter(self) -> ElementsMut<'a, T> {
        self.iter_mut()
    }
}

impl<'a, T> IntoIterator for ViewMut<'a, T> {
    type Item = &'a mut T;
    type IntoIter = ElementsMut<'a, T>;
    fn into_iter(mut self) -> ElementsMut<'a, T> {
        self.iter_mut()
    }
}

impl<T> SliceableMut for ViewMut<'_, T> {
    fn extent_mut(&mut self) -> (*mut T, usize) {
        (self.ptr, self.len as usize)
    }
}

mutable_place! { ViewMut[usize] }
