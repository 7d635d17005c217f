//! Whether elements are true, and how many.

use core::marker::PhantomData;

use warpsmith::prelude::*;

use super::Reduction;

/// A value that is true or false: a `bool`, or a number, which is true unless it is zero. NaN is true.
#[gpu_trait]
pub trait Truth: GpuType {
    /// Returns whether it is true.
    fn is_true(self) -> bool;
}

#[gpu_impl]
impl Truth for bool {
    fn is_true(self) -> bool {
        self
    }
}

macro_rules! numbers {
    ($($t:ident)+) => {$(
        #[gpu_impl]
        impl Truth for $t {
            fn is_true(self) -> bool {
                self != <$t as Num>::ZERO
            }
        }
    )+};
}

numbers! { f16 bf16 f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

/// Whether any element is true; `false` of none.
pub struct Any<T>(PhantomData<T>);

/// Whether all elements are true; `true` of none.
pub struct All<T>(PhantomData<T>);

/// How many elements are true.
pub struct Count<T>(PhantomData<T>);

#[gpu_impl]
impl<T: Truth + 'static> Reduction for Any<T> {
    type Element = T;
    type Partial = bool;
    type Output = bool;

    fn nothing() -> bool {
        false
    }
    fn of(element: T, _index: u64) -> bool {
        element.is_true()
    }
    fn join(a: bool, b: bool) -> bool {
        a | b
    }
    fn output(partial: bool, _count: u64) -> bool {
        partial
    }
}

#[gpu_impl]
impl<T: Truth + 'static> Reduction for All<T> {
    type Element = T;
    type Partial = bool;
    type Output = bool;

    fn nothing() -> bool {
        true
    }
    fn of(element: T, _index: u64) -> bool {
        element.is_true()
    }
    fn join(a: bool, b: bool) -> bool {
        a & b
    }
    fn output(partial: bool, _count: u64) -> bool {
        partial
    }
}

#[gpu_impl]
impl<T: Truth + 'static> Reduction for Count<T> {
    type Element = T;
    type Partial = u64;
    type Output = u64;

    fn nothing() -> u64 {
        0
    }
    fn of(element: T, _index: u64) -> u64 {
        element.is_true() as u64
    }
    fn join(a: u64, b: u64) -> u64 {
        a + b
    }
    fn output(partial: u64, _count: u64) -> u64 {
        partial
    }
}
