//! What fields of device types may be.

use syn::spanned::Spanned;
use syn::{Field, GenericArgument, PathArguments, Type, TypeReference};

use crate::errors::Errors;

/// The slice that a type is or holds, and the type of its elements.
pub fn slice_in(ty: &Type) -> Option<(&TypeReference, &Type)> {
    match ty {
        Type::Paren(ty) => slice_in(&ty.elem),
        Type::Array(ty) => slice_in(&ty.elem),
        Type::Reference(of) => match &*of.elem {
            Type::Slice(slice) => Some((of, &slice.elem)),
            other => slice_in(other),
        },
        Type::Path(path) => {
            let PathArguments::AngleBracketed(list) = &path.path.segments.last()?.arguments else {
                return None;
            };
            list.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => slice_in(ty),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Refuses what no device type can hold, at its tokens.
pub fn check_field(field: &Field, errors: &mut Errors) {
    if let Some((slice, elem)) = slice_in(&field.ty) {
        let view = if slice.mutability.is_some() { "ViewMut" } else { "View" };
        let lifetime = slice.lifetime.as_ref().map_or_else(|| "'a".to_owned(), ToString::to_string);
        let elem = crate::rustc_span::text(elem.span()).unwrap_or_else(|| "T".to_owned());
        errors.at(
            slice,
            format!("a slice cannot be a field of a device type; write `{view}<{lifetime}, {elem}>`, which `{view}::new(x)` makes of a slice `x`"),
        );
    } else if let Type::Reference(_) = &field.ty {
        errors.at(&field.ty, "a reference cannot be a field of a device type; use `View` or `ViewMut`");
    } else if let Type::Tuple(_) = &field.ty {
        errors.at(&field.ty, "a tuple has no layout that CUDA knows; write a `#[repr(C)]` struct with `#[derive(Clone, Copy, GpuType)]` for it");
    } else if let Some(message) = super::foreign_names::host_type(&field.ty) {
        errors.at(&field.ty, message);
    }
}

/// Refuses what kernels alone can hold, and memory cannot, at its tokens.
pub fn check_held(field: &Field, errors: &mut Errors) {
    if let Type::Path(path) = &field.ty
        && let Some(last) = path.path.segments.last()
        && (last.ident == "Option" || last.ident == "Result")
        && super::foreign_names::host_type(&field.ty).is_none()
    {
        let name = &last.ident;
        errors.at(
            &field.ty,
            format!("`{name}` cannot be in device memory, as its layout is Rust's own; a struct that only kernels use derives `DeviceType` instead of `GpuType`, and one that is in buffers has a `bool` beside the value"),
        );
    }
}
