//! Arguments of `#[gpu_kernel(...)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, Lit, Meta, Token};

use crate::errors::Errors;

/// What `#[gpu_kernel(...)]` asked for.
pub struct KernelAttr {
    fmad: bool,
    max_threads: Option<u32>,
    min_blocks: Option<u32>,
    allow_divergent_barriers: bool,
}

const KNOWN: &str = "`#[gpu_kernel]` knows `fmad = false`, `launch_bounds(max_threads)`, \
    `launch_bounds(max_threads, min_blocks)` and `allow(divergent_barriers)`";

impl KernelAttr {
    /// Parses the attribute's tokens.
    pub fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut attr =
            Self { fmad: true, max_threads: None, min_blocks: None, allow_divergent_barriers: false };
        match Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens) {
            Ok(items) => items.iter().for_each(|item| attr.apply(item, errors)),
            Err(error) => errors.add(error),
        }
        attr
    }

    fn apply(&mut self, item: &Meta, errors: &mut Errors) {
        let name = item.path().get_ident().map(ToString::to_string).unwrap_or_default();
        match (name.as_str(), item) {
            ("fmad", Meta::NameValue(pair)) => match &pair.value {
                Expr::Lit(syn::ExprLit { lit: Lit::Bool(value), .. }) => self.fmad = value.value,
                other => errors.at(other, "`fmad` is `true` or `false`"),
            },
            ("launch_bounds", Meta::List(list)) => self.launch_bounds(list, errors),
            ("allow", Meta::List(list)) if list.tokens.to_string() == "divergent_barriers" => {
                self.allow_divergent_barriers = true;
            }
            ("allow", Meta::List(list)) => {
                errors.at(&list.tokens, "`allow` knows `divergent_barriers`");
            }
            _ => errors.at(item, KNOWN),
        }
    }

    fn launch_bounds(&mut self, list: &syn::MetaList, errors: &mut Errors) {
        let parser = Punctuated::<syn::LitInt, Token![,]>::parse_terminated;
        let numbers = match list.parse_args_with(parser) {
            Ok(numbers) if (1..=2).contains(&numbers.len()) => numbers,
            Ok(_) => return errors.at(list, "`launch_bounds` takes the largest block and, optionally, the least number of resident blocks"),
            Err(error) => return errors.add(error),
        };
        let mut values = Vec::new();
        for number in &numbers {
            match number.base10_parse::<u32>() {
                Ok(value) if (1..=1024).contains(&value) => values.push(value),
                _ => errors.at(number, "a launch bound is a number from 1 to 1024"),
            }
        }
        self.max_threads = values.first().copied();
        self.min_blocks = values.get(1).copied();
    }

    /// The attribute as an expression of the library's type.
    pub fn to_tokens(&self) -> TokenStream {
        let option = |value: Option<u32>| match value {
            Some(n) => quote!(::core::option::Option::Some(#n)),
            None => quote!(::core::option::Option::None),
        };
        let (fmad, allow) = (self.fmad, self.allow_divergent_barriers);
        let (max_threads, min_blocks) = (option(self.max_threads), option(self.min_blocks));
        quote! {
            ::warpsmith::ir::KernelAttributes {
                fmad: #fmad,
                max_threads: #max_threads,
                min_blocks: #min_blocks,
                allow_divergent_barriers: #allow,
            }
        }
    }
}
