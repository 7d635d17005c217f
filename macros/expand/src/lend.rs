//! Arrays where slices are asked for: `f(&array)` of an `f` that takes a `&[T]`.
//!
//! Tokens do not tell whether `array` is one, nor what `f` takes. So an argument that may be an array is wrapped, and rustc finds
//! out, in the twin as in the witness; the recorder knows both.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprMethodCall, UnOp};

use super::device_method::is_of_library_alone;
use super::device_path::is_library_function;
use super::iteration::{is_adapter, is_iterator};
use super::lower::{last_span, parenthesized};
use super::spelled::starts_uppercase;

/// Arguments of a function of which an array may be one; of longer calls, none is lent.
const MOST_ARGUMENTS: usize = 10;

/// The imports by which a body finds the methods that lend.
pub fn imports() -> TokenStream {
    quote! {
        #[allow(unused_imports)]
        use ::warpsmith::__macro::lend::{LentArray as _, LentExpected as _, LentOther as _, LentSlice as _};
    }
}

/// All arguments of a function of this shape, which has `more` of them in the witness.
pub fn all(args: &[&Expr], values: &[TokenStream], shape: &TokenStream, more: usize) -> Vec<TokenStream> {
    let n = args.len() + more;
    args.iter().zip(values).enumerate().map(|(i, (arg, value))| lent(arg, value, shape, [i, n])).collect()
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
        Expr::Paren(e) => may_be_array(&e.expr),
        Expr::Reference(e) => is_array(&e.expr),
        _ => false,
    }
}

/// Returns whether a call of a function by its path lends an array, as far as tokens tell.
pub fn lends(call: &ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else { return false };
    let makes_value = path.path.segments.last().is_none_or(|last| starts_uppercase(&last.ident.to_string()));
    let few = call.args.len() < MOST_ARGUMENTS;
    few && !makes_value && !is_library_function(path) && call.args.iter().any(may_be_array)
}

/// Returns whether a call of a method lends an array, as far as tokens tell.
pub fn method_lends(call: &ExprMethodCall) -> bool {
    let own = !is_of_library_alone(&call.method) && !is_adapter(call) && !is_iterator(&call.receiver);
    own && call.args.iter().any(may_be_array)
}

/// The call in a twin, whose arguments are rewritten already; `variables` may be closures.
pub fn twin_call(call: &ExprCall, variables: &HashSet<String>) -> TokenStream {
    let Expr::Path(path) = &*call.func else { return call.to_token_stream() };
    let own = Ident::new("__own", path.span());
    let is_variable = path.path.get_ident().is_some_and(|name| variables.contains(&name.to_string()));
    let shape = if is_variable { quote!(#own) } else { quote!(#own.shape()) };
    let args = call
        .args
        .iter()
        .enumerate()
        .map(|(i, arg)| lent(arg, &arg.to_token_stream(), &shape, [i, call.args.len()]));
    let mut called = call.clone();
    called.args = args.map(Expr::Verbatim).collect();
    if is_variable {
        return enclosed(
            path,
            quote!(match ::warpsmith::__macro::lend::shape_of(&#path) { #own => #called }),
        );
    }
    let function = parenthesized(last_span(path), quote_spanned!(path.span()=> #own.is(#path)));
    *called.func = Expr::Verbatim(function.to_token_stream());
    enclosed(path, quote!(match ::warpsmith::__macro::FunctionItem::new() { #own => #called }))
}

/// A `match` that may stand where a statement begins.
fn enclosed(path: &syn::ExprPath, value: TokenStream) -> TokenStream {
    parenthesized(path.span().resolved_at(Span::call_site()), value).to_token_stream()
}

/// The argument at place `i` of `n`, whose tokens are `value` now, for a function of this shape.
fn lent(argument: &Expr, value: &TokenStream, shape: &TokenStream, [i, n]: [usize; 2]) -> TokenStream {
    if !may_be_array(argument) {
        return value.clone();
    }
    let at = argument.span();
    let (i, n) = (proc_macro2::Literal::usize_suffixed(i), proc_macro2::Literal::usize_suffixed(n));
    wrapped(
        argument,
        quote_spanned!(at=> ::warpsmith::__macro::lend::LentTo::<_, _, #i, #n>::new(#shape, #value)),
    )
}

/// An argument of a method, whose tokens are `value` now.
pub fn lent_to_method(argument: &Expr, value: &TokenStream) -> TokenStream {
    if !may_be_array(argument) {
        return value.clone();
    }
    let at = argument.span();
    wrapped(argument, quote_spanned!(at=> ::warpsmith::__macro::lend::LentToMethod::new(#value)))
}

/// The call that lends; what rustc says about it stands at the user's tokens.
fn wrapped(argument: &Expr, value: TokenStream) -> TokenStream {
    let (first, last) = (argument.span(), last_span(argument));
    let end = parenthesized(last, TokenStream::new());
    quote_spanned!(first=> #value.__lend #end)
}
