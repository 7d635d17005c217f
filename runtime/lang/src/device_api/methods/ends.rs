//! The first and the last element of slices that may be written, and whether elements are in order.

use super::slices::{Elements, Instance};
use crate::types::operators::PartialOrd;
use crate::types::{DeviceType, Slice, Sliceable, SliceableMut};
use crate::witness::{FnProbe, never_called};

macro_rules! ends {
    ($($method:ident $hidden:ident -> $ret:ty = $function:ident;)+) => {
        /// Methods of the ends of slices that may be written.
        #[allow(missing_docs)]
        pub trait EndMethods: SliceableMut {
            $(
                #[doc(hidden)]
                #[allow(clippy::type_complexity)]
                fn $hidden(
                    &mut self,
                    _probe: &FnProbe<<$function<Self::Element> as Instance>::Marker>,
                ) -> $ret
                where
                    Self::Element: DeviceType,
                {
                    never_called()
                }
            )+
        }

        impl<S: SliceableMut + ?Sized> EndMethods for S {}

        $(impl<T: DeviceType> Instance for $function<T> {
            type Marker = Elements<$function<T>>;
        })+
    };
}

ends! {
    first_mut first_mut_in_kernels -> Option<&mut Self::Element> = first_mutable;
    last_mut last_mut_in_kernels -> Option<&mut Self::Element> = last_mutable;
    split_first_mut split_first_mut_in_kernels -> Option<(&mut Self::Element, &mut Slice<Self::Element>)> = first_and_rest_mutable;
    split_last_mut split_last_mut_in_kernels -> Option<(&mut Self::Element, &mut Slice<Self::Element>)> = last_and_rest_mutable;
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, clippy::get_first, reason = "it defines the method")]
pub fn first_mutable<T: DeviceType>(x: &mut [T]) -> Option<&mut T> {
    x.get_mut(0)
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn last_mutable<T: DeviceType>(x: &mut [T]) -> Option<&mut T> {
    let last = x.len().wrapping_sub(1);
    x.get_mut(last)
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn first_and_rest_mutable<T: DeviceType>(x: &mut [T]) -> Option<(&mut T, &mut [T])> {
    if x.is_empty() {
        return None;
    }
    let (first, rest) = x.split_at_mut(1);
    Some((&mut first[0], rest))
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn last_and_rest_mutable<T: DeviceType>(x: &mut [T]) -> Option<(&mut T, &mut [T])> {
    if x.is_empty() {
        return None;
    }
    let (rest, last) = x.split_at_mut(x.len() - 1);
    Some((&mut last[0], rest))
}

/// `x.is_sorted()`
pub trait SortedMethods: Sliceable {
    #[doc(hidden)]
    fn is_sorted_in_kernels(&self, _probe: &FnProbe<<in_order<Self::Element> as Instance>::Marker>) -> bool
    where
        Self::Element: DeviceType + PartialOrd,
    {
        never_called()
    }
}

impl<S: Sliceable + ?Sized> SortedMethods for S {}

impl<T: DeviceType + PartialOrd> Instance for in_order<T> {
    type Marker = Elements<in_order<T>>;
}

/// The function behind a method of slices. A NaN is in no order with the element beside it.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, clippy::neg_cmp_op_on_partial_ord, reason = "its emitter is called")]
pub fn in_order<T: DeviceType + PartialOrd>(x: &[T]) -> bool {
    for i in 1..x.len() {
        if !(x[i - 1] <= x[i]) {
            return false;
        }
    }
    true
}
