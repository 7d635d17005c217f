//! References to the thread's own element: `let v = &mut x[i]`.

use std::collections::HashMap;

use super::own_element::Threads;
use super::rewrite::drop_if;
use super::slices::slice_of;
use crate::ir::{Block, Expr, ExprKind, Function, StmtKind, VarId, visit};

/// Replaces references that are only ever followed by the places that they refer to.
///
/// The element is then in bounds: a wide path is not taken where one is not.
pub(super) fn replace(kernel: &Function, body: &mut Block, threads: &Threads) {
    let mut found: HashMap<VarId, Expr> = HashMap::new();
    visit::stmts(body, &mut |stmt| {
        if let StmtKind::Let { var, init: Some(Expr { kind: ExprKind::Ref(place), .. }) } = &stmt.kind
            && let ExprKind::Index { base, index, .. } = &place.kind
            && !kernel.var(*var).mutable
            && slice_of(kernel, base).is_some()
            && threads.is_own(index)
        {
            found.insert(*var, (**place).clone());
        }
    });
    let (mut named, mut followed): (HashMap<VarId, usize>, HashMap<VarId, usize>) = Default::default();
    visit::exprs(body, &mut |e| match &e.kind {
        ExprKind::Var(var) => *named.entry(*var).or_default() += 1,
        ExprKind::Deref(of) => {
            if let ExprKind::Var(var) = of.kind {
                *followed.entry(var).or_default() += 1;
            }
        }
        _ => {}
    });
    found.retain(|var, _| named.get(var) == followed.get(var));
    visit::exprs_mut(body, &mut |e| {
        if let ExprKind::Deref(of) = &e.kind
            && let ExprKind::Var(var) = of.kind
            && let Some(place) = found.get(&var)
        {
            *e = place.clone();
            return true;
        }
        false
    });
    drop_if(body, &|stmt| matches!(&stmt.kind, StmtKind::Let { var, .. } if found.contains_key(var)));
}
