//! The expansions of the macros of `warpsmith`: a file for each kind of item, and for each part of a body.
//!
//! The tokens of an attribute and of its item come in. The tokens that rustc compiles in their place go out, or an error at the
//! wrong tokens. This crate works on tokens alone: it writes paths of `warpsmith`, but does not depend on it.
//!
//! It is a separate crate because rustc waits until a proc-macro crate is linked; crates that need only this one can start
//! earlier.

mod alternatives;
mod assign;
mod attr;
mod attributes;
mod body_check;
mod builtin_macros;
mod call;
mod called;
mod chain;
mod closures;
mod configured;
mod consumer;
mod control;
mod copied;
mod derive;
mod derive_enum;
mod derive_field;
mod derive_order;
mod derive_stage;
mod derive_wanted;
mod device_method;
mod device_path;
mod disjoint;
mod errors;
mod expected;
mod expr;
mod extent;
mod fallback;
mod flat;
mod foreign;
mod foreign_body;
mod foreign_names;
mod format;
mod fragments;
mod function;
mod global;
mod held_body;
mod images;
mod impls;
mod index_types;
mod inner_function;
mod items;
mod iteration;
mod iterator_params;
mod kept;
mod kernel;
mod launch_chain;
mod leaving;
mod lend;
mod let_chain;
mod loop_index;
mod lower;
mod matching;
mod methods;
mod operands;
mod operators;
mod part_method;
mod pattern;
mod places;
mod plain;
mod range_index;
mod recording;
mod referents;
mod reread;
mod rustc_span;
mod signature;
mod slice_element;
mod slice_match;
mod slice_pattern;
mod spelled;
mod stmt;
mod surroundings;
mod tokens;
mod touch;
mod twin;
mod types;
mod visitor;

use fragments::Fragments;
use global::Space;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ItemFn;
use syn::parse::Parse;

/// The items that each attribute stands above.
const PLACES: &str = "`#[gpu_kernel]` and `#[gpu_fn]` belong above a function, `#[gpu_impl]` above an `impl`, `#[gpu_trait]` above a trait, \
    `#[gpu_const]` and `#[gpu_static]` above a static; write the one that fits";

/// Parses an item, and writes out its fragments.
fn parsed<T: Parse + Fragments>(item: TokenStream) -> syn::Result<T> {
    let mut item: T = syn::parse2(fragments::statements(item))?;
    item.write_out();
    Ok(item)
}

/// Parses the item and expands it, or reports why it does not parse. An item of another kind stays.
fn with<T: Parse + Fragments>(item: TokenStream, expand: impl FnOnce(&T) -> TokenStream) -> TokenStream {
    match parsed(item.clone()) {
        Ok(item) => expand(&item),
        Err(error) => misplaced(item).unwrap_or_else(|| error.to_compile_error()),
    }
}

/// The item, and that the attribute stands above another kind of item.
fn misplaced(item: TokenStream) -> Option<TokenStream> {
    let kept = syn::parse2::<syn::Item>(item).ok()?;
    let keyword = match &kept {
        syn::Item::Fn(item) => item.sig.fn_token.to_token_stream(),
        syn::Item::Impl(item) => item.impl_token.to_token_stream(),
        syn::Item::Struct(item) => item.struct_token.to_token_stream(),
        syn::Item::Enum(item) => item.enum_token.to_token_stream(),
        syn::Item::Trait(item) => item.trait_token.to_token_stream(),
        syn::Item::Mod(item) => item.mod_token.to_token_stream(),
        syn::Item::Const(item) => item.const_token.to_token_stream(),
        syn::Item::Static(item) => item.static_token.to_token_stream(),
        _ => return None,
    };
    let error = syn::Error::new_spanned(keyword, PLACES).to_compile_error();
    Some(quote!(#error #[allow(warnings)] #kept))
}

/// [`with`] for a function. One whose body does not parse goes back to rustc as it is, beside what
/// stands in for it: rustc has said why already, and says the same thing once.
fn with_function(item: TokenStream, expand: impl FnOnce(&ItemFn) -> TokenStream) -> TokenStream {
    match parsed(item.clone()) {
        Ok(item) => expand(&item),
        Err(error) => misplaced_kind(item, &error, expand),
    }
}

/// A function that does not parse, or an item that is none.
fn misplaced_kind(
    item: TokenStream,
    error: &syn::Error,
    expand: impl FnOnce(&ItemFn) -> TokenStream,
) -> TokenStream {
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Fn(_)) | Err(_) => fallback::unparsed(item, error, expand),
        Ok(_) => misplaced(item).unwrap_or_else(|| error.to_compile_error()),
    }
}

/// Refuses arguments of an attribute that takes none.
fn no_arguments(attr: &TokenStream, name: &str) -> TokenStream {
    if attr.is_empty() {
        return TokenStream::new();
    }
    syn::Error::new_spanned(attr, format!("`#[{name}]` takes no arguments")).to_compile_error()
}

/// `#[gpu_kernel]`
pub fn kernel(attr: TokenStream, item: TokenStream) -> TokenStream {
    let expand = |item: &ItemFn| kernel::expand(attr.clone(), item);
    with_function(item, |item| configured::decided("gpu_kernel", &attr, item, expand))
}

/// `#[gpu_fn]`
pub fn function(attr: TokenStream, item: TokenStream) -> TokenStream {
    const NAME: &str = "gpu_fn";
    if attr.is_empty() {
        return with_function(item, |item| configured::decided(NAME, &attr, item, function::expand));
    }
    let expand = |item: &foreign_body::Function| foreign_body::expand(attr.clone(), item);
    with(item, |item| configured::decided(NAME, &attr, item, expand))
}

/// `#[gpu_impl]`
pub fn implementation(attr: TokenStream, item: TokenStream) -> TokenStream {
    const NAME: &str = "gpu_impl";
    let mut tokens = no_arguments(&attr, NAME);
    let none = TokenStream::new();
    tokens.extend(with(item, |item| configured::decided(NAME, &none, item, impls::expand_impl)));
    tokens
}

/// `#[gpu_trait]`
pub fn trait_(attr: TokenStream, item: TokenStream) -> TokenStream {
    const NAME: &str = "gpu_trait";
    let mut tokens = no_arguments(&attr, NAME);
    let none = TokenStream::new();
    tokens.extend(with(item, |item| configured::decided(NAME, &none, item, impls::expand_trait)));
    tokens
}

/// `#[gpu_const]`
pub fn constant(attr: &TokenStream, item: TokenStream) -> TokenStream {
    let mut tokens = no_arguments(attr, "gpu_const");
    tokens.extend(with(item, |item| global::expand(item, Space::Constant)));
    tokens
}

/// `#[gpu_static]`, `#[gpu_static(managed)]`
pub fn static_(attr: &TokenStream, item: TokenStream) -> TokenStream {
    let (mut tokens, space) = match Space::of_static(attr) {
        Ok(space) => (TokenStream::new(), space),
        Err(error) => (error.to_compile_error(), Space::Device),
    };
    tokens.extend(with(item, |item| global::expand(item, space)));
    tokens
}

/// `#[derive(GpuType)]`
pub fn derive_gpu_type(item: TokenStream) -> TokenStream {
    with(item, derive::expand)
}

/// `#[derive(DeviceType)]`
pub fn derive_device_type(item: TokenStream) -> TokenStream {
    with(item, derive::expand_moved)
}

/// `#[derive(Stage)]`
pub fn derive_stage(item: TokenStream) -> TokenStream {
    with(item, derive_stage::expand)
}

/// `known_macros!`
pub fn known_macros() -> TokenStream {
    builtin_macros::imports()
}

/// `device_methods!`
pub fn device_methods(item: TokenStream) -> TokenStream {
    match syn::parse2(item) {
        Ok(methods) => methods::expand(&methods),
        Err(error) => error.to_compile_error(),
    }
}
