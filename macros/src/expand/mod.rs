//! Expansion: one file a kind of item or a part of the body.

mod body_check;
mod builtin_macros;
mod call;
mod consumer;
mod control;
mod derive;
mod derive_enum;
mod device_method;
mod device_path;
mod expr;
mod fallback;
mod foreign;
mod foreign_body;
mod foreign_names;
mod format;
mod function;
mod global;
mod images;
mod impls;
mod iteration;
mod kernel;
mod launch_chain;
mod loop_index;
mod lower;
mod matching;
mod methods;
mod operators;
mod pattern;
mod plain;
mod signature;
mod stmt;
mod surroundings;
mod twin;
mod types;

use proc_macro2::TokenStream;
use syn::parse::Parse;

/// Parses the item and expands it, or reports why it does not parse.
fn with<T: Parse>(item: TokenStream, expand: impl FnOnce(&T) -> TokenStream) -> TokenStream {
    match syn::parse2::<T>(item) {
        Ok(item) => expand(&item),
        Err(error) => error.to_compile_error(),
    }
}

/// [`with`] for a function. One whose body does not parse goes back to rustc as it is, inside of what
/// stands in for it: rustc has said why already, and says the same thing once.
fn with_function<T: Parse>(item: TokenStream, expand: impl FnOnce(&T) -> TokenStream) -> TokenStream {
    match syn::parse2::<T>(item.clone()) {
        Ok(item) => expand(&item),
        Err(error) => fallback::unparsed(item, &error),
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
    with_function(item, |item| kernel::expand(attr, item))
}

/// `#[gpu_fn]`
pub fn function(attr: TokenStream, item: TokenStream) -> TokenStream {
    if attr.is_empty() {
        return with_function(item, function::expand);
    }
    with(item, |item| foreign_body::expand(attr, item))
}

/// `#[gpu_impl]`
pub fn implementation(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut tokens = no_arguments(&attr, "gpu_impl");
    tokens.extend(with(item, impls::expand_impl));
    tokens
}

/// `#[gpu_trait]`
pub fn trait_(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut tokens = no_arguments(&attr, "gpu_trait");
    tokens.extend(with(item, impls::expand_trait));
    tokens
}

/// `#[gpu_const]`, `#[gpu_static]`
pub fn global(attr: TokenStream, item: TokenStream, constant: bool) -> TokenStream {
    let mut tokens = no_arguments(&attr, if constant { "gpu_const" } else { "gpu_static" });
    tokens.extend(with(item, |item| global::expand(item, constant)));
    tokens
}

/// `#[derive(GpuType)]`
pub fn derive_gpu_type(item: TokenStream) -> TokenStream {
    with(item, derive::expand)
}

/// `device_methods!`
pub fn device_methods(item: TokenStream) -> TokenStream {
    with(item, methods::expand)
}
