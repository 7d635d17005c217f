//! Arguments of `#[gpu_kernel(...)]`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Ident, Lit, Meta, Token};

use crate::errors::Errors;
use crate::tokens::{optional, same_tokens};
use crate::visitor::Visit;

/// A number of the attribute: a literal, or an expression that rustc evaluates.
#[derive(Clone)]
struct Number {
    value: Option<u32>,
    /// An expression of type `u32`.
    tokens: TokenStream,
}

/// The options of `#[gpu_kernel(...)]`.
pub struct KernelAttr {
    fmad: bool,
    max_threads: Option<Number>,
    min_blocks: Option<Number>,
    max_registers: Option<Number>,
    cluster: Option<[Number; 3]>,
    noalias: bool,
    allow_divergent_barriers: bool,
    coarsen: Option<Coarsen>,
    /// The demands on the compiled code, by their names.
    requires: Vec<Ident>,
    /// The registers of each warpgroup.
    roles: Vec<Number>,
}

/// The demands of `require(…)`: the fields of `warpsmith_ir::ir::Requirements`.
const REQUIREMENTS: [&str; 3] = ["no_spills", "no_local_memory", "async_wgmma"];

/// The number of elements that a thread does.
enum Coarsen {
    Widest,
    Times(u32),
}

/// Limits of the hardware, as `warpsmith_ir::limits` has them: a macro depends on no crate of the runtime. `tests/facts.rs`
/// compares them.
const BLOCK_THREADS: u32 = 1024;
const CLUSTER_BLOCKS: u32 = 16;
const REGISTERS: u32 = 255;
const WARPGROUP_REGISTERS: u32 = 256;
const BLOCK_REGISTERS: u32 = 65_536;

const KNOWN: &str = "`#[gpu_kernel]` knows `fmad = false`, `launch_bounds(max_threads)`, \
    `launch_bounds(max_threads, min_blocks)`, `max_registers(n)`, `warpgroups(40, 232, 232)`, \
    `cluster(x, y, z)`, `noalias`, `coarsen`, `coarsen = 4`, \
    `require(no_spills)` and `allow(divergent_barriers)`";

impl KernelAttr {
    /// Parses the attribute's tokens; `parameters` are known too late for its numbers.
    pub fn parse(tokens: TokenStream, parameters: &[Ident], errors: &mut Errors) -> Self {
        let mut attr = Self {
            fmad: true,
            max_threads: None,
            min_blocks: None,
            max_registers: None,
            cluster: None,
            noalias: false,
            allow_divergent_barriers: false,
            coarsen: None,
            requires: Vec::new(),
            roles: Vec::new(),
        };
        match Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens) {
            Ok(items) => {
                refuse_repeated(&items, errors);
                items.iter().for_each(|item| attr.apply(item, parameters, errors));
                refuse_beside_roles(&items, errors);
                let capped = items.iter().find(|item| item.path().is_ident("max_registers"));
                if let (Some(capped), true) = (capped, attr.max_threads.is_some()) {
                    errors
                        .at(capped, "CUDA takes `launch_bounds` or `max_registers`, not both; leave out one");
                }
            }
            Err(error) => errors.add(syn::Error::new(error.span(), KNOWN)),
        }
        attr
    }

    fn apply(&mut self, item: &Meta, parameters: &[Ident], errors: &mut Errors) {
        let mut numbers = |list: &syn::MetaList, most: usize, limit: u32, rule: &'static str| {
            Rule { most, limit, rule, parameters }.numbers(list, errors)
        };
        let name = item.path().get_ident().map(ToString::to_string).unwrap_or_default();
        match (name.as_str(), item) {
            ("fmad", Meta::NameValue(pair)) => match &pair.value {
                Expr::Lit(syn::ExprLit { lit: Lit::Bool(value), .. }) => self.fmad = value.value,
                other => errors.at(other, "`fmad` is `true` or `false`"),
            },
            ("launch_bounds", Meta::List(list)) => {
                let rule = "a launch bound is a number from 1 to 1024";
                if let Some(bounds) = numbers(list, 2, BLOCK_THREADS, rule) {
                    self.max_threads = bounds.first().cloned();
                    self.min_blocks = bounds.get(1).cloned();
                }
            }
            ("noalias", Meta::Path(_)) => self.noalias = true,
            ("coarsen", Meta::Path(_)) => self.coarsen = Some(Coarsen::Widest),
            ("coarsen", Meta::NameValue(pair)) => match number_of_elements(&pair.value) {
                Some(elements) => self.coarsen = Some(Coarsen::Times(elements)),
                None => errors.at(&pair.value, "a thread of a coarsened kernel does 2, 4, 8 or 16 elements"),
            },
            ("max_registers", Meta::List(list)) => {
                let rule = "a register cap is one number from 1 to 255";
                self.max_registers = numbers(list, 1, REGISTERS, rule).and_then(|n| n.first().cloned());
            }
            ("cluster", Meta::List(list)) => {
                let rule = "a cluster has one to three extents from 1 to 16, at most 16 blocks in all";
                if let Some(extents) = numbers(list, 3, CLUSTER_BLOCKS, rule) {
                    let at = |i: usize| extents.get(i).cloned().unwrap_or_else(Number::one);
                    self.cluster = Some([at(0), at(1), at(2)]);
                    if extents.iter().filter_map(|n| n.value).product::<u32>() > CLUSTER_BLOCKS {
                        errors.at(list, rule);
                    }
                }
            }
            ("warpgroups", Meta::List(list)) => self.roles = roles(list, parameters, errors),
            ("require", Meta::List(list)) => self.require(list, errors),
            ("allow", Meta::List(list)) if list.tokens.to_string() == "divergent_barriers" => {
                self.allow_divergent_barriers = true;
            }
            ("allow", Meta::List(list)) => {
                errors.at(&list.tokens, "`allow` knows `divergent_barriers`");
            }
            _ => errors.at(item, KNOWN),
        }
    }

    /// `require(no_spills, async_wgmma)`
    fn require(&mut self, list: &syn::MetaList, errors: &mut Errors) {
        let rule = "`require` knows `no_spills`, `no_local_memory` and `async_wgmma`";
        let names = list.parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated);
        match names {
            Ok(names) if !names.is_empty() => {
                for name in names {
                    match REQUIREMENTS.iter().any(|known| name == known) {
                        true => self.requires.push(name),
                        false => errors.at(&name, rule),
                    }
                }
            }
            _ => errors.at(list, rule),
        }
    }

    /// The attribute as an expression of the library's type.
    pub fn to_tokens(&self) -> TokenStream {
        let option = |value: &Option<Number>| optional(value.as_ref().map(|number| &number.tokens));
        let (fmad, allow) = (self.fmad, self.allow_divergent_barriers);
        let (max_threads, min_blocks) = (option(&self.max_threads), option(&self.min_blocks));
        let (max_registers, noalias) = (option(&self.max_registers), self.noalias);
        let cluster = optional(self.cluster.as_ref().map(|extents| {
            let [x, y, z] = extents.each_ref().map(|number| &number.tokens);
            quote!(::warpsmith::__macro::cluster_extents([#x, #y, #z]))
        }));
        let coarsen = optional(self.coarsen.as_ref().map(|coarsen| match coarsen {
            Coarsen::Widest => quote!(::warpsmith::ir::CoarsenFactor::Widest),
            Coarsen::Times(elements) => quote!(::warpsmith::ir::CoarsenFactor::Times(#elements)),
        }));
        let requires = self.requires.iter();
        let (numbers, threads) =
            (self.roles.iter().map(|number| &number.tokens), 128 * self.roles.len() as u32);
        let (max_threads, min_blocks, roles) = match self.roles.is_empty() {
            true => (max_threads, min_blocks, optional(None::<TokenStream>.as_ref())),
            false => (
                optional(Some(&quote!(#threads))),
                optional(Some(&quote!(1))),
                optional(Some(&quote!(::warpsmith::__macro::roles(&[#(#numbers),*])))),
            ),
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
                coarsen: #coarsen,
                requires: ::warpsmith::ir::Requirements {
                    #(#requires: true,)*
                    ..::warpsmith::ir::Requirements::NONE
                },
                roles: #roles,
            }
        }
    }
}

/// Parses `warpgroups(…)`: the registers of each warpgroup.
fn roles(list: &syn::MetaList, parameters: &[Ident], errors: &mut Errors) -> Vec<Number> {
    let rule = "`warpgroups` takes the registers of a thread of each of 1 to 8 warpgroups: multiples of 8 from 24 to 256";
    let given = match list.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
        Ok(given) if (1..=8).contains(&given.len()) => given,
        _ => {
            errors.at(list, rule);
            return Vec::new();
        }
    };
    let limits = Rule { most: 8, limit: WARPGROUP_REGISTERS, rule, parameters };
    let mut found = Vec::new();
    for n in &given {
        let Some(number) = limits.number(n, errors) else { return Vec::new() };
        if number.value.is_some_and(|n| n % 8 != 0 || n < 24) {
            errors.at(n, rule);
            return Vec::new();
        }
        found.push(number);
    }
    let groups = found.len() as u32;
    let most = (BLOCK_REGISTERS / (128 * groups) / 8 * 8).min(WARPGROUP_REGISTERS) * groups;
    let known: Option<Vec<u32>> = found.iter().map(|number| number.value).collect();
    let sum: u32 = known.iter().flatten().sum();
    if sum > most {
        let terms: Vec<String> = known.iter().flatten().map(ToString::to_string).collect();
        let terms = terms.join(" + ");
        errors.at(
            &list.tokens,
            format!("{terms} = {sum} registers exceed the {most} that a block has for its warpgroups"),
        );
    }
    found
}

/// Refuses options that `warpgroups` replaces.
fn refuse_beside_roles(items: &Punctuated<Meta, Token![,]>, errors: &mut Errors) {
    if items.iter().any(|item| item.path().is_ident("warpgroups")) {
        for other in items
            .iter()
            .filter(|item| ["launch_bounds", "max_registers"].iter().any(|name| item.path().is_ident(name)))
        {
            errors.at(other, "`warpgroups` sets the size of a block and its registers; leave this out");
        }
    }
}

/// The elements of a thread, as the attribute gives them.
fn number_of_elements(value: &Expr) -> Option<u32> {
    let Expr::Lit(syn::ExprLit { lit: Lit::Int(int), .. }) = value else { return None };
    int.base10_parse().ok().filter(|elements| [2, 4, 8, 16].contains(elements))
}

/// An option stands once.
fn refuse_repeated(items: &Punctuated<Meta, Token![,]>, errors: &mut Errors) {
    for (i, item) in items.iter().enumerate() {
        if items.iter().take(i).any(|earlier| same_tokens(earlier.path(), item.path())) {
            let name = item.path().get_ident().map(ToString::to_string).unwrap_or_default();
            errors.at(item, format!("`{name}` is given twice; keep one"));
        }
    }
}

impl Number {
    fn one() -> Self {
        Self { value: Some(1), tokens: quote!(1) }
    }
}

/// The rule for the numbers of an option.
struct Rule<'a> {
    /// The greatest count.
    most: usize,
    /// The greatest; the least is 1.
    limit: u32,
    rule: &'static str,
    parameters: &'a [Ident],
}

impl Rule<'_> {
    /// The numbers of an option; `None` after reporting a mistake.
    fn numbers(&self, list: &syn::MetaList, errors: &mut Errors) -> Option<Vec<Number>> {
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let given = list.parse_args_with(parser).map_err(|error| errors.add(error)).ok()?;
        if !(1..=self.most).contains(&given.len()) {
            let bounds = "`launch_bounds` takes the largest block and, optionally, the least number of resident blocks";
            errors.at(list, if self.most == 2 { bounds } else { self.rule });
            return None;
        }
        given.iter().map(|n| self.number(n, errors)).collect()
    }

    fn number(&self, n: &Expr, errors: &mut Errors) -> Option<Number> {
        if let Expr::Lit(syn::ExprLit { lit: Lit::Int(int), .. }) = n {
            let value = int.base10_parse::<u32>().ok().filter(|value| (1..=self.limit).contains(value));
            if value.is_none() {
                errors.at(n, self.rule);
            }
            return value.map(|value| Number { value: Some(value), tokens: value.to_token_stream() });
        }
        if let Some(parameter) = self.parameter_in(n) {
            let message = format!(
                "`{parameter}` is not known to the attribute; a number in `#[gpu_kernel]` is made of literals, constants and const generics"
            );
            errors.at(parameter, message);
            return None;
        }
        let (limit, rule, span) = (self.limit, self.rule, n.span().resolved_at(Span::call_site()));
        let tokens =
            quote_spanned!(span=> ::warpsmith::__macro::attribute_number((#n) as i128, #limit, #rule));
        Some(Number { value: None, tokens })
    }

    /// A parameter of the kernel that an expression names.
    fn parameter_in(&self, n: &Expr) -> Option<Ident> {
        struct Search<'a>(&'a [Ident], Option<Ident>);
        impl<'a> Visit<'a> for Search<'_> {
            fn this(&mut self) -> &mut dyn Visit<'a> {
                self
            }

            fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
                if let Some(name) = path.path.get_ident().filter(|name| self.0.contains(name)) {
                    self.1.get_or_insert_with(|| name.clone());
                }
            }
        }
        let mut search = Search(self.parameters, None);
        search.visit_expr(n);
        search.1
    }
}
