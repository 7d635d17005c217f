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
    max_registers: Option<u32>,
    cluster: Option<[u32; 3]>,
    noalias: bool,
    allow_divergent_barriers: bool,
}

const KNOWN: &str = "`#[gpu_kernel]` knows `fmad = false`, `launch_bounds(max_threads)`, \
    `launch_bounds(max_threads, min_blocks)`, `max_registers(n)`, `cluster(x, y, z)`, `noalias` and `allow(divergent_barriers)`";

impl KernelAttr {
    /// Parses the attribute's tokens.
    pub fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut attr = Self {
            fmad: true,
            max_threads: None,
            min_blocks: None,
            max_registers: None,
            cluster: None,
            noalias: false,
            allow_divergent_barriers: false,
        };
        match Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens) {
            Ok(items) => {
                refuse_repeated(&items, errors);
                items.iter().for_each(|item| attr.apply(item, errors));
            }
            Err(error) => errors.add(syn::Error::new(error.span(), KNOWN)),
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
            ("noalias", Meta::Path(_)) => self.noalias = true,
            ("max_registers", Meta::List(list)) => {
                if let Some([n]) =
                    numbers(list, 1, 255, "a register cap is one number from 1 to 255", errors).as_deref()
                {
                    self.max_registers = Some(*n);
                }
            }
            ("cluster", Meta::List(list)) => {
                let rule = "a cluster has one to three extents from 1 to 16, at most 16 blocks in all";
                if let Some(extents) = numbers(list, 3, 16, rule, errors) {
                    let at = |i: usize| extents.get(i).copied().unwrap_or(1);
                    self.cluster = Some([at(0), at(1), at(2)]);
                    if extents.iter().product::<u32>() > 16 {
                        errors.at(list, rule);
                    }
                }
            }
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
        let (max_registers, noalias) = (option(self.max_registers), self.noalias);
        let cluster = match self.cluster {
            Some([x, y, z]) => quote!(::core::option::Option::Some([#x, #y, #z])),
            None => quote!(::core::option::Option::None),
        };
        quote! {
            ::warpsmith::ir::KernelAttributes {
                fmad: #fmad,
                max_threads: #max_threads,
                min_blocks: #min_blocks,
                max_registers: #max_registers,
                cluster: #cluster,
                noalias: #noalias,
                allow_divergent_barriers: #allow,
            }
        }
    }
}

/// An option stands once.
fn refuse_repeated(items: &Punctuated<Meta, Token![,]>, errors: &mut Errors) {
    for (i, item) in items.iter().enumerate() {
        if items.iter().take(i).any(|earlier| earlier.path() == item.path()) {
            let name = item.path().get_ident().map(ToString::to_string).unwrap_or_default();
            errors.at(item, format!("`{name}` is given twice; keep one"));
        }
    }
}

/// Up to `most` numbers from 1 to `limit`; `None` after saying what is wrong.
fn numbers(
    list: &syn::MetaList,
    most: usize,
    limit: u32,
    rule: &str,
    errors: &mut Errors,
) -> Option<Vec<u32>> {
    let parser = Punctuated::<syn::LitInt, Token![,]>::parse_terminated;
    let given = list.parse_args_with(parser).map_err(|error| errors.add(error)).ok()?;
    let values: Vec<u32> = given.iter().filter_map(|n| n.base10_parse().ok()).collect();
    let right = (1..=most).contains(&values.len())
        && values.len() == given.len()
        && values.iter().all(|n| (1..=limit).contains(n));
    if !right {
        errors.at(list, rule);
        return None;
    }
    Some(values)
}
