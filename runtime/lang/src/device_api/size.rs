//! `core::mem::size_of` and `align_of` in a kernel: constants, since CUDA lays types out as Rust does.

use crate::ir::Expr;
use crate::record::Callee;
use crate::types::{Constant, GpuType};
use crate::witness::{DeviceFn, FnProbe};

macro_rules! layout {
    ($($name:ident)+) => {$(
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        pub struct $name<T> {
            _generics: core::marker::PhantomData<fn() -> T>,
        }

        #[doc(hidden)]
        #[allow(missing_docs)]
        impl<T: GpuType> $name<T> {
            pub fn called_in_a_kernel(_: fn() -> usize, _: &FnProbe<Self>) {}
        }

        impl<T> DeviceFn for $name<T> {
            fn callee() -> Callee {
                fn value<T>() -> Expr {
                    core::mem::$name::<T>().to_expr(None)
                }
                Callee::Constant(value::<T>)
            }
        }
    )+};
}

layout! { size_of align_of }

#[doc(hidden)]
pub use core::mem::{align_of, size_of};
