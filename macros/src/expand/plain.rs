//! Parts of parts: `x[a..][i]` is `(&x[a..])[i]`, or `(&mut x[a..])[i]` where it is written.
//!
//! Rust's parts are places without a size; those of a kernel are descriptors, which a reference makes.

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, parse_quote};

use super::operators::{compound, writes_receiver};

/// Puts a reference around each part that is indexed or that a field or method is taken of.
pub struct PartsOfParts;

impl VisitMut for PartsOfParts {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Reference(e) if e.mutability.is_some() => refer(&mut e.expr, true),
            Expr::Assign(e) => refer(&mut e.left, true),
            Expr::Binary(e) if compound(&e.op).is_some() => refer(&mut e.left, true),
            Expr::MethodCall(e) if writes_receiver(&e.method) => refer(&mut e.receiver, true),
            Expr::Index(_) | Expr::Field(_) => refer(expr, false),
            _ => {}
        }
        visit_mut::visit_expr_mut(self, expr);
    }
}

/// Refers to the parts that a place goes through.
fn refer(place: &mut Expr, mutable: bool) {
    let base = match place {
        Expr::Index(e) => &mut e.expr,
        Expr::Field(e) => &mut e.base,
        Expr::Paren(e) => &mut e.expr,
        _ => return,
    };
    refer(base, mutable);
    if let Expr::Index(part) = &**base
        && let Expr::Range(_) = &*part.index
    {
        **base = if mutable { parse_quote!((&mut #part)) } else { parse_quote!((&#part)) };
    }
}
