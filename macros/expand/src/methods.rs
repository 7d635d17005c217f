//! `device_methods!`: the device side of std methods, one line each.
//!
//! ```ignore
//! device_methods! {
//!     /// Methods of floats.
//!     pub trait FloatMethods in float for f32, f64 {
//!         fn sqrt(self) -> Self = math("sqrt");
//!         fn abs(self) -> Self = math("fabs"), Facts::costs(Cost::Adds);
//!     }
//! }
//! ```
//! gives a trait whose hidden method witnesses a call of `sqrt`, the marker `float::sqrt`, and the list `float::ALL` of the
//! builtins. The facts of the builtin stand behind its text; without them, nothing is known about it. Behind the facts may stand
//! the Rust function that the builtin means, if it is not the one of that name.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, FnArg, Ident, Path, ReturnType, Signature, Token, Type, Visibility, braced};

use super::device_method::hidden_method;

/// A whole `device_methods!`.
pub struct Methods {
    attrs: Vec<Attribute>,
    vis: Visibility,
    name: Ident,
    supertrait: Option<Path>,
    module: Ident,
    types: Punctuated<Type, Token![,]>,
    methods: Vec<Method>,
}

/// A method: its CUDA text, and the facts about it.
struct Method {
    sig: Signature,
    text: Expr,
    facts: Option<Expr>,
    means: Option<Path>,
}

impl Parse for Method {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let sig = input.parse()?;
        input.parse::<Token![=]>()?;
        let text = input.parse()?;
        let facts = match input.parse::<Option<Token![,]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        let means = match input.parse::<Option<Token![,]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        input.parse::<Token![;]>()?;
        Ok(Self { sig, text, facts, means })
    }
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
            methods.push(body.parse()?);
        }
        Ok(Self { attrs, vis, name, supertrait, module, types, methods })
    }
}

/// Expands `device_methods!`.
pub fn expand(methods: &Methods) -> TokenStream {
    let Methods { attrs, vis, name, supertrait, module, types, methods } = methods;
    let hidden = methods.iter().map(|Method { sig, .. }| {
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
    let markers = methods.iter().enumerate().map(|(number, Method { sig, .. })| {
        let marker = &sig.ident;
        let meaning = meaning_method(marker);
        quote! {
            pub struct #marker<S> {
                _self: core::marker::PhantomData<fn() -> S>,
            }

            impl<S: #name> crate::witness::DeviceFn for #marker<S> {
                fn callee() -> crate::record::Callee {
                    crate::record::Callee::Builtin(&ALL[#number], crate::meaning::meant!(S::#meaning))
                }
            }
        }
    });
    let builtins = methods.iter().map(builtin);
    let meanings: Vec<TokenStream> = methods.iter().map(meaning).collect();
    let impls = types.iter().map(|ty| quote!(impl #name for #ty { #(#meanings)* }));
    let declared = methods.iter().map(|Method { sig, .. }| {
        let meaning = meaning_method(&sig.ident);
        quote! {
            #[cfg(feature = "simulator")]
            #[doc(hidden)]
            #[allow(clippy::missing_safety_doc)]
            unsafe fn #meaning(args: *const *const u8, ret: *mut u8);
        }
    });
    let bound = supertrait.iter().map(|path| quote!(+ #path)).collect::<TokenStream>();
    quote! {
        #(#attrs)*
        #vis trait #name: Sized #bound { #(#hidden)* #(#declared)* }

        #(#impls)*

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        pub mod #module {
            use super::*;

            pub(crate) static ALL: &[crate::ir::Builtin] = &[#(#builtins),*];

            #(#markers)*
        }
    }
}

/// The builtin that a method is.
fn builtin(Method { sig, text, facts, .. }: &Method) -> TokenStream {
    let (name, text_fn) = (sig.ident.to_string(), format_ident!("text"));
    let facts = facts.iter();
    quote! {{
        fn #text_fn(args: &[crate::ir::Type], ret: &crate::ir::Type) -> crate::ir::CudaText {
            (#text)(args, ret)
        }
        crate::ir::Builtin { #(facts: #facts,)* ..crate::ir::Builtin::pure(crate::ir::Name::new(#name), #text_fn) }
    }}
}

/// The hidden method that is the meaning of a method.
fn meaning_method(method: &Ident) -> Ident {
    format_ident!("meaning_of_{method}")
}

/// The meaning of a method of `Self`, on arguments by value: the method of that name which rustc finds, or the function that the line
/// names.
///
/// It is inline; then rustc compiles nothing for methods that no kernel calls.
fn meaning(Method { sig, means, .. }: &Method) -> TokenStream {
    let (method, meaning) = (&sig.ident, meaning_method(&sig.ident));
    let ret = match &sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => ty.to_token_stream(),
    };
    let names: Vec<Ident> = (0..sig.inputs.len()).map(|i| format_ident!("arg{i}")).collect();
    let reads = sig.inputs.iter().zip(&names).map(|(input, name)| {
        let ty = match input {
            FnArg::Receiver(_) => quote!(Self),
            FnArg::Typed(typed) => by_value(&typed.ty).to_token_stream(),
        };
        quote!(let #name: #ty = args.take();)
    });
    let operands = sig.inputs.iter().zip(&names).filter_map(|(input, name)| match input {
        FnArg::Receiver(_) => None,
        FnArg::Typed(typed) if matches!(*typed.ty, Type::Reference(_)) => Some(quote!(&#name)),
        FnArg::Typed(_) => Some(name.to_token_stream()),
    });
    let call = match (means, sig.receiver()) {
        (Some(function), _) => quote!(#function(#(#names),*)),
        (None, Some(_)) => quote!(arg0.#method(#(#operands),*)),
        (None, None) => quote!(Self::#method(#(#operands),*)),
    };
    quote! {
        #[cfg(feature = "simulator")]
        #[inline]
        unsafe fn #meaning(args: *const *const u8, ret: *mut u8) {
            // SAFETY: the caller of a meaning passes the arguments that the meaning was made for.
            unsafe {
                let mut args = crate::meaning::Arguments::new(args);
                #(#reads)*
                crate::meaning::give::<#ret>(#call, ret);
            }
        }
    }
}

/// The referent of a parameter: methods take values, and references are read.
fn by_value(ty: &Type) -> &Type {
    match ty {
        Type::Reference(reference) => &reference.elem,
        other => other,
    }
}
