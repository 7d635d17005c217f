//! Slices as arrays: `x[..4].try_into()` and `<[f32; 4]>::try_from(&x[..4])`.

use core::array::TryFromSliceError;

use super::option::Copied;
use super::slices::Elements;
use crate::types::{Slice, Sliceable, operators};

impl<T: Copied, const N: usize> operators::TryFrom<&Slice<T>> for [T; N] {
    type Marker = Elements<array_of<T, N>>;
}

/// The function behind the conversion. The types of both errors have no bytes.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, clippy::manual_memcpy, clippy::result_unit_err, reason = "its emitter is called")]
pub fn array_of<T: Copied, const N: usize>(x: &[T]) -> Result<[T; N], ()> {
    if x.len() != N {
        return Err(());
    }
    let mut made = [x[0]; N];
    for i in 1..N {
        made[i] = x[i];
    }
    Ok(made)
}

impl<T: Copy, const N: usize> TryFrom<&Slice<T>> for [T; N] {
    type Error = TryFromSliceError;

    fn try_from(x: &Slice<T>) -> Result<Self, TryFromSliceError> {
        let (ptr, len) = x.extent();
        // SAFETY: the elements are this many, and the borrow of `x` keeps others from writing them.
        unsafe { core::slice::from_raw_parts(ptr, len) }.try_into()
    }
}
