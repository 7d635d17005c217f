//! Functions of Rust's library that kernels call by an imported name: `use core::mem::swap;`.
//!
//! The function itself is Rust's. The type beside it of the same name, which the prelude exports, gives its meaning on the
//! device. If the function of that name is another one, the kernel is refused.

use core::marker::PhantomData;

use super::memory;
use crate::ir::{Expr, Type};
use crate::record::{Callee, Recorder};
use crate::types::{DeviceType, operators};
use crate::witness::another;
use crate::witness::{DeviceFn, FnProbe};

/// The function `F`, which is the device function `M` if it is Rust's.
#[doc(hidden)]
pub struct Named<F, M>(PhantomData<fn() -> (F, M)>);

/// The stand-in for a function of Rust's library.
#[doc(hidden)]
pub trait StdFunction {
    /// The function's path in Rust's library.
    const PATH: &'static str;
    /// The function on the device.
    fn callee() -> Callee;
}

impl<F, M: StdFunction> DeviceFn for Named<F, M> {
    fn callee() -> Callee {
        let name = core::any::type_name::<F>();
        let path = name.split('<').next().unwrap_or(name);
        if path == M::PATH { M::callee() } else { Callee::Recorded(another::<F>) }
    }
}

macro_rules! known {
    ($($(#[$doc:meta])* $name:ident $path:literal [$($bounds:tt)*] (($($arg:ty),*) $(-> $ret:ty)?) $marker:ident: $callee:expr;)+) => {$(
        $(#[$doc])*
        #[allow(non_camel_case_types)]
        pub struct $name {}

        #[doc(hidden)]
        pub struct $marker<T>(PhantomData<fn() -> T>);

        impl<T: $($bounds)*> StdFunction for $marker<T> {
            const PATH: &'static str = $path;
            fn callee() -> Callee {
                $callee
            }
        }

        #[doc(hidden)]
        impl $name {
            #[allow(missing_docs)]
            pub fn called_in_a_kernel<T: $($bounds)*, F: Fn($($arg),*) $(-> $ret)?>(_: F, _: &FnProbe<Named<F, $marker<T>>>) {}
        }
    )+};
}

known! {
    /// `core::mem::swap` in kernels: of values, and of slices too.
    swap "core::mem::swap" [DeviceType] ((&mut T, &mut T)) Swap: Callee::Recorded(exchanged);
    /// `core::mem::replace` in kernels.
    replace "core::mem::replace" [DeviceType] ((&mut T, T) -> T) Replace: Callee::Recorded(replaced);
    /// `core::mem::take` in kernels.
    take "core::mem::take" [DeviceType + Copy + Default + operators::Default] ((&mut T) -> T) Take: memory::take::<T>::callee();
    /// `core::cmp::min` in kernels.
    min "core::cmp::min" [DeviceType + operators::Ord] ((T, T) -> T) Min: memory::min::<T>::callee();
    /// `core::cmp::max` in kernels.
    max "core::cmp::max" [DeviceType + operators::Ord] ((T, T) -> T) Max: memory::max::<T>::callee();
}

/// `swap(&mut a, &mut b)`
fn exchanged(recorder: &mut Recorder, args: Vec<Expr>, _: Type) -> Expr {
    let mut places = args.into_iter();
    match (places.next(), places.next()) {
        (Some(a), Some(b)) => recorder.exchange(a, b),
        _ => Expr::never(),
    }
}

/// `replace(&mut a, value)`
fn replaced(recorder: &mut Recorder, args: Vec<Expr>, _: Type) -> Expr {
    let mut args = args.into_iter();
    match (args.next(), args.next()) {
        (Some(place), Some(value)) => recorder.replace(place, value),
        _ => Expr::never(),
    }
}
