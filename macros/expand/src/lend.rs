//! Arrays where slices are asked for: `f(&array)` of an `f` that takes a `&[T]`.
//!
//! Tokens do not tell whether `array` is one, nor what `f` takes. So an argument that may be an array is wrapped, and rustc finds
//! out, in the twin as in the witness; the recorder knows both.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprMethodCall, UnOp};

use super::device_method::is_of_library_alone;
use super::device_path::is_library_function;
use super::iteration::{is_adapter, is_iterator};
use super::lower::{last_span, parenthesized};
use super::spelled::starts_uppercase;

/// The imports by which a body finds the methods that lend.
pub fn imports() -> TokenStream {
    quote! {
        #[allow(unused_imports)]
        use ::warpsmith::__macro::lend::{
            ExpectedArray as _, ExpectedOther as _, ExpectedSlice as _, LentArray as _, LentOther as _,
        };
    }
}

/// All arguments of a call, whose tokens are `values` now.
pub fn all(args: &[&Expr], values: &[TokenStream]) -> Vec<TokenStream> {
    args.iter().zip(values).map(|(arg, value)| lent(arg, value)).collect()
}

/// Returns whether an argument refers to what may be an array: a place, or an array that is written there.
pub fn may_be_array(argument: &Expr) -> bool {
    fn is_array(expr: &Expr) -> bool {
        match expr {
            Expr::Paren(e) => is_array(&e.expr),
            Expr::Path(_) | Expr::Field(_) | Expr::Array(_) | Expr::Repeat(_) => true,
            Expr::Call(_) | Expr::MethodCall(_) => true,
            Expr::Index(e) => !matches!(*e.index, Expr::Range(_)),
            Expr::Unary(e) => matches!(e.op, UnOp::Deref(_)),
            _ => false,
        }
    }
    match argument {
        // A reference to an array as it stands.
        Expr::Lit(literal) => matches!(literal.lit, syn::Lit::ByteStr(_)),
        Expr::Paren(e) => item(argument).is_some() || may_be_array(&e.expr),
        Expr::Reference(e) => is_array(&e.expr),
        _ => false,
    }
}

/// The variable of an argument that may refer to an array as it stands; it is in two pairs of parentheses since
/// [`Referents::argument`](super::referents::Referents::argument).
fn item(argument: &Expr) -> Option<&Expr> {
    let Expr::Paren(outer) = argument else { return None };
    let Expr::Paren(inner) = &*outer.expr else { return None };
    matches!(*inner.expr, Expr::Path(_)).then_some(&*inner.expr)
}

/// Returns whether a call of a function by its path lends an array, as far as tokens tell.
pub fn lends(call: &ExprCall) -> bool {
    may_lend(call) && call.args.iter().any(may_be_array)
}

/// Returns whether a call of a method lends an array, as far as tokens tell.
pub fn method_lends(call: &ExprMethodCall) -> bool {
    method_may_lend(call) && call.args.iter().any(may_be_array)
}

/// Returns whether the called function may be one that the user wrote, which may take a slice.
pub fn may_lend(call: &ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else { return false };
    let makes_value = path.path.segments.last().is_none_or(|last| starts_uppercase(&last.ident.to_string()));
    !makes_value && !is_library_function(path)
}

/// Returns whether the called method may be one that the user wrote, which may take a slice.
pub fn method_may_lend(call: &ExprMethodCall) -> bool {
    !is_of_library_alone(&call.method) && !is_adapter(call) && !is_iterator(&call.receiver)
}

/// An argument whose tokens are `value` now; what rustc says about it stands at the user's tokens.
pub fn lent(argument: &Expr, value: &TokenStream) -> TokenStream {
    if !may_be_array(argument) {
        return value.clone();
    }
    let (first, last) = (argument.span(), last_span(argument));
    let as_expected = quote_spanned!(first=> |mut __expected| __expected.__lend());
    if is_open(argument) {
        return quote_spanned!(first=> ::warpsmith::__macro::lend::as_expected(#value, #as_expected));
    }
    let end = parenthesized(last, as_expected);
    let value = item(argument).map_or_else(|| value.clone(), ToTokens::to_token_stream);
    quote_spanned!(first=> ::warpsmith::__macro::lend::Lent::new(#value).__lend #end)
}

/// Returns whether the type that an argument refers to may be found by what the function takes. Such a variable is in
/// parentheses since [`Referents::argument`](super::referents::Referents::argument).
fn is_open(argument: &Expr) -> bool {
    match argument {
        Expr::Paren(e) => is_open(&e.expr),
        Expr::Reference(e) => {
            matches!(&*e.expr, Expr::Paren(referent) if matches!(*referent.expr, Expr::Path(_)))
        }
        _ => false,
    }
}
