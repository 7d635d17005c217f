//! What the variables of a body refer to, as far as tokens tell.
//!
//! `let r = &array; f(r)` gives `f` a slice where it takes one, as `f(&array)` does. So a variable, or a field of a
//! tuple, that refers to what may be an array is written as `&*r` or `&mut *r` where it is an argument: then [`lend`](super::lend)
//! sees it.

use std::collections::HashMap;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::{Expr, ExprMethodCall, FnArg, Member, Pat, Stmt, Token, Type, parse_quote_spanned};

use super::expected;
use super::items::{gives_one, passes_on};
use super::iteration::{is_iterator, makes_parts};
use super::lend::may_be_array;
use super::part_method::gives_part;

/// A variable of which tokens tell something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// It refers to what may be an array.
    Array,
    /// In the same way, and may write it.
    ArrayMut,
    /// It is what something named as a method of slices gives: a reference, unless the method is the user's own.
    Item,
    /// Its uses may tell its type.
    Open,
    /// It is a slice, which this body does not write by it.
    Slice,
    /// It is a slice that may be written.
    SliceMut,
    /// It is a view.
    View,
    /// It is an iterator over slices, which are read or may be written.
    Parts,
    PartsMut,
    /// It is a range with a start and an end.
    Range,
}

/// The variables in scope of which tokens tell something, and the fields of those that are tuples: `pair.0`.
#[derive(Clone, Debug, Default)]
pub struct Referents(HashMap<String, Known>);

impl Referents {
    /// A name of a pattern, of which nothing is known yet.
    pub fn forget(&mut self, name: &syn::Ident) {
        let (name, fields) = (name.to_string(), format!("{name}."));
        self.0.retain(|known, _| *known != name && !known.starts_with(&fields));
    }

    /// The names of a pattern.
    pub fn forget_all(&mut self, pat: TokenStream) {
        for token in pat {
            match token {
                TokenTree::Ident(name) => self.forget(&name),
                TokenTree::Group(group) => self.forget_all(group.stream()),
                _ => {}
            }
        }
    }

    /// A parameter of a function.
    pub fn parameter(&mut self, input: &FnArg) {
        if let FnArg::Typed(typed) = input {
            self.typed(&typed.pat, &typed.ty);
        }
    }

    /// The variable of a `let`, behind which this is called.
    pub fn local(&mut self, stmt: &Stmt) {
        let Stmt::Local(local) = stmt else { return };
        let init = local.init.as_ref().map(|init| &*init.expr);
        match &local.pat {
            Pat::Type(typed) => self.typed(&typed.pat, &typed.ty),
            pat => match init {
                Some(init) => self.initialised(pat, init),
                None => self.bind(pat, Some(Known::Open)),
            },
        }
    }

    /// A pattern of a written type.
    fn typed(&mut self, pat: &Pat, ty: &Type) {
        match (pat, ty) {
            (Pat::Tuple(pat), Type::Tuple(ty)) if pat.elems.len() == ty.elems.len() => {
                pat.elems.iter().zip(&ty.elems).for_each(|(pat, ty)| self.typed(pat, ty));
            }
            (Pat::Ident(name), Type::Tuple(ty)) => {
                let fields = ty.elems.iter().map(of_type).collect();
                self.fields(name, fields);
            }
            (pat, ty) => self.bind(pat, of_type(ty)),
        }
    }

    /// A pattern that takes a value over.
    fn initialised(&mut self, pat: &Pat, init: &Expr) {
        match (pat, init) {
            (pat, Expr::Paren(init)) => self.initialised(pat, &init.expr),
            (Pat::Tuple(pat), Expr::Tuple(init)) if pat.elems.len() == init.elems.len() => {
                pat.elems.iter().zip(&init.elems).for_each(|(pat, init)| self.initialised(pat, init));
            }
            (Pat::Ident(name), Expr::Tuple(init)) => {
                let fields = init.elems.iter().map(|field| self.of_value(field)).collect();
                self.fields(name, fields);
            }
            // `let (low, high) = x.split_at(n)`
            (Pat::Tuple(pat), init) if splits(init, &["split_at"]) => {
                pat.elems.iter().for_each(|pat| self.bind(pat, Some(Known::Slice)));
            }
            (Pat::Tuple(pat), init) if splits(init, &["split_at_mut"]) => {
                pat.elems.iter().for_each(|pat| self.bind(pat, Some(Known::SliceMut)));
            }
            (Pat::TupleStruct(_), init)
                if splits(init, SPLIT_ENDS)
                    || splits(init, SPLIT_ENDS_MUT)
                    || self.some_slice(init).is_some() =>
            {
                self.matched(pat, init)
            }
            (pat, init) => self.bind(pat, self.of_value(init)),
        }
    }

    /// The fields of a variable that is a tuple.
    fn fields(&mut self, name: &syn::PatIdent, fields: Vec<Option<Known>>) {
        let (name, by_value) = (&name.ident, name.by_ref.is_none() && name.subpat.is_none());
        for (i, field) in fields.into_iter().enumerate().filter(|_| by_value) {
            // What else a field is, rustc finds out.
            if let Some(field @ (Known::Array | Known::ArrayMut)) = field {
                self.0.insert(format!("{name}.{i}"), field);
            }
        }
    }

    /// The variables of the pattern of a loop over this.
    pub fn walked(&mut self, pat: &Pat, over: &Expr) {
        match (pat, over) {
            (pat, Expr::Paren(e)) => self.walked(pat, &e.expr),
            (Pat::Reference(pat), over) => self.walked(&pat.pat, over),
            (Pat::Tuple(pair), Expr::MethodCall(call)) if call.method == "enumerate" => {
                if let Some(item) = pair.elems.iter().nth(1) {
                    self.walked(item, &call.receiver);
                }
            }
            (Pat::Tuple(pair), Expr::MethodCall(call)) if call.method == "zip" && pair.elems.len() == 2 => {
                let sides = [Some(&*call.receiver), call.args.first()];
                pair.elems
                    .iter()
                    .zip(sides.into_iter().flatten())
                    .for_each(|(pat, side)| self.walked(pat, side));
            }
            (Pat::Tuple(_), Expr::MethodCall(call)) if passes_on(call) => self.walked(pat, &call.receiver),
            (pat, over) => self.bind(pat, self.of_items(over)),
        }
    }

    /// The parameter of a closure that is asked about items of this.
    pub fn asked(&mut self, pat: &Pat, over: &Expr) {
        let is_slice = |known: &Known| matches!(known, Known::Slice | Known::SliceMut);
        let mut items = Self::default();
        items.walked(pat, over);
        self.called(pat);
        self.0.extend(items.0.into_iter().filter(|(_, known)| is_slice(known)));
    }

    /// The variables of `if let`, or of a part of a chain.
    pub fn tested(&mut self, pat: &Pat, value: &Expr) {
        match pat {
            Pat::TupleStruct(_) => self.matched(pat, value),
            pat => self.initialised(pat, value),
        }
    }

    /// The variable of `if let Some(row) = rows.last()`.
    fn matched(&mut self, pat: &Pat, value: &Expr) {
        if let Pat::TupleStruct(some) = pat
            && some.path.is_ident("Some")
            && let Some(item) = some.elems.first()
        {
            match item {
                // `Some((first, rest))` of `x.split_first()`
                Pat::Tuple(pair) if splits(value, SPLIT_ENDS) => {
                    pair.elems.iter().skip(1).for_each(|rest| self.bind(rest, Some(Known::Slice)));
                }
                Pat::Tuple(pair) if splits(value, SPLIT_ENDS_MUT) => {
                    pair.elems.iter().skip(1).for_each(|rest| self.bind(rest, Some(Known::SliceMut)));
                }
                item => self.bind(item, self.of_some(value)),
            }
        }
    }

    /// A parameter of a closure that is called by its name.
    pub fn called(&mut self, pat: &Pat) {
        match pat {
            Pat::Type(typed) => self.bind(&typed.pat, of_type(&typed.ty)),
            pat => self.bind(pat, Some(Known::Open)),
        }
    }

    /// Rewrites an argument of a function of the user's own.
    pub fn argument(&self, argument: &mut Expr) {
        match argument {
            Expr::Paren(e) => self.argument(&mut e.expr),
            Expr::Path(_) | Expr::Field(_) => self.reborrow(argument),
            Expr::Reference(e) if self.of(&e.expr) == Some(Known::Open) => {
                let (variable, span) = (&e.expr, e.expr.span());
                *e.expr = parse_quote_spanned!(span=> (#variable));
            }
            _ => {}
        }
    }

    /// Rewrites a variable that refers to what may be an array.
    pub fn reborrow(&self, variable: &mut Expr) {
        let span = variable.span();
        match self.of(variable) {
            Some(Known::Array) => *variable = parse_quote_spanned!(span=> &*#variable),
            Some(Known::ArrayMut) => *variable = parse_quote_spanned!(span=> &mut *#variable),
            Some(Known::Item) => *variable = parse_quote_spanned!(span=> ((#variable))),
            Some(_) | None => {}
        }
    }

    /// Rewrites `x.chunks(n)` as an iterator that certainly is one, if `x` is a slice or a view: of another type `chunks` may be a
    /// method of the user's own, which gives a value.
    pub fn walk_parts(&self, init: &mut Expr) {
        if let Expr::MethodCall(call) = &*init
            && makes_parts(call)
            && matches!(self.of(&call.receiver), Some(Known::Slice | Known::SliceMut | Known::View))
        {
            let span = call.method.span().resolved_at(Span::mixed_site());
            *init = parse_quote_spanned!(span=> #call.into_iter());
        }
    }

    /// Makes a slice of a byte string that a slice is compared with.
    pub fn compared(&self, call: &mut ExprMethodCall) {
        if matches!(self.of(&call.receiver), Some(Known::Slice | Known::SliceMut))
            && let Some(Expr::Lit(_)) = call.args.first()
        {
            call.args.iter_mut().for_each(expected::whole);
        }
    }

    /// Whether a variable that is a slice may be written; `None` of any other.
    pub fn slice_of(&self, name: &syn::Ident) -> Option<bool> {
        match self.0.get(&name.to_string())? {
            Known::Slice => Some(false),
            Known::SliceMut => Some(true),
            _ => None,
        }
    }

    /// Whether the slice that an `Option` holds may be written; `None` of any other.
    pub fn some_slice(&self, value: &Expr) -> Option<bool> {
        match self.of_some(value)? {
            Known::Slice => Some(false),
            Known::SliceMut => Some(true),
            _ => None,
        }
    }

    /// Returns whether an expression is a range that is a value: the name of one, or a clone of it.
    pub fn is_range(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(e) => self.is_range(&e.expr),
            Expr::MethodCall(e) => e.method == "clone" && e.args.is_empty() && self.is_range(&e.receiver),
            Expr::Path(_) => self.of(expr) == Some(Known::Range),
            _ => false,
        }
    }

    /// Notes that a variable is a slice.
    pub fn slice(&mut self, name: &syn::Ident, mutable: bool) {
        self.0.insert(name.to_string(), part(mutable));
    }

    /// Rewrites a value of which this type is expected.
    pub fn give(&self, value: &mut Expr, ty: &Type) {
        if let (Type::Reference(ty), Some(Known::Array | Known::ArrayMut)) = (ty, self.of(value))
            && let Type::Slice(_) = &*ty.elem
        {
            let (mutability, span) = (ty.mutability, value.span());
            *value = parse_quote_spanned!(span=> &#mutability *#value);
        }
        expected::expect(value, ty);
    }

    fn of(&self, expr: &Expr) -> Option<Known> {
        self.0.get(&named(expr)?).copied()
    }

    fn of_value(&self, value: &Expr) -> Option<Known> {
        match value {
            Expr::Paren(e) => self.of_value(&e.expr),
            Expr::Reference(e) if may_be_array(value) => Some(referring(e.mutability)),
            Expr::Reference(e) if is_part(&e.expr) => Some(part(e.mutability.is_some())),
            Expr::Lit(_) if may_be_array(value) => Some(Known::Array),
            Expr::Path(_) | Expr::Field(_) => self.of(value),
            Expr::Range(range) if range.start.is_some() && range.end.is_some() => Some(Known::Range),
            value if self.is_range(value) => Some(Known::Range),
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else { return None };
                path.path.segments.last().filter(|last| gives_any(&last.ident)).map(|_| Known::Open)
            }
            Expr::MethodCall(call) if call.turbofish.is_none() && gives_any(&call.method) => {
                Some(Known::Open)
            }
            Expr::MethodCall(call) if call.method == "unwrap" || call.method == "expect" => {
                self.some_slice(&call.receiver).map(part)
            }
            // `option?`, in its plainer form.
            Expr::Match(tried) if tried.arms.first().is_some_and(|arm| is_some_of_try(&arm.body)) => {
                self.some_slice(&tried.expr).map(part)
            }
            value => match self.of_items(value)? {
                Known::Slice if is_iterator(value) => Some(Known::Parts),
                Known::SliceMut if is_iterator(value) => Some(Known::PartsMut),
                _ => None,
            },
        }
    }

    /// What a loop over this gives.
    fn of_items(&self, over: &Expr) -> Option<Known> {
        match over {
            Expr::Reference(e) if self.parts(&e.expr).is_some() => self.parts(&e.expr),
            Expr::Reference(e) if may_be_array(over) => Some(referring(e.mutability)),
            over if gives_part(over) => Some(Known::Slice),
            Expr::Paren(e) => self.of_items(&e.expr),
            Expr::Path(_) => self.parts(over),
            Expr::MethodCall(call) if passes_on(call) => {
                self.of_items(&call.receiver).filter(|known| matches!(known, Known::Slice | Known::SliceMut))
            }
            Expr::MethodCall(call) if is_place(&call.receiver) => {
                match (call.method.to_string().as_str(), call.args.len()) {
                    ("iter" | "first" | "last", 0) | ("get", 1) => Some(Known::Item),
                    ("iter_mut", 0) => Some(Known::ArrayMut),
                    ("chunks" | "chunks_exact" | "windows", 1) => Some(Known::Slice),
                    ("chunks_mut" | "chunks_exact_mut", 1) => Some(Known::SliceMut),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The items of a variable that is an iterator over slices.
    fn parts(&self, expr: &Expr) -> Option<Known> {
        match self.of(expr)? {
            Known::Parts => Some(Known::Slice),
            Known::PartsMut => Some(Known::SliceMut),
            _ => None,
        }
    }

    /// Whether `x.get(a..b)` gives a part that may be written; `None` of another call.
    fn takes_part(&self, call: &ExprMethodCall) -> Option<bool> {
        let of_range = |index: &Expr| matches!(index, Expr::Range(_)) || self.is_range(index);
        let mutable = match call.method.to_string().as_str() {
            "get" | "get_mut" if !call.args.first().is_some_and(of_range) => return None,
            "get" => false,
            "get_mut" | "__get_part_mut" | "__get_rest_mut" => true,
            _ => return None,
        };
        Some(mutable)
    }

    /// What an `Option` holds.
    fn of_some(&self, value: &Expr) -> Option<Known> {
        match value {
            Expr::Paren(e) => self.of_some(&e.expr),
            Expr::MethodCall(call) if let Some(mutable) = self.takes_part(call) => Some(part(mutable)),
            Expr::MethodCall(call) if gives_one(call) => match self.of_items(&call.receiver) {
                slice @ Some(Known::Slice | Known::SliceMut) => slice,
                _ => self.of_items(value),
            },
            value => self.of_items(value),
        }
    }

    fn bind(&mut self, pat: &Pat, known: Option<Known>) {
        if let (Pat::Ident(name), Some(known)) = (pat, known)
            && name.by_ref.is_none()
            && name.subpat.is_none()
        {
            self.0.insert(name.ident.to_string(), known);
        }
    }
}

/// The name of a variable, or of a field of one that is a tuple.
fn named(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(path) => Some(path.path.get_ident()?.to_string()),
        Expr::Field(field) => match &field.member {
            Member::Unnamed(index) => Some(format!("{}.{}", named(&field.base)?, index.index)),
            Member::Named(_) => None,
        },
        _ => None,
    }
}

fn referring(mutability: Option<Token![mut]>) -> Known {
    if mutability.is_some() { Known::ArrayMut } else { Known::Array }
}

fn part(mutable: bool) -> Known {
    if mutable { Known::SliceMut } else { Known::Slice }
}

fn of_type(ty: &Type) -> Option<Known> {
    match ty {
        Type::Paren(ty) => of_type(&ty.elem),
        Type::Reference(ty) if matches!(*ty.elem, Type::Array(_)) => Some(referring(ty.mutability)),
        Type::Reference(ty) if matches!(*ty.elem, Type::Slice(_)) => Some(part(ty.mutability.is_some())),
        Type::Path(ty) => {
            let last = ty.path.segments.last()?;
            match last.ident.to_string().as_str() {
                "Range" | "RangeInclusive" => Some(Known::Range),
                "View" | "ViewMut" => Some(Known::View),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Methods that give an element and a slice of the others.
const SPLIT_ENDS: &[&str] = &["split_first", "split_last"];

/// The same of slices that are written.
const SPLIT_ENDS_MUT: &[&str] = &["split_first_mut", "split_last_mut"];

/// Returns whether a value is what one of these methods of slices gives.
fn splits(value: &Expr, methods: &[&str]) -> bool {
    matches!(value, Expr::MethodCall(call) if is_place(&call.receiver) && methods.iter().any(|name| call.method == name))
}

/// Returns whether a place is a part of a slice, `x[a..b]`.
pub fn is_part(place: &Expr) -> bool {
    matches!(place, Expr::Index(e) if matches!(*e.index, Expr::Range(_)))
}

fn is_place(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(_) | Expr::Field(_) | Expr::Index(_))
}

/// Returns whether an expression is what the plainer form of `?` has of an `Option`.
fn is_some_of_try(body: &Expr) -> bool {
    matches!(body, Expr::Path(path) if path.path.is_ident("__some"))
}

/// Returns whether a function or a method of this name gives a value of whatever type is asked for.
fn gives_any(name: &syn::Ident) -> bool {
    ["default", "into", "try_into", "zeroed", "sum", "product"].iter().any(|any| name == any)
}
