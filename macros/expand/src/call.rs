//! Lowering of calls: functions, associated functions and methods.

use crate::tokens::{optional, same_tokens};
use proc_macro2::{Delimiter, Group};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprMethodCall};

use super::device_method::hidden_method;
use super::device_path::DevicePath;
use super::foreign_names;
use super::index_types::takes_indices;
use super::iteration::makes_iterator;
use super::launch_chain::LaunchChain;
use super::lend;
use super::lower::{Lower, Lowered, Name, held, last_span, parenthesized, spanned_group};
use super::operands::{First, Operands};
use super::places::is_place;
use super::spelled::{PRIMITIVES, is_char, starts_uppercase, writes_receiver};

const NOT_CALLED: &str = "only functions, methods and closure parameters can be called in a kernel";

impl Lower<'_> {
    /// An operand; only here may a closure stand.
    pub fn argument(&mut self, expr: &Expr) -> Lowered {
        match expr {
            Expr::Closure(closure) => self.closure(closure),
            // A reference to a closure is called as the closure is.
            Expr::Reference(reference) if matches!(*reference.expr, Expr::Closure(_)) => {
                let Lowered { witness, emit } = self.argument(&reference.expr);
                let mut shown = reference.clone();
                shown.expr = Box::new(Expr::Verbatim(witness));
                Lowered { witness: shown.into_token_stream(), emit }
            }
            Expr::Path(path) if self.names_function(path) => self.function_value(path),
            Expr::Path(path) => {
                match path.path.get_ident().filter(|name| self.lookup(name) == Some(Name::Closure)) {
                    Some(name) => {
                        let held = held(name);
                        Lowered { witness: quote!(#name), emit: quote!(__r.closure_copy(&#held)) }
                    }
                    None => self.expr(expr),
                }
            }
            other => self.expr(other),
        }
    }

    /// Returns whether a path is the name of a function, as far as names tell.
    fn names_function(&self, path: &syn::ExprPath) -> bool {
        let Some(last) = path.path.segments.last() else { return false };
        let known = path.path.get_ident().is_some_and(|ident| {
            ident == "self"
                || self.lookup(ident).is_some()
                || foreign_names::value(&ident.to_string()).is_some()
        });
        !known && !names_type(path) && last.ident.to_string().starts_with(|c: char| c.is_lowercase())
    }

    /// A `#[gpu_fn]` given by its name: a closure that calls it.
    fn function_value(&mut self, path: &syn::ExprPath) -> Lowered {
        let span = path.span();
        let (fn_probe, fn_index) = self.fn_probe(span);
        let own = self.own_name("__f", span);
        let function = self.own_name("__fn", span);
        let DevicePath { bind, ties, asked } =
            self.device_path([path, path], [&own, &function, &fn_probe], false);
        Lowered {
            witness: quote_spanned!(span=> { #bind #ties #function }),
            emit: quote!({ #asked __r.function_value(__t.callee(#fn_index)) }),
        }
    }

    pub(super) fn call(&mut self, e: &ExprCall) -> Lowered {
        let Expr::Path(path) = &*e.func else {
            return self.refuse(&e.func, not_called(&e.func));
        };
        if let Some(ident) = path.path.get_ident() {
            match self.lookup(ident) {
                Some(Name::Closure) => return self.call_closure(e, ident),
                // Anything else that a variable holds was refused where it was bound.
                Some(_) if self.errors.any() => return Lowered::nothing(),
                Some(_) => return self.refuse(&e.func, no_function(ident)),
                None => {}
            }
        }
        let Some(last) = path.path.segments.last().cloned() else {
            return self.refuse(&e.func, NOT_CALLED);
        };
        if let Some(advice) = self.host_call(path) {
            return self.refuse(path, advice);
        }
        if last.ident == "dynamic_shared" {
            return self.refuse(
                e,
                "`dynamic_shared` must initialise a variable: `let mut smem = dynamic_shared::<T>();`",
            );
        }
        if starts_uppercase(&last.ident.to_string()) {
            return self.constructor(e, path, &last.ident.to_string());
        }
        if !names_type(path) {
            return self.function_call(e, path);
        }
        if last.ident == "default" && e.args.is_empty() {
            return self.default(e, path);
        }
        let callee = associated(path);
        let args: Vec<&Expr> = e.args.iter().collect();
        let Operands { witness, setup, names } = self.arguments(&args);
        let span = e.func.span();
        let (fn_probe, fn_index) = self.fn_probe(span);
        let (probe, index) = self.probe(span);
        let line = self.line(span);
        self.methods.associated(&last.ident, e.args.len());
        let callee = self.hold(&callee);
        let witness = self.lent(e, &args, witness);
        let value = quote_spanned!(span=> (#callee)(#(#witness,)* &#fn_probe));
        Lowered {
            witness: self.tap(&probe, span, e, value),
            emit: quote!({ #setup #line __r.call(__t.callee(#fn_index), ::warpsmith::__macro::list([#(#names),*]), __t.ty(#index)) }),
        }
    }

    /// `T::default()`, a device function or a constant of the host's; `Default::default()`, a constant.
    fn default(&mut self, e: &ExprCall, path: &syn::ExprPath) -> Lowered {
        let span = e.func.span();
        let (fn_probe, fn_index) = self.fn_probe(span);
        let (probe, index) = self.probe(span);
        let line = self.line(span);
        let value = if path.qself.is_none() && path.path.segments[0].ident == "Default" {
            quote_spanned!(span=> ::warpsmith::__macro::constant_default(&#fn_probe))
        } else {
            quote_spanned! {span=> {
                let __v = #path();
                (&&::warpsmith::__macro::default_of(&__v)).__resolve(&#fn_probe);
                __v
            }}
        };
        Lowered {
            witness: self.tap(&probe, span, e, value),
            emit: quote!({ #line __r.call(__t.callee(#fn_index), ::std::vec![], __t.ty(#index)) }),
        }
    }

    /// Why a path cannot be called in a kernel, if its names alone say so.
    fn host_call(&self, path: &syn::ExprPath) -> Option<String> {
        let names: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        match names.as_slice() {
            [name] => foreign_names::function(name),
            [.., owner, name] if foreign_names::host_function(owner, name).is_some() => {
                foreign_names::host_function(owner, name)
            }
            [root, ..] if ["std", "core", "alloc"].contains(&root.as_str()) && !is_known(path) => {
                Some(foreign_names::std_function(&names))
            }
            _ => None,
        }
    }

    /// A call of a free function. The witness calls the function itself, because then rustc reports mistakes in the
    /// arguments once, with the same words as for the twin.
    fn function_call(&mut self, e: &ExprCall, path: &syn::ExprPath) -> Lowered {
        let args: Vec<&Expr> = e.args.iter().collect();
        let Operands { witness, setup, names } = self.arguments(&args);
        let (path, device) = &std_function(path);
        let (first, last) = (e.func.span(), last_span(&e.func));
        let (fn_probe, fn_index) = self.fn_probe(first);
        let (probe, index) = self.probe(first);
        let line = self.line(first);
        let own = self.own_name("__f", first);
        let witness = self.lent(e, &args, witness);
        let given = Group::new(Delimiter::Parenthesis, quote!(#(#witness),*));
        let given = spanned_group(given, e.paren_token.span.close());
        let function = self.own_name("__fn", first);
        let callee = parenthesized(last, function.to_token_stream());
        let takes_closures = args.iter().any(|arg| matches!(arg, Expr::Closure(_)));
        let DevicePath { bind, ties, asked } =
            self.device_path([path, device], [&own, &function, &fn_probe], takes_closures);
        // A closure's parameters take their types from a function that is named where it is called.
        let callee =
            if takes_closures { parenthesized(last, quote_spanned!(first=> #own.is(#path))) } else { callee };
        let value = quote_spanned! {first=> { #bind let __v = #callee #given; #ties __v }};
        Lowered {
            witness: self.tap(&probe, first, e, value),
            emit: quote!({ #setup #line #asked __r.call(__t.callee(#fn_index), ::warpsmith::__macro::list([#(#names),*]), __t.ty(#index)) }),
        }
    }

    /// `Name(a, b)`, `Enum::Variant(a, b)`
    fn constructor(&mut self, e: &ExprCall, path: &syn::ExprPath, name: &str) -> Lowered {
        let args: Vec<&Expr> = e.args.iter().collect();
        let Operands { witness, setup, names } = self.arguments(&args);
        let (probe, index) = self.probe(e.func.span());
        let fields = names.iter().enumerate().map(|(i, value)| {
            let field = i.to_string();
            quote!((#field, #value))
        });
        Lowered {
            witness: self.tap(&probe, e.func.span(), e, quote!(#path(#(#witness),*))),
            emit: quote!({ #setup __r.construct(__t.ty(#index), #name, ::warpsmith::__macro::list([#(#fields),*])) }),
        }
    }

    /// Returns whether a call lends what may be an array; then the witness needs the methods that do it.
    pub(super) fn lends(&mut self, e: &ExprCall) -> bool {
        let lends = lend::lends(e);
        self.lends |= lends;
        lends
    }

    /// The arguments of a call in the witness.
    fn lent(
        &mut self,
        e: &ExprCall,
        args: &[&Expr],
        witness: Vec<proc_macro2::TokenStream>,
    ) -> Vec<proc_macro2::TokenStream> {
        if self.lends(e) { lend::all(args, &witness) } else { witness }
    }

    /// `(a..b).contains(&x)`: comparisons.
    fn range_contains(&mut self, e: &ExprMethodCall, range: &syn::ExprRange, item: &Expr) -> Lowered {
        let mut exprs: Vec<&Expr> = range.start.as_deref().into_iter().collect();
        exprs.extend(range.end.as_deref());
        exprs.push(item);
        let Operands { witness, setup, names } = self.arguments(&exprs);
        let (inclusive, limits) = (matches!(range.limits, syn::RangeLimits::Closed(_)), &range.limits);
        let has_start = range.start.is_some();
        let (start, rest) = witness.split_at(usize::from(has_start));
        let (ends, item) = rest.split_at(rest.len() - 1);
        let mut bounds = names.iter();
        let mut bound = |there: bool| optional(there.then(|| bounds.next()).flatten());
        let (low, high) = (bound(has_start), bound(range.end.is_some()));
        let (item_name, line) = (&names[names.len() - 1], self.line(e.method.span()));
        let (method, dot) = (&e.method, &e.dot_token);
        Lowered {
            witness: quote!((#((#start))* #limits #((#ends))*) #dot #method(#(#item)*)),
            emit: quote!({ #setup #line __r.range_contains(#low, #high, #inclusive, #item_name) }),
        }
    }

    pub(super) fn method_call(&mut self, e: &ExprMethodCall) -> Lowered {
        if let Some(called) = self.with_called_functions(e) {
            return self.method_call(&called);
        }
        if let Some(chain) = LaunchChain::of(e) {
            return self.launch(e, &chain);
        }
        if is_char(&e.receiver) {
            // The witness keeps it, so code behind it has its type.
            let refused = self.refuse(e, super::foreign_names::CHAR);
            return Lowered { witness: e.to_token_stream(), ..refused };
        }
        if e.method == "contains"
            && let Expr::Range(range) = unparenthesized(&e.receiver)
            && let Some(item) = e.args.first()
        {
            return self.range_contains(e, range, item);
        }
        if self.walks(e) {
            return self.consumer(e);
        }
        if makes_iterator(e) {
            let message = format!(
                "an iterator cannot be stored in a kernel; loop over it with `for`, or end it with `sum` or the like; if this is a method of your own, give it another name than `{}`",
                e.method
            );
            return self.refuse(&e.method, message);
        }
        if let Some(e) = writes_part(e) {
            return self.method_call(&e);
        }
        let expected = expectation(e);
        let mut exprs = vec![&*e.receiver];
        exprs.extend(e.args.iter().filter(|_| expected.is_none()));
        let (fn_probe, fn_index) = self.fn_probe(e.method.span());
        let Operands { mut witness, setup, names } =
            self.operands_by(&exprs, First::Receiver, Self::argument);
        let receiver = witness.remove(0);
        let own = if is_place(&e.receiver) {
            quote!()
        } else {
            let name = &names[0];
            quote!(let #name = __r.receiver_value(__receiver, #name);)
        };
        let (probe, index) = self.probe(e.method.span());
        let line = self.line(e.method.span());
        let (method, expecting) = match &expected {
            Some(message) => {
                (format_ident!("unwrap", span = e.method.span()), quote!(__r.expecting(#message);))
            }
            None => (e.method.clone(), quote!()),
        };
        let writes = writes_receiver(&e.method);
        let receiver = match &*e.receiver {
            Expr::Unary(_) | Expr::Cast(_) | Expr::Binary(_) | Expr::Reference(_) => quote!((#receiver)),
            _ => receiver,
        };
        if lend::method_lends(e) {
            self.lends = true;
            witness = lend::all(&e.args.iter().collect::<Vec<_>>(), &witness);
        }
        if takes_indices(&e.method) {
            self.index_types.arguments(&e.method, &e.args, &mut witness);
        }
        let receiver = self.methods.receiver(&method, &receiver);
        let method = hidden_method(&method);
        let turbofish = &e.turbofish;
        let dot = &e.dot_token;
        Lowered {
            witness: self.tap(
                &probe,
                e.method.span(),
                e,
                quote!(#receiver #dot #method #turbofish (#(#witness,)* &#fn_probe)),
            ),
            emit: quote!({ let __receiver = __r.receiver(__t.callee(#fn_index), #writes); let __written = __receiver.is_written(); #setup #own #line #expecting __r.call(__t.callee(#fn_index), ::warpsmith::__macro::list([#(#names),*]), __t.ty(#index)) }),
        }
    }
}

/// `(&mut x[a..b]).fill(v)` for `x[a..b].fill(v)`, which borrows as the method asks.
pub(super) fn writes_part(e: &ExprMethodCall) -> Option<ExprMethodCall> {
    let Expr::Index(index) = &*e.receiver else { return None };
    let is_part = matches!(*index.index, Expr::Range(_));
    (is_part && writes_receiver(&e.method)).then(|| {
        let part = &*e.receiver;
        let mut e = e.clone();
        *e.receiver = syn::parse_quote!((&mut #part));
        e
    })
}

/// Why a variable cannot be called in a kernel.
fn no_function(name: &syn::Ident) -> String {
    format!(
        "`{name}` is a variable, which a kernel does not call; bind a closure that calls the function: `let {name} = |a| function(a);`, or one of several: `|a| if c {{ one(a) }} else {{ other(a) }}`"
    )
}

/// Why an expression cannot be called in a kernel.
fn not_called(callee: &Expr) -> &'static str {
    match unparenthesized(callee) {
        Expr::Closure(_) => {
            "only functions, methods and closure parameters can be called in a kernel; bind the closure: `let f = |a| …;`, then `f(…)`"
        }
        Expr::Index(_) => {
            "only functions, methods and closure parameters can be called in a kernel; choose one of several by `match i { 0 => one(a), _ => other(a) }`"
        }
        _ => NOT_CALLED,
    }
}

/// Returns whether the last but one segment names a type, by Rust's naming convention.
pub(super) fn names_type(path: &syn::ExprPath) -> bool {
    if path.qself.is_some() {
        return true;
    }
    let segments = &path.path.segments;
    let Some(owner) = segments.len().checked_sub(2).and_then(|i| segments.get(i)) else { return false };
    let name = owner.ident.to_string();
    starts_uppercase(&name) || PRIMITIVES.contains(&name.as_str())
}

/// The message of `.expect("…")`, which is `.unwrap()` with words of its own.
fn expectation(e: &ExprMethodCall) -> Option<String> {
    match e.args.first() {
        Some(Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })) if e.method == "expect" => {
            Some(text.value())
        }
        _ => None,
    }
}

/// The expression inside parentheses.
fn unparenthesized(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(e) => unparenthesized(&e.expr),
        other => other,
    }
}

/// Returns whether a path of Rust's library has a device side.
fn is_known(path: &syn::ExprPath) -> bool {
    let wraps = |last: &syn::PathSegment| last.ident == "Reverse" || last.ident == "Wrapping";
    names_type(path)
        || path.path.segments.last().is_some_and(wraps)
        || !same_tokens(&std_function(path).1, path)
}

/// The function that a witness calls and the type that says what it is on the device: those of one name, unless it is
/// one of Rust's library.
fn std_function(path: &syn::ExprPath) -> (syn::ExprPath, syn::ExprPath) {
    let names: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let ours = |module: &str| -> syn::ExprPath {
        let module = syn::Ident::new(module, path.span());
        let last = path.path.segments.last();
        syn::parse_quote!(::warpsmith::device_api::#module::#last)
    };
    match names.as_slice() {
        ["std" | "core", "mem", "swap" | "replace" | "take"]
        | ["mem", "swap" | "replace" | "take"]
        | ["std" | "core", "cmp", "min" | "max"]
        | ["cmp", "min" | "max"] => (path.clone(), without_arguments(ours("std_names"))),
        ["std" | "core", "array", "from_fn"] => (ours("array"), ours("array")),
        ["std" | "core", "hint", "assert_unchecked"] => (ours("hint"), ours("hint")),
        ["std" | "core", "mem", "size_of" | "align_of"]
        | ["mem", "size_of" | "align_of"]
        | ["size_of" | "align_of"] => (ours("size"), ours("size")),
        _ => (path.clone(), path.clone()),
    }
}

/// `swap` of `swap::<u32>`.
fn without_arguments(mut path: syn::ExprPath) -> syn::ExprPath {
    if let Some(last) = path.path.segments.last_mut() {
        last.arguments = syn::PathArguments::None;
    }
    path
}

/// `Type::name` with the hidden name.
fn associated(path: &syn::ExprPath) -> proc_macro2::TokenStream {
    let mut path = path.clone();
    if let Some(last) = path.path.segments.last_mut() {
        last.ident = hidden_method(&last.ident);
    }
    path.to_token_stream()
}
