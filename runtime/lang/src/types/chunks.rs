//! Parts of what has elements side by side, one after another: `chunks`, `chunks_exact`, `windows`, and what is asked of the
//! first and the last elements.

use core::cmp::Ordering;
use core::marker::PhantomData;

use super::slice::part;
use super::{IndexInteger, Row, Shared, Slice, Sliceable, SliceableMut, View, ViewMut, to_read};
use crate::record::{NO_ELEMENTS, PartShape};

/// The number of parts of `n` elements in a slice of `len`.
fn count(shape: PartShape, len: usize, n: usize) -> usize {
    assert!(n != 0, "{NO_ELEMENTS}");
    match shape {
        PartShape::Chunks => len.div_ceil(n),
        PartShape::ExactChunks => len / n,
        PartShape::Windows => (len + 1).saturating_sub(n),
    }
}

macro_rules! chunks {
    ($(#[$doc:meta])* $name:ident, $item:ty) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<'a, T> {
            extent: (*mut T, usize),
            shape: PartShape,
            n: usize,
            next: usize,
            end: usize,
            _borrow: PhantomData<&'a mut T>,
        }

        impl<'a, T> $name<'a, T> {
            #[track_caller]
            fn new(extent: (*mut T, usize), shape: PartShape, n: impl IndexInteger) -> Self {
                let n = n.to_index();
                Self { extent, shape, n, next: 0, end: count(shape, extent.1, n), _borrow: PhantomData }
            }

            fn at(&self, k: usize) -> &'a mut Slice<T> {
                let start = if self.shape == PartShape::Windows { k } else { k * self.n };
                part(self.extent, start, Some(self.extent.1.min(start.saturating_add(self.n))))
            }
        }

        impl<'a, T> Iterator for $name<'a, T> {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                let k = self.next;
                (k < self.end).then(|| {
                    self.next += 1;
                    self.at(k) as $item
                })
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.end - self.next, Some(self.end - self.next))
            }
        }

        impl<T> DoubleEndedIterator for $name<'_, T> {
            fn next_back(&mut self) -> Option<Self::Item> {
                (self.next < self.end).then(|| {
                    self.end -= 1;
                    self.at(self.end) as _
                })
            }
        }

        impl<T> ExactSizeIterator for $name<'_, T> {}
    };
}

chunks! {
    /// Parts of a slice in a kernel, one after another.
    Chunks, &'a Slice<T>
}

impl<T> Clone for Chunks<'_, T> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

chunks! {
    /// Parts of a slice in a kernel, one after another, to be written.
    ChunksMut, &'a mut Slice<T>
}

macro_rules! host {
    ($($name:ident $(<$l:lifetime>)?),+) => {$(
        impl<$($l,)? T> $name<$($l,)? T> {
            /// Parts of `n` elements, one behind the other; the last has what is left.
            #[track_caller]
            pub fn chunks(&self, n: impl IndexInteger) -> Chunks<'_, T> {
                Chunks::new(to_read(self.extent()), PartShape::Chunks, n)
            }

            /// Parts of `n` elements, one behind the other; fewer that are left are in none.
            #[track_caller]
            pub fn chunks_exact(&self, n: impl IndexInteger) -> Chunks<'_, T> {
                Chunks::new(to_read(self.extent()), PartShape::ExactChunks, n)
            }

            /// Parts of `n` elements, one at each element.
            #[track_caller]
            pub fn windows(&self, n: impl IndexInteger) -> Chunks<'_, T> {
                Chunks::new(to_read(self.extent()), PartShape::Windows, n)
            }

            /// The first element, and those behind it.
            pub fn split_first(&self) -> Option<(&T, &Slice<T>)> {
                let (extent, len) = (to_read(self.extent()), self.extent().1);
                // SAFETY: there is a first element.
                (len > 0).then(|| (unsafe { &*extent.0 }, &*part(extent, 1, None)))
            }

            /// The last element, and those before it.
            pub fn split_last(&self) -> Option<(&T, &Slice<T>)> {
                let (extent, len) = (to_read(self.extent()), self.extent().1);
                // SAFETY: there is a last element.
                (len > 0).then(|| (unsafe { &*extent.0.add(len - 1) }, &*part(extent, 0, Some(len - 1))))
            }

            /// Returns whether the first elements are those of `prefix`.
            pub fn starts_with(&self, prefix: &(impl Sliceable<Element = T> + ?Sized)) -> bool
            where
                T: PartialEq,
            {
                let n = prefix.extent().1;
                n <= self.extent().1 && self.__sub_slice(0, Some(n)) == prefix.__sub_slice(0, None)
            }

            /// Returns whether the last elements are those of `suffix`.
            pub fn ends_with(&self, suffix: &(impl Sliceable<Element = T> + ?Sized)) -> bool
            where
                T: PartialEq,
            {
                let (n, len) = (suffix.extent().1, self.extent().1);
                n <= len && self.__sub_slice(len - n, None) == suffix.__sub_slice(0, None)
            }

            /// Returns whether an element equals a value.
            pub fn contains(&self, value: &T) -> bool
            where
                T: PartialEq,
            {
                Slice::walk(self.extent()).any(|element| element == value)
            }

            /// Returns whether no element is greater than the one behind it, and each two of them can be compared.
            pub fn is_sorted(&self) -> bool
            where
                T: PartialOrd,
            {
                Slice::walk(self.extent()).is_sorted()
            }
        }
    )+};
}

macro_rules! host_mut {
    ($($name:ident $(<$l:lifetime>)?),+) => {$(
        impl<$($l,)? T> $name<$($l,)? T> {
            /// Parts of `n` elements, one behind the other, to be written; the last has what is left.
            #[track_caller]
            pub fn chunks_mut(&mut self, n: impl IndexInteger) -> ChunksMut<'_, T> {
                ChunksMut::new(self.extent_mut(), PartShape::Chunks, n)
            }

            /// Parts of `n` elements, one behind the other, to be written; fewer that are left are in none.
            #[track_caller]
            pub fn chunks_exact_mut(&mut self, n: impl IndexInteger) -> ChunksMut<'_, T> {
                ChunksMut::new(self.extent_mut(), PartShape::ExactChunks, n)
            }

            /// The first element, to be written.
            pub fn first_mut(&mut self) -> Option<&mut T> {
                self.get_mut(0)
            }

            /// The last element, to be written.
            pub fn last_mut(&mut self) -> Option<&mut T> {
                let last = self.extent().1.wrapping_sub(1);
                self.get_mut(last)
            }

            /// The first element, and those behind it, to be written.
            pub fn split_first_mut(&mut self) -> Option<(&mut T, &mut Slice<T>)> {
                let (extent, len) = (self.extent_mut(), self.extent().1);
                // SAFETY: there is a first element, which is not in the part.
                (len > 0).then(|| (unsafe { &mut *extent.0 }, part(extent, 1, None)))
            }

            /// The last element, and those before it, to be written.
            pub fn split_last_mut(&mut self) -> Option<(&mut T, &mut Slice<T>)> {
                let (extent, len) = (self.extent_mut(), self.extent().1);
                // SAFETY: there is a last element, which is not in the part.
                (len > 0).then(|| (unsafe { &mut *extent.0.add(len - 1) }, part(extent, 0, Some(len - 1))))
            }
        }
    )+};
}

host! { Slice, Shared, Row, View<'a>, ViewMut<'a> }
host_mut! { Slice, Shared, Row, ViewMut<'a> }

macro_rules! of_arrays {
    ($($method:ident($($arg:ident: $ty:ty)?) -> $ret:ty $(where $bound:path)?;)+; $($mutable:ident($($n:ident: $count:ty)?) -> $parts:ty;)+) => {
        /// Parts of arrays, as bodies ask for them: they find these before those of Rust's slices.
        #[allow(missing_docs)]
        pub trait ArrayParts<T> {
            $(fn $method(&self $(, $arg: $ty)?) -> $ret $(where T: $bound)?;)+
            $(fn $mutable(&mut self $(, $n: $count)?) -> $parts;)+
        }

        impl<T, const N: usize> ArrayParts<T> for [T; N] {
            $(
                #[track_caller]
                fn $method(&self $(, $arg: $ty)?) -> $ret $(where T: $bound)? {
                    self.__sub_slice(0, None).$method($($arg)?)
                }
            )+
            $(
                #[track_caller]
                fn $mutable(&mut self $(, $n: $count)?) -> $parts {
                    self.__sub_slice_mut(0, None).$mutable($($n)?)
                }
            )+
        }
    };
}

of_arrays! {
    chunks(n: impl IndexInteger) -> Chunks<'_, T>;
    chunks_exact(n: impl IndexInteger) -> Chunks<'_, T>;
    windows(n: impl IndexInteger) -> Chunks<'_, T>;
    split_first() -> Option<(&T, &Slice<T>)>;
    split_last() -> Option<(&T, &Slice<T>)>;
    starts_with(prefix: &(impl Sliceable<Element = T> + ?Sized)) -> bool where PartialEq;
    ends_with(suffix: &(impl Sliceable<Element = T> + ?Sized)) -> bool where PartialEq;
    ;
    chunks_mut(n: impl IndexInteger) -> ChunksMut<'_, T>;
    chunks_exact_mut(n: impl IndexInteger) -> ChunksMut<'_, T>;
    split_first_mut() -> Option<(&mut T, &mut Slice<T>)>;
    split_last_mut() -> Option<(&mut T, &mut Slice<T>)>;
}

/// Slices equal each other where their elements do.
impl<T: PartialEq<U>, U> PartialEq<Slice<U>> for Slice<T> {
    fn eq(&self, other: &Slice<U>) -> bool {
        let pairs = || Slice::walk(self.extent()).zip(Slice::walk(other.extent()));
        self.len() == other.len() && pairs().all(|(a, b)| a == b)
    }
}

impl<T: Eq> Eq for Slice<T> {}

/// Slices are ordered by the first elements that differ, and then by their lengths.
impl<T: PartialOrd> PartialOrd for Slice<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Slice::walk(self.extent()).partial_cmp(Slice::walk(other.extent()))
    }
}

impl<T: Ord> Ord for Slice<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        Slice::walk(self.extent()).cmp(Slice::walk(other.extent()))
    }
}

impl<T: PartialEq<U>, U, const N: usize> PartialEq<[U; N]> for Slice<T> {
    fn eq(&self, other: &[U; N]) -> bool {
        self == other.__sub_slice(0, None)
    }
}

impl<T: PartialEq<U>, U, const N: usize> PartialEq<Slice<U>> for [T; N] {
    fn eq(&self, other: &Slice<U>) -> bool {
        self.__sub_slice(0, None) == other
    }
}

// Arrays beside references to slices, as Rust has them.
macro_rules! beside_arrays {
    ($([$($reference:tt)+])+) => {$(
        impl<T: PartialEq<U>, U, const N: usize> PartialEq<[U; N]> for $($reference)+ Slice<T> {
            fn eq(&self, other: &[U; N]) -> bool {
                **self == *other
            }
        }

        impl<T: PartialEq<U>, U, const N: usize> PartialEq<$($reference)+ Slice<U>> for [T; N] {
            fn eq(&self, other: &$($reference)+ Slice<U>) -> bool {
                *self == **other
            }
        }
    )+};
}

beside_arrays! { [&] [&mut] }
