//! Builtins whose number is a generic argument: `bulk_wait::<N>()`.
//!
//! Their functions are ordinary ones beside these items, with their documentation and their Rust meaning.

/// Defines the types and the builtins of functions without arguments that have one generic argument, a number.
///
/// `wait for bulk_wait: &WAIT, { .. }` defines the type `bulk_wait<N>`, which witness calls, and `wait::<N>()`, its builtin with
/// the fields in braces. Its CUDA text calls the template `ws_bulk_wait`, which the prelude `WAIT` holds.
macro_rules! numbered {
    ($($builtin:ident for $name:ident: $prelude:expr, { $($key:ident: $value:expr),+ $(,)? })+) => {$(
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        pub struct $name<const N: u32> {}

        #[doc(hidden)]
        impl<const N: u32> $name<N> {
            #[allow(missing_docs)]
            pub fn called_in_a_kernel(_: fn(), _: &crate::witness::FnProbe<Self>) {}
        }

        impl<const N: u32> crate::witness::DeviceFn for $name<N> {
            fn callee() -> crate::record::Callee {
                #[cfg(feature = "simulator")]
                unsafe fn meaning<const N: u32>(_args: *const *const u8, _ret: *mut u8) {
                    $name::<N>();
                }
                crate::record::Callee::Builtin(const { &$builtin::<N>() }, crate::meaning::meant!(meaning::<N>))
            }
        }

        #[doc = concat!("The builtin of [`", stringify!($name), "`].")]
        pub(crate) const fn $builtin<const N: u32>() -> crate::ir::Builtin {
            fn text<const N: u32>(_args: &[crate::ir::Type], _ret: &crate::ir::Type) -> crate::ir::CudaText {
                crate::ir::CudaText::with(format!(concat!("ws_", stringify!($name), "<{}>()"), N), $prelude)
            }
            crate::ir::Builtin {
                $($key: $value,)+
                ..crate::ir::Builtin::pure(crate::ir::Name::new(stringify!($name)), text::<N>)
            }
        }
    )+};
}
pub(super) use numbered;
