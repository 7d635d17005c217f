//! The functions that kernels call: builtins as ordinary, documented Rust functions.
//!
//! Each builtin is one item that holds its Rust meaning (the twin, which the simulator runs) and
//! its CUDA text. Adding one takes one `builtin!` item and a test. Independent of IR printing and of drivers.

/// Defines builtins: documented Rust functions, the types of the same names that witness calls, and their list.
///
/// The properties before the body are fields of [`crate::ir::Builtin`]; `cuda` is a function from
/// argument and result types to [`crate::ir::CudaText`], and `facts` says all that passes, checks and printers know of it.
/// The list is a module, `builtins` if the macro is given no other name, which [`registry`] names.
macro_rules! builtin {
    (in $list:ident; $(
        $(#[$doc:meta])*
        pub fn $name:ident $(<$t:ident: $($life:lifetime +)? $bound:path>)? ($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?
        { cuda: $cuda:expr $(, $key:ident: $value:expr)* $(,)? }
        $body:block
    )+) => {
        $(
            $(#[$doc])*
            #[inline]
            #[track_caller]
            pub fn $name $(<$t: $($life +)? $bound>)? ($($arg: $ty),*) $(-> $ret)? $body

            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            pub struct $name $(<$t>)? {
                _generics: core::marker::PhantomData<fn() -> ($($t,)?)>,
            }

            #[doc(hidden)]
            impl $(<$t $(: $life)?>)? $name $(<$t>)? {
                #[allow(missing_docs, clippy::type_complexity)]
                pub fn called_in_a_kernel(_: fn($($ty),*) $(-> $ret)?, _: &crate::witness::FnProbe<Self>) {}
            }

            impl $(<$t: $($life +)? $bound>)? crate::witness::DeviceFn for $name $(<$t>)? {
                fn callee() -> crate::record::Callee {
                    #[cfg(feature = "simulator")]
                    #[allow(unused_mut, unused_variables)]
                    unsafe fn meaning $(<$t: $($life +)? $bound>)? (args: *const *const u8, ret: *mut u8) {
                        // SAFETY: the caller of a meaning passes the arguments that the meaning was made for.
                        unsafe {
                            let mut args = crate::meaning::Arguments::new(args);
                            $(let $arg: $ty = args.take();)*
                            crate::meaning::give($name $(::<$t>)? ($($arg),*), ret);
                        }
                    }
                    let builtin = &$list::ALL[$list::Number::$name as usize];
                    crate::record::Callee::Builtin(builtin, crate::meaning::meant!(meaning $(::<$t>)?))
                }
            }
        )+

        pub(crate) mod $list {
            #[allow(unused_imports, clippy::wildcard_imports, reason = "what the properties of builtins name")]
            use super::*;

            #[allow(non_camel_case_types)]
            pub(super) enum Number { $($name),+ }

            pub(crate) static ALL: &[crate::ir::Builtin] = &[$({
                fn text(args: &[crate::ir::Type], ret: &crate::ir::Type) -> crate::ir::CudaText {
                    ($cuda)(args, ret)
                }
                crate::ir::Builtin {
                    $($key: $value,)*
                    ..crate::ir::Builtin::pure(crate::ir::Name::new(stringify!($name)), text)
                }
            }),+];
        }
    };
    ($($items:tt)+) => {
        builtin! { in builtins; $($items)+ }
    };
}

pub mod array;
pub mod atomic;
pub mod barrier;
pub mod bulk_copy;
pub mod cluster;
pub mod convert;
pub mod copy_async;
pub mod dependency;
pub mod fast;
pub mod fence;
pub mod fp8;
pub mod group;
pub mod hint;
pub mod index;
pub mod int_intrinsics;
pub mod ldmatrix;
pub mod math;
pub mod mbarrier;
pub mod memory;
pub mod methods;
pub mod mma;
pub mod number;
mod numbered;
pub mod ordered;
mod ordered_text;
pub mod packed;
mod registry;
pub mod rounding;
pub mod setmaxnreg;
pub mod shared;
pub mod shuffle;
#[doc(hidden)]
pub mod size;
#[doc(hidden)]
pub mod std_names;
pub mod sync;
#[doc(hidden)]
pub mod tensor_copy;
pub(crate) mod text;
#[doc(hidden)]
pub mod texture;
pub mod time;
pub mod vote;
pub mod wgmma;

#[doc(hidden)]
pub use registry::{Entry, registry};
