//! Shared arrays of rank 1 to 3, as the simulator's threads see them.
//!
//! A row or plane is a fat reference whose metadata carries its extents; it owns no bytes, so it
//! claims nothing about elements that other threads write.

use core::marker::PhantomData;
use core::ops::{Deref, DerefMut, Index, IndexMut};

use super::{DeviceType, Slice};
use crate::ir::Type;
use crate::simulator::context;

/// A one-dimensional shared array, or a block's dynamic shared memory.
#[derive(Debug)]
#[repr(transparent)]
pub struct Shared<T>(Slice<T>);

/// A two-dimensional shared array, row-major.
#[derive(Debug)]
#[repr(C)]
pub struct Shared2<T> {
    ptr: *mut T,
    extents: [usize; 2],
}

/// A three-dimensional shared array, row-major.
#[derive(Debug)]
#[repr(C)]
pub struct Shared3<T> {
    ptr: *mut T,
    extents: [usize; 3],
}

/// A row of a shared array.
#[derive(Debug)]
pub struct Row<T> {
    _elements: PhantomData<T>,
    len: [()],
}

/// A plane of a three-dimensional shared array.
#[derive(Debug)]
pub struct Plane<T> {
    _elements: PhantomData<T>,
    packed: [()],
}

impl<T> Shared<T> {
    /// The array of `extents[0]` elements at `ptr`.
    ///
    /// # Safety
    /// The memory is the current block's and lasts as long as the block.
    pub unsafe fn from_raw_parts(ptr: *mut T, extents: [usize; 1]) -> Self {
        // SAFETY: as promised by the caller.
        Self(unsafe { Slice::from_raw_parts(ptr, extents[0]) })
    }
}

impl<T> Deref for Shared<T> {
    type Target = Slice<T>;
    fn deref(&self) -> &Slice<T> {
        &self.0
    }
}

impl<T> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut Slice<T> {
        &mut self.0
    }
}

impl<T> super::Sliceable for Shared<T> {
    type Element = T;
    fn extent(&self) -> (*const T, usize) {
        self.0.extent()
    }
}

impl<T> super::SliceableMut for Shared<T> {
    fn extent_mut(&mut self) -> (*mut T, usize) {
        self.0.extent_mut()
    }
}

impl<T> super::Sliceable for Row<T> {
    type Element = T;
    fn extent(&self) -> (*const T, usize) {
        (core::ptr::from_ref(self).cast(), self.len.len())
    }
}

impl<T> super::SliceableMut for Row<T> {
    fn extent_mut(&mut self) -> (*mut T, usize) {
        (core::ptr::from_mut(self).cast(), self.len.len())
    }
}

impl<T> Row<T> {
    fn from_raw<'a>(ptr: *mut T, len: usize) -> &'a mut Row<T> {
        let fat = core::ptr::slice_from_raw_parts_mut(ptr.cast::<()>(), len) as *mut Row<T>;
        // SAFETY: a `Row` has no bytes; its address is aligned and its metadata is any length.
        unsafe { &mut *fat }
    }
}

/// Address of sub-array `index` of `extents[0]`, each of `stride` elements.
#[inline]
#[track_caller]
fn sub_array<T>(ptr: *mut T, index: usize, len: usize, stride: usize) -> *mut T {
    if index >= len {
        context::fault_bounds(index as i64, len);
    }
    ptr.wrapping_add(index * stride)
}

impl<T> Row<T> {
    /// Number of elements.
    #[allow(clippy::len_without_is_empty, reason = "a shared array has elements")]
    pub fn len(&self) -> usize {
        self.len.len()
    }
}

/// A row is an array itself, and can be passed as a slice.
impl<T> Deref for Row<T> {
    type Target = Shared<T>;
    fn deref(&self) -> &Shared<T> {
        let start = core::ptr::from_ref(self).cast::<T>().cast_mut();
        // SAFETY: the row starts at this address, and lasts as long as its array.
        context::keep(unsafe { Shared::from_raw_parts(start, [self.len()]) })
    }
}

impl<T> DerefMut for Row<T> {
    fn deref_mut(&mut self) -> &mut Shared<T> {
        let start = core::ptr::from_mut(self).cast::<T>();
        // SAFETY: as in `deref`.
        context::keep(unsafe { Shared::from_raw_parts(start, [self.len()]) })
    }
}

/// A plane is a matrix itself, and can be passed as a `Shared2`.
impl<T> Deref for Plane<T> {
    type Target = Shared2<T>;
    fn deref(&self) -> &Shared2<T> {
        let start = core::ptr::from_ref(self).cast::<T>().cast_mut();
        // SAFETY: the plane starts at this address, and lasts as long as its array.
        context::keep(unsafe { Shared2::from_raw_parts(start, self.extents()) })
    }
}

impl<T> DerefMut for Plane<T> {
    fn deref_mut(&mut self) -> &mut Shared2<T> {
        let start = core::ptr::from_mut(self).cast::<T>();
        // SAFETY: as in `deref`.
        context::keep(unsafe { Shared2::from_raw_parts(start, self.extents()) })
    }
}

impl<T> Shared2<T> {
    /// Number of rows.
    #[allow(clippy::len_without_is_empty, reason = "a shared array has elements")]
    pub fn len(&self) -> usize {
        self.extents[0]
    }

    /// The array of these extents at `ptr`.
    ///
    /// # Safety
    /// The memory is the current block's and lasts as long as the block.
    pub unsafe fn from_raw_parts(ptr: *mut T, extents: [usize; 2]) -> Self {
        Self { ptr, extents }
    }

    /// The same memory behind another descriptor.
    pub(super) fn alias(&self) -> Self {
        Self { ..*self }
    }
}

impl<T> Index<usize> for Shared2<T> {
    type Output = Row<T>;
    #[inline]
    #[track_caller]
    fn index(&self, index: usize) -> &Row<T> {
        Row::from_raw(sub_array(self.ptr, index, self.extents[0], self.extents[1]), self.extents[1])
    }
}

impl<T> IndexMut<usize> for Shared2<T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut Row<T> {
        Row::from_raw(sub_array(self.ptr, index, self.extents[0], self.extents[1]), self.extents[1])
    }
}

impl<T> Plane<T> {
    fn from_raw<'a>(ptr: *mut T, rows: usize, cols: usize) -> &'a mut Plane<T> {
        let fat = core::ptr::slice_from_raw_parts_mut(ptr.cast::<()>(), rows << 32 | cols) as *mut Plane<T>;
        // SAFETY: a `Plane` has no bytes; its address is aligned and its metadata is any length.
        unsafe { &mut *fat }
    }

    /// Rows and columns.
    fn extents(&self) -> [usize; 2] {
        [self.packed.len() >> 32, self.packed.len() & 0xffff_ffff]
    }

    /// Row `index` of the plane that starts at `start`.
    #[track_caller]
    fn row<'a>(&self, start: *mut T, index: usize) -> &'a mut Row<T> {
        let [rows, cols] = self.extents();
        Row::from_raw(sub_array(start, index, rows, cols), cols)
    }
}

impl<T> Index<usize> for Plane<T> {
    type Output = Row<T>;
    #[track_caller]
    fn index(&self, index: usize) -> &Row<T> {
        self.row(core::ptr::from_ref(self).cast::<T>().cast_mut(), index)
    }
}

impl<T> IndexMut<usize> for Plane<T> {
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut Row<T> {
        let start = core::ptr::from_mut(self).cast();
        self.row(start, index)
    }
}

impl<T> Shared3<T> {
    /// Number of planes.
    #[allow(clippy::len_without_is_empty, reason = "a shared array has elements")]
    pub fn len(&self) -> usize {
        self.extents[0]
    }

    /// The array of these extents at `ptr`.
    ///
    /// # Safety
    /// The memory is the current block's and lasts as long as the block.
    pub unsafe fn from_raw_parts(ptr: *mut T, extents: [usize; 3]) -> Self {
        Self { ptr, extents }
    }

    /// The same memory behind another descriptor.
    pub(super) fn alias(&self) -> Self {
        Self { ..*self }
    }

    #[track_caller]
    fn plane(&self, index: usize) -> *mut T {
        sub_array(self.ptr, index, self.extents[0], self.extents[1] * self.extents[2])
    }
}

impl<T> Index<usize> for Shared3<T> {
    type Output = Plane<T>;
    #[track_caller]
    fn index(&self, index: usize) -> &Plane<T> {
        Plane::from_raw(self.plane(index), self.extents[1], self.extents[2])
    }
}

impl<T> IndexMut<usize> for Shared3<T> {
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut Plane<T> {
        Plane::from_raw(self.plane(index), self.extents[1], self.extents[2])
    }
}

macro_rules! device {
    ($($name:ident, $rank:literal;)+) => {$(
        impl<T: DeviceType> DeviceType for $name<T> {
            type Erased = $name<T::Erased>;
            fn ty() -> Type {
                Type::Shared { elem: T::ty().into(), rank: $rank }
            }
        }
    )+};
}

device! { Shared, 1; Shared2, 2; Shared3, 3; }

macro_rules! part {
    ($($name:ident, $rank:literal;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: DeviceType> DeviceType for &$name<T> {
            type Erased = &'static $name<T::Erased>;
            fn ty() -> Type {
                Type::Ref { to: Type::Shared { elem: T::ty().into(), rank: $rank }.into(), mutable: false }
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: DeviceType> DeviceType for &mut $name<T> {
            type Erased = &'static mut $name<T::Erased>;
            fn ty() -> Type {
                Type::Ref { to: Type::Shared { elem: T::ty().into(), rank: $rank }.into(), mutable: true }
            }
        }
    )+};
}

part! { Row, 1; Plane, 2; }
