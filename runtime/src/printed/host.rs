//! The functions of the host that a compiled text calls, with their C declarations.
//!
//! Each is one line of a table: its name in C++, its parameters, and its Rust code. `functions.rs` makes the declarations that
//! the shim includes of the same line. A function may unwind: through the frames of the text to the thread's start.

use std::ffi::{CStr, c_char, c_void};

/// A type that Rust and C++ pass alike.
pub(super) trait CType {
    /// Its name in C++.
    const NAME: &'static str;
}

macro_rules! c_types {
    ($($t:ty = $name:literal;)+) => {$(
        impl CType for $t {
            const NAME: &'static str = $name;
        }
    )+};
}

c_types! {
    () = "void";
    bool = "bool";
    u8 = "unsigned char";
    u16 = "unsigned short";
    i32 = "int";
    u32 = "unsigned int";
    i64 = "long long";
    u64 = "unsigned long long";
    f32 = "float";
    f64 = "double";
    *mut i32 = "int*";
    *mut u32 = "unsigned int*";
    *mut f32 = "float*";
    *mut f64 = "double*";
    *mut c_void = "void*";
    *const c_void = "const void*";
    *const c_char = "const char*";
    *const i32 = "const int*";
    *const u32 = "const unsigned int*";
    *const u64 = "const unsigned long long*";
    *const *const c_void = "const void* const*";
}

/// A function of the host.
pub(super) struct HostFunction {
    /// Its name in C++; several may share one, as overloads.
    pub name: &'static str,
    pub ret: &'static str,
    pub params: &'static [&'static str],
    pub address: *const (),
}

// SAFETY: the address of a function.
unsafe impl Sync for HostFunction {}

/// A table of functions: `"name"(a: f32) -> f32 = a.sqrt();`
macro_rules! host_functions {
    ($table:ident: $($name:literal ($($arg:ident: $ty:ty),*) $(-> $ret:ty)? = $body:expr;)+) => {
        /// The functions of this file.
        pub(super) static $table: &[$crate::printed::host::HostFunction] = &[$({
            extern "C-unwind" fn function($($arg: $ty),*) $(-> $ret)? { $body }
            $crate::printed::host::HostFunction {
                name: $name,
                ret: $crate::printed::host::result!($($ret)?),
                params: &[$(<$ty as $crate::printed::host::CType>::NAME),*],
                address: function as *const (),
            }
        }),+];
    };
}

/// The C++ name of a result.
macro_rules! result {
    () => {
        "void"
    };
    ($ret:ty) => {
        <$ret as $crate::printed::host::CType>::NAME
    };
}

pub(super) use {host_functions, result};

/// A C string of a loaded library, which is never unloaded.
///
/// # Safety
/// It is one.
pub(super) unsafe fn text(at: *const c_char) -> &'static str {
    // SAFETY: as promised by the caller.
    unsafe { CStr::from_ptr(at) }.to_str().unwrap_or("a file whose name is not UTF-8")
}
