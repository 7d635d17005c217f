//! Comparisons of the user's tokens, and paths of std.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// Returns whether two pieces of syntax are the same tokens, wherever they stand.
pub fn same_tokens(a: &impl ToTokens, b: &impl ToTokens) -> bool {
    a.to_token_stream().to_string() == b.to_token_stream().to_string()
}

/// An `Option` as an expression, by the path that no name of the user's changes.
pub fn optional(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
