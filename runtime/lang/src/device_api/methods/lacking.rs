//! Methods of Rust's slices that kernels lack, in twins alone: so it is the witness that tells what to write.

use core::cmp::Ordering;

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

// Of views a trait of the user's own may have such methods.
macro_rules! lacking_of_slices {
    ($($name:ident),+) => {$(
        impl<T> $name<T> {
            only_in_twins! {
                split(_separates: impl FnMut(&T) -> bool) -> Chunks<'_, T>;
                rchunks<I>(_n: I) -> Chunks<'_, T>;
                sort() -> ();
                sort_by(_order: impl FnMut(&T, &T) -> Ordering) -> ();
                sort_by_key<K>(_key: impl FnMut(&T) -> K) -> ();
                sort_unstable() -> ();
                sort_unstable_by(_order: impl FnMut(&T, &T) -> Ordering) -> ();
                sort_unstable_by_key<K>(_key: impl FnMut(&T) -> K) -> ();
                is_sorted_by(_in_order: impl FnMut(&T, &T) -> bool) -> bool;
                is_sorted_by_key<K>(_key: impl FnMut(&T) -> K) -> bool;
                rotate_left<I>(_by: I) -> ();
                rotate_right<I>(_by: I) -> ();
                copy_within<R, I>(_from: R, _to: I) -> ();
                to_ascii_lowercase() -> Vec<T>;
                to_ascii_uppercase() -> Vec<T>;
                make_ascii_lowercase() -> ();
                make_ascii_uppercase() -> ();
            }
        }
    )+};
}

lacking_of_slices! { Slice, Shared, Row }

impl<T, const N: usize> Slice<[T; N]> {
    only_in_twins! {
        as_flattened() -> &Slice<T>;
        as_flattened_mut() -> &mut Slice<T>;
    }
}
