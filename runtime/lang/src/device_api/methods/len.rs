//! `.len()` of what can be indexed, and `.offset()` of views.

use crate::ir::{Builtin, CudaText, Facts, Form, Meaning, Name, Prelude};
use crate::meaning::{Arguments, give};
use crate::record::Callee;
use crate::types::{DeviceType, GpuType, IndexInteger, Row, Shared, Shared2, Shared3, Slice, View, ViewMut};
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
// These are for constants, which are refused elsewhere.
impl<T> ArrayLen for [T] {}
impl<T> ArrayLen for Slice<T> {}
impl<T> ArrayLen for Shared<T> {}
impl<T> ArrayLen for Shared2<T> {}
impl<T> ArrayLen for Shared3<T> {}
impl<T> ArrayLen for Row<T> {}
impl<T> ArrayLen for View<'_, T> {}
impl<T> ArrayLen for ViewMut<'_, T> {}

/// `.offset(start)` of views.
pub trait ViewOffset: DeviceType {
    #[doc(hidden)]
    fn offset_in_kernels<I: IndexInteger>(self, _start: I, _probe: &FnProbe<Offset<Self, I>>) -> Self {
        never_called()
    }
    #[doc(hidden)]
    fn offset_by(self, start: usize) -> Self;
}

impl<T: GpuType> ViewOffset for View<'_, T> {
    fn offset_by(self, start: usize) -> Self {
        self.offset(start)
    }
}

impl<T: GpuType> ViewOffset for ViewMut<'_, T> {
    fn offset_by(self, start: usize) -> Self {
        self.offset(start)
    }
}

/// Marker of `.offset()`.
#[doc(hidden)]
pub struct Offset<V, I>(core::marker::PhantomData<fn(I) -> V>);

impl<V: ViewOffset, I: IndexInteger> DeviceFn for Offset<V, I> {
    fn callee() -> Callee {
        unsafe fn meaning<V: ViewOffset, I: IndexInteger>(args: *const *const u8, ret: *mut u8) {
            // SAFETY: the caller of a meaning passes the arguments that the meaning was made for.
            unsafe {
                let mut args = Arguments::new(args);
                let view: V = args.take();
                give(view.offset_by(args.take::<I>().to_index()), ret);
            }
        }
        Callee::Builtin(&VIEW_OFFSET[0], Some(Meaning(meaning::<V, I>)))
    }
}

/// `.offset()` of all views.
pub(crate) static VIEW_OFFSET: &[Builtin] = &[Builtin {
    facts: Facts::MOVES.is(Form::ViewOffset),
    ..Builtin::pure(Name::new("offset"), |_, _| CudaText::with("ws_offset({0}, {1})", &OFFSET))
}];

static OFFSET: Prelude = Prelude {
    name: "ws_offset",
    code: "template <class T, class I>
__device__ __forceinline__ ws_View<T> ws_offset(ws_View<T> view, I start) {
    return ws_View<T>{view.ptr + start, view.len - (unsigned long long)start};
}
",
    needs: &[],
};
