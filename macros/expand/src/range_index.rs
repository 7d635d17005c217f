//! `x[r]` by a range that is a value, as far as tokens tell which names are ranges.
//!
//! It becomes a part, as `x[a..b]` is one, of a range that has the value where a start stands, and a mark as its end.

use proc_macro2::TokenStream;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprRange, Ident, RangeLimits, Token, parse_quote};

use super::referents::Referents;

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
pub fn mark(expr: &mut Expr, referents: &Referents) {
    match expr {
        Expr::Index(e) => borrowed(&mut e.expr, referents),
        Expr::Field(e) => borrowed(&mut e.base, referents),
        Expr::Reference(e) => borrowed(&mut e.expr, referents),
        Expr::MethodCall(e) => borrowed(&mut e.receiver, referents),
        Expr::Paren(e) => mark(&mut e.expr, referents),
        Expr::Unary(e) => mark(&mut e.expr, referents),
        Expr::Let(e) => mark(&mut e.expr, referents),
        Expr::Match(e) => mark(&mut e.expr, referents),
        Expr::Assign(e) => mark(&mut e.left, referents),
        Expr::Binary(e) if matches!(e.op, BinOp::Eq(_) | BinOp::Ne(_)) => {
            borrowed(&mut e.left, referents);
            borrowed(&mut e.right, referents);
        }
        Expr::Binary(e) => mark(&mut e.left, referents),
        _ => {}
    }
}

/// The same of an expression that is borrowed itself.
fn borrowed(expr: &mut Expr, referents: &Referents) {
    match expr {
        Expr::Paren(e) => borrowed(&mut e.expr, referents),
        Expr::Index(e) => {
            borrowed(&mut e.expr, referents);
            if referents.is_range(&e.index) {
                let start = std::mem::replace(&mut *e.index, Expr::Verbatim(TokenStream::new()));
                *e.index = Expr::Range(whole(start));
            }
        }
        other => mark(other, referents),
    }
}

fn whole(value: Expr) -> ExprRange {
    let (limits, mark) = (RangeLimits::HalfOpen(Token![..](value.span())), Ident::new(MARK, value.span()));
    let end = Some(Box::new(parse_quote!(#mark)));
    ExprRange { attrs: Vec::new(), start: Some(Box::new(value)), limits, end }
}
