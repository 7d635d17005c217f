//! `#[gpu_const]` and `#[gpu_static]`: statics of the device.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{ItemStatic, StaticMutability, Type};

use super::extent::of_constants;
use crate::errors::Errors;

/// The memory that a static is put in, as `ir::GlobalSpace` names it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Space {
    Constant,
    Device,
    Managed,
}

impl Space {
    /// The memory that the argument of `#[gpu_static]` asks for.
    pub fn of_static(attr: &TokenStream) -> Result<Self, syn::Error> {
        if attr.is_empty() {
            return Ok(Space::Device);
        }
        match syn::parse2::<syn::Ident>(attr.clone()) {
            Ok(word) if word == "managed" => Ok(Space::Managed),
            _ => Err(syn::Error::new_spanned(
                attr,
                "`#[gpu_static]` takes no argument, or `managed`: memory that the host reaches too",
            )),
        }
    }
}

/// Expands a static.
pub fn expand(item: &ItemStatic, space: Space) -> TokenStream {
    let mut errors = Errors::default();
    if let StaticMutability::Mut(token) = &item.mutability {
        errors.at(
            token,
            "a device static is not `mut`; kernels write a `#[gpu_static]` by `get_mut()`, the host by `set`",
        );
    }
    let (attrs, vis, name, ty, init) = (&item.attrs, &item.vis, &item.ident, &item.ty, &item.expr);
    let text = name.to_string();
    let (wrapper, space) = match space {
        Space::Constant => ("GpuConst", quote!(Constant)),
        Space::Device => ("GpuStatic", quote!(Device)),
        Space::Managed => ("GpuStatic", quote!(Managed)),
    };
    let wrapper = format_ident!("{wrapper}");
    if errors.any() {
        return errors.into_tokens();
    }
    let extents = extents(ty);
    quote! {
        #(#attrs)*
        #vis static #name: ::warpsmith::#wrapper<#ty> = {
            const INITIAL: #ty = #init;
            static GLOBAL: ::warpsmith::ir::Global = ::warpsmith::ir::Global {
                name: #text,
                path: ::core::module_path!(),
                ty: ::warpsmith::global::type_in_memory::<#ty>,
                extents: || ::warpsmith::__macro::Recorder::aside(|__r| ::warpsmith::__macro::list([#(#extents),*])),
                initial: || ::warpsmith::__macro::initial_bytes(&INITIAL),
                address: || #name.simulated(),
                space: ::warpsmith::ir::GlobalSpace::#space,
            };
            ::warpsmith::#wrapper::new(&GLOBAL)
        };
    }
}

/// Emitters of the extents of an array type, outermost first; none of another type.
fn extents(mut ty: &Type) -> Vec<TokenStream> {
    let mut extents = Vec::new();
    while let Type::Array(array) = ty {
        let len = &array.len;
        extents.push(match of_constants(len, &|_| false) {
            Some(spelled) => quote!({ let __n = #spelled; __r.array_extent(__n, #len) }),
            None => quote!(::warpsmith::ir::Extent::from(#len)),
        });
        ty = &array.elem;
    }
    extents
}
