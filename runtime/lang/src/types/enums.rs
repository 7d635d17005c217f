//! Enums of Rust's library as device types: `Option`, `Result`, `Ordering`.

use super::{Constant, DeviceType};
use crate::ir::{ConstValue, EnumType, Expr, ExprKind, Scalar, Type, ValueLayout, VariantType};

/// The tag of `Option` and `Result`.
const TAG: ValueLayout = ValueLayout::of::<i32>();

/// Ends the thread: a value has a tag that no variant has, since nothing wrote it. In a simulated thread the panic becomes a
/// fault of the launch.
#[cold]
#[track_caller]
pub fn no_variant(name: &str, tag: i128) -> ! {
    panic!("a value of the enum `{name}` has the tag {tag}, which no variant has: it was not initialised")
}

/// An enum of two variants that lives in registers.
fn two(name: String, variants: [(&'static str, Vec<Type>); 2]) -> Type {
    let variants = variants.into_iter().zip(0..).map(|((name, fields), tag)| {
        let fields = fields.into_iter().map(|ty| ("0", ty)).collect();
        VariantType { name, tag, fields }
    });
    let variants = variants.collect();
    Type::Enum(EnumType::new(name, Scalar::I32, variants, false).into())
}

impl<T: DeviceType> DeviceType for Option<T> {
    type Erased = Option<T::Erased>;
    fn ty() -> Type {
        let inner = T::ty();
        two(format!("Option_{}", inner.suffix()), [("None", vec![]), ("Some", vec![inner])])
    }

    const VARIANTS: &'static [&'static [ValueLayout]] = &[&[], &[T::LAYOUT]];
    const LAYOUT: ValueLayout = ValueLayout::tagged(TAG, Self::VARIANTS);

    #[inline]
    unsafe fn from_ir(at: *const u8) -> Self {
        let payload = const { ValueLayout::payload(TAG, Self::VARIANTS) };
        // SAFETY: the tag comes first, and says whether there is a value.
        match unsafe { i32::from_ir(at) } {
            0 => None,
            // SAFETY: as above.
            1 => Some(unsafe { T::from_ir(at.add(payload)) }),
            tag => no_variant("Option", tag.into()),
        }
    }

    #[inline]
    unsafe fn to_ir(self, at: *mut u8) {
        let payload = const { ValueLayout::payload(TAG, Self::VARIANTS) };
        // SAFETY: as in `from_ir`.
        unsafe { i32::from(self.is_some()).to_ir(at) };
        if let Some(value) = self {
            // SAFETY: as in `from_ir`.
            unsafe { value.to_ir(at.add(payload)) };
        }
    }
}

impl<T: DeviceType, E: DeviceType> DeviceType for Result<T, E> {
    type Erased = Result<T::Erased, E::Erased>;
    fn ty() -> Type {
        let (ok, err) = (T::ty(), E::ty());
        let name = format!("Result_{}_{}", ok.suffix(), err.suffix());
        two(name, [("Ok", vec![ok]), ("Err", vec![err])])
    }

    const VARIANTS: &'static [&'static [ValueLayout]] = &[&[T::LAYOUT], &[E::LAYOUT]];
    const LAYOUT: ValueLayout = ValueLayout::tagged(TAG, Self::VARIANTS);

    #[inline]
    unsafe fn from_ir(at: *const u8) -> Self {
        let payload = const { ValueLayout::payload(TAG, Self::VARIANTS) };
        // SAFETY: the tag comes first, and says which value there is.
        match unsafe { i32::from_ir(at) } {
            // SAFETY: as above.
            0 => Ok(unsafe { T::from_ir(at.add(payload)) }),
            // SAFETY: as above.
            1 => Err(unsafe { E::from_ir(at.add(payload)) }),
            tag => no_variant("Result", tag.into()),
        }
    }

    #[inline]
    unsafe fn to_ir(self, at: *mut u8) {
        let payload = const { ValueLayout::payload(TAG, Self::VARIANTS) };
        // SAFETY: as in `from_ir`.
        unsafe {
            i32::from(self.is_err()).to_ir(at);
            match self {
                Ok(value) => value.to_ir(at.add(payload)),
                Err(error) => error.to_ir(at.add(payload)),
            }
        }
    }
}

impl<T: Constant> Constant for Option<T> {
    fn to_expr(&self, _name: Option<&'static str>) -> Expr {
        let ty = Self::ty();
        let Type::Enum(e) = &ty else { return Expr::never() };
        let (index, fields) = match self {
            None => (0, vec![]),
            Some(value) => (1, vec![value.to_expr(None)]),
        };
        Expr { kind: ExprKind::Variant(e.clone(), index, fields), ty }
    }
}

/// `None` of an `Option<T>`.
pub(crate) fn none<T: DeviceType>() -> Expr {
    let ty = Option::<T>::ty();
    let Type::Enum(e) = &ty else { return Expr::never() };
    Expr { kind: ExprKind::Variant(e.clone(), 0, vec![]), ty }
}

/// An enum without fields, as CUDA sees it.
fn plain(name: &str, tag: Scalar, variants: &[(&'static str, i128)]) -> Type {
    let variants =
        variants.iter().map(|(name, tag)| VariantType { name, tag: *tag, fields: vec![] }).collect();
    Type::Enum(EnumType::new(name.to_owned(), tag, variants, true).into())
}

macro_rules! plain {
    ($($t:ty, $name:literal, $($variant:ident = $tag:literal),+;)+) => {$(
        impl DeviceType for $t {
            type Erased = Self;
            fn ty() -> Type {
                plain($name, Scalar::I8, &[$((stringify!($variant), $tag)),+])
            }

            const LAYOUT: ValueLayout = ValueLayout::of::<i8>();

            #[inline]
            unsafe fn from_ir(at: *const u8) -> Self {
                // SAFETY: a value is its tag.
                match unsafe { i8::from_ir(at) } {
                    $($tag => Self::$variant,)+
                    tag => no_variant($name, tag.into()),
                }
            }

            #[inline]
            #[allow(unreachable_patterns, reason = "the memory orderings are not exhaustive")]
            unsafe fn to_ir(self, at: *mut u8) {
                let tag: i8 = match self {
                    $(Self::$variant => $tag,)+
                    _ => 0,
                };
                // SAFETY: as in `from_ir`.
                unsafe { tag.to_ir(at) };
            }
        }

        impl Constant for $t {
            #[allow(unreachable_patterns, reason = "the memory orderings are not exhaustive")]
            fn to_expr(&self, _name: Option<&'static str>) -> Expr {
                let tag = match self {
                    $(Self::$variant => $tag,)+
                    _ => 0,
                };
                Expr::constant(ConstValue::Int(tag), Self::ty())
            }
        }
    )+};
}

plain! {
    core::cmp::Ordering, "Ordering", Less = -1, Equal = 0, Greater = 1;
    core::sync::atomic::Ordering, "MemoryOrdering", Relaxed = 0, Release = 1, Acquire = 2, AcqRel = 3, SeqCst = 4;
}
