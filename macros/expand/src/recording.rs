//! The witness and the emitter of a body, side by side.
//!
//! In come the parameters, the result and the block; out come the statements of a hidden function that records them.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, ReturnType, parse_quote};

use super::lower::{Lower, Name};
use super::signature::{Param, known};
use super::types::{device_type, elide_lifetimes};
use crate::errors::Errors;

/// The witness and the emitter of a body with these parameters.
pub struct Recording {
    /// `let __t = types_of(…);`
    pub witness: TokenStream,
    /// `let __emit = |__r, __t| …;`, which stands before the witness: rustc looks at what a witness leaves
    /// unresolved again at every call that follows.
    pub emitter: TokenStream,
}

impl Recording {
    /// Statements that record with `__r`.
    pub fn record(&self) -> TokenStream {
        let Self { witness, emitter } = self;
        quote!(#emitter #witness __emit(__r, &__t);)
    }
}

/// A function that holds a copy of the body. If it has mistakes, the witness reports none.
pub struct Guard {
    /// The path by which the witness names it.
    pub path: TokenStream,
    /// The path by which any item names it, if nothing of it is generic.
    pub plain: Option<TokenStream>,
}

/// Lowers a body.
pub fn recording(
    params: &[Param],
    output: &ReturnType,
    block: &syn::Block,
    guard: Option<&Guard>,
    errors: &mut Errors,
) -> Recording {
    super::attributes::check(block, errors);
    let mut lower = Lower::new(errors, block.brace_token.span.open());
    lower.guarded = guard.is_some();
    lower.generic = guard.is_some_and(|guard| guard.plain.is_none());
    let name = lower.own_name("__sound", block.brace_token.span.open());
    let mut lets = guard.map(|guard| ask(&name, &guard.path)).unwrap_or_default();
    let mut declares = TokenStream::new();
    for param in params {
        let (pat, ident, ty) = (&param.pat, &param.pat.ident, &param.ty);
        let (text, mutable) =
            (if param.receiver { "self".to_owned() } else { ident.to_string() }, pat.mutability.is_some());
        let value = lower.hold(&quote!(::warpsmith::__macro::never_called::<#ty>()));
        lets.extend(quote!(let #pat = #value;));
        let name = if param.receiver { Ident::new("self", ident.span()) } else { ident.clone() };
        lower.bind(&name, param.kind);
        lower.know(&name, known(ty));
        let local = super::lower::held(ident);
        declares.extend(match param.kind {
            Name::Local if param.by_value => {
                quote!(let #local = __r.param(#text, #mutable, (<#ty as ::warpsmith::__macro::GpuType>::__by_value().ty)());)
            }
            Name::Local => {
                quote!(let #local = __r.param(#text, #mutable, <#ty as ::warpsmith::__macro::DeviceType>::ty());)
            }
            Name::Closure => {
                let copied = param.copied;
                quote!(let #local = __r.closure_param(#text, #copied);)
            },
            Name::Comptime | Name::Iterator => quote!(),
        });
    }
    let mut block = block.clone();
    elide_lifetimes(&mut block);
    for param in params.iter().rev() {
        if let Some(pat) = &param.destructured {
            let ident = &param.pat.ident;
            block.stmts.insert(0, parse_quote!(let #pat = #ident;));
        }
    }
    let body = lower.block(&block);
    let giver = lower.own_name("__returns", block.brace_token.span.open());
    let (probes, tree) = lower.probe_tree();
    let plain = guard.and_then(|guard| guard.plain.as_ref());
    let asked = plain.map(|path| ask(&format_ident!("__sound"), path));
    let (index_types, choose) = (lower.index_types.declarations(false), lower.index_types.choose());
    let methods = lower.methods.items(asked.as_ref());
    let blocks = std::mem::take(&mut lower.blocks);
    let known_macros = lower.known_macros();
    let lending = lower.lends.then(super::lend::imports);
    let (body_witness, body_emit) = (body.witness, body.emit);
    let missing = (!gives_value(output, &block)).then(|| quote!(::warpsmith::__macro::never_called()));
    let (output, returns) = match output {
        ReturnType::Default => (quote!(()), quote!()),
        ReturnType::Type(_, ty) => {
            let ty = device_type(ty);
            (quote!(#ty), quote!(__r.returns(<#ty as ::warpsmith::__macro::DeviceType>::ty());))
        }
    };
    let returns_of = quote!(::warpsmith::__macro::Returns::<#output>::new());
    let returned = if guard.is_some() { quote!(#name.hold(#returns_of)) } else { returns_of };
    Recording {
        witness: quote! {
            let __t = ::warpsmith::__macro::types_of(|| {
                #[allow(unused_imports)]
                use ::warpsmith::__macro::methods::*;
                #lending
                #methods
                #probes
                #index_types
                // The rest is type-checked, but not borrow-checked: the twin is.
                ::warpsmith::__macro::unreached();
                #known_macros
                #lets
                let #giver = #returned;
                // The twin says where `unsafe` is missing.
                #giver.end(unsafe { #body_witness #missing });
                #choose
                #tree
            });
        },
        emitter: quote! {
            #(let #blocks = ::warpsmith::__macro::ConstBlock::new();)*
            let __emit = |__r: &mut ::warpsmith::__macro::Recorder, __t: &::warpsmith::__macro::Types| {
                #declares
                #returns
                let __v = #body_emit;
                __r.finish(__v);
            };
        },
    }
}

/// Returns whether a body ends as its result asks, as far as tokens tell; the twin says where it does not.
pub fn gives_value(output: &ReturnType, block: &syn::Block) -> bool {
    matches!(output, ReturnType::Default)
        || match block.stmts.last() {
            Some(syn::Stmt::Expr(_, semicolon)) => semicolon.is_none(),
            Some(syn::Stmt::Macro(mac)) => mac.semi_token.is_none(),
            _ => false,
        }
}

/// Binds `name` to what holds the values of the witness.
pub fn ask(name: &Ident, guard: &TokenStream) -> TokenStream {
    quote! {
        let #name = {
            use ::warpsmith::__macro::{MistakenBody as _, SoundBody as _};
            let __guard = ::warpsmith::__macro::guard(#guard);
            let __outcome = (&__guard).outcome().sound();
            __guard.asked(::core::marker::PhantomData::<()>);
            __outcome
        };
    }
}

/// The statements of the recorder for `#[inline(always)]`, `#[inline(never)]` and `#[track_caller]`.
pub fn of_attributes(attrs: &[syn::Attribute]) -> TokenStream {
    let tracked = attrs.iter().any(|attr| attr.path().is_ident("track_caller"));
    let tracked = tracked.then(|| quote!(__r.at_caller();));
    let inlining = inlining(attrs);
    quote!(#inlining #tracked)
}

fn inlining(attrs: &[syn::Attribute]) -> TokenStream {
    let wish = |attr: &syn::Attribute| match &attr.meta {
        syn::Meta::List(list) if list.path.is_ident("inline") => match list.tokens.to_string().as_str() {
            "always" => Some(quote!(__r.inlined(true);)),
            "never" => Some(quote!(__r.inlined(false);)),
            _ => None,
        },
        _ => None,
    };
    attrs.iter().find_map(wish).unwrap_or_default()
}
