//! `#[gpu_fn(cuda = "…")]` and `#[gpu_fn(ptx = "…")]`: functions whose device body is not Rust.
//!
//! The Rust body is the twin. A function that ends in `;` has none and cannot be simulated.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Block, Expr, Lit, LitStr, Meta, ReturnType, Signature, Token, Type, Visibility};

use super::fragments::Fragments;
use super::signature;
use super::touch::{self, Touch};
use super::twin::twin;
use super::types::device_type;
use crate::errors::Errors;
use crate::visitor::VisitMut;

/// A function with or without a body.
#[derive(Clone)]
pub struct Function {
    attrs: Vec<Attribute>,
    vis: Visibility,
    sig: Signature,
    block: Option<Block>,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let (vis, sig) = (input.parse()?, input.parse()?);
        let block = if input.parse::<Option<Token![;]>>()?.is_some() { None } else { Some(input.parse()?) };
        Ok(Self { attrs, vis, sig, block })
    }
}

impl Fragments for Function {
    fn visited_by(&mut self, visitor: &mut dyn VisitMut) {
        visitor.visit_signature_mut(&mut self.sig);
        if let Some(block) = &mut self.block {
            visitor.visit_block_mut(block);
        }
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attrs, vis, sig, block } = self;
        let end = block.is_none().then(<Token![;]>::default);
        tokens.extend(quote!(#(#attrs)* #vis #sig #block #end));
    }
}

/// The content of the attribute.
#[derive(Default)]
pub(super) struct Body {
    cuda: Option<LitStr>,
    ptx: Option<LitStr>,
    pub pure: bool,
    /// The places that it reads and that it writes; `None` if it does not say.
    pub touches: Option<Vec<Touch>>,
}

const KNOWN: &str = "`#[gpu_fn]` knows `cuda = \"…\"`, the body in CUDA C++, or `ptx = \"…\"`, with the operands `{name}` and \
    `{ret}`; and beside them `pure`, if it has no effect, or `reads(p)` and `writes(p[..n])`, if it touches this memory alone";

/// Expands such a function.
pub fn expand(attr: TokenStream, item: &Function) -> TokenStream {
    let mut errors = Errors::default();
    let body = parse(attr, &mut errors);
    let sig = &item.sig;
    if sig.generics.type_params().next().is_some() || sig.generics.const_params().next().is_some() {
        errors
            .at(&sig.generics, "a function with a CUDA or PTX body is not generic; write one for each type");
    }
    let params = signature::params(sig, None, &mut errors);
    let output = match &sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => device_type(ty).to_token_stream(),
    };
    let text = match (&body.cuda, &body.ptx) {
        (Some(cuda), None) => cuda.value(),
        (None, Some(ptx)) => ptx_body(ptx, &params, &sig.output, body.pure, &mut errors),
        _ => {
            errors.at(&sig.ident, KNOWN);
            String::new()
        }
    };
    let (vis, name, attrs) = (&item.vis, &sig.ident, &item.attrs);
    let (rust_name, pure) = (name.to_string(), body.pure);
    let twin_sig = super::function::twin_signature(sig);
    let twin_body: Block = match &item.block {
        Some(block) => {
            let (body, tells) = (twin(block, None), touch::tell(&body, &params, &mut errors));
            syn::parse_quote!({ #tells #body })
        }
        None => syn::parse_quote!({
            ::warpsmith::__macro::not_simulable(#rust_name)
        }),
    };
    if errors.any() {
        return errors.into_tokens();
    }
    let (inputs, unsafety) = (signature::input_types(&twin_sig), &sig.safety);
    let (lifetimes, given) = (sig.generics.lifetimes(), &twin_sig.output);
    let (quiet, at) = (signature::quiet(), signature::location(name));
    let declares = params.iter().map(|p| {
        let (text, ty) = (p.pat.ident.to_string(), &p.ty);
        quote!(__r.param(#text, true, <#ty as ::warpsmith::__macro::DeviceType>::ty());)
    });
    let meaning = meaning(item, params.len());
    let unused = if item.block.is_none() { quote!(#[allow(unused_variables)]) } else { quote!() };
    quote! {
        #(#attrs)*
        #unused
        #vis #twin_sig #twin_body

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis struct #name {}

        #quiet
        impl #name {
            #vis fn called_in_a_kernel<#(#lifetimes),*>(_: #unsafety fn(#(#inputs),*) #given, _: &::warpsmith::__macro::FnProbe<Self>) {}

            fn __record(__r: &mut ::warpsmith::__macro::Recorder) {
                #(#declares)*
                #meaning
                __r.foreign_body(#text, <#output as ::warpsmith::__macro::DeviceType>::ty(), #pure, __meaning);
            }
        }

        #quiet
        impl ::warpsmith::__macro::DeviceFn for #name {
            fn callee() -> ::warpsmith::__macro::Callee {
                ::warpsmith::__macro::Callee::Device(::warpsmith::__macro::DeviceCallee {
                    key: ::core::any::type_name::<Self>(),
                    name: #rust_name,
                    at: #at,
                    record: Self::__record,
                })
            }
        }
    }
}

/// The Rust body for callers that have the arguments in the IR's layout, if there is one.
fn meaning(item: &Function, count: usize) -> TokenStream {
    if item.block.is_none() {
        return quote!(let __meaning = ::core::option::Option::None;);
    }
    let name = &item.sig.ident;
    let args: Vec<_> = (0..count).map(|i| quote::format_ident!("__arg{i}")).collect();
    quote! {
        #[allow(unused_mut, unused_variables)]
        unsafe fn __call(__args: *const *const u8, __ret: *mut u8) {
            // SAFETY: the caller of a meaning passes the arguments that the meaning was made for.
            unsafe {
                let mut __args = ::warpsmith::__macro::Arguments::new(__args);
                #(let #args = __args.take();)*
                ::warpsmith::__macro::give(#name(#(#args),*), __ret);
            }
        }
        let __meaning = ::core::option::Option::Some(::warpsmith::__macro::Meaning(__call));
    }
}

fn parse(attr: TokenStream, errors: &mut Errors) -> Body {
    let mut body = Body::default();
    let items = match Punctuated::<Meta, Token![,]>::parse_terminated.parse2(attr) {
        Ok(items) => items,
        Err(error) => {
            errors.add(error);
            return body;
        }
    };
    for item in items {
        match (&item, string(&item)) {
            (Meta::NameValue(pair), Some(text)) if pair.path.is_ident("cuda") => body.cuda = Some(text),
            (Meta::NameValue(pair), Some(text)) if pair.path.is_ident("ptx") => body.ptx = Some(text),
            (Meta::Path(path), _) if path.is_ident("pure") => body.pure = true,
            (Meta::List(list), _) if list.path.is_ident("reads") || list.path.is_ident("writes") => {
                body.touches.get_or_insert_default().extend(touch::parse(list, errors));
            }
            _ => errors.at(&item, KNOWN),
        }
    }
    body
}

fn string(item: &Meta) -> Option<LitStr> {
    let Meta::NameValue(pair) = item else { return None };
    match &pair.value {
        Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
        _ => None,
    }
}

/// The constraint of a register that holds a scalar.
fn constraint(ty: &Type) -> Option<&'static str> {
    let name = ty.to_token_stream().to_string();
    Some(match name.as_str() {
        "i16" | "u16" => "h",
        "i32" | "u32" => "r",
        "i64" | "u64" | "isize" | "usize" => "l",
        "f32" => "f",
        "f64" => "d",
        _ => return if matches!(ty, Type::Ptr(_) | Type::Reference(_)) { Some("l") } else { None },
    })
}

/// The CUDA around PTX: an `asm` whose operands are the parameters and the result.
fn ptx_body(
    ptx: &LitStr,
    params: &[signature::Param],
    output: &ReturnType,
    pure: bool,
    errors: &mut Errors,
) -> String {
    let mut operands = Vec::new();
    let mut outputs = String::new();
    let mut lines = String::new();
    let mut names: Vec<(String, usize)> = Vec::new();
    if let ReturnType::Type(_, ty) = output {
        names.push(("ret".to_owned(), 0));
        match constraint(ty) {
            Some(c) => {
                outputs = format!("\"={c}\"(ws_result)");
                lines = "{ret} ws_result;\n".to_owned();
            }
            None => {
                errors.at(ty, "PTX gives a number of 16 to 64 bits; write the body with `cuda` for others")
            }
        }
    }
    for param in params {
        names.push((param.pat.ident.to_string(), names.len()));
        match constraint(&param.written) {
            Some(c) => operands.push(format!("\"{c}\"({})", param.pat.ident)),
            None => errors.at(&param.written, "PTX takes numbers of 16 to 64 bits and addresses"),
        }
    }
    let text = substitute(ptx, &names, errors);
    let volatile = if pure { "" } else { " volatile" };
    let clobber = if pure { "" } else { " : \"memory\"" };
    lines.push_str(&format!("asm{volatile}(\"{text}\" : {outputs} : {}{clobber});", operands.join(", ")));
    if !outputs.is_empty() {
        lines.push_str("\nreturn ws_result;");
    }
    lines
}

/// PTX with `{name}` as the numbers of operands, escaped for a C string.
fn substitute(ptx: &LitStr, names: &[(String, usize)], errors: &mut Errors) -> String {
    let mut out = String::new();
    let value = ptx.value();
    let mut rest = value.as_str();
    while let Some(open) = rest.find('{') {
        out.push_str(&escape(&rest[..open]));
        let inside = rest[open + 1..].split('}').next().unwrap_or_default();
        match names.iter().find(|(name, _)| name == inside) {
            Some((_, number)) => {
                out.push_str(&format!("%{number}"));
                rest = &rest[open + inside.len() + 2..];
            }
            // A brace of PTX's own: a scope, or a vector of registers.
            None => {
                if inside.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !inside.is_empty() {
                    let message =
                        format!("`{{{inside}}}` is no parameter; operands are the parameters and `{{ret}}`");
                    errors.at(ptx, message);
                }
                out.push('{');
                rest = &rest[open + 1..];
            }
        }
    }
    out.push_str(&escape(rest));
    out
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('\n', "\\n\\t")
}
