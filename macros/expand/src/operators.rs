//! Lowering of operators, which device types may overload.
//!
//! The witness asks the types of the operands which function an operator is; where both operands
//! are certainly scalars it does not ask, which keeps expansions small.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Lit, UnOp};

use super::assign::compound;
use super::lower::{Known, Lower, Lowered, Name, spanning};
use super::places::Access;
use super::spelled;

/// An operand as an operator and its probe take it.
pub(super) struct Operand {
    /// Statements before both.
    pub setup: TokenStream,
    pub value: TokenStream,
    /// The value for the probe.
    pub seen: TokenStream,
}

impl Lower<'_> {
    pub(super) fn unary(&mut self, e: &syn::ExprUnary) -> Lowered {
        if let (UnOp::Neg(_), Expr::Lit(lit)) = (&e.op, &*e.expr)
            && !matches!(lit.lit, Lit::Bool(_))
        {
            return self.literal(&lit.lit, true);
        }
        if let UnOp::Deref(_) = &e.op {
            return self.dereference(e, Access::Read);
        }
        let Lowered { witness, emit } = self.expr(&e.expr);
        let op = &e.op;
        let (variant, tag) = match op {
            UnOp::Neg(_) => (quote!(Neg), quote!(NegOp)),
            UnOp::Not(_) => (quote!(Not), quote!(NotOp)),
            other => return self.refuse(other, "this operator is not supported in a kernel"),
        };
        if self.is_scalar(&e.expr) {
            return Lowered {
                witness: quote!(#op #witness),
                emit: quote!({ let __a = #emit; __r.unary(::warpsmith::ir::UnaryOp::#variant, __a) }),
            };
        }
        let (probe, index) = self.fn_probe(op.span());
        let Operand { setup, value, .. } = self.operand_twice(&e.expr, "__l", witness);
        let see = see_operand(&probe, &tag, &value);
        Lowered {
            witness: spanning(e, quote!(#setup #see), quote!(#op #value)),
            emit: quote!({ let __a = #emit; __r.unary_operator(__t.callee(#index), ::warpsmith::ir::UnaryOp::#variant, __a) }),
        }
    }

    pub(super) fn binary(&mut self, e: &syn::ExprBinary) -> Lowered {
        if let Some(op) = compound(&e.op) {
            return self.assign_op(e, &op);
        }
        let op = &e.op;
        match op {
            BinOp::And(_) => self.lazy(e, &quote!(and_begin), &quote!(and_end)),
            BinOp::Or(_) => self.lazy(e, &quote!(or_begin), &quote!(or_end)),
            _ => self.eager(e),
        }
    }

    fn eager(&mut self, e: &syn::ExprBinary) -> Lowered {
        let op = &e.op;
        if let Some(text) = plain_integer(&e.right)
            && !matches!(&*e.left, Expr::Lit(_) | Expr::Cast(_))
            && !matches!(op, BinOp::Shl(_) | BinOp::Shr(_))
        {
            return self.with_integer(e, &text);
        }
        let ([left, right], setup, [a, b]) = self.operands([&*e.left, &*e.right]);
        let variant = variant(op);
        let line = self.line(op.span());
        let Some(tag) = overload(op).filter(|_| !self.never_overloaded(op, &e.left, &e.right)) else {
            let right = self.right_side(&right);
            return Lowered {
                witness: quote!(#left #op #right),
                emit: quote!({ #setup #line __r.binary(::warpsmith::ir::BinaryOp::#variant, #a, #b) }),
            };
        };
        let (probe, index) = self.fn_probe(op.span());
        let Operand { setup: first, value: l, seen: ls } = self.operand_twice(&e.left, "__l", left);
        let Operand { setup: second, value: r, seen: rs } = self.operand_twice(&e.right, "__r", right);
        let see = see_operands(&probe, &tag, &quote!(&#ls), &quote!(&#rs));
        let r = self.right_side(&r);
        Lowered {
            witness: spanning(e, quote!(#first #second #see), quote!(#l #op #r)),
            emit: quote!({ #setup #line __r.operator(__t.callee(#index), ::warpsmith::ir::BinaryOp::#variant, #a, #b) }),
        }
    }

    /// An integer beside an operand has the type of the operand's scalars. It stands in the witness as it is, and rustc
    /// reports the same about it as about the twin's.
    fn with_integer(&mut self, e: &syn::ExprBinary, text: &str) -> Lowered {
        let Lowered { witness, emit } = self.expr(&e.left);
        let (op, right, variant, line) = (&e.op, &e.right, variant(&e.op), self.line(e.op.span()));
        if let Some(tag) = overload(op).filter(|_| !self.never_overloaded(op, &e.left, right)) {
            let (probe, index) = self.fn_probe(op.span());
            let Operand { setup, value, seen } = self.operand_twice(&e.left, "__l", witness);
            let see = see_operands(&probe, &tag, &quote!(&#seen), &quote!(&#right));
            let right = self.right_side(&right);
            return Lowered {
                witness: spanning(e, quote!(#setup #see), quote!(#value #op #right)),
                emit: quote!({
                    let __a = #emit;
                    let __b = __r.literal_for(__t.callee(#index), #text, &__a);
                    #line
                    __r.operator(__t.callee(#index), ::warpsmith::ir::BinaryOp::#variant, __a, __b)
                }),
            };
        }
        let right = self.right_side(&right);
        Lowered {
            witness: quote!(#witness #op #right),
            emit: quote!({
                let __a = #emit;
                let __b = __r.literal_like(#text, &__a);
                #line
                __r.binary(::warpsmith::ir::BinaryOp::#variant, __a, __b)
            }),
        }
    }

    fn lazy(&mut self, e: &syn::ExprBinary, begin: &TokenStream, end: &TokenStream) -> Lowered {
        let left = self.expr(&e.left);
        let right = self.expr(&e.right);
        self.forget_line();
        let (op, left_witness, left_emit, right_witness, right_emit) =
            (&e.op, left.witness, left.emit, right.witness, right.emit);
        Lowered {
            witness: quote!(#left_witness #op #right_witness),
            emit: quote!({
                let __a = #left_emit;
                if __r.#begin(__a) { let __b = #right_emit; __r.if_value(__b); }
                __r.#end()
            }),
        }
    }

    /// An operand that stands twice in the witness, by `name` unless it is a variable or a part of one.
    pub(super) fn operand_twice(&self, operand: &Expr, name: &str, witness: TokenStream) -> Operand {
        let twice = |value: TokenStream, seen| Operand { setup: TokenStream::new(), value, seen };
        if self.is_variable(operand) {
            return twice(witness.clone(), witness);
        }
        // A literal takes the type that the operator gives it, and may have another one in the probe.
        if let Expr::Lit(_) = operand {
            return twice(witness, operand.to_token_stream());
        }
        let name = Ident::new(name, operand.span());
        let value = spanning(operand, TokenStream::new(), name.to_token_stream());
        Operand { setup: quote!(let #name = #witness;), seen: value.clone(), value }
    }

    /// The knowledge of a value from its tokens.
    pub(super) fn known_value(&self, expr: &Expr) -> Known {
        match expr {
            _ if self.is_scalar(expr) => Known::Number,
            Expr::Array(array) => {
                Known::of_elements(array.elems.first().map_or(Known::Nothing, |e| self.known_value(e)))
            }
            Expr::Repeat(array) => Known::of_elements(self.known_value(&array.expr)),
            Expr::Reference(e) => match self.known_elements(&e.expr) {
                elements @ Known::Elements(_) => elements,
                _ => Known::Nothing,
            },
            _ => self.known_range(expr),
        }
    }

    /// Returns whether an expression is a scalar whatever the types around it are.
    pub(super) fn is_scalar(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.known(name) == Known::Number),
            Expr::Lit(_) | Expr::Cast(_) => true,
            Expr::Paren(e) => self.is_scalar(&e.expr),
            Expr::Unary(e) => !matches!(e.op, UnOp::Deref(_)) && self.is_scalar(&e.expr),
            Expr::Binary(e) if is_comparison(&e.op) => true,
            Expr::Binary(e) => self.is_scalar(&e.left) && self.is_scalar(&e.right),
            Expr::MethodCall(e) => e.method == "len" && e.args.is_empty(),
            // `thread_idx().x`
            Expr::Field(e) => matches!(&*e.base, Expr::Call(call) if call.args.is_empty()),
            // Should one of the user's own have such a name, its operators are refused.
            Expr::Call(e) if e.args.is_empty() => {
                matches!(&*e.func, Expr::Path(path) if path.path.get_ident().is_some_and(spelled::gives_number))
            }
            _ => false,
        }
    }

    /// Returns whether no device type can overload this use of an operator.
    pub(super) fn never_overloaded(&self, op: &BinOp, left: &Expr, right: &Expr) -> bool {
        let (l, r) = (self.is_scalar(left), self.is_scalar(right));
        let integer = |e: &Expr| matches!(e, Expr::Lit(lit) if matches!(lit.lit, Lit::Int(_)));
        let truth = |e: &Expr| matches!(e, Expr::Lit(lit) if matches!(lit.lit, Lit::Bool(_)));
        let comparison = matches!(op, BinOp::Eq(_) | BinOp::Ne(_));
        (l && r) || truth(left) || truth(right) || (comparison && (l || r || integer(left) || integer(right)))
    }

    fn is_variable(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => {
                path.path.get_ident().is_some_and(|name| self.lookup(name) == Some(Name::Local))
            }
            Expr::Field(e) => self.is_variable(&e.base),
            _ => false,
        }
    }
}

pub(super) fn see_operands(
    probe: &Ident,
    tag: &TokenStream,
    left: &TokenStream,
    right: &TokenStream,
) -> TokenStream {
    let resolve = resolver(tag, probe.span());
    quote_spanned! {probe.span()=>
        (&&&::warpsmith::__macro::operands::<::warpsmith::__macro::operators::#tag, _, _>(#left, #right)).#resolve(&#probe);
    }
}

fn see_operand(probe: &Ident, tag: &TokenStream, operand: &TokenStream) -> TokenStream {
    let resolve = resolver(tag, probe.span());
    quote_spanned! {probe.span()=>
        (&&&::warpsmith::__macro::operand::<::warpsmith::__macro::operators::#tag, _>(&#operand)).#resolve(&#probe);
    }
}

/// The method that resolves the operator of a tag: `__resolve_add_assign` of `AddAssignOp`.
fn resolver(tag: &TokenStream, span: Span) -> Ident {
    let mut name = "__resolve".to_owned();
    for c in tag.to_string().trim_end_matches("Op").chars() {
        if c.is_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    Ident::new(&name, span)
}

/// The digits of an integer literal without a suffix.
pub(super) fn plain_integer(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(syn::ExprLit { lit: Lit::Int(int), .. }) if int.suffix().is_empty() => {
            Some(int.to_string())
        }
        _ => None,
    }
}

/// Returns whether an operator gives a `bool` whatever its operands are.
fn is_comparison(op: &BinOp) -> bool {
    spelled::compares(op) || matches!(op, BinOp::And(_) | BinOp::Or(_))
}

/// The tag of an operator that can be overloaded.
fn overload(op: &BinOp) -> Option<TokenStream> {
    Some(match op {
        BinOp::Add(_) => quote!(AddOp),
        BinOp::Sub(_) => quote!(SubOp),
        BinOp::Mul(_) => quote!(MulOp),
        BinOp::Div(_) => quote!(DivOp),
        BinOp::Rem(_) => quote!(RemOp),
        BinOp::BitAnd(_) => quote!(BitAndOp),
        BinOp::BitOr(_) => quote!(BitOrOp),
        BinOp::BitXor(_) => quote!(BitXorOp),
        BinOp::Shl(_) => quote!(ShlOp),
        BinOp::Shr(_) => quote!(ShrOp),
        BinOp::Eq(_) | BinOp::Ne(_) => quote!(PartialEqOp),
        _ => return None,
    })
}

/// The IR's name of a plain binary operator.
pub(super) fn variant(op: &BinOp) -> TokenStream {
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
        BinOp::Ge(_) => quote!(Ge),
        // The callers lower the lazy operators and the assigning ones as other expressions, whatever the user writes.
        _ => unreachable!("a plain binary operator: {}", op.to_token_stream()),
    }
}
