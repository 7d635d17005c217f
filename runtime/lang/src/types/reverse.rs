//! `std::cmp::Reverse` as a value: its field, in the order from the largest to the smallest.

use core::cmp::Reverse;

use super::DeviceType;
use crate::ir::{FieldType, StructType, Type, ValueLayout};
use crate::record::REVERSE;

impl<T: DeviceType> DeviceType for Reverse<T> {
    type Erased = Reverse<T::Erased>;
    fn ty() -> Type {
        let (field, layout) = (T::ty(), Self::LAYOUT);
        let name = format!("Reverse_{}", field.suffix());
        let fields = vec![
            FieldType { name: "0", ty: field, offset: 0 },
            FieldType { name: REVERSE, ty: Type::Unit, offset: layout.size },
        ];
        let (size, align) = (layout.size, layout.align);
        Type::Struct(StructType::new(name, fields, size, align).into())
    }

    const VARIANTS: &'static [&'static [ValueLayout]] = &[&[T::LAYOUT]];
    const LAYOUT: ValueLayout = ValueLayout::fields(Self::VARIANTS[0]);

    #[inline]
    unsafe fn from_ir(at: *const u8) -> Self {
        // SAFETY: the field is where the layout says.
        Reverse(unsafe { T::from_ir(at) })
    }

    #[inline]
    unsafe fn to_ir(self, at: *mut u8) {
        // SAFETY: as in `from_ir`.
        unsafe { T::to_ir(self.0, at) }
    }
}
