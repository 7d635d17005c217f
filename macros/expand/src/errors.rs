//! Collects every mistake of an item; one compilation then shows them all.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::rustc_span;

/// The mistakes found so far.
#[derive(Default)]
pub struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds a mistake at the smallest tokens that show it.
    pub fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    /// Adds a mistake that parsing found.
    pub fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Adds the mistakes of a part.
    pub fn append(&mut self, part: Errors) {
        if let Some(error) = part.0 {
            self.add(error);
        }
    }

    /// Returns whether anything was found.
    pub fn any(&self) -> bool {
        self.0.is_some()
    }

    /// One `compile_error!` for each mistake: of several at the same tokens the first.
    pub fn into_tokens(self) -> TokenStream {
        let mut shown = HashSet::new();
        let all = self.0.into_iter().flatten();
        all.filter(|error| shown.insert(rustc_span::ends(error.span())))
            .map(|error| error.to_compile_error())
            .collect()
    }
}
