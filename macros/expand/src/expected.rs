//! `&array` as `&array[..]` where the type of a `let` or the result of a function is a slice.

use syn::{Block, Expr, GenericArgument, PathArguments, Stmt, Type, parse_quote};

use super::lend::may_be_array;

/// Rewrites an expression of which this type is expected.
pub fn expect(expr: &mut Expr, ty: &Type) {
    match (expr, ty) {
        (expr, Type::Paren(ty)) => expect(expr, &ty.elem),
        (Expr::Paren(e), _) => expect(&mut e.expr, ty),
        (Expr::Block(e), _) => expect_last(&mut e.block, ty),
        (Expr::Unsafe(e), _) => expect_last(&mut e.block, ty),
        (Expr::If(e), _) => {
            expect_last(&mut e.then_branch, ty);
            e.else_branch.iter_mut().for_each(|(_, other)| expect(other, ty));
        }
        (Expr::Match(e), _) => e.arms.iter_mut().for_each(|arm| expect(&mut arm.body, ty)),
        (Expr::Tuple(e), Type::Tuple(ty)) => {
            e.elems.iter_mut().zip(&ty.elems).for_each(|(e, ty)| expect(e, ty))
        }
        (Expr::Array(e), Type::Array(ty)) => e.elems.iter_mut().for_each(|e| expect(e, &ty.elem)),
        (Expr::Call(e), Type::Path(path)) => {
            if let (Some(ty), Some(arg)) = (of_variant(&e.func, path), e.args.first_mut()) {
                expect(arg, ty);
            }
        }
        (expr, Type::Reference(ty)) if matches!(*ty.elem, Type::Slice(_)) && may_be_array(expr) => {
            whole(expr)
        }
        _ => {}
    }
}

/// Rewrites what a block gives.
pub fn expect_last(block: &mut Block, ty: &Type) {
    if let Some(Stmt::Expr(last, None)) = block.stmts.last_mut() {
        expect(last, ty);
    }
}

/// The type that `Some`, `Ok` or `Err` holds, of an `Option` or a `Result` whose types are written.
fn of_variant<'t>(variant: &Expr, ty: &'t syn::TypePath) -> Option<&'t Type> {
    let Expr::Path(variant) = variant else { return None };
    let (variant, last) = (&variant.path.segments.last()?.ident, ty.path.segments.last()?);
    let PathArguments::AngleBracketed(list) = &last.arguments else { return None };
    let place = match (last.ident.to_string().as_str(), variant.to_string().as_str()) {
        ("Option", "Some") | ("Result", "Ok") => 0,
        ("Result", "Err") => 1,
        _ => return None,
    };
    match list.args.iter().nth(place)? {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// `&array[..]`
pub fn whole(expr: &mut Expr) {
    match expr {
        Expr::Paren(e) => whole(&mut e.expr),
        Expr::Lit(bytes) => *expr = parse_quote!(&#bytes[..]),
        Expr::Reference(e) => {
            let array = &e.expr;
            *e.expr = match **array {
                Expr::Unary(_) => parse_quote!((#array)[..]),
                _ => parse_quote!(#array[..]),
            };
        }
        _ => {}
    }
}
