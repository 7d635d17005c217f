//! Lowering of closures, and of their calls.

use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprClosure, Pat, ReturnType};

use super::consumer::captures;
use super::leaving::Leaves;
use super::lend;
use super::lower::{Lower, Lowered, Name, as_statement, held, see};
use super::operands::Operands;
use super::types::device_type;

impl Lower<'_> {
    /// A call of a closure that a variable holds.
    pub(super) fn call_closure(&mut self, e: &ExprCall, closure: &syn::Ident) -> Lowered {
        let args: Vec<&Expr> = e.args.iter().collect();
        let Operands { witness, mut setup, names } = self.arguments(&args);
        let (probe, index) = self.probe(e.func.span());
        let held = held(closure);
        let mut value = quote!(#closure(#(#witness),*));
        if self.lends(e) {
            let mut lent = lend::all(&args, &witness);
            for ((arg, lent), name) in args.iter().zip(&mut lent).zip(&names) {
                if lend::may_be_array(arg) {
                    let (seen, seen_index) = self.probe(arg.span());
                    *lent = quote!(::warpsmith::__macro::lend::seen(&#seen, #lent));
                    setup.extend(quote!(let #name = __r.lend(#name, __t.ty(#seen_index));));
                }
            }
            value = quote!(#closure(#(#lent),*));
        }
        Lowered {
            witness: self.tap(&probe, e.func.span(), e, value),
            emit: quote!({ #setup __r.call_closure(&#held, ::warpsmith::__macro::list([#(#names),*]), __t.ty(#index)) }),
        }
    }

    /// A closure, as an argument or the value of a variable.
    pub(super) fn closure(&mut self, e: &ExprClosure) -> Lowered {
        if let Some(token) = &e.asyncness {
            return self.refuse(token, "`async` has no meaning in a kernel; remove it");
        }
        let (ret_probe, ret_index) = self.probe(e.body.span());
        let by_value = e.capture.is_some();
        let (two, captured) = self.capturing(by_value, |lower| lower.closure_body(e, &ret_probe, ret_index));
        if captured.is_empty() {
            return two;
        }
        let (captures, captured) = captures(&captured);
        let emit = two.emit;
        Lowered { witness: two.witness, emit: quote!({ #captures #captured #emit }) }
    }

    fn closure_body(&mut self, e: &ExprClosure, ret_probe: &syn::Ident, ret_index: usize) -> Lowered {
        self.scoped(|lower| {
            let mut inputs = Vec::new();
            let mut sees = Vec::new();
            let mut declares = Vec::new();
            let mut body = (*e.body).clone();
            for (i, input) in e.inputs.iter().enumerate() {
                let (pat, ty) = match input {
                    Pat::Type(typed) => (&*typed.pat, Some(device_type(&typed.ty))),
                    other => (other, None),
                };
                let (ident, mutable, text) = match pat {
                    Pat::Ident(name) => {
                        (name.ident.clone(), name.mutability.is_some(), name.ident.to_string())
                    }
                    // A parameter without a name gets one, and the body takes it apart.
                    other => {
                        let ident = format_ident!("__c{i}", span = other.span());
                        let value = as_statement(&body, body.to_token_stream());
                        body = syn::parse_quote!({ let #other = #ident; #value });
                        (ident, false, String::new())
                    }
                };
                let name = if mutable { quote!(mut #ident) } else { quote!(#ident) };
                let (probe, index) = lower.probe(ident.span());
                lower.bind(&ident, Name::Local);
                inputs.push(match ty {
                    Some(ty) => quote!(#name: #ty),
                    None => quote!(#name),
                });
                sees.push(see(&probe, &ident));
                let held = held(&ident);
                declares.push(quote!(let #held = __r.closure_arg(#text, #mutable, __t.ty(#index));));
            }
            lower.closures += 1;
            let leaves = Leaves::Closure(ret_index);
            let Lowered { witness, emit: body_emit } = lower.leaving(leaves, |lower| lower.expr(&body));
            lower.closures -= 1;
            lower.forget_line();
            let (body_witness, capture, by_value) =
                (as_statement(&body, witness), &e.capture, e.capture.is_some());
            let value = lower.tap(
                ret_probe,
                e.body.span(),
                &e.body,
                quote!({ ::warpsmith::__macro::unreached(); #(#sees)* #body_witness }),
            );
            let output = match &e.output {
                ReturnType::Type(arrow, ty) => {
                    let ty = device_type(ty);
                    quote!(#arrow #ty)
                }
                ReturnType::Default => quote!(),
            };
            Lowered {
                witness: quote!(#capture |#(#inputs),*| #output { #value }),
                emit: quote!({
                    __r.closure_begin();
                    #(#declares)*
                    let __v = #body_emit;
                    __r.closure_end(#by_value, __t.ty(#ret_index), __v)
                }),
            }
        })
    }
}
