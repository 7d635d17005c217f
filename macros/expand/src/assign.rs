//! Lowering of assignments: a value and a place, several of both, and `op=`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Lit, Member, Token};

use super::lower::{Lower, Lowered};
use super::operators::{Operand, see_operands};
use super::places::Access;

impl Lower<'_> {
    pub(super) fn assign(&mut self, e: &syn::ExprAssign) -> Lowered {
        match &*e.left {
            Expr::Infer(_) => self.discarded(e),
            Expr::Tuple(_) | Expr::Array(_) | Expr::Struct(_) | Expr::Call(_) => self.taken_apart(e),
            _ => {
                let value = self.expr(&e.right);
                let place = self.place(&e.left, Access::Write);
                let setup = value_first(&value, &place, self.is_still(&e.left));
                let (line, value_witness, place_witness) =
                    (self.line(e.eq_token.span()), value.witness, place.witness);
                Lowered {
                    witness: quote!(#place_witness = #value_witness),
                    emit: quote!({ #setup #line __r.assign(__p, __v) }),
                }
            }
        }
    }

    /// `_ = value`
    fn discarded(&mut self, e: &syn::ExprAssign) -> Lowered {
        let Lowered { witness, emit } = self.expr(&e.right);
        Lowered {
            witness: quote!(_ = #witness),
            emit: quote!({ let __v = #emit; __r.statement(__v); ::warpsmith::ir::Expr::unit() }),
        }
    }

    /// `(a, b) = value`: all parts of the value are read, then each place is evaluated and written.
    fn taken_apart(&mut self, e: &syn::ExprAssign) -> Lowered {
        let value = self.expr(&e.right);
        let line = self.line(e.eq_token.span());
        let of = self.part_ident();
        let target = self.target(&e.left, &of);
        let (value_witness, value_emit, target_witness, target_emit) =
            (value.witness, value.emit, target.witness, target.emit);
        Lowered {
            witness: quote!(#target_witness = #value_witness),
            emit: quote!({
                let #of = { let __v = #value_emit; #line __r.bind_parts(__v) };
                #target_emit
                ::warpsmith::ir::Expr::unit()
            }),
        }
    }

    /// The target of an assignment to a part of a value; the emitter's side are statements.
    fn target(&mut self, target: &Expr, of: &Ident) -> Lowered {
        match target {
            Expr::Infer(_) => Lowered { witness: quote!(_), emit: quote!() },
            Expr::Paren(inner) => self.target(&inner.expr, of),
            Expr::Tuple(tuple) => {
                let (witness, emit) = self.targets(&tuple.elems, of, false);
                Lowered { witness: quote!((#(#witness,)*)), emit }
            }
            Expr::Array(array) => {
                let (witness, emit) = self.targets(&array.elems, of, true);
                Lowered { witness: quote!([#(#witness),*]), emit }
            }
            Expr::Call(call) => {
                let (witness, emit) = self.targets(&call.args, of, false);
                let name = &call.func;
                Lowered { witness: quote!(#name(#(#witness),*)), emit }
            }
            Expr::Struct(fields) => self.target_fields(fields, of),
            place => {
                let Lowered { witness, emit } = self.place(place, Access::Write);
                Lowered { witness, emit: quote!({ let __p = #emit; __r.assign(__p, #of.clone()); }) }
            }
        }
    }

    fn targets(
        &mut self,
        targets: &Punctuated<Expr, Token![,]>,
        of: &Ident,
        elements: bool,
    ) -> (Vec<TokenStream>, TokenStream) {
        let (mut witness, mut emit) = (Vec::new(), TokenStream::new());
        let mut is_behind = false;
        for (i, target) in targets.iter().enumerate() {
            if let Expr::Range(rest) = target
                && rest.start.is_none()
                && rest.end.is_none()
            {
                witness.push(quote!(..));
                is_behind = true;
                continue;
            }
            let (part, name, back) = (self.part_ident(), i.to_string(), targets.len() - i);
            let two = self.target(target, &part);
            let inner = two.emit;
            witness.push(two.witness);
            let taken = match is_behind {
                true => quote!(__r.assigned_part_from_end(&#of, #back, #elements)),
                false => quote!(__r.assigned_part(&#of, #name, #elements)),
            };
            emit.extend(quote!(let #part = #taken; #inner));
        }
        (witness, emit)
    }

    fn target_fields(&mut self, target: &syn::ExprStruct, of: &Ident) -> Lowered {
        let mut shown = target.clone();
        let mut emit = TokenStream::new();
        for field in &mut shown.fields {
            let name = match &field.member {
                Member::Named(ident) => ident.to_string(),
                Member::Unnamed(index) => index.index.to_string(),
            };
            let part = self.part_ident();
            let two = self.target(&field.expr, &part);
            let inner = two.emit;
            // The short form names a variable, which the witness names too.
            if field.colon_token.is_some() {
                field.expr = Expr::Verbatim(two.witness);
            }
            emit.extend(quote!(let #part = __r.assigned_part(&#of, #name, false); #inner));
        }
        Lowered { witness: shown.into_token_stream(), emit }
    }

    /// `place op= value`
    pub(super) fn assign_op(&mut self, e: &syn::ExprBinary, variant: &TokenStream) -> Lowered {
        let in_question = self.order_matters(&e.left, &e.right);
        let value = self.expr(&e.right);
        if in_question {
            self.forget_line();
        }
        let place = self.place(&e.left, Access::Write);
        let setup = value_first(&value, &place, self.is_still(&e.left));
        let (op, line) = (&e.op, self.line(e.op.span()));
        let place_witness = &place.witness;
        if is_integer_literal(&e.right) && self.is_scalar(&e.left) {
            let value_witness = self.right_side(&value.witness);
            return Lowered {
                witness: quote!(#place_witness #op #value_witness),
                emit: quote!({ #setup #line __r.assign_op(::warpsmith::ir::BinaryOp::#variant, __p, __v) }),
            };
        }
        let tag = format_ident!("{}AssignOp", variant.to_string());
        let (probe, index) = self.fn_probe(op.span());
        let Operand { setup: first, value: r, seen } = self.operand_twice(&e.right, "__r", value.witness);
        // The place stands once: a closure in it is of another type wherever it stands.
        let own = self.own_name("__place", op.span());
        let (left, right) = (quote!(&*#own), quote!(&#seen));
        let (bind, place_witness) = (quote!(let #own = &mut #place_witness;), quote!(*#own));
        let see = see_operands(&probe, &quote!(#tag), &left, &right);
        let r = self.right_side(&r);
        if !in_question {
            return Lowered {
                witness: quote!(({ #first #bind #see #place_witness #op #r })),
                emit: quote!({ #setup #line __r.assign_operator(__t.callee(#index), ::warpsmith::ir::BinaryOp::#variant, __p, __v) }),
            };
        }
        let (order, number) = self.fn_probe(op.span());
        let scalars = see_operands(&order, &quote!(CompoundOp), &left, &right);
        let (value_emit, place_emit) = (value.emit, place.emit);
        self.forget_line();
        Lowered {
            witness: quote!(({ #first #bind #see #scalars #place_witness #op #r })),
            emit: quote!({
                let __callees = [__t.callee(#number), __t.callee(#index)];
                __r.compound(__callees, ::warpsmith::ir::BinaryOp::#variant, |__r| #place_emit, |__r| #value_emit)
            }),
        }
    }

    /// Returns whether a place and a value may change each other: which of the two Rust evaluates first depends on their types.
    fn order_matters(&self, place: &Expr, value: &Expr) -> bool {
        let value_acts = !self.is_still(value) && !is_variable(place);
        let place_acts = !self.is_still(place) && !is_integer_literal(value);
        value_acts || place_acts
    }
}

/// Statements of the emitter that evaluate a value, `__v`, and then a place, `__p`.
fn value_first(value: &Lowered, place: &Lowered, is_still: bool) -> TokenStream {
    let (value_emit, place_emit) = (&value.emit, &place.emit);
    if is_still {
        return quote!(let __v = #value_emit; let __p = #place_emit;);
    }
    quote! {
        let __v = #value_emit;
        let mut __m = __r.mark();
        let __p = #place_emit;
        let __v = __r.keep(__v, &mut __m, &__p);
    }
}

/// Returns whether a place is a name or a field of one, whose address nothing changes.
fn is_variable(place: &Expr) -> bool {
    match place {
        Expr::Path(_) => true,
        Expr::Field(e) => is_variable(&e.base),
        Expr::Paren(e) => is_variable(&e.expr),
        _ => false,
    }
}

fn is_integer_literal(value: &Expr) -> bool {
    matches!(value, Expr::Lit(lit) if !matches!(lit.lit, Lit::Float(_)))
}

/// The IR's name of the operator in a compound assignment.
pub fn compound(op: &BinOp) -> Option<TokenStream> {
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
