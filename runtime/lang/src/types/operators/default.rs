//! `T::default()` in kernels, of the user's types, of those that derive it, and of the IR's own.

use core::marker::PhantomData;

use crate::record::{Callee, Recorder};
use crate::witness::{DeviceFn, FnProbe};

/// `T::default()` in kernels.
#[diagnostic::on_unimplemented(
    message = "`{Self}::default()` cannot be used in a kernel",
    note = "write `#[gpu_impl]` above `impl Default for {Self}`"
)]
pub trait Default: core::default::Default {
    device_side!();
    /// `Self::default()` in a witness.
    #[doc(hidden)]
    fn default_in_kernels(_probe: &FnProbe<Self::Marker>) -> Self {
        crate::witness::never_called()
    }
}

impl<T: crate::types::Constant, const N: usize> Default for [T; N]
where
    [T; N]: core::default::Default,
{
    type Marker = ZeroMarker<[T; N]>;
}

impl<T: crate::types::DeviceType> Default for Option<T> {
    type Marker = NoneMarker<T>;
}

/// Marker of `Option::<T>::default()`.
#[doc(hidden)]
pub struct NoneMarker<T>(PhantomData<fn() -> T>);

impl<T: crate::types::DeviceType> DeviceFn for NoneMarker<T> {
    fn callee() -> Callee {
        Callee::Constant(crate::types::none::<T>)
    }
}

/// The value of a call of `T::default()`, whose function is to be found.
#[doc(hidden)]
pub struct DefaultOf<T>(PhantomData<T>);

/// A witness calls this to find the function that made a default.
#[doc(hidden)]
pub fn default_of<T>(_value: &T) -> DefaultOf<T> {
    DefaultOf(PhantomData)
}

/// First choice: the device function.
#[doc(hidden)]
pub trait ResolveDefault<M> {
    /// Sets the probe.
    fn __resolve(&self, _probe: &FnProbe<M>) {}
}

impl<T: Default> ResolveDefault<T::Marker> for &DefaultOf<T> {}

/// Second choice: the constant that the host computes, as of `#[derive(Default)]`.
#[doc(hidden)]
pub trait ResolveDerivedDefault<T: crate::types::Constant + core::default::Default> {
    /// Sets the probe.
    fn __resolve(&self, _probe: &FnProbe<ZeroMarker<T>>) {}
}

impl<T: crate::types::Constant + core::default::Default> ResolveDerivedDefault<T> for DefaultOf<T> {}

/// `Default::default()`, whose type follows from where it stands: the constant that the host computes.
#[doc(hidden)]
pub fn constant_default<T: crate::types::Constant + core::default::Default>(
    _probe: &FnProbe<ZeroMarker<T>>,
) -> T {
    crate::witness::never_called()
}

/// Marker of `T::default()` of a scalar.
#[doc(hidden)]
pub struct ZeroMarker<T>(PhantomData<fn() -> T>);

impl<T: crate::types::Constant + core::default::Default> DeviceFn for ZeroMarker<T> {
    fn callee() -> Callee {
        Callee::Constant(|| T::default().to_expr(None))
    }
}
