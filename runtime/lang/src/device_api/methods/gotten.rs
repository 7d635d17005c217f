//! `x.get(a..b)` and `x.get_mut(a..b)`: a part of a slice, if it is in bounds.

use core::ops::{Range, RangeInclusive};

use super::slices::{Elements, Instance};
use crate::types::{DeviceType, IndexInteger, PartRange, Slice, Sliceable, SliceableMut, View};
use crate::witness::{FnProbe, never_called};

/// The functions behind `get` and `get_mut` of a range.
#[doc(hidden)]
pub trait GottenRange: PartRange {
    /// `x.get(range)`
    type Part<T: DeviceType>: Instance;
    /// `x.get_mut(range)`
    type PartMut<T: DeviceType>: Instance;
}

impl<I: IndexInteger> GottenRange for Range<I> {
    type Part<T: DeviceType> = part<T>;
    type PartMut<T: DeviceType> = part_mut<T>;
}

impl<I: IndexInteger> GottenRange for RangeInclusive<I> {
    type Part<T: DeviceType> = part_through<T>;
    type PartMut<T: DeviceType> = part_through_mut<T>;
}

/// `get` of a range.
pub trait GetPartMethods: Sliceable {
    #[doc(hidden)]
    fn __get_part_in_kernels<R: GottenRange>(
        &self,
        _range: R,
        _probe: &FnProbe<<R::Part<Self::Element> as Instance>::Marker>,
    ) -> Option<&Slice<Self::Element>>
    where
        Self::Element: DeviceType,
    {
        never_called()
    }
    #[doc(hidden)]
    fn __get_rest_in_kernels<I: IndexInteger>(
        &self,
        _start: I,
        _probe: &FnProbe<<rest<Self::Element> as Instance>::Marker>,
    ) -> Option<&Slice<Self::Element>>
    where
        Self::Element: DeviceType,
    {
        never_called()
    }
}

impl<S: Sliceable + ?Sized> GetPartMethods for S {}

/// A part of a view lives as long as what is viewed, also behind a reference to the view.
impl<'a, T: DeviceType> View<'a, T> {
    #[doc(hidden)]
    pub fn __get_part_in_kernels<R: GottenRange>(
        self,
        _range: R,
        _probe: &FnProbe<<R::Part<T> as Instance>::Marker>,
    ) -> Option<&'a Slice<T>> {
        never_called()
    }

    #[doc(hidden)]
    pub fn __get_rest_in_kernels<I: IndexInteger>(
        self,
        _start: I,
        _probe: &FnProbe<<rest<T> as Instance>::Marker>,
    ) -> Option<&'a Slice<T>> {
        never_called()
    }
}

/// `get_mut` of a range.
pub trait GetPartMutMethods: SliceableMut {
    #[doc(hidden)]
    fn __get_part_mut_in_kernels<R: GottenRange>(
        &mut self,
        _range: R,
        _probe: &FnProbe<<R::PartMut<Self::Element> as Instance>::Marker>,
    ) -> Option<&mut Slice<Self::Element>>
    where
        Self::Element: DeviceType,
    {
        never_called()
    }
    #[doc(hidden)]
    fn __get_rest_mut_in_kernels<I: IndexInteger>(
        &mut self,
        _start: I,
        _probe: &FnProbe<<rest_mut<Self::Element> as Instance>::Marker>,
    ) -> Option<&mut Slice<Self::Element>>
    where
        Self::Element: DeviceType,
    {
        never_called()
    }
}

impl<S: SliceableMut + ?Sized> GetPartMutMethods for S {}

macro_rules! functions {
    ($($name:ident $($mutability:ident)?, ($($bound:ident),+) if |$x:ident| $within:expr => $part:expr;)+) => {$(
        impl<T: DeviceType> Instance for $name<T> {
            type Marker = Elements<$name<T>>;
        }

        /// The function behind a method of slices.
        #[doc(hidden)]
        #[warpsmith_macros::gpu_fn]
        #[allow(dead_code, reason = "its emitter is called")]
        pub fn $name<T: DeviceType>($x: & $($mutability)? [T], $($bound: usize),+) -> Option<& $($mutability)? [T]> {
            if $within { Some($part) } else { None }
        }
    )+};
}

// The end of a part through `last` is computed where `last` is in bounds.
functions! {
    part, (start, end) if |x| start <= end && end <= x.len() => &x[start..end];
    part_mut mut, (start, end) if |x| start <= end && end <= x.len() => &mut x[start..end];
    part_through, (start, last) if |x| last < x.len() && start <= last + 1 => &x[start..last + 1];
    part_through_mut mut, (start, last) if |x| last < x.len() && start <= last + 1 => &mut x[start..last + 1];
    rest, (start) if |x| start <= x.len() => &x[start..];
    rest_mut mut, (start) if |x| start <= x.len() => &mut x[start..];
}
