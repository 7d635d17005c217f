//! What is asked of slices: `contains`, `starts_with`, `ends_with`, and the first or the last element and the others.

use crate::ir::{Expr, Type};
use crate::record::{Callee, Recorder};
use crate::types::DeviceType;
use crate::types::operators::PartialEq;
use crate::witness::DeviceFn;

macro_rules! compared {
    ($($(#[$doc:meta])* $name:ident => |$recorder:ident, $element:ident, $x:ident, $other:ident| $record:expr;)+) => {$(
        $(#[$doc])*
        #[doc(hidden)]
        pub struct $name<T>(core::marker::PhantomData<fn() -> T>);

        impl<T: PartialEq> DeviceFn for $name<T> {
            fn callee() -> Callee {
                fn record<T: PartialEq>($recorder: &mut Recorder, args: Vec<Expr>, _: Type) -> Expr {
                    let mut args = args.into_iter();
                    let (Some($x), Some($other)) = (args.next(), args.next()) else { return Expr::never() };
                    let $element = T::Marker::callee();
                    $record
                }
                Callee::Recorded(record::<T>)
            }
        }
    )+};
}

compared! {
    /// `x.contains(&value)`
    Contains => |recorder, element, x, value| recorder.contains(element, x, value);
    /// `x.starts_with(&prefix)`
    StartsWith => |recorder, element, x, prefix| recorder.begins_or_ends(&element, x, prefix, false);
    /// `x.ends_with(&suffix)`
    EndsWith => |recorder, element, x, suffix| recorder.begins_or_ends(&element, x, suffix, true);
}

/// Functions whose two arguments are slices, called with whatever has elements side by side.
macro_rules! with_parts {
    ($($(#[$doc:meta])* $name:ident = $function:ident;)+) => {$(
        $(#[$doc])*
        #[doc(hidden)]
        pub struct $name;

        impl crate::witness::DeviceFn for $name {
            fn callee() -> crate::record::Callee {
                use crate::ir::{Expr, Type};
                use crate::record::{Callee, Recorder};
                fn record(recorder: &mut Recorder, args: Vec<Expr>, ty: Type) -> Expr {
                    let parts = args.into_iter().map(|arg| {
                        let part = recorder.sub_slice(false, arg, None, None, false);
                        recorder.bind(part)
                    });
                    let parts = parts.collect();
                    recorder.call(Some(<$function as crate::witness::DeviceFn>::callee()), parts, ty)
                }
                Callee::Recorded(record)
            }
        }
    )+};
}

pub(super) use with_parts;

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn first_and_rest<T: DeviceType>(x: &[T]) -> Option<(&T, &[T])> {
    if x.is_empty() { None } else { Some((&x[0], &x[1..])) }
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn last_and_rest<T: DeviceType>(x: &[T]) -> Option<(&T, &[T])> {
    if x.is_empty() { None } else { Some((&x[x.len() - 1], &x[..x.len() - 1])) }
}
