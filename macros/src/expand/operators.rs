//! Lowering of operators, which device types may overload.
//!
//! The witness asks the types of the operands which function an operator is; where both operands
//! are certainly scalars it does not ask, which keeps expansions small.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Lit, UnOp};

use super::lower::{Known, Lower, Name, Two, spanning};

/// An operand as an operator and its probe take it.
struct Operand {
    /// Statements before both.
    setup: TokenStream,
    value: TokenStream,
    /// What the probe takes.
    seen: TokenStream,
}

impl Lower<'_> {
    pub(super) fn unary(&mut self, e: &syn::ExprUnary) -> Two {
        if let (UnOp::Neg(_), Expr::Lit(lit)) = (&e.op, &*e.expr)
            && !matches!(lit.lit, Lit::Bool(_))
        {
            return self.literal(&lit.lit, true);
        }
        let Two { witness, emit } = self.expr(&e.expr);
        let op = &e.op;
        let (variant, tag) = match op {
            UnOp::Neg(_) => (quote!(Neg), quote!(NegOp)),
            UnOp::Not(_) => (quote!(Not), quote!(NotOp)),
            UnOp::Deref(_) => {
                return Two {
                    witness: quote!(#op #witness),
                    emit: quote!({ let __a = #emit; __r.deref(__a) }),
                };
            }
            other => return self.refuse(other, "this operator is not supported in a kernel"),
        };
        if self.is_scalar(&e.expr) {
            return Two {
                witness: quote!(#op #witness),
                emit: quote!({ let __a = #emit; __r.unary(::warpsmith::ir::UnaryOp::#variant, __a) }),
            };
        }
        let (probe, index) = self.fn_probe(op.span());
        let Operand { setup, value, .. } = self.operand_twice(&e.expr, "__l", witness);
        let see = see_operand(&probe, &tag, &value);
        Two {
            witness: spanning(e, quote!(#setup #see), quote!(#op #value)),
            emit: quote!({ let __a = #emit; __r.unary_operator(__t.callee(#index), ::warpsmith::ir::UnaryOp::#variant, __a) }),
        }
    }

    pub(super) fn binary(&mut self, e: &syn::ExprBinary) -> Two {
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

    fn eager(&mut self, e: &syn::ExprBinary) -> Two {
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
            return Two {
                witness: quote!(#left #op #right),
                emit: quote!({ #setup #line __r.binary(::warpsmith::ir::BinaryOp::#variant, #a, #b) }),
            };
        };
        let (probe, index) = self.fn_probe(op.span());
        let Operand { setup: first, value: l, seen: ls } = self.operand_twice(&e.left, "__l", left);
        let Operand { setup: second, value: r, seen: rs } = self.operand_twice(&e.right, "__r", right);
        let see = see_operands(&probe, &tag, &quote!(&#ls), &quote!(&#rs));
        Two {
            witness: spanning(e, quote!(#first #second #see), quote!(#l #op #r)),
            emit: quote!({ #setup #line __r.operator(__t.callee(#index), ::warpsmith::ir::BinaryOp::#variant, #a, #b) }),
        }
    }

    /// An integer beside an operand has the type of the operand's scalars: it stands in the witness as
    /// it is, so that rustc says of it what it says of the twin's.
    fn with_integer(&mut self, e: &syn::ExprBinary, text: &str) -> Two {
        let Two { witness, emit } = self.expr(&e.left);
        let (op, right, variant, line) = (&e.op, &e.right, variant(&e.op), self.line(e.op.span()));
        if let Some(tag) = overload(op).filter(|_| !self.never_overloaded(op, &e.left, right)) {
            let (probe, index) = self.fn_probe(op.span());
            let Operand { setup, value, seen } = self.operand_twice(&e.left, "__l", witness);
            let see = see_operands(&probe, &tag, &quote!(&#seen), &quote!(&#right));
            return Two {
                witness: spanning(e, quote!(#setup #see), quote!(#value #op #right)),
                emit: quote!({
                    let __a = #emit;
                    let __b = __r.literal_for(__t.callee(#index), #text, &__a);
                    #line
                    __r.operator(__t.callee(#index), ::warpsmith::ir::BinaryOp::#variant, __a, __b)
                }),
            };
        }
        Two {
            witness: quote!(#witness #op #right),
            emit: quote!({
                let __a = #emit;
                let __b = __r.literal_like(#text, &__a);
                #line
                __r.binary(::warpsmith::ir::BinaryOp::#variant, __a, __b)
            }),
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

    /// An operand that stands twice in the witness, by `name` unless it is a variable or a part of one.
    fn operand_twice(&self, operand: &Expr, name: &str, witness: TokenStream) -> Operand {
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

    /// What tokens tell of a value.
    pub(super) fn known_value(&self, expr: &Expr) -> Known {
        match expr {
            _ if self.is_scalar(expr) => Known::Number,
            _ => self.known_range(expr),
        }
    }

    /// Whether an expression is a scalar whatever the types around it are.
    pub(super) fn is_scalar(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.known(name) == Known::Number),
            Expr::Lit(_) | Expr::Cast(_) => true,
            Expr::Paren(e) => self.is_scalar(&e.expr),
            Expr::Group(e) => self.is_scalar(&e.expr),
            Expr::Unary(e) => !matches!(e.op, UnOp::Deref(_)) && self.is_scalar(&e.expr),
            Expr::Binary(e) if is_comparison(&e.op) => true,
            Expr::Binary(e) => self.is_scalar(&e.left) && self.is_scalar(&e.right),
            Expr::MethodCall(e) => e.method == "len" && e.args.is_empty(),
            // `thread_idx().x`
            Expr::Field(e) => matches!(&*e.base, Expr::Call(call) if call.args.is_empty()),
            // Should one of the user's own have such a name, its operators are refused.
            Expr::Call(e) if e.args.is_empty() => {
                matches!(&*e.func, Expr::Path(path) if INDICES.iter().any(|name| path.path.is_ident(name)))
            }
            _ => false,
        }
    }

    /// Whether no device type can overload this use of an operator.
    fn never_overloaded(&self, op: &BinOp, left: &Expr, right: &Expr) -> bool {
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

    /// The value and the place of an assignment, in Rust's order; an index in the place is one of `IndexMut`.
    pub(super) fn assignment(
        &mut self,
        value: &Expr,
        place: &Expr,
    ) -> ([TokenStream; 2], TokenStream, [Ident; 2]) {
        self.written_place = Some(place.span());
        let operands = self.operands([value, place]);
        self.written_place = None;
        operands
    }

    fn assign_op(&mut self, e: &syn::ExprBinary, variant: &TokenStream) -> Two {
        let ([value, place], setup, [v, p]) = self.assignment(&e.right, &e.left);
        let (op, line) = (&e.op, self.line(e.op.span()));
        let literal = matches!(&*e.right, Expr::Lit(lit) if !matches!(lit.lit, Lit::Float(_)));
        if literal && self.is_scalar(&e.left) {
            return Two {
                witness: quote!(#place #op #value),
                emit: quote!({ #setup #line __r.assign_op(::warpsmith::ir::BinaryOp::#variant, #p, #v) }),
            };
        }
        let tag = format_ident!("{}AssignOp", variant.to_string());
        let (probe, index) = self.fn_probe(op.span());
        let Operand { setup: first, value: r, seen } = self.operand_twice(&e.right, "__r", value);
        let see = see_operands(&probe, &quote!(#tag), &quote!(&#place), &quote!(&#seen));
        Two {
            witness: quote!(({ #first #see #place #op #r })),
            emit: quote!({ #setup #line __r.assign_operator(__t.callee(#index), ::warpsmith::ir::BinaryOp::#variant, #p, #v) }),
        }
    }

    /// `base[index]`
    pub(super) fn index(&mut self, e: &syn::ExprIndex) -> Two {
        if let Expr::Range(range) = &*e.index {
            return self.part_of(&e.expr, range, self.mutable_place);
        }
        let written = self.written_place.is_some_and(|span| same_span(span, e.span())) || self.mutable_place;
        if written {
            self.written_place = Some(e.expr.span());
        }
        if let Some(text) = plain_integer(&e.index) {
            return self.index_by_literal(e, &text, written);
        }
        let (witness, setup, names) =
            self.operands_by(&[&*e.expr, &*e.index], &quote!(keep_place), Self::expr);
        let [base, index] = [witness[0].clone(), witness[1].clone()];
        let [b, i] = [names[0].clone(), names[1].clone()];
        let line = self.line(e.index.span());
        let mut index = to_index(&e.index, &index);
        let mut emit = quote!({ #setup #line __r.index(#b, #i) });
        if may_be_overloaded(&e.expr) {
            let number = self.resolve_index(e, &base, &mut index, written);
            emit = quote!({ #setup #line __r.index_operator(__t.callee(#number), #b, #i) });
        }
        let mut shown = e.clone();
        shown.expr = Box::new(Expr::Verbatim(base));
        shown.index = Box::new(Expr::Verbatim(index));
        Two { witness: shown.into_token_stream(), emit }
    }

    /// `base[3]`, whose index is an `i32`: nothing else says its type.
    fn index_by_literal(&mut self, e: &syn::ExprIndex, text: &str, written: bool) -> Two {
        let Two { witness: base, emit } = self.expr(&e.expr);
        let line = self.line(e.index.span());
        let mut index = to_index(&e.index, &e.index.to_token_stream());
        let mut record = quote!(__r.index(__a, __i));
        if may_be_overloaded(&e.expr) {
            let number = self.resolve_index(e, &base, &mut index, written);
            record = quote!(__r.index_operator(__t.callee(#number), __a, __i));
        }
        let mut shown = e.clone();
        shown.expr = Box::new(Expr::Verbatim(base));
        shown.index = Box::new(Expr::Verbatim(index));
        Two {
            witness: shown.into_token_stream(),
            emit: quote!({
                let __a = #emit;
                let __i = __r.literal(#text, ::warpsmith::ir::Type::Scalar(::warpsmith::ir::Scalar::I32));
                #line
                #record
            }),
        }
    }

    /// Has the witness ask which function an index of `base` is; the number of its probe.
    fn resolve_index(
        &mut self,
        e: &syn::ExprIndex,
        base: &TokenStream,
        index: &mut TokenStream,
        written: bool,
    ) -> usize {
        let (probe, number) = self.fn_probe(e.index.span());
        let tag = if written { quote!(IndexMutOp) } else { quote!(IndexOp) };
        let name = spanned_ident("__i", e.index.span());
        let see = see_operands(&probe, &tag, &quote!(&#base), &quote!(&#name));
        // What stands behind `break` is type-checked, and borrows nothing.
        *index = quote!({ let #name = #index; loop { break #name; #see } });
        number
    }

    /// `&base[a..b]`, `&mut base[a..b]`
    pub(super) fn sub_slice(&mut self, e: &syn::ExprReference, base: &Expr, range: &syn::ExprRange) -> Two {
        self.part_of(base, range, e.mutability.is_some())
    }

    /// A reference to `base[a..b]`.
    pub(super) fn part_of(&mut self, base: &Expr, range: &syn::ExprRange, mutable: bool) -> Two {
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        // The inner of `x[a..][..n]` borrows as the outer.
        let outer = std::mem::replace(&mut self.mutable_place, mutable && is_part(base));
        let part = self.part_with(base, range, (inclusive, mutable));
        self.mutable_place = outer;
        part
    }

    fn part_with(&mut self, base: &Expr, range: &syn::ExprRange, (inclusive, mutable): (bool, bool)) -> Two {
        let mut exprs = vec![base];
        exprs.extend(range.start.as_deref());
        exprs.extend(range.end.as_deref());
        let (mut witness, setup, names) = self.operand_list(&exprs);
        let line = self.line(range.span());
        let base_witness = witness.remove(0);
        let mut ends = witness.into_iter();
        let mut rest = names.iter().skip(1);
        let option = |name: Option<&Ident>| match name {
            Some(name) => quote!(::core::option::Option::Some(#name)),
            None => quote!(::core::option::Option::None),
        };
        let (b, start) = (&names[0], option(range.start.as_ref().and_then(|_| rest.next())));
        let end = option(range.end.as_ref().and_then(|_| rest.next()));
        let start_witness = range.start.as_ref().and_then(|_| ends.next());
        let end_witness = range.end.as_ref().and_then(|_| ends.next());
        Two {
            witness: slice_value(
                base.span(),
                &base_witness,
                start_witness,
                end_witness,
                (inclusive, mutable),
            ),
            emit: quote!({ #setup #line __r.sub_slice(#mutable, #b, #start, #end, #inclusive) }),
        }
    }
}

/// Whether an expression is `x[a..b]`.
pub fn is_part(expr: &Expr) -> bool {
    matches!(expr, Expr::Index(index) if matches!(&*index.index, Expr::Range(_)))
}

/// Whether a method of slices takes its receiver to be written, by its name.
pub fn writes_receiver(method: &Ident) -> bool {
    let name = method.to_string();
    name.ends_with("_mut") || ["fill", "swap", "copy_from_slice", "as_mut_ptr"].contains(&name.as_str())
}

/// The twin of `base[start..end]`: a descriptor of the part, by a method so that references are looked through.
pub fn slice_value(
    span: Span,
    base: &TokenStream,
    start: Option<TokenStream>,
    end: Option<TokenStream>,
    (inclusive, mutable): (bool, bool),
) -> TokenStream {
    let start = match start {
        Some(start) => quote!(::warpsmith::__macro::to_index(#start)),
        None => quote!(0),
    };
    let end = match end {
        Some(end) if inclusive => {
            quote!(::core::option::Option::Some(::warpsmith::__macro::to_index(#end) + 1))
        }
        Some(end) => quote!(::core::option::Option::Some(::warpsmith::__macro::to_index(#end))),
        None => quote!(::core::option::Option::None),
    };
    // A range that is out of bounds is a fault of the line that the call is at.
    let call = Ident::new(if mutable { "__sub_slice_mut" } else { "__sub_slice" }, span);
    let call = quote_spanned!(span=> #call(#start, #end));
    // An error about the part stands where it is written.
    let span = span.resolved_at(Span::call_site());
    let name = format_ident!("{}", if mutable { "SliceableMut" } else { "Sliceable" });
    quote_spanned!(span=> { use ::warpsmith::__macro::#name as _; (#base).#call })
}

/// An index of any integer type, or a tuple of them.
pub fn to_index(index: &Expr, tokens: &TokenStream) -> TokenStream {
    let span = index.span().resolved_at(Span::call_site());
    match index {
        Expr::Tuple(tuple) if tuple.elems.len() == 2 => {
            quote_spanned!(span=> ::warpsmith::__macro::to_index2(#tokens))
        }
        Expr::Tuple(tuple) if tuple.elems.len() == 3 => {
            quote_spanned!(span=> ::warpsmith::__macro::to_index3(#tokens))
        }
        _ if plain_integer(index).is_some() => {
            quote_spanned!(span=> ::warpsmith::__macro::to_index::<i32>(#tokens))
        }
        _ => quote_spanned!(span=> ::warpsmith::__macro::to_index(#tokens)),
    }
}

fn same_span(a: Span, b: Span) -> bool {
    let place = |span: Span| {
        let span = span.unwrap();
        (span.line(), span.column())
    };
    place(a) == place(b)
}

fn spanned_ident(name: &str, span: Span) -> Ident {
    Ident::new(name, span)
}

fn see_operands(probe: &Ident, tag: &TokenStream, left: &TokenStream, right: &TokenStream) -> TokenStream {
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

/// Whether what is indexed may be of a type that overloads it: a name, fields of one, or what a call gives,
/// which may stand twice in a witness. Elements of elements are not asked, which keeps expansions small.
fn may_be_overloaded(expr: &Expr) -> bool {
    is_path(expr) || matches!(expr, Expr::MethodCall(_) | Expr::Call(_))
}

/// Whether an expression is a name or fields of one.
fn is_path(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) => true,
        Expr::Field(e) => is_path(&e.base),
        Expr::Paren(e) => is_path(&e.expr),
        Expr::Unary(e) => matches!(e.op, UnOp::Deref(_)) && is_path(&e.expr),
        _ => false,
    }
}

/// Builtins that give a number.
const INDICES: [&str; 8] = [
    "global_id",
    "global_size",
    "thread_rank",
    "block_size",
    "lane_id",
    "warp_id",
    "block_rank",
    "grid_size",
];

/// Whether an operator gives a `bool` whatever its operands are.
fn is_comparison(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Eq(_)
            | BinOp::Ne(_)
            | BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_)
            | BinOp::And(_)
            | BinOp::Or(_)
    )
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
pub(super) fn compound(op: &BinOp) -> Option<TokenStream> {
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
