//! Local arrays of 64-bit integers, such as stacks of indices, whose elements fit 32 bits: half the memory, and half the traffic.

use std::collections::HashMap;

use crate::ir::{Block, ConstValue, Expr, ExprKind, Function, Scalar, Stmt, StmtKind, Type, VarId, visit};
use crate::ranges::Range;

/// One more than the greatest `unsigned int`.
pub(super) const LIMIT: i128 = 1 << 32;

/// The arrays that may be narrowed, with their new types and the ranges of what is ever stored in them.
pub(super) fn candidates<'s>(
    stored: &'s HashMap<VarId, Range>,
    kernel: &Function,
    body: &Block,
) -> Vec<(VarId, Type, &'s Range)> {
    let narrowed = |var: VarId| match &kernel.var(var).ty {
        Type::Array(element, extent) if **element == Type::U64 => {
            Some(Type::Array(Type::U32.into(), *extent))
        }
        _ => None,
    };
    let mut all: Vec<_> = stored
        .iter()
        .filter(|(var, _)| is_used_by_elements(**var, body))
        .filter_map(|(var, range)| Some((*var, narrowed(*var)?, range)))
        .collect();
    all.sort_by_key(|(var, ..)| *var);
    all
}

/// Returns whether only elements of an array are read and written, outside of closures.
fn is_used_by_elements(var: VarId, body: &Block) -> bool {
    let (mut uses, mut elements) = (0isize, 0isize);
    visit::exprs(body, &mut |e| match &e.kind {
        ExprKind::Var(own) => uses += isize::from(*own == var),
        ExprKind::Index { base, .. } => elements += isize::from(base.is_var(var)),
        ExprKind::Ref(place) => elements -= isize::from(is_element(place, var)),
        ExprKind::Builtin { op, args, .. } if op.by_reference => {
            elements -= isize::from(args.first().is_some_and(|place| is_element(place, var)));
        }
        ExprKind::Closure(closure) => {
            visit::exprs(&closure.body, &mut |e| uses += isize::from(e.is_var(var)))
        }
        _ => {}
    });
    uses == elements
}

fn is_element(e: &Expr, var: VarId) -> bool {
    matches!(&e.kind, ExprKind::Index { base, .. } if base.is_var(var))
}

/// Gives arrays their new types, wherever a body makes, reads and writes them.
pub(super) fn rewrite(arrays: &HashMap<VarId, Type>, body: &mut Block) {
    if !arrays.is_empty() {
        block(arrays, body);
    }
}

fn block(arrays: &HashMap<VarId, Type>, of: &mut Block) {
    for stmt in &mut of.stmts {
        statement(arrays, stmt);
        visit::blocks_mut(stmt).into_iter().for_each(|inner| block(arrays, inner));
    }
}

fn statement(arrays: &HashMap<VarId, Type>, stmt: &mut Stmt) {
    match &mut stmt.kind {
        StmtKind::Let { var, init: Some(init) } if arrays.contains_key(var) => made(init, &arrays[var]),
        StmtKind::Assign { place, op, value } => {
            reads(arrays, value);
            let was = place.clone();
            if !element_of(arrays, place) {
                return reads(arrays, place);
            }
            if let Some(op) = op.take() {
                let mut before = was;
                reads(arrays, &mut before);
                *value = Expr::binary(op, before, value.clone());
            }
            *value = word(std::mem::replace(value, Expr::unit()));
        }
        _ => visit::operands_mut(stmt).into_iter().for_each(|e| reads(arrays, e)),
    }
}

/// The array's first elements.
fn made(init: &mut Expr, ty: &Type) {
    let items: Vec<&mut Expr> = match &mut init.kind {
        ExprKind::ArrayList(items) => items.iter_mut().collect(),
        ExprKind::ArrayRepeat(item, _) => vec![&mut **item],
        _ => Vec::new(),
    };
    for item in items {
        if let Some(n) = item.as_int() {
            *item = Expr::constant(ConstValue::Int(n), Type::U32);
        }
    }
    init.ty = ty.clone();
}

/// Gives an element of a narrowed array its new type, and says whether it is one.
fn element_of(arrays: &HashMap<VarId, Type>, place: &mut Expr) -> bool {
    let ExprKind::Index { base, index, .. } = &mut place.kind else { return false };
    let ExprKind::Var(var) = base.kind else { return false };
    let Some(ty) = arrays.get(&var) else { return false };
    base.ty = ty.clone();
    place.ty = Type::U32;
    reads(arrays, index);
    true
}

/// Rewrites the elements that an expression reads.
fn reads(arrays: &HashMap<VarId, Type>, e: &mut Expr) {
    let ty = e.ty.clone();
    if element_of(arrays, e) {
        let kind = ExprKind::Cast(std::mem::replace(e, Expr::unit()).into());
        *e = Expr { kind, ty };
        return;
    }
    // A cast of the wider element is a cast of the element, and an index has any type.
    match &mut e.kind {
        ExprKind::Cast(inner) if ty.scalar().is_some_and(Scalar::is_int) => {
            if !element_of(arrays, inner) {
                reads(arrays, inner);
            }
        }
        ExprKind::Index { base, index, .. } => {
            reads(arrays, base);
            if !element_of(arrays, index) {
                reads(arrays, index);
            }
        }
        _ => e.operands_mut().into_iter().for_each(|operand| reads(arrays, operand)),
    }
}

/// A 64-bit value that fits, in 32 bits.
fn word(value: Expr) -> Expr {
    match value.kind {
        ExprKind::Cast(inner) if inner.ty == Type::U32 => *inner,
        _ => match value.as_int() {
            Some(n) => Expr::constant(ConstValue::Int(n), Type::U32),
            None => Expr { kind: ExprKind::Cast(value.into()), ty: Type::U32 },
        },
    }
}
