//! Enums of Rust's library as device types: `Option`, `Result`, `Ordering`.

use super::{Constant, Device};
use crate::__macro::type_suffix;
use crate::ir::{Const, ConstValue, EnumType, Expr, ExprKind, Scalar, Type, VariantType};

/// An enum of two variants that lives in registers.
fn two(name: String, variants: [(&'static str, Vec<Type>); 2]) -> Type {
    let variants = variants.into_iter().zip(0..).map(|((name, fields), tag)| {
        let fields = fields.into_iter().map(|ty| ("0", ty)).collect();
        VariantType { name, tag, fields }
    });
    let variants = variants.collect();
    Type::Enum(EnumType { name, tag: Scalar::I32, variants, size: 0, align: 1, in_memory: false }.into())
}

impl<T: Device> Device for Option<T> {
    type Erased = Option<T::Erased>;
    fn ty() -> Type {
        let inner = T::ty();
        two(format!("Option_{}", type_suffix(&inner)), [("None", vec![]), ("Some", vec![inner])])
    }
}

impl<T: Device, E: Device> Device for Result<T, E> {
    type Erased = Result<T::Erased, E::Erased>;
    fn ty() -> Type {
        let (ok, err) = (T::ty(), E::ty());
        let name = format!("Result_{}_{}", type_suffix(&ok), type_suffix(&err));
        two(name, [("Ok", vec![ok]), ("Err", vec![err])])
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

/// An enum without fields, as CUDA sees it.
fn plain(name: &str, tag: Scalar, variants: &[(&'static str, i128)]) -> Type {
    let variants =
        variants.iter().map(|(name, tag)| VariantType { name, tag: *tag, fields: vec![] }).collect();
    let size = tag.bits() as usize / 8;
    Type::Enum(EnumType { name: name.to_owned(), tag, variants, size, align: size, in_memory: true }.into())
}

macro_rules! plain {
    ($($t:ty, $name:literal, $($variant:ident = $tag:literal),+;)+) => {$(
        impl Device for $t {
            type Erased = Self;
            fn ty() -> Type {
                plain($name, Scalar::I8, &[$((stringify!($variant), $tag)),+])
            }
        }

        impl Constant for $t {
            #[allow(unreachable_patterns, reason = "the memory orderings are not exhaustive")]
            fn to_expr(&self, _name: Option<&'static str>) -> Expr {
                let tag = match self {
                    $(Self::$variant => $tag,)+
                    _ => 0,
                };
                let value = Const { value: ConstValue::Int(tag), name: None };
                Expr { kind: ExprKind::Const(value), ty: Self::ty() }
            }
        }
    )+};
}

plain! {
    core::cmp::Ordering, "Ordering", Less = -1, Equal = 0, Greater = 1;
    core::sync::atomic::Ordering, "MemoryOrdering", Relaxed = 0, Release = 1, Acquire = 2, AcqRel = 3, SeqCst = 4;
}
