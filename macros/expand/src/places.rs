//! Lowering of places: what denotes memory in Rust's grammar, and what is done with it.
//!
//! An expression is a place by its form alone; the recorder decides when its address is evaluated. An expression that gives
//! a value and stands where memory is written gets memory of its own there.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Member, UnOp};

use super::lower::{Known, Lower, Lowered, spanned_group};
use super::operands::{First, Operands};
use super::operators::{plain_integer, see_operands};
use super::range_index;
use crate::tokens::optional;

/// The access to a place: an index of it is one of `Index` or of `IndexMut`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It is read, or borrowed to be read.
    Read,
    /// It is written, or borrowed to be written.
    Write,
    /// The access of the method that is called on it; the emitter knows by `__written`.
    Receiver,
}

impl Access {
    /// The access of `&` or `&mut`.
    pub fn of(mutable: bool) -> Self {
        if mutable { Self::Write } else { Self::Read }
    }
}

impl Lower<'_> {
    /// An expression where a place stands.
    pub fn place(&mut self, expr: &Expr, access: Access) -> Lowered {
        match expr {
            Expr::Field(e) => self.field(e, access),
            Expr::Index(e) => self.index(e, access),
            Expr::Paren(e) => {
                let Lowered { witness, emit } = self.place(&e.expr, access);
                let mut wrapped = e.clone();
                wrapped.expr = Box::new(Expr::Verbatim(witness));
                Lowered { witness: wrapped.into_token_stream(), emit }
            }
            Expr::Path(_) => self.expr(expr),
            Expr::Unary(e) if matches!(e.op, UnOp::Deref(_)) => self.dereference(e, access),
            value => {
                let Lowered { witness, emit } = self.expr(value);
                let emit = match access {
                    Access::Read => quote!({ let __v = #emit; __r.base_value(__v) }),
                    Access::Write => quote!({ let __v = #emit; __r.temporary(__v) }),
                    Access::Receiver => {
                        quote!({ let __v = #emit; if __written { __r.temporary(__v) } else { __r.base_value(__v) } })
                    }
                };
                Lowered { witness, emit }
            }
        }
    }

    /// `*reference`
    pub(super) fn dereference(&mut self, e: &syn::ExprUnary, access: Access) -> Lowered {
        // A value that is a reference is read once, whatever is done with what it refers to.
        let Lowered { witness, emit } =
            if is_place(&e.expr) { self.place(&e.expr, access) } else { self.expr(&e.expr) };
        let op = &e.op;
        Lowered { witness: quote!(#op #witness), emit: quote!({ let __a = #emit; __r.deref(__a) }) }
    }

    /// `base.name`
    pub(super) fn field(&mut self, e: &syn::ExprField, access: Access) -> Lowered {
        let Lowered { witness, emit } = self.place(&e.base, access);
        let member = &e.member;
        let name = match member {
            Member::Named(ident) => ident.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        let line = self.line(member.span());
        let mut shown = e.clone();
        shown.base = Box::new(Expr::Verbatim(witness));
        Lowered {
            witness: shown.into_token_stream(),
            emit: quote!({ let __a = #emit; #line __r.field(__a, #name) }),
        }
    }

    /// `&place`, `&mut value`
    pub(super) fn reference(&mut self, e: &syn::ExprReference) -> Lowered {
        let mutable = e.mutability.is_some();
        if let Expr::Index(index) = &*e.expr
            && let Expr::Range(range) = &*index.index
        {
            return self.part_of(&index.expr, range, mutable);
        }
        let (operand, record) = match &*e.expr {
            Expr::Unary(inner) if matches!(inner.op, UnOp::Deref(_)) => {
                let Lowered { witness, emit } = if is_place(&inner.expr) {
                    self.place(&inner.expr, Access::of(mutable))
                } else {
                    self.expr(&inner.expr)
                };
                let op = &inner.op;
                (Lowered { witness: quote!(#op #witness), emit }, quote!(reborrow))
            }
            place if is_place(place) => (self.place(place, Access::of(mutable)), quote!(ref_)),
            value => (self.expr(value), quote!(ref_value)),
        };
        let Lowered { witness, emit } = operand;
        let mut shown = e.clone();
        shown.expr = Box::new(Expr::Verbatim(witness));
        Lowered {
            witness: shown.into_token_stream(),
            emit: quote!({ let __a = #emit; __r.#record(#mutable, __a) }),
        }
    }

    /// `base[index]`
    pub(super) fn index(&mut self, e: &syn::ExprIndex, access: Access) -> Lowered {
        if let Expr::Range(range) = &*e.index {
            return self.part_of(&e.expr, range, access == Access::Write);
        }
        let (base, index_witness, setup) = match plain_integer(&e.index) {
            // A literal is the same index in every type; it is printed as an `i32`.
            Some(text) => {
                let Lowered { witness, emit } = self.place(&e.expr, access);
                let i32_ = quote!(::warpsmith::ir::Type::Scalar(::warpsmith::ir::Scalar::I32));
                let setup = quote!(let __o0 = #emit; let __o1 = __r.literal(#text, #i32_););
                (witness, e.index.to_token_stream(), setup)
            }
            None => {
                let operands = self.operands_by(&[&*e.expr, &*e.index], First::Place(access), Self::expr);
                let Operands { mut witness, setup, .. } = operands;
                let index = witness.pop().unwrap_or_default();
                (witness.pop().unwrap_or_default(), index, setup)
            }
        };
        let line = self.line(e.index.span());
        let mut index = self.index_types.index(&e.index, &index_witness);
        let mut record = quote!(__r.index(__o0, __o1));
        if self.may_be_overloaded(&e.expr) {
            let own = self.own_name("__base", e.index.span());
            // A call stands once: a closure in it is of another type wherever it stands.
            let seen = if is_path(&e.expr) { base.clone() } else { quote!((*#own)) };
            let callee = self.index_callee(e, &seen, &mut index, access);
            record = quote!({ let __c = #callee; __r.index_operator(__c, __o0, __o1) });
            if !is_path(&e.expr) {
                let mutability = (access == Access::Write).then(|| quote!(mut));
                return Lowered {
                    witness: quote!((*{ let #own = & #mutability #base; & #mutability (*#own)[#index] })),
                    emit: quote!({ #setup #line #record }),
                };
            }
        }
        let mut shown = e.clone();
        shown.expr = Box::new(Expr::Verbatim(base));
        shown.index = Box::new(Expr::Verbatim(index));
        Lowered { witness: shown.into_token_stream(), emit: quote!({ #setup #line #record }) }
    }

    /// Returns whether what is indexed may be of a type that overloads it.
    pub(super) fn may_be_overloaded(&self, base: &Expr) -> bool {
        may_stand_twice(base) && !matches!(self.known_elements(base), Known::Elements(_))
    }

    /// The knowledge of an index's base from its tokens.
    pub(super) fn known_elements(&self, expr: &Expr) -> Known {
        match expr {
            Expr::Path(path) => path.path.get_ident().map_or(Known::Nothing, |name| self.known(name)),
            Expr::Index(e) if matches!(&*e.index, Expr::Range(_)) => self.known_elements(&e.expr),
            Expr::Index(e) => self.known_elements(&e.expr).element(),
            Expr::Paren(e) => self.known_elements(&e.expr),
            Expr::Unary(e) if matches!(e.op, UnOp::Deref(_)) => self.known_elements(&e.expr),
            _ => Known::Nothing,
        }
    }

    /// The emitter's question for the function of an index of `base`.
    fn index_callee(
        &mut self,
        e: &syn::ExprIndex,
        base: &TokenStream,
        index: &mut TokenStream,
        access: Access,
    ) -> TokenStream {
        let mut ask = |written| self.resolve_index(e, base, index, written);
        match access {
            Access::Read | Access::Write => {
                let number = ask(access == Access::Write);
                quote!(__t.callee(#number))
            }
            Access::Receiver => {
                let (read, written) = (ask(false), ask(true));
                quote!(if __written { __t.callee(#written) } else { __t.callee(#read) })
            }
        }
    }

    /// Makes the witness ask which function an index of `base` is; returns the number of its probe.
    fn resolve_index(
        &mut self,
        e: &syn::ExprIndex,
        base: &TokenStream,
        index: &mut TokenStream,
        written: bool,
    ) -> usize {
        let (probe, number) = self.fn_probe(e.index.span());
        let tag = if written { quote!(IndexMutOp) } else { quote!(IndexOp) };
        let name = Ident::new("__i", e.index.span());
        let see = see_operands(&probe, &tag, &quote!(&#base), &quote!(&#name));
        // The code behind `break` is type-checked, and borrows nothing.
        *index = quote!({ let #name = #index; loop { break #name; #see } });
        number
    }

    /// A reference to `base[a..b]`.
    fn part_of(&mut self, base: &Expr, range: &syn::ExprRange, mutable: bool) -> Lowered {
        if let Some(range) = range_index::value(range) {
            return self.part_by(base, range, mutable);
        }
        let mut exprs = vec![base];
        exprs.extend(range.start.as_deref());
        exprs.extend(range.end.as_deref());
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        let Operands { mut witness, setup, names } =
            self.operands_by(&exprs, First::Place(Access::of(mutable)), Self::expr);
        let line = self.line(range.span());
        let base_witness = witness.remove(0);
        let mut ends = witness.into_iter();
        let mut rest = names.iter().skip(1);
        let (b, start) = (&names[0], optional(range.start.as_ref().and_then(|_| rest.next())));
        let end = optional(range.end.as_ref().and_then(|_| rest.next()));
        let mut bound = |written: &Option<Box<Expr>>| {
            written.as_ref().and_then(|e| Some(self.index_types.tied(e, ends.next()?)))
        };
        let bounds = PartBounds { start: bound(&range.start), end: bound(&range.end), inclusive };
        Lowered {
            witness: slice_value(base.span(), &base_witness, bounds, mutable),
            emit: quote!({ #setup #line __r.sub_slice(#mutable, #b, #start, #end, #inclusive) }),
        }
    }
}

impl Lower<'_> {
    /// A reference to `base[range]`, where the range is a value.
    fn part_by(&mut self, base: &Expr, range: &Expr, mutable: bool) -> Lowered {
        let operands = self.operands_by(&[base, range], First::Place(Access::of(mutable)), Self::expr);
        let Operands { witness, setup, names } = operands;
        let (line, part) = (self.line(range.span()), self.index_types.range(range, &witness[1]));
        let (b, value) = (&names[0], &names[1]);
        Lowered {
            witness: part_value(base.span(), &witness[0], &part, mutable),
            emit: quote!({ #setup #line __r.sub_slice_by(#mutable, #b, #value) }),
        }
    }
}

/// Returns whether an expression is a place in Rust: a reference to it refers to memory that is there already.
pub fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::Index(_) | Expr::Field(_) => true,
        Expr::Unary(e) => matches!(e.op, UnOp::Deref(_)),
        Expr::Paren(e) => is_place(&e.expr),
        _ => false,
    }
}

/// The bounds of a part of a slice, as they are written.
pub struct PartBounds {
    pub start: Option<TokenStream>,
    pub end: Option<TokenStream>,
    pub inclusive: bool,
}

/// `&base[start..end]` as an index of descriptors, which borrows what Rust's own borrows and as long.
pub fn slice_value(span: Span, base: &TokenStream, bounds: PartBounds, mutable: bool) -> TokenStream {
    let (start, end) = bounds.of_twin();
    let at = span.resolved_at(Span::call_site());
    let part = quote_spanned!(at=> ::warpsmith::__macro::PartIndex::new(#start, #end));
    part_value(span, base, &part, mutable)
}

/// `&base[part]`
pub fn part_value(span: Span, base: &TokenStream, part: &TokenStream, mutable: bool) -> TokenStream {
    let mutability = mutable.then(|| syn::Token![mut](span));
    let inner = spanned_group(Group::new(Delimiter::Parenthesis, base.clone()), span);
    // A range that is out of bounds is a fault of the line that the index is at.
    let part = spanned_group(Group::new(Delimiter::Bracket, part.clone()), span);
    quote!((& #mutability #inner #part))
}

/// `&mut base[start..end]` by a method, which borrows a variable only once the bounds are known: they may name it.
pub fn slice_method(span: Span, base: &TokenStream, bounds: PartBounds) -> TokenStream {
    let (start, end) = bounds.of_twin();
    // A range that is out of bounds is a fault of the line that the call is at.
    let call = Ident::new("__sub_slice_mut", span);
    let call = quote_spanned!(span=> #call(#start, #end));
    let span = span.resolved_at(Span::call_site());
    quote_spanned!(span=> { use ::warpsmith::__macro::SliceableMut as _; (#base).#call })
}

impl PartBounds {
    /// The twin's types: the first, and an option of the one behind the last.
    fn of_twin(self) -> (TokenStream, TokenStream) {
        let start = match self.start {
            Some(start) => quote!(::warpsmith::__macro::IndexInteger::to_index(#start)),
            None => quote!(0),
        };
        let index = if self.inclusive { quote!(index_behind) } else { quote!(to_index) };
        let end = self.end.map(|end| quote!(::warpsmith::__macro::IndexInteger::#index(#end)));
        (start, optional(end))
    }
}

/// Returns whether an expression may stand twice in a witness: a name, fields and elements of one, or what a call gives.
fn may_stand_twice(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::MethodCall(_) | Expr::Call(_) => true,
        Expr::Field(e) => may_stand_twice(&e.base),
        Expr::Index(e) => !matches!(&*e.index, Expr::Range(_)) && may_stand_twice(&e.expr),
        Expr::Paren(e) => may_stand_twice(&e.expr),
        Expr::Unary(e) => matches!(e.op, UnOp::Deref(_)) && is_path(&e.expr),
        _ => false,
    }
}

/// Returns whether an expression is a name or fields of one.
fn is_path(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) => true,
        Expr::Field(e) => is_path(&e.base),
        Expr::Paren(e) => is_path(&e.expr),
        Expr::Unary(e) => matches!(e.op, UnOp::Deref(_)) && is_path(&e.expr),
        _ => false,
    }
}
