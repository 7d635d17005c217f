//! Whether elements are true, and how many.

use core::marker::PhantomData;

use warpsmith::prelude::*;

use super::Reduction;
use super::sums::joined_numbers;

/// A value that is true or false: a `bool`, or a number. Zero is false; other numbers and NaN are true.
#[gpu_trait]
pub trait Truth: GpuType + 'static {
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

joined_numbers! {
    Any<Truth> bool: false, |element| element.is_true(), |a, b| a | b, |partial, _count| partial;
    All<Truth> bool: true, |element| element.is_true(), |a, b| a & b, |partial, _count| partial;
    Count<Truth> u64: 0, |element| element.is_true() as u64, |a, b| a + b, |partial, _count| partial;
}
