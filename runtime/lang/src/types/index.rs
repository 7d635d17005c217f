//! Indexing by any integer type.

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
