//! `Range` and `RangeInclusive` as values: a start and an end, which threads hold in registers.

use core::ops::{Range, RangeInclusive};

use super::{DeviceType, IndexInteger, PartIndex};
use crate::ir::{FieldType, StructType, Type, ValueLayout};
use crate::record::{HALF_OPEN, INCLUSIVE};

fn range_type(name: &str, mark: &'static str, bound: &Type, layout: ValueLayout) -> Type {
    let offset = layout.size / 2;
    let fields = vec![
        FieldType { name: "start", ty: bound.clone(), offset: 0 },
        FieldType { name: "end", ty: bound.clone(), offset },
        FieldType { name: mark, ty: Type::Unit, offset: layout.size },
    ];
    let name = format!("{name}_{}", bound.suffix());
    Type::Struct(StructType::new(name, fields, layout.size, layout.align).into())
}

macro_rules! ranges {
    ($($range:ident $name:literal $mark:ident: $make:expr, $take:expr;)+) => {$(
        impl<T: DeviceType> DeviceType for $range<T> {
            type Erased = $range<T::Erased>;
            fn ty() -> Type {
                range_type($name, $mark, &T::ty(), Self::LAYOUT)
            }

            const VARIANTS: &'static [&'static [ValueLayout]] = &[&[T::LAYOUT, T::LAYOUT]];
            const LAYOUT: ValueLayout = ValueLayout::fields(Self::VARIANTS[0]);

            #[inline]
            unsafe fn from_ir(at: *const u8) -> Self {
                // SAFETY: the bounds are where the layout says.
                let (start, end) = unsafe { (T::from_ir(at), T::from_ir(at.add(Self::LAYOUT.size / 2))) };
                ($make)(start, end)
            }

            #[inline]
            unsafe fn to_ir(self, at: *mut u8) {
                let (start, end) = ($take)(self);
                // SAFETY: as in `from_ir`.
                unsafe {
                    T::to_ir(start, at);
                    T::to_ir(end, at.add(Self::LAYOUT.size / 2));
                }
            }
        }
    )+};
}

ranges! {
    Range "Range" HALF_OPEN: |start, end| Range { start, end }, |range: Self| (range.start, range.end);
    RangeInclusive "RangeInclusive" INCLUSIVE: RangeInclusive::new, RangeInclusive::into_inner;
}

/// A range that may index a slice as a value: `&x[r]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no part of a slice in a kernel",
    label = "not a range of integers",
    note = "a part of a slice is `&x[a..b]`, or `&x[r]` by a `Range` or a `RangeInclusive` of any integer type"
)]
pub trait PartRange {
    /// The type of its bounds.
    type Bound;
    /// The part of a slice.
    #[doc(hidden)]
    fn part(self) -> PartIndex;
}

impl<I: IndexInteger> PartRange for Range<I> {
    type Bound = I;

    #[inline]
    fn part(self) -> PartIndex {
        PartIndex::new(self.start.to_index(), Some(self.end.to_index()))
    }
}

impl<I: IndexInteger> PartRange for RangeInclusive<I> {
    type Bound = I;

    #[inline]
    fn part(self) -> PartIndex {
        PartIndex::new(self.start().to_index(), Some(self.end().index_behind()))
    }
}
