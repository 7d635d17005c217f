//! The twin: the user's body, with indices of any integer type and the kernel macros in Rust.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprIndex, Macro, Signature, Stmt, Token, Type, parse_quote, parse_quote_spanned};

use super::assign::compound;
use super::builtin_macros::{Arguments, SharedArray, leading_string};
use super::index_types::{IndexTypes, takes_indices};
use super::inner_function::InnerFunction;
use super::iteration::is_iterator;
use super::launch_chain::{LaunchChain, twin_method};
use super::loop_index::write_type;
use super::lower::any_ident;
use super::places::{PartBounds, part_value, slice_method, slice_value};
use super::range_index;
use super::spelled::writes_receiver;
use super::types::Slices;
use crate::visitor::{BelowMut, VisitMut};
use syn::visit_mut;

/// Rewrites a body into its twin.
pub fn twin(block: &Block, sig: Option<&Signature>) -> Block {
    let mut block = block.clone();
    let is_const = sig.is_some_and(|sig| sig.constness.is_some());
    let index_types = IndexTypes::new(block.brace_token.span.open());
    let mut twin = Twin { is_const, lends: false, launches: false, index_types };
    twin.visit_block_mut(&mut block);
    if twin.lends {
        let imports = super::lend::imports();
        block.stmts.insert(0, Stmt::Item(syn::Item::Verbatim(imports)));
    }
    // Slices of arrays are descriptors too; what is constant calls Rust's own methods.
    if !is_const && calls_method(block.to_token_stream()) {
        let methods = quote!(
            #[allow(unused_imports)]
            use ::warpsmith::__macro::{
                ArrayMethods as _, ArrayParts as _, GetPart as _, GetPartMut as _, SearchArrays as _,
                TextArrays as _,
            };
        );
        block.stmts.insert(0, Stmt::Item(syn::Item::Verbatim(methods)));
    }
    if let Some(around) = twin.index_types.around(&block) {
        block.stmts = vec![Stmt::Expr(Expr::Verbatim(around), None)];
    }
    block
}

/// Returns whether a body may call a method that arrays have in bodies.
fn calls_method(body: TokenStream) -> bool {
    const METHODS: [&str; 29] = [
        "__get_part",
        "__get_part_mut",
        "__get_rest",
        "__get_rest_mut",
        "split_at",
        "split_at_mut",
        "get",
        "get_mut",
        "copy_from_slice",
        "swap",
        "chunks",
        "chunks_mut",
        "chunks_exact",
        "chunks_exact_mut",
        "windows",
        "split_first",
        "split_first_mut",
        "split_last",
        "split_last_mut",
        "starts_with",
        "ends_with",
        "partition_point",
        "binary_search",
        "binary_search_by",
        "binary_search_by_key",
        "trim_ascii",
        "trim_ascii_start",
        "trim_ascii_end",
        "eq_ignore_ascii_case",
    ];
    any_ident(body, &|ident| METHODS.iter().any(|method| ident == method))
}

struct Twin {
    /// Whether the function is a `const fn`, which indexes by `usize` alone.
    is_const: bool,
    /// Whether a call lends what may be an array.
    lends: bool,
    /// Whether the next call is one of a kernel that is launched.
    launches: bool,
    /// The types of its indices.
    index_types: IndexTypes,
}

impl VisitMut for Twin {
    fn this(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        // A `const` block is Rust as it stands, as an item is.
        if let Expr::Const(_) = expr {
            return;
        }
        if let Expr::MethodCall(call) = expr
            && LaunchChain::of(call).is_some()
        {
            call.method = twin_method(&call.method);
            self.launches = true;
        }
        // `x[a..b].method()` borrows as the method asks.
        if let Expr::MethodCall(call) = expr
            && let Expr::Index(index) = &mut *call.receiver
            && let Expr::Range(_) = &*index.index
        {
            let mutable = writes_receiver(&call.method);
            visit_mut::visit_expr_mut(&mut BelowMut(self), &mut index.expr);
            visit_mut::visit_expr_mut(&mut BelowMut(self), &mut index.index);
            if let Expr::Range(range) = &*index.index {
                *call.receiver = self.part(&index.expr, range, mutable);
            }
        }
        if let Expr::ForLoop(e) = expr {
            write_type(e);
        }
        if let Some(place) = written(expr).filter(|place| !self.is_const && reads_itself(place) == 1) {
            self.index_last(place);
        }
        let launched = matches!(expr, Expr::Call(_)) && std::mem::take(&mut self.launches);
        visit_mut::visit_expr_mut(&mut BelowMut(self), expr);
        if let Expr::MethodCall(call) = expr
            && !self.is_const
            && takes_indices(&call.method)
        {
            for arg in &mut call.args {
                let tied = self.index_types.argument(&call.method, arg, arg.to_token_stream());
                *arg = Expr::Verbatim(tied);
            }
        }
        match expr {
            Expr::Call(call) => {
                if let Expr::Path(path) = &mut *call.func
                    && let Some(rounded) = rounded_once(&path.path)
                {
                    *call.func = rounded;
                }
                if !self.is_const && !launched && super::lend::lends(call) {
                    self.lend(&mut call.args);
                }
            }
            Expr::MethodCall(call) if !self.is_const && super::lend::method_lends(call) => {
                self.lend(&mut call.args);
            }
            Expr::MethodCall(call) if !self.is_const && call.method == "step_by" => {
                if let (true, Some(n)) = (is_iterator(&call.receiver), call.args.first_mut()) {
                    *n = parse_quote_spanned!(n.span()=> ::warpsmith::__macro::step(#n));
                }
            }
            Expr::Reference(reference) => {
                if let Expr::Index(index) = &*reference.expr
                    && let Expr::Range(range) = &*index.index
                {
                    *expr = self.part(&index.expr, range, reference.mutability.is_some());
                }
            }
            Expr::Index(index) if !self.is_const && !matches!(*index.index, Expr::Range(_)) => {
                let inner = &index.index;
                *index.index = Expr::Verbatim(self.index_types.index(inner, &inner.to_token_stream()));
            }
            Expr::ForLoop(syn::ExprForLoop { attrs, .. })
            | Expr::While(syn::ExprWhile { attrs, .. })
            | Expr::Loop(syn::ExprLoop { attrs, .. }) => attrs.retain(|a| !a.path().is_ident("unroll")),
            Expr::Macro(mac) => {
                if let Some(replaced) = self.replace(&mac.mac) {
                    *expr = replaced;
                }
            }
            _ => {}
        }
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(call) = stmt
            && let Some(function) = InnerFunction::of(&call.mac)
        {
            *stmt = Stmt::Item(syn::Item::Verbatim(function.twin));
            return;
        }
        visit_mut::visit_stmt_mut(&mut BelowMut(self), stmt);
        if let Stmt::Macro(mac) = stmt
            && let Some(replaced) = self.replace(&mac.mac)
        {
            *stmt = Stmt::Expr(replaced, Some(Default::default()));
        }
    }

    // A `const` is Rust as it stands: the emitter takes its value.
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        if let syn::Item::Macro(call) = item
            && let Some(function) = InnerFunction::of(&call.mac)
        {
            *item = syn::Item::Verbatim(function.twin);
        }
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        Slices.visit_type_mut(ty);
    }
}

/// `f16::from_f64` as a GPU rounds: the crate `half` rounds some doubles beside a tie as that tie.
fn rounded_once(path: &syn::Path) -> Option<Expr> {
    let mut of = path.clone();
    let (method, _) = (of.segments.pop()?, of.segments.pop_punct());
    let half = of.segments.last().is_some_and(|last| last.ident == "f16" || last.ident == "bf16");
    let span = method.ident.span();
    (half && method.ident == "from_f64")
        .then(|| parse_quote_spanned!(span=> <#of as ::warpsmith::__macro::Nearest>::nearest))
}

/// The place that an expression writes or borrows to be written.
fn written(expr: &mut Expr) -> Option<&mut Expr> {
    match expr {
        Expr::Assign(e) => Some(&mut e.left),
        Expr::Binary(e) if compound(&e.op).is_some() => Some(&mut e.left),
        Expr::Reference(e) if e.mutability.is_some() => Some(&mut e.expr),
        _ => None,
    }
}

/// The number of a place's indices that name the variable that it is in.
fn reads_itself(place: &Expr) -> usize {
    match place {
        Expr::Paren(e) => reads_itself(&e.expr),
        Expr::Field(e) => reads_itself(&e.base),
        Expr::Index(e) => {
            let own = root(&e.expr).is_some_and(|root| names(&e.index, root));
            reads_itself(&e.expr) + usize::from(own)
        }
        _ => 0,
    }
}

/// The variable that a place is in, if nothing is called on the way.
fn root(place: &Expr) -> Option<&Ident> {
    match place {
        Expr::Path(e) => e.path.get_ident(),
        Expr::Field(e) => root(&e.base),
        Expr::Index(e) => root(&e.expr),
        Expr::Paren(e) => root(&e.expr),
        Expr::Unary(e) => root(&e.expr),
        _ => None,
    }
}

/// Returns whether an index names a variable.
fn names(index: &impl ToTokens, name: &Ident) -> bool {
    any_ident(index.to_token_stream(), &|ident| ident == name)
}

/// Makes a message with values the text as it stands, and prints it with its values before: so does the text on a GPU.
fn told(name: &str, arguments: &mut Punctuated<Expr, Token![,]>) {
    let before = match name {
        "panic" | "unreachable" => 0,
        "assert" | "debug_assert" => 1,
        _ => 2,
    };
    let message: Vec<Expr> = arguments.iter().skip(before).cloned().collect();
    let [Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }), values @ ..] = message.as_slice() else {
        return;
    };
    if values.is_empty() && !super::format::names_values(text) {
        return;
    }
    let written = text.value();
    let told = match name.starts_with("debug_") {
        true => quote!(let _ = ::core::format_args!(#(#message),*);),
        false => quote!(::warpsmith::__macro::print(::std::format!(#(#message),*), true);),
    };
    while arguments.len() > before {
        arguments.pop();
    }
    arguments.push(parse_quote!("{}"));
    arguments.push(parse_quote!({ #told #written }));
}

impl Twin {
    /// Makes `x[x.len() - 1]` evaluate its index before it borrows `x`, as Rust does for its own slices.
    fn index_last(&mut self, place: &mut Expr) {
        match place {
            Expr::Paren(e) => self.index_last(&mut e.expr),
            Expr::Field(e) => self.index_last(&mut e.base),
            Expr::Index(e) if reads_itself(&e.expr) == 0 && !matches!(*e.index, Expr::Range(_)) => {
                let (base, index, own) = (&e.expr, &e.index, e.span());
                let index = self.index_types.index(index, &index.to_token_stream());
                // An index that is out of bounds is a fault of the line that the call is at.
                let call = quote_spanned!(own=> __at_mut(#index));
                let span = own.resolved_at(Span::call_site());
                *place =
                    parse_quote_spanned!(span=> (*{ use ::warpsmith::__macro::AtMut as _; (#base).#call }));
            }
            Expr::Index(e) => self.index_last(&mut e.expr),
            _ => {}
        }
    }

    /// A reference to a part of a slice; the inner of `x[a..][..n]` borrows as the outer.
    fn part(&mut self, base: &Expr, range: &syn::ExprRange, mutable: bool) -> Expr {
        if let Some(range) = range_index::value(range) {
            let part = self.index_types.range(range, &range.to_token_stream());
            return Expr::Verbatim(part_value(base.span(), &base.to_token_stream(), &part, mutable));
        }
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        let mut end =
            |e: &Option<Box<Expr>>| e.as_ref().map(|e| self.index_types.tied(e, e.to_token_stream()));
        let bounds = PartBounds { start: end(&range.start), end: end(&range.end), inclusive };
        let span = base.span();
        let reads_itself = mutable && root(base).is_some_and(|root| names(range, root));
        let base = match base {
            Expr::Index(ExprIndex { expr, index, .. }) => match &**index {
                Expr::Range(range) => self.part(expr, range, mutable).to_token_stream(),
                _ => base.to_token_stream(),
            },
            _ => base.to_token_stream(),
        };
        Expr::Verbatim(match reads_itself {
            true => slice_method(span, &base, bounds),
            false => slice_value(span, &base, bounds, mutable),
        })
    }

    /// Wraps the arguments of a call that may be arrays.
    fn lend(&mut self, args: &mut Punctuated<Expr, Token![,]>) {
        self.lends = true;
        for arg in args {
            *arg = Expr::Verbatim(super::lend::lent(arg, &arg.to_token_stream()));
        }
    }

    /// The Rust form of a kernel macro; `None` leaves it as it stands.
    fn replace(&mut self, mac: &Macro) -> Option<Expr> {
        let name = super::builtin_macros::name(mac)?;
        if name == "shared" {
            let array: SharedArray = mac.parse_body().ok()?;
            return Some(Expr::Verbatim(array.twin(mac.path.span())));
        }
        let known = [
            "panic",
            "unreachable",
            "assert",
            "assert_eq",
            "assert_ne",
            "debug_assert",
            "debug_assert_eq",
            "debug_assert_ne",
            "print",
            "println",
        ];
        if !known.contains(&name.as_str()) {
            return None;
        }
        let mut arguments: Arguments = mac.parse_body().ok()?;
        for argument in &mut arguments.0 {
            self.visit_expr_mut(argument);
        }
        let mut arguments = arguments.0;
        if name == "println" || name == "print" {
            let text = leading_string(mac).map(|_| arguments.to_token_stream());
            let text = text.unwrap_or_else(|| quote!(""));
            let newline = name == "println";
            return Some(parse_quote!(::warpsmith::__macro::print(::std::format!(#text), #newline)));
        }
        told(&name, &mut arguments);
        // The simulator checks the same as a checked launch, however the host was compiled. All of the call stands where
        // the macro does, so a failure has its line.
        let checked = syn::Ident::new(name.trim_start_matches("debug_"), mac.path.span());
        Some(Expr::Verbatim(quote_spanned!(mac.path.span()=> #checked!(#arguments))))
    }
}
