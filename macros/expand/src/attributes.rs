//! Attributes in a body: each has no effect on what the body means, or is handled, or is refused.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Block, Expr};

use crate::errors::Errors;
use crate::visitor::{Below, Visit};
use syn::visit;

/// Returns whether an attribute sets lints.
pub fn is_lint(attr: &Attribute) -> bool {
    ["allow", "expect", "warn", "deny", "forbid"].iter().any(|name| attr.path().is_ident(name))
}

/// Tools whose attributes say nothing to rustc.
const TOOLS: [&str; 2] = ["clippy", "rustfmt"];

/// Refuses attributes that would be dropped.
pub fn check(block: &Block, errors: &mut Errors) {
    Attributes { errors }.visit_block(block);
}

struct Attributes<'e> {
    errors: &'e mut Errors,
}

impl Attributes<'_> {
    /// An attribute above a loop, which says so, or above something else.
    fn check(&mut self, attr: &Attribute, is_loop: bool) {
        if has_no_effect(attr) || (is_loop && attr.path().is_ident("unroll")) {
            return;
        }
        let name = attr.path().to_token_stream().to_string();
        let message = match name.as_str() {
            "unroll" => "`#[unroll]` belongs above a loop; remove it, or move it there",
            "cfg" | "cfg_attr" => CONDITION,
            _ if is_loop => "a loop in a kernel takes `#[unroll]` or `#[unroll(N)]`",
            _ => "this attribute has no meaning in the body of a kernel; remove it",
        };
        self.errors.at(attr, message);
    }
}

/// What to write for a condition that stands where it leaves nothing out.
const CONDITION: &str = "`#[cfg]` leaves out a whole statement, arm, field, parameter or element of a list; elsewhere, as above an assignment, write a block, `#[cfg(…)] { … }`, or `if cfg!(…) { … }`";

/// Returns whether an attribute says nothing about what a body does.
fn has_no_effect(attr: &Attribute) -> bool {
    is_lint(attr)
        || attr.path().is_ident("doc")
        || attr.path().segments.first().is_some_and(|tool| TOOLS.iter().any(|name| tool.ident == name))
}

impl<'a> Visit<'a> for Attributes<'_> {
    fn this(&mut self) -> &mut dyn Visit<'a> {
        self
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        let attrs = match expr {
            Expr::ForLoop(e) => {
                self.visit_pat(&e.pat);
                self.visit_expr(&e.expr);
                self.visit_block(&e.body);
                &e.attrs
            }
            Expr::While(e) => {
                self.visit_expr(&e.cond);
                self.visit_block(&e.body);
                &e.attrs
            }
            Expr::Loop(e) => {
                self.visit_block(&e.body);
                &e.attrs
            }
            // It is Rust as it stands, as an item is.
            Expr::Const(e) => &e.attrs,
            other => return visit::visit_expr(&mut Below(self), other),
        };
        let is_loop = !matches!(expr, Expr::Const(_));
        attrs.iter().for_each(|attr| self.check(attr, is_loop));
    }

    fn visit_attribute(&mut self, attr: &'a Attribute) {
        self.check(attr, false);
    }

    fn visit_item(&mut self, _: &'a syn::Item) {}

    fn visit_macro(&mut self, mac: &'a syn::Macro) {
        if let Some(attr) = attribute_in(mac.tokens.clone()) {
            self.errors.at(
                attr,
                "an attribute has no meaning in the arguments of a macro; write the statement before it",
            );
        }
    }
}

/// The first attribute among tokens.
fn attribute_in(tokens: TokenStream) -> Option<Group> {
    let mut hash = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) if hash && group.delimiter() == Delimiter::Bracket => return Some(group),
            TokenTree::Group(group) => {
                if let Some(found) = attribute_in(group.stream()) {
                    return Some(found);
                }
                hash = false;
            }
            other => hash = matches!(&other, TokenTree::Punct(punct) if punct.as_char() == '#'),
        }
    }
    None
}
