//! Lowering of expressions; each arm of the dispatcher only forwards.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Lit, Member, UnOp};

use super::lower::{Lower, Name, Two};
use super::operators::compound;
use super::types::device_type;

impl Lower<'_> {
    /// Lowers any expression.
    pub fn expr(&mut self, expr: &Expr) -> Two {
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
            Expr::Continue(e) => self.continue_(e),
            Expr::Field(e) => self.field(e),
            Expr::ForLoop(e) => self.for_loop(e),
            Expr::Group(e) => self.expr(&e.expr),
            Expr::If(e) => self.if_(e),
            Expr::Index(e) => self.index(e),
            Expr::Lit(e) => self.literal(&e.lit, false),
            Expr::Loop(e) => self.loop_(e),
            Expr::Macro(e) => self.macro_(&e.mac),
            Expr::Match(e) => self.match_(e),
            Expr::MethodCall(e) => self.method_call(e),
            Expr::Paren(e) => self.paren(e),
            Expr::Path(e) => self.path(e),
            Expr::Reference(e) => self.reference(e),
            Expr::Repeat(e) => self.repeat(e),
            Expr::Return(e) => self.return_(e),
            Expr::Struct(e) => self.struct_(e),
            Expr::Tuple(e) => self.tuple(e),
            Expr::Unary(e) => self.unary(e),
            Expr::Unsafe(e) => self.unsafe_block(e),
            Expr::While(e) => self.while_(e),
            other => self.refused(other),
        }
    }

    fn refused(&mut self, expr: &Expr) -> Two {
        let advice = match expr {
            Expr::Async(_) | Expr::Await(_) => "`async` has no meaning in a kernel; remove it",
            Expr::Let(_) => {
                "a pattern can only be tested in the condition of `if` or `while`; use `matches!`"
            }
            Expr::Range(_) => "a range is only supported in `for i in a..b`; use a `for` loop",
            Expr::Try(_) => "`?` is not supported in a kernel; use `match` or return early",
            Expr::RawAddr(_) => "`&raw` is not supported in a kernel; write `&mut place as *mut T`",
            Expr::Const(_) => "const blocks are not supported in a kernel; declare a `const` item",
            Expr::Infer(_) => "`_` is not supported here in a kernel; write a value",
            _ => "this expression is not supported in a kernel; write it with `if`, `match`, loops and calls",
        };
        self.refuse(expr, advice)
    }

    fn paren(&mut self, e: &syn::ExprParen) -> Two {
        let Two { witness, emit } = self.expr(&e.expr);
        let mut wrapped = e.clone();
        wrapped.expr = Box::new(Expr::Verbatim(witness));
        Two { witness: wrapped.into_token_stream(), emit }
    }

    /// A literal; a `-` before it belongs to it.
    pub fn literal(&mut self, lit: &Lit, negative: bool) -> Two {
        let (text, suffix) = match lit {
            Lit::Int(int) => (int_text(int), int.suffix().to_owned()),
            Lit::Float(float) => (float.base10_digits().to_owned(), float.suffix().to_owned()),
            Lit::Bool(value) => return Two { witness: quote!(#value), emit: quote!(__r.bool_(#value)) },
            Lit::Byte(byte) => (byte.value().to_string(), "u8".to_owned()),
            other => return self.refuse(
                other,
                "only numbers and `bool`s are literals in a kernel; text goes into `println!` or `assert!`",
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
        Two {
            witness: self.tap(&probe, lit.span(), &lit, signed.clone()),
            emit: quote!(__r.literal(#text, __t.ty(#index))),
        }
    }

    /// Lowers operands of an operator, which no function is, in Rust's order; the emitter's part binds
    /// them to the names returned.
    pub fn operands<const N: usize>(
        &mut self,
        exprs: [&Expr; N],
    ) -> ([TokenStream; N], TokenStream, [syn::Ident; N]) {
        let (witness, setup, names) = self.operands_by(&exprs, &quote!(keep), Self::expr);
        let mut witness = witness.into_iter();
        let mut names = names.into_iter();
        let next_name = |names: &mut std::vec::IntoIter<syn::Ident>| {
            names.next().unwrap_or_else(|| syn::Ident::new("__none", Span::call_site()))
        };
        (
            std::array::from_fn(|_| witness.next().unwrap_or_default()),
            setup,
            std::array::from_fn(|_| next_name(&mut names)),
        )
    }

    /// [`Lower::operands`] for any number.
    pub fn values(&mut self, exprs: &[&Expr]) -> (Vec<TokenStream>, TokenStream, Vec<syn::Ident>) {
        self.operands_by(exprs, &quote!(keep), Self::expr)
    }

    /// [`Lower::values`], where functions and closures may be.
    pub fn operand_list(&mut self, exprs: &[&Expr]) -> (Vec<TokenStream>, TokenStream, Vec<syn::Ident>) {
        self.operands_kept(exprs, &quote!(keep))
    }

    /// [`Lower::operand_list`], where `first` is the recorder's method that keeps the first operand
    /// while later ones are evaluated.
    pub fn operands_kept(
        &mut self,
        exprs: &[&Expr],
        first: &TokenStream,
    ) -> (Vec<TokenStream>, TokenStream, Vec<syn::Ident>) {
        self.operands_by(exprs, first, Self::argument)
    }

    /// [`Lower::operands_kept`], each lowered by `lower`.
    pub fn operands_by(
        &mut self,
        exprs: &[&Expr],
        first: &TokenStream,
        lower: fn(&mut Self, &Expr) -> Two,
    ) -> (Vec<TokenStream>, TokenStream, Vec<syn::Ident>) {
        let mut witness = Vec::new();
        let mut names: Vec<syn::Ident> = Vec::new();
        let mut setup = TokenStream::new();
        for (i, expr) in exprs.iter().enumerate() {
            // No function's name is the receiver of a method.
            let receiver = i == 0 && first.to_string() == "keep_receiver";
            let two = if receiver { self.expr(expr) } else { lower(self, expr) };
            let name = syn::Ident::new(&format!("__o{i}"), Span::call_site());
            let emit = two.emit;
            if i > 0 && !is_quiet(expr) {
                setup.extend(quote!(let mut __m = __r.mark();));
                setup.extend(quote!(let #name = #emit;));
                for (j, earlier) in names.iter().enumerate() {
                    setup.extend(match first.to_string().as_str() {
                        "keep_receiver" if j == 0 => {
                            quote!(let #earlier = __r.keep_receiver(__by_reference, #earlier, &mut __m, &#name);)
                        }
                        _ if j == 0 => quote!(let #earlier = __r.#first(#earlier, &mut __m, &#name);),
                        _ => quote!(let #earlier = __r.keep(#earlier, &mut __m, &#name);),
                    });
                }
            } else {
                setup.extend(quote!(let #name = #emit;));
            }
            witness.push(two.witness);
            names.push(name);
        }
        (witness, setup, names)
    }

    fn assign(&mut self, e: &syn::ExprAssign) -> Two {
        if let Expr::Infer(_) = &*e.left {
            return self.refuse(&e.left, "assigning to `_` is not supported in a kernel; use `let _ = …;`");
        }
        if let Expr::Tuple(places) = &*e.left {
            return self.assign_tuple(e, places);
        }
        if let Expr::Struct(_) | Expr::Array(_) | Expr::Call(_) = &*e.left {
            return self.refuse(
                &e.left,
                "only a tuple can be taken apart by an assignment in a kernel; assign one place at a time",
            );
        }
        let ([value, place], setup, [v, p]) = self.assignment(&e.right, &e.left);
        let line = self.line(e.eq_token.span());
        Two { witness: quote!(#place = #value), emit: quote!({ #setup #line __r.assign(#p, #v) }) }
    }

    /// `(a, b) = value`
    fn assign_tuple(&mut self, e: &syn::ExprAssign, places: &syn::ExprTuple) -> Two {
        let value = self.expr(&e.right);
        let mut witness = Vec::new();
        let mut emit = Vec::new();
        for place in &places.elems {
            if let Expr::Infer(_) = place {
                witness.push(quote!(_));
                emit.push(quote!(::core::option::Option::None));
                continue;
            }
            self.written_place = Some(place.span());
            let two = self.expr(place);
            self.written_place = None;
            let place = two.emit;
            witness.push(two.witness);
            emit.push(quote!({ let __p = #place; ::core::option::Option::Some(__p) }));
        }
        let (vw, ve, line) = (value.witness, value.emit, self.line(e.eq_token.span()));
        Two {
            witness: quote!((#(#witness),*) = #vw),
            emit: quote!({
                let __v = #ve;
                #line
                let __v = __r.bind_parts(__v);
                let __places = ::warpsmith::__macro::list([#(#emit),*]);
                __r.assign_parts(__places, __v)
            }),
        }
    }

    fn cast(&mut self, e: &syn::ExprCast) -> Two {
        if let syn::Type::Infer(_) = &*e.ty {
            let Two { witness, emit } = self.expr(&e.expr);
            let (probe, index) = self.probe(e.as_token.span());
            return Two {
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
            let emit = quote!(__r.literal_as(#text, <#ty as ::warpsmith::__macro::Device>::ty()));
            return Two { witness: e.to_token_stream(), emit };
        }
        let Two { witness, emit } = self.expr(&e.expr);
        let line = self.line(e.as_token.span());
        Two {
            witness: quote!((#witness as #ty)),
            emit: quote!({ let __a = #emit; #line __r.cast(__a, <#ty as ::warpsmith::__macro::Device>::ty()) }),
        }
    }

    fn field(&mut self, e: &syn::ExprField) -> Two {
        let Two { witness, emit } = self.expr(&e.base);
        let member = &e.member;
        let name = match member {
            Member::Named(ident) => ident.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        let line = self.line(member.span());
        let mut shown = e.clone();
        shown.base = Box::new(Expr::Verbatim(witness));
        Two {
            witness: shown.into_token_stream(),
            emit: quote!({ let __a = #emit; #line __r.field(__a, #name) }),
        }
    }

    fn reference(&mut self, e: &syn::ExprReference) -> Two {
        if let Expr::Index(index) = &*e.expr
            && let Expr::Range(range) = &*index.index
        {
            return self.sub_slice(e, &index.expr, range);
        }
        let mutable = e.mutability.is_some();
        if mutable {
            self.written_place = Some(e.expr.span());
        }
        let Two { witness, emit } = self.expr(&e.expr);
        self.written_place = None;
        let mut shown = e.clone();
        shown.expr = Box::new(Expr::Verbatim(witness));
        let record = if is_place(&e.expr) { quote!(ref_) } else { quote!(ref_value) };
        Two {
            witness: shown.into_token_stream(),
            emit: quote!({ let __a = #emit; __r.#record(#mutable, __a) }),
        }
    }

    fn array(&mut self, e: &syn::ExprArray) -> Two {
        let elems: Vec<&Expr> = e.elems.iter().collect();
        let (witness, setup, names) = self.values(&elems);
        let (probe, index) = self.probe(e.span());
        Two {
            witness: self.tap(&probe, e.span(), e, quote!([#(#witness),*])),
            emit: quote!({ #setup __r.array_list(::warpsmith::__macro::list([#(#names),*]), __t.ty(#index)) }),
        }
    }

    fn repeat(&mut self, e: &syn::ExprRepeat) -> Two {
        let Two { witness, emit } = self.expr(&e.expr);
        let (probe, index) = self.probe(e.span());
        let len = &e.len;
        Two {
            witness: self.tap(&probe, e.span(), e, quote!([#witness; #len])),
            emit: quote!({ let __a = #emit; __r.array_repeat(__a, __t.ty(#index)) }),
        }
    }

    fn tuple(&mut self, e: &syn::ExprTuple) -> Two {
        if e.elems.is_empty() {
            return Two { witness: quote!(()), emit: quote!(::warpsmith::ir::Expr::unit()) };
        }
        let elems: Vec<&Expr> = e.elems.iter().collect();
        let (witness, setup, names) = self.values(&elems);
        Two {
            witness: quote!((#(#witness,)*)),
            emit: quote!({ #setup __r.tuple(::warpsmith::__macro::list([#(#names),*])) }),
        }
    }

    fn struct_(&mut self, e: &syn::ExprStruct) -> Two {
        let values: Vec<&Expr> = e.fields.iter().map(|f| &f.expr).collect();
        let (witness, setup, names) = self.values(&values);
        let (probe, index) = self.probe(e.path.span());
        let path = &e.path;
        let members: Vec<&Member> = e.fields.iter().map(|f| &f.member).collect();
        let texts: Vec<String> = members.iter().map(|m| m.to_token_stream().to_string()).collect();
        let name = path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let given = quote!(::warpsmith::__macro::list([#((#texts, #names)),*]));
        match &e.rest {
            Some(rest) => {
                let Two { witness: rw, emit: re } = self.expr(rest);
                Two {
                    witness: self.tap(
                        &probe,
                        e.path.span(),
                        e,
                        quote!(#path { #(#members: #witness,)* ..#rw }),
                    ),
                    emit: quote!({ #setup let __b = #re; __r.struct_update(__t.ty(#index), #given, __b) }),
                }
            }
            None => Two {
                witness: self.tap(&probe, e.path.span(), e, quote!(#path { #(#members: #witness),* })),
                emit: quote!({ #setup __r.construct(__t.ty(#index), #name, #given) }),
            },
        }
    }

    fn path(&mut self, e: &syn::ExprPath) -> Two {
        if let Some(ident) = e.path.get_ident() {
            if ident == "self" {
                let ident = syn::Ident::new("__self", ident.span());
                return Two { witness: quote!(#ident), emit: quote!(__r.local(&#ident)) };
            }
            match self.lookup(ident) {
                Some(Name::Local) => {
                    return Two { witness: quote!(#ident), emit: quote!(__r.local(&#ident)) };
                }
                Some(Name::Closure) => {
                    return Two { witness: quote!(#ident), emit: quote!(__r.local(&#ident)) };
                }
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
    fn constant(&mut self, e: &syn::ExprPath) -> Two {
        if let Some(last) = e.path.segments.last()
            && super::pattern::is_variant(&last.ident.to_string())
        {
            let (probe, index) = self.probe(e.span());
            let name = last.ident.to_string();
            return Two {
                witness: self.tap(&probe, e.span(), e, e.to_token_stream()),
                emit: quote!(__r.construct(__t.ty(#index), #name, ::warpsmith::__macro::list([]))),
            };
        }
        let name = match e.path.get_ident() {
            Some(ident) => {
                let name = ident.to_string();
                quote!(::core::option::Option::Some(#name))
            }
            None => quote!(::core::option::Option::None),
        };
        let span = e.span().resolved_at(Span::call_site());
        Two { witness: e.to_token_stream(), emit: quote_spanned!(span=> __r.constant(&(#e), #name)) }
    }
}

/// Whether an expression is a place in Rust: a reference to it refers to memory that is there already.
pub fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::Index(_) => true,
        Expr::Field(e) => is_place(&e.base),
        Expr::Unary(e) => matches!(e.op, UnOp::Deref(_)),
        Expr::Paren(e) => is_place(&e.expr),
        Expr::Group(e) => is_place(&e.expr),
        _ => false,
    }
}

/// Whether lowering the expression can never add a statement or have an effect.
pub fn is_quiet(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Field(e) => is_quiet(&e.base),
        Expr::Paren(e) => is_quiet(&e.expr),
        Expr::Group(e) => is_quiet(&e.expr),
        Expr::Cast(e) => is_quiet(&e.expr),
        Expr::Unary(e) => is_quiet(&e.expr),
        Expr::Index(e) => is_quiet(&e.expr) && is_quiet(&e.index),
        Expr::Binary(e) => {
            compound(&e.op).is_none()
                && !matches!(e.op, BinOp::And(_) | BinOp::Or(_))
                && is_quiet(&e.left)
                && is_quiet(&e.right)
        }
        _ => false,
    }
}

/// A literal whose type is written.
fn suffixed(lit: &Lit, negative: bool, text: &str, suffix: &str) -> Two {
    // rustc itself refuses other suffixes.
    let known = super::call::PRIMITIVES.contains(&suffix);
    let ty = syn::Ident::new(if known { suffix } else { "i32" }, lit.span());
    let (sign, witness) = if negative { ("-", quote!(-#lit)) } else { ("", lit.to_token_stream()) };
    let text = format!("{sign}{text}");
    Two { witness, emit: quote!(__r.literal(#text, <#ty as ::warpsmith::__macro::Device>::ty())) }
}

/// Digits of an integer literal with its radix prefix, without its suffix.
fn int_text(int: &syn::LitInt) -> String {
    let text = int.to_string();
    text.strip_suffix(int.suffix()).unwrap_or(&text).to_owned()
}
