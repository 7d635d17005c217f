//! Mistakes of a body that its tokens show, before it is lowered:
//!
//! - `break` and `continue` outside of a loop;
//! - a row of a shared array where an element is meant, a copy of a static where the static is meant;
//! - `as` from a generic type, `T::zero()` of a number;
//! - patterns, types and methods that only the host has.

use syn::spanned::Spanned;
use syn::{Block, Expr, ExprCall, ExprCast, ExprPath, Generics, Pat, Type};

use super::builtin_macros::SharedArray;
use super::signature::{self, Param};
use crate::errors::Errors;
use crate::rustc_span;
use crate::visitor::{Below, Visit};
use syn::visit;

/// Reports what stands where it has no meaning.
pub fn check(block: &Block, params: &[Param], generics: &Generics, errors: &mut Errors) {
    let generic = params
        .iter()
        .filter_map(|p| Some((p.pat.ident.to_string(), signature::type_parameter(&p.written, generics)?)));
    let generic = generic.collect();
    let slices =
        params.iter().filter_map(|p| Some((p.pat.ident.to_string(), is_slice(&p.written)?))).collect();
    let numbers = generics.type_params().filter(|p| is_number(p)).map(|p| p.ident.to_string()).collect();
    BodyCheck {
        errors,
        generic,
        numbers,
        slices,
        arrays: Vec::new(),
        ranks: Vec::new(),
        loops: 0,
        blocks: 0,
    }
    .visit_block(block);
}

struct BodyCheck<'e> {
    errors: &'e mut Errors,
    /// Parameters of a type that is a generic parameter, or slices of it.
    generic: Vec<(String, String)>,
    /// Generic types that are numbers of the library and nothing else.
    numbers: Vec<String>,
    /// Parameters and parts that are slices, and whether they may be written.
    slices: Vec<(String, bool)>,
    /// Variables that are arrays.
    arrays: Vec<String>,
    /// Arrays that `shared!` makes, and how many extents each has.
    ranks: Vec<(String, usize)>,
    /// Loops around the expression, within its closure.
    loops: usize,
    /// Labelled blocks around the expression.
    blocks: usize,
}

impl BodyCheck<'_> {
    /// Forgets the meaning of a name once it is another variable's.
    fn rebind(&mut self, name: &str) {
        self.generic.retain(|(known, _)| known != name);
        self.slices.retain(|(known, _)| known != name);
        self.arrays.retain(|known| known != name);
        self.ranks.retain(|(known, _)| known != name);
    }

    /// The name of a variable that is a slice, and whether it may be written.
    fn slice(&self, path: &ExprPath) -> Option<&(String, bool)> {
        let name = path.path.get_ident()?;
        self.slices.iter().find(|(known, _)| name == known)
    }

    fn in_loop(&mut self, visit: impl FnOnce(&mut Self)) {
        self.loops += 1;
        visit(self);
        self.loops -= 1;
    }

    /// The generic type of a parameter, or of an element of one.
    fn generic_type(&self, expr: &Expr) -> Option<&str> {
        match expr {
            Expr::Paren(e) => self.generic_type(&e.expr),
            Expr::Index(e) => self.generic_type(&e.expr),
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                self.generic.iter().find(|(known, _)| *known == name).map(|(_, ty)| ty.as_str())
            }
            _ => None,
        }
    }

    fn learn_rank(&mut self, local: &syn::Local) {
        let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else { return };
        if let Expr::Macro(mac) = &*init.expr
            && mac.mac.path.is_ident("shared")
            && let Ok(array) = mac.mac.parse_body::<SharedArray>()
            && array.owner.is_none()
        {
            self.ranks.push((name.ident.to_string(), array.extents().len()));
        }
    }

    /// `tile[3] = v` of two dimensions: a row is no value.
    fn refuse_row(&mut self, place: &Expr) {
        let (mut depth, mut base) = (0, place);
        while let Expr::Index(e) = base {
            depth += if let Expr::Tuple(parts) = &*e.index { parts.elems.len() } else { 1 };
            base = &e.expr;
        }
        let Expr::Path(path) = base else { return };
        let Some(name) = path.path.get_ident().map(ToString::to_string) else { return };
        if let Some((_, rank)) =
            self.ranks.iter().find(|(known, rank)| *known == name && 0 < depth && depth < *rank)
        {
            let element = element(&name, *rank);
            self.errors.at(place, format!("`{name}` has {rank} dimensions; name an element: `{element}`"));
        }
    }

    /// `tile[(i, j)]` of an array, which is no `Tile`.
    fn refuse_tuple(&mut self, e: &syn::ExprIndex) {
        if let (Expr::Path(path), Expr::Tuple(parts)) = (&*e.expr, &*e.index)
            && let Some(name) = path.path.get_ident().map(ToString::to_string)
            && let Some((_, rank)) = self.ranks.iter().find(|(known, _)| *known == name)
        {
            let element = element(&name, *rank);
            self.errors.at(parts, format!("`{name}` is an array, whose elements are `{element}`"));
        }
    }

    /// `let r: Result<u32, String>`
    fn refuse_host_parts(&mut self, local: &syn::Local) {
        if let Pat::Type(typed) = &local.pat
            && let Type::Path(path) = &*typed.ty
            && path.path.segments.last().is_some_and(|s| s.ident == "Option" || s.ident == "Result")
            && let Some(message) = super::foreign_names::host_type(&typed.ty)
        {
            self.errors.at(&typed.ty, message);
        }
    }

    /// `let a = [1, 2];`
    fn learn_array(&mut self, local: &syn::Local) {
        let (pat, written) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, matches!(*typed.ty, Type::Array(_))),
            other => (other, false),
        };
        let made =
            local.init.as_ref().is_some_and(|init| matches!(*init.expr, Expr::Array(_) | Expr::Repeat(_)));
        if let (Pat::Ident(name), true) = (pat, written || made) {
            self.arrays.push(name.ident.to_string());
        }
    }

    /// `let line = &text[a..b];`
    fn learn_part(&mut self, local: &syn::Local) {
        if let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init)
            && let Expr::Reference(part) = &*init.expr
            && is_part(&part.expr)
        {
            self.slices.push((name.ident.to_string(), part.mutability.is_some()));
        }
    }

    /// `x.sort()` of a variable that is a slice, of an array, or of bytes.
    fn refuse_slice_method(&mut self, e: &syn::ExprMethodCall) {
        // A trait of the user's own may give an array other methods.
        let library = super::device_method::is_of_library_alone(&e.method);
        let of_slices = match &*e.receiver {
            Expr::Path(path) => {
                let is_array = |name| self.arrays.iter().any(|known| name == known);
                self.slice(path).is_some() || (library && path.path.get_ident().is_some_and(is_array))
            }
            Expr::Lit(literal) => library && matches!(literal.lit, syn::Lit::ByteStr(_)),
            _ => false,
        };
        if of_slices && let Some(message) = super::foreign_names::slice_method(&e.method.to_string()) {
            self.errors.at(&e.method, message);
        }
    }

    /// `[a, b, ..]` of a slice, where it is not one of those that `slice_pattern` rewrites.
    fn refuse_slice_pattern(&mut self, pat: &Pat, matched: &Expr) {
        let elements = match pat {
            Pat::Reference(reference) => &*reference.pat,
            other => other,
        };
        let Pat::Slice(elements) = elements else { return };
        let name = match matched {
            Expr::Path(path) => match self.slice(path) {
                Some((name, _)) => name,
                None => return,
            },
            Expr::Reference(part) if is_part(&part.expr) => "part",
            _ => return,
        };
        let message = format!(
            "a slice is taken apart by an `if let`, a `let` with `else`, or a `match` that ends with `_ => …`; a pattern within an element cannot bind `&mut` references, or the name of the slice; or index it: `{name}[0]`"
        );
        self.errors.at(elements, message);
    }

    /// `value.to_string()`
    fn refuse_text(&mut self, e: &syn::ExprMethodCall) {
        if (e.method == "to_string" || e.method == "to_owned") && e.args.is_empty() {
            let message =
                "a kernel has no `String`; print the value with `println!(\"{}\", value)`, or write bytes";
            self.errors.at(&e.method, message);
        }
    }

    /// `T::zero()` of a number.
    fn refuse_number(&mut self, e: &ExprCall) {
        let Expr::Path(path) = &*e.func else { return };
        let names: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        let [owner, name] = &names[..] else { return };
        if e.args.is_empty() && (name == "zero" || name == "one") && self.numbers.contains(owner) {
            self.errors
                .at(&e.func, format!("a number has no `{name}()`; write `{owner}::{}`", name.to_uppercase()));
        }
    }

    /// `volatile_load(&STATIC.get())` reads a copy for ever.
    fn refuse_copies(&mut self, e: &ExprCall) {
        let Expr::Path(path) = &*e.func else { return };
        let Some(last) = path.path.segments.last() else { return };
        let name = &last.ident;
        let accesses = super::spelled::accesses_place(name);
        if let (true, Some(Expr::Reference(reference))) = (accesses, e.args.first())
            && let Some(global) = copied_global(&reference.expr)
        {
            let message = format!(
                "`{global}.get()` is a copy, which no other thread sees; pass the place: `{name}({global}.get_mut(){})`",
                if e.args.len() > 1 { ", …" } else { "" }
            );
            self.errors.at(reference, message);
        }
    }
}

impl<'a> Visit<'a> for BodyCheck<'_> {
    fn this(&mut self) -> &mut dyn Visit<'a> {
        self
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::ForLoop(e) => {
                self.visit_expr(&e.expr);
                self.visit_pat(&e.pat);
                return self.in_loop(|check| check.visit_block(&e.body));
            }
            Expr::While(e) => {
                self.visit_expr(&e.cond);
                return self.in_loop(|check| check.visit_block(&e.body));
            }
            Expr::Loop(e) => {
                return self.in_loop(|check| check.visit_block(&e.body));
            }
            Expr::Closure(e) => {
                let outer = (std::mem::take(&mut self.loops), std::mem::take(&mut self.blocks));
                e.inputs.iter().for_each(|input| self.visit_pat(input));
                self.visit_expr(&e.body);
                (self.loops, self.blocks) = outer;
                return;
            }
            Expr::Block(e) if e.label.is_some() => {
                self.blocks += 1;
                self.visit_block(&e.block);
                self.blocks -= 1;
                return;
            }
            Expr::Break(e) if self.loops == 0 && (e.label.is_none() || self.blocks == 0) => {
                self.errors
                    .at(e.break_token, "`break` is outside of a loop; use `return` to end the thread's work");
            }
            Expr::Continue(e) if self.loops == 0 => {
                self.errors.at(
                    e.continue_token,
                    "`continue` is outside of a loop; use `return` to end the thread's work",
                );
            }
            Expr::Call(e) => {
                self.refuse_copies(e);
                self.refuse_number(e);
            }
            Expr::Index(e) => self.refuse_tuple(e),
            Expr::Let(e) => self.refuse_slice_pattern(&e.pat, &e.expr),
            Expr::Match(e) => e.arms.iter().for_each(|arm| self.refuse_slice_pattern(&arm.pat, &e.expr)),
            Expr::MethodCall(e) => {
                self.refuse_slice_method(e);
                self.refuse_text(e);
            }
            _ => {}
        }
        visit::visit_expr(&mut Below(self), expr);
    }

    fn visit_local(&mut self, local: &'a syn::Local) {
        self.refuse_host_parts(local);
        if let Some(init) = &local.init {
            self.refuse_slice_pattern(&local.pat, &init.expr);
        }
        visit::visit_local(&mut Below(self), local);
        self.learn_rank(local);
        self.learn_array(local);
        self.learn_part(local);
    }

    fn visit_pat_ident(&mut self, name: &'a syn::PatIdent) {
        self.rebind(&name.ident.to_string());
        visit::visit_pat_ident(&mut Below(self), name);
    }

    fn visit_expr_assign(&mut self, e: &'a syn::ExprAssign) {
        self.refuse_row(&e.left);
        visit::visit_expr_assign(&mut Below(self), e);
    }

    fn visit_expr_cast(&mut self, e: &'a ExprCast) {
        if let Type::Path(to) = &*e.ty
            && let Some(name) = to.path.get_ident().map(ToString::to_string)
            && super::foreign_names::is_wide(&name)
        {
            self.errors.at(&e.ty, super::foreign_names::wide(&name));
        }
        if let (Some(ty), Type::Path(to)) = (self.generic_type(&e.expr), &*e.ty)
            && let (Some(to), Some(text)) = (to.path.get_ident(), rustc_span::text(e.expr.span()))
        {
            let message = format!(
                "`as` does not convert a `{ty}`, which may be any type; write `{text}.cast::<{to}>()`"
            );
            self.errors.at(e.as_token, message);
        }
        visit::visit_expr_cast(&mut Below(self), e);
    }
}

/// An element of an array of `rank` dimensions, as a message names it.
fn element(name: &str, rank: usize) -> String {
    let indices = ["[i]", "[j]", "[k]"].get(..rank).unwrap_or(&["[i]", "[j]", "…"]);
    format!("{name}{}", indices.concat())
}

/// `STATIC` of `STATIC.get()`.
fn copied_global(expr: &Expr) -> Option<String> {
    let Expr::MethodCall(call) = expr else { return None };
    let Expr::Path(path) = &*call.receiver else { return None };
    let name = path.path.segments.last()?.ident.to_string();
    let constant = name.chars().all(|c| c.is_uppercase() || c.is_numeric() || c == '_');
    (constant && call.method == "get" && call.args.is_empty()).then_some(name)
}

/// Returns whether a generic type has the library's bounds for numbers, and no other.
fn is_number(param: &syn::TypeParam) -> bool {
    let ours = |bound: &syn::TypeParamBound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            bound.path.get_ident().is_some_and(|name| name == "Num" || name == "Float")
        }
        _ => false,
    };
    !param.bounds.is_empty() && param.bounds.iter().all(ours)
}

/// Whether a type is a slice, and then whether it may be written.
fn is_slice(ty: &Type) -> Option<bool> {
    let Type::Reference(of) = ty else { return None };
    matches!(*of.elem, Type::Slice(_)).then_some(of.mutability.is_some())
}

/// `x[a..b]`
fn is_part(place: &Expr) -> bool {
    matches!(place, Expr::Index(e) if matches!(*e.index, Expr::Range(_)))
}
