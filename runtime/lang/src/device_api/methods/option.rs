//! Methods of `Option` and `Result`.
//!
//! Methods that choose between values are written in the kernel language. Methods that fail are recorded, because their
//! fault is at the caller's line.

use warpsmith_macros::gpu_fn;

use crate::ir::{Expr, Type};
use crate::record::option::{is_variant, take};
use crate::record::{Callee, Recorder};
use crate::types::{DeviceType, GpuType, operators};
use crate::witness::{DeviceFn, FnProbe, never_called};

macro_rules! recorded {
    ($($marker:ident |$recorder:ident, $args:ident| $body:expr;)+) => {$(
        #[doc(hidden)]
        pub struct $marker;

        impl DeviceFn for $marker {
            fn callee() -> Callee {
                fn record($recorder: &mut Recorder, $args: Vec<Expr>, _ty: Type) -> Expr {
                    $body
                }
                Callee::Recorded(record)
            }
        }
    )+};
}

recorded! {
    IsSome |r, args| is_variant(r, args, "Some");
    IsNone |r, args| is_variant(r, args, "None");
    IsOk |r, args| is_variant(r, args, "Ok");
    IsErr |r, args| is_variant(r, args, "Err");
    Unwrap |r, args| take(r, args, "Some", "called `Option::unwrap()` on a `None` value");
    UnwrapOk |r, args| take(r, args, "Ok", "called `Result::unwrap()` on an `Err` value");
    UnwrapErr |r, args| take(r, args, "Err", "called `Result::unwrap_err()` on an `Ok` value");
}

/// A device type whose values are copied out of references.
#[doc(hidden)]
pub trait Copied: DeviceType + Copy {}

impl<T: DeviceType + Copy> Copied for T {}

macro_rules! functions {
    ($($(#[$attribute:meta])* fn $name:ident<$($t:ident: $bound:path),+>($($arg:ident: $ty:ty),+) -> $ret:ty $body:block)+) => {$(
        /// The function behind a method.
        #[doc(hidden)]
        #[gpu_fn]
        #[allow(dead_code, clippy::all, reason = "its emitter is called; it defines the method")]
        pub fn $name<$($t: $bound),+>($($arg: $ty),+) -> $ret $body
    )+};
}

functions! {
    fn unwrap_or<T: DeviceType>(option: Option<T>, default: T) -> T {
        match option { Some(value) => value, None => default }
    }
    fn unwrap_or_else<T: DeviceType>(option: Option<T>, default: impl FnOnce() -> T) -> T {
        match option { Some(value) => value, None => default() }
    }
    fn map<T: DeviceType, U: DeviceType>(option: Option<T>, f: impl FnOnce(T) -> U) -> Option<U> {
        match option { Some(value) => Some(f(value)), None => None }
    }
    fn map_or<T: DeviceType, U: DeviceType>(option: Option<T>, default: U, f: impl FnOnce(T) -> U) -> U {
        match option { Some(value) => f(value), None => default }
    }
    fn and_then<T: DeviceType, U: DeviceType>(option: Option<T>, f: impl FnOnce(T) -> Option<U>) -> Option<U> {
        match option { Some(value) => f(value), None => None }
    }
    fn is_some_and<T: DeviceType>(option: Option<T>, f: impl FnOnce(T) -> bool) -> bool {
        match option { Some(value) => f(value), None => false }
    }
    fn filter<T: DeviceType>(option: Option<T>, f: impl FnOnce(&T) -> bool) -> Option<T> {
        match option {
            Some(value) => if f(&value) { Some(value) } else { None },
            None => None,
        }
    }
    fn or<T: DeviceType>(option: Option<T>, other: Option<T>) -> Option<T> {
        match option { Some(value) => Some(value), None => other }
    }
    fn or_else<T: DeviceType>(option: Option<T>, f: impl FnOnce() -> Option<T>) -> Option<T> {
        match option { Some(value) => Some(value), None => f() }
    }
    fn and<T: DeviceType, U: DeviceType>(option: Option<T>, other: Option<U>) -> Option<U> {
        match option { Some(_) => other, None => None }
    }
    fn xor<T: DeviceType>(option: Option<T>, other: Option<T>) -> Option<T> {
        match option {
            Some(value) => match other { Some(_) => None, None => Some(value) },
            None => other,
        }
    }
    fn zip<T: DeviceType, U: DeviceType>(option: Option<T>, other: Option<U>) -> Option<(T, U)> {
        match option {
            Some(value) => match other { Some(second) => Some((value, second)), None => None },
            None => None,
        }
    }
    fn flatten<T: DeviceType>(option: Option<Option<T>>) -> Option<T> {
        match option { Some(inner) => inner, None => None }
    }
    fn insert<T: GpuType>(option: &mut Option<T>, value: T) -> &mut T {
        *option = Some(value);
        match option { Some(value) => value, None => unreachable!() }
    }
    fn get_or_insert<T: GpuType>(option: &mut Option<T>, value: T) -> &mut T {
        if let None = option { *option = Some(value); }
        match option { Some(value) => value, None => unreachable!() }
    }
    fn get_or_insert_with<T: GpuType>(option: &mut Option<T>, f: impl FnOnce() -> T) -> &mut T {
        if let None = option { *option = Some(f()); }
        match option { Some(value) => value, None => unreachable!() }
    }
    fn map_or_else<T: DeviceType, U: DeviceType>(option: Option<T>, default: impl FnOnce() -> U, f: impl FnOnce(T) -> U) -> U {
        match option { Some(value) => f(value), None => default() }
    }
    fn is_none_or<T: DeviceType>(option: Option<T>, f: impl FnOnce(T) -> bool) -> bool {
        match option { Some(value) => f(value), None => true }
    }
    fn as_mut<T: DeviceType>(option: &mut Option<T>) -> Option<&mut T> {
        match option { Some(value) => Some(value), None => None }
    }
    fn as_ref<T: DeviceType>(option: &Option<T>) -> Option<&T> {
        match option { Some(value) => Some(value), None => None }
    }
    fn then_some<T: DeviceType>(there: bool, value: T) -> Option<T> {
        if there { Some(value) } else { None }
    }
    fn then<T: DeviceType>(there: bool, f: impl FnOnce() -> T) -> Option<T> {
        if there { Some(f()) } else { None }
    }
    fn ok_or<T: DeviceType, E: DeviceType>(option: Option<T>, error: E) -> Result<T, E> {
        match option { Some(value) => Ok(value), None => Err(error) }
    }
    fn ok_or_else<T: DeviceType, E: DeviceType>(option: Option<T>, error: impl FnOnce() -> E) -> Result<T, E> {
        match option { Some(value) => Ok(value), None => Err(error()) }
    }
    fn copied<T: Copied>(option: Option<&T>) -> Option<T> {
        match option { Some(value) => Some(*value), None => None }
    }
    fn ok<T: DeviceType, E: DeviceType>(result: Result<T, E>) -> Option<T> {
        match result { Ok(value) => Some(value), Err(_) => None }
    }
    fn err<T: DeviceType, E: DeviceType>(result: Result<T, E>) -> Option<E> {
        match result { Ok(_) => None, Err(error) => Some(error) }
    }
    fn is_ok_and<T: DeviceType, E: DeviceType>(result: Result<T, E>, f: impl FnOnce(T) -> bool) -> bool {
        match result { Ok(value) => f(value), Err(_) => false }
    }
    fn is_err_and<T: DeviceType, E: DeviceType>(result: Result<T, E>, f: impl FnOnce(E) -> bool) -> bool {
        match result { Ok(_) => false, Err(error) => f(error) }
    }
    fn ok_map_or<T: DeviceType, E: DeviceType, U: DeviceType>(result: Result<T, E>, default: U, f: impl FnOnce(T) -> U) -> U {
        match result { Ok(value) => f(value), Err(_) => default }
    }
    fn ok_unwrap_or<T: DeviceType, E: DeviceType>(result: Result<T, E>, default: T) -> T {
        match result { Ok(value) => value, Err(_) => default }
    }
    fn map_ok<T: DeviceType, E: DeviceType, U: DeviceType>(result: Result<T, E>, f: impl FnOnce(T) -> U) -> Result<U, E> {
        match result { Ok(value) => Ok(f(value)), Err(error) => Err(error) }
    }
    fn map_err<T: DeviceType, E: DeviceType, D: DeviceType>(result: Result<T, E>, f: impl FnOnce(E) -> D) -> Result<T, D> {
        match result { Ok(value) => Ok(value), Err(error) => Err(f(error)) }
    }
    fn and_then_ok<T: DeviceType, E: DeviceType, U: DeviceType>(result: Result<T, E>, f: impl FnOnce(T) -> Result<U, E>) -> Result<U, E> {
        match result { Ok(value) => f(value), Err(error) => Err(error) }
    }
    fn ok_map_or_else<T: DeviceType, E: DeviceType, U: DeviceType>(result: Result<T, E>, default: impl FnOnce(E) -> U, f: impl FnOnce(T) -> U) -> U {
        match result { Ok(value) => f(value), Err(error) => default(error) }
    }
    fn ok_and<T: DeviceType, E: DeviceType, U: DeviceType>(result: Result<T, E>, other: Result<U, E>) -> Result<U, E> {
        match result { Ok(_) => other, Err(error) => Err(error) }
    }
    fn ok_or_other<T: DeviceType, E: DeviceType, D: DeviceType>(result: Result<T, E>, other: Result<T, D>) -> Result<T, D> {
        match result { Ok(value) => Ok(value), Err(_) => other }
    }
    fn err_or_else<T: DeviceType, E: DeviceType, D: DeviceType>(result: Result<T, E>, f: impl FnOnce(E) -> Result<T, D>) -> Result<T, D> {
        match result { Ok(value) => Ok(value), Err(error) => f(error) }
    }
    fn ok_unwrap_or_else<T: DeviceType, E: DeviceType>(result: Result<T, E>, default: impl FnOnce(E) -> T) -> T {
        match result { Ok(value) => value, Err(error) => default(error) }
    }
}

/// The function behind `take`.
#[doc(hidden)]
#[gpu_fn]
#[allow(
    dead_code,
    clippy::mem_replace_option_with_none,
    reason = "its emitter is called; it defines the method"
)]
pub fn taken<T: DeviceType>(option: &mut Option<T>) -> Option<T> {
    core::mem::replace(option, None)
}

/// The function behind `replace`.
#[doc(hidden)]
#[gpu_fn]
#[allow(
    dead_code,
    clippy::mem_replace_option_with_some,
    reason = "its emitter is called; it defines the method"
)]
pub fn replaced<T: DeviceType>(option: &mut Option<T>, value: T) -> Option<T> {
    core::mem::replace(option, Some(value))
}

/// The function behind `unwrap_or_default`.
#[doc(hidden)]
#[gpu_fn]
#[allow(dead_code, clippy::manual_unwrap_or_default, reason = "its emitter is called; it defines the method")]
pub fn unwrap_or_default<T: DeviceType + Default + operators::Default>(option: Option<T>) -> T {
    match option {
        Some(value) => value,
        None => T::default(),
    }
}

/// The function behind `unwrap_or_default` of a `Result`.
#[doc(hidden)]
#[gpu_fn]
#[allow(dead_code, clippy::manual_unwrap_or_default, reason = "its emitter is called; it defines the method")]
pub fn ok_unwrap_or_default<T: DeviceType + Default + operators::Default, E: DeviceType>(
    result: Result<T, E>,
) -> T {
    match result {
        Ok(value) => value,
        Err(_) => T::default(),
    }
}

macro_rules! methods {
    ($($method:ident $(<$($g:ident: $bound:path),+>)? ($($ty:ty),*) -> $ret:ty = $marker:ty;)+) => {$(
        #[doc(hidden)]
        fn $method $(<$($g: $bound),+>)? (self $(, _: $ty)*, _probe: &FnProbe<$marker>) -> $ret {
            never_called()
        }
    )+};
}

/// Methods of `Option` in kernels.
#[allow(missing_docs)]
pub trait OptionMethods<T: DeviceType>: Sized {
    methods! {
        is_some_in_kernels() -> bool = IsSome;
        is_none_in_kernels() -> bool = IsNone;
        unwrap_in_kernels() -> T = Unwrap;
        unwrap_or_in_kernels(T) -> T = unwrap_or<T>;
        unwrap_or_else_in_kernels<F: FnOnce() -> T>(F) -> T = unwrap_or_else<T>;
        map_in_kernels<U: DeviceType, F: FnOnce(T) -> U>(F) -> Option<U> = map<T, U>;
        map_or_in_kernels<U: DeviceType, F: FnOnce(T) -> U>(U, F) -> U = map_or<T, U>;
        and_then_in_kernels<U: DeviceType, F: FnOnce(T) -> Option<U>>(F) -> Option<U> = and_then<T, U>;
        is_some_and_in_kernels<F: FnOnce(T) -> bool>(F) -> bool = is_some_and<T>;
        filter_in_kernels<F: FnOnce(&T) -> bool>(F) -> Option<T> = filter<T>;
        or_in_kernels(Option<T>) -> Option<T> = or<T>;
        or_else_in_kernels<F: FnOnce() -> Option<T>>(F) -> Option<T> = or_else<T>;
        map_or_else_in_kernels<U: DeviceType, D: FnOnce() -> U, F: FnOnce(T) -> U>(D, F) -> U = map_or_else<T, U>;
        is_none_or_in_kernels<F: FnOnce(T) -> bool>(F) -> bool = is_none_or<T>;
        ok_or_in_kernels<E: DeviceType>(E) -> Result<T, E> = ok_or<T, E>;
        ok_or_else_in_kernels<E: DeviceType, F: FnOnce() -> E>(F) -> Result<T, E> = ok_or_else<T, E>;
        and_in_kernels<U: DeviceType>(Option<U>) -> Option<U> = and<T, U>;
        xor_in_kernels(Option<T>) -> Option<T> = xor<T>;
        zip_in_kernels<U: DeviceType>(Option<U>) -> Option<(T, U)> = zip<T, U>;
    }
    #[doc(hidden)]
    fn take_in_kernels(&mut self, _probe: &FnProbe<taken<T>>) -> Option<T> {
        never_called()
    }
    #[doc(hidden)]
    fn replace_in_kernels(&mut self, _: T, _probe: &FnProbe<replaced<T>>) -> Option<T> {
        never_called()
    }
    #[doc(hidden)]
    fn insert_in_kernels(&mut self, _: T, _probe: &FnProbe<insert<T>>) -> &mut T
    where
        T: GpuType,
    {
        never_called()
    }
    #[doc(hidden)]
    fn get_or_insert_in_kernels(&mut self, _: T, _probe: &FnProbe<get_or_insert<T>>) -> &mut T
    where
        T: GpuType,
    {
        never_called()
    }
    #[doc(hidden)]
    fn get_or_insert_with_in_kernels<F: FnOnce() -> T>(
        &mut self,
        _: F,
        _probe: &FnProbe<get_or_insert_with<T>>,
    ) -> &mut T
    where
        T: GpuType,
    {
        never_called()
    }
    #[doc(hidden)]
    fn as_mut_in_kernels(&mut self, _probe: &FnProbe<as_mut<T>>) -> Option<&mut T> {
        never_called()
    }
    #[doc(hidden)]
    fn as_ref_in_kernels(&self, _probe: &FnProbe<as_ref<T>>) -> Option<&T> {
        never_called()
    }
    #[doc(hidden)]
    fn unwrap_or_default_in_kernels(self, _probe: &FnProbe<unwrap_or_default<T>>) -> T
    where
        T: Default + operators::Default,
    {
        never_called()
    }
}

impl<T: DeviceType> OptionMethods<T> for Option<T> {}

/// Methods of `Option`s of references in kernels.
#[allow(missing_docs)]
pub trait OptionRefMethods<T: Copied>: Sized {
    methods! {
        copied_in_kernels() -> Option<T> = copied<T>;
        cloned_in_kernels() -> Option<T> = copied<T>;
    }
}

impl<T: Copied> OptionRefMethods<T> for Option<&T> {}

/// Methods of `Option`s of `Option`s in kernels.
#[allow(missing_docs)]
pub trait NestedOptionMethods<T: DeviceType>: Sized {
    methods! {
        flatten_in_kernels() -> Option<T> = flatten<T>;
    }
}

impl<T: DeviceType> NestedOptionMethods<T> for Option<Option<T>> {}

/// Methods of `bool` in kernels.
#[allow(missing_docs)]
pub trait BoolMethods: Sized {
    methods! {
        then_some_in_kernels<T: DeviceType>(T) -> Option<T> = then_some<T>;
        then_in_kernels<T: DeviceType, F: FnOnce() -> T>(F) -> Option<T> = then<T>;
    }
}

impl BoolMethods for bool {}

/// Methods of `Result` in kernels.
#[allow(missing_docs)]
pub trait ResultMethods<T: DeviceType, E: DeviceType>: Sized {
    methods! {
        is_ok_in_kernels() -> bool = IsOk;
        is_err_in_kernels() -> bool = IsErr;
        unwrap_in_kernels() -> T = UnwrapOk;
        unwrap_err_in_kernels() -> E = UnwrapErr;
        unwrap_or_in_kernels(T) -> T = ok_unwrap_or<T, E>;
        ok_in_kernels() -> Option<T> = ok<T, E>;
        err_in_kernels() -> Option<E> = err<T, E>;
        map_in_kernels<U: DeviceType, F: FnOnce(T) -> U>(F) -> Result<U, E> = map_ok<T, E, U>;
        map_err_in_kernels<D: DeviceType, F: FnOnce(E) -> D>(F) -> Result<T, D> = map_err<T, E, D>;
        and_then_in_kernels<U: DeviceType, F: FnOnce(T) -> Result<U, E>>(F) -> Result<U, E> = and_then_ok<T, E, U>;
        unwrap_or_else_in_kernels<F: FnOnce(E) -> T>(F) -> T = ok_unwrap_or_else<T, E>;
        map_or_in_kernels<U: DeviceType, F: FnOnce(T) -> U>(U, F) -> U = ok_map_or<T, E, U>;
        is_ok_and_in_kernels<F: FnOnce(T) -> bool>(F) -> bool = is_ok_and<T, E>;
        is_err_and_in_kernels<F: FnOnce(E) -> bool>(F) -> bool = is_err_and<T, E>;
        map_or_else_in_kernels<U: DeviceType, D: FnOnce(E) -> U, F: FnOnce(T) -> U>(D, F) -> U = ok_map_or_else<T, E, U>;
        and_in_kernels<U: DeviceType>(Result<U, E>) -> Result<U, E> = ok_and<T, E, U>;
        or_in_kernels<D: DeviceType>(Result<T, D>) -> Result<T, D> = ok_or_other<T, E, D>;
        or_else_in_kernels<D: DeviceType, F: FnOnce(E) -> Result<T, D>>(F) -> Result<T, D> = err_or_else<T, E, D>;
    }
    #[doc(hidden)]
    fn unwrap_or_default_in_kernels(self, _probe: &FnProbe<ok_unwrap_or_default<T, E>>) -> T
    where
        T: Default + operators::Default,
    {
        never_called()
    }
}

impl<T: DeviceType, E: DeviceType> ResultMethods<T, E> for Result<T, E> {}
