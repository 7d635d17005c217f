//! Lowering of expressions; each arm of the dispatcher only forwards.

use proc_macro2::Span;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Lit, Member, UnOp};

use super::called::{checked_body, with_check};
use super::lower::{Lower, Lowered, Name, held, own_self};
use super::operands::Operands;
use super::places::Access;
use super::spelled::is_char;
use super::types::device_type;
use crate::tokens::optional;

impl Lower<'_> {
    /// Lowers any expression.
    pub fn expr(&mut self, expr: &Expr) -> Lowered {
        if let Some(pieces) = super::chain::split(expr) {
            return self.expr(&pieces);
        }
        match expr {
            Expr::Array(e) => self.array(e),
            Expr::Assign(e) => self.assign(e),
            Expr::Binary(e) => self.binary(e),
            Expr::Block(e) => self.block_expr(e),
            Expr::Break(e) => self.break_(e),
            Expr::Call(e) => self.call(e),
            Expr::Cast(e) => self.cast(e),
            Expr::Closure(e) => self
                .refuse(e, "a closure is an argument of a `#[gpu_fn]`, or the value of a variable; write a `#[gpu_fn]` for it"),
            Expr::Const(e) => self.const_block(e),
            Expr::Continue(e) => self.continue_(e),
            Expr::Field(e) => self.field(e, Access::Read),
            Expr::ForLoop(e) => self.for_loop(e),
            Expr::If(e) => self.if_(e),
            Expr::Index(e) => self.index(e, Access::Read),
            Expr::Lit(e) => self.literal(&e.lit, false),
            Expr::Loop(e) => self.loop_(e),
            Expr::Macro(e) => match checked_body(&e.mac) {
                Some((check, body)) => {
                    let Lowered { witness, emit } = self.expr(&body);
                    Lowered { witness: with_check(&check, &witness), emit }
                }
                None => self.macro_(&e.mac),
            },
            Expr::Match(e) => self.match_(e),
            Expr::MethodCall(e) => self.method_call(e),
            Expr::Paren(e) => self.paren(e),
            Expr::Path(e) => self.path(e),
            Expr::Range(e) => self.range(e),
            Expr::Reference(e) => self.reference(e),
            Expr::Repeat(e) => self.repeat(e),
            Expr::Return(e) => self.return_(e),
            Expr::Struct(e) => self.struct_(e),
            Expr::Try(e) => self.question(e).unwrap_or_else(|| self.refused(expr)),
            Expr::Tuple(e) => self.tuple(e),
            Expr::Unary(e) => self.unary(e),
            Expr::Unsafe(e) => self.unsafe_block(e),
            Expr::While(e) => self.while_(e),
            other => self.refused(other),
        }
    }

    fn refused(&mut self, expr: &Expr) -> Lowered {
        let advice = match expr {
            Expr::Async(_) | Expr::Await(_) => "`async` has no meaning in a kernel; remove it",
            Expr::Let(_) => {
                "a pattern can only be tested in the condition of `if` or `while`; use `matches!`"
            }
            Expr::Try(_) => {
                "`?` is for functions and closures that return an `Option` or a `Result`; in a kernel write `let Some(value) = option else { return };`"
            }
            Expr::RawAddr(_) => "`&raw` is not supported in a kernel; write `&mut place as *mut T`",
            Expr::Infer(_) => "`_` is not supported here in a kernel; write a value",
            _ => "this expression is not supported in a kernel; write it with `if`, `match`, loops and calls",
        };
        self.refuse(expr, advice)
    }

    fn paren(&mut self, e: &syn::ExprParen) -> Lowered {
        let Lowered { witness, emit } = self.expr(&e.expr);
        let mut wrapped = e.clone();
        wrapped.expr = Box::new(Expr::Verbatim(witness));
        Lowered { witness: wrapped.into_token_stream(), emit }
    }

    /// A literal; a `-` before it belongs to it.
    pub fn literal(&mut self, lit: &Lit, negative: bool) -> Lowered {
        let (text, suffix) = match lit {
            Lit::Int(int) => (int_text(int), int.suffix().to_owned()),
            Lit::Float(float) => (float.base10_digits().to_owned(), float.suffix().to_owned()),
            Lit::Bool(value) => return Lowered { witness: quote!(#value), emit: quote!(__r.bool_(#value)) },
            // A reference to an array that rustc knows.
            Lit::ByteStr(bytes) => {
                let name = quote!(::core::option::Option::Some("bytes"));
                return Lowered { witness: quote!(#bytes), emit: quote!(__r.constant(&#bytes, #name)) };
            }
            Lit::Byte(byte) => (byte.value().to_string(), "u8".to_owned()),
            Lit::Char(char) if char.value().is_ascii() => {
                let text = char.to_token_stream();
                return self.refuse(char, format!("a kernel has no `char`; write a byte: `b{text}`"));
            }
            other => return self.refuse(
                other,
                "only numbers, `bool`s and bytes are literals in a kernel; text goes into `println!` or `assert!`, or is bytes: `b\"text\"`",
            ),
        };
        if ["i128", "u128", "f16", "f128"].contains(&suffix.as_str()) {
            return self.refuse(
                lit,
                format!("`{suffix}` cannot be used in a GPU kernel; numbers have up to 64 bits, and half floats are made with `f16::from_f32`"),
            );
        }
        if !suffix.is_empty() {
            return suffixed(lit, negative, &text, &suffix);
        }
        let (probe, index) = self.probe(lit.span());
        let signed = if negative { quote!(-#lit) } else { lit.to_token_stream() };
        let text = if negative { format!("-{text}") } else { text };
        Lowered {
            witness: self.tap(&probe, lit.span(), &lit, signed.clone()),
            emit: quote!(__r.literal(#text, __t.ty(#index))),
        }
    }

    fn cast(&mut self, e: &syn::ExprCast) -> Lowered {
        if is_char(&Expr::Cast(e.clone())) {
            let refused = self.refuse(e, super::foreign_names::CHAR);
            return Lowered { witness: e.to_token_stream(), ..refused };
        }
        if let syn::Type::Infer(_) = &*e.ty {
            let Lowered { witness, emit } = self.expr(&e.expr);
            let (probe, index) = self.probe(e.as_token.span());
            return Lowered {
                witness: self.tap(&probe, e.as_token.span(), e, quote!((#witness as _))),
                emit: quote!({ let __a = #emit; __r.cast(__a, __t.ty(#index)) }),
            };
        }
        let ty = device_type(&e.ty);
        let (literal, negative) = match &*e.expr {
            Expr::Unary(syn::ExprUnary { op: UnOp::Neg(_), expr, .. }) => (&**expr, true),
            other => (other, false),
        };
        if let Expr::Lit(syn::ExprLit { lit: Lit::Int(int), .. }) = literal
            && int.suffix().is_empty()
        {
            let text = format!("{}{}", if negative { "-" } else { "" }, int_text(int));
            let emit = quote!(__r.literal_as(#text, <#ty as ::warpsmith::__macro::DeviceType>::ty()));
            return Lowered { witness: e.to_token_stream(), emit };
        }
        let Lowered { witness, emit } = self.expr(&e.expr);
        let line = self.line(e.as_token.span());
        Lowered {
            witness: quote!((#witness as #ty)),
            emit: quote!({ let __a = #emit; #line __r.cast(__a, <#ty as ::warpsmith::__macro::DeviceType>::ty()) }),
        }
    }

    /// `const { … }`: the emitter takes its value, of the type that rustc infers in the witness.
    fn const_block(&mut self, e: &syn::ExprConst) -> Lowered {
        let block = self.declare_block(e.const_token.span);
        Lowered {
            witness: quote!(#block.is(#e)),
            emit: quote!(__r.constant(&#block.is(#e), ::core::option::Option::None)),
        }
    }

    /// `a..b`, `a..=b` as a value.
    fn range(&mut self, e: &syn::ExprRange) -> Lowered {
        let (Some(start), Some(end)) = (&e.start, &e.end) else {
            return self.refuse(
                e,
                "a range that is a value has a start and an end in a kernel; `x[a..]` and `(a..).contains(&v)` are written where they are used",
            );
        };
        let ([sw, ew], setup, [a, b]) = self.operands([&**start, &**end]);
        let (probe, index) = self.probe(e.span());
        let limits = &e.limits;
        Lowered {
            witness: self.tap(&probe, e.span(), e, quote!((#sw) #limits (#ew))),
            emit: quote!({ #setup __r.range(__t.ty(#index), #a, #b) }),
        }
    }

    fn array(&mut self, e: &syn::ExprArray) -> Lowered {
        let elems: Vec<&Expr> = e.elems.iter().collect();
        let Operands { witness, setup, names } = self.values(&elems);
        let (probe, index) = self.probe(e.span());
        Lowered {
            witness: self.tap(&probe, e.span(), e, quote!([#(#witness),*])),
            emit: quote!({ #setup __r.array_list(::warpsmith::__macro::list([#(#names),*]), __t.ty(#index)) }),
        }
    }

    fn repeat(&mut self, e: &syn::ExprRepeat) -> Lowered {
        let Lowered { witness, emit } = self.expr(&e.expr);
        let (probe, index) = self.probe(e.span());
        let len = &e.len;
        let spelled = self.spelled(len).map(|spelled| quote!({ let __n = #spelled; __n }));
        let spelled = optional(spelled);
        Lowered {
            witness: self.tap(&probe, e.span(), e, quote!([#witness; #len])),
            emit: quote!({ let __a = #emit; let __n = #spelled; __r.array_repeat(__a, __t.ty(#index), __n) }),
        }
    }

    fn tuple(&mut self, e: &syn::ExprTuple) -> Lowered {
        if e.elems.is_empty() {
            return Lowered { witness: quote!(()), emit: quote!(::warpsmith::ir::Expr::unit()) };
        }
        let elems: Vec<&Expr> = e.elems.iter().collect();
        let Operands { witness, setup, names } = self.values(&elems);
        Lowered {
            witness: quote!((#(#witness,)*)),
            emit: quote!({ #setup __r.tuple(::warpsmith::__macro::list([#(#names),*])) }),
        }
    }

    fn struct_(&mut self, e: &syn::ExprStruct) -> Lowered {
        let mut values: Vec<&Expr> = e.fields.iter().map(|f| &f.expr).collect();
        // The rest of the base is read last.
        values.extend(e.rest.as_deref());
        let Operands { mut witness, setup, mut names } = self.values(&values);
        let base = e.rest.as_ref().and_then(|_| Some((witness.pop()?, names.pop()?)));
        let (probe, index) = self.probe(e.path.span());
        let path = &e.path;
        let members: Vec<&Member> = e.fields.iter().map(|f| &f.member).collect();
        let texts: Vec<String> = members.iter().map(|m| m.to_token_stream().to_string()).collect();
        let name = path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let given = quote!(::warpsmith::__macro::list([#((#texts, #names)),*]));
        match base {
            Some((shown, base)) => {
                let literal = quote!(#path { #(#members: #witness,)* ..#shown });
                Lowered {
                    witness: self.tap(&probe, e.path.span(), e, literal),
                    emit: quote!({ #setup __r.struct_update(__t.ty(#index), #given, #base) }),
                }
            }
            None => Lowered {
                witness: self.tap(&probe, e.path.span(), e, quote!(#path { #(#members: #witness),* })),
                emit: quote!({ #setup __r.construct(__t.ty(#index), #name, #given) }),
            },
        }
    }

    fn path(&mut self, e: &syn::ExprPath) -> Lowered {
        if let Some(ident) = e.path.get_ident() {
            if ident == "self" {
                self.lookup(ident);
                let ident = own_self(ident.span());
                return Lowered { witness: quote!(#ident), emit: quote!(__r.local(&#ident)) };
            }
            match self.lookup(ident) {
                Some(Name::Local | Name::Closure) => {
                    let held = held(ident);
                    return Lowered { witness: quote!(#ident), emit: quote!(__r.local(&#held)) };
                }
                Some(Name::Iterator) => return self.refuse_kept(e),
                Some(Name::Comptime) | None => {}
            }
            if self.lookup(ident).is_none()
                && let Some(advice) = super::foreign_names::value(&ident.to_string())
            {
                return self.refuse(e, advice);
            }
            if self.has_ended(ident) {
                return self.refuse(
                    e,
                    format!("`{ident}` is declared in a block that has ended; declare it with `let` before that block"),
                );
            }
            if ident == "Self" {
                return self.refuse(e, "`Self` is no value in a kernel; name the fields: `Self { … }`");
            }
        }
        self.constant(e)
    }

    /// A path that is no variable: a const, an associated const, a const generic, a comptime value,
    /// or a variant without fields.
    fn constant(&mut self, e: &syn::ExprPath) -> Lowered {
        if let Some(last) = e.path.segments.last()
            && super::spelled::is_variant(&last.ident.to_string())
        {
            let (probe, index) = self.probe(e.span());
            let name = last.ident.to_string();
            return Lowered {
                witness: self.tap(&probe, e.span(), e, e.to_token_stream()),
                emit: quote!(__r.construct(__t.ty(#index), #name, ::warpsmith::__macro::list([]))),
            };
        }
        let name = optional(e.path.get_ident().map(ToString::to_string));
        let span = e.span().resolved_at(Span::call_site());
        Lowered { witness: e.to_token_stream(), emit: quote_spanned!(span=> __r.constant(&(#e), #name)) }
    }
}

/// A literal whose type is written.
fn suffixed(lit: &Lit, negative: bool, text: &str, suffix: &str) -> Lowered {
    // rustc itself refuses other suffixes.
    let known = super::spelled::PRIMITIVES.contains(&suffix);
    let ty = syn::Ident::new(if known { suffix } else { "i32" }, lit.span());
    let (sign, witness) = if negative { ("-", quote!(-#lit)) } else { ("", lit.to_token_stream()) };
    let text = format!("{sign}{text}");
    Lowered { witness, emit: quote!(__r.literal(#text, <#ty as ::warpsmith::__macro::DeviceType>::ty())) }
}

/// Digits of an integer literal with its radix prefix, without its suffix.
pub fn int_text(int: &syn::LitInt) -> String {
    let text = int.to_string();
    text.strip_suffix(int.suffix()).unwrap_or(&text).to_owned()
}
