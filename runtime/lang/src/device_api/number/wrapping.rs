//! `std::num::Wrapping` as a value: a struct with its integer.

use core::num::Wrapping;

use super::Int;
use crate::ir::{Expr, ExprKind, FieldType, StructType, Type, ValueLayout};
use crate::types::{Constant, DeviceType, GpuType};

impl<T: Int> DeviceType for Wrapping<T> {
    type Erased = Wrapping<T>;
    fn ty() -> Type {
        let (field, layout) = (T::ty(), Self::LAYOUT);
        let name = format!("Wrapping_{}", field.suffix());
        let fields = vec![FieldType { name: "0", ty: field, offset: 0 }];
        let (size, align) = (layout.size, layout.align);
        Type::Struct(StructType { by_fields: true, ..StructType::new(name, fields, size, align) }.into())
    }

    const VARIANTS: &'static [&'static [ValueLayout]] = &[&[T::LAYOUT]];
    const LAYOUT: ValueLayout = ValueLayout::structure::<Self>(Self::VARIANTS[0]);

    #[inline]
    unsafe fn from_ir(at: *const u8) -> Self {
        // SAFETY: the field is where the layout says.
        Wrapping(unsafe { T::from_ir(at) })
    }

    #[inline]
    unsafe fn to_ir(self, at: *mut u8) {
        // SAFETY: as in `from_ir`.
        unsafe { T::to_ir(self.0, at) }
    }
}

// SAFETY: `Wrapping` is laid out as its integer, which any bytes are.
unsafe impl<T: Int> GpuType for Wrapping<T> {}

impl<T: Int> Constant for Wrapping<T> {
    fn to_expr(&self, _name: Option<&'static str>) -> Expr {
        let ty = Self::ty();
        match &ty {
            Type::Struct(def) => Expr { kind: ExprKind::Struct(def.clone(), vec![self.0.to_expr(None)]), ty },
            _ => Expr::never(),
        }
    }
}
