//! Fragments of `macro_rules`: types and expressions arrive in invisible groups, and leave as they would have been written.
//!
//! An expression that is an operand gets parentheses, as its group had that meaning. All that follows sees no group.

use crate::visitor::{BelowMut, VisitMut};
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut;
use syn::{DeriveInput, Expr, ExprGroup, ExprParen, ItemFn, ItemImpl, ItemStatic, ItemTrait, Type, token};

/// Takes blocks and statements that are no expressions out of their groups: in a group, a parser sees only an expression.
pub fn statements(tokens: TokenStream) -> TokenStream {
    if !has_fragments(tokens.clone()) {
        return tokens;
    }
    let taken_out = |token| match token {
        TokenTree::Group(group) => {
            let inner = statements(group.stream());
            if group.delimiter() == Delimiter::None && is_statement(&inner) {
                return inner;
            }
            let mut around = Group::new(group.delimiter(), inner);
            around.set_span(group.span());
            // What has no fragments keeps the places of its delimiters.
            if has_fragments(group.stream()) { around } else { group }.into_token_stream()
        }
        other => other.into_token_stream(),
    };
    tokens.into_iter().flat_map(taken_out).collect()
}

/// Returns whether tokens hold a fragment at any depth.
pub fn has_fragments(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::None || has_fragments(group.stream()),
        _ => false,
    })
}

/// `let …`, `use …`, `const NAME …`, `{ … }`
fn is_statement(tokens: &TokenStream) -> bool {
    let mut tokens = tokens.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Group(block)), None) => block.delimiter() == Delimiter::Brace,
        (Some(TokenTree::Ident(first)), second) => {
            first == "let"
                || first == "use"
                || (first == "const" && matches!(second, Some(TokenTree::Ident(_))))
        }
        _ => false,
    }
}

/// What an attribute or a derive stands above.
pub trait Fragments {
    /// Shows it to a visitor.
    fn visited_by(&mut self, visitor: &mut dyn VisitMut);

    /// Writes out its fragments.
    fn write_out(&mut self) {
        self.visited_by(&mut WrittenOut);
    }
}

macro_rules! items {
    ($($item:ty = $visit:ident;)+) => {$(
        impl Fragments for $item {
            fn visited_by(&mut self, visitor: &mut dyn VisitMut) {
                visitor.$visit(self);
            }
        }
    )+};
}

items! {
    DeriveInput = visit_derive_input_mut;
    Expr = visit_expr_mut;
    ItemFn = visit_item_fn_mut;
    ItemImpl = visit_item_impl_mut;
    ItemStatic = visit_item_static_mut;
    ItemTrait = visit_item_trait_mut;
    Type = visit_type_mut;
}

/// Writes out all fragments in what it visits.
pub struct WrittenOut;

impl VisitMut for WrittenOut {
    fn this(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        while let Expr::Group(group) = expr {
            *expr = std::mem::replace(&mut *group.expr, Expr::PLACEHOLDER);
        }
        for operand in operands(expr).into_iter().flatten() {
            parenthesize(operand);
        }
        visit_mut::visit_expr_mut(&mut BelowMut(self), expr);
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        while let Type::Group(syn::TypeGroup { elem, .. }) = ty {
            *ty = std::mem::replace(&mut **elem, Type::Verbatim(Default::default()));
        }
        visit_mut::visit_type_mut(&mut BelowMut(self), ty);
    }
}

/// The operands of an expression, which bind more tightly than some expressions do.
fn operands(expr: &mut Expr) -> [Option<&mut Expr>; 2] {
    match expr {
        Expr::Assign(e) => [Some(&mut e.left), None],
        Expr::Binary(e) => [Some(&mut e.left), Some(&mut e.right)],
        Expr::Call(e) => [Some(&mut e.func), None],
        Expr::Cast(e) => [Some(&mut e.expr), None],
        Expr::Field(e) => [Some(&mut e.base), None],
        Expr::Index(e) => [Some(&mut e.expr), None],
        Expr::MethodCall(e) => [Some(&mut e.receiver), None],
        Expr::Range(e) => [e.start.as_deref_mut(), e.end.as_deref_mut()],
        Expr::Reference(e) => [Some(&mut e.expr), None],
        Expr::Try(e) => [Some(&mut e.expr), None],
        Expr::Unary(e) => [Some(&mut e.expr), None],
        _ => [None, None],
    }
}

/// Makes parentheses of a group, where it has a meaning.
fn parenthesize(operand: &mut Expr) {
    let Expr::Group(ExprGroup { attrs, group_token, expr }) = operand else { return };
    let binds_less = match &**expr {
        Expr::Assign(_)
        | Expr::Binary(_)
        | Expr::Break(_)
        | Expr::Cast(_)
        | Expr::Closure(_)
        | Expr::If(_)
        | Expr::Match(_)
        | Expr::Range(_)
        | Expr::Reference(_)
        | Expr::Return(_)
        | Expr::Struct(_)
        | Expr::Unary(_) => true,
        Expr::Group(_) => return parenthesize(expr),
        _ => false,
    };
    if binds_less {
        let span: Span = group_token.span;
        let expr = std::mem::replace(expr, Box::new(Expr::PLACEHOLDER));
        *operand =
            Expr::Paren(ExprParen { attrs: std::mem::take(attrs), paren_token: token::Paren(span), expr });
    }
}
