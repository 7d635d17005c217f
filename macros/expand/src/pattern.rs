//! Lowering of patterns: conditions on a value, and names for its parts.
//!
//! An identifier of the emitter holds the matched value. Each part that a pattern looks at gets an identifier of its own,
//! so every call of the recorder stands alone.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Expr, Member, Pat, RangeLimits};

use super::lower::{Lower, Name, held};
use super::spelled::{is_constant, is_variant, of_bytes};
use crate::tokens::optional;
use crate::visitor::{Below, BelowMut, Visit, VisitMut};
use syn::{visit, visit_mut};

/// How the names of a pattern are bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Binds {
    /// `match` and its relatives: to parts of what cannot change.
    Parts,
    /// `for` and closures of iterators: to what an iterator gives.
    Items,
    /// `let`: to variables of their own.
    Variables,
    /// `let … else`: to variables of their own, once the tests hold.
    TestedVariables,
}

impl Binds {
    /// Returns whether a pattern may fail to match, and thus name a constant.
    fn may_fail(self) -> bool {
        matches!(self, Self::Parts | Self::TestedVariables)
    }

    /// The call that binds a name to the part that `__v` holds.
    pub fn name(self, text: &str, mutable: bool) -> TokenStream {
        match self {
            Self::Items => quote!(__r.bind_item(#text, #mutable, __v)),
            binds => {
                let own = binds != Self::Parts;
                quote!(__r.bind_name(#text, #mutable, #own, __v))
            }
        }
    }
}

/// The result of lowering a pattern.
#[derive(Default)]
pub struct Tested {
    /// Statements of the emitter before the condition.
    pub setup: TokenStream,
    /// The condition, an expression of the emitter.
    pub cond: TokenStream,
    /// Statements that bind the names, once the condition holds.
    pub bindings: TokenStream,
    /// Statements of the witness after the pattern. A struct's pattern says what its names are, whatever it is
    /// matched with, and so has them held.
    pub held: TokenStream,
}

impl Lower<'_> {
    /// Lowers a pattern over what `of` holds.
    pub fn pattern(&mut self, pat: &Pat, of: &Ident, binds: Binds) -> Tested {
        let mut tested = Tested::default();
        tested.cond = self.test(pat, of, binds, &mut tested.setup, &mut tested.bindings);
        if self.guarded {
            for name in names_of(pat) {
                let held = self.hold(name);
                tested.held.extend(quote!(let #name = #held;));
            }
        }
        tested
    }

    pub(super) fn test(
        &mut self,
        pat: &Pat,
        of: &Ident,
        binds: Binds,
        setup: &mut TokenStream,
        bindings: &mut TokenStream,
    ) -> TokenStream {
        match pat {
            Pat::Wild(_) | Pat::Rest(_) => quote!(__r.bool_(true)),
            Pat::Paren(inner) => self.test(&inner.pat, of, binds, setup, bindings),
            Pat::Type(typed) => self.test(&typed.pat, of, binds, setup, bindings),
            Pat::Lit(lit) if matches!(lit.lit, syn::Lit::ByteStr(_)) => match of_bytes(lit) {
                Some(bytes) => self.elements(&bytes, of, binds, setup, bindings),
                None => quote!(__r.bool_(true)),
            },
            Pat::Lit(lit) => {
                let value = self.pattern_value(&Expr::Lit(lit.clone()), of);
                compare(&quote!(Eq), of, &value)
            }
            Pat::Ident(name) if binds.may_fail() && names_item(name) => {
                self.named(&name.ident, &name.ident.to_token_stream(), of)
            }
            Pat::Path(path) => match path.path.segments.last() {
                Some(last) => self.named(&last.ident, &path.to_token_stream(), of),
                None => quote!(__r.bool_(true)),
            },
            Pat::Ident(name) => self.bind_name(name, of, binds, setup, bindings),
            Pat::Or(or) => self.or_pattern(or, of, binds, setup, bindings),
            Pat::Range(range) => self.range_pattern(range, of),
            Pat::Reference(reference) => {
                let inner = self.part_ident();
                match &*reference.pat {
                    // The value gets the name itself.
                    Pat::Ident(name)
                        if name.subpat.is_none()
                            && name.by_ref.is_none()
                            && !(binds.may_fail() && names_item(name)) =>
                    {
                        let (ident, text) = (held(&name.ident), name.ident.to_string());
                        let mutable = name.mutability.is_some();
                        self.bind(&name.ident, Name::Local);
                        bindings.extend(quote!(let #ident = { let __v = #of.clone(); __r.let_copy(#text, #mutable, __v) };));
                        quote!(__r.bool_(true))
                    }
                    other => {
                        // Read by the tests, and copied by the names once these have held.
                        setup.extend(quote!(let #inner = { let __v = #of.clone(); __r.deref(__v) };));
                        self.test(other, &inner, binds, setup, bindings)
                    }
                }
            }
            Pat::Tuple(tuple) => {
                let parts: Vec<&Pat> = tuple.elems.iter().collect();
                self.positions(&parts, None, of, binds, setup, bindings)
            }
            Pat::TupleStruct(tuple) => {
                let parts: Vec<&Pat> = tuple.elems.iter().collect();
                let name = tuple.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
                self.positions(&parts, Some(&name), of, binds, setup, bindings)
            }
            Pat::Struct(fields) => self.fields(fields, of, binds, setup, bindings),
            Pat::Slice(slice) => self.elements(slice, of, binds, setup, bindings),
            other => {
                self.errors.at(other, "this pattern is not supported in a kernel; use literals, ranges, `|`, tuples, structs, enums, names and `_`");
                quote!(__r.bool_(true))
            }
        }
    }

    /// A fresh identifier of the emitter for a part.
    pub fn part_ident(&mut self) -> Ident {
        self.parts += 1;
        format_ident!("__p{}", self.parts)
    }

    /// A path: a variant without fields, or a constant. A name in camel case may be one of `Option<T>`, whose
    /// type the emitter cannot infer; the recorder refuses it if the type that is matched has no such variant.
    fn named(&mut self, name: &Ident, path: &TokenStream, of: &Ident) -> TokenStream {
        let text = name.to_string();
        if is_variant(&text) {
            return quote!({ let __x = #of.clone(); __r.is_unit_variant(__x, #text) });
        }
        let name = optional(Some(text));
        quote!({
            let __x = #of.clone();
            let __k = __r.constant(&#path, #name);
            __r.is_constant(__x, __k)
        })
    }

    /// `(a, b)`, `Name(a, b)`
    fn positions(
        &mut self,
        parts: &[&Pat],
        variant: Option<&str>,
        of: &Ident,
        binds: Binds,
        setup: &mut TokenStream,
        bindings: &mut TokenStream,
    ) -> TokenStream {
        let mut tests = variant_test(variant, of);
        let rest = parts.iter().position(|part| matches!(part, Pat::Rest(_)));
        for (i, part) in parts.iter().enumerate() {
            if matches!(part, Pat::Rest(_) | Pat::Wild(_)) {
                continue;
            }
            let field = i.to_string();
            let record = match rest.is_some_and(|rest| i > rest) {
                true => {
                    let (back, variant) = (parts.len() - i, optional(variant));
                    quote!(__r.part_from_end(__x, #variant, #back))
                }
                false => part_record(variant, &field),
            };
            tests.push(self.part(part, &record, of, binds, setup, bindings));
        }
        all(&tests)
    }

    /// `Name { a, b: pattern, .. }`
    fn fields(
        &mut self,
        pat: &syn::PatStruct,
        of: &Ident,
        binds: Binds,
        setup: &mut TokenStream,
        bindings: &mut TokenStream,
    ) -> TokenStream {
        let name = pat.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let mut tests = variant_test(Some(&name), of);
        for field in &pat.fields {
            let member = match &field.member {
                Member::Named(ident) => ident.to_string(),
                Member::Unnamed(index) => index.index.to_string(),
            };
            if !matches!(&*field.pat, Pat::Wild(_)) {
                let record = part_record(Some(&name), &member);
                tests.push(self.part(&field.pat, &record, of, binds, setup, bindings));
            }
        }
        all(&tests)
    }

    /// A pattern over the part that `record` takes out of `__x`.
    fn part(
        &mut self,
        pat: &Pat,
        record: &TokenStream,
        of: &Ident,
        binds: Binds,
        setup: &mut TokenStream,
        bindings: &mut TokenStream,
    ) -> TokenStream {
        let part = self.part_ident();
        setup.extend(quote!(let #part = { let __x = #of.clone(); #record };));
        self.test(pat, &part, binds, setup, bindings)
    }

    /// `[a, b, c]`
    fn elements(
        &mut self,
        slice: &syn::PatSlice,
        of: &Ident,
        binds: Binds,
        setup: &mut TokenStream,
        bindings: &mut TokenStream,
    ) -> TokenStream {
        let rest = slice.elems.iter().position(|elem| matches!(elem, Pat::Rest(_)) || is_named_rest(elem));
        let mut tests = Vec::new();
        for (i, elem) in slice.elems.iter().enumerate() {
            let back = slice.elems.len() - i;
            let element = match rest {
                Some(rest) if i > rest => quote!(__r.element_part_from_end(__x, #back)),
                Some(rest) if i == rest => {
                    let behind = back - 1;
                    quote!(__r.rest_part(__x, #i, #behind))
                }
                _ => {
                    let index = i.to_string();
                    quote!(__r.element_part(__x, #index))
                }
            };
            if matches!(elem, Pat::Rest(_)) {
                continue;
            }
            let part = self.part_ident();
            setup.extend(quote!(let #part = { let __x = #of.clone(); #element };));
            tests.push(self.test(elem, &part, binds, setup, bindings));
        }
        all(&tests)
    }

    fn bind_name(
        &mut self,
        name: &syn::PatIdent,
        of: &Ident,
        binds: Binds,
        setup: &mut TokenStream,
        bindings: &mut TokenStream,
    ) -> TokenStream {
        let test = match &name.subpat {
            Some((_, inner)) => self.test(inner, of, binds, setup, bindings),
            None => quote!(__r.bool_(true)),
        };
        let (ident, text) = (held(&name.ident), name.ident.to_string());
        let mutable = name.mutability.is_some();
        self.bind(&name.ident, Name::Local);
        let bound = match name.by_ref {
            Some(_) => quote!(__r.bind_ref(#mutable, __v)),
            None => binds.name(&text, mutable),
        };
        bindings.extend(quote!(let #ident = { let __v = #of.clone(); #bound };));
        test
    }

    fn range_pattern(&mut self, range: &syn::PatRange, of: &Ident) -> TokenStream {
        let mut parts = Vec::new();
        if let Some(start) = &range.start {
            let value = self.pattern_value(start, of);
            parts.push(compare(&quote!(Ge), of, &value));
        }
        if let Some(end) = &range.end {
            let value = self.pattern_value(end, of);
            let op = match range.limits {
                RangeLimits::HalfOpen(_) => quote!(Lt),
                RangeLimits::Closed(_) => quote!(Le),
            };
            parts.push(compare(&op, of, &value));
        }
        all(&parts)
    }

    /// A literal or constant in a pattern, of the type of what is matched.
    fn pattern_value(&mut self, value: &Expr, of: &Ident) -> TokenStream {
        let (negative, inner) = match value {
            Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => (true, &**expr),
            other => (false, other),
        };
        let literal = |text: String| {
            let text = if negative { format!("-{text}") } else { text };
            quote!({ let __x = #of.clone(); __r.pattern_literal(#text, &__x) })
        };
        match inner {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(b), .. }) => {
                quote!({ let __k = __r.bool_(#b); __k })
            }
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => {
                let text = int.to_string();
                literal(text.strip_suffix(int.suffix()).unwrap_or(&text).to_owned())
            }
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Byte(byte), .. }) => literal(byte.value().to_string()),
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(float), .. }) => {
                literal(float.base10_digits().to_owned())
            }
            Expr::Path(path) => quote!({ let __k = __r.constant(&#path, ::core::option::Option::None); __k }),
            other => {
                self.errors.at(
                    other,
                    "only numbers, `bool`s, constants and enum variants can be matched in a kernel",
                );
                quote!(::warpsmith::ir::Expr::unit())
            }
        }
    }
}

/// Returns whether a pattern is `name @ ..`.
fn is_named_rest(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(name) => name.subpat.as_ref().is_some_and(|(_, inner)| matches!(**inner, Pat::Rest(_))),
        _ => false,
    }
}

/// A pattern for the witness: a name `n` that binds is `n @ _`. If the name is that of an imported constant or variant,
/// rustc reports it; the emitter would take it for a name.
pub fn binding_names(pat: &Pat) -> Pat {
    struct Names;
    impl VisitMut for Names {
        fn this(&mut self) -> &mut dyn VisitMut {
            self
        }

        fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
            visit_mut::visit_pat_ident_mut(&mut BelowMut(self), pat);
            let plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
            if plain && !is_constant(&pat.ident.to_string()) {
                let wild = syn::PatWild { attrs: vec![], underscore_token: Default::default() };
                pat.subpat = Some((Default::default(), Box::new(Pat::Wild(wild))));
            }
        }
        fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
            // `S { a }` binds whatever `a` is.
            if field.colon_token.is_some() {
                visit_mut::visit_field_pat_mut(&mut BelowMut(self), field);
            }
        }
    }
    let mut pat = pat.clone();
    Names.visit_pat_mut(&mut pat);
    pat
}

/// The pattern of a `let` without a value for the witness, which gives it one: its names are assigned later.
pub fn assigned_later(pat: &Pat) -> Pat {
    struct Assigned;
    impl VisitMut for Assigned {
        fn this(&mut self) -> &mut dyn VisitMut {
            self
        }

        fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
            pat.mutability.get_or_insert_default();
        }
    }
    let mut pat = pat.clone();
    Assigned.visit_pat_mut(&mut pat);
    pat
}

/// The names that a pattern binds, each once.
pub fn names_of(pat: &Pat) -> Vec<&Ident> {
    #[derive(Default)]
    struct Names<'p>(Vec<&'p Ident>);
    impl<'p> Visit<'p> for Names<'p> {
        fn this(&mut self) -> &mut dyn Visit<'p> {
            self
        }

        fn visit_pat_ident(&mut self, pat: &'p syn::PatIdent) {
            if !names_item(pat) && !self.0.contains(&&pat.ident) {
                self.0.push(&pat.ident);
            }
            visit::visit_pat_ident(&mut Below(self), pat);
        }
    }
    let mut names = Names::default();
    names.visit_pat(pat);
    names.0
}

/// Returns whether a pattern takes a part by `ref`, and whether one by `ref mut`.
pub fn binds_by_ref(pat: &Pat) -> Option<bool> {
    struct Search(Option<bool>);
    impl<'a> Visit<'a> for Search {
        fn this(&mut self) -> &mut dyn Visit<'a> {
            self
        }

        fn visit_pat_ident(&mut self, pat: &'a syn::PatIdent) {
            if pat.by_ref.is_some() {
                self.0 = Some(pat.mutability.is_some() || self.0 == Some(true));
            }
            visit::visit_pat_ident(&mut Below(self), pat);
        }
    }
    let mut search = Search(None);
    search.visit_pat(pat);
    search.0
}

/// The call that takes a field out of `__x`.
fn part_record(variant: Option<&str>, field: &str) -> TokenStream {
    let variant = optional(variant);
    quote!(__r.part(__x, #variant, #field))
}

fn variant_test(variant: Option<&str>, of: &Ident) -> Vec<TokenStream> {
    variant.map(|name| quote!({ let __x = #of.clone(); __r.is_variant(__x, #name) })).into_iter().collect()
}

/// The emitter of all of some tests.
fn all(tests: &[TokenStream]) -> TokenStream {
    quote!({
        let __all = ::warpsmith::__macro::list([#({ #tests }),*]);
        __r.all(__all)
    })
}

/// The emitter of one comparison; both operands stand before the call that borrows the recorder.
fn compare(op: &TokenStream, of: &Ident, value: &TokenStream) -> TokenStream {
    quote!({ let __x = #of.clone(); let __k = #value; __r.test(::warpsmith::ir::BinaryOp::#op, __x, __k) })
}

/// Returns whether a name in a pattern that may fail is one of a constant or of a variant; rustc refuses the others.
///
/// In a pattern that cannot fail such a name has one value, and a variable that is bound to it is as good.
fn names_item(name: &syn::PatIdent) -> bool {
    let plain = name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none();
    plain && is_constant(&name.ident.to_string())
}
