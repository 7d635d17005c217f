//! Indexing by any integer type.

use core::marker::PhantomData;

/// An integer that may index a slice, view, array or shared array.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an index",
    label = "not an integer",
    note = "any integer type can index device memory; convert with `as usize`",
    note = "a part of a slice is `&x[a..b]`, by a range `r` of a variable `&x[r.start..r.end]`"
)]
pub trait IndexInteger: super::DeviceType + Copy {
    /// The index; a negative one becomes larger than any length.
    fn to_index(self) -> usize;

    /// The end of a part whose last index this is. For the largest index, that is the index itself, which is larger than any length.
    #[inline(always)]
    fn index_behind(self) -> usize {
        self.to_index().saturating_add(1)
    }
}

macro_rules! integers {
    ($($t:ty)+) => {$(
        impl IndexInteger for $t {
            #[inline(always)]
            fn to_index(self) -> usize {
                self as usize
            }
        }
    )+};
}

integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

/// A stand-in for the type of an index in a body.
pub struct IndexType<I>(PhantomData<fn() -> I>);

impl<I> Clone for IndexType<I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I> Copy for IndexType<I> {}

impl<I> IndexType<I> {
    /// A type that is still open.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// `index`, of this type.
#[inline(always)]
pub fn tied<I>(_: &IndexType<I>, index: I) -> I {
    index
}

/// `range`, whose bounds are of this type.
#[inline(always)]
pub fn tied_bounds<R: super::range::PartRange>(_: &IndexType<R::Bound>, range: R) -> R {
    range
}

/// Ties the type of a variable without using its value.
#[inline(always)]
pub fn tie<I>(_: &IndexType<I>, _variable: &I) {}

/// Found first: for `usize`, and for an integer whose type is still open, which becomes `usize`.
pub trait IndexOfUsize: Sized {
    /// Chooses the type.
    fn choose(self) {}
}

impl IndexOfUsize for IndexType<usize> {}

/// Found next: for any type.
pub trait IndexOfAnyType: Sized {
    /// Leaves the type as it is.
    fn choose(self) {}
}

impl<I> IndexOfAnyType for &IndexType<I> {}

/// Two indices of any integer types.
#[inline(always)]
pub fn to_index2<I: IndexInteger, J: IndexInteger>(
    _: &IndexType<I>,
    _: &IndexType<J>,
    (i, j): (I, J),
) -> (usize, usize) {
    (i.to_index(), j.to_index())
}

/// Three indices of any integer types.
#[inline(always)]
pub fn to_index3<I: IndexInteger, J: IndexInteger, K: IndexInteger>(
    _: &IndexType<I>,
    _: &IndexType<J>,
    _: &IndexType<K>,
    (i, j, k): (I, J, K),
) -> (usize, usize, usize) {
    (i.to_index(), j.to_index(), k.to_index())
}
