//! Comparing what the user wrote.

use quote::ToTokens;

/// Whether two pieces of syntax are the same tokens, wherever they stand.
pub fn same_tokens(a: &impl ToTokens, b: &impl ToTokens) -> bool {
    a.to_token_stream().to_string() == b.to_token_stream().to_string()
}
