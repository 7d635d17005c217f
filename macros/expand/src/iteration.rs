//! Lowering of `for` over elements: `for x in slice`, `.iter()`, and the adapters that keep a plain loop.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop, ExprMethodCall};

use super::call::writes_part;
use super::consumer::Inlined;
use super::control::label_text;
use super::device_method::walked_method;
use super::flat;
use super::foreign_names;
use super::lower::{Known, Lower, Lowered};
use super::operands::{First, Operands};
use super::pattern::Binds;
use super::places::Access;
use super::spelled::writes_receiver;

const SUPPORTED: &str = "a kernel's `for` runs over ranges, slices, arrays and views, with `iter`, `iter_mut`, `enumerate`, \
    `zip`, `chain`, `rev`, `step_by`, `skip`, `take`, `take_while`, `skip_while`, `map`, `map_while`, `flat_map`, `flatten`, `filter`, `filter_map`, `scan`, `inspect`, \
    `copied` and `cloned`";

/// Adapters that leave items out.
const DROPPING: [&str; 3] = ["filter", "filter_map", "skip_while"];

/// Adapters that end an iterator before its items do.
const ENDING: [&str; 3] = ["take_while", "map_while", "scan"];

/// Why nothing that counts items stands behind one of these.
const UNCOUNTED: &str = "behind a `filter`, a `skip` of what a closure makes, or a `take_while` and a `chain`, items are not numbered in a kernel; put `skip` before `map`, put `filter` last, or write the loop and count";

impl Lower<'_> {
    /// `for pattern in iterator`
    pub fn for_items(&mut self, e: &ExprForLoop) -> Lowered {
        let iter = self.iterator(&e.expr);
        let unroll = self.unroll(&e.attrs);
        let of = self.part_ident();
        let body = self.scoped(|lower| {
            let tested = lower.pattern(&e.pat, &of, Binds::Items);
            let body = lower.statements(&e.body.stmts);
            let (setup, bindings, held) = (tested.setup, tested.bindings, tested.held);
            let (witness, emit) = (body.witness, body.emit);
            Lowered { witness: quote!(#held #witness), emit: quote!(#setup #bindings #emit) }
        });
        self.forget_line();
        let (label, label_text) = (&e.label, label_text(e.label.as_ref().map(|l| &l.name)));
        let (iter_witness, iter_emit, body_witness, body_emit, pat) =
            (iter.witness, iter.emit, body.witness, body.emit, &e.pat);
        Lowered {
            witness: quote!(#label for #pat in #iter_witness { #body_witness }),
            emit: quote!({
                let __it = #iter_emit;
                let #of = __r.iter_begin(#label_text, __it, #unroll);
                let __v = { #body_emit };
                __r.statement(__v);
                __r.for_end();
                ::warpsmith::ir::Expr::unit()
            }),
        }
    }

    /// An iterator; its emitter is an expression of type `record::Iter`.
    pub fn iterator(&mut self, expr: &Expr) -> Lowered {
        if let Some(kept) = self.kept_iterator(expr) {
            return kept;
        }
        match expr {
            Expr::Paren(inner) => {
                let Lowered { witness, emit } = self.iterator(&inner.expr);
                Lowered { witness: quote!((#witness)), emit }
            }
            Expr::Range(range) => self.range_iterator(range),
            Expr::MethodCall(call) => self.adapter(call),
            Expr::Reference(reference) if !matches!(&*reference.expr, Expr::Index(i) if matches!(*i.index, Expr::Range(_))) =>
            {
                let mutable = reference.mutability.is_some();
                let Lowered { witness, emit } = self.place(&reference.expr, Access::of(mutable));
                let mutability = &reference.mutability;
                Lowered {
                    witness: quote!(& #mutability #witness),
                    emit: quote!({ let __b = #emit; __r.iter_elements(__b, #mutable) }),
                }
            }
            other => {
                let Lowered { witness, emit } = self.expr(other);
                Lowered { witness, emit: quote!({ let __b = #emit; __r.iter_into(__b) }) }
            }
        }
    }

    fn range_iterator(&mut self, range: &syn::ExprRange) -> Lowered {
        let Some(start) = &range.start else {
            return self.refuse_iterator(range, "a range that is walked has a start; write `0..`");
        };
        let Some(end) = &range.end else {
            let (Lowered { witness, emit }, limits) = (self.expr(start), &range.limits);
            return Lowered {
                witness: quote!(((#witness) #limits)),
                emit: quote!({ let __a = #emit; __r.iter_from(__a) }),
            };
        };
        let ([sw, ew], setup, [a, b]) = self.operands([&**start, &**end]);
        let (inclusive, dots) = match &range.limits {
            syn::RangeLimits::HalfOpen(dots) => (false, dots.to_token_stream()),
            syn::RangeLimits::Closed(dots) => (true, dots.to_token_stream()),
        };
        Lowered {
            witness: quote!((#sw) #dots (#ew)),
            emit: quote!({ #setup __r.iter_range(#a, #b, #inclusive) }),
        }
    }

    fn adapter(&mut self, call: &ExprMethodCall) -> Lowered {
        let (name, dot, method) = (call.method.to_string(), &call.dot_token, &call.method);
        if flat::counts(call) {
            return self.refuse_iterator(method, flat::WALKED_ONCE);
        }
        if let Some(message) = out_of_order(call) {
            return self.refuse_iterator(method, message);
        }
        match (name.as_str(), call.args.first()) {
            ("iter" | "iter_mut", None) => {
                let mutable = name == "iter_mut";
                let Lowered { witness, emit } = self.place(&call.receiver, Access::of(mutable));
                Lowered {
                    witness: quote!(#witness #dot #method()),
                    emit: quote!({ let __b = #emit; __r.iter_elements(__b, #mutable) }),
                }
            }
            // An iterator that gives nothing stays so, and what is looked at can be computed again.
            ("into_iter" | "peekable" | "fuse", None) => {
                let Lowered { witness, emit } = self.iterator(&call.receiver);
                Lowered { witness: quote!(#witness #dot #method()), emit }
            }
            ("flat_map", Some(f)) => self.flat_map(call, f),
            ("enumerate" | "rev" | "copied" | "cloned" | "flatten", None) => {
                let Lowered { witness, emit } = self.iterator(&call.receiver);
                let record = syn::Ident::new(
                    match name.as_str() {
                        "enumerate" => "iter_enumerate",
                        "rev" => "iter_rev",
                        "flatten" => "iter_flatten",
                        _ => "iter_copied",
                    },
                    method.span(),
                );
                Lowered {
                    witness: quote!(#witness #dot #method()),
                    emit: quote!({ let __i = #emit; __r.#record(__i) }),
                }
            }
            ("zip" | "chain", Some(other)) => {
                let left = self.iterator(&call.receiver);
                let right = self.iterator(other);
                let record = syn::Ident::new(&format!("iter_{name}"), method.span());
                let (left_witness, left_emit, right_witness, right_emit) =
                    (left.witness, left.emit, right.witness, right.emit);
                Lowered {
                    witness: quote!(#left_witness #dot #method(#right_witness)),
                    emit: quote!({ let __i = #left_emit; let __j = #right_emit; __r.#record(__i, __j) }),
                }
            }
            ("step_by" | "skip" | "take", Some(n)) => {
                let iter = self.iterator(&call.receiver);
                let (n, line) = (self.expr(n), self.line(n.span()));
                let (iter_witness, iter_emit, n_witness, n_emit) =
                    (iter.witness, iter.emit, n.witness, n.emit);
                let record = syn::Ident::new(&format!("iter_{name}"), method.span());
                Lowered {
                    witness: quote!(#iter_witness #dot #method(#n_witness)),
                    emit: quote!({ let __i = #iter_emit; let __n = #n_emit; #line __r.#record(__i, __n) }),
                }
            }
            (
                "map" | "filter" | "take_while" | "skip_while" | "map_while" | "filter_map" | "inspect",
                Some(f),
            ) => {
                let iter = self.iterator(&call.receiver);
                let of = self.part_ident();
                let body = self.inlined(f, std::slice::from_ref(&of));
                let (iter_witness, iter_emit) = (iter.witness, iter.emit);
                let Inlined { witness: body_witness, captures, moves, emit: body_emit } = body;
                let record = syn::Ident::new(&format!("iter_{name}"), method.span());
                Lowered {
                    witness: quote!(#iter_witness #dot #method(#body_witness)),
                    emit: quote!({ let __i = #iter_emit; #captures __r.#record(__i, #moves |__r, #of| #body_emit) }),
                }
            }
            ("scan", Some(start)) if call.args.len() == 2 => self.scan(call, start, &call.args[1]),
            (_, Some(n)) if makes_parts(call) => self.parts(writes_part(call).as_ref().unwrap_or(call), n),
            _ if is_adapter(call) && self.is_walked(&call.receiver) => {
                self.refuse_iterator(method, &refused(&name))
            }
            _ => {
                let Lowered { witness, emit } = self.expr(&Expr::MethodCall(call.clone()));
                Lowered { witness, emit: quote!({ let __b = #emit; __r.iter_into(__b) }) }
            }
        }
    }

    /// `x.chunks(n)` and its like, or a method of that name of a type of the user's: rustc finds the one that is meant.
    fn parts(&mut self, call: &ExprMethodCall, n: &Expr) -> Lowered {
        let (dot, method, span) = (&call.dot_token, &call.method, call.method.span());
        let writes = writes_receiver(method);
        let (fn_probe, fn_index) = self.fn_probe(span);
        let Operands { mut witness, setup, names } =
            self.operands_by(&[&*call.receiver, n], First::Receiver, Self::expr);
        let line = self.line(span);
        let shown = witness.remove(0);
        self.index_types.arguments(method, [n], &mut witness);
        let hidden = walked_method(method);
        Lowered {
            witness: quote!(#shown #dot #hidden(#(#witness,)* &#fn_probe)),
            emit: quote!({
                let __receiver = __r.receiver(__t.callee(#fn_index), #writes);
                let __written = __receiver.is_written();
                #setup #line
                __r.iter_called(__t.callee(#fn_index), ::warpsmith::__macro::list([#(#names),*]))
            }),
        }
    }

    /// `iterator.scan(start, f)`: a variable for the state, and a closure that decides about each step.
    fn scan(&mut self, call: &ExprMethodCall, start: &Expr, f: &Expr) -> Lowered {
        let (dot, method) = (&call.dot_token, &call.method);
        let iter = self.iterator(&call.receiver);
        let start = self.expr(start);
        let (probe, index) = self.probe(method.span());
        let of = [self.part_ident(), self.part_ident()];
        let body = self.inlined(f, &of);
        let (iter_witness, iter_emit, start_emit) = (iter.witness, iter.emit, start.emit);
        let Inlined { witness: body_witness, captures, moves, emit: body_emit } = body;
        let start_witness = self.tap(&probe, method.span(), &call.args[0], start.witness);
        Lowered {
            witness: quote!(#iter_witness #dot #method(#start_witness, #body_witness)),
            emit: quote!({
                let __i = #iter_emit;
                let __start = #start_emit;
                let __state = __r.let_("state", true, __t.ty(#index), __start);
                #captures
                __r.iter_scan(__i, &__state, #moves |__r, #(#of),*| #body_emit)
            }),
        }
    }

    /// Returns whether an expression is an iterator: also the name of a range, and adapters of one.
    pub(super) fn is_walked(&self, expr: &Expr) -> bool {
        match expr {
            Expr::MethodCall(e) if is_adapter(e) && self.is_walked(&e.receiver) => true,
            Expr::Paren(e) => self.is_walked(&e.expr),
            other if self.kept(other).is_some() || self.of_kept(other).is_some() => true,
            other => is_iterator(other) || self.known_range(other) != Known::Nothing,
        }
    }

    /// Whether an expression is a range, as far as tokens tell: `a..b`, a name of one, a clone of it.
    pub(super) fn known_range(&self, expr: &Expr) -> Known {
        match expr {
            Expr::Range(range) if range.start.is_some() && range.end.is_some() => Known::Range,
            Expr::Path(path) => match path.path.get_ident().map(|name| self.known(name)) {
                Some(known @ (Known::Range | Known::LikeRange)) => known,
                _ => Known::Nothing,
            },
            Expr::Paren(e) => self.known_range(&e.expr),
            Expr::MethodCall(e) if e.method == "clone" && e.args.is_empty() => self.known_range(&e.receiver),
            _ => Known::Nothing,
        }
    }

    /// Returns whether a method walks what it is called on: of a range itself it may be one that only asks.
    pub(super) fn walks(&self, e: &ExprMethodCall) -> bool {
        match self.known_range(&e.receiver) {
            Known::Range => !asks_range(e),
            Known::LikeRange => is_adapter(e),
            _ => self.is_walked(&e.receiver),
        }
    }

    fn refuse_iterator(&mut self, tokens: impl ToTokens, message: &str) -> Lowered {
        self.errors.at(&tokens, message);
        Lowered { witness: quote!(0..0), emit: TokenStream::new() }
    }
}

/// Why a kernel has no such adapter, or how it is called there.
fn refused(name: &str) -> String {
    foreign_names::adapter(name).unwrap_or_else(|| SUPPORTED.to_owned())
}

/// Why an adapter cannot stand behind those before it: a closure runs once for each item that is used.
fn out_of_order(call: &ExprMethodCall) -> Option<&'static str> {
    let before = |names: &[&str]| chain_has(&call.receiver, names);
    match call.method.to_string().as_str() {
        "zip" if leaves_out(&call.receiver) || call.args.iter().any(leaves_out) => Some(UNCOUNTED),
        "step_by" if before(&DROPPING) => Some(UNCOUNTED),
        "zip" | "step_by" if before(&["map"]) => {
            Some("put this before `map` in a kernel: the closure runs for the items that are used")
        }
        "zip" | "step_by" if before(&["take_while", "map_while", "scan", "inspect"]) => {
            Some("put this first in a kernel: the closures before it run for the items that are used")
        }
        "rev" => out_of_reach(&call.receiver),
        _ => None,
    }
}

/// Why the end of an iterator, from which a method begins, cannot be found before closures have run.
pub fn out_of_reach(iterator: &Expr) -> Option<&'static str> {
    let before = |names: &[&str]| chain_has(iterator, names);
    if skips_steps(iterator) {
        return Some(UNCOUNTED);
    }
    (before(&["map", "filter", "filter_map", "inspect"]) && before(&["zip", "take"])).then_some(
        "put `rev` before `zip`, `take` and `map` in a kernel: the closure runs for the items that are used",
    )
}

/// Returns whether a `skip` stands behind a closure, which runs for what is skipped too.
fn skips_steps(iterator: &Expr) -> bool {
    let runs = [&["map", "inspect"][..], &ENDING, &DROPPING].concat();
    chain_any(iterator, &|call| call.method == "skip" && chain_has(&call.receiver, &runs))
}

/// Returns whether a step of the loop need not give an item: behind a `filter`, behind a `skip` of a closure's items, and where a
/// `chain` goes on before its first part has done all steps.
fn leaves_out(iterator: &Expr) -> bool {
    let goes_on = |call: &ExprMethodCall| call.method == "chain" && ends_early(&call.receiver);
    chain_has(iterator, &DROPPING) || skips_steps(iterator) || chain_any(iterator, &goes_on)
}

/// Returns whether an iterator, or a part of it, decides itself where it ends.
fn ends_early(iterator: &Expr) -> bool {
    let is_limited = |call: &ExprMethodCall| call.method == "take" && chain_has(&call.receiver, &DROPPING);
    chain_has(iterator, &ENDING) || chain_any(iterator, &is_limited)
}

/// Returns whether something holds for a call of a chain, or of what is zipped or chained with it.
fn chain_any(expr: &Expr, holds: &dyn Fn(&ExprMethodCall) -> bool) -> bool {
    match expr {
        Expr::MethodCall(call) => {
            let joins = call.method == "zip" || call.method == "chain";
            holds(call)
                || chain_any(&call.receiver, holds)
                || (joins && call.args.iter().any(|other| chain_any(other, holds)))
        }
        Expr::Paren(inner) => chain_any(&inner.expr, holds),
        _ => false,
    }
}

/// Returns whether a chain of calls, or what is zipped or chained with it, has one of some names.
pub fn chain_has(expr: &Expr, names: &[&str]) -> bool {
    chain_any(expr, &|call| names.contains(&call.method.to_string().as_str()))
}

/// Returns whether an expression is an iterator: `iter` and its like, or a range, and adapters of them.
pub fn is_iterator(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(e) => {
            makes_iterator(e) || makes_parts(e) || (is_adapter(e) && is_iterator(&e.receiver))
        }
        Expr::Paren(e) => is_iterator(&e.expr),
        Expr::Range(_) => true,
        _ => false,
    }
}

/// Returns whether a method is one of a range itself, which does not walk it.
fn asks_range(e: &ExprMethodCall) -> bool {
    ["contains", "is_empty", "len", "clone", "start", "end"].contains(&e.method.to_string().as_str())
}

/// Returns whether a call makes an iterator.
pub fn makes_iterator(e: &ExprMethodCall) -> bool {
    e.args.is_empty() && ["iter", "iter_mut", "into_iter"].contains(&e.method.to_string().as_str())
}

/// Returns whether a call makes an iterator of parts.
pub fn makes_parts(e: &ExprMethodCall) -> bool {
    e.args.len() == 1 && walked_method(&e.method).is_some()
}

/// Returns whether a call, by its name, makes an iterator of another, supported in a kernel or not.
pub fn is_adapter(e: &ExprMethodCall) -> bool {
    const ADAPTERS: [&str; 23] = [
        "enumerate",
        "zip",
        "rev",
        "step_by",
        "skip",
        "take",
        "copied",
        "cloned",
        "map",
        "filter",
        "filter_map",
        "flat_map",
        "flatten",
        "chain",
        "take_while",
        "skip_while",
        "map_while",
        "inspect",
        "peekable",
        "fuse",
        "scan",
        "cycle",
        "by_ref",
    ];
    ADAPTERS.contains(&e.method.to_string().as_str())
}
