//! A function in the body of another, between its expansion and what makes the twin, the witness and the emitter of that body.
//!
//! It stands in the body as a call of a macro by a name that no user writes, with one group for each of them: tokens that
//! nothing else looks into.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::{Item, Macro, parse_quote};

/// What stands for the function in each copy of the body.
pub struct InnerFunction {
    /// The function itself, as the twin calls it.
    pub twin: TokenStream,
    /// Its device side, beside what the witness of the body calls.
    pub witness: TokenStream,
    /// The function, if it is constant and the emitter may call it.
    pub emit: TokenStream,
}

/// The name of that macro.
const NAME: &str = "__inner_function";

impl InnerFunction {
    /// The function as an item of the body.
    pub fn into_item(self) -> Item {
        let Self { twin, witness, emit } = self;
        let name = Ident::new(NAME, Span::call_site());
        Item::Macro(parse_quote!(#name! { { #twin } { #witness } { #emit } }))
    }

    /// The function that such a call is.
    pub fn of(mac: &Macro) -> Option<Self> {
        let group = |tree: TokenTree| match tree {
            TokenTree::Group(group) => Some(Group::stream(&group)),
            _ => None,
        };
        if !mac.path.is_ident(NAME) {
            return None;
        }
        let mut parts = mac.tokens.clone().into_iter().filter_map(group);
        let mut part = || parts.next().unwrap_or_else(|| quote!());
        Some(Self { twin: part(), witness: part(), emit: part() })
    }
}
