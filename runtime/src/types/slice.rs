//! What `&[T]` and `&mut [T]` are inside a kernel.

use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

use super::Device;
use crate::ir::Type;
use crate::simulator::context;

/// The descriptor behind `&[T]` and `&mut [T]` in device code: where the elements are and how many.
///
/// A kernel written with `x: &[f32]` sees `&Slice<f32>`. Each simulated thread owns its descriptor,
/// so a `&mut Slice` promises nothing about the elements, which other threads may write.
#[derive(Debug)]
pub struct Slice<T> {
    ptr: *mut T,
    len: usize,
    _elements: PhantomData<T>,
}

impl<T> Slice<T> {
    /// A descriptor of `len` elements at `ptr`.
    ///
    /// # Safety
    /// `ptr` points to `len` initialised elements that outlive the descriptor and are not borrowed
    /// by anyone but threads of the same launch.
    pub unsafe fn from_raw_parts(ptr: *mut T, len: usize) -> Self {
        Self { ptr, len, _elements: PhantomData }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Address of the first element.
    pub(crate) fn as_ptr(&self) -> *mut T {
        self.ptr
    }

    #[inline]
    #[track_caller]
    fn at(&self, index: usize) -> *mut T {
        if index >= self.len {
            context::fault_bounds(index as i64, self.len);
        }
        // SAFETY: the index is below the length that `from_raw_parts` was promised.
        unsafe { self.ptr.add(index) }
    }
}

impl<T> Index<usize> for Slice<T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        // SAFETY: in bounds; threads of a launch run on one OS thread, so no write is concurrent.
        unsafe { &*self.at(index) }
    }
}

impl<T> IndexMut<usize> for Slice<T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut T {
        // SAFETY: in bounds; the reference lives for one access of one thread.
        unsafe { &mut *self.at(index) }
    }
}

impl<T: Device> Device for Slice<T> {
    type Erased = Slice<T::Erased>;
    fn ty() -> Type {
        Type::Slice(T::ty().into())
    }
}
