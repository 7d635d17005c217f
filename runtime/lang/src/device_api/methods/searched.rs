//! Methods that search slices in order: `partition_point`, `binary_search` and its like.
//!
//! The functions look at the same elements as those of Rust's library do, so of equal elements they find the same.

use core::cmp::Ordering;

use super::slices::Instance;
use crate::device_api::hint::assume;
use crate::device_api::number::Int;
use crate::types::{DeviceType, Row, Shared, Slice, Sliceable, View, ViewMut};
use crate::witness::{FnProbe, never_called};

/// Methods that search slices, which kernels may call.
pub trait SearchMethods: Sliceable {
    #[doc(hidden)]
    fn partition_point_in_kernels<F: FnMut(&Self::Element) -> bool>(
        &self,
        _before: F,
        _probe: &FnProbe<<partition_point<Self::Element> as Instance>::Marker>,
    ) -> usize
    where
        Self::Element: DeviceType,
    {
        never_called()
    }
    #[doc(hidden)]
    fn binary_search_in_kernels(
        &self,
        _value: &Self::Element,
        _probe: &FnProbe<<binary_search<Self::Element> as Instance>::Marker>,
    ) -> Result<usize, usize>
    where
        Self::Element: Int,
    {
        never_called()
    }
    #[doc(hidden)]
    fn binary_search_by_in_kernels<F: FnMut(&Self::Element) -> Ordering>(
        &self,
        _order: F,
        _probe: &FnProbe<<binary_search_by<Self::Element> as Instance>::Marker>,
    ) -> Result<usize, usize>
    where
        Self::Element: DeviceType,
    {
        never_called()
    }
    #[doc(hidden)]
    fn binary_search_by_key_in_kernels<K: Int, F: FnMut(&Self::Element) -> K>(
        &self,
        _key: &K,
        _of: F,
        _probe: &FnProbe<<binary_search_by_key<Self::Element, K> as Instance>::Marker>,
    ) -> Result<usize, usize>
    where
        Self::Element: DeviceType,
    {
        never_called()
    }
}

impl<S: Sliceable + ?Sized> SearchMethods for S {}

macro_rules! instance {
    ($($name:ident<$($t:ident: $bound:path),+>;)+) => {$(
        impl<$($t: $bound),+> Instance for $name<$($t),+> {
            type Marker = super::slices::Elements<$name<$($t),+>>;
        }
    )+};
}

instance! {
    partition_point<T: DeviceType>;
    binary_search<T: Int>;
    binary_search_by<T: DeviceType>;
    binary_search_by_key<T: DeviceType, K: Int>;
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn partition_point<T: DeviceType>(x: &[T], mut before: impl FnMut(&T) -> bool) -> usize {
    let mut size = x.len();
    if size == 0 {
        return 0;
    }
    let mut base = 0;
    while size > 1 {
        let half = size / 2;
        // `base + size` never exceeds the length, and `half` is less than `size`.
        assume(base + half < x.len());
        if before(&x[base + half]) {
            base += half;
        }
        size -= half;
    }
    assume(base < x.len());
    base + before(&x[base]) as usize
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn binary_search_by<T: DeviceType>(
    x: &[T],
    mut order: impl FnMut(&T) -> core::cmp::Ordering,
) -> Result<usize, usize> {
    let mut size = x.len();
    if size == 0 {
        return Err(0);
    }
    let mut base = 0;
    while size > 1 {
        let half = size / 2;
        // `base + size` never exceeds the length, and `half` is less than `size`.
        assume(base + half < x.len());
        if order(&x[base + half]).is_le() {
            base += half;
        }
        size -= half;
    }
    assume(base < x.len());
    let last = order(&x[base]);
    if last.is_eq() { Ok(base) } else { Err(base + last.is_lt() as usize) }
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn binary_search<T: Int>(x: &[T], value: &T) -> Result<usize, usize> {
    let value = *value;
    binary_search_by(x, |element| element.cmp(&value))
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn binary_search_by_key<T: DeviceType, K: Int>(
    x: &[T],
    key: &K,
    mut of: impl FnMut(&T) -> K,
) -> Result<usize, usize> {
    let key = *key;
    binary_search_by(x, |element| of(element).cmp(&key))
}

macro_rules! host {
    ($($name:ident $(<$l:lifetime>)?),+) => {$(
        impl<$($l,)? T: DeviceType> $name<$($l,)? T> {
            /// The number of elements for which `before` holds, if all others are behind them.
            pub fn partition_point(&self, before: impl FnMut(&T) -> bool) -> usize {
                partition_point(self.__sub_slice(0, None), before)
            }

            /// The index of an element that is `value` in a slice in order, or the one at which it belongs.
            pub fn binary_search(&self, value: &T) -> Result<usize, usize>
            where
                T: Int,
            {
                binary_search(self.__sub_slice(0, None), value)
            }

            /// The index of an element of which `order` gives `Equal` in a slice in order, or the one at which it belongs.
            pub fn binary_search_by(&self, order: impl FnMut(&T) -> Ordering) -> Result<usize, usize> {
                binary_search_by(self.__sub_slice(0, None), order)
            }

            /// The index of an element with this key in a slice in the order of keys, or the one at which it belongs.
            pub fn binary_search_by_key<K: Int>(&self, key: &K, of: impl FnMut(&T) -> K) -> Result<usize, usize> {
                binary_search_by_key(self.__sub_slice(0, None), key, of)
            }
        }
    )+};
}

host! { Slice, Shared, Row, View<'a>, ViewMut<'a> }

/// The same methods of arrays, as bodies call them: they find these before those of Rust's slices.
pub trait SearchArrays<T> {
    /// The number of elements for which `before` holds, if all others are behind them.
    fn partition_point(&self, before: impl FnMut(&T) -> bool) -> usize;
    /// The index of an element that is `value` in an array in order, or the one at which it belongs.
    fn binary_search(&self, value: &T) -> Result<usize, usize>
    where
        T: Int;
    /// The index of an element of which `order` gives `Equal` in an array in order, or the one at which it belongs.
    fn binary_search_by(&self, order: impl FnMut(&T) -> Ordering) -> Result<usize, usize>;
    /// The index of an element with this key in an array in the order of keys, or the one at which it belongs.
    fn binary_search_by_key<K: Int>(&self, key: &K, of: impl FnMut(&T) -> K) -> Result<usize, usize>;
}

impl<T: DeviceType, const N: usize> SearchArrays<T> for [T; N] {
    fn partition_point(&self, before: impl FnMut(&T) -> bool) -> usize {
        partition_point(self.__sub_slice(0, None), before)
    }

    fn binary_search(&self, value: &T) -> Result<usize, usize>
    where
        T: Int,
    {
        binary_search(self.__sub_slice(0, None), value)
    }

    fn binary_search_by(&self, order: impl FnMut(&T) -> Ordering) -> Result<usize, usize> {
        binary_search_by(self.__sub_slice(0, None), order)
    }

    fn binary_search_by_key<K: Int>(&self, key: &K, of: impl FnMut(&T) -> K) -> Result<usize, usize> {
        binary_search_by_key(self.__sub_slice(0, None), key, of)
    }
}
