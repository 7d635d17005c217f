//! Methods of slices of bytes that are ASCII text.

use super::compared::with_parts;
use super::slices::Elements;
use crate::types::{Row, Shared, Slice, Sliceable, View, ViewMut};
use crate::witness::{FnProbe, never_called};

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn trim_ascii_start(x: &[u8]) -> &[u8] {
    let mut start = 0;
    while start < x.len() && x[start].is_ascii_whitespace() {
        start += 1;
    }
    &x[start..]
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn trim_ascii_end(x: &[u8]) -> &[u8] {
    let mut end = x.len();
    while end > 0 && x[end - 1].is_ascii_whitespace() {
        end -= 1;
    }
    &x[..end]
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn trim_ascii(x: &[u8]) -> &[u8] {
    self::trim_ascii_end(self::trim_ascii_start(x))
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn alike_in_ascii(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.eq_ignore_ascii_case(b))
}

with_parts! {
    /// Both arguments of `eq_ignore_ascii_case` may be whatever has bytes side by side.
    AlikeInAscii = alike_in_ascii;
}

/// Methods of bytes side by side that kernels may call.
pub trait TextMethods: Sliceable<Element = u8> {
    #[doc(hidden)]
    fn trim_ascii_start_in_kernels(&self, _probe: &FnProbe<Elements<trim_ascii_start>>) -> &Slice<u8> {
        never_called()
    }
    #[doc(hidden)]
    fn trim_ascii_end_in_kernels(&self, _probe: &FnProbe<Elements<trim_ascii_end>>) -> &Slice<u8> {
        never_called()
    }
    #[doc(hidden)]
    fn trim_ascii_in_kernels(&self, _probe: &FnProbe<Elements<trim_ascii>>) -> &Slice<u8> {
        never_called()
    }
    #[doc(hidden)]
    fn eq_ignore_ascii_case_in_kernels<S: Sliceable<Element = u8> + ?Sized>(
        &self,
        _other: &S,
        _probe: &FnProbe<AlikeInAscii>,
    ) -> bool {
        never_called()
    }
}

impl<S: Sliceable<Element = u8> + ?Sized> TextMethods for S {}

macro_rules! methods {
    ($($visibility:tt)*) => {
        /// The bytes behind ASCII whitespace at the start.
        $($visibility)* fn trim_ascii_start(&self) -> &Slice<u8> {
            self::trim_ascii_start(self.__sub_slice(0, None))
        }

        /// The bytes before ASCII whitespace at the end.
        $($visibility)* fn trim_ascii_end(&self) -> &Slice<u8> {
            self::trim_ascii_end(self.__sub_slice(0, None))
        }

        /// The bytes without ASCII whitespace at the start and at the end.
        $($visibility)* fn trim_ascii(&self) -> &Slice<u8> {
            self::trim_ascii(self.__sub_slice(0, None))
        }

        /// Returns whether two texts are the same where ASCII letters of both cases are.
        $($visibility)* fn eq_ignore_ascii_case(&self, other: &(impl Sliceable<Element = u8> + ?Sized)) -> bool {
            self::alike_in_ascii(self.__sub_slice(0, None), other.__sub_slice(0, None))
        }
    };
}

macro_rules! host {
    ($($name:ident $(<$l:lifetime>)?),+) => {$(
        impl<$($l)?> $name<$($l,)? u8> {
            methods! { pub }
        }
    )+};
}

host! { Slice, Shared, Row, View<'a>, ViewMut<'a> }

/// The same methods of arrays, as bodies call them: they find these before those of Rust's slices.
#[allow(missing_docs)]
pub trait TextArrays {
    fn trim_ascii_start(&self) -> &Slice<u8>;
    fn trim_ascii_end(&self) -> &Slice<u8>;
    fn trim_ascii(&self) -> &Slice<u8>;
    fn eq_ignore_ascii_case(&self, other: &(impl Sliceable<Element = u8> + ?Sized)) -> bool;
}

impl<const N: usize> TextArrays for [u8; N] {
    methods! {}
}
