//! Lowering of `match`: patterns become conditions on a value that cannot change.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Arm, Expr, ExprMatch, Pat, RangeLimits};

use super::lower::{Lower, Name, Two};

impl Lower<'_> {
    /// `match`, as a chain of `if`s.
    pub fn match_(&mut self, e: &ExprMatch) -> Two {
        let scrutinee = self.expr(&e.expr);
        let mut arms = Vec::new();
        for arm in &e.arms {
            self.forget_line();
            arms.push(self.scoped(|lower| lower.arm(arm)));
        }
        self.forget_line();
        let (sw, se) = (scrutinee.witness, scrutinee.emit);
        let witness = arms.iter().map(|arm| &arm.witness);
        let mut chain = quote!(::warpsmith::ir::Expr::never());
        for (i, arm) in arms.iter().enumerate().rev() {
            let (cond, body) = (&arm.cond, &arm.body);
            // rustc has proven the arms exhaustive, so the last one needs no test.
            chain = if i + 1 == arms.len() && !arm.guarded {
                quote!({ #body })
            } else {
                quote!({
                    let __c = #cond;
                    if __r.if_then(__c) { let __v = { #body }; __r.if_value(__v); }
                    if __r.if_else() { let __v = #chain; __r.if_value(__v); }
                    __r.if_end()
                })
            };
        }
        Two {
            witness: quote!(match #sw { #(#witness)* }),
            emit: quote!({ let __s = { let __v = #se; __r.bind_parts(__v) }; #chain }),
        }
    }

    fn arm(&mut self, arm: &Arm) -> LoweredArm {
        let (pat, guard) = match &arm.pat {
            Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
            other => (other, None),
        };
        let mut bindings = TokenStream::new();
        let test = self.test(pat, &quote!(__s), &mut bindings);
        let guard = guard.map(|guard| self.expr(guard));
        let body = self.expr(&arm.body);
        let shown = witness_pattern(pat);
        let (bw, be) = (body.witness, body.emit);
        let (cond, guard_witness) = match &guard {
            None => (test, TokenStream::new()),
            Some(Two { witness, emit }) => (
                quote!({
                    #bindings
                    let __a = #test;
                    if __r.and_begin(__a) { let __b = #emit; __r.if_value(__b); }
                    __r.and_end()
                }),
                quote!(if #witness),
            ),
        };
        LoweredArm {
            witness: quote!(#shown #guard_witness => { #bw }),
            cond,
            body: quote!(#bindings #be),
            guarded: guard.is_some(),
        }
    }

    /// The condition that `of` matches `pat`; names it binds go to `bindings`.
    fn test(&mut self, pat: &Pat, of: &TokenStream, bindings: &mut TokenStream) -> TokenStream {
        match pat {
            Pat::Wild(_) => quote!(__r.bool_(true)),
            Pat::Paren(inner) => self.test(&inner.pat, of, bindings),
            Pat::Lit(lit) => {
                let value = self.pattern_value(&Expr::Lit(lit.clone()), of);
                test(&quote!(Eq), of, &value)
            }
            Pat::Ident(name) if is_constant(&name.ident.to_string()) && name.subpat.is_none() => {
                let (ident, text) = (&name.ident, name.ident.to_string());
                test(&quote!(Eq), of, &quote!(__r.constant(&#ident, ::core::option::Option::Some(#text))))
            }
            Pat::Path(path) => {
                test(&quote!(Eq), of, &quote!(__r.constant(&#path, ::core::option::Option::None)))
            }
            Pat::Ident(name) => self.bind_pattern(name, of, bindings),
            Pat::Or(or) => self.or_pattern(or, of, bindings),
            Pat::Range(range) => self.range_pattern(range, of),
            Pat::Tuple(tuple) => {
                let parts: Vec<TokenStream> = tuple
                    .elems
                    .iter()
                    .enumerate()
                    .map(|(i, part)| {
                        let field = i.to_string();
                        self.test(part, &quote!(__r.field(#of.clone(), #field)), bindings)
                    })
                    .collect();
                quote!({
                    let __all = ::std::vec![#({ #parts }),*];
                    __r.all(__all)
                })
            }
            Pat::Struct(fields) => {
                let parts: Vec<TokenStream> = fields
                    .fields
                    .iter()
                    .map(|field| {
                        let name = field.member.to_token_stream().to_string();
                        self.test(&field.pat, &quote!(__r.field(#of.clone(), #name)), bindings)
                    })
                    .collect();
                quote!({
                    let __all = ::std::vec![#({ #parts }),*];
                    __r.all(__all)
                })
            }
            other => {
                self.errors.at(other, "this pattern is not supported in a kernel; use literals, ranges, `|`, tuples, structs, names and `_`");
                quote!(__r.bool_(true))
            }
        }
    }

    fn bind_pattern(
        &mut self,
        name: &syn::PatIdent,
        of: &TokenStream,
        bindings: &mut TokenStream,
    ) -> TokenStream {
        if name.by_ref.is_some() || name.mutability.is_some() {
            self.errors.at(name, "`ref` and `mut` are not supported in a `match` pattern in a kernel; copy the value with `let mut`");
        }
        let test = match &name.subpat {
            Some((_, inner)) => self.test(inner, of, bindings),
            None => quote!(__r.bool_(true)),
        };
        let ident = &name.ident;
        self.bind(ident, Name::Local);
        bindings.extend(quote!(let #ident = { let __v = #of.clone(); __r.alias(__v) };));
        test
    }

    fn or_pattern(&mut self, or: &syn::PatOr, of: &TokenStream, bindings: &mut TokenStream) -> TokenStream {
        let mut inner = TokenStream::new();
        let cases: Vec<TokenStream> = or.cases.iter().map(|case| self.test(case, of, &mut inner)).collect();
        if !inner.is_empty() {
            self.errors
                .at(or, "names inside `|` are not supported in a kernel; bind the whole with `name @ …`");
        }
        let _ = bindings;
        quote!({
            let __any = ::std::vec![#({ #cases }),*];
            __r.any(__any)
        })
    }

    fn range_pattern(&mut self, range: &syn::PatRange, of: &TokenStream) -> TokenStream {
        let mut parts = Vec::new();
        if let Some(start) = &range.start {
            let value = self.pattern_value(start, of);
            parts.push(test(&quote!(Ge), of, &value));
        }
        if let Some(end) = &range.end {
            let value = self.pattern_value(end, of);
            let op = match range.limits {
                RangeLimits::HalfOpen(_) => quote!(Lt),
                RangeLimits::Closed(_) => quote!(Le),
            };
            parts.push(test(&op, of, &value));
        }
        quote!({
            let __all = ::std::vec![#({ #parts }),*];
            __r.all(__all)
        })
    }

    /// A literal or constant in a pattern, of the type of what is matched.
    fn pattern_value(&mut self, value: &Expr, of: &TokenStream) -> TokenStream {
        let (negative, inner) = match value {
            Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => (true, &**expr),
            other => (false, other),
        };
        match inner {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(b), .. }) => {
                quote!({ let __k = __r.bool_(#b); __k })
            }
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => {
                let text = int.to_string();
                let text = text.strip_suffix(int.suffix()).unwrap_or(&text);
                let text = if negative { format!("-{text}") } else { text.to_owned() };
                quote!({ let __ty = #of.ty.clone(); __r.literal(#text, __ty) })
            }
            Expr::Path(path) => quote!({ let __k = __r.constant(&#path, ::core::option::Option::None); __k }),
            other => {
                self.errors.at(other, "only integers, `bool`s and constants can be matched in a kernel");
                quote!(::warpsmith::ir::Expr::unit())
            }
        }
    }
}

struct LoweredArm {
    witness: TokenStream,
    cond: TokenStream,
    body: TokenStream,
    guarded: bool,
}

/// The emitter of one test; both operands stand before the call that borrows the recorder.
fn test(op: &TokenStream, of: &TokenStream, value: &TokenStream) -> TokenStream {
    quote!({ let __x = #of.clone(); let __k = #value; __r.test(::warpsmith::ir::BinaryOp::#op, __x, __k) })
}

/// The pattern as the witness repeats it.
pub fn witness_pattern(pat: &Pat) -> TokenStream {
    pat.to_token_stream()
}

/// Whether a name in a pattern is a constant by Rust's naming convention.
fn is_constant(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}
