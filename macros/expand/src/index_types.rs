//! Integers that are used as indices: where nothing else determines the type of one, it is `usize`, as in Rust.
//!
//! In kernels any integer type is an index, so rustc would fall back to `i32`. Each index therefore has a stand-in of its
//! type. After the body, each stand-in whose type is still open chooses `usize`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Member};

use super::operators::plain_integer;
use super::part_method::takes_range;

/// Methods of Rust's slices whose arguments index or count elements.
const METHODS: [&str; 14] = [
    "__get_part",
    "__get_part_mut",
    "__get_rest",
    "__get_rest_mut",
    "chunks",
    "chunks_exact",
    "chunks_exact_mut",
    "chunks_mut",
    "get",
    "get_mut",
    "split_at",
    "split_at_mut",
    "swap",
    "windows",
];

/// The stand-ins of a body.
pub struct IndexTypes {
    /// The site at which their names resolve.
    site: Span,
    count: usize,
}

impl IndexTypes {
    /// None so far; `site` is a token of the body.
    pub fn new(site: Span) -> Self {
        Self { site, count: 0 }
    }

    /// An index of any integer type, or a tuple of them, as a `usize` or a tuple of those.
    pub fn index(&mut self, index: &Expr, tokens: &TokenStream) -> TokenStream {
        let span = index.span().resolved_at(Span::call_site());
        match index {
            Expr::Tuple(tuple) if matches!(tuple.elems.len(), 2 | 3) => {
                let convert = format_ident!("to_index{}", tuple.elems.len(), span = span);
                let names: Vec<Ident> = tuple.elems.iter().map(|_| self.declare(span)).collect();
                quote_spanned!(span=> ::warpsmith::__macro::#convert(#(&#names,)* #tokens))
            }
            Expr::Lit(_) if plain_integer(index).is_some() => {
                quote_spanned!(span=> <i32 as ::warpsmith::__macro::IndexInteger>::to_index(#tokens))
            }
            _ => {
                let tied = self.tied(index, tokens.clone());
                quote_spanned!(span=> ::warpsmith::__macro::IndexInteger::to_index(#tied))
            }
        }
    }

    /// The value of an index or a bound, its type tied to a stand-in, unless its tokens tell the type.
    pub fn tied(&mut self, index: &Expr, tokens: TokenStream) -> TokenStream {
        if plain_integer(index).is_some() || tells_type(index) {
            return tokens;
        }
        // So that rustc blames the index.
        let span = index.span();
        let mut variables = Vec::new();
        if matches!(index, Expr::Binary(_)) && is_arithmetic(index, &mut variables) {
            // The type of the result follows from theirs.
            let names: Vec<Ident> = variables.iter().map(|_| self.declare(span)).collect();
            return quote_spanned!(span=> { #(::warpsmith::__macro::tie(&#names, &#variables);)* #tokens });
        }
        let name = self.declare(span);
        quote_spanned!(span=> ::warpsmith::__macro::tied(&#name, #tokens))
    }

    /// A range that is a value as the part that it is, the type of its bounds tied to a stand-in.
    pub fn range(&mut self, range: &Expr, tokens: &TokenStream) -> TokenStream {
        let span = range.span();
        let name = self.declare(span);
        quote_spanned!(span=> ::warpsmith::__macro::PartIndex::of(&#name, #tokens))
    }

    /// A range, the type of its bounds tied to a stand-in.
    pub fn bounds(&mut self, range: &Expr, tokens: &TokenStream) -> TokenStream {
        let span = range.span();
        let name = self.declare(span);
        quote_spanned!(span=> ::warpsmith::__macro::tied_bounds(&#name, #tokens))
    }

    /// Ties the arguments of a call of a method that [`takes_indices`].
    pub fn arguments<'a>(
        &mut self,
        method: &Ident,
        args: impl IntoIterator<Item = &'a Expr>,
        tokens: &mut [TokenStream],
    ) {
        for (arg, tokens) in args.into_iter().zip(tokens) {
            *tokens = self.argument(method, arg, std::mem::take(tokens));
        }
    }

    /// The argument of a method that [`takes_indices`], its type tied to a stand-in.
    pub fn argument(&mut self, method: &Ident, argument: &Expr, tokens: TokenStream) -> TokenStream {
        if takes_range(method) { self.bounds(argument, &tokens) } else { self.tied(argument, tokens) }
    }

    /// Statements that declare the stand-ins. Those of a body that runs have values.
    pub fn declarations(&self, runs: bool) -> TokenStream {
        let value = runs.then(|| quote!(= ::warpsmith::__macro::IndexType::new()));
        self.names().map(|name| quote!(let #name #value;)).collect()
    }

    /// Statements after the body, by which types that are still open become `usize`.
    pub fn choose(&self) -> TokenStream {
        if self.count == 0 {
            return TokenStream::new();
        }
        let names = self.names();
        quote! {
            use ::warpsmith::__macro::{IndexOfAnyType as _, IndexOfUsize as _};
            #(#names.choose();)*
        }
    }

    /// A body that runs, with its stand-ins before it, and their choice where control never arrives.
    pub fn around(&self, body: &syn::Block) -> Option<TokenStream> {
        let (declarations, choose) = (self.declarations(true), self.choose());
        (self.count > 0).then(|| {
            quote!({
                #declarations
                if true #body else { #choose ::warpsmith::__macro::unreached() }
            })
        })
    }

    fn declare(&mut self, span: Span) -> Ident {
        self.count += 1;
        self.name(self.count - 1, span)
    }

    fn names(&self) -> impl Iterator<Item = Ident> {
        (0..self.count).map(|i| self.name(i, self.site))
    }

    fn name(&self, i: usize, span: Span) -> Ident {
        Ident::new(&format!("__n{i}"), span.resolved_at(self.site))
    }
}

/// Returns whether a method is one of Rust's slices that takes indices, by its name.
pub fn takes_indices(method: &Ident) -> bool {
    METHODS.iter().any(|name| method == name)
}

/// Returns whether an expression is made of variables, which it appends, and literals.
pub fn is_arithmetic<'e>(expr: &'e Expr, variables: &mut Vec<&'e Ident>) -> bool {
    match expr {
        Expr::Binary(e) if keeps_type(&e.op) => {
            is_arithmetic(&e.left, variables) && is_arithmetic(&e.right, variables)
        }
        Expr::Paren(e) => is_arithmetic(&e.expr, variables),
        Expr::Path(e) => {
            variables.extend(e.path.get_ident());
            e.path.get_ident().is_some()
        }
        _ => plain_integer(expr).is_some(),
    }
}

/// Returns whether an operator gives two integers' own type.
fn keeps_type(op: &BinOp) -> bool {
    matches!(op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_))
}

/// Returns whether the tokens of an integer show that its type is determined without the index.
fn tells_type(expr: &Expr) -> bool {
    match expr {
        Expr::Cast(_) => true,
        Expr::Lit(_) => plain_integer(expr).is_none(),
        Expr::Paren(e) => tells_type(&e.expr),
        Expr::MethodCall(e) => e.method == "len" && e.args.is_empty(),
        // A position of a thread, and its parts.
        Expr::Call(e) => e.args.is_empty(),
        Expr::Field(e) => matches!(&e.member, Member::Named(_)) && tells_type(&e.base),
        Expr::Binary(e) => keeps_type(&e.op) && (tells_type(&e.left) || tells_type(&e.right)),
        _ => false,
    }
}
