//! Expressions in their plainer forms, before the twin, the witness and the emitter are made of them.
//!
//! `x[a..][i]` is `(&x[a..])[i]`, or `(&mut x[a..])[i]` where it is written: Rust's parts are places
//! without a size, those of a kernel descriptors, which a reference makes. `(a..b).contains(&v)` is
//! `a <= v && v < b`. `x[a..b] == y[c..d]`, or `<` of them, is `&x[a..b] == &y[c..d]`. `value?` is a `match` that returns `None` or the error, from a function or from a closure whose type is
//! written.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{
    BinOp, Block, Expr, ExprClosure, ExprForLoop, ExprIf, ExprMethodCall, FnArg, Item, Pat, PatIdent,
    RangeLimits, ReturnType, Signature, Stmt, Type, TypeParamBound, UnOp, parse_quote, parse_quote_spanned,
};

use super::assign::compound;
use super::expected;
use super::items::{Given, given};
use super::lend::{may_lend, method_may_lend};
use super::part_method;
use super::range_index;
use super::referents::Referents;
use super::slice_pattern;
use super::spelled::{compares, writes_receiver};
use crate::visitor::{BelowMut, VisitMut};
use syn::visit_mut;

/// Rewrites every expression that has a plainer form.
#[derive(Default)]
pub struct PlainForms {
    /// The type that `?` returns from the function around; a closure has its own.
    tried: Tried,
    /// The type that `return` returns.
    returned: Option<Type>,
    /// Whether the next block is the body of a function.
    is_body: bool,
    referents: Referents,
}

/// The return type of a function, as far as its tokens tell.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Tried {
    #[default]
    Other,
    Option,
    Result,
}

impl Tried {
    fn of(output: &ReturnType) -> Self {
        match output {
            ReturnType::Type(_, ty) => match &**ty {
                Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "Option") => {
                    Self::Option
                }
                Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "Result") => {
                    Self::Result
                }
                _ => Self::Other,
            },
            ReturnType::Default => Self::Other,
        }
    }

    /// `value?`, of an `Option` or a `Result`.
    fn expr(self, e: &syn::ExprTry) -> Option<Expr> {
        // The code counts as a macro's; otherwise clippy advises to write what is written.
        let (value, span) = (&e.expr, e.question_token.span().resolved_at(Span::mixed_site()));
        Some(match self {
            Self::Other => return None,
            Self::Option => parse_quote_spanned! {span=>
                match #value {
                    ::core::option::Option::Some(__some) => __some,
                    ::core::option::Option::None => return ::core::option::Option::None,
                }
            },
            Self::Result => parse_quote_spanned! {span=>
                match #value {
                    ::core::result::Result::Ok(__ok) => __ok,
                    ::core::result::Result::Err(__error) => return ::core::result::Result::Err(__error),
                }
            },
        })
    }
}

impl VisitMut for PlainForms {
    fn this(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_signature_mut(&mut self, sig: &mut Signature) {
        self.tried = Tried::of(&sig.output);
        (self.returned, self.is_body) = (result(&sig.output), true);
        self.referents = Referents::default();
        for input in &mut sig.inputs {
            self.referents.parameter(input);
            if let FnArg::Typed(typed) = input
                && let Some(closure) = lent_closure(&typed.ty)
            {
                *typed.ty = closure;
            }
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        let around = self.referents.clone();
        let ty = if std::mem::take(&mut self.is_body) { self.returned.clone() } else { None };
        if let Some(ty) = &ty {
            expected::expect_last(block, ty);
        }
        visit_mut::visit_block_mut(&mut BelowMut(self), block);
        if let (Some(ty), Some(Stmt::Expr(last @ Expr::Path(_), None))) = (&ty, block.stmts.last_mut()) {
            self.referents.give(last, ty);
        }
        self.referents = around;
    }

    /// A function in a body has an expansion of its own.
    fn visit_item_mut(&mut self, item: &mut Item) {
        match item {
            Item::Fn(function) => *item = super::function::inner(function).into_item(),
            other => visit_mut::visit_item_mut(&mut BelowMut(self), other),
        }
    }

    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        self.referents.forget(&pat.ident);
        visit_mut::visit_pat_ident_mut(&mut BelowMut(self), pat);
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Local(local) => local
                .init
                .iter_mut()
                .for_each(|init| range_index::mark(&mut init.expr, &|index| self.referents.is_range(index))),
            Stmt::Expr(expr, _) => range_index::mark(expr, &|index| self.referents.is_range(index)),
            _ => {}
        }
        if let Stmt::Local(local) = stmt
            && let Some(init) = &mut local.init
        {
            match &local.pat {
                Pat::Type(typed) => self.referents.give(&mut init.expr, &typed.ty),
                _ => self.referents.walk_parts(&mut init.expr),
            }
        }
        let slices = match stmt {
            Stmt::Local(local) => slice_pattern::rewrite_let(local, &self.referents),
            Stmt::Expr(e, None) => {
                slice_pattern::rewrite_statement(e, &self.referents);
                Vec::new()
            }
            _ => Vec::new(),
        };
        visit_mut::visit_stmt_mut(&mut BelowMut(self), stmt);
        self.referents.local(stmt);
        slices.iter().for_each(|(slice, mutable)| self.referents.slice(slice, *mutable));
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        // A `const` block is Rust as it stands.
        if let Expr::Const(_) = expr {
            return;
        }
        if let Expr::Closure(closure) = expr {
            return self.closure(closure, |referents, inputs| {
                inputs.iter().for_each(|input| referents.called(input))
            });
        }
        range_index::mark(expr, &|index| self.referents.is_range(index));
        slice_pattern::rewrite(expr, &self.referents);
        if let Some(zipped) = zipped(expr) {
            *expr = zipped;
        }
        if let Some(comparison) = contained(expr) {
            *expr = comparison;
        }
        if let Expr::Try(e) = &*expr
            && let Some(plain) = self.tried.expr(e)
        {
            *expr = plain;
        }
        match expr {
            Expr::Reference(e) if e.mutability.is_some() => refer(&mut e.expr, true),
            Expr::Assign(e) => refer(&mut e.left, true),
            Expr::Binary(e) if compound(&e.op).is_some() => refer(&mut e.left, true),
            Expr::Binary(e) if compares_parts(e) => {
                for side in [&mut e.left, &mut e.right] {
                    **side = match &**side {
                        Expr::Unary(of) if is_bytes(&of.expr) => (*of.expr).clone(),
                        compared => parse_quote!((&#compared)),
                    };
                }
                refer_to_bytes(e);
            }
            Expr::Binary(e) if matches!(e.op, BinOp::Eq(_) | BinOp::Ne(_)) => refer_to_bytes(e),
            Expr::MethodCall(e) => {
                part_method::rewrite(e, &|range| self.referents.is_range(range));
                if e.method == "cmp" || e.method == "partial_cmp" {
                    self.referents.compared(e);
                }
                if writes_receiver(&e.method) {
                    refer(&mut e.receiver, true);
                }
            }
            Expr::Return(e) => {
                if let (Some(value), Some(ty)) = (&mut e.expr, &self.returned) {
                    self.referents.give(value, ty);
                }
            }
            Expr::Index(_) | Expr::Field(_) => refer(expr, false),
            _ => {}
        }
        match expr {
            Expr::Call(e) if may_lend(e) => e.args.iter_mut().for_each(|arg| self.referents.argument(arg)),
            Expr::MethodCall(e) if method_may_lend(e) => {
                e.args.iter_mut().for_each(|arg| self.referents.argument(arg))
            }
            Expr::MethodCall(e) => {
                if let Some(given) = given(e) {
                    return self.adapter(e, given);
                }
            }
            Expr::ForLoop(e) => return self.loop_over(e),
            Expr::If(e) => return self.branches(e),
            _ => {}
        }
        visit_mut::visit_expr_mut(&mut BelowMut(self), expr);
        if let Expr::Let(e) = expr {
            self.referents.tested(&e.pat, &e.expr);
        }
    }
}

impl PlainForms {
    /// Walks below a closure, whose parameters are as `bind` says.
    fn closure(&mut self, closure: &mut ExprClosure, bind: impl FnOnce(&mut Referents, &[&Pat])) {
        // Of what type a closure's `?` is, rustc knows.
        let around = std::mem::take(&mut self.tried);
        let returned = std::mem::replace(&mut self.returned, result(&closure.output));
        let referents = self.referents.clone();
        closure.inputs.iter_mut().for_each(|input| self.visit_pat_mut(input));
        bind(&mut self.referents, &closure.inputs.iter().collect::<Vec<_>>());
        self.visit_expr_mut(&mut closure.body);
        (self.tried, self.returned, self.referents) = (around, returned, referents);
    }

    /// Walks below `rows.iter().map(|row| …)`.
    fn adapter(&mut self, call: &mut ExprMethodCall, given: Given) {
        let over = (*call.receiver).clone();
        self.visit_expr_mut(&mut call.receiver);
        for arg in &mut call.args {
            match arg {
                Expr::Closure(closure) => self.closure(closure, |referents, inputs| match (given, inputs) {
                    (Given::Item, [item]) => referents.walked(item, &over),
                    (Given::Second, [so_far, item]) => {
                        referents.called(so_far);
                        referents.asked(item, &over);
                    }
                    (Given::Reference, [item]) => referents.asked(item, &over),
                    _ => inputs.iter().for_each(|input| referents.called(input)),
                }),
                other => self.visit_expr_mut(other),
            }
        }
    }

    /// Walks below an `if`, whose condition may declare variables of its first block.
    fn branches(&mut self, e: &mut ExprIf) {
        let around = self.referents.clone();
        self.visit_expr_mut(&mut e.cond);
        self.visit_block_mut(&mut e.then_branch);
        self.referents = around;
        if let Some((_, other)) = &mut e.else_branch {
            self.visit_expr_mut(other);
        }
    }

    /// Walks below a loop.
    fn loop_over(&mut self, e: &mut ExprForLoop) {
        let (over, around) = ((*e.expr).clone(), self.referents.clone());
        self.visit_expr_mut(&mut e.expr);
        self.visit_pat_mut(&mut e.pat);
        self.referents.walked(&e.pat, &over);
        self.visit_block_mut(&mut e.body);
        self.referents = around;
    }
}

/// The type of what a function or a closure returns.
fn result(output: &ReturnType) -> Option<Type> {
    match output {
        ReturnType::Type(_, ty) => Some((**ty).clone()),
        ReturnType::Default => None,
    }
}

/// `&impl Fn()` and `&dyn Fn()` as `impl Fn() + Copy`, which a reference to a closure is.
fn lent_closure(ty: &Type) -> Option<Type> {
    let Type::Reference(reference) = ty else { return None };
    let bounds = match (&*reference.elem, reference.mutability) {
        (Type::ImplTrait(closure), None) => &closure.bounds,
        (Type::TraitObject(closure), None) => &closure.bounds,
        (Type::Paren(inner), None) => match &*inner.elem {
            Type::ImplTrait(closure) => &closure.bounds,
            Type::TraitObject(closure) => &closure.bounds,
            _ => return None,
        },
        _ => return None,
    };
    let calls = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().is_some_and(|last| last.ident == "Fn"),
        _ => false,
    };
    bounds.iter().any(calls).then(|| parse_quote!(impl #bounds + ::core::marker::Copy))
}

/// `x[a..b] == y[c..d]`: references to parts are compared as the parts are.
fn compares_parts(e: &syn::ExprBinary) -> bool {
    let is_part = |side: &Expr| matches!(side, Expr::Index(part) if matches!(*part.index, Expr::Range(_)));
    compares(&e.op) && (is_part(&e.left) || is_part(&e.right))
}

/// Makes slices of byte strings that are compared: what is beside them may be one.
fn refer_to_bytes(e: &mut syn::ExprBinary) {
    [&mut e.left, &mut e.right]
        .into_iter()
        .filter(|side| is_bytes(side))
        .for_each(|side| expected::whole(side));
}

fn is_bytes(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(literal) if matches!(literal.lit, syn::Lit::ByteStr(_)))
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

/// `std::iter::zip(a, b)` as `a.into_iter().zip(b)`.
fn zipped(expr: &Expr) -> Option<Expr> {
    let Expr::Call(call) = expr else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let names: Vec<String> = path.path.segments.iter().map(|one| one.ident.to_string()).collect();
    if !matches!(names.join("::").as_str(), "std::iter::zip" | "core::iter::zip") {
        return None;
    }
    let (Some(a), Some(b), 2) = (call.args.first(), call.args.get(1), call.args.len()) else { return None };
    let span = path.span().resolved_at(Span::mixed_site());
    Some(parse_quote_spanned!(span=> (#a).into_iter().zip(#b)))
}

/// `(a..b).contains(&v)` as comparisons.
fn contained(expr: &Expr) -> Option<Expr> {
    let Expr::MethodCall(call) = expr else { return None };
    let (Expr::Paren(receiver), Some(item), true) =
        (&*call.receiver, call.args.first(), call.method == "contains")
    else {
        return None;
    };
    let Expr::Range(range) = &*receiver.expr else { return None };
    let item: Expr = match item {
        Expr::Reference(reference) => (*reference.expr).clone(),
        other => parse_quote!((*#other)),
    };
    let below = |end: &Expr| -> Expr {
        match range.limits {
            RangeLimits::HalfOpen(_) => parse_quote!((#item) < (#end)),
            RangeLimits::Closed(_) => parse_quote!((#item) <= (#end)),
        }
    };
    if ![range.start.as_deref(), range.end.as_deref(), Some(&item)].into_iter().flatten().all(may_move) {
        return None;
    }
    Some(match (&range.start, &range.end) {
        (Some(start), Some(end)) => {
            let below = below(end);
            parse_quote!(((#start) <= (#item) && #below))
        }
        (Some(start), None) => parse_quote!(((#start) <= (#item))),
        (None, Some(end)) => {
            let below = below(end);
            parse_quote!((#below))
        }
        (None, None) => return None,
    })
}

/// Returns whether an expression gives the same whenever it is evaluated, and nothing happens when it is: an index and an
/// operator may be a function of the user's own.
fn may_move(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Paren(e) => may_move(&e.expr),
        Expr::Field(e) => may_move(&e.base),
        Expr::Cast(e) => may_move(&e.expr),
        Expr::Unary(e) => may_move(&e.expr) && (matches!(e.op, UnOp::Deref(_)) || is_scalar(&e.expr)),
        Expr::Binary(e) => [&e.left, &e.right].into_iter().all(|side| may_move(side) && is_scalar(side)),
        Expr::MethodCall(e) => e.method == "len" && e.args.is_empty() && may_move(&e.receiver),
        _ => false,
    }
}

/// Returns whether tokens alone tell that an expression is a scalar.
fn is_scalar(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(e) => is_scalar(&e.expr),
        other => matches!(other, Expr::Lit(_) | Expr::Cast(_)),
    }
}
