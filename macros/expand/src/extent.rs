//! Extents of arrays, as the reader of the CUDA is to see them.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{BinOp, Expr, Ident, Lit, Type};

use super::lower::{Lower, Name};
use super::operators::variant;
use super::types::device_type;
use crate::tokens::optional;

impl Lower<'_> {
    /// An emitter of an extent in a kernel, as [`of_constants`] gives it.
    pub(super) fn spelled(&self, extent: &Expr) -> Option<TokenStream> {
        of_constants(extent, &|name| matches!(self.lookup(name), Some(Name::Local | Name::Closure)))
    }
}

/// An emitter of an extent as the constants that it is made of: names, and integer arithmetic and casts on them. `None` if
/// it is made of anything else, such as variables, or names nothing.
pub fn of_constants(extent: &Expr, is_variable: &dyn Fn(&Ident) -> bool) -> Option<TokenStream> {
    let spelled = |extent| of_constants(extent, is_variable);
    match extent {
        Expr::Path(path) => {
            let ident = path.path.get_ident()?;
            let name = ident.to_string();
            if is_variable(ident) || super::spelled::is_variant(&name) {
                return None;
            }
            let span = ident.span().resolved_at(Span::call_site());
            let some = optional(Some(name));
            Some(quote_spanned!(span=> __r.constant(&(#path), #some)))
        }
        Expr::Paren(inner) => spelled(&inner.expr),
        Expr::Cast(cast) if !matches!(*cast.ty, Type::Infer(_)) => {
            let (operand, ty) = (spelled(&cast.expr)?, device_type(&cast.ty));
            Some(
                quote!({ let __a = #operand; __r.cast(__a, <#ty as ::warpsmith::__macro::DeviceType>::ty()) }),
            )
        }
        Expr::Binary(binary) => {
            let op = is_arithmetic(&binary.op).then(|| variant(&binary.op))?;
            let operands = match (digits(&binary.left), digits(&binary.right)) {
                (None, None) => {
                    let (left, right) = (spelled(&binary.left)?, spelled(&binary.right)?);
                    quote!(let __a = #left; let __b = #right;)
                }
                (Some(digits), None) => {
                    let right = spelled(&binary.right)?;
                    quote!(let __b = #right; let __a = __r.literal_like(#digits, &__b);)
                }
                (None, Some(digits)) => {
                    let left = spelled(&binary.left)?;
                    quote!(let __a = #left; let __b = __r.literal_like(#digits, &__a);)
                }
                (Some(_), Some(_)) => return None,
            };
            Some(quote!({ #operands __r.binary(::warpsmith::ir::BinaryOp::#op, __a, __b) }))
        }
        _ => None,
    }
}

/// The arithmetic that both operands of have one type.
fn is_arithmetic(op: &BinOp) -> bool {
    matches!(op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_))
}

/// The digits of an integer literal.
fn digits(e: &Expr) -> Option<String> {
    match e {
        Expr::Lit(syn::ExprLit { lit: Lit::Int(int), .. }) => Some(super::expr::int_text(int)),
        _ => None,
    }
}
