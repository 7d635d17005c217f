//! `x.get(a..b)`: a part of a slice, if it is in bounds.
//!
//! What `get` gives depends on its argument, and rustc would have to know the type of an index before it knows that of the
//! result. So `get` of a range becomes a method of its own.

use proc_macro2::Ident;
use quote::format_ident;
use syn::{Expr, ExprMethodCall, FnArg, RangeLimits, Signature, Type, parse_quote, parse_quote_spanned};

use super::errors::Errors;

/// Writes `x.get(a..b)` and `x.get(r)`, where `r` is a range, as `x.__get_part(…)`, and `x.get(a..)` as `x.__get_rest(a)`.
pub fn rewrite(call: &mut ExprMethodCall, is_range: &dyn Fn(&Expr) -> bool) {
    let method = call.method.to_string();
    let (["get" | "get_mut"], 1) = ([method.as_str()], call.args.len()) else { return };
    let mut name = |part: &str| {
        let mutable = method.strip_prefix("get").unwrap_or_default();
        call.method = format_ident!("{part}{mutable}", span = call.method.span());
    };
    match &mut call.args[0] {
        Expr::Range(range) => match (&range.start, &range.end) {
            (start, None) => {
                let start: Expr = start.as_deref().cloned().unwrap_or_else(|| parse_quote!(0usize));
                name("__get_rest");
                call.args[0] = start;
            }
            (start, Some(_)) => {
                if start.is_none() {
                    let span = match &range.limits {
                        RangeLimits::HalfOpen(dots) => dots.spans[0],
                        RangeLimits::Closed(dots) => dots.spans[0],
                    };
                    range.start = Some(parse_quote_spanned!(span=> 0));
                }
                name("__get_part");
            }
        },
        value if is_range(value) => name("__get_part"),
        _ => {}
    }
}

/// Rust's types of ranges.
const RANGES: [&str; 6] =
    ["Range", "RangeInclusive", "RangeFrom", "RangeTo", "RangeToInclusive", "RangeFull"];

/// Refuses a method of the user's own that calls of [`rewrite`]'s would not find.
pub fn refuse_own(sig: &Signature, errors: &mut Errors) {
    let is_range = |input: &FnArg| {
        let FnArg::Typed(typed) = input else { return false };
        let Type::Path(path) = &*typed.ty else { return false };
        path.path.segments.last().is_some_and(|last| RANGES.iter().any(|range| last.ident == range))
    };
    if (sig.ident == "get" || sig.ident == "get_mut") && sig.inputs.iter().any(is_range) {
        let message = format!(
            "`{0}` of a range is a method of slices in a kernel; give this method another name, as `{0}_range`",
            sig.ident
        );
        errors.at(&sig.ident, message);
    }
}

/// Returns whether a method gives a part of a slice by a range.
pub fn takes_range(method: &Ident) -> bool {
    method == "__get_part" || method == "__get_part_mut"
}

/// Returns whether an expression gives a part of a slice, which is only read, if that is in bounds.
pub fn gives_part(expr: &Expr) -> bool {
    matches!(expr, Expr::MethodCall(call) if call.method == "__get_part" || call.method == "__get_rest")
}
