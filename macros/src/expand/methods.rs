//! `device_methods!`: the device side of std methods, one line each.
//!
//! ```ignore
//! device_methods! {
//!     /// Methods of floats.
//!     pub trait FloatMethods in float for f32, f64 {
//!         fn sqrt(self) -> Self = math("sqrt");
//!     }
//! }
//! ```
//! gives a trait whose hidden method witnesses a call of `sqrt`, and the marker `float::sqrt`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, Path, Signature, Token, Type, Visibility, braced};

use super::call::hidden_method;

/// A whole `device_methods!`.
pub struct Methods {
    attrs: Vec<Attribute>,
    vis: Visibility,
    name: Ident,
    supertrait: Option<Path>,
    module: Ident,
    types: Punctuated<Type, Token![,]>,
    methods: Vec<(Signature, Expr)>,
}

impl Parse for Methods {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        input.parse::<Token![trait]>()?;
        let name = input.parse()?;
        let supertrait = match input.parse::<Option<Token![:]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        input.parse::<Token![in]>()?;
        let module = input.parse()?;
        input.parse::<Token![for]>()?;
        let types = Punctuated::parse_separated_nonempty(input)?;
        let body;
        braced!(body in input);
        let mut methods = Vec::new();
        while !body.is_empty() {
            let sig: Signature = body.parse()?;
            body.parse::<Token![=]>()?;
            methods.push((sig, body.parse()?));
            body.parse::<Token![;]>()?;
        }
        Ok(Self { attrs, vis, name, supertrait, module, types, methods })
    }
}

/// Expands `device_methods!`.
pub fn expand(methods: &Methods) -> TokenStream {
    let Methods { attrs, vis, name, supertrait, module, types, methods } = methods;
    let hidden = methods.iter().map(|(sig, _)| {
        let (method, marker) = (&sig.ident, &sig.ident);
        let mut sig = sig.clone();
        sig.ident = hidden_method(method);
        sig.inputs.push(syn::parse_quote!(_probe: &crate::witness::FnProbe<#module::#marker<Self>>));
        quote! {
            #[doc(hidden)]
            #[allow(unused_variables)]
            #sig { crate::witness::never_called() }
        }
    });
    let markers = methods.iter().map(|(sig, text)| {
        let marker = &sig.ident;
        let (text_fn, rust_name) = (format_ident!("text"), marker.to_string());
        quote! {
            pub struct #marker<S> {
                _self: core::marker::PhantomData<fn() -> S>,
            }

            impl<S> crate::witness::DeviceFn for #marker<S> {
                fn callee() -> crate::record::Callee {
                    fn #text_fn(args: &[crate::ir::Type], ret: &crate::ir::Type) -> crate::ir::CudaText {
                        crate::device_api::methods::for_halves(#rust_name, args, ret, &(#text))
                    }
                    static BUILTIN: crate::ir::Builtin = crate::ir::Builtin {
                        name: #rust_name,
                        cuda: #text_fn,
                        by_constant: None,
                        effect: crate::ir::Effect::Pure,
                        variance: crate::ir::Variance::Uniform,
                        fixes_variance: false,
                        by_reference: false,
                        diverges: false,
                        min_compute: (7, 0),
                    };
                    crate::record::Callee::Builtin(&BUILTIN, None)
                }
            }
        }
    });
    let types = types.iter();
    let bound = supertrait.iter().map(|path| quote!(+ #path)).collect::<TokenStream>();
    quote! {
        #(#attrs)*
        #vis trait #name: Sized #bound { #(#hidden)* }

        #(impl #name for #types {})*

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        pub mod #module {
            use super::*;
            #(#markers)*
        }
    }
}
