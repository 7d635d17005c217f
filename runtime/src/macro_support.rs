//! What the expansions of the macros spell; not for people.

use crate::args::KernelArg;
use crate::ir::{Expr, ExprKind, FieldType, FormatPiece, StructType, Type};
use crate::types::{GpuType, Slice};

pub use crate::args::{SliceArg, SliceMutArg};
pub use crate::device_api::methods;
pub use crate::device_api::shared::shared_alloc;
pub use crate::record::{Callee, DeviceCallee, RangeShape, Recorder, record_kernel};
pub use crate::simulator::context::print;
pub use crate::types::Device;
pub use crate::witness::{DeviceFn, FnProbe, Probe, Returns, never_called, types_of};

/// An index of any integer type.
#[inline(always)]
pub fn to_index<I: crate::types::IndexInteger>(index: I) -> usize {
    index.to_index()
}

/// A piece of text in a format string.
pub fn text(text: &str) -> FormatPiece {
    FormatPiece::Text(text.to_owned())
}

/// The type of a field.
pub fn field_type<T: Device>() -> Type {
    T::ty()
}

/// Compiles for plain data only.
pub fn assert_plain<T: GpuType>() {}

/// The type of a derived struct.
pub fn struct_type(
    name: &str,
    arguments: &[String],
    fields: Vec<FieldType>,
    size: usize,
    align: usize,
) -> Type {
    let mut name = name.to_owned();
    for argument in arguments {
        name.push('_');
        name.push_str(argument);
    }
    Type::Struct(StructType { name, cuda_name: None, fields, size, align }.into())
}

/// A constant of a derived struct.
pub fn struct_constant(ty: Type, fields: Vec<Expr>) -> Expr {
    match &ty {
        Type::Struct(def) => Expr { kind: ExprKind::Struct(def.clone(), fields), ty },
        _ => Expr::never(),
    }
}

/// A type as a part of a C identifier.
pub fn type_suffix(ty: &Type) -> String {
    match ty {
        Type::Scalar(s) => s.to_string(),
        Type::Array(elem, n) => format!("{}x{n}", type_suffix(elem)),
        Type::Tuple(items) => items.iter().map(type_suffix).collect::<Vec<_>>().join("_"),
        Type::Struct(s) => s.name.clone(),
        Type::View { elem, .. } => format!("view_{}", type_suffix(elem)),
        Type::Unit
        | Type::Never
        | Type::Slice(_)
        | Type::Shared { .. }
        | Type::Ref { .. }
        | Type::Closure => "x".into(),
    }
}

/// Argument `index` as the descriptor of a slice.
///
/// # Safety
/// The argument was made from a slice of `T`.
pub unsafe fn slice_arg<T>(args: &[KernelArg], index: usize) -> Slice<T> {
    // SAFETY: as promised, and a launch keeps its buffers borrowed.
    unsafe { crate::args::slice_of(args.get(index)) }
}

/// Argument `index` as a value.
///
/// # Safety
/// The argument was made from a `T`.
pub unsafe fn value_arg<T: Copy>(args: &[KernelArg], index: usize) -> T {
    // SAFETY: as promised.
    unsafe { crate::args::value_of(&args[index]) }
}
