//! The rows of shared arrays of two dimensions, and the planes of those of three, one after another.

use core::marker::PhantomData;
use core::ops::Range;

use super::{Plane, Row, Shared2, Shared3};

macro_rules! sub_arrays {
    ($($name:ident, $mutable:ident, $of:ident, $part:ident, $parts:literal;)+) => {$(
        #[doc = concat!($parts, " of a shared array, in order.")]
        #[derive(Debug)]
        pub struct $name<'a, T> {
            of: &'a $of<T>,
            left: Range<usize>,
        }

        impl<T> Clone for $name<'_, T> {
            fn clone(&self) -> Self {
                Self { of: self.of, left: self.left.clone() }
            }
        }

        impl<'a, T> Iterator for $name<'a, T> {
            type Item = &'a $part<T>;

            fn next(&mut self) -> Option<Self::Item> {
                self.left.next().map(|i| &self.of[i])
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.left.size_hint()
            }
        }

        impl<T> DoubleEndedIterator for $name<'_, T> {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.left.next_back().map(|i| &self.of[i])
            }
        }

        impl<T> ExactSizeIterator for $name<'_, T> {}

        #[doc = concat!($parts, " of a shared array, in order, to be written.")]
        #[derive(Debug)]
        pub struct $mutable<'a, T> {
            of: $of<T>,
            left: Range<usize>,
            _borrow: PhantomData<&'a mut T>,
        }

        impl<T> $mutable<'_, T> {
            fn at<'a>(&mut self, i: usize) -> &'a mut $part<T> {
                let part = core::ptr::from_mut(&mut self.of[i]);
                // SAFETY: each part is given once, and lies in the array that is borrowed.
                unsafe { &mut *part }
            }
        }

        impl<'a, T> Iterator for $mutable<'a, T> {
            type Item = &'a mut $part<T>;

            fn next(&mut self) -> Option<Self::Item> {
                self.left.next().map(|i| self.at(i))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.left.size_hint()
            }
        }

        impl<T> DoubleEndedIterator for $mutable<'_, T> {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.left.next_back().map(|i| self.at(i))
            }
        }

        impl<T> ExactSizeIterator for $mutable<'_, T> {}

        impl<T> $of<T> {
            #[doc = concat!($parts, ", in order.")]
            pub fn iter(&self) -> $name<'_, T> {
                $name { of: self, left: 0..self.len() }
            }

            #[doc = concat!($parts, ", in order, to be written.")]
            pub fn iter_mut(&mut self) -> $mutable<'_, T> {
                $mutable { left: 0..self.len(), of: self.alias(), _borrow: PhantomData }
            }
        }

        impl<'a, T> IntoIterator for &'a $of<T> {
            type Item = &'a $part<T>;
            type IntoIter = $name<'a, T>;
            fn into_iter(self) -> $name<'a, T> {
                self.iter()
            }
        }

        impl<'a, T> IntoIterator for &'a mut $of<T> {
            type Item = &'a mut $part<T>;
            type IntoIter = $mutable<'a, T>;
            fn into_iter(self) -> $mutable<'a, T> {
                self.iter_mut()
            }
        }
    )+};
}

sub_arrays! {
    Rows, RowsMut, Shared2, Row, "The rows";
    Planes, PlanesMut, Shared3, Plane, "The planes";
}

impl<'a, T> IntoIterator for &'a Plane<T> {
    type Item = &'a Row<T>;
    type IntoIter = Rows<'a, T>;
    fn into_iter(self) -> Rows<'a, T> {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut Plane<T> {
    type Item = &'a mut Row<T>;
    type IntoIter = RowsMut<'a, T>;
    fn into_iter(self) -> RowsMut<'a, T> {
        self.iter_mut()
    }
}
