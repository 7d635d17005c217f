//! Integers as the bytes that they are made of.

use warpsmith_macros::device_methods;

use super::super::text::with;
use crate::ir::Prelude;

/// The bytes of an integer.
pub trait ByteArray {
    /// `[u8; 4]` for `u32`.
    type Bytes: crate::types::DeviceType;
}

macro_rules! byte_arrays {
    ($($t:ty)+) => {$(
        impl ByteArray for $t {
            type Bytes = [u8; size_of::<$t>()];
        }
    )+};
}

byte_arrays! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

device_methods! {
    /// Conversions of integers to bytes that kernels may call.
    pub trait ByteMethods: ByteArray in bytes for i8, i16, i32, i64, isize, u8, u16, u32, u64, usize {
        fn to_le_bytes(self) -> <Self as ByteArray>::Bytes = with("ws_to_bytes<{ret}>({0}, false)", &TO_BYTES);
        fn to_ne_bytes(self) -> <Self as ByteArray>::Bytes = with("ws_to_bytes<{ret}>({0}, false)", &TO_BYTES);
        fn to_be_bytes(self) -> <Self as ByteArray>::Bytes = with("ws_to_bytes<{ret}>({0}, true)", &TO_BYTES);
        fn from_le_bytes(bytes: <Self as ByteArray>::Bytes) -> Self = with("ws_from_bytes<{ret}>({0}, false)", &FROM_BYTES);
        fn from_ne_bytes(bytes: <Self as ByteArray>::Bytes) -> Self = with("ws_from_bytes<{ret}>({0}, false)", &FROM_BYTES);
        fn from_be_bytes(bytes: <Self as ByteArray>::Bytes) -> Self = with("ws_from_bytes<{ret}>({0}, true)", &FROM_BYTES);
    }
}

static TO_BYTES: Prelude = Prelude {
    name: "ws_to_bytes",
    code: "template <class A, class T>
__device__ __forceinline__ A ws_to_bytes(T x, bool big) {
    A bytes;
    for (unsigned int i = 0; i < sizeof(T); ++i) bytes.at[big ? sizeof(T) - 1 - i : i] = (unsigned char)(x >> (8 * i));
    return bytes;
}
",
    needs: &[],
};

static FROM_BYTES: Prelude = Prelude {
    name: "ws_from_bytes",
    code: "template <class T, class A>
__device__ __forceinline__ T ws_from_bytes(A bytes, bool big) {
    unsigned long long x = 0;
    for (unsigned int i = 0; i < sizeof(T); ++i) x |= (unsigned long long)bytes.at[big ? sizeof(T) - 1 - i : i] << (8 * i);
    return (T)x;
}
",
    needs: &[],
};
