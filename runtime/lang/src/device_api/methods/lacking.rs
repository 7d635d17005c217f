//! Methods of Rust's slices that kernels lack, in twins alone: so it is the witness that tells what to write.

use crate::types::{Chunks, Row, Shared, Slice, View, ViewMut};
use crate::witness::never_called;

macro_rules! only_in_twins {
    ($($method:ident$(<$($generic:ident),+>)?($($arg:ident: $of:ty),*) -> $ret:ty;)+) => {$(
        #[doc(hidden)]
        #[allow(clippy::mut_from_ref)]
        pub fn $method$(<$($generic),+>)?(&self $(, $arg: $of)*) -> $ret {
            never_called()
        }
    )+};
}

macro_rules! lacking {
    ($($name:ident $(<$l:lifetime>)?),+) => {$(
        impl<$($l,)? T> $name<$($l,)? T> {
            only_in_twins! {
                to_vec() -> Vec<T>;
                strip_prefix<A>(_prefix: A) -> Option<&Slice<T>>;
                strip_suffix<A>(_suffix: A) -> Option<&Slice<T>>;
                fill_with<F>(_value: F) -> ();
                chunk_by(_is_same: impl FnMut(&T, &T) -> bool) -> Chunks<'_, T>;
                split_at_checked<I>(_middle: I) -> Option<(&Slice<T>, &Slice<T>)>;
                split_at_mut_checked<I>(_middle: I) -> Option<(&mut Slice<T>, &mut Slice<T>)>;
                swap_with_slice<A>(_other: A) -> ();
            }

            #[doc(hidden)]
            #[allow(clippy::mut_from_ref)]
            pub fn get_disjoint_mut<I, const N: usize>(&self, _indices: [I; N]) -> Result<[&mut T; N], core::slice::GetDisjointMutError> {
                never_called()
            }
        }
    )+};
}

lacking! { Slice, Shared, Row, View<'a>, ViewMut<'a> }

impl<T, const N: usize> Slice<[T; N]> {
    only_in_twins! {
        as_flattened() -> &Slice<T>;
        as_flattened_mut() -> &mut Slice<T>;
    }
}
