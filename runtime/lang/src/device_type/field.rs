//! What derives ask of the types of fields, once for a field that is none of the device's.

use core::marker::PhantomData;

use super::{Constant, DeviceType, GpuType};
use crate::ir::{Expr, ValueLayout};

/// A field. If its type is none of the device's, [`NoField`] has stand-ins for these items: only the derive's question for
/// the type in the IR is then an error.
#[doc(hidden)]
pub struct Field<T>(PhantomData<fn() -> T>);

impl<T: DeviceType> Field<T> {
    /// The layout of the type.
    pub const LAYOUT: ValueLayout = T::LAYOUT;

    /// The value at an address.
    ///
    /// # Safety
    /// As of [`DeviceType::from_ir`].
    #[inline]
    pub unsafe fn from_ir(at: *const u8) -> T {
        // SAFETY: as promised by the caller.
        unsafe { T::from_ir(at) }
    }

    /// Writes a value to an address.
    ///
    /// # Safety
    /// As of [`DeviceType::to_ir`].
    #[inline]
    pub unsafe fn to_ir(value: T, at: *mut u8) {
        // SAFETY: as promised by the caller.
        unsafe { value.to_ir(at) }
    }

    /// Compiles for plain data only.
    pub fn assert_plain()
    where
        T: GpuType,
    {
    }

    /// A constant of the type.
    pub fn to_expr(value: &T) -> Expr
    where
        T: Constant,
    {
        value.to_expr(None)
    }
}

/// The stand-ins.
#[doc(hidden)]
#[allow(missing_docs, clippy::missing_safety_doc)]
pub trait NoField {
    type Of;
    const LAYOUT: ValueLayout = ValueLayout::of::<()>();
    unsafe fn from_ir(_: *const u8) -> Self::Of {
        unreachable!()
    }
    unsafe fn to_ir(_: Self::Of, _: *mut u8) {}
    fn assert_plain() {}
    fn to_expr(_: &Self::Of) -> Expr {
        unreachable!()
    }
}

impl<T> NoField for Field<T> {
    type Of = T;
}
