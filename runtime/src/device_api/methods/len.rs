//! `.len()` of what can be indexed, and `.offset()` of views.

use crate::ir::{CudaText, Prelude, Type};
use crate::record::Callee;
use crate::types::{GpuType, IndexInteger, Row, Shared, Shared2, Shared3, Slice, View, ViewMut};
use crate::witness::{DeviceFn, FnProbe, never_called};

/// Marker of `.len()`.
#[doc(hidden)]
pub struct Len;

impl DeviceFn for Len {
    fn callee() -> Callee {
        Callee::Len
    }
}

/// `.len()` of arrays in registers.
pub trait ArrayLen {
    #[doc(hidden)]
    fn len_in_kernels(&self, _probe: &FnProbe<Len>) -> usize {
        never_called()
    }
}

impl<T, const N: usize> ArrayLen for [T; N] {}
impl<T> ArrayLen for Slice<T> {}
impl<T> ArrayLen for Shared<T> {}
impl<T> ArrayLen for Shared2<T> {}
impl<T> ArrayLen for Shared3<T> {}
impl<T> ArrayLen for Row<T> {}
impl<T> ArrayLen for View<'_, T> {}
impl<T> ArrayLen for ViewMut<'_, T> {}

/// `.offset(start)` of views.
pub trait ViewOffset: Sized {
    #[doc(hidden)]
    fn offset_in_kernels<I: IndexInteger>(self, _start: I, _probe: &FnProbe<Offset>) -> Self {
        never_called()
    }
}

impl<T: GpuType> ViewOffset for View<'_, T> {}
impl<T: GpuType> ViewOffset for ViewMut<'_, T> {}

/// Marker of `.offset()`.
#[doc(hidden)]
pub struct Offset;

impl DeviceFn for Offset {
    fn callee() -> Callee {
        fn text(_args: &[Type], _ret: &Type) -> CudaText {
            CudaText::with("ws_offset({0}, {1})", &OFFSET)
        }
        static BUILTIN: crate::ir::Builtin =
            crate::ir::Builtin { name: "offset", ..crate::device_api::text::pure(text) };
        Callee::Builtin(&BUILTIN, None)
    }
}

static OFFSET: Prelude = Prelude {
    name: "ws_offset",
    code: "template <class T, class I>
__device__ __forceinline__ ws_View<T> ws_offset(ws_View<T> view, I start) {
    return ws_View<T>{view.ptr + start, view.len - (unsigned long long)start};
}
",
    needs: &[],
};
