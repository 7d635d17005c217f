//! Device types: the name of a type in the IR, its layout, and the values that memory may hold.
//!
//! [`DeviceType`] is every type that may be written in a kernel, references included; [`GpuType`] is the plain data among
//! them, which buffers and kernel arguments hold; [`Constant`] is a type whose values can be written in CUDA source.
//! Independent of recording and CUDA text.

mod constant;
mod field;

pub use constant::Constant;
pub use field::{Field, NoField};

use crate::ir::{self, ValueLayout};
use crate::value_bytes::ValueBytes;

/// A type that may be written in a kernel.
///
/// Implemented for scalars, arrays, tuples, views, shared arrays, references to them, and by
/// `#[derive(GpuType)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in a GPU kernel",
    label = "not a device type",
    note = "device types are integers up to 64 bits, floats of 16 to 64 bits, bool, vectors, arrays, tuples and `Option`s of them, `View`, `ViewMut`, slices, raw pointers, and structs and enums that derive `GpuType`"
)]
pub trait DeviceType: Sized {
    /// The same type with every lifetime made `'static`.
    type Erased: DeviceType<Erased = Self::Erased> + 'static;
    /// The type in the IR.
    fn ty() -> ir::Type;

    /// How the IR lays a value out.
    #[doc(hidden)]
    const LAYOUT: ValueLayout = ValueLayout::of::<Self>();

    /// The layouts of the fields of each variant; a struct is one variant.
    #[doc(hidden)]
    const VARIANTS: &'static [&'static [ValueLayout]] = &[];

    /// The value at an address, where it has the IR's layout.
    ///
    /// # Safety
    /// A value of the type was written there, by [`to_ir`](DeviceType::to_ir) or by the rules of [`ValueLayout`].
    #[doc(hidden)]
    #[inline]
    unsafe fn from_ir(at: *const u8) -> Self {
        // SAFETY: as promised by the caller; the type is laid out as in Rust.
        unsafe { at.cast::<Self>().read_unaligned() }
    }

    /// Writes the value in the IR's layout.
    ///
    /// # Safety
    /// The address is of as many bytes as [`LAYOUT`](DeviceType::LAYOUT) says.
    #[doc(hidden)]
    #[inline]
    unsafe fn to_ir(self, at: *mut u8) {
        // SAFETY: as in `from_ir`.
        unsafe { at.cast::<Self>().write_unaligned(self) }
    }
}

/// Plain data: a value that can be copied to and from a GPU byte by byte.
///
/// # Safety
/// The type is `Copy`, has the layout that its [`DeviceType::ty`] describes, and any bytes that the
/// device writes into its fields form a valid value (`bool` fields hold what `bool`s wrote).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be held in device memory",
    label = "not plain device data",
    note = "derive it: `#[derive(Clone, Copy, GpuType)] #[repr(C)] struct …`"
)]
pub unsafe trait GpuType: DeviceType + Copy {
    /// How a parameter of the type is passed.
    #[doc(hidden)]
    fn __by_value() -> ByValue<Self> {
        ByValue { ty: Self::ty, bytes: ValueBytes::of }
    }
}

/// A parameter that a launch copies to the device: one bound for its type, on the host and in the kernel.
#[doc(hidden)]
pub struct ByValue<T> {
    /// The type in the IR.
    pub ty: fn() -> ir::Type,
    /// The bytes of an argument.
    pub bytes: fn(T) -> ValueBytes,
}

/// Plain data for which any bit pattern is a valid value, so any memory may be read as it.
///
/// # Safety
/// Any bits of its size are a valid value.
#[diagnostic::on_unimplemented(
    message = "not all bits are a `{Self}`, so memory cannot be read as one",
    label = "not any bits",
    note = "numbers, vectors and arrays of them can; on a struct of such fields write `#[gpu(AnyBits)]` beside `derive(GpuType)`"
)]
pub unsafe trait AnyBits: GpuType {
    /// Compiles where there is no padding; code that reads memory as the type evaluates it.
    #[doc(hidden)]
    const FILLED: () = ();
}

/// A value of the kernel language that lives in shared memory, declared by `shared!(Name<…>)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be declared in shared memory by its name",
    label = "no array and no tile",
    note = "write an array, `shared!([{Self}; 1])`, or a tile, `shared!(Tile<f32, 32, 32>)`"
)]
pub trait InShared {
    /// The type of the array's elements.
    type Element: DeviceType;
    /// Number of elements.
    const LEN: usize;
    /// Alignment of the memory in bytes, a power of two up to 1024.
    const ALIGN: u32 = 16;
}

macro_rules! any_bits {
    ($($t:ty)+) => {$(
        // SAFETY: numbers without invalid bits.
        unsafe impl AnyBits for $t {}
    )+};
}

any_bits! { i8 u8 i16 u16 i32 u32 i64 u64 isize usize f32 f64 crate::half::f16 crate::half::bf16 }

// SAFETY: elements side by side, each of any bits.
unsafe impl<T: AnyBits, const N: usize> AnyBits for [T; N] {}

impl<T: DeviceType> DeviceType for &T {
    type Erased = &'static T::Erased;
    fn ty() -> ir::Type {
        ir::Type::reference(T::ty(), false)
    }
}

impl<T: DeviceType> DeviceType for &mut T {
    type Erased = &'static mut T::Erased;
    fn ty() -> ir::Type {
        ir::Type::reference(T::ty(), true)
    }
}

impl<T: DeviceType, const N: usize> DeviceType for [T; N] {
    type Erased = [T::Erased; N];
    fn ty() -> ir::Type {
        ir::Type::Array(T::ty().into(), N)
    }

    const LAYOUT: ValueLayout = T::LAYOUT.times(N);

    #[inline]
    unsafe fn from_ir(at: *const u8) -> Self {
        // SAFETY: elements side by side, each in the IR's layout.
        core::array::from_fn(|i| unsafe { T::from_ir(at.add(i * T::LAYOUT.size)) })
    }

    #[inline]
    unsafe fn to_ir(self, at: *mut u8) {
        for (i, item) in self.into_iter().enumerate() {
            // SAFETY: as in `from_ir`.
            unsafe { item.to_ir(at.add(i * T::LAYOUT.size)) };
        }
    }
}

// SAFETY: an array of plain data is plain data, laid out element after element.
unsafe impl<T: GpuType, const N: usize> GpuType for [T; N] {}

impl DeviceType for () {
    type Erased = ();
    fn ty() -> ir::Type {
        ir::Type::Unit
    }
}

/// Errors of conversions: those of the library say nothing but that there is one, so kernels have no bytes for them.
macro_rules! errors {
    ($($error:ty = $value:expr;)+) => {$(
        impl DeviceType for $error {
            type Erased = Self;
            fn ty() -> ir::Type {
                ir::Type::Unit
            }

            const LAYOUT: ValueLayout = ValueLayout::of::<()>();

            #[inline]
            unsafe fn from_ir(_: *const u8) -> Self {
                $value
            }

            #[inline]
            unsafe fn to_ir(self, _: *mut u8) {}
        }
    )+};
}

errors! {
    core::num::TryFromIntError = u8::try_from(-1).expect_err("a `u8` is not negative");
    core::array::TryFromSliceError = <[u8; 1]>::try_from(&[][..]).expect_err("an element is missing");
    core::convert::Infallible = unreachable!("a conversion that cannot fail has failed");
}

impl<T: ?Sized> DeviceType for core::marker::PhantomData<T> {
    type Erased = core::marker::PhantomData<()>;
    fn ty() -> ir::Type {
        ir::Type::Unit
    }
}

// SAFETY: it has no bytes; structs leave such fields out.
unsafe impl<T: ?Sized> GpuType for core::marker::PhantomData<T> {}

macro_rules! tuples {
    ($(($($t:ident $n:tt),+))+) => {$(
        impl<$($t: DeviceType),+> DeviceType for ($($t,)+) {
            type Erased = ($($t::Erased,)+);
            fn ty() -> ir::Type {
                ir::Type::Tuple([$($t::ty()),+].into())
            }

            const VARIANTS: &'static [&'static [ValueLayout]] = &[&[$($t::LAYOUT),+]];
            const LAYOUT: ValueLayout = ValueLayout::fields(Self::VARIANTS[0]);

            #[inline]
            unsafe fn from_ir(at: *const u8) -> Self {
                // SAFETY: the items are where the layout says.
                ($(unsafe { $t::from_ir(at.add(const { ValueLayout::offset(Self::VARIANTS[0], $n) })) },)+)
            }

            #[inline]
            unsafe fn to_ir(self, at: *mut u8) {
                // SAFETY: as in `from_ir`.
                $(unsafe { self.$n.to_ir(at.add(const { ValueLayout::offset(Self::VARIANTS[0], $n) })) };)+
            }
        }
    )+};
}

tuples! {
    (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6) (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}
