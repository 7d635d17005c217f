//! `x[r]` by a range that is a value, as far as tokens tell which names are ranges.
//!
//! It becomes a part, as `x[a..b]` is one, of a range that has the value where a start stands, and a mark as its end.

use proc_macro2::TokenStream;
use syn::spanned::Spanned;
use syn::{Expr, ExprRange, Ident, RangeLimits, Token, parse_quote};

use super::spelled::compares;

/// The mark.
const MARK: &str = "__the_whole_range";

/// The value of a range that stands for the whole part.
pub fn value(range: &ExprRange) -> Option<&Expr> {
    match range.end.as_deref() {
        Some(Expr::Path(end)) if end.path.is_ident(MARK) => range.start.as_deref(),
        _ => None,
    }
}

/// Writes such a range in the indices below an expression, as far as places and operands reach, where the part is borrowed.
/// rustc says of another one that it is.
pub fn mark(expr: &mut Expr, is_range: &dyn Fn(&Expr) -> bool) {
    match expr {
        Expr::Index(e) => borrowed(&mut e.expr, is_range),
        Expr::Field(e) => borrowed(&mut e.base, is_range),
        Expr::Reference(e) => borrowed(&mut e.expr, is_range),
        Expr::MethodCall(e) => borrowed(&mut e.receiver, is_range),
        Expr::Paren(e) => mark(&mut e.expr, is_range),
        Expr::Unary(e) => mark(&mut e.expr, is_range),
        Expr::Let(e) => mark(&mut e.expr, is_range),
        Expr::Match(e) => mark(&mut e.expr, is_range),
        Expr::Assign(e) => mark(&mut e.left, is_range),
        Expr::Binary(e) if compares(&e.op) => {
            borrowed(&mut e.left, is_range);
            borrowed(&mut e.right, is_range);
        }
        Expr::Binary(e) => mark(&mut e.left, is_range),
        _ => {}
    }
}

/// The same of an expression that is borrowed itself.
fn borrowed(expr: &mut Expr, is_range: &dyn Fn(&Expr) -> bool) {
    match expr {
        Expr::Paren(e) => borrowed(&mut e.expr, is_range),
        Expr::Index(e) => {
            borrowed(&mut e.expr, is_range);
            if is_range(&e.index) {
                let start = std::mem::replace(&mut *e.index, Expr::Verbatim(TokenStream::new()));
                *e.index = Expr::Range(whole(start));
            }
        }
        other => mark(other, is_range),
    }
}

fn whole(value: Expr) -> ExprRange {
    let (limits, mark) = (RangeLimits::HalfOpen(Token![..](value.span())), Ident::new(MARK, value.span()));
    let end = Some(Box::new(parse_quote!(#mark)));
    ExprRange { attrs: Vec::new(), start: Some(Box::new(value)), limits, end }
}
