//! Methods of Rust's library that kernels have for some types: what rustc says of them for the others.
//!
//! Each trait has its hidden method for every type of a bound that no type has.

/// Declares the traits and bounds: a module for each name.
macro_rules! missing {
    ($($name:ident $method:ident($($arg:ident),*) $message:literal, $rule:literal;)+) => {$(
        #[doc(hidden)]
        #[allow(missing_docs)]
        pub mod $name {
            #[diagnostic::on_unimplemented(message = $message, label = "not of a `{Self}`", note = $rule)]
            pub trait InAKernel {}

            pub trait Missing: Sized {
                #[doc(hidden)]
                fn $method<$($arg),*>(&self $(, _: $arg)*) {}
            }

            impl<T: InAKernel> Missing for T {}
        }
    )+};
}

missing! {
    map map_in_kernels(F, P) "in a kernel `map` is of iterators, arrays, `Option` and `Result`", "where `map` is a method of your own, write `#[gpu_impl]` above the `impl` that holds `map`";
    take take_in_kernels(P) "in a kernel `take` is of `Option`", "where `take` is a method of your own, write `#[gpu_impl]` above the `impl` that holds `take`";
    len len_in_kernels(P) "in a kernel `len` is of slices, arrays, views and ranges", "where `len` is a method of your own, write `#[gpu_impl]` above the `impl` that holds `len`";
}
