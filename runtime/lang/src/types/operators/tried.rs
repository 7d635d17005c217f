//! `T::try_from(value)` and `value.try_into()`: between integers, and of types whose `TryFrom` has `#[gpu_impl]`.

use core::marker::PhantomData;

use crate::device_type::DeviceType;
use crate::ir::{Expr, Type};
use crate::record::{Callee, Recorder};
use crate::witness::{DeviceFn, FnProbe, never_called};

/// `T::try_from(value)` and `value.try_into()` in kernels.
#[diagnostic::on_unimplemented(
    message = "a kernel does not try to make `{Self}` from `{V}`",
    label = "no device side",
    note = "write `#[gpu_impl]` above `impl TryFrom<{V}> for {Self}`",
    note = "integers are tried as integers of another type, and slices as arrays of their elements"
)]
pub trait TryFrom<V>: core::convert::TryFrom<V, Error: DeviceType> {
    device_side!();
    /// `Self::try_from(value)` in a witness.
    #[doc(hidden)]
    fn try_from_in_kernels(_value: V, _probe: &FnProbe<Self::Marker>) -> Result<Self, Self::Error> {
        never_called()
    }
}

/// `value.try_into()` in a witness.
#[doc(hidden)]
pub trait TryInto: Sized {
    /// `self.try_into()`
    fn try_into_in_kernels<T: TryFrom<Self>>(self, _probe: &FnProbe<T::Marker>) -> Result<T, T::Error> {
        never_called()
    }
}

impl<T> TryInto for T {}

/// A conversion between integers.
#[doc(hidden)]
pub struct TriedInteger;

impl DeviceFn for TriedInteger {
    fn callee() -> Callee {
        fn record(recorder: &mut Recorder, args: Vec<Expr>, ty: Type) -> Expr {
            args.into_iter().next().map_or_else(Expr::never, |number| recorder.try_convert(number, ty))
        }
        Callee::Recorded(record)
    }
}

macro_rules! integers {
    ($($t:ty),+ => $all:tt) => {$(integers! { @from $t => $all })+};
    (@from $t:ty => [$($v:ty),+]) => {$(
        impl TryFrom<$v> for $t {
            type Marker = TriedInteger;
        }
    )+};
}

integers! {
    i8, u8, i16, u16, i32, u32, i64, u64, isize, usize => [i8, u8, i16, u16, i32, u32, i64, u64, isize, usize]
}
