//! `#[gpu_impl]` of traits of Rust's library: operators, indexing, equality, `Default`, `From`.
//!
//! The `impl` itself is the twin. Beside it stands one of the library's trait of the same name,
//! which carries the emitter; a marker type stands for the instance.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    FnArg, GenericArgument, Generics, Ident, ImplItem, ItemImpl, PathArguments, Type, TypeParamBound,
    WherePredicate, parse_quote,
};

use super::held_body::HeldBody;
use super::impls::{Method, twin_item};
use super::lower::any_ident;
use super::signature;
use crate::errors::Errors;

/// Traits of Rust's library that carry an emitter, and their one method.
const TRAITS: [(&str, &str); 28] = [
    ("Add", "add"),
    ("Sub", "sub"),
    ("Mul", "mul"),
    ("Div", "div"),
    ("Rem", "rem"),
    ("BitAnd", "bitand"),
    ("BitOr", "bitor"),
    ("BitXor", "bitxor"),
    ("Shl", "shl"),
    ("Shr", "shr"),
    ("AddAssign", "add_assign"),
    ("SubAssign", "sub_assign"),
    ("MulAssign", "mul_assign"),
    ("DivAssign", "div_assign"),
    ("RemAssign", "rem_assign"),
    ("BitAndAssign", "bitand_assign"),
    ("BitOrAssign", "bitor_assign"),
    ("BitXorAssign", "bitxor_assign"),
    ("ShlAssign", "shl_assign"),
    ("ShrAssign", "shr_assign"),
    ("Neg", "neg"),
    ("Not", "not"),
    ("PartialEq", "eq"),
    ("Index", "index"),
    ("IndexMut", "index_mut"),
    ("Default", "default"),
    ("From", "from"),
    ("TryFrom", "try_from"),
];

/// Traits of Rust's library that no kernel can call.
const REFUSED: [&str; 10] = [
    "Clone",
    "Iterator",
    "IntoIterator",
    "Deref",
    "DerefMut",
    "Drop",
    "PartialOrd",
    "Ord",
    "Into",
    "TryInto",
];

/// The method of a trait of Rust's library, if `item` implements one.
pub fn method(item: &ItemImpl, errors: &mut Errors) -> Option<(Ident, &'static str)> {
    let (path, _) = item.trait_.as_ref()?;
    let last = path.segments.last()?;
    let name = last.ident.to_string();
    if REFUSED.contains(&name.as_str()) {
        errors.at(
            path,
            format!(
                "`{name}` cannot be implemented for kernels; write a method in an inherent `#[gpu_impl]`"
            ),
        );
    }
    if (name == "Sum" || name == "Product") && takes_iterator(item) {
        errors.at(
            path,
            format!(
                "`{name}` takes an iterator, which no function of a kernel does; leave `#[gpu_impl]` out here, and in a kernel write the fold: `iterator.fold(start, |a, b| a + b)`"
            ),
        );
    }
    let (_, method) = TRAITS.iter().find(|(known, _)| *known == name)?;
    is_of_rust(item, &name, method).then(|| (last.ident.clone(), *method))
}

/// Returns whether an `impl` has a function of an iterator, as those of `Sum` and `Product` have.
fn takes_iterator(item: &ItemImpl) -> bool {
    item.items.iter().any(|part| {
        matches!(part, ImplItem::Fn(f) if any_ident(f.sig.to_token_stream(), &|name| name == "Iterator"))
    })
}

/// Returns whether an `impl` may be one of Rust's trait of that name, and not of a trait of the user's own.
///
/// Rust's has the method, and an `Output` where the method gives one; without these rustc would refuse it.
fn is_of_rust(item: &ItemImpl, name: &str, method: &str) -> bool {
    let has_method = item.items.iter().any(|part| matches!(part, ImplItem::Fn(f) if f.sig.ident == method));
    let has_output = item.items.iter().any(|part| matches!(part, ImplItem::Type(t) if t.ident == "Output"));
    let gives_none =
        name.ends_with("Assign") || ["IndexMut", "PartialEq", "Default", "From", "TryFrom"].contains(&name);
    has_method && (has_output || gives_none)
}

/// Expands the `impl` of such a trait.
pub fn expand(item: &ItemImpl, name: &Ident, wanted: &'static str) -> TokenStream {
    let mut errors = Errors::default();
    if name == "Index" || name == "IndexMut" {
        let by_usize = by_usize(item, name, &mut errors);
        if errors.any() {
            let (errors, stand_in) = (errors.into_tokens(), expand(&by_usize, name, wanted));
            return quote!(#errors #stand_in);
        }
    }
    let mut kept = item.clone();
    kept.items.clear();
    let mut device = TokenStream::new();
    for part in &item.items {
        match part {
            ImplItem::Fn(function) if function.sig.ident == wanted => {
                let method = Method::new(item, function, &held_body(item, name), &mut errors);
                kept.items.push(method.twin());
                device = device_impl(item, name, &method, wanted);
            }
            ImplItem::Fn(other) => {
                errors.at(
                    &other.sig.ident,
                    format!("a kernel calls only `{wanted}` of `{name}`; leave the rest to its default"),
                );
            }
            other => kept.items.push(twin_item(other)),
        }
    }
    if errors.any() { super::fallback::implementation(item, errors) } else { quote!(#kept #device) }
}

fn device_impl(item: &ItemImpl, name: &Ident, method: &Method<'_>, function: &str) -> TokenStream {
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    let self_ty = &item.self_ty;
    let arguments = trait_arguments(item);
    let generics = signature::without_lifetimes(&item.generics);
    let (declarations, types) = signature::bare_declarations(&generics);
    let instance = signature::arguments(&generics);
    let held_body = method.held_body();
    let (record, quiet, at) = (method.record(), signature::quiet(), signature::location(method.name()));
    let target = quote!(::warpsmith::__macro::operators::#name #arguments);
    let indexed = if name == "Index" || name == "IndexMut" {
        let indexed = format_ident!("Indexed{}", if name == "Index" { "" } else { "Mut" });
        quote! {
            impl #impl_generics ::warpsmith::__macro::operators::#indexed #arguments for #self_ty #where_clause {
                type Marker = Marker<#(#instance),*>;
            }
        }
    } else {
        TokenStream::new()
    };
    quote! {
        const _: () = {
            #[doc(hidden)]
            pub struct Marker<#(#declarations),*> { _generics: ::core::marker::PhantomData<fn() -> (#(#types,)*)> }

            #quiet
            impl #impl_generics #target for #self_ty #where_clause {
                type Marker = Marker<#(#instance),*>;
                fn __record(__r: &mut ::warpsmith::__macro::Recorder) { #record }
                #held_body
            }

            #quiet
            impl #impl_generics ::warpsmith::__macro::DeviceFn for Marker<#(#instance),*> #where_clause {
                fn callee() -> ::warpsmith::__macro::Callee {
                    ::warpsmith::__macro::Callee::Device(::warpsmith::__macro::DeviceCallee {
                        key: ::core::any::type_name::<(Self, #self_ty)>(),
                        name: #function,
                        at: #at,
                        record: <#self_ty as #target>::__record,
                    })
                }
            }
            #indexed
        };
    }
}

/// The arguments of the trait that an `impl` is of.
fn trait_arguments(item: &ItemImpl) -> PathArguments {
    match item.trait_.as_ref().and_then(|(path, _)| path.segments.last()) {
        Some(last) => last.arguments.clone(),
        None => PathArguments::None,
    }
}

/// The place of the body's copy.
fn held_body(item: &ItemImpl, name: &Ident) -> HeldBody {
    let arguments = trait_arguments(item);
    HeldBody {
        owner: quote!(<Self as ::warpsmith::__macro::operators::#name #arguments>),
        name: format_ident!("__held_body"),
        generic: true,
    }
}

/// Adds to each bound by an operator of Rust the bound by its device side.
pub fn add_device_bounds(generics: &mut Generics) {
    for param in generics.type_params_mut() {
        let added: Vec<TypeParamBound> = param.bounds.iter().filter_map(device_bound).collect();
        param.bounds.extend(added);
    }
    for predicate in generics.where_clause.iter_mut().flat_map(|clause| clause.predicates.iter_mut()) {
        if let WherePredicate::Type(predicate) = predicate {
            let added: Vec<TypeParamBound> = predicate.bounds.iter().filter_map(device_bound).collect();
            predicate.bounds.extend(added);
        }
    }
}

/// The bound by the device side of an operator: `Add<R>` for `Add<R, Output = T>`.
pub fn device_bound(bound: &TypeParamBound) -> Option<TypeParamBound> {
    let TypeParamBound::Trait(bound) = bound else { return None };
    let last = bound.path.segments.last()?;
    let name = &last.ident;
    if name != "Ord" {
        TRAITS.iter().find(|(known, _)| name == known)?;
    }
    let arguments: Vec<&syn::GenericArgument> = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .filter(|a| {
                !matches!(a, syn::GenericArgument::AssocType(_) | syn::GenericArgument::Constraint(_))
            })
            .collect(),
        _ => Vec::new(),
    };
    Some(parse_quote!(::warpsmith::__macro::operators::#name<#(#arguments),*>))
}

/// An `impl` of `Index` by a type that kernels index by. Another type is an error. A stand-in then replaces the `impl`, and
/// its users see no errors of their own.
fn by_usize(item: &ItemImpl, name: &Ident, errors: &mut Errors) -> ItemImpl {
    let mut item = item.clone();
    let path = item.trait_.as_mut().map(|(path, _)| path);
    let Some(PathArguments::AngleBracketed(arguments)) =
        path.and_then(|path| path.segments.last_mut()).map(|last| &mut last.arguments)
    else {
        return item;
    };
    let Some(GenericArgument::Type(index)) = arguments.args.first_mut() else { return item };
    match &mut *index {
        Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(|part| to_usize(part, name, errors)),
        index => to_usize(index, name, errors),
    }
    let index = index.clone();
    for part in &mut item.items {
        if let ImplItem::Fn(function) = part {
            if let Some(FnArg::Typed(parameter)) = function.sig.inputs.last_mut() {
                (parameter.pat, parameter.ty) = (parse_quote!(_index), Box::new(index.clone()));
            }
            function.block = parse_quote!({ unreachable!() });
        }
    }
    item
}

/// Makes a number a `usize`, as far as names tell numbers.
fn to_usize(ty: &mut Type, name: &Ident, errors: &mut Errors) {
    const OTHERS: [&str; 11] = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "isize", "f32", "f64"];
    if let Type::Path(path) = &*ty
        && OTHERS.iter().any(|other| path.path.is_ident(other))
    {
        let message = format!(
            "an index of any integer type arrives as a `usize` in a kernel; write `{name}<usize>`, or a tuple of two or three"
        );
        errors.at(&*ty, message);
        *ty = parse_quote!(usize);
    }
}
