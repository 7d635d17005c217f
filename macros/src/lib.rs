//! The procedural macros of `warpsmith`.
//!
//! One annotated function becomes three things: the *twin* (the body with real Rust types, which the simulator runs), the
//! *witness* (the same tokens in a closure that is type-checked but never called, whose return type contains every
//! inferred type) and the *emitter* (a function that records the IR with those types). `warpsmith-expand` generates them;
//! this crate has the names by which rustc calls it.

use proc_macro::TokenStream;
use warpsmith_expand as expand;

/// Turns a function into a GPU kernel; see the `warpsmith` crate for the language.
#[proc_macro_attribute]
pub fn gpu_kernel(attr: TokenStream, item: TokenStream) -> TokenStream {
    expand::kernel(attr.into(), item.into()).into()
}

/// Makes a function callable from kernels; it prints as a `__device__` function, once per instance.
#[proc_macro_attribute]
pub fn gpu_fn(attr: TokenStream, item: TokenStream) -> TokenStream {
    expand::function(attr.into(), item.into()).into()
}

/// Makes the functions of an `impl` block callable from kernels.
#[proc_macro_attribute]
pub fn gpu_impl(attr: TokenStream, item: TokenStream) -> TokenStream {
    expand::implementation(attr.into(), item.into()).into()
}

/// Makes the functions of a trait callable from kernels on types that `#[gpu_impl]` it.
#[proc_macro_attribute]
pub fn gpu_trait(attr: TokenStream, item: TokenStream) -> TokenStream {
    expand::trait_(attr.into(), item.into()).into()
}

/// Puts a static into constant memory: kernels read it, the host sets it.
#[proc_macro_attribute]
pub fn gpu_const(attr: TokenStream, item: TokenStream) -> TokenStream {
    expand::constant(&attr.into(), item.into()).into()
}

/// Puts a static into device memory, shared by all kernels: they read and write it, as the host does.
///
/// `#[gpu_static(managed)]` puts it into managed memory, which the host accesses at the same address.
#[proc_macro_attribute]
pub fn gpu_static(attr: TokenStream, item: TokenStream) -> TokenStream {
    expand::static_(&attr.into(), item.into()).into()
}

/// Makes a `#[repr(C)]` struct of device types a device type.
#[proc_macro_derive(GpuType, attributes(gpu))]
pub fn gpu_type(item: TokenStream) -> TokenStream {
    expand::derive_gpu_type(item.into()).into()
}

/// Makes a `#[repr(C)]` struct a device type that exists only in kernels, and whose values are moved. Buffers cannot hold
/// it, and it may have references.
#[proc_macro_derive(DeviceType)]
pub fn device_type(item: TokenStream) -> TokenStream {
    expand::derive_device_type(item.into()).into()
}

/// Makes a struct of tiles the content of a stage of a `Pipeline`.
#[proc_macro_derive(Stage)]
pub fn stage(item: TokenStream) -> TokenStream {
    expand::derive_stage(item.into()).into()
}

/// Declares the device versions of std methods; for `warpsmith` itself.
#[doc(hidden)]
#[proc_macro]
pub fn device_methods(item: TokenStream) -> TokenStream {
    expand::device_methods(item.into()).into()
}

/// Imports the macros of the standard library that bodies may call; for `warpsmith` itself.
#[doc(hidden)]
#[proc_macro]
pub fn known_macros(_: TokenStream) -> TokenStream {
    expand::known_macros().into()
}
