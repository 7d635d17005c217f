//! `&[T]` and `&mut [T]` inside a kernel.

use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

use super::{DeviceType, IndexInteger, Row, Shared, View, ViewMut};
use crate::ir::Type;
use crate::simulator::context;

/// The descriptor behind `&[T]` and `&mut [T]` in device code: where the elements are and how many.
///
/// A kernel written with `x: &[f32]` sees `&Slice<f32>`. Each simulated thread owns its descriptor, so a `&mut Slice`
/// guarantees nothing about the elements, which other threads may write.
#[derive(Debug)]
#[repr(C)]
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

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
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

impl<T> Slice<T> {
    /// The elements in order.
    pub fn iter(&self) -> Elements<'_, T> {
        Elements { slice: self.alias(), next: 0, end: self.len, _borrow: PhantomData }
    }

    /// The elements in order, to be written.
    pub fn iter_mut(&mut self) -> ElementsMut<'_, T> {
        ElementsMut { slice: self.alias(), next: 0, end: self.len, _borrow: PhantomData }
    }

    /// The elements of a part of memory, in order, each to be read.
    pub(crate) fn walk<'a>((ptr, len): (*const T, usize)) -> Elements<'a, T> {
        let (ptr, len) = to_read((ptr, len));
        Elements {
            slice: Slice { ptr, len, _elements: PhantomData },
            next: 0,
            end: len,
            _borrow: PhantomData,
        }
    }

    /// The elements of a part of memory, in order, each to be written.
    pub(crate) fn walk_mut<'a>((ptr, len): (*mut T, usize)) -> ElementsMut<'a, T> {
        let slice = Slice { ptr, len, _elements: PhantomData };
        ElementsMut { slice, next: 0, end: len, _borrow: PhantomData }
    }

    /// The same elements behind another descriptor.
    fn alias(&self) -> Self {
        Self { ptr: self.ptr, len: self.len, _elements: PhantomData }
    }
}

macro_rules! elements {
    ($(#[$doc:meta])* $name:ident, $item:ty, |$slice:ident, $i:ident| $get:expr) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<'a, T> {
            slice: Slice<T>,
            next: usize,
            end: usize,
            _borrow: PhantomData<&'a mut T>,
        }

        impl<'a, T> Iterator for $name<'a, T> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                if self.next == self.end {
                    return None;
                }
                let ($slice, $i) = (&mut self.slice, self.next);
                self.next += 1;
                // SAFETY: each element is given once, in bounds; no reference outlives one access of a thread.
                Some(unsafe { $get })
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.end - self.next, Some(self.end - self.next))
            }
        }

        impl<T> DoubleEndedIterator for $name<'_, T> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                if self.next == self.end {
                    return None;
                }
                self.end -= 1;
                let ($slice, $i) = (&mut self.slice, self.end);
                // SAFETY: as in `next`.
                Some(unsafe { $get })
            }
        }

        impl<T> ExactSizeIterator for $name<'_, T> {}
    };
}

elements! {
    /// Elements of a slice in a kernel, in order.
    Elements, &'a T, |slice, i| &*slice.at(i)
}

elements! {
    /// Elements of a slice in a kernel, in order, to be written.
    ElementsMut, &'a mut T, |slice, i| &mut *slice.at(i)
}

impl<T> Clone for Elements<'_, T> {
    fn clone(&self) -> Self {
        Self { slice: self.slice.alias(), next: self.next, end: self.end, _borrow: PhantomData }
    }
}

macro_rules! walked {
    ($($name:ident)+) => {$(
        impl<'a, T> IntoIterator for &'a $name<T> {
            type Item = &'a T;
            type IntoIter = Elements<'a, T>;
            fn into_iter(self) -> Elements<'a, T> {
                self.iter()
            }
        }

        impl<'a, T> IntoIterator for &'a mut $name<T> {
            type Item = &'a mut T;
            type IntoIter = ElementsMut<'a, T>;
            fn into_iter(self) -> ElementsMut<'a, T> {
                self.iter_mut()
            }
        }
    )+};
}

walked! { Slice Shared Row }

/// The operand of `&x[a..b]` in a kernel.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be sliced in a kernel",
    note = "slices, arrays, `View`s and one-dimensional shared arrays can; where this calls a method of your own, write `#[gpu_impl]` above its `impl`"
)]
pub trait Sliceable {
    /// The type of an element.
    type Element;

    /// Address of the first element, to be read, and how many there are.
    fn extent(&self) -> (*const Self::Element, usize);

    /// The elements from `start` up to `end`.
    #[doc(hidden)]
    #[inline]
    #[track_caller]
    fn __sub_slice(&self, start: usize, end: Option<usize>) -> &Slice<Self::Element> {
        part(to_read(self.extent()), start, end)
    }
}

/// An extent for a descriptor that is lent as `&Slice`, through which nothing is written.
#[inline]
pub(crate) fn to_read<T>((ptr, len): (*const T, usize)) -> (*mut T, usize) {
    (ptr.cast_mut(), len)
}

/// A descriptor of a part; it lives as long as the simulated thread may use it.
#[inline]
#[track_caller]
pub(super) fn part<'a, T>((ptr, len): (*mut T, usize), start: usize, end: Option<usize>) -> &'a mut Slice<T> {
    let end = end.unwrap_or(len);
    if start > end {
        context::fault_range(start as i64, end);
    }
    if end > len {
        context::fault_range(end as i64, len);
    }
    context::keep(Slice { ptr: ptr.wrapping_add(start), len: end - start, _elements: PhantomData })
}

/// The same memory as elements of another type.
#[track_caller]
pub(crate) fn reinterpreted<'a, T, U: super::AnyBits>((ptr, len): (*mut T, usize)) -> &'a mut Slice<U> {
    const { U::FILLED };
    let ptr = ptr.cast::<U>();
    assert!(
        ptr.is_aligned(),
        "memory at {ptr:p} is reinterpreted as `{}`, which is aligned to {} bytes",
        core::any::type_name::<U>(),
        align_of::<U>()
    );
    let len = len * size_of::<T>() / size_of::<U>().max(1);
    context::keep(Slice { ptr, len, _elements: PhantomData })
}

/// `reinterpret` of arrays in registers and in structs.
pub trait ReinterpretArray<T> {
    /// The same memory as elements of another type, as many as fit; its start must be aligned for them.
    fn reinterpret<U: super::AnyBits>(&self) -> &Slice<U>;
    /// The same memory as elements of another type, to be written.
    fn reinterpret_mut<U: super::AnyBits>(&mut self) -> &mut Slice<U>
    where
        T: super::AnyBits;
}

impl<T, const N: usize> ReinterpretArray<T> for [T; N] {
    #[track_caller]
    fn reinterpret<U: super::AnyBits>(&self) -> &Slice<U> {
        reinterpreted(to_read(self.extent()))
    }

    #[track_caller]
    fn reinterpret_mut<U: super::AnyBits>(&mut self) -> &mut Slice<U>
    where
        T: super::AnyBits,
    {
        const { T::FILLED };
        reinterpreted(self.extent_mut())
    }
}

/// `start..end` in the index `x[start..end]` of a body, whose value is a descriptor.
///
/// This is an index and not a method: Rust lets the temporary that is sliced live longer then.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct PartIndex {
    pub(super) start: usize,
    pub(super) end: Option<usize>,
}

impl PartIndex {
    /// Returns whether this part lies within a slice of `len` elements.
    #[inline]
    pub(super) fn is_within(self, len: usize) -> bool {
        let end = self.end.unwrap_or(len);
        self.start <= end && end <= len
    }

    /// From `start` up to `end`, or to the last element.
    #[inline]
    pub fn new(start: usize, end: Option<usize>) -> Self {
        Self { start, end }
    }

    /// The part that a range is, whose bounds are of the type of `stand_in`.
    #[inline]
    pub fn of<R: super::range::PartRange>(_stand_in: &super::IndexType<R::Bound>, range: R) -> Self {
        range.part()
    }
}

/// The index of a slice in a kernel: a number, or a part.
#[diagnostic::on_unimplemented(
    message = "an index of a slice or of a shared array is one number in a kernel, and no `{Self}`",
    label = "not one number",
    note = "a part of a slice is borrowed: `&x[a..b]`, `&mut x[a..b]`"
)]
pub trait At<T> {
    /// The type of the indexed part.
    type Found: ?Sized;

    /// The position of the part among the elements; a position outside is a fault of the launch.
    #[doc(hidden)]
    fn among(self, elements: (*mut T, usize)) -> *mut Self::Found;
}

#[diagnostic::do_not_recommend]
impl<T> At<T> for usize {
    type Found = T;

    #[inline]
    #[track_caller]
    fn among(self, (ptr, len): (*mut T, usize)) -> *mut T {
        if self >= len {
            context::fault_bounds(self as i64, len);
        }
        ptr.wrapping_add(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T> At<T> for PartIndex {
    type Found = Slice<T>;

    #[inline]
    #[track_caller]
    fn among(self, elements: (*mut T, usize)) -> *mut Slice<T> {
        part(elements, self.start, self.end)
    }
}

macro_rules! indexed {
    ($($name:ident)+) => {$(
        impl<T, I: At<T>> Index<I> for $name<T> {
            type Output = I::Found;

            #[inline]
            #[track_caller]
            fn index(&self, at: I) -> &I::Found {
                // SAFETY: in bounds; threads of a launch run on one OS thread, so no write is concurrent.
                unsafe { &*at.among(to_read(self.extent())) }
            }
        }

        impl<T, I: At<T>> IndexMut<I> for $name<T> {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, at: I) -> &mut I::Found {
                // SAFETY: in bounds; the reference lives for one access of one thread.
                unsafe { &mut *at.among(self.extent_mut()) }
            }
        }
    )+};
}

indexed! { Slice Shared Row }

macro_rules! parts {
    ($([$($generics:tt)*] $of:ty;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Index<PartIndex> for $of {
            type Output = Slice<T>;

            #[inline]
            #[track_caller]
            fn index(&self, at: PartIndex) -> &Slice<T> {
                part(to_read(self.extent()), at.start, at.end)
            }
        }
    )+};
}

macro_rules! parts_mut {
    ($([$($generics:tt)*] $of:ty;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> IndexMut<PartIndex> for $of {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, at: PartIndex) -> &mut Slice<T> {
                part(self.extent_mut(), at.start, at.end)
            }
        }
    )+};
}

parts! {
    [T] View<'_, T>;
    [T] ViewMut<'_, T>;
    [T, const N: usize] [T; N];
}

parts_mut! {
    [T] ViewMut<'_, T>;
    [T, const N: usize] [T; N];
}

/// Methods of arrays that give slices or take them, as bodies call them: they find these before those of Rust's slices.
pub trait ArrayMethods<T> {
    /// The elements before an index, and those from it on.
    fn split_at(&self, middle: impl IndexInteger) -> (&Slice<T>, &Slice<T>);
    /// The elements before an index, and those from it on, to be written.
    fn split_at_mut(&mut self, middle: impl IndexInteger) -> (&mut Slice<T>, &mut Slice<T>);
    /// The element at an index, if there is one.
    fn get(&self, i: impl IndexInteger) -> Option<&T>;
    /// The element at an index, if there is one, to be written.
    fn get_mut(&mut self, i: impl IndexInteger) -> Option<&mut T>;
    /// Stores the elements of a slice, which has as many.
    fn copy_from_slice(&mut self, from: &(impl Sliceable<Element = T> + ?Sized))
    where
        T: Copy;
    /// Exchanges two elements.
    fn swap(&mut self, i: impl IndexInteger, j: impl IndexInteger);
}

impl<T, const N: usize> ArrayMethods<T> for [T; N] {
    #[track_caller]
    fn split_at(&self, middle: impl IndexInteger) -> (&Slice<T>, &Slice<T>) {
        let middle = middle.to_index();
        (self.__sub_slice(0, Some(middle)), self.__sub_slice(middle, None))
    }

    #[track_caller]
    fn split_at_mut(&mut self, middle: impl IndexInteger) -> (&mut Slice<T>, &mut Slice<T>) {
        split(self.extent_mut(), middle.to_index())
    }

    fn get(&self, i: impl IndexInteger) -> Option<&T> {
        self.as_slice().get(i.to_index())
    }

    fn get_mut(&mut self, i: impl IndexInteger) -> Option<&mut T> {
        self.as_mut_slice().get_mut(i.to_index())
    }

    #[track_caller]
    fn copy_from_slice(&mut self, from: &(impl Sliceable<Element = T> + ?Sized))
    where
        T: Copy,
    {
        self.__sub_slice_mut(0, None).copy_from_slice(from);
    }

    #[track_caller]
    fn swap(&mut self, i: impl IndexInteger, j: impl IndexInteger) {
        self.as_mut_slice().swap(i.to_index(), j.to_index());
    }
}

/// Two parts that do not overlap.
#[track_caller]
pub(crate) fn split<'a, T>(extent: (*mut T, usize), middle: usize) -> (&'a mut Slice<T>, &'a mut Slice<T>) {
    (part(extent, 0, Some(middle)), part(extent, middle, None))
}

/// The operand of `&mut x[a..b]` in a kernel.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be sliced for writing in a kernel",
    note = "mutable slices, arrays, `ViewMut`s and one-dimensional shared arrays can; where this calls a method of your own, write `#[gpu_impl]` above its `impl`"
)]
pub trait SliceableMut: Sliceable {
    /// Address of the first element, to be written, and how many there are.
    ///
    /// Not [`Sliceable::extent`]: rustc takes what is borrowed by `&self` for unchanged.
    fn extent_mut(&mut self) -> (*mut Self::Element, usize);

    /// The elements from `start` up to `end`, to be written.
    #[doc(hidden)]
    #[inline]
    #[track_caller]
    fn __sub_slice_mut(&mut self, start: usize, end: Option<usize>) -> &mut Slice<Self::Element> {
        part(self.extent_mut(), start, end)
    }
}

impl<T> Sliceable for Slice<T> {
    type Element = T;
    fn extent(&self) -> (*const T, usize) {
        (self.ptr, self.len)
    }
}

impl<T> SliceableMut for Slice<T> {
    fn extent_mut(&mut self) -> (*mut T, usize) {
        (self.ptr, self.len)
    }
}

impl<T, const N: usize> Sliceable for [T; N] {
    type Element = T;
    fn extent(&self) -> (*const T, usize) {
        (self.as_ptr(), N)
    }
}

impl<T, const N: usize> SliceableMut for [T; N] {
    fn extent_mut(&mut self) -> (*mut T, usize) {
        (self.as_mut_ptr(), N)
    }
}

impl<T: DeviceType> DeviceType for Slice<T> {
    type Erased = Slice<T::Erased>;
    fn ty() -> Type {
        Type::Slice(T::ty().into())
    }
}
