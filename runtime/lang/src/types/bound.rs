//! Checks of the library's own functions: they fault as an index of a slice does, with both numbers.

use crate::ir::{AssertFailure, Expr, Type};
use crate::record::{Callee, Recorder};
use crate::simulator::context;
use crate::witness::{DeviceFn, FnProbe};

macro_rules! checks {
    ($($(#[$doc:meta])* $name:ident($bound:ident, $limit:ident) $failure:ident if $outside:expr => $fault:ident;)+) => {$(
        $(#[$doc])*
        #[doc(hidden)]
        #[inline]
        #[track_caller]
        pub fn $name($bound: usize, $limit: usize) {
            if $outside {
                context::$fault($bound as i64, $limit);
            }
        }

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        pub struct $name {
            _never: core::convert::Infallible,
        }

        #[doc(hidden)]
        impl $name {
            pub fn called_in_a_kernel(_: fn(usize, usize), _: &FnProbe<Self>) {}
        }

        impl DeviceFn for $name {
            fn callee() -> Callee {
                fn record(recorder: &mut Recorder, args: Vec<Expr>, _: Type) -> Expr {
                    let Ok([bound, limit]) = <[Expr; 2]>::try_from(args) else { return Expr::never() };
                    recorder.check_bound(AssertFailure::$failure, bound, limit)
                }
                Callee::Recorded(record)
            }
        }
    )+};
}

checks! {
    /// Faults unless an index is below a length.
    check_index(index, len) Index if index >= len => fault_bounds;
    /// Faults if the end of a range is beyond a limit.
    check_range(end, limit) Range if end > limit => fault_range;
}
