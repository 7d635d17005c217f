//! Views of two and three dimensions: a pointer, extents and strides by value.

use core::marker::PhantomData;

use super::bound::{check_index, check_range};
use super::view::{mutable_place, place};
use super::{DeviceType, GpuType, View, ViewMut};
use crate::ir::{Builtin, CudaText, Facts, Meaning, Name, Type};
use crate::meaning::{Arguments, give};
use crate::record::Callee;
use crate::witness::{DeviceFn, FnProbe, never_called};
use warpsmith_macros::gpu_impl;

/// Marker of `from_raw_parts` in a kernel with this number of words: the address and the extents of a view.
#[doc(hidden)]
pub struct RawParts<const WORDS: usize>;

impl<const WORDS: usize> DeviceFn for RawParts<WORDS> {
    fn callee() -> Callee {
        unsafe fn meaning<const WORDS: usize>(args: *const *const u8, ret: *mut u8) {
            // SAFETY: the caller of a meaning passes the arguments that the meaning was made for; a view is its
            // address and its extents, one after another.
            unsafe {
                let mut args = Arguments::new(args);
                give::<[u64; WORDS]>(core::array::from_fn(|_| args.take()), ret);
            }
        }
        fn text(args: &[Type], _ret: &Type) -> CudaText {
            let holes: Vec<String> = (0..args.len()).map(|i| format!("{{{i}}}")).collect();
            CudaText::new(format!("{{ret}}{{{}}}", holes.join(", ")))
        }
        static BUILTIN: Builtin =
            Builtin { facts: Facts::MOVES, ..Builtin::pure(Name::new("from_raw_parts"), text) };
        Callee::Builtin(&BUILTIN, Some(Meaning(meaning::<WORDS>)))
    }
}

/// The index if it is below the extent, else a fault of the launch.
#[inline]
#[track_caller]
fn checked(index: usize, extent: u64) -> usize {
    check_index(index, extent as usize);
    index
}

macro_rules! matrix {
    ($(#[$doc:meta])* $name:ident $row:ident $slice:ty, $ptr:ty, $address:ident, $mutable:literal) => {
        $(#[$doc])*
        #[derive(Debug)]
        #[repr(C)]
        pub struct $name<'a, T> {
            ptr: $ptr,
            rows: u64,
            cols: u64,
            stride: u64,
            _buffer: PhantomData<&'a T>,
        }

        impl<T> $name<'_, T> {
            /// A view of `rows` × `cols` elements with a row stride of `stride` elements.
            ///
            /// # Safety
            /// The address is of that many initialised elements for as long as the lifetime says.
            pub const unsafe fn from_raw_parts(ptr: $ptr, rows: usize, cols: usize, stride: usize) -> Self {
                Self { ptr, rows: rows as u64, cols: cols as u64, stride: stride as u64, _buffer: PhantomData }
            }

            #[doc(hidden)]
            #[allow(clippy::missing_safety_doc)]
            pub unsafe fn from_raw_parts_in_kernels(
                _ptr: $ptr,
                _rows: usize,
                _cols: usize,
                _stride: usize,
                _probe: &FnProbe<RawParts<4>>,
            ) -> Self {
                never_called()
            }
        }

        #[gpu_impl]
        impl<'a, T: GpuType> $name<'a, T> {
            /// The elements of a slice as a row-major matrix of `rows` × `cols`.
            #[track_caller]
            pub fn new(x: $slice, rows: usize, cols: usize) -> $name<'a, T> {
                check_range(rows * cols, x.len());
                unsafe { $name::from_raw_parts(x.$address(), rows, cols, cols) }
            }

            /// Number of rows.
            pub fn rows(self) -> usize {
                self.rows as usize
            }

            /// Number of columns.
            pub fn cols(self) -> usize {
                self.cols as usize
            }

            /// Distance of rows, in elements.
            pub fn stride(self) -> usize {
                self.stride as usize
            }

            /// The address of the element at (`row`, `col`), or where it would be: outside the matrix it is only an
            /// address.
            pub fn address(self, row: isize, col: isize) -> $ptr {
                self.ptr.wrapping_offset(row * self.stride as isize + col)
            }

            /// The part of `rows` × `cols` elements from (`row`, `col`) on.
            #[track_caller]
            pub fn part(self, row: usize, col: usize, rows: usize, cols: usize) -> $name<'a, T> {
                check_range(row + rows, self.rows as usize);
                check_range(col + cols, self.cols as usize);
                let start = row * self.stride as usize + col;
                unsafe { $name::from_raw_parts(self.ptr.add(start), rows, cols, self.stride as usize) }
            }

            /// Tile (`row`, `col`) of a matrix divided into tiles of `height` × `width`; tiles at the edges are
            /// smaller.
            #[track_caller]
            pub fn tile(self, row: usize, col: usize, height: usize, width: usize) -> $name<'a, T> {
                let (top, left) = (row * height, col * width);
                check_index(top, self.rows as usize);
                check_index(left, self.cols as usize);
                let rows = height.min(self.rows as usize - top);
                let cols = width.min(self.cols as usize - left);
                let start = top * self.stride as usize + left;
                unsafe { $name::from_raw_parts(self.ptr.add(start), rows, cols, self.stride as usize) }
            }

            /// A row.
            #[track_caller]
            pub fn row(self, row: usize) -> $row<'a, T> {
                check_index(row, self.rows as usize);
                unsafe { $row::from_raw_parts(self.ptr.add(row * self.stride as usize), self.cols as usize) }
            }
        }

        impl<T> $name<'_, T> {
            #[inline]
            #[track_caller]
            fn at(&self, (row, col): (usize, usize)) -> $ptr {
                let offset = checked(row, self.rows) * self.stride as usize + checked(col, self.cols);
                // SAFETY: row and column are below the extents that `from_raw_parts` was promised.
                unsafe { self.ptr.add(offset) }
            }
        }

        place! { $name[(usize, usize)], $mutable, rank 2 }
    };
}

macro_rules! line {
    ($name:ident, $slice:ty, $address:ident) => {
        #[gpu_impl]
        impl<'a, T: GpuType> $name<'a, T> {
            /// A view of all elements of a slice.
            pub fn new(x: $slice) -> $name<'a, T> {
                // SAFETY: the elements of a slice, as long as it is lent.
                unsafe { $name::from_raw_parts(x.$address(), x.len()) }
            }
        }
    };
}

line! { View, &'a [T], as_ptr }
line! { ViewMut, &'a mut [T], as_mut_ptr }

matrix! {
    /// A read-only matrix with a row stride in global or shared memory, by value.
    View2 View &'a [T], *const T, as_ptr, false
}

matrix! {
    /// A matrix in global or shared memory, by value; copies address the same elements.
    ViewMut2 ViewMut &'a mut [T], *mut T, as_mut_ptr, true
}

mutable_place! { ViewMut2[(usize, usize)] }

macro_rules! volume {
    ($(#[$doc:meta])* $name:ident $plane:ident $slice:ty, $ptr:ty, $address:ident, $mutable:literal) => {
        $(#[$doc])*
        #[derive(Debug)]
        #[repr(C)]
        pub struct $name<'a, T> {
            ptr: $ptr,
            planes: u64,
            rows: u64,
            cols: u64,
            plane_stride: u64,
            stride: u64,
            _buffer: PhantomData<&'a T>,
        }

        impl<T> $name<'_, T> {
            /// A view of `[planes, rows, cols]` elements, with these distances between planes and between rows, in
            /// elements.
            ///
            /// # Safety
            /// The address is of that many initialised elements for as long as the lifetime says.
            pub const unsafe fn from_raw_parts(
                ptr: $ptr,
                planes: usize,
                rows: usize,
                cols: usize,
                plane_stride: usize,
                stride: usize,
            ) -> Self {
                Self {
                    ptr,
                    planes: planes as u64,
                    rows: rows as u64,
                    cols: cols as u64,
                    plane_stride: plane_stride as u64,
                    stride: stride as u64,
                    _buffer: PhantomData,
                }
            }

            #[doc(hidden)]
            #[allow(clippy::missing_safety_doc, clippy::too_many_arguments)]
            pub unsafe fn from_raw_parts_in_kernels(
                _ptr: $ptr,
                _planes: usize,
                _rows: usize,
                _cols: usize,
                _plane_stride: usize,
                _stride: usize,
                _probe: &FnProbe<RawParts<6>>,
            ) -> Self {
                never_called()
            }
        }

        #[gpu_impl]
        impl<'a, T: GpuType> $name<'a, T> {
            /// A volume of the elements of a slice, plane after plane, row after row.
            #[track_caller]
            pub fn new(x: $slice, planes: usize, rows: usize, cols: usize) -> $name<'a, T> {
                check_range(planes * rows * cols, x.len());
                unsafe { $name::from_raw_parts(x.$address(), planes, rows, cols, rows * cols, cols) }
            }

            /// Number of planes.
            pub fn planes(self) -> usize {
                self.planes as usize
            }

            /// Number of rows of a plane.
            pub fn rows(self) -> usize {
                self.rows as usize
            }

            /// Number of columns.
            pub fn cols(self) -> usize {
                self.cols as usize
            }

            /// A plane.
            #[track_caller]
            pub fn plane(self, plane: usize) -> $plane<'a, T> {
                check_index(plane, self.planes as usize);
                let start = plane * self.plane_stride as usize;
                unsafe {
                    $plane::from_raw_parts(
                        self.ptr.add(start),
                        self.rows as usize,
                        self.cols as usize,
                        self.stride as usize,
                    )
                }
            }
        }

        impl<T> $name<'_, T> {
            #[inline]
            #[track_caller]
            fn at(&self, (plane, row, col): (usize, usize, usize)) -> $ptr {
                let offset = checked(plane, self.planes) * self.plane_stride as usize
                    + checked(row, self.rows) * self.stride as usize
                    + checked(col, self.cols);
                // SAFETY: every index is below the extents that `from_raw_parts` was promised.
                unsafe { self.ptr.add(offset) }
            }
        }

        place! { $name[(usize, usize, usize)], $mutable, rank 3 }
    };
}

volume! {
    /// A read-only volume in global memory, by value: planes of rows of elements.
    View3 View2 &'a [T], *const T, as_ptr, false
}

volume! {
    /// A volume in global memory, by value; copies address the same elements.
    ViewMut3 ViewMut2 &'a mut [T], *mut T, as_mut_ptr, true
}

mutable_place! { ViewMut3[(usize, usize, usize)] }
