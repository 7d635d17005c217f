//! `#[cfg(…)]` and `#[cfg_attr(…)]` in an item.
//!
//! rustc alone knows which conditions hold, and tells no attribute. So the item becomes two, one for each answer to its first
//! condition, both with the attribute: rustc keeps one, and that is expanded. What is left out exists for no executor.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Expr, FnArg, GenericParam, ImplItem, Item, Meta, Pat, Stmt, Token, TraitItem, parse_quote,
};

use crate::fragments::Fragments;
use crate::visitor::{BelowMut, VisitMut};
use syn::visit_mut;

/// Expands an item without conditions. One with conditions becomes an item for each answer to the first, which rustc expands again.
pub fn decided<T: Fragments + ToTokens + Clone>(
    attribute: &str,
    arguments: &TokenStream,
    item: &T,
    expand: impl FnOnce(&T) -> TokenStream,
) -> TokenStream {
    split(attribute, arguments, item).unwrap_or_else(|| expand(item))
}

/// The item for each answer to its first condition, with `#[attribute(arguments)]`; `None` if it has no condition.
fn split<T: Fragments + ToTokens + Clone>(
    attribute: &str,
    arguments: &TokenStream,
    item: &T,
) -> Option<TokenStream> {
    let mut search = Conditions::Search(None);
    item.clone().visited_by(&mut search);
    let Conditions::Search(Some(condition)) = search else { return None };
    let attribute = Ident::new(attribute, Span::call_site());
    let attribute = quote!(#[::warpsmith::__macro::#attribute(#arguments)]);
    if !is_condition(&condition) {
        // rustc says so, once.
        let mut item = item.clone();
        item.visited_by(&mut Conditions::Answer { condition: condition.to_string(), holds: false });
        return Some(quote!(#[cfg(#condition)] const _: () = (); #attribute #item));
    }
    let [met, unmet] = [true, false].map(|holds| {
        let mut item = item.clone();
        item.visited_by(&mut Conditions::Answer { condition: condition.to_string(), holds });
        item
    });
    Some(quote! {
        #[cfg(#condition)]
        #attribute
        #met
        #[cfg(not(#condition))]
        #attribute
        #unmet
    })
}

/// Returns whether rustc takes tokens for a condition, as far as their form tells.
fn is_condition(tokens: &TokenStream) -> bool {
    let is_bool = || syn::parse2::<syn::LitBool>(tokens.clone()).is_ok();
    match syn::parse2(tokens.clone()) {
        Ok(Meta::Path(_)) => true,
        Ok(Meta::NameValue(meta)) => {
            matches!(meta.value, Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. }))
        }
        Ok(Meta::List(list)) if list.path.is_ident("not") => is_condition(&list.tokens),
        Ok(Meta::List(list)) if list.path.is_ident("all") || list.path.is_ident("any") => {
            split_at_commas(list.tokens).iter().all(is_condition)
        }
        Ok(Meta::List(list)) => CONDITIONS.iter().any(|name| list.path.is_ident(name)),
        Err(_) => is_bool(),
    }
}

/// Conditions with arguments of their own, which rustc may take.
const CONDITIONS: [&str; 3] = ["accessible", "target", "version"];

/// The parts of a list, of which the last may have a comma behind it.
fn split_at_commas(tokens: TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut parts: Vec<TokenStream> =
        tokens.split(is_comma).map(|part| part.iter().cloned().collect()).collect();
    if parts.last().is_some_and(TokenStream::is_empty) {
        parts.pop();
    }
    parts
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')
}

/// Where the attributes of some variants are.
macro_rules! attrs_of {
    ($node:expr, $kind:ident: $($variant:ident)+) => {
        match $node {
            $($kind::$variant(node) => Some(&mut node.attrs),)+
            _ => None,
        }
    };
}

/// A walk over the conditions of an item.
enum Conditions {
    /// Finds the first.
    Search(Option<TokenStream>),
    /// Takes out one, and what it leaves out.
    Answer { condition: String, holds: bool },
}

impl Conditions {
    /// The answer to a condition; a search has none.
    fn answer(&mut self, asked: &TokenStream) -> Option<bool> {
        match self {
            Self::Search(found) => {
                found.get_or_insert_with(|| asked.clone());
                None
            }
            Self::Answer { condition, holds } => (*condition == asked.to_string()).then_some(*holds),
        }
    }

    /// Returns whether what has these attributes stays.
    fn keeps(&mut self, attrs: &mut Vec<Attribute>) -> bool {
        let mut i = 0;
        while let Some(attr) = attrs.get(i) {
            match conditional(attr).and_then(|(condition, given)| Some((self.answer(&condition)?, given))) {
                Some((holds, given)) => drop(attrs.splice(i..=i, given.into_iter().filter(|_| holds))),
                None => i += 1,
            }
        }
        let mut kept = true;
        attrs.retain(|attr| match arguments(attr, "cfg").and_then(|condition| self.answer(&condition)) {
            Some(holds) => {
                kept &= holds;
                false
            }
            None => true,
        });
        kept
    }

    /// Takes elements out of a list.
    fn list<T, P: Default>(
        &mut self,
        list: &mut Punctuated<T, P>,
        attrs: impl Fn(&mut T) -> Option<&mut Vec<Attribute>>,
    ) {
        let kept: Vec<bool> =
            list.iter_mut().map(|part| attrs(part).is_none_or(|attrs| self.keeps(attrs))).collect();
        if kept.contains(&false) {
            let parts = std::mem::take(list).into_iter().zip(kept);
            *list = parts.filter_map(|(part, kept)| kept.then_some(part)).collect();
        }
    }

    fn exprs(&mut self, list: &mut Punctuated<Expr, Token![,]>) {
        self.list(list, expr_attrs);
    }
}

impl VisitMut for Conditions {
    fn this(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.retain_mut(|stmt| {
            let attrs = match stmt {
                Stmt::Local(local) => Some(&mut local.attrs),
                Stmt::Item(item) => item_attrs(item),
                Stmt::Expr(expr, _) => expr_attrs(expr),
                Stmt::Macro(mac) => Some(&mut mac.attrs),
            };
            attrs.is_none_or(|attrs| self.keeps(attrs))
        });
        visit_mut::visit_block_mut(&mut BelowMut(self), block);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Array(e) => self.exprs(&mut e.elems),
            Expr::Call(e) => self.exprs(&mut e.args),
            Expr::MethodCall(e) => self.exprs(&mut e.args),
            Expr::Tuple(e) => self.exprs(&mut e.elems),
            Expr::Match(e) => e.arms.retain_mut(|arm| self.keeps(&mut arm.attrs)),
            Expr::Struct(e) => self.list(&mut e.fields, |field| Some(&mut field.attrs)),
            Expr::Closure(e) => self.list(&mut e.inputs, pat_attrs),
            _ => {}
        }
        visit_mut::visit_expr_mut(&mut BelowMut(self), expr);
    }

    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        if let Pat::Struct(of) = pat {
            self.list(&mut of.fields, |field| Some(&mut field.attrs));
        }
        visit_mut::visit_pat_mut(&mut BelowMut(self), pat);
    }

    fn visit_signature_mut(&mut self, sig: &mut syn::Signature) {
        self.list(&mut sig.inputs, |input| {
            Some(match input {
                FnArg::Receiver(receiver) => &mut receiver.attrs,
                FnArg::Typed(typed) => &mut typed.attrs,
            })
        });
        visit_mut::visit_signature_mut(&mut BelowMut(self), sig);
    }

    fn visit_generics_mut(&mut self, generics: &mut syn::Generics) {
        self.list(&mut generics.params, |param| {
            Some(match param {
                GenericParam::Lifetime(param) => &mut param.attrs,
                GenericParam::Type(param) => &mut param.attrs,
                GenericParam::Const(param) => &mut param.attrs,
            })
        });
        visit_mut::visit_generics_mut(&mut BelowMut(self), generics);
    }

    fn visit_item_impl_mut(&mut self, item: &mut syn::ItemImpl) {
        item.items.retain_mut(|part| {
            attrs_of!(part, ImplItem: Const Fn Type Macro).is_none_or(|attrs| self.keeps(attrs))
        });
        visit_mut::visit_item_impl_mut(&mut BelowMut(self), item);
    }

    fn visit_item_trait_mut(&mut self, item: &mut syn::ItemTrait) {
        item.items.retain_mut(|part| {
            attrs_of!(part, TraitItem: Const Fn Type Macro).is_none_or(|attrs| self.keeps(attrs))
        });
        visit_mut::visit_item_trait_mut(&mut BelowMut(self), item);
    }
}

/// `x` of `#[name(x)]`.
fn arguments(attr: &Attribute, name: &str) -> Option<TokenStream> {
    match &attr.meta {
        Meta::List(list) if list.path.is_ident(name) => Some(list.tokens.clone()),
        _ => None,
    }
}

/// The condition of a `#[cfg_attr(…)]`, and the attributes that it gives.
fn conditional(attr: &Attribute) -> Option<(TokenStream, Vec<Attribute>)> {
    let mut tokens = arguments(attr, "cfg_attr")?.into_iter();
    let condition = tokens.by_ref().take_while(|token| !is_comma(token)).collect();
    let given = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens.collect()).ok()?;
    let style = attr.style;
    let given = given.into_iter().map(|meta| Attribute { style, ..parse_quote!(#[#meta]) });
    Some((condition, given.collect()))
}

fn expr_attrs(expr: &mut Expr) -> Option<&mut Vec<Attribute>> {
    attrs_of!(expr, Expr: Array Assign Async Await Binary Block Break Call Cast Closure Const Continue Field ForLoop Group If
        Index Infer Let Lit Loop Macro Match MethodCall Paren Path Range RawAddr Reference Repeat Return Struct Try TryBlock
        Tuple Unary Unsafe While Yield)
}

fn item_attrs(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    attrs_of!(item, Item: Const Enum ExternCrate Fn ForeignMod Impl Macro Mod Static Struct Trait TraitAlias Type Union Use)
}

fn pat_attrs(pat: &mut Pat) -> Option<&mut Vec<Attribute>> {
    attrs_of!(pat, Pat: Ident Reference Slice Struct Tuple TupleStruct Type Wild)
}
