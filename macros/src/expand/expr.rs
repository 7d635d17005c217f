//! Lowering of expressions; each arm of the dispatcher only forwards.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Lit, Member, UnOp};

use super::lower::{Lower, Name, Two, tap};
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
                .refuse(e, "a closure can only be an argument of a `#[gpu_fn]`; write a `#[gpu_fn]` for it"),
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
            Expr::Let(_) => "`if let` and `while let` are not supported in a kernel; use `match`",
            Expr::Range(_) => "a range is only supported in `for i in a..b`; use a `for` loop",
            Expr::Try(_) => "`?` is not supported in a kernel; use `match` or return early",
            Expr::RawAddr(_) => "raw pointers are not supported in a kernel; use `&mut` or a `ViewMut`",
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
        let (probe, index) = self.probe(lit.span());
        let signed = if negative { quote!(-#lit) } else { lit.to_token_stream() };
        let text = if negative { format!("-{text}") } else { text };
        let _ = suffix;
        Two { witness: tap(&probe, lit.span(), signed), emit: quote!(__r.literal(#text, __t.ty(#index))) }
    }

    fn unary(&mut self, e: &syn::ExprUnary) -> Two {
        if let (UnOp::Neg(_), Expr::Lit(lit)) = (&e.op, &*e.expr)
            && !matches!(lit.lit, Lit::Bool(_))
        {
            return self.literal(&lit.lit, true);
        }
        let Two { witness, emit } = self.expr(&e.expr);
        let op = &e.op;
        let emit = match op {
            UnOp::Neg(_) => quote!({ let __a = #emit; __r.unary(::warpsmith::ir::UnaryOp::Neg, __a) }),
            UnOp::Not(_) => quote!({ let __a = #emit; __r.unary(::warpsmith::ir::UnaryOp::Not, __a) }),
            UnOp::Deref(_) => quote!({ let __a = #emit; __r.deref(__a) }),
            other => return self.refuse(other, "this operator is not supported in a kernel"),
        };
        Two { witness: quote!(#op #witness), emit }
    }

    fn binary(&mut self, e: &syn::ExprBinary) -> Two {
        if let Some(op) = compound(&e.op) {
            return self.assign_op(e, &op);
        }
        let op = &e.op;
        match op {
            BinOp::And(_) => self.lazy(e, &quote!(and_begin), &quote!(and_end)),
            BinOp::Or(_) => self.lazy(e, &quote!(or_begin), &quote!(or_end)),
            _ => {
                let (witness, setup, names) = self.operands([&*e.left, &*e.right]);
                let [left, right] = witness;
                let [a, b] = names;
                let variant = variant(op);
                let line = self.line(op.span());
                Two {
                    witness: quote!(#left #op #right),
                    emit: quote!({ #setup #line __r.binary(::warpsmith::ir::BinaryOp::#variant, #a, #b) }),
                }
            }
        }
    }

    fn lazy(&mut self, e: &syn::ExprBinary, begin: &TokenStream, end: &TokenStream) -> Two {
        let left = self.expr(&e.left);
        let right = self.expr(&e.right);
        self.forget_line();
        let (op, lw, le, rw, re) = (&e.op, left.witness, left.emit, right.witness, right.emit);
        Two {
            witness: quote!(#lw #op #rw),
            emit: quote!({
                let __a = #le;
                if __r.#begin(__a) { let __b = #re; __r.if_value(__b); }
                __r.#end()
            }),
        }
    }

    /// Lowers operands in Rust's order; the emitter's part binds them to the names returned.
    pub fn operands<const N: usize>(
        &mut self,
        exprs: [&Expr; N],
    ) -> ([TokenStream; N], TokenStream, [syn::Ident; N]) {
        let (witness, setup, names) = self.operand_list(&exprs);
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
    pub fn operand_list(&mut self, exprs: &[&Expr]) -> (Vec<TokenStream>, TokenStream, Vec<syn::Ident>) {
        let mut witness = Vec::new();
        let mut names: Vec<syn::Ident> = Vec::new();
        let mut setup = TokenStream::new();
        for (i, expr) in exprs.iter().enumerate() {
            let two = self.argument(expr);
            let name = syn::Ident::new(&format!("__o{i}"), Span::call_site());
            let emit = two.emit;
            if i > 0 && !is_quiet(expr) {
                setup.extend(quote!(let mut __m = __r.mark();));
                setup.extend(quote!(let #name = #emit;));
                for earlier in &names {
                    setup.extend(quote!(let #earlier = __r.keep(#earlier, &mut __m, &#name);));
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
        if let Expr::Tuple(_) | Expr::Struct(_) | Expr::Array(_) = &*e.left {
            return self.refuse(
                &e.left,
                "destructuring assignment is not supported in a kernel; assign one place at a time",
            );
        }
        let ([value, place], setup, [v, p]) = self.operands([&*e.right, &*e.left]);
        let line = self.line(e.eq_token.span());
        Two { witness: quote!(#place = #value), emit: quote!({ #setup #line __r.assign(#p, #v) }) }
    }

    fn assign_op(&mut self, e: &syn::ExprBinary, variant: &TokenStream) -> Two {
        let ([value, place], setup, [v, p]) = self.operands([&*e.right, &*e.left]);
        let (op, line) = (&e.op, self.line(e.op.span()));
        Two {
            witness: quote!(#place #op #value),
            emit: quote!({ #setup #line __r.assign_op(::warpsmith::ir::BinaryOp::#variant, #p, #v) }),
        }
    }

    fn cast(&mut self, e: &syn::ExprCast) -> Two {
        if let syn::Type::Infer(_) = &*e.ty {
            return self.refuse(&e.ty, "`as _` is not supported in a kernel; name the type");
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

    fn index(&mut self, e: &syn::ExprIndex) -> Two {
        if let Expr::Range(range) = &*e.index {
            return self.refuse(
                range,
                "slicing is not supported in a kernel; index elements, or use a view's `offset`",
            );
        }
        let ([base, index], setup, [b, i]) = self.operands([&*e.expr, &*e.index]);
        let line = self.line(e.index.span());
        let span = e.index.span().resolved_at(Span::call_site());
        let index = quote_spanned!(span=> ::warpsmith::__macro::to_index(#index));
        let mut shown = e.clone();
        shown.expr = Box::new(Expr::Verbatim(base));
        shown.index = Box::new(Expr::Verbatim(index));
        Two { witness: shown.into_token_stream(), emit: quote!({ #setup #line __r.index(#b, #i) }) }
    }

    fn reference(&mut self, e: &syn::ExprReference) -> Two {
        let Two { witness, emit } = self.expr(&e.expr);
        let mutable = e.mutability.is_some();
        let mut shown = e.clone();
        shown.expr = Box::new(Expr::Verbatim(witness));
        Two { witness: shown.into_token_stream(), emit: quote!({ let __a = #emit; __r.ref_(#mutable, __a) }) }
    }

    fn array(&mut self, e: &syn::ExprArray) -> Two {
        let elems: Vec<&Expr> = e.elems.iter().collect();
        let (witness, setup, names) = self.operand_list(&elems);
        let (probe, index) = self.probe(e.span());
        Two {
            witness: tap(&probe, e.span(), quote!([#(#witness),*])),
            emit: quote!({ #setup __r.array_list(::std::vec![#(#names),*], __t.ty(#index)) }),
        }
    }

    fn repeat(&mut self, e: &syn::ExprRepeat) -> Two {
        let Two { witness, emit } = self.expr(&e.expr);
        let (probe, index) = self.probe(e.span());
        let len = &e.len;
        Two {
            witness: tap(&probe, e.span(), quote!([#witness; #len])),
            emit: quote!({ let __a = #emit; __r.array_repeat(__a, __t.ty(#index)) }),
        }
    }

    fn tuple(&mut self, e: &syn::ExprTuple) -> Two {
        if e.elems.is_empty() {
            return Two { witness: quote!(()), emit: quote!(::warpsmith::ir::Expr::unit()) };
        }
        let elems: Vec<&Expr> = e.elems.iter().collect();
        let (witness, setup, names) = self.operand_list(&elems);
        Two { witness: quote!((#(#witness,)*)), emit: quote!({ #setup __r.tuple(::std::vec![#(#names),*]) }) }
    }

    fn struct_(&mut self, e: &syn::ExprStruct) -> Two {
        if let Some(dots) = &e.dot2_token {
            return self.refuse(dots, "struct update syntax is not supported in a kernel; name every field");
        }
        let values: Vec<&Expr> = e.fields.iter().map(|f| &f.expr).collect();
        let (witness, setup, names) = self.operand_list(&values);
        let (probe, index) = self.probe(e.path.span());
        let path = &e.path;
        let members: Vec<&Member> = e.fields.iter().map(|f| &f.member).collect();
        let texts: Vec<String> = members.iter().map(|m| m.to_token_stream().to_string()).collect();
        Two {
            witness: tap(&probe, e.path.span(), quote!(#path { #(#members: #witness),* })),
            emit: quote!({ #setup __r.struct_(__t.ty(#index), ::std::vec![#((#texts, #names)),*]) }),
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
        }
        self.constant(e)
    }

    /// A path that is no variable: a const, an associated const, a const generic, a comptime value.
    fn constant(&mut self, e: &syn::ExprPath) -> Two {
        let name = match e.path.get_ident() {
            Some(ident) => {
                let name = ident.to_string();
                quote!(::core::option::Option::Some(#name))
            }
            None => quote!(::core::option::Option::None),
        };
        let (probe, _) = self.probe(e.span());
        let span = e.span().resolved_at(Span::call_site());
        let emit = quote_spanned!(span=> __r.constant(&(#e), #name));
        Two { witness: tap(&probe, e.span(), e.to_token_stream()), emit }
    }
}

/// Whether lowering the expression can never add a statement or have an effect.
fn is_quiet(expr: &Expr) -> bool {
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

/// Digits of an integer literal with its radix prefix, without its suffix.
fn int_text(int: &syn::LitInt) -> String {
    let text = int.to_string();
    text.strip_suffix(int.suffix()).unwrap_or(&text).to_owned()
}

/// The IR's name of a plain binary operator.
fn variant(op: &BinOp) -> TokenStream {
    match op {
        BinOp::Add(_) => quote!(Add),
        BinOp::Sub(_) => quote!(Sub),
        BinOp::Mul(_) => quote!(Mul),
        BinOp::Div(_) => quote!(Div),
        BinOp::Rem(_) => quote!(Rem),
        BinOp::BitAnd(_) => quote!(BitAnd),
        BinOp::BitOr(_) => quote!(BitOr),
        BinOp::BitXor(_) => quote!(BitXor),
        BinOp::Shl(_) => quote!(Shl),
        BinOp::Shr(_) => quote!(Shr),
        BinOp::Eq(_) => quote!(Eq),
        BinOp::Ne(_) => quote!(Ne),
        BinOp::Lt(_) => quote!(Lt),
        BinOp::Le(_) => quote!(Le),
        BinOp::Gt(_) => quote!(Gt),
        _ => quote!(Ge),
    }
}

/// The IR's name of the operator in a compound assignment.
fn compound(op: &BinOp) -> Option<TokenStream> {
    Some(match op {
        BinOp::AddAssign(_) => quote!(Add),
        BinOp::SubAssign(_) => quote!(Sub),
        BinOp::MulAssign(_) => quote!(Mul),
        BinOp::DivAssign(_) => quote!(Div),
        BinOp::RemAssign(_) => quote!(Rem),
        BinOp::BitAndAssign(_) => quote!(BitAnd),
        BinOp::BitOrAssign(_) => quote!(BitOr),
        BinOp::BitXorAssign(_) => quote!(BitXor),
        BinOp::ShlAssign(_) => quote!(Shl),
        BinOp::ShrAssign(_) => quote!(Shr),
        _ => return None,
    })
}
