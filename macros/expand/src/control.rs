//! Lowering of control flow.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop, Pat, RangeLimits};

use super::let_chain::has_pattern;
use super::loop_index::only_indexes;
use super::lower::{Lower, Lowered, see};
use super::matching::Choice;
use super::operands::Operands;
use super::operators::plain_integer;
use crate::tokens::optional;
use crate::visitor::{Below, Visit};
use syn::visit;

impl Lower<'_> {
    pub(super) fn if_(&mut self, e: &syn::ExprIf) -> Lowered {
        if let Some(two) = self.if_let(e) {
            return two;
        }
        // The branches of `else if`s stand one after the other: rustc has a limited stack.
        let (mut witness, mut list, mut branch) = (TokenStream::new(), Vec::new(), Some(e));
        let mut otherwise = None;
        while let Some(e) = branch.take() {
            let cond = self.expr(&e.cond);
            let then = self.block(&e.then_branch);
            self.forget_line();
            let (cond_witness, then_witness) = (cond.witness, then.witness);
            witness.extend(quote!(if #cond_witness #then_witness));
            list.push(Choice { setup: TokenStream::new(), cond: cond.emit, body: then.emit });
            match e.else_branch.as_ref().map(|(_, next)| &**next) {
                Some(Expr::If(next)) if !has_pattern(&next.cond) => {
                    witness.extend(quote!(else));
                    branch = Some(next);
                }
                Some(other) => {
                    let Lowered { witness: ew, emit } = self.expr(other);
                    // An `if let` is a `match` in the witness.
                    witness.extend(if let Expr::If(_) = other {
                        quote!(else { #ew })
                    } else {
                        quote!(else #ew)
                    });
                    otherwise = Some(emit);
                }
                None => {}
            }
        }
        self.forget_line();
        let otherwise = otherwise.unwrap_or_else(|| quote!(::warpsmith::ir::Expr::unit()));
        Lowered { witness, emit: self.choices(list.into_iter(), &otherwise) }
    }

    pub(super) fn block_expr(&mut self, e: &syn::ExprBlock) -> Lowered {
        match &e.label {
            Some(label) => self.labelled_block(label, &e.block),
            None => self.block(&e.block),
        }
    }

    /// `'name: { … break 'name value; … }`: a loop that runs once.
    fn labelled_block(&mut self, label: &syn::Label, block: &syn::Block) -> Lowered {
        let body = self.block(block);
        self.forget_line();
        let text = label.name.ident.to_string();
        let (body_witness, body_emit) = (body.witness, body.emit);
        let (probe, index) = self.probe(label.span());
        Lowered {
            witness: self.tap(&probe, label.span(), &quote!(#label #block), quote!(#label #body_witness)),
            emit: quote!({
                __r.block_begin(#text, ::core::option::Option::Some(__t.ty(#index)));
                let __v = #body_emit;
                __r.block_end(#text, __v);
                __r.loop_end()
            }),
        }
    }

    pub(super) fn unsafe_block(&mut self, e: &syn::ExprUnsafe) -> Lowered {
        let two = self.block(&e.block);
        let witness = two.witness;
        Lowered { witness: quote!(unsafe #witness), emit: two.emit }
    }

    pub(super) fn loop_(&mut self, e: &syn::ExprLoop) -> Lowered {
        let unrolled = self.unrolled(&e.attrs);
        let body = self.block(&e.body);
        self.forget_line();
        let (label, label_text) = (&e.label, label_text(e.label.as_ref().map(|l| &l.name)));
        let (body_witness, body_emit) = (body.witness, body.emit);
        let witness = quote!(#label loop #body_witness);
        let (witness, ty) = if gives_value(e) {
            let (probe, index) = self.probe(e.loop_token.span());
            (self.tap(&probe, e.loop_token.span(), e, witness), quote!(__t.ty(#index)))
        } else {
            (witness, quote!(::warpsmith::ir::Type::Unit))
        };
        Lowered {
            witness,
            emit: quote!({
                __r.loop_begin(#label_text, #ty);
                #unrolled
                let __v = #body_emit;
                __r.statement(__v);
                __r.loop_end()
            }),
        }
    }

    pub(super) fn while_(&mut self, e: &syn::ExprWhile) -> Lowered {
        if let Some(two) = self.while_let(e) {
            return two;
        }
        let unrolled = self.unrolled(&e.attrs);
        let cond = self.expr(&e.cond);
        let body = self.block(&e.body);
        self.forget_line();
        let (label, label_text) = (&e.label, label_text(e.label.as_ref().map(|l| &l.name)));
        let (cond_witness, cond_emit, body_witness, body_emit) =
            (cond.witness, cond.emit, body.witness, body.emit);
        Lowered {
            witness: quote!(#label while #cond_witness #body_witness),
            emit: quote!({
                __r.while_begin(#label_text);
                #unrolled
                let __c = #cond_emit;
                if __r.while_cond(__c) { let __v = #body_emit; __r.statement(__v); }
                __r.while_end();
                ::warpsmith::ir::Expr::unit()
            }),
        }
    }

    pub(super) fn for_loop(&mut self, e: &ExprForLoop) -> Lowered {
        let name = match &*e.pat {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => Some(name),
            Pat::Wild(_) => None,
            _ => return self.for_items(e),
        };
        let Some(walk) = Walk::of(&e.expr) else {
            return self.for_items(e);
        };
        let counter = self.counter(e, name, &walk);
        let (witness, setup, operands) = self.walk_operands(&walk, &counter);
        let line = walk.step.map(|step| self.line(step.span()));
        let unroll = self.unroll(&e.attrs);
        let body = self.scoped(|lower| {
            if let Some(name) = name {
                lower.bind(&name.ident, super::lower::Name::Local);
                lower.know(&name.ident, super::lower::Known::Number);
            }
            lower.statements(&e.body.stmts)
        });
        self.forget_line();
        let (body_witness, body_emit) = (body.witness, body.emit);
        let (label, label_text) = (&e.label, label_text(e.label.as_ref().map(|l| &l.name)));
        let Counter { ty, see, .. } = counter;
        let shown = name.map_or_else(|| quote!(__unnamed), |n| n.to_token_stream());
        let ident =
            name.map_or_else(|| quote!(__unnamed), |n| super::lower::held(&n.ident).to_token_stream());
        let text = name.map_or_else(String::new, |n| n.ident.to_string());
        let mutable = name.is_some_and(|n| n.mutability.is_some());
        let (range, step, reversed, inclusive) = walk.witness(&witness, &operands);
        let (start, end) = (&operands[0], &operands[1]);
        Lowered {
            witness: quote!(#label for #shown in #range { #see #body_witness }),
            emit: quote!({
                #setup
                #line
                let #ident = __r.for_begin(
                    #label_text, #text, #mutable, #ty, [#start, #end],
                    ::warpsmith::__macro::RangeShape {
                        inclusive: #inclusive, step: #step, reversed: #reversed, unroll: #unroll,
                    },
                );
                let __v = { #body_emit };
                __r.statement(__v);
                __r.for_end();
                ::warpsmith::ir::Expr::unit()
            }),
        }
    }

    /// The variable of a loop over a range.
    fn counter(&mut self, e: &ExprForLoop, name: Option<&syn::PatIdent>, walk: &Walk<'_>) -> Counter {
        if only_indexes(e, walk.start, walk.end) {
            let ty = quote!(::warpsmith::ir::Type::U64);
            return Counter { ty, suffix: "usize", see: TokenStream::new() };
        }
        let (probe, index) = self.probe(e.pat.span());
        let unnamed = syn::Ident::new("__unnamed", proc_macro2::Span::call_site());
        let see = see(&probe, name.map_or(&unnamed, |name| &name.ident));
        Counter { ty: quote!(__t.ty(#index)), suffix: "", see }
    }

    /// The bounds and the step of a walk; a bound that is a literal has the type of the variable.
    fn walk_operands(
        &mut self,
        walk: &Walk<'_>,
        counter: &Counter,
    ) -> (Vec<TokenStream>, TokenStream, Vec<syn::Ident>) {
        let parts = [Some(walk.start), Some(walk.end), walk.step];
        let bound = |i: usize, part| if i < 2 { plain_integer(part) } else { None };
        let parts: Vec<(&Expr, Option<String>)> =
            parts.into_iter().flatten().enumerate().map(|(i, part)| (part, bound(i, part))).collect();
        let others: Vec<&Expr> = parts.iter().filter(|part| part.1.is_none()).map(|part| part.0).collect();
        let Operands { witness, mut setup, names } = self.values(&others);
        let mut others = witness.into_iter().zip(names);
        let (mut witness, mut names) = (Vec::new(), Vec::new());
        for (i, (part, literal)) in parts.into_iter().enumerate() {
            let lowered = match literal {
                None => others.next(),
                Some(text) => {
                    let name = format_ident!("__bound{i}");
                    let ty = &counter.ty;
                    setup.extend(quote!(let #name = __r.literal(#text, #ty);));
                    let text = format!("{text}{}", counter.suffix);
                    Some((syn::LitInt::new(&text, part.span()).to_token_stream(), name))
                }
            };
            let Some((shown, name)) = lowered else { continue };
            witness.push(shown);
            names.push(name);
        }
        (witness, setup, names)
    }

    /// `#[unroll]` and `#[unroll(N)]` on the `while` or `loop` that is open.
    pub(super) fn unrolled(&mut self, attrs: &[syn::Attribute]) -> TokenStream {
        let unroll = self.unroll(attrs);
        match attrs.iter().any(|attr| attr.path().is_ident("unroll")) {
            true => quote!(__r.unrolled(#unroll);),
            false => TokenStream::new(),
        }
    }

    /// `#[unroll]` and `#[unroll(N)]` on a loop.
    pub(super) fn unroll(&mut self, attrs: &[syn::Attribute]) -> TokenStream {
        let mut unroll = None;
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("unroll")) {
            if let syn::Meta::Path(_) = attr.meta {
                unroll = Some(optional(None::<Expr>));
            } else {
                match attr.parse_args::<Expr>() {
                    Ok(n) if !self.is_count(&n) => self.errors.at(
                        n,
                        "`#[unroll(N)]` takes a number, a constant or a `#[comptime]` parameter; `#[unroll]` unrolls the whole loop",
                    ),
                    Ok(n) => unroll = Some(optional(Some(quote!((#n) as u32)))),
                    Err(error) => self.errors.add(error),
                }
            }
        }
        optional(unroll)
    }

    /// Returns whether an expression is certainly no function's name and nothing of run time.
    fn is_count(&self, n: &Expr) -> bool {
        match n {
            Expr::Path(path) => path.path.get_ident().is_none_or(|name| match self.lookup(name) {
                Some(kind) => kind == super::lower::Name::Comptime,
                None => !name.to_string().starts_with(char::is_lowercase),
            }),
            _ => true,
        }
    }

    pub(super) fn break_(&mut self, e: &syn::ExprBreak) -> Lowered {
        let label_text = label_text(e.label.as_ref());
        let (keyword, label) = (&e.break_token, &e.label);
        match &e.expr {
            Some(value) => {
                let Lowered { witness, emit } = self.expr(value);
                Lowered {
                    witness: quote!(#keyword #label #witness),
                    emit: quote!({ let __v = #emit; __r.break_(#label_text, ::core::option::Option::Some(__v)) }),
                }
            }
            None => Lowered {
                witness: e.to_token_stream(),
                emit: quote!(__r.break_(#label_text, ::core::option::Option::None)),
            },
        }
    }

    pub(super) fn continue_(&mut self, e: &syn::ExprContinue) -> Lowered {
        let label_text = label_text(e.label.as_ref());
        Lowered { witness: e.to_token_stream(), emit: quote!(__r.continue_(#label_text)) }
    }
}

/// The variable of a loop over a range.
struct Counter {
    /// Its type, as the emitter spells it.
    ty: TokenStream,
    /// The suffix that gives a literal its type in the witness, if tokens alone determine it.
    suffix: &'static str,
    /// The witness of its type.
    see: TokenStream,
}

/// A range as `for` walks it.
struct Walk<'a> {
    start: &'a Expr,
    end: &'a Expr,
    inclusive: bool,
    step: Option<&'a Expr>,
    reversed: bool,
}

impl<'a> Walk<'a> {
    fn of(expr: &'a Expr) -> Option<Self> {
        match expr {
            Expr::Paren(inner) => Self::of(&inner.expr),
            Expr::Range(range) => Some(Self {
                start: range.start.as_deref()?,
                end: range.end.as_deref()?,
                inclusive: matches!(range.limits, RangeLimits::Closed(_)),
                step: None,
                reversed: false,
            }),
            Expr::MethodCall(call) => {
                let walk = Self::of(&call.receiver)?;
                let plain = walk.step.is_none() && !walk.reversed;
                match (call.method.to_string().as_str(), call.args.len()) {
                    ("rev", 0) if plain => Some(Self { reversed: true, ..walk }),
                    ("step_by", 1) if plain => Some(Self { step: call.args.first(), ..walk }),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The witness of the range, and the emitter's step, direction and bound.
    fn witness(&self, parts: &[TokenStream], names: &[syn::Ident]) -> (TokenStream, TokenStream, bool, bool) {
        let (start, end) = (&parts[0], &parts[1]);
        let range = if self.inclusive { quote!((#start)..=(#end)) } else { quote!((#start)..(#end)) };
        let range = match (parts.get(2), self.reversed) {
            (Some(step), _) => quote!((#range).step_by(#step)),
            (None, true) => quote!((#range).rev()),
            (None, false) => range,
        };
        (range, optional(names.get(2)), self.reversed, self.inclusive)
    }
}

/// A label as the emitter passes it: without the apostrophe.
pub(super) fn label_text(label: Option<&syn::Lifetime>) -> TokenStream {
    optional(label.map(|label| label.ident.to_string()))
}

/// Returns whether some `break` of this loop carries a value.
fn gives_value(e: &syn::ExprLoop) -> bool {
    struct Search<'a> {
        label: Option<&'a syn::Ident>,
        depth: usize,
        found: bool,
    }
    impl<'a> Visit<'a> for Search<'a> {
        fn this(&mut self) -> &mut dyn Visit<'a> {
            self
        }

        fn visit_expr(&mut self, expr: &'a Expr) {
            match expr {
                Expr::Break(e) if e.expr.is_some() => {
                    self.found |= match (&e.label, self.label) {
                        (None, _) => self.depth == 0,
                        (Some(to), Some(own)) => to.ident == *own,
                        (Some(_), None) => false,
                    };
                    visit::visit_expr(&mut Below(self), expr);
                }
                Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => {
                    self.depth += 1;
                    visit::visit_expr(&mut Below(self), expr);
                    self.depth -= 1;
                }
                Expr::Closure(_) => {}
                other => visit::visit_expr(&mut Below(self), other),
            }
        }
    }
    let label = e.label.as_ref().map(|l| &l.name.ident);
    let mut search = Search { label, depth: 0, found: false };
    search.visit_block(&e.body);
    search.found
}
