//! Textures, surfaces and tensor maps among a kernel's parameters, known by the names of their types.

use quote::ToTokens;
use syn::{GenericArgument, Lifetime, PathArguments, Type, TypePath};

/// The kind of a type's name, and the end of it that says the form: `2` of `Texture2`.
fn named(path: &TypePath) -> Option<(&'static str, String)> {
    let last = path.path.segments.last()?;
    // A type of the user's may have such a name; one with a parameter is the library's.
    if !matches!(last.arguments, PathArguments::AngleBracketed(_)) {
        return None;
    }
    let name = last.ident.to_string();
    let of = |kind: &'static str, forms: &[&str]| {
        let form = name.strip_prefix(kind).filter(|form| forms.contains(form))?;
        Some((kind, form.to_owned()))
    };
    let map = ["TensorMap", "TensorMapMut"].into_iter().find_map(|kind| of(kind, &["", "1", "3", "4", "5"]));
    map.or_else(|| {
        let mut images = ["Texture", "Surface", "Image"].into_iter();
        images.find_map(|kind| of(kind, &["1", "2", "3", "Layers"]))
    })
}

/// `Texture2<T>` of a parameter `&Texture2<T>`, and `Surface2<T>` of `&mut Surface2<T>`; the same for maps.
pub fn parameter(ty: &Type) -> Option<&Type> {
    let Type::Reference(reference) = ty else { return None };
    let Type::Path(path) = &*reference.elem else { return None };
    match (named(path)?.0, reference.mutability.is_some()) {
        ("Texture" | "TensorMap", false) | ("Surface" | "TensorMapMut", true) => Some(&reference.elem),
        _ => None,
    }
}

/// The type of an image with the lifetime that its author may leave out, but `impl Trait` may not.
pub fn with_lifetime(ty: &Type, lifetime: &Lifetime) -> Type {
    let mut ty = ty.clone();
    if let Type::Path(path) = &mut ty
        && let Some(last) = path.path.segments.last_mut()
        && let PathArguments::AngleBracketed(arguments) = &mut last.arguments
        && !arguments.args.iter().any(|argument| matches!(argument, GenericArgument::Lifetime(_)))
    {
        arguments.args.insert(0, GenericArgument::Lifetime(lifetime.clone()));
    }
    ty
}

/// Why a kernel does not take an image in this way, if it is one.
pub fn refused(ty: &Type) -> Option<String> {
    let (path, reference) = match ty {
        Type::Path(path) => (path, None),
        Type::Reference(reference) => match &*reference.elem {
            Type::Path(path) => (path, Some(reference.mutability.is_some())),
            _ => return None,
        },
        _ => return None,
    };
    let (kind, form) = named(path)?;
    let shown = path.to_token_stream().to_string().replace(' ', "").replace(',', ", ");
    match (kind, reference) {
        ("Texture" | "TensorMap", Some(false)) | ("Surface" | "TensorMapMut", Some(true)) => None,
        ("TensorMap", None) => Some(format!("a map of a tensor is passed by reference; write `&{shown}`")),
        ("TensorMap", Some(true)) => Some(format!(
            "a `TensorMap{form}` is only loaded from; write `&{shown}`, or `&mut TensorMapMut{form}<…>` for a tensor that is written"
        )),
        ("TensorMapMut", None) => {
            Some(format!("a map of a tensor is passed by reference; write `&mut {shown}`"))
        }
        ("TensorMapMut", Some(false)) => Some(format!(
            "a `TensorMapMut{form}` is passed as `&mut {shown}`, which alone may write its tensor; to load only, take a `&TensorMap{form}<…>`"
        )),
        ("Texture", None) => Some(format!("a texture is passed by reference; write `&{shown}`")),
        ("Texture", Some(true)) => Some(format!(
            "a texture is only read; write `&{shown}`, or `&mut Surface{form}<…>` for texels that are written"
        )),
        ("Surface", None) => Some(format!("a surface is passed by reference; write `&mut {shown}`")),
        ("Surface", Some(false)) => Some(format!(
            "a surface is passed as `&mut {shown}`, which alone may access its image; to read only, take a `&Texture{form}<…>`"
        )),
        _ => Some(format!(
            "an `Image{form}` lives on the host; a kernel takes `&Texture{form}<…>` or `&mut Surface{form}<…>`, which it lends"
        )),
    }
}
