//! Lowering of what ends an iterator, `.sum()` and its like, and of the closures of iterators.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Expr, ExprClosure, ExprMethodCall, Pat, ReturnType};

use super::call::names_type;
use super::called::{Called, called, with_check};
use super::flat;
use super::foreign_names;
use super::iteration::out_of_reach;
use super::lower::{Lower, Lowered, as_statement, held};
use super::pattern::Binds;
use super::spelled::{is_variant, starts_uppercase};
use super::types::device_type;

const SUPPORTED: &str = "an iterator in a kernel is walked by `for`, or ends in `sum`, `product`, `count`, `min`, `max`, \
    `min_by`, `max_by`, `min_by_key`, `max_by_key`, `fold`, `try_fold`, `reduce`, `any`, `all`, `find`, `rfind`, `find_map`, `position`, `rposition`, `next`, `nth`, `last`, `for_each` or `try_for_each`; write the loop out";

/// Methods of `Option`, `Result`, `bool` and arrays that take a closure: at which place, and of how many parameters.
const CLOSURES: [(&str, usize, usize); 9] = [
    ("map", 0, 1),
    ("map_err", 0, 1),
    ("and_then", 0, 1),
    ("filter", 0, 1),
    ("is_some_and", 0, 1),
    ("is_none_or", 0, 1),
    ("is_ok_and", 0, 1),
    ("map_or", 1, 1),
    ("map_or_else", 1, 1),
];

/// Methods whose closure gives a value where there is none: `T::default` has no parameters.
const DEFAULTS: [&str; 5] = ["unwrap_or_else", "or_else", "ok_or_else", "then", "get_or_insert_with"];

/// The arguments of a method that ends an iterator.
#[derive(Default)]
struct Takes<'a> {
    /// The value that a fold starts with.
    start: Option<&'a Expr>,
    /// A closure, and how many parameters it has.
    closure: Option<(&'a Expr, usize)>,
    /// Whether the recorder asks for the type of the result.
    typed: bool,
}

impl Lower<'_> {
    /// The call with closures for the functions of types, `u64::from`, and the constructors, `Some`, that it gives by name.
    pub(super) fn with_called_functions(&self, e: &ExprMethodCall) -> Option<ExprMethodCall> {
        let name = e.method.to_string();
        let of_values = CLOSURES.iter().find(|(method, ..)| *method == name);
        let (at, parameters) = match of_values {
            Some((_, at, parameters)) => (*at, *parameters),
            None if DEFAULTS.contains(&name.as_str()) => (0, 0),
            None => return None,
        };
        let Some(Expr::Path(path)) = e.args.get(at) else { return None };
        let last = path.path.segments.last()?.ident.to_string();
        if of_values.is_none() && last != "default" {
            return None;
        }
        let own = path.path.get_ident().is_some_and(|ident| self.lookup(ident).is_some());
        let makes = is_variant(&last) || (last.len() == 1 && starts_uppercase(&last));
        let known = !own && (makes || (names_type(path) && last.starts_with(char::is_lowercase)));
        let mut call = known.then(|| e.clone())?;
        call.args[at] = Expr::Closure(called(path, parameters).checked());
        Some(call)
    }

    /// `iterator.sum()` and its like: a loop with a variable.
    pub fn consumer(&mut self, e: &ExprMethodCall) -> Lowered {
        if let Some(advanced) = self.advance(e).or_else(|| self.advance_range(e)) {
            return advanced;
        }
        let args: Vec<&Expr> = e.args.iter().collect();
        let takes = match (e.method.to_string().as_str(), args.as_slice()) {
            ("count", []) => Takes::default(),
            ("sum" | "product" | "min" | "max" | "next" | "last", []) => {
                Takes { typed: true, ..Takes::default() }
            }
            ("any" | "all" | "for_each", [f]) => Takes { closure: Some((f, 1)), ..Takes::default() },
            ("nth", [n]) => Takes { start: Some(n), typed: true, ..Takes::default() },
            (
                "find" | "rfind" | "find_map" | "position" | "rposition" | "min_by_key" | "max_by_key"
                | "try_for_each",
                [f],
            ) => Takes { closure: Some((f, 1)), typed: true, start: None },
            ("reduce" | "min_by" | "max_by", [f]) => {
                Takes { closure: Some((f, 2)), typed: true, start: None }
            }
            ("fold" | "try_fold", [start, f]) => {
                Takes { start: Some(start), closure: Some((f, 2)), typed: true }
            }
            (name, _) => {
                let message = foreign_names::adapter(name);
                return self.refuse_consumer(e, message.as_deref().unwrap_or(SUPPORTED));
            }
        };
        if flat::counts(e) {
            return self.refuse_consumer(e, flat::WALKED_ONCE);
        }
        if let Some(message) = unreachable_end(e) {
            return self.refuse_consumer(e, message);
        }
        self.consumed(e, &takes)
    }

    /// Refuses the end of an iterator. The witness keeps it, so code behind it has its type.
    fn refuse_consumer(&mut self, e: &ExprMethodCall, message: &str) -> Lowered {
        let refused = self.refuse(&e.method, message);
        Lowered { witness: e.to_token_stream(), ..refused }
    }

    fn consumed(&mut self, e: &ExprMethodCall, takes: &Takes<'_>) -> Lowered {
        let iter = self.iterator(&e.receiver);
        let (mut witness, mut setup, mut given) = (Vec::new(), quote!(), quote!());
        if let Some(start) = takes.start {
            let two = self.expr(start);
            let emit = two.emit;
            witness.push(two.witness);
            setup = quote!(let __start = #emit;);
            given = quote!(, __start);
        }
        let (probe, index) = self.probe(e.method.span());
        if takes.typed {
            given.extend(quote!(, __t.ty(#index)));
        }
        if let Some((f, parameters)) = takes.closure {
            let of: Vec<Ident> = (0..parameters).map(|_| self.part_ident()).collect();
            let Inlined { witness: shown, captures, moves, emit } = self.inlined(f, &of);
            witness.push(shown);
            setup.extend(captures);
            given.extend(quote!(, #moves |__r, #(#of),*| #emit));
        }
        let line = self.line(e.method.span());
        self.forget_line();
        let (dot, method, turbofish) = (&e.dot_token, &e.method, &e.turbofish);
        let record = format_ident!("iter_{}", e.method);
        let (iter_witness, iter_emit) = (iter.witness, iter.emit);
        let value = quote!(#iter_witness #dot #method #turbofish (#(#witness),*));
        Lowered {
            witness: self.tap(&probe, e.method.span(), e, value),
            emit: quote!({ let __it = #iter_emit; #setup #line __r.#record(__it #given) }),
        }
    }

    /// A closure of an iterator, or a function's name: its witness, and what stands where it is called with
    /// the values that `of` holds.
    pub fn inlined(&mut self, f: &Expr, of: &[Ident]) -> Inlined {
        self.inlined_by(f, of, Self::closure_value)
    }

    /// The same, where `lower` lowers the body.
    pub(super) fn inlined_by(
        &mut self,
        f: &Expr,
        of: &[Ident],
        lower: fn(&mut Self, &Expr) -> Lowered,
    ) -> Inlined {
        let Called { closure, check } = match f {
            Expr::Closure(closure) => Called { closure: closure.clone(), check: TokenStream::new() },
            Expr::Path(path) => called(path, of.len()),
            other => {
                return self
                    .refuse(other, "an iterator in a kernel takes a closure, or a function by its name")
                    .into();
            }
        };
        if let Some(token) = &closure.asyncness {
            return self.refuse(token, "`async` has no meaning in a kernel; remove it").into();
        }
        let (Lowered { witness, emit }, captured) = self.capturing(closure.capture.is_some(), |within| {
            within.scoped(|within| within.inlined_body(&closure, &check, of, lower))
        });
        if captured.is_empty() {
            return Lowered { witness, emit }.into();
        }
        let (captures, captured) = captures(&captured);
        Inlined { witness, captures, moves: quote!(move), emit: quote!({ #captured #emit }) }
    }

    fn inlined_body(
        &mut self,
        closure: &ExprClosure,
        check: &TokenStream,
        of: &[Ident],
        lower: fn(&mut Self, &Expr) -> Lowered,
    ) -> Lowered {
        let (mut bindings, mut held, mut inputs) = (quote!(), quote!(), Vec::new());
        for (input, of) in closure.inputs.iter().zip(of) {
            let tested = self.pattern(input, of, Binds::Items);
            held.extend(tested.held);
            bindings.extend(tested.setup);
            bindings.extend(tested.bindings);
        }
        for input in &closure.inputs {
            inputs.push(match input {
                Pat::Type(typed) => {
                    let (pat, ty) = (&typed.pat, device_type(&typed.ty));
                    quote!(#pat: #ty)
                }
                other => quote!(#other),
            });
        }
        self.closures += 1;
        let Lowered { witness, emit } = lower(self, &closure.body);
        let witness = match check.is_empty() {
            true => as_statement(&closure.body, witness),
            false => with_check(check, &witness),
        };
        self.closures -= 1;
        self.forget_line();
        let (capture, output) = (&closure.capture, &closure.output);
        let output = match output {
            ReturnType::Type(arrow, ty) => {
                let ty = device_type(ty);
                quote!(#arrow #ty)
            }
            ReturnType::Default => quote!(),
        };
        Lowered {
            witness: quote!(#capture |#(#inputs),*| #output { ::warpsmith::__macro::unreached(); #held #witness }),
            emit: quote!({ #bindings #emit }),
        }
    }
}

/// A closure of an iterator, lowered.
pub struct Inlined {
    pub witness: TokenStream,
    /// Statements of the emitter where the closure is written: what it captures by value.
    pub captures: TokenStream,
    /// `move`, if there are some: the loop that calls the emitter's closure is recorded later.
    pub moves: TokenStream,
    /// The emitter's code in the place of the call.
    pub emit: TokenStream,
}

impl From<Lowered> for Inlined {
    fn from(Lowered { witness, emit }: Lowered) -> Self {
        Self { witness, captures: TokenStream::new(), moves: TokenStream::new(), emit }
    }
}

/// A statement that binds `__captured` to the names that a `move` closure captures, and one that reads them there.
pub fn captures(names: &[Ident]) -> (TokenStream, TokenStream) {
    let texts = names.iter().map(|name| name.to_string());
    let names: Vec<Ident> = names.iter().map(held).collect();
    (quote!(let __captured = (#(__r.capture(#texts, &#names),)*);), quote!(let (#(#names,)*) = __captured;))
}

/// Why a method that begins at the end of an iterator cannot stand behind those before it.
fn unreachable_end(e: &ExprMethodCall) -> Option<&'static str> {
    let from_the_end = e.method == "rposition" || e.method == "rfind";
    from_the_end.then(|| out_of_reach(&e.receiver)).flatten()
}
