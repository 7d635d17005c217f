//! `#[gpu_const]` and `#[gpu_static]`: statics of the device.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{ItemStatic, StaticMutability};

use crate::errors::Errors;

/// Expands a static; `constant` for constant memory.
pub fn expand(item: &ItemStatic, constant: bool) -> TokenStream {
    let mut errors = Errors::default();
    if let StaticMutability::Mut(token) = &item.mutability {
        errors.at(
            token,
            "a device static is not `mut`; kernels write a `#[gpu_static]` by `get_mut()`, the host by `set`",
        );
    }
    let (attrs, vis, name, ty, init) = (&item.attrs, &item.vis, &item.ident, &item.ty, &item.expr);
    let text = name.to_string();
    let wrapper = format_ident!("{}", if constant { "GpuConst" } else { "GpuStatic" });
    if errors.any() {
        return errors.into_tokens();
    }
    quote! {
        #(#attrs)*
        #vis static #name: ::warpsmith::#wrapper<#ty> = {
            const INITIAL: #ty = #init;
            static GLOBAL: ::warpsmith::ir::Global = ::warpsmith::ir::Global {
                name: #text,
                path: ::core::module_path!(),
                ty: <#ty as ::warpsmith::__macro::Device>::ty,
                initial: || ::warpsmith::__macro::bytes_of(&INITIAL),
                address: || #name.simulated(),
                constant: #constant,
            };
            ::warpsmith::#wrapper::new(INITIAL, &GLOBAL)
        };
    }
}
