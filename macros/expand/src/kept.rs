//! Lowering of iterators in variables: `let mut it = x.iter();`, and the methods that advance them.

use proc_macro2::Ident;
use quote::{ToTokens, quote};
use syn::{Expr, ExprMethodCall, ExprPath};

use super::consumer::Inlined;
use super::flat;
use super::iteration::makes_parts;
use super::lower::{Known, Lower, Lowered, Name, held};
use super::operands::{First, Operands};
use super::places::Access;

/// Methods of iterators that Rust calls by reference: what is left of an iterator in a variable can be walked further.
const BORROWING: [&str; 7] = ["any", "all", "find", "find_map", "position", "try_fold", "try_for_each"];

/// Methods of iterators in variables that a kernel lacks, and what to write.
const LACKING: &[(&str, &str)] = &[
    ("next_back", "make it by `rev`, and call `next`"),
    ("nth_back", "make it by `rev`, and call `nth`"),
    ("rfind", "make it by `rev`, and call `find`"),
    ("rposition", "count the items from the start by `position`"),
    ("next_if_eq", "write `next_if(|item| …)`"),
    ("peek_mut", "call `next`, and keep the item"),
    ("as_slice", "keep the slice and an index, or take parts: `x = &x[1..]`"),
    ("size_hint", "call `len` of the slice or the range"),
];

impl Lower<'_> {
    /// The name of an iterator in a variable, if that is what an expression is.
    pub(super) fn kept<'a>(&self, expr: &'a Expr) -> Option<&'a Ident> {
        match expr {
            Expr::Path(path) => {
                path.path.get_ident().filter(|name| self.lookup(name) == Some(Name::Iterator))
            }
            Expr::Paren(e) => self.kept(&e.expr),
            _ => None,
        }
    }

    /// The name of an iterator in a variable that is borrowed or copied: by `&mut it`, `it.by_ref()` or `it.clone()`.
    pub(super) fn of_kept<'a>(&self, expr: &'a Expr) -> Option<&'a Ident> {
        match expr {
            Expr::Reference(e) if e.mutability.is_some() => self.kept(&e.expr),
            Expr::MethodCall(e) if e.method == "by_ref" || e.method == "clone" => self.kept(&e.receiver),
            Expr::Paren(e) => self.of_kept(&e.expr),
            _ => None,
        }
    }

    /// An iterator in a variable, borrowed, copied or by itself, as an iterator to be walked.
    pub(super) fn kept_iterator(&mut self, expr: &Expr) -> Option<Lowered> {
        let (name, record) = match (self.kept(expr), self.of_kept(expr)) {
            (Some(name), _) => (name, quote!(iter_left)),
            (None, Some(name)) if is_clone(expr) => (name, quote!(iter_cloned)),
            (None, Some(name)) => (name, quote!(iter_taken)),
            _ => return None,
        };
        let held = held(name);
        Some(Lowered { witness: expr.to_token_stream(), emit: quote!(__r.#record(#held)) })
    }

    /// Returns whether `let` gives an iterator a name. A range is a value, and so is what a method `chunks` of the user's own may give.
    pub(super) fn makes_kept(&self, init: &Expr) -> bool {
        let is_value = match init {
            Expr::Range(_) => true,
            Expr::MethodCall(e) if makes_parts(e) => !self.has_elements(&e.receiver),
            _ => self.known_range(init) != Known::Nothing,
        };
        self.is_walked(init) && !is_value
    }

    /// Returns whether an expression is certainly a slice or an array.
    fn has_elements(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Index(e) if matches!(&*e.index, Expr::Range(_)))
            || matches!(self.known_elements(expr), Known::Elements(_))
    }

    /// `let name = iterator;`
    pub(super) fn let_iterator(&mut self, name: &syn::PatIdent, init: &Expr) -> Lowered {
        if name.mutability.is_some() && flat::is_nested(init) {
            self.errors.at(init, flat::WALKED_ONCE);
        }
        let Lowered { witness, emit } = self.iterator(init);
        let (ident, text) = (held(&name.ident), name.ident.to_string());
        let mutable = name.mutability.is_some();
        self.bind(&name.ident, Name::Iterator);
        Lowered {
            witness: quote!(let #name = #witness;),
            emit: quote!(
                let #ident = { let __i = #emit; __r.iter_kept(#text, #mutable, __i) };
                let #ident = &#ident;
            ),
        }
    }

    /// A method that advances an iterator in a variable, or asks for what is left of it; `None` for one that takes it whole.
    pub(super) fn advance(&mut self, e: &ExprMethodCall) -> Option<Lowered> {
        let name = held(self.kept(&e.receiver)?);
        let method = e.method.to_string();
        if let Some((_, advice)) = LACKING.iter().find(|(lacking, _)| *lacking == method) {
            let message = format!("an iterator in a variable has no `{method}` in a kernel; {advice}");
            return Some(self.refuse(&e.method, message));
        }
        let args: Vec<&Expr> = e.args.iter().collect();
        let (mut witness, mut setup, mut given, mut typed) = (quote!(), quote!(), quote!(), true);
        let record = match (method.as_str(), args.as_slice()) {
            (borrowing, [_] | [_, _]) if BORROWING.contains(&borrowing) => {
                let mut e = e.clone();
                let iterator = &e.receiver;
                *e.receiver = syn::parse_quote!((&mut #iterator));
                return Some(self.consumer(&e));
            }
            ("next", []) => quote!(kept_next),
            ("peek", []) => quote!(kept_peek),
            ("len", []) => {
                typed = false;
                quote!(kept_len)
            }
            ("nth", [n]) => {
                let n = self.expr(n);
                let emit = n.emit;
                (witness, setup, given) = (n.witness, quote!(let __n = #emit;), quote!(, __n));
                quote!(kept_nth)
            }
            ("next_if", [f]) => {
                let of = self.part_ident();
                let Inlined { witness: shown, captures, moves, emit } =
                    self.inlined(f, std::slice::from_ref(&of));
                (witness, setup) = (shown, captures);
                given = quote!(, #moves |__r, #of| #emit);
                quote!(kept_next_if)
            }
            _ => return None,
        };
        let (probe, index) = self.probe(e.method.span());
        let ty = typed.then(|| quote!(, __t.ty(#index)));
        let line = self.line(e.method.span());
        self.forget_line();
        let (receiver, dot, method) = (&e.receiver, &e.dot_token, &e.method);
        Some(Lowered {
            witness: self.tap(&probe, e.method.span(), e, quote!(#receiver #dot #method(#witness))),
            emit: quote!({ #setup #line __r.#record(#name #ty #given) }),
        })
    }

    /// A method that advances a range in a variable.
    pub(super) fn advance_range(&mut self, e: &ExprMethodCall) -> Option<Lowered> {
        let Expr::Path(_) = &*e.receiver else { return None };
        let record = match (e.method.to_string().as_str(), e.args.len()) {
            ("next", 0) => quote!(range_next),
            ("next_back", 0) => quote!(range_next_back),
            ("nth", 1) => quote!(range_nth),
            _ => return None,
        };
        let mut exprs = vec![&*e.receiver];
        exprs.extend(&e.args);
        let Operands { mut witness, setup, names } =
            self.operands_by(&exprs, First::Place(Access::Write), Self::expr);
        let (receiver, range, given) = (witness.remove(0), &names[0], &names[1..]);
        let (probe, index) = self.probe(e.method.span());
        let line = self.line(e.method.span());
        let (dot, method) = (&e.dot_token, &e.method);
        Some(Lowered {
            witness: self.tap(&probe, e.method.span(), e, quote!(#receiver #dot #method(#(#witness),*))),
            emit: quote!({ #setup #line __r.#record(#range, __t.ty(#index) #(, #given)*) }),
        })
    }

    /// Why an iterator's name stands nowhere else.
    pub(super) fn refuse_kept(&mut self, path: &ExprPath) -> Lowered {
        self.refuse(
            path,
            "an iterator stays in its variable in a kernel: loop over it with `for`, advance it with `next`, or end it with `sum` or the like; give a function the slice, and return the index",
        )
    }
}

/// Returns whether an expression copies what it names.
fn is_clone(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(e) => e.method == "clone",
        Expr::Paren(e) => is_clone(&e.expr),
        _ => false,
    }
}
