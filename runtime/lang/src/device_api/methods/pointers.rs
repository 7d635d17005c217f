//! Methods of raw pointers: other addresses, reads and writes.

use crate::ir::{Builtin, CudaText, Effect, Facts, Form, Meaning, Name};
use crate::meaning::{Arguments, give};
use crate::record::Callee;
use crate::simulator::{AccessKind, context};
use crate::types::DeviceType;
use crate::witness::{DeviceFn, FnProbe, never_called};

/// Raw pointers in kernels.
pub trait PointerMethods: Sized {
    /// The type that it points to.
    type Target;
    /// The same pointer to another type.
    type To<U>;
    #[doc(hidden)]
    fn add_in_kernels(self, _count: usize, _probe: &FnProbe<PointerAdd<Self::Target>>) -> Self {
        never_called()
    }
    #[doc(hidden)]
    fn sub_in_kernels(self, _count: usize, _probe: &FnProbe<PointerSub<Self::Target>>) -> Self {
        never_called()
    }
    #[doc(hidden)]
    fn offset_in_kernels(self, _count: isize, _probe: &FnProbe<PointerAdd<Self::Target>>) -> Self {
        never_called()
    }
    #[doc(hidden)]
    fn wrapping_add_in_kernels(self, _count: usize, _probe: &FnProbe<PointerAdd<Self::Target>>) -> Self {
        never_called()
    }
    #[doc(hidden)]
    fn wrapping_sub_in_kernels(self, _count: usize, _probe: &FnProbe<PointerSub<Self::Target>>) -> Self {
        never_called()
    }
    #[doc(hidden)]
    fn wrapping_offset_in_kernels(self, _count: isize, _probe: &FnProbe<PointerAdd<Self::Target>>) -> Self {
        never_called()
    }
    #[doc(hidden)]
    fn read_in_kernels(self, _probe: &FnProbe<PointerRead<Self::Target>>) -> Self::Target {
        never_called()
    }
    #[doc(hidden)]
    fn is_null_in_kernels(self, _probe: &FnProbe<PointerIsNull<Self::Target>>) -> bool {
        never_called()
    }
    #[doc(hidden)]
    fn cast_in_kernels<U>(self, _probe: &FnProbe<crate::types::operators::CastMarker>) -> Self::To<U> {
        never_called()
    }
    #[doc(hidden)]
    fn write_in_kernels(self, _value: Self::Target, _probe: &FnProbe<PointerWrite<Self::Target>>) {
        never_called()
    }
}

impl<T> PointerMethods for *const T {
    type Target = T;
    type To<U> = *const U;
}

impl<T> PointerMethods for *mut T {
    type Target = T;
    type To<U> = *mut U;
}

macro_rules! pointer {
    ($($name:ident, $rust:literal, $text:literal, |$args:ident, $ret:ident| $meaning:expr $(, $key:ident: $value:expr)*;)+) => {
    $(
        #[doc(hidden)]
        pub struct $name<T>(core::marker::PhantomData<fn() -> T>);

        impl<T: DeviceType> DeviceFn for $name<T> {
            fn callee() -> Callee {
                #[allow(clippy::extra_unused_type_parameters, reason = "all pointers are told apart by their elements")]
                unsafe fn meaning<T: DeviceType>(args: *const *const u8, $ret: *mut u8) {
                    // SAFETY: the caller of a meaning passes the arguments that the meaning was made for.
                    unsafe {
                        let mut $args = Arguments::new(args);
                        $meaning
                    }
                }
                Callee::Builtin(&pointers::ALL[pointers::Number::$name as usize], Some(Meaning(meaning::<T>)))
            }
        }
    )+

        /// The builtins of the methods of raw pointers.
        pub(crate) mod pointers {
            use super::*;

            #[allow(clippy::enum_variant_names, reason = "the names of the markers")]
            pub(super) enum Number { $($name),+ }

            pub(crate) static ALL: &[Builtin] = &[$(Builtin {
                $($key: $value,)*
                ..Builtin::pure(Name::new($rust), |_, _| CudaText::new($text))
            }),+];
        }
    };
}

/// The address `count` elements further.
fn moved<T: DeviceType>(from: *mut u8, count: isize) -> *mut u8 {
    from.wrapping_offset(count.wrapping_mul(T::LAYOUT.size as isize))
}

pointer! {
    PointerAdd, "add", "(({0}) + ({1}))", |args, ret| give(moved::<T>(args.take(), args.take()), ret),
        facts: Facts::MOVES.is(Form::PointerSum);
    PointerSub, "sub", "(({0}) - ({1}))", |args, ret| {
        let (from, count): (_, isize) = (args.take(), args.take());
        give(moved::<T>(from, count.wrapping_neg()), ret);
    }, facts: Facts::MOVES;
    PointerRead, "read", "(*({0}))", |args, ret| {
        let from: *const u8 = args.take();
        context::on_access_at(from.cast::<T>(), AccessKind::Read);
        give(T::from_ir(from), ret);
    }, effect: Effect::Writes, facts: Facts::READS.is(Form::PointerRead);
    PointerWrite, "write", "(*({0}) = {1})", |args, _ret| {
        let (to, value): (*mut u8, T) = (args.take(), args.take());
        context::on_access_at(to.cast::<T>().cast_const(), AccessKind::Write);
        value.to_ir(to);
    }, effect: Effect::Writes, facts: Facts::WRITES.is(Form::PointerWrite);
    PointerIsNull, "is_null", "(({0}) == nullptr)", |args, ret| give(args.take::<*const u8>().is_null(), ret);
}
